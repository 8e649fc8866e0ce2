"""Pools: members as names and as estimators, and what the registry's options make of them."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

import condens
from condens import LSCDE, AutoCDE, NadarayaWatson, Pooled
from condens._parameters import chosen_options


@pytest.fixture
def data() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 2))
    return x, x[:, 0] + 0.3 * rng.normal(size=60)


def test_members_are_names_or_estimators(data):
    x, y = data
    small = LSCDE(n_centers=20, bandwidth=0.5, bandwidth_y=0.5, regularization=0.1)
    pool = Pooled(models=[small, "nw"], cv=2).fit(x, y)
    assert pool.members_.tolist() == ["lscde", "nw", "broad"]
    assert np.isclose(pool.weights_.sum(), 1.0)
    same = Pooled(
        models=["lscde", "nw"],
        options={"lscde": {"n_centers": 20, "bandwidth": 0.5, "bandwidth_y": 0.5, "regularization": 0.1}},
        cv=2,
    ).fit(x, y)
    np.testing.assert_array_equal(pool.log_density(x, y), same.log_density(x, y))
    np.testing.assert_array_equal(clone(pool).fit(x, y).log_density(x, y), same.log_density(x, y))


def test_an_estimator_keeps_its_preset(data):
    x, y = data
    rows, targets = x, y.reshape(-1, 1)
    pool = Pooled(models=[NadarayaWatson(preset="paper"), "gp"])
    options = chosen_options(pool._info, pool, rows, targets)["options"]
    assert options["nw"]["n_centers"] == 100
    assert "seed" not in options["nw"]
    alike = Pooled(models=[NadarayaWatson(preset="paper"), "gp"], model_preset="paper")
    assert chosen_options(alike._info, alike, rows, targets)["options"] == {}


def test_wrong_members_are_named(data):
    x, y = data
    with pytest.raises(ValueError, match="two of type LSCDE"):
        Pooled(models=[LSCDE(), LSCDE(n_centers=3)]).fit(x, y)
    with pytest.raises(TypeError, match="models = 3, expected a list"):
        Pooled(models=3).fit(x, y)
    with pytest.raises(ValueError, match="expected one of"):
        Pooled(models=["nosuch"]).fit(x, y)
    with pytest.raises(TypeError, match="nw = 3, expected a dict"):
        Pooled(models=["nw"], options={"nw": 3}).fit(x, y)


def test_auto_survives_a_file(data, tmp_path):
    x, y = data
    with pytest.warns(condens.FitWarning, match="budget"):
        auto = AutoCDE(budget=0.1, cv=2).fit(x, y)
    auto.save(tmp_path / "auto.json")
    again = condens.load(tmp_path / "auto.json")
    assert isinstance(again, AutoCDE)
    assert again.budget == 0.1
    np.testing.assert_array_equal(again.log_density(x, y), auto.log_density(x, y))
