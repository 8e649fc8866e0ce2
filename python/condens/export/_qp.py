"""Distributions as ensembles of qp, the format of photometric redshifts, and back.

qp's pdf and cdf of mixtures are exact. Its ppf interpolates linearly between 201 points that span all distributions of
the ensemble, from 6 standard deviations below to 6 above, and its mean, var and moment are integrals of that
(with qp 1.1 and numpy >= 2.4 they raise a TypeError): take those from the distributions, where they are exact.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import qp

from condens.distributions import GaussianMixtures


def to_qp(laws: GaussianMixtures, ancil: dict[str, Any] | None = None) -> qp.Ensemble:
    """The distributions as a `qp.Ensemble` of parameterization `qp.mixmod`.

    Parameters
    ----------
    laws : GaussianMixtures
        Distributions of one target, of shape (n,), or () for an ensemble of one.
    ancil : dict of arrays of length n, optional
        What else is known about each distribution, such as {"id": ...}; kept in the ensemble and its files.

    Returns
    -------
    qp.Ensemble
        Of n distributions; the arrays are copies.

    Raises
    ------
    ValueError
        For distributions of several targets or another shape.

    Examples
    --------
    >>> from condens import GaussianMixtures
    >>> from condens.export import to_qp
    >>> laws = GaussianMixtures([[0.3, 0.7], [0.5, 0.5]], [0.2, 0.6], [0.02, 0.05])
    >>> ensemble = to_qp(laws)
    >>> len(ensemble)
    2
    >>> [round(float(p), 6) for p in ensemble.pdf(0.6).ravel()], [round(float(p), 6) for p in laws.pdf(0.6)]
    ([5.585192, 3.989423], [5.585192, 3.989423])
    """
    if laws.n_targets != 1:
        raise ValueError(f"to_qp: laws have {laws.n_targets} targets, but qp's have one; take laws.marginal(j)")
    if laws.ndim > 1:
        raise ValueError(f"to_qp: laws have shape {laws.shape}, but an ensemble is a list; take laws.reshape(-1)")
    rows = laws.reshape(-1)
    data = {"means": rows.means.copy(), "stds": rows.scales.copy(), "weights": rows.weights}
    return qp.Ensemble(qp.mixmod, data=data, ancil=ancil)


def from_qp(ensemble: qp.Ensemble) -> GaussianMixtures:
    """The distributions, of shape (n,), of a `qp.Ensemble` of parameterization `qp.mixmod`.

    Parameters
    ----------
    ensemble : qp.Ensemble
        Gaussian mixtures; components of weight zero may have any standard deviation, as qp's fill value 0.

    Raises
    ------
    ValueError
        For another parameterization, or a component with weight and without width.

    Examples
    --------
    >>> import numpy as np
    >>> import qp
    >>> from condens.export import from_qp
    >>> rows = {"means": [[0.2, 0.6]], "stds": [[0.02, 0.05]], "weights": [[0.3, 0.7]]}
    >>> laws = from_qp(qp.Ensemble(qp.mixmod, data={name: np.array(row) for name, row in rows.items()}))
    >>> float(round(laws[0].mean(), 6))
    0.48
    """
    if ensemble.gen_class is not qp.mixmod:
        raise ValueError(
            f"from_qp: ensemble has parameterization {ensemble.gen_class.name!r}, expected 'mixmod'; "
            "ensemble.convert_to(qp.mixmod) fits mixtures to it"
        )
    means, stds, weights = (
        np.atleast_2d(np.asarray(ensemble.objdata[name], dtype=np.float64)) for name in ("means", "stds", "weights")
    )
    weights = weights / weights.sum(axis=1, keepdims=True)  # files may hold them in single precision
    return GaussianMixtures(weights, means, np.where(weights > 0, stds, 1.0))
