"""Pictures of many rows, levels and inputs can be read, and say what they leave out."""

from itertools import pairwise

import numpy as np
import pytest
from pictures import (
    FIXED,
    QuadMesh,
    caption_of,
    draw_and_close,  # noqa: F401  (a fixture)
    legend_texts,
    lines_of,
    only,
    plt,
)

from condens import GMM, LSCDE, FitWarning, GaussianMixtures, plot
from condens.plot._points import FAINT_FROM, MOST_POINTS, SMALL_FROM, STRONGEST

pytestmark = pytest.mark.filterwarnings(f"ignore::{FitWarning.__module__}.{FitWarning.__name__}")


def sample(n, d, seed=0):
    """Inputs, and a y that is the first of them with noise."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d))
    return X, X[:, 0] + 0.3 * random.normal(size=n)


@pytest.fixture(scope="module")
def one():
    X, y = sample(10_000, 1)
    return X, y, LSCDE(**FIXED, n_centers=30).fit(X[:300], y[:300])


@pytest.fixture(scope="module")
def several():
    X, y = sample(600, 4)
    X[:, 1] = X[:, 1] > 1
    return X, y, LSCDE(**FIXED, n_centers=30).fit(X, y)


def points_of(ax):
    (points,) = [c for c in ax.collections if c.get_label() == "data"]
    return points


# --- points --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("draw", [plot.density_map, plot.interval_fan, plot.hdr_bands])
def test_ten_thousand_rows_bury_nothing(one, draw):
    X, y, model = one
    ax = draw(model, X, y, grid=12)
    points = points_of(ax)
    assert len(points.get_offsets()) == MOST_POINTS
    assert "1,500 of 10,000 rows drawn" in caption_of(ax)
    np.testing.assert_allclose(points.get_facecolor()[:, 3], STRONGEST * np.sqrt(FAINT_FROM / MOST_POINTS))
    assert points.get_sizes()[0] < 12
    assert all(line.get_zorder() > points.get_zorder() for line in ax.lines)
    below = [c for c in ax.collections if c is not points]
    assert below
    assert all(c.get_zorder() < points.get_zorder() for c in below)


def test_few_rows_are_all_seen(one):
    X, y, model = one
    ax = plot.density_map(model, X[:200], y[:200], grid=12)
    points = points_of(ax)
    assert len(points.get_offsets()) == 200
    np.testing.assert_allclose(points.get_facecolor()[:, 3], STRONGEST)
    assert points.get_linewidths()[0] > 0
    assert caption_of(ax) == ""
    assert len(points_of(plot.density_map(model, X, y, grid=12, max_points=20_000)).get_offsets()) == 10_000
    assert not points_of(plot.density_map(model, X, y, grid=12)).get_linewidths()[0]
    assert SMALL_FROM < MOST_POINTS
    with pytest.raises(ValueError, match="max_points = 0, expected at least 1"):
        plot.density_map(model, X, y, grid=12, max_points=0)


def test_the_mark_in_the_legend_is_not_faint(one, several):
    for X, y, model in (one, several):
        ax = plot.interval_fan(model, X, y, grid=12)
        mark = ax.get_legend().legend_handles[legend_texts(ax).index("data")]
        assert mark.get_facecolor()[0, 3] == 1
        assert mark.get_sizes()[0] >= 12


def test_what_the_caller_says_of_points_holds(one):
    X, y, model = one
    shade = np.linspace(0, 1, len(y))
    points = points_of(plot.density_map(model, X, y, grid=12, points={"alpha": 0.9, "s": 3, "c": shade}))
    assert points.get_alpha() == 0.9
    assert points.get_sizes() == [3]
    np.testing.assert_array_equal(points.get_array(), shade[np.arange(1500) * 10_000 // 1500])


def test_rows_fade_with_their_distance_from_the_section(several):
    X, y, model = several
    ax = plot.interval_fan(model, X, y, grid=12)
    points = points_of(ax)
    strength = points.get_facecolor()[:, 3]
    assert len(strength) < len(y)  # far rows are left out
    assert strength.max() > 4 * strength.min()
    at = {tuple(row): k for k, row in enumerate(np.column_stack([X[:, 0], y]))}
    rows = X[[at[tuple(place)] for place in points.get_offsets()]][:, 1:]
    middle = np.median(X[:, 1:], axis=0)
    distance = (((rows - middle) / X[:, 1:].std(axis=0)) ** 2).mean(axis=1)
    np.testing.assert_array_equal(np.argsort(-strength, kind="stable"), np.argsort(distance, kind="stable"))
    assert "rows are paler the farther they are from there" in caption_of(ax)
    # With one input there is no section: nothing fades.
    alone = LSCDE(**FIXED, n_centers=30).fit(X[:, :1], y)
    assert np.ptp(points_of(plot.interval_fan(alone, X[:, :1], y, grid=12)).get_facecolor()[:, 3]) == 0


def test_joint_thins_and_counts():
    X, _ = sample(5000, 2)
    ax = plot.joint(GMM(n_components=1).fit(X), X, grid=20)
    assert len(points_of(ax).get_offsets()) == MOST_POINTS
    assert caption_of(ax) == "1,500 of 5,000 rows drawn."


# --- axes ----------------------------------------------------------------------------------------------


def test_nothing_is_claimed_below_zero():
    X, _ = sample(300, 1)
    y = np.abs(X[:, 0]) + 0.01
    model = LSCDE(**FIXED).fit(X, y)
    for ax in (plot.density_map(model, X, y, grid=30), plot.interval_fan(model, X, y, grid=30)):
        low, high = ax.get_ylim()
        assert -0.02 * high < low <= 0
        assert "% of the probability lies below 0." in caption_of(ax)
    ax = plot.slices(model, [[0.0], [1.0]])
    assert ax.get_xlim()[0] == 0
    assert min(line.get_xdata().min() for line in ax.lines) == 0
    assert "% of the probability lies below 0." in caption_of(ax)
    shifted = LSCDE(**FIXED).fit(X, y - 0.5)
    assert plot.interval_fan(shifted, X, y - 0.5, grid=30).get_ylim()[0] < -0.5


def test_far_values_of_few_rows_do_not_squeeze_the_rest(one):
    X, y, model = one
    far = y.copy()
    far[7] = 1e6
    ax = plot.density_map(model, X, far, grid=12)
    assert ax.get_ylim()[1] < 20
    assert caption_of(ax).endswith(" beyond the axis.")


def test_curves_mark_where_the_data_end(one):
    _, y, model = one
    ax = plot.slices(model, [[-1.0], [0.0], [3.5]])
    assert "beyond the data" in legend_texts(ax)
    low, high = y[:300].min(), y[:300].max()
    spans = [patch.get_extents().transformed(ax.transData.inverted()) for patch in ax.patches]
    ends = {round(float(end), 6) for span in spans for end in (span.x0, span.x1)}
    assert {round(float(low), 6), round(float(high), 6)} & ends
    law = GaussianMixtures([1.0], [0.0], [1.0])
    assert not plot.density(law, labels=["a"]).patches
    with pytest.raises(ValueError, match=r"data_range = \(1, 1\), expected the least and a larger y"):
        plot.density(law, data_range=(1, 1))


def test_slices_say_what_their_rows_have_in_common(several):
    X, _, model = several
    rows = X[[3, 3]].copy()
    rows[:, 0] = [-1, 1]
    ax = plot.slices(model, rows)
    assert legend_texts(ax)[:2] == ["x1 = -1", "x1 = 1"]
    assert f"At x2 = {rows[0, 1]:.4g}, x3 = {rows[0, 2]:.4g}, x4 = {rows[0, 3]:.4g}." in caption_of(ax)


# --- levels --------------------------------------------------------------------------------------------


def test_an_input_of_zero_and_one_is_two_levels(several):
    X, y, model = several
    ax = plot.interval_fan(model, X, y, feature=1)
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["0", "1"]
    x, middle = lines_of(ax, "median")
    rows = np.tile(np.median(X, axis=0), (2, 1))
    rows[:, 1] = [0, 1]
    np.testing.assert_array_equal(middle[[0, 3]], model.predict_distribution(rows).median())
    assert np.isnan(x[2])  # a gap between the levels
    assert only(plot.density_map(model, X, y, feature=1), QuadMesh).get_coordinates().shape[1] == 3
    # Values of the caller are a continuum, and so are six values.
    assert len(lines_of(plot.interval_fan(model, X, y, feature=1, grid=[0.0, 0.5, 1.0]), "median")[0]) == 3
    six = np.column_stack([X[:, 0], np.arange(len(X)) % 6, X[:, 2:]])
    assert len(lines_of(plot.interval_fan(model, six, y, feature=1), "median")[0]) == 200


@pytest.mark.parametrize(("count", "every"), [(3, 1), (22, 1), (90, 4)])
def test_names_of_many_levels_do_not_collide(count, every):
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(0)
    X = pandas.DataFrame({"dest": [f"L{100 + k % count}" for k in range(4 * count)]})
    y = random.normal(size=len(X))
    model = LSCDE(**FIXED, n_centers=20).fit(X, y)
    ax = plot.interval_fan(model, X, y)
    ax.figure.canvas.draw()
    boxes = [tick.get_window_extent() for tick in ax.get_xticklabels()]
    assert len(boxes) == -(-count // every)
    assert not any(a.overlaps(b) for a, b in pairwise(boxes))
    assert (f"One of {every} levels is named." in caption_of(ax)) == (every > 1)


# --- legends, captions, calibration --------------------------------------------------------------------


@pytest.mark.parametrize("inputs", [1, 4, 40])
@pytest.mark.parametrize("draw", [plot.density_map, plot.interval_fan, plot.hdr_bands])
def test_caption_and_legend_take_a_tenth_of_the_height(inputs, draw):
    X, y = sample(400, inputs)
    model = LSCDE(**FIXED, n_centers=20).fit(X, y)
    ax = draw(model, X, y, grid=12)
    ax.figure.canvas.draw()
    texts = [text for text in ax.texts if text.get_gid() == "caption"]
    taken = [artist.get_window_extent().height for artist in (ax.get_legend(), *texts)]
    assert sum(taken) <= 0.1 * ax.figure.bbox.height
    edge = ax.figure.bbox
    assert all(edge.x0 <= t.get_window_extent().x0 and t.get_window_extent().x1 <= edge.x1 for t in texts)
    assert (" more." in caption_of(ax)) == (inputs == 40)


def test_a_high_legend_stands_beside():
    laws = GaussianMixtures([[1.0]] * 12, np.arange(12.0)[:, None], [[1.0]] * 12)
    ax = plot.density(laws, labels=[f"a rather long name of a law, number {k}" for k in range(12)])
    ax.figure.canvas.draw()
    box, axes = ax.get_legend().get_window_extent(), ax.get_window_extent()
    assert box.x0 >= axes.x1
    assert axes.height > 0.6 * ax.figure.bbox.height
    assert box.y0 >= 0


@pytest.mark.parametrize("n", [4000, 4001])
def test_calibration_of_many_rows_shows_the_difference(n):
    less = n > 4000
    pit = np.random.default_rng(1).uniform(size=n) ** 1.05
    ax = plot.calibration(pit)
    x, share = lines_of(ax, f"{n:,} rows")
    for p in (0.1, 0.5, 0.9):
        expected = (pit <= p).mean() - (p if less else 0)
        assert np.interp(p, x, share) == pytest.approx(expected, abs=2 / n)
    assert ("less" in ax.get_ylabel()) == less
    low, high = ax.get_ylim()
    band = ax.collections[0].get_paths()[0].vertices[:, 1]
    if less:
        assert low == -high
        assert np.ptp(band) > 0.1 * (high - low)  # it can be seen
    bars = [patch.get_height() for patch in plot.pit_histogram(pit).patches]
    counts = np.histogram(pit, 20, (0, 1))[0] * 20 / n
    np.testing.assert_allclose(bars, counts - (1 if less else 0))
    assert ("less" in plot.calibration(pit, difference=not less).get_ylabel()) != less


def test_coverage_of_many_rows_shows_the_difference(one):
    X, y, model = one
    ax = plot.coverage(model, X[:5000], y[:5000], hdr=False)
    x, off = lines_of(ax, "central intervals")
    low, high = model.predict_distribution(X[:5000]).interval(0.8)
    expected = ((low <= y[:5000]) & (y[:5000] <= high)).mean() - 0.8
    assert np.interp(0.8, x, off) == pytest.approx(expected, abs=1e-3)
    assert len(plt.get_fignums()) == 1
