"""What a fit leaves behind: arrays of the stated shapes, scores of every fold, scales, importances."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import QUICK, SEARCH, make_data
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.feature_selection import RFE, SelectFromModel
from sklearn.inspection import permutation_importance
from test_sklearn import CLASSES, LIGHT

import condens
from condens import GMM, LSCDE, PRESS, RSDE, SACDE, GaussianProcess, MixtureDensityNetwork, NadarayaWatson

# Every dimension that an option sets is one.
ONE: dict[str, dict[str, Any]] = {
    "LSCDE": {**QUICK, "n_centers": 1},
    "SACDE": {"bandwidth": 0.5, "bandwidth_y": 0.4, "regularization": 0.05, "n_centers": 1},
    "PRESS": {"n_states": 1, "regularization": 1e-3},
    "MixtureDensityNetwork": {"n_members": 1, "n_components": 1, "units": 1},
    "GMM": {"n_components": 1},
    "GSKD": {"max_kernels": 1},
    "LSCE": {**LIGHT["LSCE"], "n_components": 1},
    "LSMI": {**LIGHT["LSMI"], "n_components": 1},
    "Sliced": {**LIGHT["Sliced"], "n_components": 1},
    "NadarayaWatson": {"n_centers": 1, "bandwidth": 0.5, "bandwidth_y": 0.3},
    "Pooled": {"models": ["gp"], "cv": 2},
}


def axes(shape: str) -> list[str]:
    return [name.strip() for name in shape.strip("()").split(",") if name.strip()]


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
@pytest.mark.filterwarnings("ignore::condens.FitWarning")
def test_arrays_have_the_axes_that_the_docstring_states_whatever_their_lengths(cls: Any) -> None:
    single = "takes_one_target" in cls._info["capabilities"]
    small, large = ({"d": 1}, {"d": 3, "d_y": 0 if single else 2})
    for options, data in (
        (ONE.get(cls.__name__, LIGHT.get(cls.__name__, {})), small),
        (LIGHT.get(cls.__name__, {}), large),
    ):
        x, y = make_data(60, **data)
        model = cls(**options).fit(x, y)
        known = {"n_features": x.shape[1], "n_inputs": x.shape[1], "n_targets": model._model.n_targets}
        known["n_columns"] = known["n_inputs"] + known["n_targets"]
        lengths: dict[str, int] = {}
        for result in cls._info["results"]:
            value = getattr(model, result["name"] + "_")
            names = axes(result["shape"])
            assert np.ndim(value) == len(names), f"{result['name']}_: {np.shape(value)}, {result['shape']}"
            for name, length in zip(names, np.shape(value), strict=True):
                if np.size(value):  # empty where there is nothing to say
                    assert known.get(name, length) == length, f"{result['name']}_: {np.shape(value)}, {result['shape']}"
                    assert lengths.setdefault(name, length) == length, result["name"]


def test_covariances_are_matrices() -> None:
    rows = np.random.default_rng(0).normal(size=(200, 2)) @ [[1.0, 0.0], [0.8, 0.5]]
    model = GMM(n_components=1, covariance="full", defensive_weight=0).fit(rows)
    assert model.kernel_covariances_.shape == (1, 2, 2)
    assert_allclose(model.kernel_covariances_[0], model.distribution_.cov(), rtol=1e-9)
    assert model.kernel_means_.shape == (1, 2)


def test_matrices_are_oriented_as_formulas_write_them() -> None:
    x, y = make_data(150, d=2)
    model = NadarayaWatson(metric="full", defensive_weight=0, starts=1).fit(x, y)
    # The law of the first row by hand: weights exp(-norm(W (x - x_i))^2 / 2) on the standardised scale.
    z = (x - model.x_mean_) / model.x_scale_
    assert_allclose([z.mean(), z.std(axis=0, ddof=1)[0]], [0, 1], atol=1e-12)
    log_weights = -0.5 * (((z - z[0]) @ model.metric_matrix_.T) ** 2).sum(axis=1)
    weights = np.exp(log_weights - np.logaddexp.reduce(log_weights))
    assert model.predict(x[:1])[0] == pytest.approx(weights @ y, rel=1e-9)


@pytest.mark.filterwarnings("ignore::condens.FitWarning")
def test_additive_weights_are_those_of_the_objective() -> None:
    x, y = make_data(80, d=2)
    centers = np.column_stack([x, y])[:9]
    options = {"bandwidth": 0.6, "bandwidth_y": 0.4, "regularization": 0.02, "standardize": False, "preset": "paper"}
    model = SACDE(**options, centers=centers, tolerance=1e-10, solver="exact").fit(x, y)
    assert model.kernel_weights_.shape == (2, 9)
    found = condens.objectives.sacde(model.kernel_weights_, x, y, centers, 0.6, 0.02, bandwidth_y=0.4)
    assert found.gap <= 1e-8 * abs(found.value)


# --- scikit-learn's selectors ------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::condens.FitWarning")
def test_weights_of_kernels_are_no_coefficients_of_inputs() -> None:
    x, y = make_data(d=3)
    for model in (LSCDE(**QUICK), condens.KernelQuantileRegression(**LIGHT["KernelQuantileRegression"])):
        assert not hasattr(model, "coef_")
        model.fit(x, y)
        with pytest.raises(
            AttributeError,
            match=r"has no attribute 'coef_': .* numbers of the inputs; the weights of kernels are kernel_weights_",
        ):
            _ = model.coef_
        with pytest.raises(ValueError, match=r"should have `coef_` or `feature_importances_`"):
            SelectFromModel(model).fit(x, y).get_support()
        with pytest.raises(ValueError, match=r"should have `coef_` or `feature_importances_`"):
            RFE(clone(model)).fit(x, y)


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
@pytest.mark.filterwarnings("ignore::condens.FitWarning")
def test_coefficients_and_importances_are_of_inputs_or_absent(cls: Any) -> None:
    x, y = make_data(60, d=3)
    model = cls(**LIGHT.get(cls.__name__, {})).fit(x, y)
    for name in ("coef_", "feature_importances_"):
        if hasattr(model, name):
            assert getattr(model, name).shape[-1] == 3


@pytest.mark.filterwarnings("ignore::condens.FitWarning")
@pytest.mark.parametrize("model", [GaussianProcess(), PRESS(n_states=2, regularization=1e-3), SACDE(**LIGHT["SACDE"])])
def test_selectors_of_scikit_learn_find_the_input_that_matters(model: Any) -> None:
    random = np.random.default_rng(4)
    x = random.normal(size=(120, 3))
    y = 3 * (x[:, 1] > 0) + 0.3 * random.normal(size=120)
    assert_array_equal(RFE(model, n_features_to_select=1).fit(x, y).support_, [False, True, False])
    assert_array_equal(SelectFromModel(model, max_features=1, threshold=-np.inf).fit(x, y).get_support(), [0, 1, 0])


def test_permutation_importance_finds_it_for_any_estimator() -> None:
    random = np.random.default_rng(4)
    x = random.normal(size=(100, 3))
    y = x[:, 1] + 0.1 * random.normal(size=100)
    scoring = condens.metrics.log_likelihood_scorer
    found = permutation_importance(LSCDE(**QUICK).fit(x, y), x, y, scoring=scoring, n_repeats=2, random_state=0)
    assert np.argmax(found.importances_mean) == 1


# --- scores of the folds ------------------------------------------------------------------------------------------


CHOICES = [
    (LSCDE(**SEARCH, cv=3), True),
    (SACDE(**{**LIGHT["SACDE"], "cv": 3}), True),
    (MixtureDensityNetwork(units=[1, 2], n_members=1, max_iterations=20, cv=3), True),
    (condens.EpsilonKDE(radius=[0.5, 1.0], bandwidth_y=[0.2, 0.4], cv=3), True),
    (condens.Sliced(n_components=[1, 2], options=QUICK, cv=3), True),
    (PRESS(n_states=[1, 2], regularization=1e-3, n_starts=1, cv=3), False),
    (condens.KernelQuantileRegression(**LIGHT["KernelQuantileRegression"], cv=3), False),
]


@pytest.mark.parametrize(("model", "mean_of_means"), CHOICES, ids=lambda value: type(value).__name__)
@pytest.mark.filterwarnings("ignore::condens.FitWarning")
def test_every_fold_has_its_score(model: Any, mean_of_means: bool) -> None:
    x, y = make_data(60)
    results = clone(model).fit(x, y).cv_results_
    splits = np.stack([results[f"split{k}_test_score"] for k in range(3)])
    assert "split3_test_score" not in results
    finite = np.isfinite(splits).all(axis=0)
    assert finite.any()
    # PRESS and KQR take the mean over all rows; with equal folds that is the same.
    assert_allclose(splits.mean(axis=0)[finite], results["mean_test_score"][finite], rtol=1e-9)
    assert_allclose(splits.std(axis=0)[finite], results["std_test_score"][finite], rtol=1e-9)
    if mean_of_means:
        errors = splits.std(axis=0, ddof=1) / np.sqrt(3)
        assert_allclose(errors[finite], results["standard_error_test_score"][finite], rtol=1e-6, atol=1e-12)


@pytest.mark.filterwarnings("ignore::condens.FitWarning")
def test_folds_of_a_width_are_held_out_likelihoods() -> None:
    rows = np.random.default_rng(1).normal(size=(60, 1))
    fold = np.arange(60) % 3
    model = RSDE(bandwidth=[0.3, 0.6], cv=fold, refine=False, defensive_weight=0, standardize=False).fit(rows)
    for width, column in zip([0.3, 0.6], range(2), strict=True):
        for k in range(3):
            alone = RSDE(bandwidth=width, defensive_weight=0, standardize=False).fit(rows[fold != k])
            expected = alone.score(rows[fold == k])
            assert model.cv_results_[f"split{k}_test_score"][column] == pytest.approx(expected, rel=1e-6)


@pytest.mark.filterwarnings("ignore::condens.FitWarning")
def test_one_row_out_in_turn_leaves_no_scores_of_folds() -> None:
    x, y = make_data(40, d=1)
    results = LSCDE(**{**SEARCH, "bandwidth": [0.3, 0.6]}, cv=40, refine=False).fit(x, y).cv_results_
    assert "mean_test_score" in results
    assert "split0_test_score" not in results


# --- scales -------------------------------------------------------------------------------------------------------


def test_scales_are_those_of_the_standardisation() -> None:
    x, y = make_data(d=2, d_y=2)
    x = np.column_stack([100 + 5 * x, np.full(80, 3.0)])
    with pytest.warns(condens.FitWarning, match="constant"):
        model = LSCDE(**QUICK).fit(x, y)
    assert_allclose(model.x_mean_, x.mean(axis=0))
    assert_allclose(model.x_scale_, x.std(axis=0, ddof=1) * [1, 1, 0], atol=1e-12)
    assert_allclose(model.y_mean_, y.mean(axis=0))
    assert_allclose(model.y_scale_, y.std(axis=0, ddof=1))
    plain = LSCDE(**QUICK, standardize=False).fit(x[:, :2], y)
    assert_array_equal(plain.x_scale_, [1, 1])
    assert_array_equal(plain.y_mean_, [0, 0])


def test_learned_widths_are_beside_the_scale() -> None:
    x, y = make_data(120, d=2)
    model = LSCDE(metric="nw", bandwidth=0.5, bandwidth_y=0.3, regularization=0.1).fit(x, y)
    assert not np.allclose(model.input_widths_, 1)
    assert_allclose(model.x_scale_, x.std(axis=0, ddof=1))


@pytest.mark.filterwarnings("ignore::condens.FitWarning")
def test_a_selection_has_the_scales_of_what_it_selects() -> None:
    random = np.random.default_rng(4)
    x = random.normal(size=(120, 3)) * [1, 10, 100]
    y = x[:, 1] + random.normal(size=120)
    model = condens.SALSCDE(**LIGHT["SALSCDE"]).fit(x, y)
    scales = x.std(axis=0, ddof=1)
    assert model.support_[1]
    assert_allclose(model.x_scale_, np.where(model.support_, scales, 0))
