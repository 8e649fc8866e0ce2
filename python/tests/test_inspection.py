"""Effects, importances and shares of inputs, against loops written out and models whose answer is known."""

import io

import matplotlib as mpl
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from condens import (
    BoostedDensity,
    ConditionalForest,
    GaussianMixtures,
    GaussianProcess,
    NadarayaWatson,
    inspection,
)

mpl.use("Agg")


class Known(BaseEstimator):
    """Mean 2 x1 + x1 x2, standard deviation exp(x2), nothing of x3."""

    def predict_distribution(self, X):
        X = np.asarray(X, dtype=np.float64)
        mean = 2 * X[:, 0] + X[:, 0] * X[:, 1]
        return GaussianMixtures(np.ones((len(X), 1)), mean[:, None], np.exp(X[:, 1])[:, None])


@pytest.fixture(scope="module")
def rows():
    random = np.random.default_rng(0)
    return random.normal(size=(300, 3))


def test_partial_dependence_is_the_loop(rows):
    found = inspection.partial_dependence(Known(), rows, 0, grid=[-1.0, 0.0, 2.0])
    for value, at in zip(found.grid, found.values, strict=True):
        assert_allclose(at, np.mean(2 * value + value * rows[:, 1]))
    assert found.feature == "x1"
    spread = inspection.partial_dependence(Known(), rows, 1, of="std", grid=[0.0, 1.0])
    assert_allclose(spread.values, np.exp([0.0, 1.0]))
    assert_allclose(spread.standard_error, 0, atol=1e-12)
    quantile = inspection.partial_dependence(Known(), rows, 2, of=0.9)
    assert_allclose(quantile.values, quantile.values[0])
    assert quantile.of == "90 % quantile"


def test_accumulated_effects_are_the_changes_within_bins(rows):
    found = inspection.accumulated_local_effects(Known(), rows, 0, bins=10)
    slope = np.diff(found.values) / np.diff(found.grid)
    for k in range(len(slope)):
        inside = (rows[:, 0] > found.grid[k]) & (rows[:, 0] <= found.grid[k + 1])
        inside |= (k == 0) & (rows[:, 0] == found.grid[0])
        assert_allclose(slope[k], 2 + rows[inside, 1].mean())
    nothing = inspection.accumulated_local_effects(Known(), rows, 2)
    assert_allclose(nothing.values, 0, atol=1e-12)
    linear = inspection.accumulated_local_effects(Known(), rows * [1, 0, 1], 0, bins=5)
    assert_allclose(np.diff(linear.values), 2 * np.diff(linear.grid))


def test_importances_are_what_the_score_loses(rows):
    y = Known().predict_distribution(rows).rvs(random_state=1)
    found = inspection.permutation_importance(Known(), rows, y, n_repeats=3, random_state=0)
    assert found.names == ["x1", "x2", "x3"]
    assert (found.importances_mean[:2] > 0.5).all()
    assert_allclose(found.importances_mean[2], 0, atol=1e-12)
    assert_allclose(found.score, -Known().predict_distribution(rows).logpdf(y).mean())
    again = inspection.permutation_importance(Known(), rows, y, n_repeats=3, random_state=0)
    assert_array_equal(found.importances, again.importances)
    crps = inspection.permutation_importance(Known(), rows, y, scoring="crps", random_state=0)
    assert crps.importances.shape == (3, 5)
    assert crps.importances_mean[0] > 0.3


def test_shares_add_up_and_are_exact_for_sums(rows):
    row = np.array([1.0, 0.5, 3.0])
    found = inspection.shapley_values(Known(), row, rows, of="std", n_permutations=50, random_state=0)
    assert_allclose(found.values.sum(), found.prediction - found.base)
    assert_allclose(found.values[[0, 2]], 0, atol=1e-12)  # only x2 says something of the spread
    assert_allclose(found.prediction, np.exp(0.5))
    mean = inspection.shapley_values(Known(), row, rows, n_permutations=2000, random_state=1)
    # For x1 (2 + x2): x1 alone against x2 of the rows, and against that of the row, each half of the time.
    expected = (row[0] - rows[:, 0].mean()) * (2 + 0.5 * (row[1] + rows[:, 1].mean()))
    assert abs(mean.values[0] - expected) < 5 * mean.standard_error[0] + 0.02


def test_frames_pipelines_and_kinds():
    pd = pytest.importorskip("pandas")
    random = np.random.default_rng(2)
    frame = pd.DataFrame({"a": random.normal(size=200), "b": np.where(random.uniform(size=200) < 0.5, "up", "down")})
    y = random.poisson(np.exp(0.5 * frame["a"] + (frame["b"] == "up")))
    model = BoostedDensity(target_kind="count").fit(frame, y)
    levels = inspection.partial_dependence(model, frame, "b")
    assert list(levels.grid) == ["down", "up"]
    assert levels.values[1] > levels.values[0] + 0.5
    assert inspection.accumulated_local_effects(model, frame, "a").feature == "a"
    assert inspection.permutation_importance(model, frame, y, n_repeats=1).importances.shape == (2, 1)
    shares = inspection.shapley_values(model, frame.iloc[:1], frame, n_permutations=20, random_state=0)
    assert_allclose(shares.values.sum(), shares.prediction - shares.base)
    X = frame[["a"]].to_numpy()
    near = X[:, 0] + 0.3 * random.normal(size=len(X))
    pipeline = make_pipeline(StandardScaler(), GaussianProcess()).fit(X, near)
    assert len(inspection.partial_dependence(pipeline, X, 0, of=lambda laws: laws.sf(2.0)).values) == 30


def test_effects_are_drawn(rows):
    axes = inspection.partial_dependence(Known(), rows, 0).plot()
    assert axes.get_xlabel() == "x1"
    assert axes.get_ylabel() == "mean"
    levels = inspection.Effect("b", "std", np.array(["u", "v"]), np.ones(2), np.ones(2))
    assert [tick.get_text() for tick in levels.plot().get_xticklabels()] == ["u", "v"]


def test_bad_arguments_are_named(rows):
    model = Known()
    for call, words in (
        (lambda: inspection.partial_dependence(model, rows, "age"), "feature = 'age', expected one of x1, x2, x3"),
        (lambda: inspection.partial_dependence(model, rows, 7), r"feature = 7, expected an index in \[0, 3\)"),
        (lambda: inspection.partial_dependence(model, rows, 0, of="mode"), "of = 'mode', expected 'mean'"),
        (lambda: inspection.partial_dependence(model, rows, 0, of=1.5), "of = 1.5, expected a probability"),
        (lambda: inspection.partial_dependence(model, rows, 0, of=lambda laws: 1.0), "expected a number for each"),
        (lambda: inspection.partial_dependence(model, rows, 0, grid=1), "grid = 1, expected at least 2"),
        (lambda: inspection.accumulated_local_effects(model, rows, 0, bins=0), "bins = 0, expected at least 1"),
        (lambda: inspection.accumulated_local_effects(model, rows * 0, 0), "is always 0, expected at least two"),
        (lambda: inspection.permutation_importance(model, rows, rows[:, 0], scoring="r2"), "scoring = 'r2', expected"),
        (lambda: inspection.permutation_importance(model, rows, rows[:, 0], n_repeats=0), "n_repeats = 0, expected"),
        (lambda: inspection.shapley_values(model, rows[:2], rows), "row has shape"),
        (lambda: inspection.shapley_values(model, rows[0], rows, n_permutations=1), "n_permutations = 1, expected"),
    ):
        with pytest.raises(ValueError, match=words):
            call()


def test_two_rows_are_compared_exactly(rows):
    row, other = np.array([1.0, 0.5, 3.0]), np.array([-1.0, 0.5, 2.0])
    found = inspection.compare_rows(Known(), row, other)
    assert_allclose(found.values, [2 * 2 + 2 * 0.5, 0, 0], atol=1e-12)  # only x1 differs of those that count
    assert_array_equal(found.standard_error, 0)
    row = np.array([1.0, -0.5, 3.0])
    mean = inspection.compare_rows(Known(), row, other)
    # x1 (2 + x2): each first half of the time.
    assert_allclose(mean.values[0], 2 * (2 + (0.5 - 0.5) / 2))
    assert_allclose(mean.values.sum(), mean.prediction - mean.base)
    for of in ("crps", "kolmogorov"):
        gap = inspection.compare_rows(Known(), row, other, of=of)
        assert_allclose(gap.values.sum(), gap.prediction)
        assert_allclose(gap.base, 0, atol=1e-15)
        assert_allclose(gap.values[2], 0, atol=1e-15)
    # integral (F - G)^2 of N(m, 1) and N(0, 1) by the distribution functions on a fine grid.
    same = Known().predict_distribution(np.array([[0.0, 0.0, 0.0], [0.5, 0.0, 0.0]]))
    grid = np.linspace(-12, 13, 20001)
    exact = ((same[1].cdf(grid) - same[0].cdf(grid)) ** 2).sum() * (grid[1] - grid[0])
    gap = inspection.compare_rows(Known(), np.array([0.5, 0, 0]), np.zeros(3), of="crps")
    assert_allclose(gap.prediction, exact, rtol=1e-5)


def test_many_inputs_are_compared_by_orders():
    class Sum(BaseEstimator):
        def predict_distribution(self, X):
            mean = np.asarray(X).sum(axis=1)
            return GaussianMixtures(np.ones((len(X), 1)), mean[:, None], np.ones((len(X), 1)))

    row = np.arange(14.0) + 1
    found = inspection.compare_rows(Sum(), row, np.zeros(14), n_permutations=5, random_state=0)
    assert_allclose(found.values, row)
    assert_allclose(found.standard_error, 0, atol=1e-12)


def test_training_rows_are_the_weights_of_the_kernels(rows):
    y = rows[:, 0] + 0.1 * rows[:, 1]
    model = NadarayaWatson(metric="isotropic", bandwidth=0.5, bandwidth_y=0.3).fit(rows, y)
    found = inspection.training_row_weights(model, rows[:2], rows, y, k=300)
    scaled = rows / rows.std(axis=0, ddof=1)
    for i in range(2):
        plain = np.exp(-0.5 * (((scaled - scaled[i]) / 0.5) ** 2).sum(axis=1))
        dense = np.zeros(300)
        dense[found.rows[i]] = found.weights[i]
        assert_allclose(dense, plain / plain.sum(), atol=1e-12)
    few = inspection.training_row_weights(model, rows[:2], rows, y, k=3)
    assert_array_equal(few.rows, found.rows[:, :3])
    assert_array_equal(few.rows[:, 0], [0, 1])
    assert_allclose(few.weights.sum(axis=1) + few.others, 1)
    pipeline = make_pipeline(StandardScaler(), ConditionalForest(n_trees=20, min_samples_leaf=5)).fit(rows, y)
    weights = inspection.training_row_weights(pipeline, rows[:1], rows, y, k=300)
    assert_allclose(weights.weights.sum(), 1)
    used = weights.rows[0] >= 0
    mean = (weights.weights[0, used] * y[weights.rows[0, used]]).sum()
    assert_allclose(mean, pipeline.predict(rows[:1])[0], atol=5e-3)  # 1e-3 of the broad Gaussian
    with pytest.raises(ValueError, match="expected the data of the fit, unchanged"):
        inspection.training_row_weights(model, rows[:1], rows[:-1], y[:-1])
    with pytest.raises(ValueError, match="gp is not made of training rows"):
        inspection.training_row_weights(GaussianProcess().fit(rows, y), rows[:1], rows, y)


def test_shares_and_importances_are_drawn(rows):
    found = inspection.shapley_values(Known(), rows[0], rows, random_state=0)
    assert found.plot().get_xlabel() == f"from {found.base:.4g} to {found.prediction:.4g}"
    y = Known().predict_distribution(rows).rvs(random_state=0).reshape(-1)
    axes = inspection.permutation_importance(Known(), rows, y, n_repeats=2, random_state=0).plot()
    assert next(tick.get_text() for tick in axes.get_yticklabels()) == "x3"  # the least at the bottom


def test_bad_rows_to_compare_are_named(rows):
    for call, words in (
        (lambda: inspection.compare_rows(Known(), rows[0], rows[:2]), "other has shape .* one row of 3 inputs"),
        (lambda: inspection.compare_rows(Known(), rows[0, :2], rows[0]), "row has shape .* one row of 3 inputs"),
        (lambda: inspection.compare_rows(Known(), rows[0], rows[1], n_permutations=1), "n_permutations = 1, expected"),
    ):
        with pytest.raises(ValueError, match=words):
            call()


def test_the_command_says_the_same(command, rows, tmp_path):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(rows[:60], columns=["a", "b", "c"])
    y = frame["a"] * frame["b"] + 0.3 * frame["c"]
    model = GaussianProcess().fit(frame, y)
    model.save(tmp_path / "m.cbor")
    frame.to_csv(tmp_path / "t.csv", index=False)

    def told(*words):
        return pd.read_csv(io.StringIO(command("explain", str(tmp_path / "m.cbor"), str(tmp_path / "t.csv"), *words)))

    partial = inspection.partial_dependence(model, frame, "a", of=0.9, grid=20)
    same = told("--effect", "a", "--partial", "--of", "quantile:0.9")
    assert_allclose(same["a"], partial.grid)
    assert_allclose(same["value"], partial.values, rtol=1e-10)
    local = inspection.accumulated_local_effects(model, frame, "a", of="std", bins=20)
    same = told("--effect", "a", "--of", "std")
    assert_allclose(same["a"], local.grid)
    assert_allclose(same["effect"], local.values, atol=1e-12)
    for of in ("mean", "crps"):
        shares = inspection.compare_rows(model, frame[:1], frame[1:2], of=of)
        same = told("--compare", "1,2", "--of", "mean").set_index(["of", "input"])["value"][of]
        assert_allclose(same[["a", "b", "c"]], shares.values, atol=1e-10)
        assert_allclose(same["(prediction)"], shares.prediction, atol=1e-10)
