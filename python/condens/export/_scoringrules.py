"""Distributions as the arguments of scoringrules' scores of normal mixtures."""

from __future__ import annotations

from typing import Any

from condens.distributions import GaussianMixtures


def to_scoringrules(laws: GaussianMixtures) -> dict[str, Any]:
    """The components as `scoringrules.crps_mixnorm` and `logs_mixnorm` take them.

    scoringrules itself is not needed. Its CRPS builds arrays of shape (..., m, m); `laws.crps` does not.

    Parameters
    ----------
    laws : GaussianMixtures
        Distributions of one target, of any shape.

    Returns
    -------
    dict
        `m`, `s` and `w`: means, standard deviations and weights, each of shape (..., n_components), the
        components along the last axis. `m` and `s` are read-only where distributions share their components.

    Raises
    ------
    ValueError
        For distributions of several targets.

    Examples
    --------
    >>> import scoringrules
    >>> from condens import GaussianMixtures
    >>> from condens.export import to_scoringrules
    >>> law = GaussianMixtures([0.3, 0.7], [-1.0, 2.0], [0.5, 0.8])
    >>> float(round(scoringrules.crps_mixnorm(1.0, **to_scoringrules(law)), 6))
    0.48003
    >>> float(round(law.crps(1.0), 6))
    0.48003
    """
    if laws.n_targets != 1:
        raise ValueError(
            f"to_scoringrules: laws have {laws.n_targets} targets, but scoringrules' mixtures have one; "
            "take laws.marginal(j)"
        )
    return {"m": laws.means, "s": laws.scales, "w": laws.weights}
