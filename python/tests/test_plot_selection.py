"""Pictures of calibration and tuning show the numbers of the laws and of cross-validation."""

import warnings

import numpy as np
import pytest
from pictures import (
    FIXED,
    QuadMesh,
    cells,
    draw_and_close,  # noqa: F401  (a fixture)
    legend_texts,
    lines_of,
    only,
    read_frame,
    read_geyser,
)
from scipy.stats import binom
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from condens import LSCDE, FitWarning, plot
from condens.metrics import log_likelihood_scorer


@pytest.fixture(scope="module")
def geyser():
    return read_geyser()


@pytest.fixture(scope="module")
def model(geyser):
    return LSCDE(**FIXED).fit(*geyser)


@pytest.fixture(scope="module")
def energy():
    table = read_frame("energy")
    X, y = table[["glazing", "height"]], table[["heating", "cooling"]]
    return X, y, LSCDE(**FIXED).fit(X, y)


# --- calibration -------------------------------------------------------------------------------------


def test_pit_histogram_counts_and_band(model, geyser):
    X, y = geyser
    ax = plot.pit_histogram(model, X, y, band=0.9, color="gray")
    pit = model.predict_distribution(X).pit(y)
    heights = [patch.get_height() for patch in ax.patches]
    np.testing.assert_allclose(heights, np.histogram(pit, 10, (0, 1))[0] * 10 / len(y))
    band = ax.collections[0].get_paths()[0].vertices[:, 1]
    np.testing.assert_allclose([band.min(), band.max()], binom.ppf([0.05, 0.95], len(y), 0.1) * 10 / len(y))
    assert "90 % band, bar by bar" in legend_texts(ax)
    assert ax.get_xlabel() == "PIT of y"


def test_pit_values_may_be_given(model, geyser):
    pit = np.linspace(0, 1, 500)
    ax = plot.pit_histogram(pit)
    assert len(ax.patches) == 20
    assert len(plot.pit_histogram(pit, bins=7).patches) == 7
    for wrong in ([0.5, 1.5], [np.nan], [], [[0.5]]):
        with pytest.raises(ValueError, match=r"PIT values must be numbers in \[0, 1\]"):
            plot.pit_histogram(wrong)
    with pytest.raises(ValueError, match="X and y belong to an estimator"):
        plot.pit_histogram(pit, *geyser)
    with pytest.raises(ValueError, match="X and y are needed with LSCDE"):
        plot.pit_histogram(model, geyser[0])
    with pytest.raises(ValueError, match="bins = 0"):
        plot.pit_histogram(pit, bins=0)
    with pytest.raises(ValueError, match=r"band = 95, expected a number in \(0, 1\)"):
        plot.pit_histogram(pit, band=95)


def share_at(curve, p):
    """The height of a step curve at p."""
    x, height = curve
    return height[np.searchsorted(x, p, side="right") - 1]


def test_calibration_is_the_distribution_of_the_pit(model, geyser):
    X, y = geyser
    ax = plot.calibration(model, X, y)
    pit = model.predict_distribution(X).pit(y)
    curve = lines_of(ax, "299 rows")
    for p in (0.0, 0.1, 0.5, 0.77, 1.0):
        assert share_at(curve, p) == pytest.approx((pit <= p).mean())
    band = ax.collections[0].get_paths()[0].vertices
    at_half = np.sort(band[np.isclose(band[:, 0], 0.5), 1])
    np.testing.assert_allclose(at_half, binom.ppf([0.025, 0.975], len(y), 0.5) / len(y))
    assert plot.calibration(pit, ax=ax, band=None, label="again") is ax
    np.testing.assert_array_equal(lines_of(ax, "again"), curve)
    assert len(ax.collections) == 1


def test_coverage_of_intervals_and_regions(energy):
    X, y, model = energy
    ax = plot.coverage(model, X, y, target="cooling")
    laws = model.predict_distribution(X).marginal(1)
    values = y["cooling"].to_numpy()
    for mass in (0.5, 0.9):
        low, high = laws.interval(mass)
        observed = ((low <= values) & (values <= high)).mean()
        assert share_at(lines_of(ax, "central intervals"), mass) == pytest.approx(observed)
        inside = [((r[:, 0] <= v) & (v <= r[:, 1])).any() for r, v in zip(laws.hdr(mass), values, strict=True)]
        assert share_at(lines_of(ax, "highest density regions"), mass) == pytest.approx(np.mean(inside))
    band = ax.collections[0].get_paths()[0].vertices
    at_half = np.sort(band[np.isclose(band[:, 0], 0.5), 1])
    np.testing.assert_allclose(at_half, 0.5 + np.array([-1, 1]) / np.sqrt(len(values)))
    assert ax.get_ylabel() == "observed coverage of cooling"
    assert len(plot.coverage(model, X, y, hdr=False).lines) == 2


# --- tuning ------------------------------------------------------------------------------------------


class Searched:
    """Candidates and scores as a search has them."""

    def __init__(self, score, error=0.1, **parameters):
        self.cv_results_ = {f"param_{name}": np.asarray(values) for name, values in parameters.items()}
        self.cv_results_["mean_test_score"] = np.asarray(score, dtype=float)
        self.cv_results_["standard_error_test_score"] = np.full(len(score), error)


@pytest.fixture(scope="module")
def tuned(geyser):
    lists = {"bandwidth": [0.1, 0.4, 1.6], "bandwidth_y": [0.2, 0.4], "regularization": [0.01, 0.1, 1.0, 10.0]}
    with warnings.catch_warnings(action="ignore", category=FitWarning):  # where the best lies is not the matter
        return LSCDE(**lists).fit(geyser[0][::3], geyser[1][::3])


def best_at(results, x, y):
    at = (results["param_bandwidth"] == x) & (results["param_regularization"] == y)
    return -results["mean_test_score"][at].max()


def test_tuning_shows_the_best_over_the_others(tuned):
    ax = plot.tuning(tuned)
    results = tuned.cv_results_
    gx, gy = tuned.bandwidth, tuned.regularization
    mesh = only(ax, QuadMesh)
    np.testing.assert_allclose(cells(ax), [[best_at(results, a, b) for a in gx] for b in gy])
    np.testing.assert_allclose(mesh.get_coordinates()[0, :, 0], [0.05, 0.2, 0.8, 3.2])
    refined, minimum = (c for c in ax.collections if c is not mesh)
    beside = {
        pair
        for pair in zip(results["param_bandwidth"], results["param_regularization"], strict=True)
        if pair[0] not in gx or pair[1] not in gy
    }
    assert len(beside) > 3
    assert {tuple(place) for place in np.array(refined.get_offsets())} == beside
    np.testing.assert_allclose(refined.get_array(), [best_at(results, *place) for place in refined.get_offsets()])
    np.testing.assert_array_equal(minimum.get_offsets(), [[tuned.bandwidth_, tuned.regularization_]])
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("bandwidth", "regularization")
    assert ax.figure.axes[1].get_ylabel() == "negative log-likelihood,\nbest over bandwidth_y"
    lowest = -results["mean_test_score"].max()
    where = f"bandwidth = {tuned.bandwidth_:.3g}, regularization = {tuned.regularization_:.3g}"
    assert legend_texts(ax) == ["refined", f"minimum {lowest:.4g} at {where}"]


def test_tuning_says_that_the_best_is_on_the_edge():
    grid = {"bandwidth": [0.1, 0.1, 1.0, 1.0], "regularization": [0.1, 1.0, 0.1, 1.0]}
    ax = plot.tuning(Searched([-2, -1, -3, -3], **grid))
    title = ax.get_legend().get_title().get_text().replace("\n", " ")
    assert title == "On the edge of the candidates: bandwidth = 0.1 (smallest), regularization = 1 (largest)"
    within = np.repeat([0.1, 0.5, 1.0], 3), np.tile([1, 2, 3], 3)
    ax = plot.tuning(Searched([-5, -5, -5, -5, -1, -5, -5, -5, -5], bandwidth=within[0], regularization=within[1]))
    assert ax.get_legend().get_title().get_text() in ("", "None")


def test_tuning_tells_failed_from_untried():
    ax = plot.tuning(
        Searched(
            [-1.0, -2.0, -np.inf, -1.5, np.nan],
            bandwidth=[0.1, 0.1, 0.1, 1.0, 1.0],
            regularization=[0.1, 1.0, 10.0, 0.1, 1.0],
        )
    )
    shown = cells(ax)
    np.testing.assert_array_equal(np.ma.filled(shown, -1), [[1.0, 1.5], [2.0, -1], [-1, -1]])
    failed = [p for p in ax.patches if p.get_hatch() == "xxx"]
    untried = [p for p in ax.patches if p.get_hatch() == "..."]
    assert [len(failed), len(untried)] == [2, 1]
    assert untried[0].get_bbox().contains(1.0, 10.0)
    assert any(p.get_bbox().contains(0.1, 10.0) for p in failed)
    assert any(p.get_bbox().contains(1.0, 1.0) for p in failed)
    assert legend_texts(ax)[:2] == ["failed, no score", "not tried"]


def test_tuning_of_one_parameter_is_a_curve(geyser):
    X, y = geyser
    model = LSCDE(bandwidth=0.5, bandwidth_y=0.3, regularization=[1e-3, 0.1, 1.0, 10.0], refine=False)
    with warnings.catch_warnings(action="ignore", category=FitWarning):
        model.fit(X[::3], y[::3])
    ax = plot.tuning(model, color="black")
    (bars,) = ax.containers
    line = bars.lines[0]
    results = model.cv_results_
    np.testing.assert_array_equal(line.get_data(), [[1e-3, 0.1, 1.0, 10.0], -results["mean_test_score"]])
    spans = [np.ptp(segment[:, 1]) / 2 for segment in bars.lines[2][0].get_segments()]
    np.testing.assert_allclose(spans, results["standard_error_test_score"])
    assert (ax.get_xlabel(), ax.get_xscale()) == ("regularization", "log")
    assert ax.get_ylabel() == "negative log-likelihood"
    assert line.get_color() == "black"
    assert any("± 1 standard error" in text for text in legend_texts(ax))


def test_tuning_curve_marks_failures_and_zero_needs_no_logarithm():
    ax = plot.tuning(Searched([-1.0, -np.inf, -2.0], defensive_weight=[0.0, 0.1, 0.2]))
    crosses = lines_of(ax, "failed, no score")
    np.testing.assert_array_equal(crosses[0], [0.1])
    assert ax.get_xscale() == "linear"


def test_tuning_with_equal_scores():
    plot.tuning(Searched([1.0] * 4, bandwidth=[1, 1, 2, 2], regularization=[1, 2, 1, 2]))


def test_tuning_of_widths_that_go_together(geyser):
    model = LSCDE(preset="paper", bandwidth=[0.2, 0.4, 0.8], regularization=[0.01, 0.1, 1.0], standardize=True)
    with warnings.catch_warnings(action="ignore", category=FitWarning):
        model.fit(geyser[0][::3], geyser[1][::3])
    ax = plot.tuning(model)
    assert cells(ax).shape == (3, 3)
    assert ax.figure.axes[1].get_ylabel() == "negative log-likelihood"  # bandwidth_y follows bandwidth


def test_tuning_of_searches(geyser):
    X, y = geyser[0][::3], geyser[1][::3]
    pipeline = make_pipeline(StandardScaler(), LSCDE(**FIXED))
    grid = {"lscde__bandwidth": [0.3, 1.0], "lscde__regularization": [0.1, 1.0], "lscde__scoring": ["nll", "squared"]}
    search = GridSearchCV(pipeline, grid, cv=3, scoring=log_likelihood_scorer).fit(X, y)
    ax = plot.tuning(search)
    assert cells(ax).min() == pytest.approx(-search.best_score_)
    assert ax.get_xlabel() == "bandwidth"
    assert ax.figure.axes[1].get_ylabel() == "loss (minus the score),\nbest over scoring"

    one = GridSearchCV(pipeline, {"lscde__bandwidth": [0.3, 1.0]}, cv=3, scoring=log_likelihood_scorer).fit(X, y)
    (bars,) = plot.tuning(one).containers
    spans = [np.ptp(segment[:, 1]) / 2 for segment in bars.lines[2][0].get_segments()]
    folds = np.array([one.cv_results_[f"split{k}_test_score"] for k in range(3)])
    np.testing.assert_allclose(spans, folds.std(axis=0, ddof=1) / np.sqrt(3))


def test_tuning_of_scattered_candidates_makes_no_cells(geyser):
    candidates = {"bandwidth": [0.2, 0.3, 0.5, 0.9, 1.4], "regularization": [0.01, 0.1, 0.3, 1.0, 3.0]}
    search = RandomizedSearchCV(
        LSCDE(**FIXED), candidates, n_iter=6, cv=2, scoring=log_likelihood_scorer, random_state=0
    ).fit(geyser[0][::3], geyser[1][::3])
    ax = plot.tuning(search)
    assert not [artist for artist in ax.collections if isinstance(artist, QuadMesh)]
    np.testing.assert_allclose(np.sort(ax.collections[0].get_array()), np.sort(-search.cv_results_["mean_test_score"]))
    assert legend_texts(ax)[0] == "candidates"


def test_tuning_names_what_is_wrong(model, tuned):
    with pytest.raises(ValueError, match="LSCDE: nothing was tuned, every option had one value"):
        plot.tuning(model)
    with pytest.raises(ValueError, match="LSCDE has no cv_results_, expected a fitted"):
        plot.tuning(LSCDE())
    with pytest.raises(ValueError, match="x = 'width', expected one of 'bandwidth' or 'bandwidth_y' or"):
        plot.tuning(tuned, x="width")
    with pytest.raises(ValueError, match="x and y are both 'bandwidth'"):
        plot.tuning(tuned, y="bandwidth")
    with pytest.raises(ValueError, match="no candidate has a finite score"):
        plot.tuning(Searched([-np.inf, -np.inf], bandwidth=[1, 2]))
    with pytest.raises(ValueError, match="no parameter had several numbers"):
        plot.tuning(Searched([-1, -2], coefficients=["clipped", "nonnegative"]))
    fixed = {"bandwidth": [1, 1, 1], "regularization": [1, 1, 1], "bandwidth_y": [1, 2, 3], "n_centers": [5, 6, 7]}
    with pytest.raises(ValueError, match="had one candidate each, expected 'bandwidth_y' or 'n_centers'"):
        plot.tuning(Searched([-1, -2, -3], **fixed))
