"""Intervals with a guarantee beyond those of rows left out: folds, groups."""

import json
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from condens import GMM, GaussianProcess, estimators
from condens.estimators import load

pandas = pytest.importorskip("pandas")


def draw(rows=200, seed=0):
    """Two inputs, the second a group whose spread is that of y."""
    random = np.random.default_rng(seed)
    x = np.column_stack([random.normal(size=rows), random.integers(0, 2, rows)])
    return x, x[:, 0] + np.where(x[:, 1] > 0, 2.0, 0.2) * random.normal(size=rows)


def test_cross_conformal_intervals_are_those_of_the_definition():
    x, y = draw(60)
    fresh, _ = draw(5, seed=1)
    model = GMM(n_components=1, conformal={"method": "cv+", "folds": 4}).fit(x, y)
    found = model.predict_interval(fresh, 0.8)
    # The folds by which the core has cut the rows, told from its file; each model is fitted again here.
    folds = np.ravel(json.loads(model._model.to_bytes(json=True))["body"]["conformal"]["folds"]["values"])
    lower, upper = np.empty((60, 5)), np.empty((60, 5))
    for fold in range(4):
        out = folds == fold
        own = GMM(n_components=1).fit(x[~out], y[~out])
        score = np.abs(1 - 2 * own.predict_distribution(x[out]).cdf(y[out])) + 1e-9
        laws = own.predict_distribution(fresh)
        lower[out] = laws[None, :].ppf(((1 - score) / 2)[:, None])
        upper[out] = laws[None, :].isf(((1 - score) / 2)[:, None])
    m = int(np.floor(0.2 * 61))
    assert_allclose(found[:, 0], np.sort(lower, axis=0)[m - 1], rtol=1e-7)
    assert_allclose(found[:, 1], np.sort(upper, axis=0)[-m], rtol=1e-7)
    for region, (low, high) in zip(model.predict_region(fresh, 0.8), found, strict=True):
        assert_allclose([region[0, 0], region[-1, 1]], [low, high], rtol=0.2)


def test_cross_conformal_models_are_saved(tmp_path):
    x, y = draw()
    for settings in ({"method": "cv+", "folds": 3}, {"groups": "x2"}, {"method": "cv+", "folds": 3, "groups": "x2"}):
        model = GaussianProcess(conformal=settings).fit(x, y)
        model.save(tmp_path / "m.cbor")
        loaded = load(tmp_path / "m.cbor")
        assert loaded.conformal == settings
        assert_array_equal(loaded.predict_interval(x), model.predict_interval(x))
        assert_array_equal(pickle.loads(pickle.dumps(model)).predict_interval(x), model.predict_interval(x))
    each = GaussianProcess(conformal={"method": "jackknife+"}).fit(x[:30], 3 * x[:30, 0] + 0.1 * y[:30])
    each.save(tmp_path / "m.cbor")
    assert estimators.load(tmp_path / "m.cbor").conformal == {"method": "jackknife+"}


def test_the_promise_is_kept_within_groups():
    x, y = draw(2000)
    fresh, truth = draw(2000, seed=1)
    model = GaussianProcess(conformal={"share": 0.5, "groups": 1}).fit(x, y)
    frame = pandas.DataFrame({"x": x[:, 0], "city": np.where(x[:, 1] > 0, "Oslo", "Bern")})
    named = GaussianProcess(conformal={"share": 0.5, "groups": "city"}).fit(frame, y)
    new = pandas.DataFrame({"x": fresh[:, 0], "city": np.where(fresh[:, 1] > 0, "Oslo", "Bern")})
    for ends in (model.predict_interval(fresh, 0.9), named.predict_interval(new, 0.9)):
        inside = (truth >= ends[:, 0]) & (truth <= ends[:, 1])
        for group in (0, 1):
            assert 0.86 < inside[fresh[:, 1] == group].mean() < 0.94


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"method": "cv"}, ValueError, "conformal: method = 'cv', expected 'split', 'cv\\+' or 'jackknife\\+'"),
        ({"folds": 3}, ValueError, "conformal: folds = 3 with method = 'split', expected method = 'cv\\+'"),
        ({"method": "cv+", "folds": 2.5}, TypeError, "conformal: folds = 2.5, expected a whole number >= 2"),
        ({"method": "cv+", "folds": 1}, ValueError, "conformal: folds = 1 of 60 rows, expected at least 2"),
        ({"method": "cv+", "share": 0.2}, ValueError, "conformal: share = 0.2 with method = 'cv\\+', which leaves no"),
        ({"groups": 2}, ValueError, "conformal: groups = 2, expected a column of X, 0 to 1"),
        ({"groups": 2.5}, TypeError, "conformal: groups = 2.5, expected the name of a column of X, or its place"),
        ({"groups": "x3"}, ValueError, "conformal: groups = 'x3', expected one of the inputs x1, x2"),
        ({"groups": 0}, ValueError, "conformal: groups = 'x1': it has more than 20 different values"),
        ({"fold": 3}, TypeError, "expected False, True, or a dict with 'share', 'method', 'folds', 'groups'"),
    ],
)
def test_bad_settings_are_refused(settings, error, words):
    x, y = draw(60)
    with pytest.raises(error, match=words):
        GaussianProcess(conformal=settings).fit(x, y)
