"""Laws as distributions of skpro, estimators as its regressors: its own checks, exact metrics, rows by label."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import QUICK, make_data
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import quad

import condens
from condens import LSCDE, GaussianMixtures

pytest.importorskip("skpro")

import pandas as pd
from skpro.distributions import NormalMixture
from skpro.metrics import CRPS, LogLoss, SquaredDistrLoss
from skpro.model_selection import GridSearchCV
from skpro.utils import check_estimator

from condens.export import SkproDistribution, SkproRegressor, to_skpro

INDEX = pd.Index(["a", "b", "c", "d", "e", "f"])


@pytest.fixture(scope="module")
def laws() -> GaussianMixtures:
    random = np.random.default_rng(1)
    return GaussianMixtures(
        random.dirichlet(np.ones(4), 6), random.normal(0, 2, (6, 4)), random.uniform(0.2, 1.5, (6, 4))
    )


@pytest.fixture(scope="module")
def distribution(laws: GaussianMixtures) -> SkproDistribution:
    return to_skpro(laws, INDEX, ["y"])


@pytest.fixture(scope="module")
def y() -> pd.DataFrame:
    return pd.DataFrame({"y": np.random.default_rng(2).normal(0, 2, 6)}, index=INDEX)


# --- skpro's own checks ----------------------------------------------------------------------------


@pytest.mark.parametrize("cls", [SkproDistribution, SkproRegressor])
def test_checks_of_skpro(cls: type) -> None:
    results = check_estimator(cls, raise_exceptions=True, verbose=False)
    assert len(results) > 50
    assert set(results.values()) == {"PASSED"}


# --- the distribution ----------------------------------------------------------------------------------


def test_functions_of_x_are_ours(distribution: Any, laws: GaussianMixtures, y: pd.DataFrame) -> None:
    x = y["y"].to_numpy()
    for name, expected in {
        "pdf": laws.pdf(x),
        "log_pdf": laws.logpdf(x),
        "cdf": laws.cdf(x),
        "surv": laws.sf(x),
        "haz": laws.pdf(x) / laws.sf(x),
        "energy": laws.mean_distance(x),
    }.items():
        for argument in (y, y.to_numpy()):
            values = getattr(distribution, name)(argument)
            assert list(values.index) == list(INDEX)
            assert list(values.columns) == ["energy" if name == "energy" else "y"]
            assert_allclose(values.to_numpy()[:, 0], expected, rtol=1e-13, err_msg=name)
    levels = np.linspace(0.1, 0.9, 6)
    assert_array_equal(distribution.ppf(levels[:, None])["y"], laws.ppf(levels))
    assert_array_equal(distribution.quantile([0.1, 0.9]).to_numpy(), laws[:, None].ppf([0.1, 0.9]))


def test_summaries_are_ours(distribution: Any, laws: GaussianMixtures) -> None:
    assert_array_equal(distribution.mean()["y"], laws.mean())
    assert_array_equal(distribution.var()["y"], laws.var())
    assert_array_equal(distribution.energy()["energy"], laws.energy())
    assert_array_equal(distribution.pdfnorm()["y"], laws.l2_norm())
    assert_array_equal(distribution.pdfnorm(a=1)["y"], np.ones(6))


def test_closed_forms_are_those_of_skpro(distribution: Any, laws: GaussianMixtures, y: pd.DataFrame) -> None:
    theirs = NormalMixture(laws.weights, laws.means, laws.scales, index=INDEX, columns=pd.Index(["y"]))
    for name in ("pdf", "log_pdf", "cdf", "energy"):
        pd.testing.assert_frame_equal(getattr(distribution, name)(y), getattr(theirs, name)(y), rtol=1e-12)
    for name in ("mean", "var"):  # not energy(): theirs leaves the means of the components out
        pd.testing.assert_frame_equal(getattr(distribution, name)(), getattr(theirs, name)(), rtol=1e-12)


def test_energy_and_pdfnorm_are_the_integrals(distribution: Any) -> None:
    one = distribution.iloc[0, 0]
    spread = quad(lambda x: 2 * one.cdf(x) * one.surv(x), -15, 15, limit=200)[0]  # E|Y - Y'|
    assert one.energy() == pytest.approx(spread, rel=1e-8)
    assert one.pdfnorm(a=2) == pytest.approx(quad(lambda x: one.pdf(x) ** 2, -15, 15, limit=200)[0], rel=1e-8)
    # Other exponents are sampled by skpro, which says so. Standard error of 1000 draws of p(X)^2, times 5.
    with pytest.warns(UserWarning, match="approximating the 3-norm"):
        sampled = one.pdfnorm(a=3)
    exact, square = (quad(lambda x, a=a: one.pdf(x) ** a, -15, 15, limit=200)[0] for a in (3, 5))
    assert sampled == pytest.approx(exact, abs=5 * np.sqrt((square - exact**2) / 1000))


@pytest.mark.parametrize("multivariate", [False, True])
def test_metrics_are_exact(distribution: Any, laws: GaussianMixtures, y: pd.DataFrame, multivariate: bool) -> None:
    x = y["y"].to_numpy()
    for metric, expected in {
        CRPS: laws.crps(x),
        SquaredDistrLoss: laws.l2_norm() - 2 * laws.pdf(x),
        LogLoss: -laws.logpdf(x),
    }.items():
        score = metric(multivariate=multivariate)
        # The CRPS is a difference here, E|Y - y| - E|Y - Y'| / 2, of terms of its own size.
        assert_allclose(score.evaluate_by_index(y, distribution).to_numpy()[:, 0], expected, rtol=1e-12)
        assert score(y, distribution) == pytest.approx(expected.mean(), rel=1e-12)
    assert_allclose(laws.l2_norm() - 2 * laws.pdf(x), 2 * laws.squared_loss(x), rtol=1e-12)


def test_metrics_match_rows_by_label(distribution: Any, laws: GaussianMixtures, y: pd.DataFrame) -> None:
    shuffled = y.loc[["f", "b", "a"]]
    assert_array_equal(distribution.pdf(shuffled)["y"], laws[[5, 1, 0]].pdf(shuffled["y"].to_numpy()))
    with pytest.raises(KeyError):
        CRPS()(y.set_axis(range(6)), distribution)


def test_rows_and_columns(distribution: Any, laws: GaussianMixtures) -> None:
    for subset, rows in [
        (distribution.iloc[1:3], [1, 2]),
        (distribution.iloc[[4, 0]], [4, 0]),
        (distribution.iloc[-1], [5]),
        (distribution.iloc[np.array([True, False] * 3)], [0, 2, 4]),
        (distribution.iloc[:, 0], range(6)),
        (distribution.loc["b":"d"], [1, 2, 3]),
        (distribution.loc[["e", "a"], "y"], [4, 0]),
        (distribution.loc["c", ["y"]], [2]),
        (distribution.loc[INDEX == "c"], [2]),
        (distribution.head(2), [0, 1]),
        (distribution.tail(2), [4, 5]),
    ]:
        assert isinstance(subset, SkproDistribution)
        assert list(subset.index) == [INDEX[row] for row in rows]
        assert list(subset.columns) == ["y"]
        assert subset.shape == (len(rows), 1)
        assert_array_equal(subset.mean()["y"], laws[list(rows)].mean())
    for one in (distribution.iloc[3, 0], distribution.iat[3, 0], distribution.loc["d", "y"], distribution.at["d", "y"]):
        assert one.shape == ()
        assert one.pdf(0.5) == laws[3].pdf(0.5)


def test_rows_that_are_not_there(distribution: Any) -> None:
    with pytest.raises(KeyError):
        distribution.loc[["a", "z"]]
    with pytest.raises(KeyError):
        distribution.at["z", "y"]
    with pytest.raises(IndexError):
        distribution.iloc[[6]]
    with pytest.raises(TypeError, match="scalar distribution has no rows"):
        distribution.iloc[0, 0].iloc[0]


def test_hierarchical_and_repeated_labels(laws: GaussianMixtures) -> None:
    index = pd.MultiIndex.from_product([["u", "v"], [0, 1, 2]], names=["group", "row"])
    grouped = to_skpro(laws, index, ["y"])
    assert_array_equal(grouped.loc[("v", 1)].mean().to_numpy().ravel(), laws[4:5].mean())
    assert_array_equal(grouped.loc["v"].mean()["y"], laws[3:].mean())
    assert grouped.sample(2).index.names == [None, "group", "row"]
    frame = pd.DataFrame({"y": np.zeros(6)}, index=index)
    assert_array_equal(grouped.pdf(frame)["y"], laws.pdf(0.0))
    repeated = to_skpro(laws, [0, 0, 1, 1, 2, 2])
    assert_array_equal(repeated.loc[[0]].mean()[0], laws[:2].mean())


def test_tables_of_laws(laws: GaussianMixtures) -> None:
    table = to_skpro(laws.reshape(3, 2), columns=["u", "v"])
    x = np.arange(6.0).reshape(3, 2)
    assert table.shape == (3, 2)
    assert_array_equal(table.cdf(x), laws.cdf(x.ravel()).reshape(3, 2))
    # The energy of a row is the sum over its columns.
    assert_allclose(table.energy(x)["energy"], laws.mean_distance(x.ravel()).reshape(3, 2).sum(axis=1), rtol=1e-14)
    assert_array_equal(table.iloc[[2, 0], 1].mean()["v"], laws[[5, 1]].mean())
    crps = CRPS(multioutput="raw_values").evaluate_by_index(pd.DataFrame(x, columns=["u", "v"]), table)
    assert_allclose(crps, laws.crps(x.ravel()).reshape(3, 2), rtol=1e-12)


def test_one_law(laws: GaussianMixtures) -> None:
    one = to_skpro(laws[0])
    assert (one.shape, len(one)) == ((), 1)
    assert one.energy() == laws[0].energy()
    assert one.pdfnorm() == laws[0].l2_norm()
    assert_array_equal(one.quantile([0.1, 0.5]).to_numpy(), [laws[0].ppf([0.1, 0.5])])
    assert one.sample(3).shape == (3, 1)
    assert to_skpro(laws[0], columns=["y"]).shape == (1, 1)


def test_draws(distribution: Any, laws: GaussianMixtures) -> None:
    np.random.seed(0)  # noqa: NPY002  (skpro draws from numpy's global generator)
    draws = distribution.sample(2000)
    np.random.seed(0)  # noqa: NPY002
    pd.testing.assert_frame_equal(distribution.sample(2000), draws)
    assert list(draws.columns) == ["y"]
    assert list(draws.index[:8]) == [*((0, label) for label in INDEX), (1, "a"), (1, "b")]
    by_law = draws["y"].groupby(level=1)
    # The seed is fixed; five standard errors of a mean of 2000.
    assert np.all(np.abs(by_law.mean() - laws.mean()) < 5 * laws.std() / np.sqrt(2000))
    below = by_law.apply(lambda values: np.mean(values < laws[INDEX.get_loc(values.name)].ppf(0.2)))
    assert np.all(np.abs(below - 0.2) < 5 * np.sqrt(0.2 * 0.8 / 2000))


def test_clone_and_parameters(distribution: Any, laws: GaussianMixtures) -> None:
    copied = distribution.clone()
    pd.testing.assert_frame_equal(copied.mean(), distribution.mean())
    assert distribution.get_params()["laws"] is laws


def test_what_is_refused(laws: GaussianMixtures) -> None:
    with pytest.raises(ValueError, match="index has 5 and columns 1 labels, but laws of shape"):
        to_skpro(laws, index=range(5))
    with pytest.raises(ValueError, match="index has 1 and columns 2 labels"):
        to_skpro(laws[0], columns=["u", "v"])
    with pytest.raises(ValueError, match=r"2 target\(s\), expected one"):
        to_skpro(GaussianMixtures([1.0], [[0.0, 1.0]], [[1.0, 1.0]], multivariate=True))
    with pytest.raises(ValueError, match="at most 2 axes"):
        to_skpro(laws.reshape(1, 2, 3))


# --- the regressor -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def frames() -> tuple[pd.DataFrame, pd.DataFrame]:
    x, y = make_data(60)
    index = pd.Index(np.random.default_rng(3).permutation(60))
    return pd.DataFrame(x, columns=["u", "v"], index=index), pd.DataFrame({"y": y}, index=index)


def test_predictions_are_those_of_the_estimator(frames: Any) -> None:
    X, y = frames
    estimator = LSCDE(**QUICK)
    regressor = SkproRegressor(estimator).fit(X, y)
    ours = condens.LSCDE(**QUICK).fit(X, y["y"])
    assert not hasattr(estimator, "n_features_in_")  # a clone was fitted
    laws = ours.predict_distribution(X)
    distribution = regressor.predict_proba(X)
    assert_array_equal(distribution.log_pdf(y)["y"], laws.logpdf(y["y"].to_numpy()))
    assert_array_equal(regressor.predict(X)["y"], ours.predict(X))
    assert_array_equal(regressor.predict_var(X)["y"], laws.var())
    assert_array_equal(regressor.predict_quantiles(X, [0.05, 0.5]), ours.predict_quantiles(X, [0.05, 0.5]))
    # Levels are (1 - 0.8) / 2 and so on in the one, 0.5 - 0.8 / 2 in the other: equal to rounding.
    assert_allclose(regressor.predict_interval(X, 0.8), ours.predict_interval(X, 0.8), rtol=1e-12)
    assert CRPS()(y, distribution) == pytest.approx(laws.crps(y["y"].to_numpy()).mean(), rel=1e-12)


def test_tuning_by_an_exact_score(frames: Any) -> None:
    X, y = frames
    grid = {"estimator__regularization": [0.1, 100.0]}
    search = GridSearchCV(SkproRegressor(LSCDE(**QUICK)), 3, grid, CRPS(), backend="None", error_score="raise").fit(
        X, y
    )
    assert search.best_params_ == {"estimator__regularization": 0.1}
    assert search.predict_proba(X).shape == (60, 1)


def test_columns_of_any_name_and_arrays(frames: Any) -> None:
    X, y = frames
    expected = SkproRegressor(LSCDE(**QUICK)).fit(X, y).predict(X).to_numpy().ravel()
    for inputs, targets in ((X.set_axis([0, "v"], axis=1), y), (X.to_numpy(), y.to_numpy().ravel()), (X, y["y"])):
        regressor = SkproRegressor(LSCDE(**QUICK)).fit(inputs, targets)
        assert_array_equal(np.ravel(regressor.predict(inputs)), expected)
    assert list(X.columns) == ["u", "v"]


def test_several_targets_are_refused(frames: Any) -> None:
    X, y = frames
    with pytest.raises(ValueError, match="y has 2 columns, expected 1"):
        SkproRegressor(LSCDE(**QUICK)).fit(X, pd.concat([y, y.rename(columns={"y": "z"})], axis=1))
