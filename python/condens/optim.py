"""Quadratic programmes over the simplex, with their certificates.

Both minimise b'Bb / 2 - v'b over b >= 0 with sum 1. The Frank-Wolfe gap b'g - min(g), g = Bb - v, is at least the
distance of the objective from its minimum.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condens import _core
from condens._arrays import as_float64, as_rows, threads_of

Floats = NDArray[np.float64]

__all__ = ["MNQP", "SimplexQP", "mnqp", "simplex_qp"]


class SimplexQP(NamedTuple):
    """What `simplex_qp` returns."""

    solution: Floats  #: zeros are exact
    objective: float  #: b'Bb / 2 - v'b
    gap: float  #: Frank-Wolfe gap: the objective is at most this far above its minimum
    iterations: int  #: linear systems solved


class MNQP(NamedTuple):
    """What `mnqp` returns."""

    solution: Floats
    objective: Floats  #: before the first step and after every one
    gap: float  #: Frank-Wolfe gap; of no meaning where the printed step has left the simplex


def simplex_qp(B: ArrayLike, v: ArrayLike, *, tolerance: float = 0.0, n_jobs: int | None = None) -> SimplexQP:
    """The exact minimiser of b'Bb / 2 - v'b over the simplex, by a primal active set.

    Parameters
    ----------
    B : array of shape (n, n)
        Symmetric and positive semidefinite; it may be singular to rounding.
    v : array of shape (n,)
    tolerance : float >= 0, optional
        The gap that is enough, in units of the objective; 0: what rounding allows.
    n_jobs : int, optional
        Number of threads, which do not change a bit.

    Returns
    -------
    SimplexQP
        solution, objective, gap, iterations.

    Raises
    ------
    ValueError
        For shapes that do not fit, numbers that are not finite, and a matrix that is not symmetric.
    condens.NumericalError
        Where B is not positive semidefinite and that was met.

    Notes
    -----
    Wolfe (1976); Lawson and Hanson (1974), chapter 23. Costs n s multiplications and additions per iteration, s the
    number of coordinates that are not zero.
    """
    matrix, right = _programme(B, v)
    if not tolerance >= 0:
        raise ValueError(f"tolerance = {tolerance}, expected a number >= 0")
    return SimplexQP(*_core.simplex_qp(matrix, right, float(tolerance), threads_of(n_jobs)))


def mnqp(
    B: ArrayLike, v: ArrayLike, iterations: int = 1000, *, step: Literal["repaired", "printed"] = "repaired"
) -> MNQP:
    """Multiplicative updates for b'Bb / 2 - v'b over the simplex, from b = 1/n.

    Parameters
    ----------
    B : array of shape (n, n)
        Symmetric, with entries >= 0 and a positive diagonal.
    v : array of shape (n,)
    iterations : int >= 0, optional
        Number of steps; fewer where a step changes nothing or is no number.
    step : {"repaired", "printed"}
        The paper's step as printed leaves the simplex wherever v + h is negative; the repaired one minimises the same
        auxiliary function under b >= 0, and never raises the objective.

    Returns
    -------
    MNQP
        solution, objective (of every step), gap.

    Raises
    ------
    ValueError
        For shapes that do not fit, numbers that are not finite, and negative entries of B.

    Notes
    -----
    Chen, Hong and Harris (2010), eqs. 39-44. Costs n^2 per step.
    """
    if step not in ("repaired", "printed"):
        raise ValueError(f"step = {step!r}, expected 'repaired' or 'printed'")
    matrix, right = _programme(B, v)
    return MNQP(*_core.mnqp(matrix, right, int(iterations), step == "printed"))


def _programme(B: ArrayLike, v: ArrayLike) -> tuple[Floats, Floats]:
    matrix, right = as_float64(B, "B"), as_float64(v, "v")
    if right.ndim != 1:
        raise ValueError(f"v has {right.ndim} dimensions, expected 1")
    if matrix.shape != (len(right), len(right)):
        raise ValueError(
            f"B has shape {matrix.shape}, expected {(len(right), len(right))}, as v has {len(right)} numbers"
        )
    if not np.isfinite(matrix).all():
        raise ValueError("B holds NaN or infinity")
    if not np.allclose(matrix, matrix.T, rtol=1e-8, atol=1e-12 * np.abs(matrix).max(initial=0.0)):
        raise ValueError("B is not symmetric")
    return as_rows(matrix), as_rows(right)
