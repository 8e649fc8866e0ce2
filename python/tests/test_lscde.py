"""LSCDE against the paper's equations 4 to 8, written as plain numpy: with centres, widths and regulariser given,
`standardize=False` and `preset="paper"` nothing is added to them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import make_data
from numpy.testing import assert_allclose
from scipy.special import logsumexp

import condens
from condens import LSCDE

# The core sums the same terms in another order; H + lambda I has a condition below 1e4 here, so that some
# 1e4 * 1e-16 of relative error in alpha, and a little more in differences, is rounding.
CLOSE: dict[str, float] = {"rtol": 1e-9, "atol": 1e-11}


class Plain:
    """Equations 4 to 8 of Sugiyama et al. (2010): centres u, v; `weights` count copies of a row."""

    def __init__(
        self,
        x: np.ndarray,
        y: np.ndarray,
        centers: np.ndarray,
        s_x: float,
        s_y: float,
        regularization: float,
        weights: np.ndarray | None = None,
        unlabeled: np.ndarray | None = None,
    ) -> None:
        y = y.reshape(len(y), -1)
        self.u, self.v, self.s_x, self.s_y = centers[:, : x.shape[1]], centers[:, x.shape[1] :], s_x, s_y
        w = np.ones(len(x)) if weights is None else weights
        phi, psi = self.kernel(x, self.u, s_x), self.kernel(y, self.v, s_y)
        overlap = (np.sqrt(np.pi) * s_y) ** y.shape[1] * self.kernel(self.v, self.v, np.sqrt(2) * s_y)
        inputs, rows = phi.T * w @ phi, w.sum()
        if unlabeled is not None:  # section 2.7: in H only
            more = self.kernel(unlabeled, self.u, s_x)
            inputs, rows = inputs + more.T @ more, rows + len(unlabeled)
        big_h = overlap * inputs / rows
        small_h = (w[:, None] * phi * psi).sum(0) / w.sum()
        self.alpha = np.maximum(0, np.linalg.solve(big_h + regularization * np.eye(len(centers)), small_h))

    @staticmethod
    def kernel(a: np.ndarray, b: np.ndarray, width: float) -> np.ndarray:
        return np.exp(-((a[:, None] - b[None]) ** 2).sum(-1) / (2 * width**2))

    def log_density(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        y = y.reshape(len(y), -1)
        log_phi = -((x[:, None] - self.u[None]) ** 2).sum(-1) / (2 * self.s_x**2)
        log_psi = -((y[:, None] - self.v[None]) ** 2).sum(-1) / (2 * self.s_y**2)
        above = logsumexp(log_phi + log_psi, axis=1, b=self.alpha)
        below = logsumexp(log_phi, axis=1, b=self.alpha)
        return above - below - y.shape[1] * np.log(np.sqrt(2 * np.pi) * self.s_y)

    def mean(self, x: np.ndarray) -> np.ndarray:
        weights = self.alpha * self.kernel(x, self.u, self.s_x)
        return weights @ self.v / weights.sum(1, keepdims=True)


PAPER: dict[str, Any] = {
    "preset": "paper",
    "standardize": False,
    "bandwidth": 0.7,
    "bandwidth_y": 0.4,
    "regularization": 0.05,
}


@pytest.mark.filterwarnings("ignore:.*hardly depends")  # numbers given, not chosen
@pytest.mark.parametrize(("d", "d_y"), [(1, 1), (3, 1), (2, 2)])
def test_given_numbers_are_the_closed_formula(d: int, d_y: int) -> None:
    x, y = make_data(90, d, d_y)
    x, y = 3 * x + 5, 2 * y - 7  # far from mean 0 and standard deviation 1: nothing may be standardised
    centers = np.column_stack([x, y])[::3] + 0.01
    model = LSCDE(**PAPER, centers=centers).fit(x, y)
    plain = Plain(x, y, centers, 0.7, 0.4, 0.05)
    assert_allclose(model.kernel_weights_, plain.alpha, **CLOSE)
    assert_allclose(model.centers_x_, plain.u, rtol=0, atol=0)
    assert_allclose(model.centers_y_, plain.v, rtol=0, atol=0)
    assert (model.bandwidth_, model.bandwidth_y_, model.regularization_) == (0.7, 0.4, 0.05)
    new_x, new_y = (values + 0.05 for values in (x[:40], y[:40]))
    assert_allclose(model.log_density(new_x, new_y), plain.log_density(new_x, new_y), **CLOSE)
    laws = model.predict_distribution(new_x)
    assert_allclose(laws.logpdf(new_y if d_y > 1 else new_y[:, 0]), plain.log_density(new_x, new_y), **CLOSE)
    assert_allclose(model.predict(new_x), plain.mean(new_x), **CLOSE)


def test_weights_and_inputs_without_targets_in_the_formula() -> None:
    x, y = make_data(60)
    weights = np.random.default_rng(3).uniform(0, 3, 60)
    more = make_data(20, seed=4)[0]
    centers = np.column_stack([x, y])[:25]
    model = LSCDE(**PAPER, centers=centers)
    assert_allclose(
        model.fit(x, y, sample_weight=weights).kernel_weights_,
        Plain(x, y, centers, 0.7, 0.4, 0.05, weights).alpha,
        **CLOSE,
    )
    expected = Plain(x, y, centers, 0.7, 0.4, 0.05, weights, more)
    assert_allclose(model.fit(x, y, sample_weight=weights, X_unlabeled=more).kernel_weights_, expected.alpha, **CLOSE)


def test_one_width_serves_both_in_the_paper() -> None:
    x, y = make_data(60)
    centers = np.column_stack([x, y])[:25]
    model = LSCDE(preset="paper", standardize=False, bandwidth=0.5, regularization=0.1, centers=centers).fit(x, y)
    assert model.bandwidth_y_ == 0.5
    assert_allclose(model.kernel_weights_, Plain(x, y, centers, 0.5, 0.5, 0.1).alpha, **CLOSE)


def test_standardised_fit_is_the_formula_on_standardised_data() -> None:
    x, y = make_data(60)
    x, y = x * [100.0, 0.01] + 3, 50 * y - 1000
    scale = lambda values: (values - values.mean(0)) / values.std(0, ddof=1)  # noqa: E731 (one formula, used twice)
    centers = np.column_stack([x, y])[:30]
    inner = np.column_stack([scale(x), scale(y)])[:30]
    model = LSCDE(**{**PAPER, "standardize": True}, centers=centers).fit(x, y)
    plain = Plain(scale(x), scale(y), inner, 0.7, 0.4, 0.05)
    assert_allclose(model.kernel_weights_, plain.alpha, **CLOSE)
    assert_allclose(model.centers_x_, x[:30], rtol=1e-12)
    assert_allclose(model.centers_y_, y[:30, None], rtol=1e-12)
    # Densities are on the scale of y.
    assert_allclose(model.log_density(x, y), plain.log_density(scale(x), scale(y)) - np.log(y.std(ddof=1)), **CLOSE)
    assert_allclose(model.predict(x), y.mean() + y.std(ddof=1) * plain.mean(scale(x))[:, 0], **CLOSE)


def test_recommended_adds_a_broad_gaussian_of_its_share() -> None:
    x, y = make_data(60)
    centers = np.column_stack([x, y])[:30]
    options = {**PAPER, "preset": "recommended", "defensive_weight": 0.2, "centers": centers}
    model = LSCDE(**options).fit(x, y)
    own = Plain(x, y, centers, 0.7, 0.4, 0.05).log_density(x, y)
    z = (y - y.mean()) / (2 * y.std(ddof=1))
    broad = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi) / (2 * y.std(ddof=1))
    assert_allclose(model.log_density(x, y), np.log(0.8 * np.exp(own) + 0.2 * broad), **CLOSE)


def test_cross_validation_scores_are_the_plain_ones() -> None:
    """The mean over folds of the folds' mean scores, the centres the same in every fold (preset paper)."""
    x, y = make_data(60)
    folds = np.arange(60) % 3
    centers = np.column_stack([x, y])[:30]
    widths, regularizers = [0.3, 0.6], [0.01, 0.1, 1.0]
    options: dict[str, Any] = {"preset": "paper", "standardize": False, "centers": centers, "cv": folds}
    with pytest.warns(UserWarning, match="candidate"):  # two widths: one of them is the smallest
        model = LSCDE(**options, bandwidth=widths, regularization=regularizers).fit(x, y)
    results = model.cv_results_
    for width, regularization, score in zip(
        results["param_bandwidth"], results["param_regularization"], results["mean_test_score"], strict=True
    ):
        held_out = [
            Plain(x[folds != k], y[folds != k], centers, width, width, regularization)
            .log_density(x[folds == k], y[folds == k])
            .mean()
            for k in range(3)
        ]
        assert_allclose(score, np.mean(held_out), rtol=1e-9)
    best = int(np.argmax(results["mean_test_score"]))
    assert model.bandwidth_ == results["param_bandwidth"][best]
    assert len(results["mean_test_score"]) == len(widths) * len(regularizers)


def test_laws_far_away_are_those_of_the_nearest_centres() -> None:
    x, y = make_data(60, d=1)
    model = LSCDE(bandwidth=0.1, bandwidth_y=0.3, regularization=0.1).fit(x, y)
    for far in (1e3, 1e8, 1e150):
        laws = model.predict_distribution([[far], [-far]])
        assert np.isfinite(laws.mean()).all()
        assert np.isfinite(laws.logpdf([0.0, 0.0])).all()
        assert_allclose(laws.weights.sum(-1), 1)


def test_shift_and_scale_of_columns_carry_over() -> None:
    x, y = make_data(60)
    options: dict[str, Any] = {"bandwidth": [0.2, 0.5], "bandwidth_y": 0.3, "regularization": 0.1, "refine": False}
    one, other = LSCDE(**options), LSCDE(**options)
    with pytest.warns(UserWarning, match="candidate"):  # two widths: one of them is the smallest
        one.fit(x, y)
    with pytest.warns(UserWarning, match="candidate"):
        other.fit(x * [4.0, -0.5] + [1.0, 100.0], 8 * y - 3)
    # Factors are powers of two, but shifts and the order within k-means round.
    assert_allclose(
        other.predict_quantiles(x * [4.0, -0.5] + [1.0, 100.0]), 8 * one.predict_quantiles(x) - 3, rtol=1e-8
    )


def test_a_single_candidate_is_scored_where_folds_are_given() -> None:
    x, y = make_data(60)
    only = {"bandwidth": 0.5, "bandwidth_y": 0.3, "regularization": 0.1}
    assert LSCDE(**only).fit(x, y).cv_results_ == {}
    results = LSCDE(**only, cv=4).fit(x, y).cv_results_
    assert [results[f"param_{name}"].tolist() for name in only] == [[value] for value in only.values()]
    assert results["rank_test_score"].tolist() == [1]
    assert np.isfinite(results["mean_test_score"]).all()
    assert (results["standard_error_test_score"] > 0).all()


def test_what_the_inputs_are_worth_is_told() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(400, 1))
    only = {"bandwidth": 0.5, "bandwidth_y": 0.3, "regularization": 0.1, "n_centers": 50}
    gain = LSCDE(**only).fit(x, 2 * x[:, 0] + rng.normal(size=400)).report_["details"]["gain_of_inputs"]
    assert gain["held_out"]["mean"] == pytest.approx(np.log(5) / 2, abs=0.25)
    assert gain["held_out"]["n_rows"] == gain["held_out"]["n_rows_fitted"] == 200
    with pytest.warns(condens.FitWarning, match="inputs"):
        LSCDE(**{**only, "bandwidth": 1e6}).fit(x, 2 * x[:, 0] + rng.normal(size=400))
