"""Rows that come day by day: learning from them, and an alarm when they change."""

from __future__ import annotations

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


def test_only_models_that_can_have_partial_fit():
    assert hasattr(condens.LSCDE(), "partial_fit")
    assert not hasattr(condens.GMM(), "partial_fit")
    x, y = rows_of(100, 4)
    model = given(x, y).partial_fit(x, y)
    with pytest.raises(ValueError, match=r"forget = 0, expected a number in \(0, 1\]"):
        model.partial_fit(x, y, forget=0)
    model.fit(x, y)
    with pytest.raises(ValueError, match="forget_rows: rows of a model that partial_fit has seen"):
        model.forget_rows(x, y)


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
