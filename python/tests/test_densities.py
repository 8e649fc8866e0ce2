"""Densities of all columns: fit(X) without a target, with one, through files, and their pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pictures import draw_and_close, legend_texts, read_frame  # noqa: F401  (a fixture)
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import condens
from condens import GSKD, LSCDE, RSDE, GaussianMixtures, Parzen, plot

DENSITIES = [
    getattr(condens, info["class_name"]) for info in condens._core.models() if "is_density" in info["capabilities"]
]


@pytest.fixture(scope="module")
def rows() -> Any:
    random = np.random.default_rng(0)
    branch = random.random(120) < 0.4
    return np.column_stack([np.where(branch, -2.0, 2.0), 10.0 * branch]) + random.normal(size=(120, 2))


def test_there_are_densities() -> None:
    assert {cls.__name__ for cls in DENSITIES} == {"Parzen", "SKD", "RSDE", "GSKD", "GMM"}


@pytest.mark.parametrize("cls", DENSITIES)
def test_density_of_the_columns(cls: Any, rows: Any) -> None:
    model = cls().fit(rows)
    assert (model.n_features_in_, model.distribution_.n_targets) == (2, 2)
    scores = model.score_samples(rows)
    assert_allclose(scores, model.distribution_.logpdf(rows), rtol=1e-9)
    assert model.score(rows) == pytest.approx(scores.mean())
    assert model.score(rows) > -4.3  # one Gaussian has -4.4
    draws = model.sample(500, random_state=1)
    assert draws.shape == (500, 2)
    # Five standard errors.
    assert_allclose(draws.mean(axis=0), rows.mean(axis=0), atol=5 * rows.std(axis=0).max() / np.sqrt(120))
    assert_array_equal(draws, model.sample(500, random_state=1))
    with pytest.raises(ValueError, match="without a target; use distribution_"):
        model.predict_distribution(rows)
    with pytest.raises(ValueError, match="3 features"):
        model.score_samples(np.zeros((2, 3)))


@pytest.mark.parametrize("cls", DENSITIES)
def test_with_a_target_the_density_is_conditioned(cls: Any, rows: Any) -> None:
    model = cls(defensive_weight=0.0).fit(rows[:, :1], rows[:, 1])
    both = cls(defensive_weight=0.0).fit(rows)
    at = np.array([[-2.0], [0.3]])
    law = model.predict_distribution(at)
    # p(y | x) is p(x, y) / p(x): where the same density is found, its ratio at two y is that of the joint one.
    if cls is not Parzen:  # whose `auto` looks at the conditional law
        for x, one in zip(at[:, 0], law, strict=True):
            joint = both.score_samples([[x, 0.0], [x, 9.0]])
            assert_allclose(np.diff(one.logpdf([0.0, 9.0])), np.diff(joint), rtol=1e-6, atol=1e-6)
    for name in ("score_samples", "sample"):
        assert not hasattr(model, name)
        with pytest.raises(AttributeError, match="has no attribute"):
            getattr(model, name)


def test_one_column_weights_and_frames(rows: Any) -> None:
    one = Parzen().fit(rows[:, 0])
    assert one.n_features_in_ == 1
    assert one.sample(3, random_state=0).shape == (3, 1)
    doubled = RSDE(bandwidth=0.4).fit(rows, sample_weight=np.full(120, 2.0))
    assert_allclose(doubled.kernel_means_, RSDE(bandwidth=0.4).fit(rows).kernel_means_, rtol=1e-12)
    frame = read_frame("geyser")
    named = Parzen().fit(frame)
    assert list(named.feature_names_in_) == ["duration", "waiting"]
    assert named._model.encoder.target_names == ["duration", "waiting"]
    with pytest.raises(ValueError, match="feature names"):
        named.score_samples(frame[["waiting", "duration"]])


def test_kernels_have_a_row_each(rows: Any) -> None:
    model = GSKD().fit(rows)
    k = model.n_kernels_
    assert model.kernel_means_.shape == model.kernel_scales_.shape == (k, 2)
    assert model.kernel_weights_.shape == (k,)
    assert model.kernel_weights_.sum() == pytest.approx(1.0)


def test_through_a_file(rows: Any, tmp_path: Path) -> None:
    for data in (rows, read_frame("geyser")):
        model = RSDE(bandwidth=0.3).fit(data)
        model.save(tmp_path / "d.cbor")
        again = condens.load(tmp_path / "d.cbor")
        assert again.n_features_in_ == 2
        assert hasattr(again, "feature_names_in_") == hasattr(model, "feature_names_in_")
        assert_array_equal(again.score_samples(data), model.score_samples(data))
        assert again.get_params() == clone(model).get_params() or again.bandwidth in (0.3, [0.3])


def test_searches_need_no_target(rows: Any) -> None:
    search = GridSearchCV(RSDE(), {"bandwidth": [0.05, 0.3, 3.0]}, cv=3).fit(rows)
    assert search.best_params_ == {"bandwidth": 0.3}


def test_other_models_ask_for_a_target(rows: Any) -> None:
    with pytest.raises(TypeError, match="y"):
        LSCDE().fit(rows)


# --- pictures --------------------------------------------------------------------------------------


def test_joint_picture(rows: Any) -> None:
    model = Parzen().fit(rows)
    ax = plot.joint(model, rows, means=True)
    assert legend_texts(ax) == ["90 % region", "50 % region", "data", "means"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("y1", "y2")
    assert ax.get_xlim()[0] < rows[:, 0].min()
    ax = plot.joint(model.distribution_, mass=0.8, names=["a", "b"], colorbar=False)
    assert legend_texts(ax) == ["80 % region"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("a", "b")


def test_region_holds_its_mass(rows: Any) -> None:
    law = Parzen().fit(rows).distribution_
    x, y = (np.linspace(*plot.joint.__globals__["_range"](law, None, k), 200) for k in range(2))
    p = plot.joint.__globals__["_density_on"](law, x, y)
    level = plot.joint.__globals__["_level"](p, 0.5)
    draws = law.rvs(20000, random_state=2)
    share = np.mean(law.pdf(draws) > level)
    assert share == pytest.approx(0.5, abs=0.02)  # five standard errors, and what lies off the grid


def test_pairs_picture() -> None:
    frame = read_frame("energy")[["glazing", "heating", "cooling"]]
    model = Parzen(bandwidth=0.3).fit(frame)
    axes = plot.pairs(model, frame)
    assert axes.shape == (3, 3)
    assert [ax.get_xlabel() for ax in axes[2]] == ["glazing", "heating", "cooling"]
    assert [ax.get_ylabel() for ax in axes[:, 0]] == ["", "heating", "cooling"]
    assert not axes[0, 2].get_visible()
    assert axes[2, 0].get_xlim() == axes[0, 0].get_xlim()


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda law, rows: plot.joint(law.marginal(0)), ValueError, "has 1 targets, expected 2"),
        (lambda law, rows: plot.joint(law, rows[:, :1]), ValueError, r"Y has shape \(120, 1\)"),
        (lambda law, rows: plot.joint(law, names=["a"]), ValueError, "names has 1 entries"),
        (lambda law, rows: plot.joint(law, grid=1), ValueError, "grid = 1"),
        (lambda law, rows: plot.joint(3), TypeError, "law is a int"),
        (lambda law, rows: plot.pairs(law.marginal(1)), ValueError, "has 1 targets, expected 2 to 8"),
        (lambda law, rows: plot.joint(law.reshape(1)), ValueError, "one distribution"),
    ],
)
def test_pictures_name_what_does_not_fit(call: Any, error: Any, text: str, rows: Any) -> None:
    law = Parzen().fit(rows).distribution_
    with pytest.raises(error, match=text):
        call(law, rows)


def test_marginals_of_several_targets() -> None:
    means = np.arange(6.0).reshape(2, 3)
    law = GaussianMixtures([0.3, 0.7], means, 1.0 + means, multivariate=True)
    part = law.marginal([2, 0])
    assert_array_equal(part.mean(), law.mean()[[2, 0]])
    assert_array_equal(law.marginal([-1, 0]).mean(), part.mean())
    with pytest.raises(IndexError, match="target 3 of 3"):
        law.marginal([0, 3])
    with pytest.raises(ValueError, match="twice"):
        law.marginal([1, 1])
