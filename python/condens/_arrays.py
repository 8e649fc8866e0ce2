"""What comes in: arrays of float64 in C order, seeds, numbers of threads."""

from __future__ import annotations

import functools
import os
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

_MOST_THREADS = 2**30  # far more than there are, and an int of C


def as_float64(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """`values` as float64, without a copy where they are that already; refuses what is no real number."""
    array = np.asarray(values)
    if array.dtype.kind not in "buifO":
        raise TypeError(f"{name} has dtype {array.dtype}, expected real numbers")
    if array.dtype.kind == "O" and any(isinstance(value, (complex, np.complexfloating)) for value in array.flat):
        raise TypeError(f"{name} holds complex numbers, expected real numbers")
    try:
        return np.asarray(array, dtype=np.float64)
    except OverflowError:
        raise ValueError(f"{name} holds an integer too large for a float") from None
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} holds something that is no number: {error}") from None


def as_rows(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """C order and alignment, as the core reads it; a copy only where that does not hold."""
    return np.require(values, dtype=np.float64, requirements=["C", "A"])


def as_targets(y: ArrayLike, least: int = 1) -> NDArray[np.float64]:
    """Targets as finite float64 of one or two dimensions and at least `least` rows; refuses dates and texts."""
    from sklearn.utils import check_array  # here, because distributions do without scikit-learn

    kind = np.asarray(y).dtype
    if kind.kind in "mM":
        raise TypeError(f"y has dtype {kind}, expected real numbers")
    values = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y", ensure_min_samples=least)
    return np.asarray(values, dtype=np.float64)


def as_share(value: Any, name: str, *, closed: bool = False) -> float:
    """A number between 0 and 1, which are among them where `closed`; of a percentage the message says the share."""
    try:
        share = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} = {value!r}, expected a number between 0 and 1") from None
    if 0 < share < 1 or (closed and share in (0, 1)):
        return share
    hint = f"; for {share:g} % give {share / 100:g}" if 1 < share < 100 else ""
    raise ValueError(f"{name} = {share:g}, expected a number in {'[0, 1]' if closed else '(0, 1)'}{hint}")


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


def generator(random_state: Any) -> np.random.Generator:
    """A generator of numpy from whatever stands for one; a generator is itself."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    return np.random.default_rng(draw_seed(random_state))


def threads_of(n_jobs: int | None) -> int:
    """scikit-learn's n_jobs as a number of threads: -1 and None are all, but None obeys joblib.

    Inside a joblib context its number holds, and a fit that joblib has put beside others has one thread.
    """
    if n_jobs is None:
        import joblib
        from joblib.parallel import get_active_backend

        backend, of_context = get_active_backend()
        free = of_context is None and not backend.nesting_level
        return all_cores() if free else int(joblib.effective_n_jobs(None))
    if not isinstance(n_jobs, (int, np.integer)):
        raise TypeError(f"n_jobs = {n_jobs!r}, expected None or an int")
    if n_jobs == 0:
        raise ValueError("n_jobs = 0, expected a number of threads, -1 for all of them, or None")
    if n_jobs > 0:
        return min(int(n_jobs), _MOST_THREADS)
    return max(1, all_cores() + 1 + int(n_jobs))


def all_cores() -> int:
    """joblib's number of cores, counted anew where this process may use others than before."""
    own = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return _counted_cores(own, os.environ.get("LOKY_MAX_CPU_COUNT"))


@functools.lru_cache(maxsize=16)
def _counted_cores(own: int | None, limit: str | None) -> int:
    """joblib reads files for it: half of the time that the density of one row takes."""
    import joblib

    return int(joblib.cpu_count())
