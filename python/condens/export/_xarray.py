"""Distributions as labelled arrays of xarray, and back."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import xarray

from condens.distributions import GaussianMixtures

_COMPONENT, _TARGET = "component", "target"


def to_xarray(
    laws: GaussianMixtures, dims: Sequence[Hashable] | None = None, coords: Mapping[Any, Any] | None = None
) -> xarray.Dataset:
    """The components of the distributions as a dataset: `weights`, `means` and `scales`.

    Parameters
    ----------
    laws : GaussianMixtures
        Distributions of any shape.
    dims : sequence of str, optional
        A name for every axis of `laws`: by default "row", or "axis_0", "axis_1", ... of several.
    coords : mapping, optional
        Labels along these, as xarray takes them; for several targets also along "target".

    Returns
    -------
    xarray.Dataset
        With the dimension "component" after those of the distributions, and "target" where there are several. It has a
        variable `covariances` in place of `scales` for components whose targets are correlated.

    Raises
    ------
    ValueError
        For another number of names than axes.

    Examples
    --------
    >>> from condens import GaussianMixtures
    >>> from condens.export import from_xarray, to_xarray
    >>> laws = GaussianMixtures([[0.3, 0.7], [0.5, 0.5]], [-1.0, 2.0], [0.5, 0.8])
    >>> table = to_xarray(laws, dims=["place"], coords={"place": ["Bern", "Oslo"]})
    >>> dict(table.sizes)
    {'place': 2, 'component': 2}
    >>> float(from_xarray(table.sel(place="Oslo")).mean())
    0.5
    """
    names = ["row"] if laws.ndim == 1 else [f"axis_{axis}" for axis in range(laws.ndim)]
    names = names if dims is None else [*map(str, dims)]
    if len(names) != laws.ndim:
        raise ValueError(
            f"to_xarray: dims = {names} for distributions of shape {laws.shape}, expected {laws.ndim} names"
        )
    last = [_COMPONENT] + ([_TARGET] if laws.n_targets > 1 else [])
    shape = (*laws.shape, laws.n_components, *([laws.n_targets] if laws.n_targets > 1 else []))
    data: dict[str, Any] = {
        "weights": ([*names, _COMPONENT], laws.weights),
        "means": ([*names, *last], np.broadcast_to(laws.means, shape)),
    }
    if laws._laws.correlations is not None:
        data["covariances"] = ([*names, *last, "other_target"], laws.covariances)
    else:
        data["scales"] = ([*names, *last], np.broadcast_to(laws.scales, shape))
    return xarray.Dataset(data, coords=coords)


def from_xarray(table: xarray.Dataset) -> GaussianMixtures:
    """The distributions of a dataset as `to_xarray` writes them, in the order of the dimensions of `weights`.

    Raises
    ------
    ValueError
        For a dataset without these variables.
    """
    spread = "covariances" if "covariances" in table else "scales"
    missing = [name for name in ("weights", "means", spread) if name not in table]
    if missing or _COMPONENT not in table.dims:
        raise ValueError(
            f"from_xarray: the dataset has variables {[*map(str, table.data_vars)]}, expected weights, means and "
            f"scales (or covariances) with a dimension {_COMPONENT!r}"
        )
    shape = [name for name in table["weights"].dims if name != _COMPONENT]
    several = _TARGET in table["means"].dims
    axes = [*shape, _COMPONENT, *([_TARGET] if several else [])]
    weights = table["weights"].transpose(*shape, _COMPONENT).to_numpy()
    means = table["means"].transpose(*axes).to_numpy()
    if spread == "covariances":
        covariances = table[spread].transpose(*axes, "other_target").to_numpy()
        return GaussianMixtures(weights, means, covariances=covariances)
    return GaussianMixtures(weights, means, table[spread].transpose(*axes).to_numpy(), multivariate=several)
