"""Quadratic programmes over the simplex against scipy's general solver, and their certificates."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize

from condens import NumericalError, optim


def problem(n, seed=1):
    """B = Phi'Phi and v = Phi't of positive columns."""
    random = np.random.default_rng(seed)
    phi, t = random.uniform(size=(30, n)), random.uniform(size=30)
    return phi.T @ phi, phi.T @ t


def value(B, v, b):
    return 0.5 * b @ B @ b - v @ b


@pytest.mark.parametrize("n", [1, 2, 5, 12])
def test_the_exact_solver_is_no_worse_than_a_general_one(n):
    B, v = problem(n)
    found = optim.simplex_qp(B, v)
    general = minimize(
        lambda b: value(B, v, b),
        np.full(n, 1 / n),
        jac=lambda b: B @ b - v,
        method="SLSQP",
        bounds=[(0, None)] * n,
        constraints={"type": "eq", "fun": lambda b: b.sum() - 1, "jac": lambda b: np.ones(n)},
        options={"ftol": 1e-14},
    )
    assert found.objective <= general.fun + 1e-10
    assert_allclose(found.solution, general.x, atol=1e-5)
    assert_allclose(found.objective, value(B, v, found.solution), rtol=1e-12)
    gradient = B @ found.solution - v
    assert_allclose(found.gap, found.solution @ gradient - gradient.min(), atol=1e-12)
    assert found.gap < 1e-12
    assert found.iterations >= 1
    assert_allclose(found.solution.sum(), 1)
    assert (found.solution >= 0).all()


def test_the_exact_solver_stops_at_its_tolerance_and_threads_change_nothing():
    B, v = problem(30)
    rough, exact = optim.simplex_qp(B, v, tolerance=0.1), optim.simplex_qp(B, v)
    assert rough.gap <= 0.1
    assert rough.objective - exact.objective <= rough.gap
    assert_array_equal(optim.simplex_qp(B, v, n_jobs=7).solution, exact.solution)


def test_multiplicative_updates_fall_to_the_minimum():
    B, v = problem(6)
    found = optim.mnqp(B, v, 20000)
    exact = optim.simplex_qp(B, v)
    assert (np.diff(found.objective) <= 1e-12).all()
    assert_allclose(found.objective[0], value(B, v, np.full(6, 1 / 6)))
    assert_allclose(found.objective[-1], value(B, v, found.solution))
    assert 0 <= found.objective[-1] - exact.objective <= found.gap + 1e-12
    assert_allclose(found.objective[-1], exact.objective, rtol=1e-5)
    assert len(optim.mnqp(B, v, 7).objective) == 8


def test_the_printed_step_leaves_the_simplex():
    B, v = np.array([[1.0, 0.2], [0.2, 1.0]]), np.array([3.0, 0.0])
    c = 0.5 / 0.6
    h = (1 - 3 * c) / (2 * c)
    assert_allclose(optim.mnqp(B, v, 1, step="printed").solution, [c * (3 + h), c * h])
    assert c * h < 0
    assert_allclose(optim.mnqp(B, v, 1).solution, [1, 0], atol=1e-15)


B, v = problem(2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: optim.simplex_qp(B, [[1.0]]), "v has 2 dimensions"),
        (lambda: optim.simplex_qp(B, [1.0]), r"B has shape \(2, 2\), expected \(1, 1\)"),
        (lambda: optim.simplex_qp([[1.0, 2.0], [0.0, 1.0]], v), "B is not symmetric"),
        (lambda: optim.simplex_qp([[1.0, np.nan], [np.nan, 1.0]], v), "NaN or infinity"),
        (lambda: optim.simplex_qp(np.zeros((0, 0)), []), "v is empty"),
        (lambda: optim.simplex_qp(B, v, tolerance=-1), "tolerance = -1"),
        (lambda: optim.mnqp([[1.0, -0.5], [-0.5, 1.0]], v), "the entry -0.5"),
        (lambda: optim.mnqp(B, v, -1), "iterations = -1"),
        (lambda: optim.mnqp(B, v, step="other"), "step = 'other'"),
    ],
)
def test_what_is_no_programme_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_saddle_is_refused():
    with pytest.raises(NumericalError, match="not positive semidefinite"):
        optim.simplex_qp([[1.0, -3.0], [-3.0, 1.0]], [1.0, 1.0])
