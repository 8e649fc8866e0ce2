"""Distributions as datasets of xarray, and back."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import QUICK, make_data
from numpy.testing import assert_allclose, assert_array_equal

from condens import GMM, LSCDE, GaussianMixtures

xr = pytest.importorskip("xarray")

from condens.export import from_xarray, to_xarray  # noqa: E402  (they need xarray)


def test_there_and_back() -> None:
    x, y = make_data()
    one = LSCDE(**QUICK).fit(x, y).predict_distribution(x)
    two = LSCDE(**QUICK).fit(*make_data(d_y=2)).predict_distribution(x)
    full = GMM(n_components=2, covariance="full").fit(x).distribution_
    for laws, points in ((one, 0.3), (one.reshape(8, 10), 0.3), (one[0], 0.3), (two, [0.3, 0.1]), (full, [0.3, 0.1])):
        back = from_xarray(to_xarray(laws))
        assert (back.shape, back.n_targets) == (laws.shape, laws.n_targets)
        assert_allclose(back.logpdf(points), laws.logpdf(points), rtol=1e-12)
    assert set(to_xarray(full)) == {"weights", "means", "covariances"}
    assert to_xarray(two).sizes == {"row": 80, "component": two.n_components, "target": 2}
    assert to_xarray(one.reshape(8, 10))["weights"].dims == ("axis_0", "axis_1", "component")


def test_names_and_labels() -> None:
    laws = GaussianMixtures(np.full((2, 3, 2), 0.5), [-1.0, 2.0], [0.5, 0.8]).shift(np.arange(6.0).reshape(2, 3))
    table = to_xarray(laws, dims=["day", "place"], coords={"place": ["a", "b", "c"]})
    assert_array_equal(from_xarray(table.sel(place="b")).mean(), laws[:, 1].mean())
    assert_array_equal(from_xarray(table.transpose("component", "place", "day")).mean(), laws.mean().T)
    with pytest.raises(ValueError, match=r"dims = \['day'\] for distributions of shape \(2, 3\), expected 2 names"):
        to_xarray(laws, dims=["day"])


def test_other_datasets() -> None:
    with pytest.raises(ValueError, match=r"the dataset has variables \['weights'\], expected weights, means and"):
        from_xarray(xr.Dataset({"weights": ("component", [1.0])}))
