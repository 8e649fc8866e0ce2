"""GaussianMixtures as arrays: broadcasting equals a plain loop, indexing equals numpy's, draws have numpy's shapes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from condens import GaussianMixtures


def make_laws(shape: tuple[int, ...], d: int = 1, seed: int = 0) -> GaussianMixtures:
    """Laws of which no two are equal."""
    random = np.random.default_rng(seed)
    weights = random.dirichlet(np.ones(3), shape)
    means, scales = random.normal(0, 2, (*shape, 3, d)), random.uniform(0.2, 2, (*shape, 3, d))
    if d == 1:
        return GaussianMixtures(weights, means[..., 0], scales[..., 0])
    return GaussianMixtures(weights, means, scales, multivariate=True)


# --- broadcasting ------------------------------------------------------------------------------------

SHAPES = [
    ((), [(), (1,), (5,), (2, 3), (0,)]),
    ((4,), [(), (1,), (4,), (4, 1), (1, 4), (3, 4), (6, 3, 4), (3, 1), (0, 4), (5, 1, 1)]),
    ((4, 1), [(), (4,), (7,), (4, 1), (4, 7), (1, 7), (2, 4, 7), (2, 1, 7), (0,)]),
    ((2, 3), [(), (3,), (2, 3), (2, 1), (1, 3), (1, 1), (5, 2, 3), (5, 1, 3), (5, 2, 1), (5, 1, 1)]),
    ((1,), [(), (1,), (5,), (2, 3), (0,)]),
    ((0,), [(), (1,), (0,), (3, 0), (3, 1)]),
    ((1, 1, 3), [(), (4, 2, 1), (4, 1, 3), (3,)]),
]
CASES = [(laws, y) for laws, several in SHAPES for y in several]
METHODS = {
    1: ("pdf", "logpdf", "cdf", "logcdf", "sf", "logsf", "hdr_mass", "crps", "energy_score", "squared_loss"),
    2: ("pdf", "logpdf", "energy_score", "squared_loss", "mean_distance"),
}


def loop(laws: GaussianMixtures, name: str, y: np.ndarray, d: int = 1) -> np.ndarray:
    """One law and one y after the other."""
    shape = np.broadcast_shapes(laws.shape, y.shape[: y.ndim - (d > 1)])
    places = np.broadcast_to(np.arange(laws.size).reshape(laws.shape), shape)
    flat = laws.reshape(-1)
    values = np.broadcast_to(y, (*shape, d)) if d > 1 else np.broadcast_to(y, shape)
    out = np.empty(shape)
    for index in np.ndindex(shape):
        out[index] = getattr(flat[int(places[index])], name)(values[index])
    return out


@pytest.mark.parametrize(("laws_shape", "y_shape"), CASES)
def test_functions_broadcast_as_a_loop(laws_shape: tuple[int, ...], y_shape: tuple[int, ...]) -> None:
    for d, names in METHODS.items():
        laws = make_laws(laws_shape, d)
        y = np.random.default_rng(1).normal(0, 3, (*y_shape, d) if d > 1 else y_shape)
        for name in names:
            found, expected = getattr(laws, name)(y), loop(laws, name, y, d)
            assert np.shape(found) == expected.shape, name
            # A grid shares work between laws: another order of the same sums.
            assert_allclose(found, expected, rtol=1e-13, atol=1e-14, err_msg=name)
    laws = make_laws(laws_shape)
    levels = np.random.default_rng(2).uniform(size=y_shape)
    for name in ("ppf", "isf"):
        assert_array_equal(getattr(laws, name)(levels), loop(laws, name, levels))


@pytest.mark.parametrize("d", [1, 2])
@pytest.mark.parametrize("shape", [(), (4,), (2, 3), (3, 1), (0,), (0, 2)])
def test_shapes_of_summaries(shape: tuple[int, ...], d: int) -> None:
    laws = make_laws(shape, d)
    assert (laws.shape, laws.ndim, laws.size) == (shape, len(shape), int(np.prod(shape)))
    each = shape if d == 1 else (*shape, d)
    for name in ("mean", "var", "std", "mode"):
        assert np.shape(getattr(laws, name)()) == each, name
    assert laws.cov().shape == (*shape, d, d)
    assert laws.weights.shape == (*shape, 3)
    assert laws.means.shape == laws.scales.shape == ((*shape, 3) if d == 1 else (*shape, 3, d))
    for name in ("l2_norm", "energy") + (("median", "entropy") if d == 1 else ()):
        assert np.shape(getattr(laws, name)()) == shape, name
    if d == 1:
        assert np.shape(laws.moment(2)) == shape
        assert [np.shape(part) for part in laws.stats("mvsk")] == [shape] * 4
        assert [np.shape(end) for end in laws.interval(0.5)] == [shape] * 2
    assert len(laws.modes()) == laws.size or not shape
    assert str(shape) in repr(laws) or not shape


def test_one_law_gives_numbers() -> None:
    law = make_laws(())
    for value in (law.pdf(0.0), law.cdf(0.0), law.ppf(0.5), law.mean(), law.median(), law.rvs(), law.energy()):
        assert isinstance(value, float)


# --- indexing ----------------------------------------------------------------------------------------------

KEYS: dict[tuple[int, ...], list[Any]] = {
    (6,): [
        0, -1, np.int64(3), np.uint8(5), slice(None), slice(1, 4), slice(None, None, -1), slice(5, 0, -2), slice(4, 2),
        slice(-100, 100), slice(None, None, 3), [0, 0, 5], np.array([-1, 2]), np.array([[0, 1], [2, 3]]), [],
        np.array([True, False] * 3), np.zeros(6, bool), None, ..., (..., None), (None, slice(1, 3)), (None, 2),
        (slice(None), None), (slice(None, None, -1), None), (slice(None), None, None), (), True, (3, None),
    ],
    (): [(), ..., None, (None, None), True, False],
    (2, 3): [
        0, -1, (1, 2), (0, -1), slice(None, None, -1), (slice(None), 1), (slice(None), slice(None, None, -2)),
        ([0, 1], [2, 0]), ([[0], [1]], [0, 2]), np.array([[True, False, True], [False, True, False]]), (..., 0), None,
        (np.array([True, False]), slice(None)), (slice(None), None, [0, 0]), (1, ..., None),
    ],
    (0,): [slice(None), slice(None, None, -1), [], None, ..., np.zeros(0, bool)],
}  # fmt: skip


@pytest.mark.parametrize(("shape", "key"), [(shape, key) for shape, keys in KEYS.items() for key in keys], ids=repr)
def test_indexing_is_that_of_numpy(shape: tuple[int, ...], key: Any) -> None:
    for d in (1, 2):
        laws = make_laws(shape, d)
        numbers = laws.weights[..., 0]  # names every law
        expected = np.asarray(numbers)[key]
        assert laws[key].shape == expected.shape
        assert_array_equal(laws[key].weights[..., 0], expected)
        assert laws[key].n_targets == d


@pytest.mark.parametrize(
    ("shape", "key"),
    [((6,), 6), ((6,), -7), ((6,), (0, 0)), ((6,), [7]), ((6,), np.ones(5, bool)), ((6,), 1.0), ((6,), "a"),
     ((6,), slice(None, None, 0)), ((), 0), ((2, 3), (0, 3)), ((0,), 0)],
    ids=repr,
)  # fmt: skip
def test_wrong_keys_fail_as_in_numpy(shape: tuple[int, ...], key: Any) -> None:
    with pytest.raises((IndexError, ValueError, TypeError)) as of_numpy:
        np.empty(shape)[key]
    with pytest.raises(of_numpy.type):
        make_laws(shape)[key]


def test_len_and_iteration() -> None:
    laws = make_laws((2, 3))
    assert len(laws) == 2
    assert [row.shape for row in laws] == [(3,), (3,)]
    assert [[law.mean() for law in row] for row in laws] == laws.mean().tolist()
    with pytest.raises(TypeError, match="distributions of shape \\(\\) have no length"):
        len(make_laws(()))
    with pytest.raises(TypeError):
        iter(make_laws(()))
    assert_array_equal(laws.reshape(3, 2).mean(), laws.mean().reshape(3, 2))
    assert_array_equal(laws.reshape(-1).mean(), laws.mean().reshape(-1))
    with pytest.raises(ValueError, match="reshape"):
        laws.reshape(4, 2)


def test_slices_of_predictions_are_predictions(fitted: Any, data: Any) -> None:
    x = data[0]
    laws = fitted.predict_distribution(x)
    for rows in (slice(3, 9), slice(None, None, -7), [4, 4, 1]):
        assert_array_equal(laws[rows].logpdf(0.3), fitted.predict_distribution(x[rows]).logpdf(0.3))


# --- draws ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("d", [1, 2])
@pytest.mark.parametrize("shape", [(), (4,), (2, 3), (0,)])
@pytest.mark.parametrize("size", [None, 5, (5,), (2, 3), (), 0, (0, 2)])
def test_shapes_of_draws(shape: tuple[int, ...], d: int, size: Any) -> None:
    draws = make_laws(shape, d).rvs(size, random_state=0)
    sizes = () if size is None else (size,) if isinstance(size, int) else size
    assert np.shape(draws) == (*sizes, *shape, *([] if d == 1 else [d]))


def test_draws_repeat_themselves() -> None:
    laws = make_laws((4,))
    draws = laws.rvs(50, random_state=7)
    assert_array_equal(draws, laws.rvs(50, random_state=7))
    assert_array_equal(draws.reshape(10, 5, 4), laws.rvs((10, 5), random_state=7))
    assert_array_equal(draws, laws.rvs(50, random_state=np.int64(7)))
    assert (draws != laws.rvs(50, random_state=8)).all()
    assert (laws.rvs(50) != laws.rvs(50)).any()
    for make in (np.random.default_rng, np.random.RandomState):
        one, other = make(3), make(3)
        first = laws.rvs(5, random_state=one)
        assert_array_equal(first, laws.rvs(5, random_state=other))
        assert (first != laws.rvs(5, random_state=one)).all()  # a generator moves on
    for threads in (1, 2, 7, -1):
        laws.n_jobs = threads
        assert_array_equal(draws, laws.rvs(50, random_state=7))


def test_draws_follow_their_laws() -> None:
    laws = make_laws((3,))
    draws = laws.rvs(4000, random_state=1)
    for i, law in enumerate(laws):
        # Kolmogorov-Smirnov; would fail for one seed in 1e5.
        assert stats.kstest(draws[:, i], law.cdf).pvalue > 1e-5
    assert abs(np.corrcoef(draws.T)[np.triu_indices(3, 1)]).max() < 4.5 / np.sqrt(4000)
    two = make_laws((), 2).rvs(4000, random_state=2)
    law = make_laws((), 2)
    error = 4.5 * np.sqrt(np.diag(law.cov()) / 4000)
    assert (abs(two.mean(0) - law.mean()) < error).all()
    assert_allclose(np.cov(two.T), law.cov(), atol=0.15 * np.trace(law.cov()))  # ten standard errors


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"size": -1}, ValueError, "size = -1, expected numbers >= 0"),
        ({"size": (2, -1)}, ValueError, "expected numbers >= 0"),
        ({"size": 2.5}, TypeError, r"rvs: size = 2.5, expected an int or a tuple of int"),
        ({"size": (2.5,)}, TypeError, r"rvs: size = \(2.5,\), expected an int"),
        ({"size": "ab"}, TypeError, "rvs: size = 'ab', expected an int"),
        ({"size": 10**30}, ValueError, "expected fewer draws"),
        ({"size": (2**40, 2**40)}, ValueError, "expected fewer draws"),
        ({"random_state": -1}, ValueError, "random_state = -1, expected an int >= 0"),
        ({"random_state": "seed"}, ValueError, "random_state = 'seed', expected None, an int"),
    ],
)
def test_wrong_draws(arguments: dict[str, Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        make_laws((2,)).rvs(**arguments)
