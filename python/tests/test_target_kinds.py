"""Targets that are not any real number: kinds, their distributions, files, pickles and what is refused."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import integrate, stats

from condens import (
    GMM,
    LSCDE,
    BoostedDensity,
    FitWarning,
    GaussianProcess,
    Parzen,
    Pooled,
    TargetDistributions,
    compare,
    estimators,
)

KINDS = ["positive", "bounded:0,1", "count", "ordinal", "with-atoms"]


def draw(kind, n=200, seed=0):
    """Inputs, and a target of the kind."""
    random = np.random.default_rng(seed)
    x = random.normal(size=(n, 2))
    z = 0.7 * x[:, 0] + 0.4 * random.normal(size=n)
    return x, {
        "positive": np.exp(z),
        "bounded:0,1": 1 / (1 + np.exp(-z)),
        "count": np.floor(np.exp(1 + z)),
        "ordinal": np.clip(np.round(z), -1, 1),
        "with-atoms": np.where(random.uniform(size=n) < 0.5, 0.0, np.exp(z)),
    }[kind]


@pytest.fixture(scope="module", params=KINDS)
def fitted(request):
    x, y = draw(request.param)
    return GaussianProcess(target_kind=request.param).fit(x, y), x, y


def test_every_method_of_an_estimator(fitted):
    model, x, y = fitted
    laws = model.predict_distribution(x)
    assert isinstance(laws, TargetDistributions)
    assert laws.shape == (200,)
    assert_array_equal(model.predict(x), laws.mean())
    assert_array_equal(model.predict_quantiles(x, [0.1, 0.9]), laws[:, None].ppf([0.1, 0.9]))
    assert_array_equal(model.predict_interval(x, 0.8), np.stack(laws.interval(0.8), axis=-1))
    assert_array_equal(model.log_density(x, y), laws.logpdf(y))
    assert np.isfinite(laws.logpdf(y)).all()
    assert np.isfinite(model.score(x, y))


def test_cdf_and_quantiles_go_together(fitted):
    model, x, y = fitted
    laws = model.predict_distribution(x)
    assert_allclose(laws.cdf(y) + laws.sf(y), 1, atol=1e-12)
    assert_allclose(laws.cdf(y) - laws.cdf_below(y), laws.mass_at(y), atol=1e-12)
    q = np.linspace(0.05, 0.95, 7)
    values = laws[:, None].ppf(q)
    assert (laws[:, None].cdf(values) >= q - 1e-9).all()
    assert (laws[:, None].cdf_below(values) <= q + 1e-9).all()
    assert_allclose(laws.isf(0.3), laws.ppf(0.7), rtol=1e-9)
    assert_array_equal(laws.median(), laws.ppf(0.5))


def test_nothing_lies_outside_of_the_support(fitted):
    model, x, _ = fitted
    laws = model.predict_distribution(x)
    low, high = laws.support()
    draws = laws.rvs(300, random_state=1)
    assert (draws >= low).all()
    assert (draws <= high).all()
    finite = low[np.isfinite(low)]
    assert_array_equal(laws.cdf(finite - 1), 0) if finite.size else None
    assert_array_equal(laws.rvs(3, random_state=1), laws.rvs(3, random_state=1))


def test_moments_and_crps_are_those_of_draws(fitted):
    model, x, y = fitted
    laws = model.predict_distribution(x[:5])
    draws = laws.rvs(40_000, random_state=2)
    error = laws.std() / 200
    assert (np.abs(draws.mean(axis=0) - laws.mean()) < 5 * error).all()  # 5 standard errors: one in a million
    other = laws.rvs(40_000, random_state=3)
    crps = np.abs(draws - y[:5]).mean(axis=0) - 0.5 * np.abs(draws - other).mean(axis=0)
    assert_allclose(laws.crps(y[:5]), crps, atol=0.02 * laws.std().max() + 0.01)


def test_pickles_files_and_slices_keep_every_bit(fitted, tmp_path):
    model, x, y = fitted
    laws = model.predict_distribution(x)
    for again in (pickle.loads(pickle.dumps(laws)), pickle.loads(pickle.dumps(model)).predict_distribution(x)):
        assert_array_equal(again.logpdf(y), laws.logpdf(y))
    model.save(tmp_path / "m.cbor")
    loaded = estimators.load(tmp_path / "m.cbor")
    assert loaded.target_kind == model.target_kind
    assert_array_equal(loaded.predict_distribution(x).logpdf(y), laws.logpdf(y))
    assert_array_equal(laws[3:9].logpdf(y[3:9]), laws.logpdf(y)[3:9])
    assert laws[3].logpdf(y[3]) == laws.logpdf(y)[3]
    assert laws.marginal(0) is laws


def test_counts_have_masses_that_sum_to_one():
    x, y = draw("count")
    laws = BoostedDensity(target_kind="count", random_state=0).fit(x, y).predict_distribution(x)
    values = np.arange(2000)
    masses = laws[:, None].pmf(values)
    assert_allclose(masses.sum(axis=1), 1, atol=1e-12)
    assert_allclose(masses @ values, laws.mean(), rtol=1e-4)  # probability beyond 2000
    assert_array_equal(laws.mode(), masses.argmax(axis=1))
    assert_array_equal(laws.pmf(0.5), 0)
    assert "can be counted from 0 to inf" in repr(laws)
    assert laws.is_discrete


def test_densities_integrate_to_one():
    for kind, ends in (("positive", (0, np.inf)), ("bounded:0,1", (0, 1))):
        x, y = draw(kind)
        law = BoostedDensity(target_kind=kind).fit(x, y).predict_distribution(x[:1])[0]
        assert_allclose(integrate.quad(law.pdf, *ends, limit=500)[0], 1, atol=1e-6)
        assert law.pdf(-0.1) == 0


def test_atoms_are_told_apart():
    x, y = draw("with-atoms", 1000)
    laws = BoostedDensity(target_kind="with-atoms").fit(x, y).predict_distribution(x)
    assert_array_equal(laws.atoms, [0.0])
    assert abs(laws.mass_at(0).mean() - (y == 0).mean()) < 0.03
    assert_array_equal(laws.mass_at(1.5), 0)
    assert (laws.ppf(0.2) == 0).all()
    assert "atoms 0" in repr(laws)
    assert all((region[:, 0] <= region[:, 1]).all() for region in laws.hdr(0.9))
    assert stats.kstest(laws.pit(y, random_state=0), "uniform").pvalue > 1e-3


def test_values_at_the_ends_of_bounds_are_atoms():
    x, y = draw("bounded:0,1")
    y = np.where(y > 0.8, 1.0, y)
    laws = GaussianProcess(target_kind="bounded:0,1").fit(x, y).predict_distribution(x)
    assert_array_equal(laws.atoms, [1.0])
    assert (laws.mass_at(1) > 0).all()


@pytest.mark.parametrize("kind", KINDS)
def test_auto_tells_them(kind):
    x, y = draw(kind, 500)
    assert GaussianProcess(target_kind="auto").fit(x, y)._model.target_kind == kind


def test_auto_of_real_numbers_is_the_plain_fit():
    x, _ = draw("positive")
    y = x[:, 0] + np.random.default_rng(1).normal(size=len(x))
    plain = GaussianProcess().fit(x, y).predict_distribution(x)
    auto = GaussianProcess(target_kind="auto").fit(x, y).predict_distribution(x)
    assert_array_equal(auto.means, plain.means)


def test_densities_without_inputs():
    _, y = draw("positive")
    law = Parzen(target_kind="positive").fit(y).distribution_
    assert law.shape == ()
    assert law.cdf(0.0) == 0
    assert_allclose(law.ppf(law.cdf(1.3)), 1.3)


def test_what_has_no_meaning_says_so():
    x, y = draw("count")
    counts = GaussianProcess(target_kind="count").fit(x, y).predict_distribution(x)
    with pytest.raises(ValueError, match="values that can be counted have no density; use pmf"):
        counts.pdf(1)
    with pytest.raises(AttributeError, match="'squared_loss': it is for Gaussian mixtures of any real number"):
        _ = counts.squared_loss
    with pytest.raises(AttributeError, match=r"has no attribute 'nonsense'$"):
        _ = counts.nonsense
    positive = GaussianProcess(target_kind="positive").fit(*draw("positive")).predict_distribution(x)
    with pytest.raises(ValueError, match="no single value has a probability; use pdf"):
        positive.pmf(1)
    with pytest.raises(IndexError, match="target 1 of 1"):
        positive.marginal(1)


def test_real_numbers_have_no_mass():
    x, y = draw("positive")
    laws = GaussianProcess().fit(x, y).predict_distribution(x)
    assert_array_equal(laws.mass_at(1.0), np.zeros(200))
    assert laws[:, None].mass_at([0.0, 1.0]).shape == (200, 2)
    with pytest.raises(ValueError, match="no single value has a probability; use pdf"):
        laws.pmf(1.0)


def test_bad_kinds_and_values_are_refused():
    x, y = draw("count")
    for kind, values, words in (
        ("counts", y, "target_kind = 'counts', expected one of auto, real, positive, bounded:LOW,HIGH, count"),
        ("count", y - 5, r"row 1 \(counting from 1\): the target is .*, expected a whole number >= 0"),
        ("positive", y, "'with-atoms' gives zero a probability of its own"),
        ("bounded:1", y, "expected two numbers, the lower one first"),
        ("positive", np.c_[y, y] + 1, "there are 2 targets"),
    ):
        with pytest.raises(ValueError, match=words):
            LSCDE(target_kind=kind).fit(x, values)
    with pytest.raises(TypeError, match="target_kind = 3, expected a text"):
        LSCDE(target_kind=3).fit(x, y)
    with pytest.raises(ValueError, match="give target_kind to the estimator around it"):
        Pooled(models=[LSCDE(target_kind="count"), "gp"]).fit(x, y)
    with pytest.raises(ValueError, match="probabilities of values do not compare with densities"):
        compare(x, y, [LSCDE(target_kind="count"), LSCDE()])


@pytest.mark.parametrize("kind", ["real", "positive", "count"])
def test_conformal_intervals_cover(kind):
    x, y = draw("count" if kind == "count" else "positive", 4000, seed=3)
    model = GaussianProcess(target_kind=kind, conformal={"share": 0.5}).fit(x[:800], y[:800])
    assert model._model.n_calibration == 400
    low, high = model.predict_interval(x[800:], 0.9).T
    inside = (y[800:] >= low) & (y[800:] <= high)
    # 400 calibration rows: the coverage of one calibration has a standard deviation of 0.015; four of them.
    assert inside.mean() > 0.84
    regions = model.predict_region(x[800:900], 0.9)
    held = [any(a <= v <= b for a, b in region) for v, region in zip(y[800:900], regions, strict=True)]
    assert np.mean(held) > 0.75
    assert all(region.shape[1] == 2 for region in regions)


def test_conformal_models_are_saved_and_cloned(tmp_path):
    x, y = draw("positive")
    model = GaussianProcess(conformal=True).fit(x, y)
    model.save(tmp_path / "m.json")
    loaded = estimators.load(tmp_path / "m.json")
    assert loaded.conformal is True
    assert_array_equal(loaded.predict_interval(x), model.predict_interval(x))
    assert_array_equal(pickle.loads(pickle.dumps(model)).predict_interval(x), model.predict_interval(x))
    assert (model.predict_interval(x, 0.99)[:, 0] == -np.inf).all()  # 50 rows cannot tell
    assert np.isinf(model.predict_region(x[:2], 0.99)[0]).all()
    plain = GaussianProcess().fit(x, y)
    assert_array_equal(plain.predict_interval(x), np.stack(plain.predict_distribution(x).interval(0.9), axis=-1))
    assert len(plain.predict_region(x, 0.9)) == len(x)


def test_bad_conformal_settings_are_refused():
    x, y = draw("positive")
    for value, error, words in (
        (3, TypeError, "conformal = 3, expected False, True, or a dict with 'share'"),
        ({"part": 0.2}, TypeError, "expected False, True, or a dict with 'share'"),
        ({"share": 1.0}, ValueError, r"conformal: share = 1.0, expected a number in \(0, 1\)"),
    ):
        with pytest.raises(error, match=words):
            GaussianProcess(conformal=value).fit(x, y)
    with pytest.raises(ValueError, match="the rows have weights, expected none"):
        GaussianProcess(conformal=True).fit(x, y, sample_weight=np.ones(len(y)))
    with pytest.raises(ValueError, match="it is for the estimator around it"):
        Pooled(models=[LSCDE(conformal=True), "gp"]).fit(x, y)


def test_missing_inputs_are_marked(tmp_path):
    x, y = draw("positive", 300)
    gappy = x.copy()
    gappy[::4, 0] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        GaussianProcess().fit(gappy, y)
    model = BoostedDensity(missing="indicator").fit(gappy, y)
    assert model.n_features_in_ == 2
    assert model.feature_importances_.shape == (2,)
    assert model.predict(gappy).shape == (300,)
    assert_array_equal(pickle.loads(pickle.dumps(model)).predict(gappy), model.predict(gappy))
    model.save(tmp_path / "m.json")
    loaded = estimators.load(tmp_path / "m.json")
    assert loaded.missing == "indicator"
    assert_array_equal(loaded.predict(gappy), model.predict(gappy))
    with pytest.warns(FitWarning, match="'x2' is missing, which it never was in training; its median stands in"):
        model.predict(np.array([[0.0, np.nan]]))
    with pytest.raises(ValueError, match="missing = 'mean', expected 'error', 'indicator' or 'model'"):
        GaussianProcess(missing="mean").fit(gappy, y)


@pytest.mark.parametrize("cls", [GaussianProcess, GMM, BoostedDensity], ids=lambda cls: cls.__name__)
def test_missing_inputs_are_left_to_the_model(cls, tmp_path):
    pd = pytest.importorskip("pandas")
    x, y = draw("positive", 300)
    gappy = pd.DataFrame({"a": x[:, 0], "b": np.where(x[:, 1] > 0, "up", "down")})
    gappy.loc[::3, "a"] = np.nan
    gappy.loc[::5, "b"] = None
    model = cls(missing="model", target_kind="positive", conformal=True).fit(gappy, y)
    assert model.predict_interval(gappy, 0.8).shape == (300, 2)
    assert np.isfinite(model.log_density(gappy, y)).all()
    model.save(tmp_path / "m.cbor")
    loaded = estimators.load(tmp_path / "m.cbor")
    assert loaded.missing == "model"
    for own in (loaded, pickle.loads(pickle.dumps(model))):
        assert_array_equal(own.predict(gappy), model.predict(gappy))
    array = cls(missing="model").fit(np.where(np.arange(300)[:, None] % 4 == [0, 1], np.nan, x), y)
    assert np.isfinite(array.predict(np.array([[np.nan, 0.5], [np.nan, np.nan]]))).all()


def test_missing_inputs_of_frames_are_marked():
    pd = pytest.importorskip("pandas")
    x, y = draw("positive", 300)
    frame = pd.DataFrame({"a": x[:, 0], "b": np.where(x[:, 1] > 0, "up", "down")})
    frame.loc[::3, "a"] = np.nan
    frame.loc[::5, "b"] = None
    model = BoostedDensity(missing="indicator").fit(frame, y)
    assert list(model.feature_names_in_) == ["a", "b"]
    assert model.feature_importances_.shape == (2,)
    assert np.isfinite(model.predict(frame)).all()
    # What is missing tells something of y where it depends on it.
    hidden = np.where(y > np.median(y), np.nan, x[:, 0])
    told = GaussianProcess(missing="indicator").fit(hidden[:, None], y)
    above, below = told.predict(np.array([[np.nan], [0.0]]))
    assert above > below + 0.5
