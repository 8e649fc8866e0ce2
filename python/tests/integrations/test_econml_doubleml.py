"""Estimators as nuisance functions: effects of a dose that is confounded, by EconML and DoubleML."""

from __future__ import annotations

from typing import Any

import doubleml
import numpy as np
import pytest
from econml.dml import CausalForestDML, LinearDML
from numpy.testing import assert_allclose

from condens import GMM, LSCDE
from condens.causal import stabilized_weights

pytestmark = pytest.mark.filterwarnings("default")  # what other packages say of each other is theirs
MEAN = LSCDE(bandwidth=0.5, bandwidth_y=0.3, regularization=0.1, n_centers=60)


@pytest.fixture(scope="module")
def trial() -> Any:
    """Covariates, dose, outcome: one unit of the dose adds one, and rows as they are say that it takes away."""
    random = np.random.default_rng(1)
    X = random.normal(size=(800, 2))
    dose = X @ [0.5, 0.4] + np.where(random.random(800) < 0.3, 1.5, 0.0) + 0.6 * random.normal(size=800)
    outcome = dose - X @ [2.5, 1.5] + random.normal(size=800)
    assert np.polyfit(dose, outcome, 1)[0] < 0
    return X, dose, outcome


def test_effects_by_econml(trial: Any) -> None:
    X, dose, outcome = trial
    linear = LinearDML(model_y=MEAN, model_t=MEAN, cv=3, random_state=0).fit(outcome, dose, W=X)
    low, high = linear.effect_interval(alpha=0.01)
    assert low[0] < 1 < high[0]
    forest = CausalForestDML(model_y=MEAN, model_t=MEAN, cv=3, n_estimators=40, random_state=0).fit(outcome, dose, X=X)
    # The effect is the same for all; 0.15 is three times the standard error that the linear fit states.
    assert forest.ate(X) == pytest.approx(1, abs=0.15)


def test_effects_by_doubleml(trial: Any) -> None:
    X, dose, outcome = trial
    np.random.seed(0)  # noqa: NPY002  (DoubleML draws its folds from numpy's global generator)
    data = doubleml.DoubleMLData.from_arrays(X, outcome, dose)
    plr = doubleml.DoubleMLPLR(data, ml_l=MEAN, ml_m=MEAN, n_folds=3).fit()
    low, high = plr.confint(level=0.99).to_numpy()[0]
    assert low < 1 < high


def test_weights_for_a_model_of_the_outcome(trial: Any) -> None:
    X, dose, outcome = trial
    found = stabilized_weights(GMM(n_components=3), X, dose)
    slope = np.polyfit(dose, outcome, 1, w=np.sqrt(found.weights))[0]
    assert slope == pytest.approx(1, abs=0.3)
    # EconML hands row weights on to the nuisance functions and to the last stage.
    weighted = LinearDML(model_y=MEAN, model_t=MEAN, cv=3, random_state=0).fit(
        outcome, dose, W=X, sample_weight=found.weights
    )
    plain = LinearDML(model_y=MEAN, model_t=MEAN, cv=3, random_state=0).fit(outcome, dose, W=X)
    assert weighted.effect()[0] == pytest.approx(1, abs=0.3)
    assert abs(weighted.effect()[0] - plain.effect()[0]) > 1e-4
    assert_allclose(found.weights.mean(), 1, rtol=1e-12)
