"""Ensembles of qp are our laws, also after their files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import QUICK, make_data
from numpy.testing import assert_allclose, assert_array_equal

import condens
from condens import GaussianMixtures

qp = pytest.importorskip("qp")

from condens.export import from_qp, to_qp  # noqa: E402  (they need qp)

GRID = np.linspace(-0.5, 3, 23)


@pytest.fixture(scope="module")
def laws() -> GaussianMixtures:
    random = np.random.default_rng(0)
    return GaussianMixtures(
        random.dirichlet(np.ones(4), 5), random.uniform(0.1, 2, (5, 4)), random.uniform(0.02, 0.2, (5, 4))
    )


def test_pdf_and_cdf_are_ours(laws: GaussianMixtures) -> None:
    ensemble = to_qp(laws)
    assert isinstance(ensemble, qp.Ensemble)
    assert ensemble.gen_class is qp.mixmod
    assert ensemble.shape == (5, 4)
    assert_allclose(ensemble.pdf(GRID), laws[:, None].pdf(GRID), rtol=1e-11, atol=1e-300)
    assert_allclose(ensemble.cdf(GRID), laws[:, None].cdf(GRID), rtol=1e-11, atol=1e-300)


def test_ppf_is_ours_to_its_grid(laws: GaussianMixtures) -> None:
    levels = np.linspace(0.001, 0.999, 41)
    # qp interpolates between 201 points from 6 standard deviations below to 6 above: its quantile and the
    # true one lie in the same cell.
    cell = (np.max(laws.means + 6 * laws.scales) - np.min(laws.means - 6 * laws.scales)) / 200
    assert_allclose(to_qp(laws).ppf(levels), laws[:, None].ppf(levels), rtol=0, atol=cell)
    assert_allclose(to_qp(laws).median().ravel(), laws.median(), rtol=0, atol=cell)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_moments_are_ours(laws: GaussianMixtures, order: int) -> None:
    # Sums over a grid of a quarter of a standard deviation are exact for Gaussians, to rounding. qp's sums are
    # off by the ratio of the step asked for to the one taken, which the moment of order 0 shows.
    ends = np.min(laws.means - 10 * laws.scales), np.max(laws.means + 10 * laws.scales)
    ensemble, step = to_qp(laws), laws.scales.min() / 4
    moment = ensemble.moment_partial(order, ends, step) / ensemble.moment_partial(0, ends, step)
    assert_allclose(moment, laws.moment(order), rtol=1e-10)


def test_predictions_and_what_belongs_to_them() -> None:
    x, y = make_data(60)
    laws = condens.LSCDE(**QUICK).fit(x, y).predict_distribution(x)
    ensemble = to_qp(laws, ancil={"id": np.arange(60)})
    assert_array_equal(ensemble.ancil["id"], np.arange(60))
    assert_allclose(ensemble.pdf(GRID), laws[:, None].pdf(GRID), rtol=1e-11, atol=1e-300)
    before = laws.means.copy()
    ensemble.objdata["means"][:] = 0  # the laws keep their own numbers
    assert_array_equal(laws.means, before)


def assert_same_laws(a: GaussianMixtures, b: GaussianMixtures) -> None:
    assert a.shape == b.shape
    assert_array_equal(a.means, b.means)
    assert_array_equal(a.scales, b.scales)
    assert_allclose(a.weights, b.weights, rtol=1e-15)  # each side divides them by their sum


def test_back_again(laws: GaussianMixtures) -> None:
    assert_same_laws(from_qp(to_qp(laws)), laws)
    assert_same_laws(from_qp(to_qp(laws)[1:3]), laws[1:3])
    assert_same_laws(from_qp(to_qp(laws)[2]), laws[2:3])
    assert_same_laws(from_qp(to_qp(laws[3])), laws[3:4])


@pytest.mark.parametrize("suffix", ["hdf5", "pq"])
def test_files(laws: GaussianMixtures, tmp_path: Path, suffix: str) -> None:
    pytest.importorskip("h5py" if suffix == "hdf5" else "pyarrow")
    path = str(tmp_path / f"laws.{suffix}")
    to_qp(laws, ancil={"id": np.arange(5)}).write_to(path)
    read = qp.read(path)
    assert_array_equal(read.ancil["id"], np.arange(5))
    assert_same_laws(from_qp(read), laws)


def mixmod(**data: Any) -> Any:
    return qp.Ensemble(qp.mixmod, data={name: np.array(rows) for name, rows in data.items()})


def test_filled_up_rows_and_single_precision() -> None:
    ensemble = mixmod(means=[[1.0, 0.0], [2.0, 3.0]], stds=[[0.5, 0.0], [0.1, 0.2]], weights=[[2.0, 0.0], [1.0, 3.0]])
    laws = from_qp(ensemble)
    assert_allclose(laws.mean(), [1.0, 2.75], rtol=1e-15)
    assert_allclose(laws.weights, [[1, 0], [0.25, 0.75]], rtol=1e-15)
    single = np.array([[0.1, 0.2, 0.7]], dtype=np.float32)
    assert from_qp(mixmod(means=single, stds=single, weights=single)).weights.sum() == pytest.approx(1, abs=1e-15)


def test_a_point_mass_is_refused() -> None:
    with pytest.raises(ValueError, match="scale"):
        from_qp(mixmod(means=[[1.0, 0.0]], stds=[[0.5, 0.0]], weights=[[0.5, 0.5]]))


def test_other_parameterizations_are_refused() -> None:
    histogram = qp.Ensemble(qp.hist, data={"bins": np.array([0.0, 1.0, 2.0]), "pdfs": np.array([[0.5, 0.5]])})
    with pytest.raises(ValueError, match="parameterization 'hist', expected 'mixmod'"):
        from_qp(histogram)


def test_what_is_no_list_of_laws_of_one_target() -> None:
    with pytest.raises(ValueError, match=r"shape \(1, 1\).*reshape"):
        to_qp(GaussianMixtures([1.0], [0.0], [1.0]).reshape(1, 1))
    with pytest.raises(ValueError, match="2 targets"):
        to_qp(GaussianMixtures([1.0], [[0.0, 1.0]], [[1.0, 1.0]], multivariate=True))
