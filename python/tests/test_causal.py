"""Stabilized weights: the ratio by hand, balance, what is refused."""

from __future__ import annotations

import doctest
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.model_selection import GroupKFold, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import condens
from condens import GMM, causal
from condens.causal import stabilized_weights

ONE = GMM(n_components=1)


@pytest.fixture(scope="module")
def trial() -> Any:
    random = np.random.default_rng(3)
    X = random.normal(size=(200, 2))
    return X, X @ [0.5, 0.0] + random.normal(size=200)


def test_weights_are_the_ratio_of_densities(trial: Any) -> None:
    X, dose = trial
    found = stabilized_weights(ONE, X, dose, cv=KFold(4))
    ratio = np.empty(200)
    for train, test in KFold(4).split(X):
        laws = GMM(n_components=1).fit(X[train], dose[train]).predict_distribution(X[test])
        scores = np.array([law.pdf(dose[test]) for law in laws])  # of everybody's dose, for everybody's covariates
        ratio[test] = scores.mean(axis=0) / np.diag(scores)
        assert_allclose(found.log_score[test], np.log(np.diag(scores)), rtol=1e-12)
        assert_allclose(found.log_marginal[test], np.log(scores.mean(axis=0)), rtol=1e-10)
    assert_allclose(found.weights, ratio / ratio.mean(), rtol=1e-10)
    assert found.effective_rows == pytest.approx(ratio.sum() ** 2 / (ratio**2).sum())
    assert 50 < found.effective_rows < 200


def test_the_marginal_is_a_mean_of_some_rows_where_there_are_many(trial: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    X, dose = trial
    every = stabilized_weights(ONE, X, dose).log_marginal
    monkeypatch.setattr(causal, "_MOST_ROWS", 20)  # of the 40 of a fold: every second
    some = stabilized_weights(ONE, X, dose).log_marginal
    laws = condens.cross_val_predict_distribution(ONE, X, dose)
    assert_allclose(np.exp(some[:40]), laws[0:40:2, None].pdf(dose[:40]).mean(axis=0), rtol=1e-10)
    # The standard error of a mean of 20, whose densities differ by a factor of two or so.
    assert np.abs(some - every).mean() < 0.3


def test_balance(trial: Any) -> None:
    X, dose = trial
    found = stabilized_weights(ONE, X, dose)
    table = found.balance(np.column_stack([X, np.ones(200)]), dose)
    assert_allclose(table[:2, 0], [np.corrcoef(x, dose)[0, 1] for x in X.T], rtol=1e-12)
    assert abs(table[0, 1]) < 0.1 < table[0, 0]
    assert_allclose(table[2], 0, atol=1e-15)  # a constant goes with nothing
    with pytest.raises(ValueError, match=r"X and t have shapes \(3, 2\) and \(200,\), expected a row for each of"):
        found.balance(X[:3], dose)


def test_covariates_of_the_outcome_model(trial: Any) -> None:
    X, dose = trial
    assert_allclose(stabilized_weights(ONE, X, dose, given=X).weights, 1, rtol=1e-12)
    part = stabilized_weights(ONE, X, dose, given=X[:, :1])
    numerator = condens.cross_val_predict_distribution(ONE, X[:, :1], dose).logpdf(dose)
    assert_array_equal(part.log_marginal, numerator)
    assert part.effective_rows > stabilized_weights(ONE, X, dose).effective_rows


def test_pipelines_frames_and_groups(trial: Any) -> None:
    pd = pytest.importorskip("pandas")
    X, dose = trial
    groups, frame = np.arange(200) % 8, pd.DataFrame(X, columns=["age", "severity"])
    found = stabilized_weights(make_pipeline(StandardScaler(), ONE), frame, dose, groups=groups, cv=GroupKFold(4))
    plain = stabilized_weights(ONE, X, dose, groups=groups, cv=GroupKFold(4))
    # The fit standardises its inputs itself; scaled before they round differently.
    assert_allclose(found.weights, plain.weights, rtol=1e-6)


def test_trimming(trial: Any) -> None:
    X, dose = trial
    plain, trimmed = (stabilized_weights(ONE, X, dose, trim=trim).weights for trim in (0.0, 0.05))
    ends = np.quantile(plain, [0.05, 0.95])
    expected = np.clip(plain, *ends)
    assert_allclose(trimmed, expected / expected.mean(), rtol=1e-12)


def test_what_is_refused(trial: Any) -> None:
    X, dose = trial
    with pytest.raises(ValueError, match=r"trim = 0.5, expected a number in \[0, 0.5\)"):
        stabilized_weights(ONE, X, dose, trim=0.5)
    with pytest.raises(ValueError, match=r"t has shape \(200, 2\), expected one treatment for every row"):
        stabilized_weights(ONE, X, X)
    line = X[:, :1], X[:, 0] + 0.001 * dose
    line[1][7] += 2.0  # two thousand standard deviations off, and where others have their doses
    with pytest.raises(ValueError, match=r"t = .* in row 8, counting from 1, has density zero given its covariates"):
        stabilized_weights(GMM(n_components=1, defensive_weight=0.0), *line)


def test_examples() -> None:
    result = doctest.testmod(causal)
    assert result.attempted > 0
    assert result.failed == 0
