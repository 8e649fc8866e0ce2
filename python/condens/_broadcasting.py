"""numpy's broadcasting of distributions against points, on a core that knows flat arrays only.

The core takes (n distributions, k points of each). With distributions of shape L and y of shape Y the result has
the shape R = broadcast(L, Y). Axes of R along which the distributions differ come first, in order; the others hold
the points.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Shape = tuple[int, ...]


def split_axes(result: Shape, laws: Shape) -> tuple[list[int], list[int]]:
    """Axes of the result along which the distributions differ, and the others."""
    padded = (1,) * (len(result) - len(laws)) + laws
    differ = [axis for axis, length in enumerate(padded) if length != 1]
    return differ, [axis for axis in range(len(result)) if axis not in differ]


def result_shape(values: Floats, laws: Shape) -> Shape:
    """The shape of a function of y, given values of y (Y..., d); ValueError where they do not broadcast."""
    try:
        return np.broadcast_shapes(values.shape[:-1], laws)
    except ValueError:
        raise ValueError(
            f"y of shape {values.shape[:-1]} does not broadcast against distributions of shape {laws}; give one y per "
            "distribution, or index them by [:, None] for a grid of y for each"
        ) from None


def laws_first(values: Floats, laws: Shape) -> tuple[Floats, Shape]:
    """values (Y..., d) as C-ordered (distributions, points, d), and the shape of the result."""
    shape = result_shape(values, laws)
    differ, same = split_axes(shape, laws)
    spread = np.broadcast_to(values, (*shape, values.shape[-1]))
    return np.ascontiguousarray(spread.transpose(*differ, *same, len(shape))), shape


def from_laws_first(flat: Floats, shape: Shape, laws: Shape) -> Floats:
    """The inverse of laws_first for results (one number a point)."""
    differ, same = split_axes(shape, laws)
    order = [*differ, *same]
    return flat.reshape([shape[axis] for axis in order]).transpose(np.argsort(order, kind="stable"))


def same_for_all_laws(values: Floats, laws: Shape) -> bool:
    """Whether every distribution gets the same points."""
    shape = result_shape(values, laws)
    padded = (1,) * (len(shape) - values.ndim + 1) + values.shape[:-1]
    return all(padded[axis] == 1 for axis in split_axes(shape, laws)[0])
