"""The estimators of the registry. Written by python/write_stubs.py."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condens.estimators import _WithUnlabeled

__all__ = ["LSCDE"]

_Numbers: TypeAlias = float | Sequence[float] | NDArray[np.floating] | NDArray[np.integer]

class _Splitter(Protocol):
    def split(self, X: Any, y: Any = None, groups: Any = None) -> Any: ...

_Splits: TypeAlias = _Splitter | Sequence[tuple[Any, Any]]

class LSCDE(_WithUnlabeled):
    """Least-squares conditional density estimation: a nonnegative mixture of Gaussian kernels."""

    preset: Literal["recommended", "paper"]
    bandwidth: _Numbers | None
    bandwidth_y: _Numbers | None
    regularization: _Numbers | None
    refine: bool | None
    n_centers: int | None
    center_selection: Literal["random", "kmeans"] | None
    centers: ArrayLike | None
    mask_centers: bool | None
    coefficients: Literal["clipped", "nonnegative"] | None
    defensive_weight: float | None
    scoring: Literal["nll", "squared"] | None
    cv: _Numbers | _Splits | None
    standardize: bool | None
    random_state: int | np.random.Generator | np.random.RandomState | None
    n_jobs: int | None
    verbose: bool
    callback: Callable[[str, float], Any] | None
    bandwidth_: Any
    bandwidth_y_: Any
    regularization_: Any
    coef_: Any
    centers_x_: Any
    centers_y_: Any
    def __init__(
        self,
        *,
        preset: Literal["recommended", "paper"] = "recommended",
        bandwidth: _Numbers | None = None,
        bandwidth_y: _Numbers | None = None,
        regularization: _Numbers | None = None,
        refine: bool | None = None,
        n_centers: int | None = None,
        center_selection: Literal["random", "kmeans"] | None = None,
        centers: ArrayLike | None = None,
        mask_centers: bool | None = None,
        coefficients: Literal["clipped", "nonnegative"] | None = None,
        defensive_weight: float | None = None,
        scoring: Literal["nll", "squared"] | None = None,
        cv: _Numbers | _Splits | None = None,
        standardize: bool | None = None,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        callback: Callable[[str, float], Any] | None = None,
    ) -> None: ...
