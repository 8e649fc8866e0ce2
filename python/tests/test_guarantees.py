"""Intervals with a guarantee beyond those of rows left out: folds, groups."""

import json
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from condens import GMM, LSCDE, GaussianProcess, Pooled, estimators
from condens.estimators import load
from condens.metrics import coverage_slices

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


def test_calibrated_distributions_have_uniform_pit_values(tmp_path):
    random = np.random.default_rng(0)
    x = random.normal(size=(3000, 1))
    y = np.exp(0.8 * x[:, 0] + 0.6 * random.normal(size=3000))
    model = GaussianProcess(calibrate={"share": 0.4}).fit(x[:1500], y[:1500])
    plain = GaussianProcess().fit(x[:1500], y[:1500])
    levels = np.linspace(0.05, 0.95, 19)

    def distance(estimator):
        pit = estimator.predict_distribution(x[1500:]).cdf(y[1500:])
        return np.abs((pit[:, None] <= levels).mean(axis=0) - levels).max()

    assert distance(plain) > 0.1
    assert distance(model) < 0.06
    assert model.log_density(x[1500:], y[1500:]).mean() > plain.log_density(x[1500:], y[1500:]).mean() + 0.1
    model.save(tmp_path / "m.json")
    loaded = load(tmp_path / "m.json")
    assert loaded.calibrate is True
    assert_array_equal(loaded.predict_quantiles(x[:9]), model.predict_quantiles(x[:9]))
    for value, error, words in (
        (3, TypeError, "calibrate = 3, expected False, True, or a dict with 'share'"),
        ({"share": 2}, ValueError, r"calibrate: share = 2.0, expected a number in \(0, 1\)"),
        ({"share": 0.001}, ValueError, "calibrate: share = 0.001 of 1500 rows leaves 2 for calibration"),
    ):
        with pytest.raises(error, match=words):
            GaussianProcess(calibrate=value).fit(x[:1500], y[:1500])
    with pytest.raises(ValueError, match="calibrate = True, expected False: it is for the estimator around it"):
        Pooled(models=[LSCDE(calibrate=True), "gp"]).fit(x[:100], y[:100])


def test_weights_are_for_rows_from_elsewhere():
    random = np.random.default_rng(0)

    def rows(count, shift):
        x = shift + random.normal(size=(count, 1))
        return x, x[:, 0] + np.exp(0.7 * x[:, 0]) * random.normal(size=count)

    x, y = rows(2000, 0.0)
    fresh, truth = rows(1000, 1.0)
    model = GMM(n_components=1, conformal={"share": 0.5}).fit(x, y)
    assert model.calibration_rows_.shape == (1000,)
    weights = (np.exp(x[model.calibration_rows_, 0]), np.exp(fresh[:, 0]))

    def coverage(given):
        low, high = model.predict_interval(fresh, 0.8, weights=given).T
        return np.mean((truth >= low) & (truth <= high))

    assert coverage(None) < 0.72
    assert 0.72 < coverage(weights) < 0.88
    assert 0.72 < coverage("estimated") < 0.88
    regions = model.predict_region(fresh, 0.8, weights=weights)
    held = [any(a <= v <= b for a, b in region) for v, region in zip(truth, regions, strict=True)]
    assert 0.72 < np.mean(held) < 0.88
    assert_array_equal(
        model.predict_interval(fresh, 0.8, weights=(np.ones(1000), np.ones(1000))), model.predict_interval(fresh, 0.8)
    )
    with pytest.raises(ValueError, match="weights: 3 of calibration rows, expected 1000"):
        coverage((np.ones(3), np.ones(1000)))
    with pytest.raises(TypeError, match="weights: expected None, 'estimated', or a tuple of two arrays"):
        coverage(np.ones(1000))
    with pytest.raises(ValueError, match="weights are for estimators with conformal"):
        GMM(n_components=1).fit(x, y).predict_interval(fresh, weights="estimated")
    with pytest.raises(AttributeError, match="calibration_rows_ is for estimators with conformal"):
        GMM(n_components=1).fit(x, y).calibration_rows_  # noqa: B018
    folds = GMM(n_components=1, conformal={"method": "cv+", "folds": 2}).fit(x[:100], y[:100])
    with pytest.raises(ValueError, match="expected those by rows left out"):
        folds.predict_interval(fresh, weights=(np.ones(100), np.ones(1000)))


def test_coverage_is_told_by_slices():
    x, y = draw(600)
    frame = pandas.DataFrame({"x": x[:, 0], "city": np.where(x[:, 1] > 0, "Oslo", "Bern")})
    model = GaussianProcess(conformal={"share": 0.5}).fit(frame[["x"]].assign(city=frame["city"]), y)
    found = coverage_slices(model, frame, y)
    assert found["guaranteed"]
    assert found["level"] == 0.9
    assert found["worst"]["part"] == "Oslo"
    low, high = model.predict_interval(frame, 0.9).T
    inside = (y >= low) & (y <= high)
    own = next(part for part in found["slices"] if part["part"] == "Bern")
    chosen = frame["city"] == "Bern"
    assert own["rows"] == chosen.sum()
    assert own["coverage"] == pytest.approx(inside[chosen].mean())
    assert {part["input"] for part in found["slices"]} == {"x", "city", "width"}
    with pytest.raises(ValueError, match="level = 1"):
        coverage_slices(model, frame, y, confidence=1.0)
    with pytest.raises(TypeError, match="expected an estimator of condens"):
        coverage_slices(object(), frame, y)
