"""Redshift distributions of galaxies by condens, as stages of RAIL::

    from condens.rail import CondensEstimator, CondensInformer
    informer = CondensInformer.make_stage(name="inform")
    model = informer.inform(training_table)
    estimator = CondensEstimator.make_stage(name="estimate", model=model)
    estimator.estimate(table).data                               # a qp ensemble of Gaussian mixtures

In the YAML of a pipeline: `classname: CondensEstimator`, `module_name: condens.rail`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

try:
    import qp
    from ceci.config import StageParameter
    from rail.core.common_params import SharedParams
    from rail.core.enums import DistributionType
    from rail.estimation.estimator import CatEstimator
    from rail.estimation.informer import CatInformer
except ImportError as error:
    raise ImportError("condens.rail needs RAIL: pip install 'condens[rail]'") from error

from condens import AutoCDE
from condens.distributions import GaussianMixtures
from condens.estimators import _CLASSES
from condens.export import to_qp

__all__ = ["CondensEstimator", "CondensInformer", "Photometry"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Photometry:
    """How inputs are made from the columns of a catalogue: one magnitude and the colours of neighbouring bands."""

    bands: tuple[str, ...]
    reference_band: str
    limits: dict[str, float]
    nondetection: float

    def inputs(self, table: Any) -> Floats:
        """Inputs of shape (n, number of bands); what was not detected has the limiting magnitude of its band."""
        magnitudes = {}
        for band in dict.fromkeys((*self.bands, self.reference_band)):
            values = np.asarray(table[band], dtype=np.float64)
            unseen = ~np.isfinite(values) | (values == self.nondetection)
            if unseen.any() and band not in self.limits:
                raise ValueError(
                    f"{band} was not detected in {unseen.sum()} row(s), and mag_limits has no limit of it, expected a "
                    "magnitude"
                )
            magnitudes[band] = np.where(unseen, self.limits.get(band, np.nan), values)
        colors = [magnitudes[a] - magnitudes[b] for a, b in zip(self.bands, self.bands[1:], strict=False)]
        return np.column_stack([magnitudes[self.reference_band], *colors])


class CondensInformer(CatInformer):  # type: ignore[misc]  # RAIL has no types
    """Fits the density of the redshift given magnitude and colours."""

    name = "CondensInformer"
    entrypoint_function = "inform"
    interactive_function = "condens_informer"
    config_options = CatInformer.config_options.copy()
    config_options.update(
        bands=SharedParams.copy_param("bands"),
        ref_band=SharedParams.copy_param("ref_band"),
        mag_limits=SharedParams.copy_param("mag_limits"),
        nondetect_val=SharedParams.copy_param("nondetect_val"),
        redshift_col=SharedParams.copy_param("redshift_col"),
        density=StageParameter(
            str, AutoCDE._info["name"], msg="name of the estimator, as the command `condens models` lists them"
        ),
        options=StageParameter(dict, {}, msg="parameters of the estimator, as its class in Python has them"),
    )

    def run(self) -> None:
        """Fit to the training table."""
        table = _group(self.get_data("input"), self.config.hdf5_groupname)
        if self.config.density not in _CLASSES:
            raise ValueError(f"density = {self.config.density!r}, expected one of {', '.join(sorted(_CLASSES))}")
        photometry = Photometry(
            tuple(self.config.bands),
            self.config.ref_band,
            dict(self.config.mag_limits),
            float(self.config.nondetect_val),
        )
        estimator = _CLASSES[self.config.density](**self.config.options)
        redshift = np.asarray(table[self.config.redshift_col], dtype=np.float64)
        estimator.fit(photometry.inputs(table), redshift)
        self.model = {"photometry": photometry, "estimator": estimator}
        self.add_data("model", self.model)

    def validate(self) -> None:
        """Look for the columns."""
        self._get_stage_columns()
        self._check_column_names(self.get_handle("input", allow_missing=True), self.stage_columns)

    def _get_stage_columns(self) -> None:
        columns = [*self.config.bands, self.config.ref_band, self.config.redshift_col]
        self.stage_columns = list(dict.fromkeys(columns))


class CondensEstimator(CatEstimator):  # type: ignore[misc]  # RAIL has no types
    """The distribution of the redshift of every galaxy, by the model of a `CondensInformer`."""

    name = "CondensEstimator"
    entrypoint_function = "estimate"
    interactive_function = "condens_estimator"
    config_options = CatEstimator.config_options.copy()
    config_options.update(
        representation=StageParameter(
            str,
            "mixmod",
            msg="mixmod: Gaussian mixtures, exact; interp: densities at the nzbins of zmin to zmax",
        ),
    )

    @classmethod
    def default_distribution_type(cls) -> DistributionType:
        """A density of the redshift given the photometry of a training sample."""
        return DistributionType.posterior

    def _process_chunk(self, start: int, end: int, data: Any, first: bool) -> None:
        photometry, estimator = self.model["photometry"], self.model["estimator"]
        laws = estimator.predict_distribution(photometry.inputs(_group(data, self.config.hdf5_groupname)))
        self._laws = laws
        self._do_chunk_output(self._ensemble(laws), start, end, first, data=data)

    # What RAIL asks of an ensemble, of the distributions themselves: exact, where qp searches and sums over grids.

    def _calculate_mode_point_estimate(self, qp_dist: qp.Ensemble, grid: Any = None) -> Floats:
        return self._column(self._laws.mode())

    def _calculate_mean_point_estimate(self, qp_dist: qp.Ensemble) -> Floats:
        return self._column(self._laws.mean())

    def _calculate_median_point_estimate(self, qp_dist: qp.Ensemble) -> Floats:
        return self._column(self._laws.median())

    @staticmethod
    def _column(values: Floats) -> Floats:
        return values[:, None]

    def _calculate_summary_stats(self, qp_dstn: qp.Ensemble) -> qp.Ensemble:
        laws, levels = self._laws, {"q2p5": 0.025, "q16": 0.16, "median": 0.5, "q84": 0.84, "97p5": 0.975}
        found = {name: laws.ppf(level) for name, level in levels.items()}
        found |= {"mode": laws.mode(), "mean": laws.mean(), "std": laws.std()}
        if qp_dstn.ancil is None:
            qp_dstn.set_ancil({})
        qp_dstn.ancil.update({f"z_{name}": self._column(values) for name, values in found.items()})
        return qp_dstn

    def _ensemble(self, laws: Any) -> qp.Ensemble:
        kind = self.config.representation
        if kind not in ("mixmod", "interp"):
            raise ValueError(f"representation = {kind!r}, expected 'mixmod' or 'interp'")
        if kind == "mixmod":
            if not isinstance(laws, GaussianMixtures):
                raise ValueError(
                    "representation = 'mixmod', but distributions of a target_kind are no Gaussian mixtures; expected "
                    "'interp'"
                )
            return to_qp(laws)
        grid = np.linspace(self.config.zmin, self.config.zmax, self.config.nzbins)
        return qp.Ensemble(qp.interp, data={"xvals": grid, "yvals": laws[:, None].pdf(grid)})

    def validate(self) -> None:
        """Look for the columns that the model reads."""
        self.open_model(**self.config)
        self._get_stage_columns()
        self._check_column_names(self.get_handle("input", allow_missing=True), self.stage_columns)

    def _get_stage_columns(self) -> None:
        photometry = self.model["photometry"]
        self.stage_columns = list(dict.fromkeys([*photometry.bands, photometry.reference_band]))


def _group(table: Any, name: str) -> Any:
    """The group of an HDF5 table that has the columns; a table without groups is one itself."""
    return table[name] if name and name in table else table
