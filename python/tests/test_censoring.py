"""Targets that are known by their limits: fits, scores, survival functions, and the command that agrees."""

import os
import pickle
import subprocess

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from condens import GMM, LSCDE, BoostedDensity, NadarayaWatson, metrics


@pytest.fixture(scope="module")
def waits():
    """Inputs, days waited, and whether the wait goes on."""
    random = np.random.default_rng(1)
    x = random.uniform(size=(200, 1))
    wait = np.exp(2 * x[:, 0] + 0.3 * random.normal(size=200))
    end = random.exponential(9, size=200)
    return x, np.minimum(wait, end), wait > end, wait


def test_a_censored_fit_comes_nearer_to_the_waits(waits):
    x, days, waiting, wait = waits
    known = BoostedDensity(target_kind="positive").fit(x, days, censored=waiting)
    taken_for_values = BoostedDensity(target_kind="positive").fit(x, days)
    assert known.score(x, wait, censored=np.zeros(200)) > taken_for_values.score(x, wait, censored=np.zeros(200)) + 0.05
    account = known.report_["details"]["censoring"]
    assert account["n_right"] == waiting.sum()
    assert account["n_exact"] == 200 - waiting.sum()
    assert len(account["log_likelihood"]) == account["rounds"] + 1


def test_words_numbers_and_open_ends_say_the_same(waits):
    x, days, waiting, _ = waits
    fits = [
        NadarayaWatson().fit(x, days, censored=waiting),
        NadarayaWatson().fit(x, days, censored=waiting.astype(int)),
        NadarayaWatson().fit(x, days, censored=np.where(waiting, "right", "exact")),
        NadarayaWatson().fit(x, days, upper=np.where(waiting, np.nan, days)),
        NadarayaWatson().fit(x, days, upper=np.where(waiting, np.inf, days)),
    ]
    first = fits[0].predict(x)
    assert all(np.array_equal(first, other.predict(x)) for other in fits[1:])


def test_without_censored_rows_it_is_the_plain_fit(waits):
    x, days, _, _ = waits
    plain = NadarayaWatson().fit(x, days)
    known = NadarayaWatson().fit(x, days, censored=np.zeros(200), entry=np.full(200, np.nan))
    assert np.array_equal(plain.predict(x), known.predict(x))
    assert plain.score(x, days) == known.score(x, days)


def test_left_censored_rows_and_missing_lower_ends_agree(waits):
    x, days, _, _ = waits
    left = np.arange(200) % 4 == 0
    by_word = GMM(n_components=2, target_kind="positive").fit(x, days, censored=np.where(left, "left", "exact"))
    by_end = GMM(n_components=2, target_kind="positive").fit(
        x, pd.Series(np.where(left, np.nan, days), name="days"), upper=days
    )
    assert np.array_equal(by_word.predict(x), by_end.predict(x))
    assert by_end.report_["details"]["censoring"]["n_left"] == 50


def test_entries_give_back_what_truncation_took():
    random = np.random.default_rng(2)
    y, entry = random.normal(size=2000), random.normal(size=2000) - 0.5
    y, entry = y[y > entry][:500], entry[y > entry][:500]
    plain, known = GMM(n_components=1).fit(y), GMM(n_components=1).fit(y, entry=entry)
    assert plain.distribution_.mean() > 0.25
    assert abs(known.distribution_.mean()) < 0.15


def test_scores_are_likelihoods_of_what_is_known(waits):
    x, days, waiting, _ = waits
    model = NadarayaWatson().fit(x, days, censored=waiting)
    dist = model.predict_distribution(x)
    each = np.where(waiting, dist.logsf(days), dist.logpdf(days))
    assert model.score(x, days, censored=waiting) == pytest.approx(each.mean(), rel=1e-12)
    entry = days - 1
    late = each - dist.logsf(entry)
    assert model.score(x, days, censored=waiting, entry=entry) == pytest.approx(late.mean(), rel=1e-12)
    weights = np.arange(200.0)
    weighted = np.average(each, weights=weights)
    assert model.score(x, days, weights, censored=waiting) == pytest.approx(weighted, rel=1e-12)
    scores = metrics.censored_scores(model, x, days, censored=waiting)
    assert scores["nll"]["value"] == pytest.approx(-each.mean(), rel=1e-12)
    assert scores["crps_of_exact"]["value"] == pytest.approx(dist.crps(days)[~waiting].mean(), rel=1e-12)
    assert scores["concordance"] == metrics.concordance(days, dist.median(), waiting)


def test_survival_is_what_the_distribution_leaves(waits):
    x, days, waiting, _ = waits
    for kind in ("real", "positive"):
        dist = NadarayaWatson(target_kind=kind).fit(x, days, censored=waiting).predict_distribution(x)
        np.testing.assert_array_equal(dist.survival(3.0), dist.sf(3.0))
        np.testing.assert_allclose(dist.survival(3.0), 1 - dist.cdf(3.0), atol=1e-14)


def test_estimators_stay_scikit_learns(waits):
    x, days, waiting, _ = waits
    model = BoostedDensity(target_kind="positive").fit(x, days, censored=waiting)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(model.predict(x), again.predict(x))
    assert np.array_equal(model.predict(x), clone(model).fit(x, days, censored=waiting).predict(x))
    pipeline = make_pipeline(StandardScaler(), NadarayaWatson())
    pipeline.fit(x, days, nadarayawatson__censored=waiting)
    assert "censoring" in pipeline[-1].report_["details"]
    unlabeled = LSCDE(n_centers=20).fit(x, days, X_unlabeled=x, censored=waiting)
    assert "censoring" in unlabeled.report_["details"]


def test_frames_with_categories_can_be_censored(waits):
    x, days, waiting, _ = waits
    frame = pd.DataFrame({"age": x[:, 0], "group": np.where(np.arange(200) % 3 == 0, "a", "b")})
    model = NadarayaWatson().fit(frame, pd.Series(days, name="days"), censored=waiting)
    assert model.predict(frame).shape == (200,)


def test_the_command_gives_the_same_numbers(waits, tmp_path):
    x, days, waiting, _ = waits
    frame = pd.DataFrame({"age": x[:, 0], "days": days, "waiting": np.where(waiting, "yes", "no")})
    frame.to_csv(tmp_path / "w.csv", index=False, float_format="%.17g")
    model = NadarayaWatson(target_kind="positive").fit(frame[["age"]], frame["days"], censored=frame["waiting"])
    command = os.environ.get("CONDENS_COMMAND")
    if not command:
        pytest.skip("CONDENS_COMMAND is not set")
    fit = ["fit", "w.csv", "--target", "days", "--censored", "waiting", "--target-kind", "positive", "--model", "nw"]
    subprocess.run([command, *fit, "-o", "w.json", "--quiet"], cwd=tmp_path, check=True)
    model.save(tmp_path / "own.json")
    score = [command, "score", "w.json", "w.csv", "--censored", "waiting"]
    table = subprocess.run(score, cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    score[2] = "own.json"
    assert table == subprocess.run(score, cwd=tmp_path, check=True, capture_output=True, text=True).stdout


def test_kaplan_meier_and_concordance_by_hand():
    curve = metrics.kaplan_meier([1, 2, 2, 3], [0, 0, 1, 0])
    np.testing.assert_array_equal(curve["times"], [1, 2, 3])
    np.testing.assert_allclose(curve["survival"], [3 / 4, 3 / 4 * 2 / 3, 0])
    np.testing.assert_array_equal(curve["at_risk"], [4, 3, 1])
    late = metrics.kaplan_meier([1, 2, 3], entry=[np.nan, 1.5, np.nan])
    np.testing.assert_allclose(late["survival"], [1 / 2, 1 / 4, 0])
    assert metrics.concordance([1, 2, 3], [1, 2, 3]) == 1
    assert metrics.concordance([1, 2, 3], [3, 2, 1]) == 0
    assert metrics.concordance([1, 2, 3], [1, 2, 1], [0, 1, 0]) == 0.75  # 1 < 2+ in order, 1 < 3 a tie


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"censored": ["no", "perhaps", "no", "no"]}, r"censored: row 2 \(counting from 1\) is .*'perhaps'"),
        ({"censored": [1, 1, 1, 1]}, "every one of the 4 rows is censored"),
        ({"censored": [0, 1, 0, 0], "upper": [1, 2, 3, 4]}, "censored and upper both say how y is known"),
        ({"upper": [1, 1, 3, 4]}, r"row 2 \(counting from 1\): the interval of the target goes from 2 to 1"),
        ({"entry": [0, 2, 0, 0]}, r"row 2 \(counting from 1\): the target is at most 2 and the entry 2"),
        ({"entry": [0, 1]}, "inconsistent numbers of samples"),
        ({"censored": [0, 1]}, "inconsistent numbers of samples"),
    ],
)
def test_what_cannot_be_is_refused(arguments, text):
    with pytest.raises(ValueError, match=text):
        NadarayaWatson().fit(np.arange(4.0)[:, None], [1.0, 2.0, 3.0, 4.0], **arguments)


def test_what_makes_no_sense_is_refused(waits):
    x, days, waiting, _ = waits
    with pytest.raises(ValueError, match="expected real, positive or bounded"):
        NadarayaWatson(target_kind="count").fit(x, np.round(days), censored=waiting)
    with pytest.raises(ValueError, match="the guarantee counts values"):
        NadarayaWatson(conformal=True).fit(x, days, censored=waiting)
    with pytest.raises(ValueError, match="only one can be censored"):
        NadarayaWatson().fit(x, np.column_stack([days, days]), censored=waiting)
    with pytest.raises(ValueError, match=r"y and upper are NaN"):
        NadarayaWatson().fit(x[:2], [np.nan, 1.0], upper=[np.nan, 2.0])
