"""Rows that come day by day: learning from them, and an alarm when they change."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import condens
from condens.streams import DriftAlarm


def rows_of(n, seed):
    rng = np.random.default_rng(seed)
    x = rng.uniform(-2, 2, (n, 2))
    return x, np.sin(x[:, 0]) + (0.3 + 0.2 * (x[:, 1] > 0)) * rng.normal(size=n)


def given(x, y, **parameters):
    centers = np.column_stack([x, y])[:40]
    return condens.LSCDE(
        centers=centers,
        bandwidth=0.6,
        bandwidth_y=0.3,
        regularization=0.01,
        preset="paper",
        standardize=False,
        **parameters,
    )


def test_a_model_updated_day_by_day_is_the_one_of_all_rows():
    x, y = rows_of(900, 0)
    model = given(x, y)
    for day in np.array_split(np.arange(900), 7):
        model.partial_fit(x[day], y[day])
    whole = given(x, y).fit(x, y)
    assert np.abs(model.log_density(x, y) - whole.log_density(x, y)).max() < 1e-10
    assert model.report_["details"]["n_rows"] == 900


def test_a_window_that_slides_is_the_fit_to_its_rows():
    x, y = rows_of(900, 1)
    model = given(x, y)
    days = np.array_split(np.arange(900), 6)
    for number, day in enumerate(days):
        model.partial_fit(x[day], y[day])
        if number >= 3:
            old = days[number - 3]
            model.forget_rows(x[old], y[old])
    window = np.concatenate(days[3:])
    whole = given(x, y).fit(x[window], y[window])
    assert np.abs(model.log_density(x, y) - whole.log_density(x, y)).max() < 1e-8
    assert model.report_["details"]["n_rows"] == len(window)


def test_forgetting_weighs_older_rows_less():
    x, y = rows_of(400, 2)
    model = given(x, y)
    model.partial_fit(x[:200], y[:200])
    model.partial_fit(x[200:], y[200:], forget=0.25)
    weights = np.repeat([0.25, 1.0], 200) * 4  # of copies, which are not rescaled
    whole = given(x, y).fit(x, y, sample_weight=weights)
    assert np.abs(model.log_density(x, y) - whole.log_density(x, y)).max() < 1e-9


def test_rows_of_a_stream_have_weights():
    x, y = rows_of(400, 5)
    weights = np.random.default_rng(6).uniform(0, 4, 400)
    weights[::7] = 0
    model = given(x, y)
    for day in np.array_split(np.arange(400), 4):
        model.partial_fit(x[day], y[day], weights[day])
    whole = given(x, y).fit(x, y, sample_weight=weights)
    assert np.abs(model.log_density(x, y) - whole.log_density(x, y)).max() < 1e-9
    model.forget_rows(x[:100], y[:100], weights[:100])
    rest = given(x, y).fit(x[100:], y[100:], sample_weight=weights[100:])
    assert np.abs(model.log_density(x, y) - rest.log_density(x, y)).max() < 1e-9
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.partial_fit(x, y, weights[:3])


def test_a_first_day_chooses_and_later_ones_keep_what_it_chose():
    x, y = rows_of(1500, 3)
    model = condens.LSCDE(n_centers=80, max_centers=80).partial_fit(x[:700], y[:700])
    bandwidth, before = model.bandwidth_, model.log_density(x, y).mean()
    model.partial_fit(x[700:], y[700:])
    assert model.bandwidth_ == bandwidth
    assert model.log_density(x, y).mean() > before - 0.01
    fitted_anew = model.fit(x[:700], y[:700]).log_density(x, y)
    assert fitted_anew.mean() == pytest.approx(before, abs=1e-12)


def test_directions_of_the_first_day_stay_and_their_density_learns():
    x, y = rows_of(900, 7)
    x = np.column_stack([x, np.random.default_rng(8).normal(size=900)])
    settings = {"bandwidth": 0.6, "bandwidth_y": 0.3, "regularization": 0.01, "standardize": False}
    centers = np.column_stack([x, y])[:40]
    model = condens.LSCE(n_components=1, centers=centers, density="same", defensive_weight=0, **settings)
    model.partial_fit(x[:500], y[:500])
    first = model.components_.copy()
    for day in np.array_split(np.arange(500, 900), 3):
        model.partial_fit(x[day], y[day])
    assert (model.components_ == first).all()
    assert model.report_["details"]["n_rows"] == 900
    near = np.column_stack([centers[:, :3] @ first.T, centers[:, 3]])
    z = model.transform(x)
    whole = condens.LSCDE(preset="paper", centers=near, **settings)
    expected = whole.fit(z, y).log_density(z, y)
    assert np.abs(model.log_density(x, y) - expected).max() < 1e-10
    model.forget_rows(x[:500], y[:500])
    expected = whole.fit(z[500:], y[500:]).log_density(z, y)
    assert np.abs(model.log_density(x, y) - expected).max() < 1e-8
    assert model.report_["details"]["n_rows"] == 400


def steps_of(model, days, *, forget=1.0):
    """Eqs. 5 to 8 in plain code: moments of every day by the posteriors of the components when it came."""
    weights, means, covariances = model.kernel_weights_, model.kernel_means_, model.kernel_covariances_
    sums = 0.0, 0.0, 0.0
    for day in days:
        gaps = day[:, None, :] - means
        inverse = np.linalg.inv(covariances)
        log = np.log(weights) - 0.5 * np.einsum("ikd,kde,ike->ik", gaps, inverse, gaps)
        log -= 0.5 * np.linalg.slogdet(covariances)[1]
        posterior = np.exp(log - log.max(axis=1, keepdims=True))
        posterior /= posterior.sum(axis=1, keepdims=True)
        moments = (
            posterior.sum(axis=0),
            posterior.T @ day,
            np.einsum("ik,id,ie->kde", posterior, day, day),
        )
        sums = tuple(forget * old + new for old, new in zip(sums, moments, strict=True))
        if day is days[0]:
            continue  # the model is of its fit
        weights = sums[0] / sums[0].sum()
        means = sums[1] / sums[0][:, None]
        covariances = sums[2] / sums[0][:, None, None] - np.einsum("kd,ke->kde", means, means)
        if model.covariance_ == "diagonal":
            covariances *= np.eye(len(means[0]))
    return weights, means, covariances


@pytest.mark.parametrize("covariance", ["full", "diagonal"])
def test_a_mixture_takes_steps_of_expectation_maximisation(covariance):
    x, y = rows_of(1200, 9)
    rows = np.column_stack([x, y])
    days = np.array_split(rows, 4)
    model = condens.GMM(n_components=3, covariance=covariance, variance_floor=1e-9, standardize=False)
    model.partial_fit(days[0][:, :2], days[0][:, 2])
    weights, means, covariances = steps_of(model, days, forget=0.9)
    for day in days[1:]:
        model.partial_fit(day[:, :2], day[:, 2], forget=0.9)
    assert model.report_["details"]["n_rows"] == round(300 * (1 + 0.9 + 0.81 + 0.729))
    assert model.covariance_ == covariance
    assert model.kernel_weights_ == pytest.approx(weights, abs=1e-10)
    assert model.kernel_means_ == pytest.approx(means, abs=1e-10)
    assert model.kernel_covariances_ == pytest.approx(covariances, abs=1e-10)


def test_a_mixture_of_many_days_is_about_as_good_as_one_of_all_rows():
    x, y = rows_of(6000, 10)
    further = rows_of(4000, 11)
    model = condens.GMM(n_components=6)
    for day in np.array_split(np.arange(6000), 6):
        model.partial_fit(x[day], y[day])
    whole = condens.GMM(n_components=6).fit(x, y)
    first = condens.GMM(n_components=6).fit(x[:1000], y[:1000])
    score = model.log_density(*further).mean()
    # Three streams were 0.008 to 0.017 nats a row better than their first day, and 0.008 to 0.022 behind all rows.
    assert score > first.log_density(*further).mean() + 0.005
    assert score > whole.log_density(*further).mean() - 0.03
    # Then y moves away, and a mixture that forgets follows.
    for day in np.array_split(np.arange(6000), 30):
        model.partial_fit(x[day], y[day] + 3, forget=0.7)
    # of some 670 rows that count, as against 6,000
    assert model.log_density(further[0], further[1] + 3).mean() > score - 0.08


def test_only_models_that_can_have_partial_fit():
    assert hasattr(condens.LSCDE(), "forget_rows")
    assert hasattr(condens.LSCE(), "forget_rows")
    assert hasattr(condens.GMM(), "partial_fit")
    assert not hasattr(condens.GMM(), "forget_rows")  # old rows were given to components that have moved since
    assert not hasattr(condens.ConditionalForest(), "partial_fit")
    x, y = rows_of(100, 4)
    model = given(x, y).partial_fit(x, y)
    with pytest.raises(ValueError, match=r"forget = 0, expected a number in \(0, 1\]"):
        model.partial_fit(x, y, forget=0)
    model.fit(x, y)
    with pytest.raises(ValueError, match="forget_rows: rows of a model that partial_fit has seen"):
        model.forget_rows(x, y)


@pytest.mark.parametrize("model", [condens.LSCDE(), condens.LSCE(n_components=1), condens.GMM()])
def test_a_pickled_model_goes_on_learning(model):
    x, y = rows_of(500, 12)
    model.partial_fit(x[:300], y[:300])
    other = pickle.loads(pickle.dumps(model))
    assert (
        other.partial_fit(x[300:], y[300:]).log_density(x, y) == model.partial_fit(x[300:], y[300:]).log_density(x, y)
    ).all()
    assert other.report_["details"]["n_rows"] == 500
    again = model.fit(x[:300], y[:300])  # which forgets all rows
    assert again.partial_fit(x[:400], y[:400]).report_["details"]["n_rows"] == 400


def test_bad_rows_are_refused_and_change_nothing():
    x, y = rows_of(200, 13)
    for model in (given(x, y), condens.GMM(n_components=2)):
        before = model.partial_fit(x, y).log_density(x, y)
        for bad, message in [
            ((x[:3], np.ones((3, 2))), f"y has 2 columns, but {type(model).__name__} is expecting 1"),
            ((x[:2], [1, np.nan]), "Input y contains NaN"),
            ((x[:2], [1, 2], [1, -1]), "sample_weight: row 2 has -1.0, expected a number >= 0"),
            ((x[:2], [1, 2], [np.nan, 1]), "sample_weight: row 1 has nan, expected a number >= 0"),
            ((x[:2, :1], [1, 2]), "X has 1 features"),
        ]:
            with pytest.raises(ValueError, match=message):
                model.partial_fit(*bad)
        assert (model.log_density(x, y) == before).all()
        assert model.partial_fit(x, y).report_["details"]["n_rows"] == 400


def test_an_alarm_is_rare_without_a_change_and_quick_with_one():
    rng = np.random.default_rng(5)
    false = sum(bool(DriftAlarm(alpha=0.05).update(rng.random(400))) for _ in range(300))
    assert false <= 300 * 0.05 + 3 * np.sqrt(300 * 0.05 * 0.95)  # three standard errors
    late = DriftAlarm().update(rng.random(500))
    assert not late
    late.update(rng.beta(2, 1, 500))
    assert late
    assert 500 < late.alarm_row_ < 700
    narrow = DriftAlarm().update(rng.beta(3, 3, 1000))
    assert narrow
    assert "alarm at row" in repr(narrow)


def test_the_capital_is_the_mean_over_bets_and_beginnings():
    """The recursion against its definition: bets that begin on row j with the stake 1 / (j (j + 1))."""
    from condens import streams

    pit = np.random.default_rng(6).random(12)
    z = 2 * pit - 1
    bets = [1 + e * z for e in streams._SHIFTS] + [1 + e * (3 * z**2 - 1) / 2 for e in streams._SPREADS]
    total = 0.0
    for bet in bets:
        assert (bet >= 0).all()
        total += sum(np.prod(bet[j:]) / ((j + 1) * (j + 2)) for j in range(len(pit))) + 1 / (len(pit) + 1)
    assert DriftAlarm().update(pit).evidence_ == pytest.approx(total / len(bets), rel=1e-12)


def test_what_is_no_probability_is_refused():
    with pytest.raises(ValueError, match=r"pit: row 2 \(counting from 1\) is 1.5, expected a probability in \[0, 1\]"):
        DriftAlarm().update([0.5, 1.5])
    with pytest.raises(ValueError, match=r"alpha = 1, expected a number in \(0, 1\)"):
        DriftAlarm(alpha=1)
