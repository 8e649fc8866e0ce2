"""What comes in: arrays of float64 in C order, seeds, numbers of threads."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def as_float64(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """`values` as float64, without a copy where they are that already; refuses what is no real number."""
    array = np.asarray(values)
    if array.dtype.kind == "c" or array.dtype.kind not in "buifO":
        raise TypeError(f"{name} has dtype {array.dtype}, expected real numbers")
    try:
        return np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} holds something that is no number: {error}") from None


def as_rows(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """C order and alignment, as the core reads it; a copy only where that does not hold."""
    return np.require(values, dtype=np.float64, requirements=["C", "A"])


def draw_seed(random_state: Any) -> int:
    """An int is itself; None draws one from the system; a generator gives its next number."""
    if random_state is None:
        return int(np.random.default_rng().integers(2**53))
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        if random_state < 0:
            raise ValueError(f"random_state = {random_state}, expected an int >= 0")
        return int(random_state)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**53))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    raise ValueError(
        f"random_state = {random_state!r}, expected None, an int >= 0, numpy.random.Generator or RandomState"
    )


def threads_of(n_jobs: int | None) -> int:
    """scikit-learn's n_jobs as a number of threads: None is 1 unless a joblib context says otherwise, -1 all."""
    if n_jobs is None or isinstance(n_jobs, (int, np.integer)):
        if n_jobs == 1:
            return 1
        import joblib

        return int(joblib.effective_n_jobs(n_jobs))
    raise TypeError(f"n_jobs = {n_jobs!r}, expected None or an int")
