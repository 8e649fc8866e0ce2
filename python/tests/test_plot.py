"""Pictures over x and y show the values of the laws, with the labels of the data."""

import builtins
import subprocess
import sys

import numpy as np
import pytest
from pictures import (
    FIXED,
    PolyCollection,
    QuadMesh,
    caption_of,
    cells,
    draw_and_close,  # noqa: F401  (a fixture)
    legend_texts,
    lines_of,
    matplotlib,
    only,
    plt,
    read_frame,
    read_geyser,
)
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from condens import LSCDE, GaussianMixtures, plot
from condens.metrics import log_likelihood_scorer


@pytest.fixture(scope="module")
def geyser():
    return read_geyser()


@pytest.fixture(scope="module")
def model(geyser):
    return LSCDE(**FIXED).fit(*geyser)


@pytest.fixture(scope="module")
def births():
    table = read_frame("birthwt")
    X, y = table.drop(columns="birth_weight"), table["birth_weight"]
    return X, y, LSCDE(**FIXED).fit(X, y)


@pytest.fixture(scope="module")
def energy():
    table = read_frame("energy")
    X, y = table[["glazing", "height"]], table[["heating", "cooling"]]
    return X, y, LSCDE(**FIXED).fit(X, y)


# --- over one input --------------------------------------------------------------------------------


def test_density_map_shows_the_density(model, geyser):
    X, y = geyser
    at, levels = np.linspace(2, 5, 7), np.linspace(40, 100, 9)
    ax = plot.density_map(model, X, y, grid=at, y_grid=levels, mean=True)
    mesh = only(ax, QuadMesh)
    laws = model.predict_distribution(at[:, None])
    np.testing.assert_array_equal(cells(ax), laws[:, None].pdf(levels).T)
    np.testing.assert_array_equal(mesh.get_coordinates()[0, :, 0], [2, *(at[1:] + at[:-1]) / 2, 5])
    np.testing.assert_array_equal(lines_of(ax, "mean"), [at, laws.mean()])
    (points,) = [c for c in ax.collections if c.get_label() == "data"]
    np.testing.assert_array_equal(points.get_offsets(), np.column_stack([X[:, 0], y]))
    assert mesh.get_cmap()(0.0) == (1, 1, 1, 1)
    assert mesh.norm.vmin == 0
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x", "y")
    assert legend_texts(ax) == ["mean", "data"]


def test_density_map_covers_data_and_laws(model, geyser):
    X, y = geyser
    ax = plot.density_map(model, X, y, grid=20)
    low, high = ax.get_xlim()
    assert low < X.min() < X.max() < high
    laws = model.predict_distribution(np.linspace(low, high, 20)[:, None])
    bottom, top = ax.get_ylim()
    assert bottom < min(y.min(), laws.ppf(0.005).min())
    assert top > max(y.max(), laws.ppf(0.995).max())


def test_density_map_draws_into_given_axes(model, geyser):
    fig, (left, right) = plt.subplots(1, 2, layout="constrained")
    norm = matplotlib.colors.LogNorm(1e-4, 1)
    assert plot.density_map(model, *geyser, ax=right, colorbar=False, points=False, norm=norm, cmap="magma") is right
    assert only(right, QuadMesh).norm is norm
    assert only(right, QuadMesh).get_cmap().name == "magma"
    assert fig.axes == [left, right]
    assert not left.has_data()
    assert right.get_legend() is None
    assert right.spines["top"].get_visible()  # the caller's style stays


def test_density_map_takes_limits_and_artist_keywords(model, geyser):
    ax = plot.density_map(model, *geyser, grid=9, vmax=0.02, mean={"color": "red"}, points={"s": 50})
    assert only(ax, QuadMesh).norm.vmax == 0.02
    assert ax.lines[0].get_color() == "red"
    (points,) = [c for c in ax.collections if c.get_label() == "data"]
    assert points.get_sizes() == [50]


def test_other_inputs_stay_where_they_are_said_to(births):
    X, y, model = births
    grid, levels = np.linspace(100, 200, 5), np.linspace(1000, 4000, 7)
    kept = {"feature": "mother_weight", "at": {"smoke": "yes", 0: 30}}
    ax = plot.density_map(model, X, y, **kept, grid=grid, y_grid=levels)
    race = X["race"].mode()[0]
    rows = type(X)({"age": [30.0] * 5, "mother_weight": grid, "race": [race] * 5, "smoke": ["yes"] * 5})
    expected = model.predict_distribution(rows)[:, None].pdf(levels)
    np.testing.assert_array_equal(cells(ax), expected.T)
    assert ax.get_xlabel() == "mother_weight"
    assert caption_of(ax).endswith(f"At age = 30, smoke = yes, race = {race}.")
    assert ax.get_ylabel() == "birth_weight"


def test_other_inputs_stay_at_the_median(energy):
    X, y, model = energy
    ax = plot.interval_fan(model, X, y, feature="glazing", target="cooling", grid=[0.1, 0.2, 0.3])
    rows = type(X)({"glazing": [0.1, 0.2, 0.3], "height": [X["height"].median()] * 3})
    expected = model.predict_distribution(rows).marginal(1).median()
    np.testing.assert_array_equal(lines_of(ax, "median"), [[0.1, 0.2, 0.3], expected])
    assert ax.get_ylabel() == "cooling"


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_categories_stand_side_by_side(births, library):
    X, y, model = births
    levels = sorted(X["race"].unique())
    if library == "polars":
        polars = pytest.importorskip("polars")
        X = polars.DataFrame({name: X[name].to_list() for name in X.columns})
    ax = plot.interval_fan(model, X, y, feature="race", confidence=0.8)
    assert [tick.get_text() for tick in ax.get_xticklabels()] == levels
    rows = {"age": [float(np.median(X["age"]))] * 3, "mother_weight": [float(np.median(X["mother_weight"]))] * 3}
    rows = type(X)({**rows, "race": levels, "smoke": ["no"] * 3})
    x, median = lines_of(ax, "median")
    expected = model.predict_distribution(rows).median()
    np.testing.assert_array_equal(median.reshape(3, 3), np.column_stack([expected, expected, np.full(3, np.nan)]))
    np.testing.assert_allclose(np.nanmean(x.reshape(3, 3), axis=1), [0, 1, 2])
    (points,) = [c for c in ax.collections if c.get_label() == "data"]
    places = np.array(points.get_offsets())
    rows = {(levels.index(race), weight) for race, weight in zip(X["race"], y, strict=True)}
    assert {(round(place), weight) for place, weight in places} < rows  # those near the section
    plot.density_map(model, X, y, feature="race", mean=True)
    plot.hdr_bands(model, X, y, feature="race")


def test_interval_fan_shows_nested_intervals(model, geyser):
    at = np.linspace(2, 5, 6)
    ax = plot.interval_fan(model, *geyser, confidence=(0.5, 0.9), grid=at, points=False, alpha=0.5)
    laws = model.predict_distribution(at[:, None])
    bands = [c for c in ax.collections if isinstance(c, PolyCollection)]
    assert legend_texts(ax) == ["central 90 %", "central 50 %", "median"]  # the wide one lies below
    for band, mass in zip(bands, (0.9, 0.5), strict=True):
        low, high = laws.interval(mass)
        expected = {*zip(at, low, strict=True), *zip(at, high, strict=True)}
        assert {tuple(v) for v in band.get_paths()[0].vertices} == expected
        assert band.get_alpha() == 0.5
    np.testing.assert_array_equal(lines_of(ax, "median"), [at, laws.median()])


def test_hdr_bands_show_every_interval_of_every_region(model, geyser):
    at = np.array([2.0, 4.0, 4.2])
    ax = plot.hdr_bands(model, *geyser, mass=0.5, grid=at)
    bars = [path.vertices for path in ax.collections[0].get_paths()]
    regions = model.predict_distribution(at[:, None]).hdr(0.5)
    assert [len(region) for region in regions] == [1, 2, 2]  # two branches
    edges = [2.0, 3.0, 4.1, 4.2]
    expected = [(edges[i], edges[i + 1], low, high) for i, region in enumerate(regions) for low, high in region]
    shown = [(*bar[:, 0][[0, 1]], bar[:, 1].min(), bar[:, 1].max()) for bar in bars]
    np.testing.assert_allclose(shown, expected, rtol=0, atol=1e-12)
    assert legend_texts(ax) == ["highest density 50 %", "data"]


def test_pipelines_and_searches_get_their_own_inputs(geyser):
    X, y = geyser
    pipeline = make_pipeline(StandardScaler(), LSCDE(**FIXED))
    search = GridSearchCV(pipeline, {"lscde__regularization": [0.1, 1.0]}, cv=2, scoring=log_likelihood_scorer)
    search.fit(X, y)
    at = np.array([2.0, 3.0, 4.0])
    ax = plot.interval_fan(search, X, y, grid=at)
    expected = search.best_estimator_.predict(at[:, None])
    laws = search.best_estimator_[-1].predict_distribution(search.best_estimator_[0].transform(at[:, None]))
    np.testing.assert_array_equal(laws.mean(), expected)
    np.testing.assert_array_equal(lines_of(ax, "median")[1], laws.median())
    plot.pit_histogram(search, X, y)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"feature": 1}, r"feature = 1, expected an index in \[-1, 1\)"),
        ({"feature": "width"}, "feature = 'width', expected one of x"),
        ({"target": 2}, "target = 2"),
        ({"at": {"x": 3}}, "at has 'x', which is the feature that moves"),
        ({"grid": 1}, "grid = 1, expected at least 2"),
        ({"grid": [3, 2]}, "rising values"),
        ({"y_grid": [3, 3]}, "rising values of y"),
        ({"y": np.ones((299, 2))}, r"y has 2 column\(s\), expected 1"),
        ({"y": np.ones(3)}, "inconsistent numbers of samples"),
        ({"X": np.ones(299)}, r"X has 1 dimension\(s\), expected 2"),
        ({"X": np.ones((0, 1)), "y": None}, "X has no rows"),
    ],
)
def test_density_map_names_what_is_wrong(model, geyser, arguments, message):
    with pytest.raises(ValueError, match=message):
        plot.density_map(model, **{"X": geyser[0], "y": geyser[1], **arguments})


def test_levels_of_categories_are_checked(births):
    X, y, model = births
    with pytest.raises(ValueError, match="at: smoke = 'maybe', expected one of no, yes"):
        plot.density_map(model, X, y, at={"smoke": "maybe"})
    with pytest.raises(ValueError, match="at: mother_weight = 'much', expected a number"):
        plot.density_map(model, X, y, at={"mother_weight": "much"})
    with pytest.raises(ValueError, match="race has categories"):
        plot.density_map(model, X, y, feature="race", grid=[0, 1])
    with pytest.raises(TypeError, match=r"feature = 0\.5, expected a name or an index"):
        plot.density_map(model, X, y, feature=0.5)


@pytest.mark.parametrize("mass", [0, 1.0, [0.5, 1.2], []])
def test_probabilities_are_checked(model, geyser, mass):
    with pytest.raises(ValueError, match=r"mass = .*expected .*in \(0, 1\)"):
        plot.hdr_bands(model, *geyser, mass=mass)
    with pytest.raises(ValueError, match=r"confidence = .*expected .*in \(0, 1\)"):
        plot.interval_fan(model, *geyser, confidence=mass)
    assert not plt.get_fignums()  # no figure is left behind


# --- curves ------------------------------------------------------------------------------------------


def test_density_draws_laws_and_components():
    laws = GaussianMixtures([[0.3, 0.7], [0.999999, 0.000001]], [[-1.0, 2.0], [0.0, 1.0]], [[0.5, 0.8], [1.0, 1.0]])
    ax = plot.density(laws, labels=["a", "b"], components=True, name="wait")
    for law, line in zip(laws, ax.lines, strict=True):
        y, p = line.get_data()
        np.testing.assert_array_equal(p, law.pdf(y))
        assert y[0] == pytest.approx(laws.ppf(0.001).min())
        assert y[-1] == pytest.approx(laws.ppf(0.999).max())
        mass = np.sum((p[1:] + p[:-1]) / 2 * np.diff(y))
        assert mass == pytest.approx(1, abs=3e-3)  # the ends leave out 0.2 %
    first, second = (c.get_segments() for c in ax.collections)
    assert (len(first), len(second)) == (2, 1)  # the share of a millionth cannot be seen
    y = first[0][:, 0]
    np.testing.assert_allclose(first[0][:, 1] + first[1][:, 1], laws[0].pdf(y), rtol=1e-12)
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_ylim()[0]) == ("wait", "density", 0)
    assert legend_texts(ax) == ["a", "b"]


def test_density_meets_narrow_peaks():
    law = GaussianMixtures([0.5, 0.5], [0.0, 1.2345], [1.0, 1e-6])
    ax = plot.density(law)
    assert max(ax.lines[0].get_ydata()) == pytest.approx(law.pdf(law.mode()), rel=1e-3)


def test_density_can_be_called_again_on_its_axes():
    ax = plot.density(GaussianMixtures([1.0], [0.0], [1.0]))
    assert plot.density(GaussianMixtures([1.0], [0.0], [0.1]), ax=ax) is ax
    assert ax.get_ylim()[0] == 0
    assert ax.get_ylim()[1] > 3.9


def test_slices_name_the_inputs_that_differ(births):
    X, _, model = births
    rows = X.iloc[[0, 0, 0]].assign(age=[20, 25, 30], smoke=["no", "yes", "no"])
    ax = plot.slices(model, rows)
    assert legend_texts(ax) == ["age = 20, smoke = no", "age = 25, smoke = yes", "age = 30, smoke = no"]
    for law, line in zip(model.predict_distribution(rows), ax.lines, strict=True):
        np.testing.assert_array_equal(line.get_ydata(), law.pdf(line.get_xdata()))
    assert ax.get_xlabel() == "birth_weight"
    (text,) = legend_texts(plot.slices(model, rows[:1]))
    assert text == "age = 20, mother_weight = 182, race = black, smoke = no"


def test_slices_in_panels_share_their_scales(energy):
    X, _, model = energy
    rows = X.iloc[[0, 50, 100]]
    grid = np.linspace(5, 45, 30)
    axes = plot.slices(model, rows, target="cooling", panels=True, y_grid=grid, color="k")
    laws = model.predict_distribution(rows).marginal(1)
    assert len({ax.get_ylim() for ax in axes}) == 1
    for law, ax in zip(laws, axes, strict=True):
        np.testing.assert_array_equal(ax.lines[0].get_data(), [grid, law.pdf(grid)])
        assert ax.lines[0].get_color() == "k"
        assert ax.get_title(loc="left").startswith("glazing = ")
    given = plt.subplots(3)[1]
    assert list(plot.slices(model, rows, panels=True, ax=given)) == list(given)
    with pytest.raises(ValueError, match="ax has 3 axes, expected 2"):
        plot.slices(model, rows[:2], panels=True, ax=given)


def test_curves_name_what_is_wrong(model, geyser):
    laws = model.predict_distribution(geyser[0])
    with pytest.raises(ValueError, match=r"299 distributions, expected 1 to 20; choose some, such as laws\[:5\]"):
        plot.density(laws)
    with pytest.raises(ValueError, match="X has 299 rows, expected 1 to 20"):
        plot.slices(model, geyser[0])
    with pytest.raises(ValueError, match="labels has 1 names, expected 2"):
        plot.density(laws[:2], labels=["a"])
    with pytest.raises(ValueError, match="rising values of y"):
        plot.density(laws[0], y_grid=[1.0, 1.0])
    with pytest.raises(TypeError, match="laws is a LSCDE, expected GaussianMixtures"):
        plot.density(model)
    two = GaussianMixtures([1.0], [[0.0, 0.0]], [[1.0, 1.0]], multivariate=True)
    with pytest.raises(ValueError, match=r"2 targets, expected one; take laws.marginal\(j\)"):
        plot.density(two)


# --- what is imported --------------------------------------------------------------------------------


def test_a_missing_matplotlib_says_what_to_install(model, geyser, monkeypatch):
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name.split(".")[0] == "matplotlib":
            raise ImportError(f"No module named {name!r}")
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    for draw in (plot.density_map, plot.hdr_bands, plot.pit_histogram, plot.coverage):
        with pytest.raises(ImportError, match=r'pip install "condens\[plot\]"'):
            draw(model, *geyser)


def test_importing_the_module_imports_no_library_for_pictures_or_frames():
    # scikit-learn imports pandas where it is installed, so that it may be there before.
    code = (
        "import sys, sklearn.pipeline; before = set(sys.modules); import condens.plot; "
        "print([m for m in ('matplotlib', 'pandas', 'polars') if m in sys.modules.keys() - before])"
    )
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert out.stdout.strip() == "[]"
