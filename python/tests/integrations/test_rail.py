"""Stages of RAIL on the small tables that it comes with: the ensembles are those of the estimator itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import qp
import tables_io
from conftest import QUICK
from numpy.testing import assert_allclose, assert_array_equal
from rail.core.data import TableHandle
from rail.core.stage import RailStage
from rail.utils import testing_utils

from condens import LSCDE
from condens.export import from_qp
from condens.rail import CondensEstimator, CondensInformer, Photometry

pytestmark = pytest.mark.filterwarnings("default")  # what other packages say of each other is theirs
BANDS = [f"mag_{band}_lsst" for band in "ugrizy"]
INFORM = {"name": "inform_condens", "density": "lscde", "options": QUICK, "hdf5_groupname": "photometry"}
ESTIMATE = {"name": "condens", "hdf5_groupname": "photometry"}
GRID = np.linspace(0, 1.5, 21)


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # stages write their outputs where they run


def training() -> TableHandle:
    return TableHandle("training", path=testing_utils.traindata)


def galaxies() -> TableHandle:
    return TableHandle("galaxies", path=testing_utils.validdata)


def photometry_of(path: str) -> dict[str, np.ndarray]:
    return tables_io.read(path)["photometry"]


def inputs_of(table: dict[str, np.ndarray]) -> np.ndarray:
    limits = dict(CondensInformer.config_options["mag_limits"].default)
    return Photometry(tuple(BANDS), "mag_i_lsst", limits, 99.0).inputs(table)


@pytest.fixture(scope="module")
def alone() -> Any:
    training = photometry_of(testing_utils.traindata)
    model = LSCDE(**QUICK).fit(inputs_of(training), training["redshift"])
    return model.predict_distribution(inputs_of(photometry_of(testing_utils.validdata)))


def ensemble_of(inform: dict[str, Any] | None = None, **estimate: Any) -> Any:
    model = CondensInformer.make_stage(**INFORM, **(inform or {})).inform(training())
    estimator = CondensEstimator.make_stage(**ESTIMATE, model=model, **estimate)
    return estimator.estimate(galaxies()).data


def test_checks_of_rail(alone: Any) -> None:
    for stage in (CondensInformer, CondensEstimator):
        assert testing_utils.check_stage_params(stage) is None
        assert RailStage.pipeline_stages[stage.__name__][0] is stage
    # By RAIL's own helper: the model as it is, from its file, and by its handle.
    inform, estimate = ({**options, "model": "model.pkl"} for options in (INFORM, ESTIMATE))
    key = estimate.pop("name")
    found = testing_utils.one_algo(key, CondensInformer, CondensEstimator, inform, estimate)
    for ensemble in found:
        assert_allclose(ensemble.pdf(GRID), alone[:, None].pdf(GRID), rtol=1e-10, atol=1e-300)


def test_ensembles_are_the_distributions(alone: Any) -> None:
    ensemble = ensemble_of()
    assert ensemble.gen_class is qp.mixmod
    assert_allclose(ensemble.pdf(GRID), alone[:, None].pdf(GRID), rtol=1e-10, atol=1e-300)
    assert_array_equal(ensemble.ancil["redshift"], photometry_of(testing_utils.validdata)["redshift"])
    assert_allclose(from_qp(ensemble).mean(), alone.mean(), rtol=1e-12)


def test_chunks_are_put_together(alone: Any) -> None:
    assert_allclose(ensemble_of(chunk_size=3).pdf(GRID), alone[:, None].pdf(GRID), rtol=1e-10, atol=1e-300)


def test_point_estimates_are_exact(alone: Any) -> None:
    ancil = ensemble_of(calculated_point_estimates=["zmode", "zmean", "zmedian"], calc_summary_stats=True).ancil
    expected = {"mode": alone.mode(), "mean": alone.mean(), "median": alone.median()}
    for name, values in expected.items():
        assert_array_equal(ancil[f"z{name}"].ravel(), values)
        assert_array_equal(ancil[f"z_{name}"].ravel(), values)
    assert_array_equal(ancil["z_std"].ravel(), alone.std())
    assert_array_equal(ancil["z_q16"].ravel(), alone.ppf(0.16))


def test_densities_on_a_grid(alone: Any) -> None:
    # qp divides by the integral over its grid, which here leaves out what is below zero.
    ensemble = ensemble_of(representation="interp", zmax=2.0, nzbins=2001)
    shares = (alone[:, None].probability(0.0, 2.0)).ravel()
    assert_allclose(ensemble.pdf(GRID), alone[:, None].pdf(GRID) / shares[:, None], rtol=1e-3)


def test_kinds_of_targets_need_a_grid() -> None:
    options = {**QUICK, "target_kind": "positive"}
    model = CondensInformer.make_stage(**{**INFORM, "options": options}).inform(training())
    with pytest.raises(ValueError, match="but distributions of a target_kind are no Gaussian mixtures"):
        CondensEstimator.make_stage(**ESTIMATE, model=model).estimate(galaxies())
    grid = CondensEstimator.make_stage(**{**ESTIMATE, "name": "grid"}, model=model, representation="interp")
    assert (grid.estimate(galaxies()).data.cdf(0.0) == 0).all()


def test_what_was_not_detected_has_the_limit() -> None:
    table = {"a": np.array([20.0, 99.0, np.nan]), "b": np.array([19.0, 18.0, 17.0])}
    assert_array_equal(Photometry(("a", "b"), "b", {"a": 27.0}, 99.0).inputs(table), [[19, 1], [18, 9], [17, 10]])
    with pytest.raises(ValueError, match=r"a was not detected in 2 row\(s\), and mag_limits has no limit of it"):
        Photometry(("a", "b"), "b", {}, 99.0).inputs(table)


def test_unknown_names() -> None:
    with pytest.raises(ValueError, match="density = 'lsdce', expected one of auto, "):
        CondensInformer.make_stage(**{**INFORM, "density": "lsdce"}).inform(training())
    with pytest.raises(ValueError, match="representation = 'hist', expected 'mixmod' or 'interp'"):
        ensemble_of(representation="hist")
    with pytest.raises(Exception, match="mag_q"):
        ensemble_of({"bands": ["mag_q", "mag_i_lsst"]})
