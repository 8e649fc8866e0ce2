"""The artificial data of the five papers, whose truth is known::

    toy = condens.datasets.sugiyama2010("bimodal")
    X, y = toy.sample(300, random_state=0)
    toy.distribution(X)                 # the true distribution of y at every row: GaussianMixtures

Formulas and readings are those of the studies in `reproduce/`, whose programs in C++ draw other random numbers. The
robots of Sugiyama et al. (2010) are simulators and only there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condens._arrays import as_float64, generator
from condens.distributions import GaussianMixtures

Floats = NDArray[np.float64]

__all__ = [
    "DensityToy",
    "Toy",
    "chen2010",
    "goerg2017",
    "shiga2015_toy1",
    "shiga2015_toy2",
    "sugiyama2010",
    "tangkaratt2015",
]


@dataclass(frozen=True)
class Toy:
    """Artificial data whose distribution of y given x is known.

    Attributes
    ----------
    n_inputs, n_targets : int
        Columns of X and of y.
    relevant : tuple of int
        The columns of X that y depends on, counting from 0.
    """

    n_inputs: int
    n_targets: int
    relevant: tuple[int, ...]
    _inputs: Callable[[int, np.random.Generator], Floats]
    _moments: Callable[[Floats], tuple[Floats, Floats]]
    _noise: tuple[Sequence[float], Sequence[float], Sequence[float]] = ((1.0,), (0.0,), (1.0,))

    @property
    def components(self) -> Floats:
        """Directions that y depends on, one a row."""
        return np.eye(self.n_inputs)[list(self.relevant)]

    def sample(self, n_samples: int, random_state: Any = None) -> tuple[Floats, Floats]:
        """Independent rows: X of shape (n_samples, n_inputs), y of (n_samples,) or (n_samples, n_targets).

        Parameters
        ----------
        n_samples : int
        random_state : None, int, numpy.random.Generator or RandomState
            An int gives the same rows again.
        """
        random = generator(random_state)
        x = self._inputs(n_samples, random)
        y = self.distribution(x).rvs(random_state=random)
        return x, np.reshape(y, n_samples if self.n_targets == 1 else (n_samples, self.n_targets))

    def distribution(self, X: ArrayLike) -> GaussianMixtures:
        """The true distribution of y at every row of X."""
        x = as_float64(X, "X")
        if x.ndim != 2 or x.shape[1] != self.n_inputs:
            raise ValueError(f"X has shape {x.shape}, expected {self.n_inputs} column(s)")
        location, spread = (values[:, None, :] for values in self._moments(x))  # rows, components, targets
        weights, means, scales = (np.asarray(part, dtype=np.float64) for part in self._noise)
        means, scales = location + spread * means[:, None], spread * scales[:, None]
        if self.n_targets == 1:
            means, scales = means[..., 0], scales[..., 0]
        return GaussianMixtures(weights, means, scales, multivariate=self.n_targets > 1)


def _sinc(t: Floats, normalised: bool) -> Floats:
    return np.sinc(t) if normalised else np.sinc(t / np.pi)


def _spread(r: Floats) -> Floats:
    return np.asarray(np.exp(1 - r) / 8)


_NOISES = {
    "gaussian": ((1.0,), (0.0,), (1.0,)),
    "bimodal": ((0.5, 0.5), (-1.0, 1.0), (2 / 3, 2 / 3)),
    "skewed": ((0.75, 0.25), (0.0, 1.5), (1.0, 1 / 3)),
}


def sugiyama2010(noise: Literal["gaussian", "bimodal", "skewed"] = "gaussian", *, normalised: bool = False) -> Toy:
    """One input, noise whose spread depends on it: y = sinc(2 pi x) + exp(1 - x)/8 eps, x ~ U(-1, 1).

    Parameters
    ----------
    noise : {"gaussian", "bimodal", "skewed"}
        The distribution of eps.
    normalised : bool, default False
        The paper does not define sinc: sin(t)/t, or sin(pi t)/(pi t).

    Notes
    -----
    Sugiyama et al. (2010), section 4.1.
    """
    if noise not in _NOISES:
        raise ValueError(f"noise = {noise!r}, expected one of {', '.join(_NOISES)}")
    return Toy(
        1,
        1,
        (0,),
        lambda n, random: random.uniform(-1, 1, (n, 1)),
        lambda x: (_sinc(2 * np.pi * x, normalised), _spread(x)),
        _NOISES[noise],
    )


def shiga2015_toy1(
    n_irrelevant: int = 5,
    *,
    irrelevant: Literal["noisy_copies", "uniform"] = "noisy_copies",
    normalised: bool = True,
) -> Toy:
    """One input that matters and others that do not: y = sinc(3 pi x_1 / 4) + exp(1 - x_1)/8 eps, x_1 ~ U(-1, 1).

    Parameters
    ----------
    n_irrelevant : int, default 5
        Number of inputs that do not matter.
    irrelevant : {"noisy_copies", "uniform"}
        x_1 plus normal noise of three times its spread, as the paper says, or U(-1, 1) of their own.
    normalised : bool, default True
        The paper does not define sinc: sin(pi t)/(pi t), or sin(t)/t.

    Notes
    -----
    Shiga, Tangkaratt and Sugiyama (2015), section 3.2.
    """
    if irrelevant not in ("noisy_copies", "uniform"):
        raise ValueError(f"irrelevant = {irrelevant!r}, expected 'noisy_copies' or 'uniform'")

    def inputs(n: int, random: np.random.Generator) -> Floats:
        first = random.uniform(-1, 1, (n, 1))
        if irrelevant == "uniform":
            others = random.uniform(-1, 1, (n, n_irrelevant))
        else:
            others = first + math.sqrt(3) * random.standard_normal((n, n_irrelevant))
        return np.hstack([first, others])

    return Toy(
        1 + n_irrelevant,
        1,
        (0,),
        inputs,
        lambda x: (_sinc(0.75 * np.pi * x[:, :1], normalised), _spread(x[:, :1])),
    )


def shiga2015_toy2(n_targets: int = 2, *, normalised: bool = True) -> Toy:
    """Three inputs for every target, the third the sum of two others: y_d = sinc(3 pi x_3d / 4) + exp(1 - x_3d)/8 eps.

    Parameters
    ----------
    n_targets : int, default 2
    normalised : bool, default True
        The paper does not define sinc: sin(pi t)/(pi t), or sin(t)/t.

    Notes
    -----
    Shiga, Tangkaratt and Sugiyama (2015), section 3.3.
    """

    def inputs(n: int, random: np.random.Generator) -> Floats:
        x = random.uniform(-1, 1, (n, 3 * n_targets))
        x[:, 2::3] = x[:, ::3] + x[:, 1::3]
        return x

    return Toy(
        3 * n_targets,
        n_targets,
        tuple(range(2, 3 * n_targets, 3)),
        inputs,
        lambda x: (_sinc(0.75 * np.pi * x[:, 2::3], normalised), _spread(x[:, 2::3])),
    )


def tangkaratt2015(dataset: Literal["a", "b"] = "a") -> Toy:
    """Five normal inputs of which one or two matter, noise N(0, 0.25^2).

    Parameters
    ----------
    dataset : {"a", "b"}
        y = x_1^2 + x_2^2 + eps, or y = x_2 + x_2^2 + x_2^3 + eps.

    Notes
    -----
    Tangkaratt, Xie and Sugiyama (2015), section 3.2.
    """
    locations: dict[str, tuple[tuple[int, ...], Callable[[Floats], Floats]]] = {
        "a": ((0, 1), lambda x: x[:, :1] ** 2 + x[:, 1:2] ** 2),
        "b": ((1,), lambda x: x[:, 1:2] + x[:, 1:2] ** 2 + x[:, 1:2] ** 3),
    }
    if dataset not in locations:
        raise ValueError(f"dataset = {dataset!r}, expected 'a' or 'b'")
    relevant, location = locations[dataset]
    return Toy(
        5,
        1,
        relevant,
        lambda n, random: random.standard_normal((n, 5)),
        lambda x: (location(x), np.full((len(x), 1), 0.25)),
    )


_EXAMPLES: dict[str, tuple[Callable[[Floats], Floats], float]] = {
    "independent": (lambda x: 0.0 * x, 1.0),
    "step": (lambda x: ((x > 0.5) & (x < 0.75)).astype(np.float64), 0.5),
    "linear": (lambda x: 3.0 * x, 1.0),
    "doppler": (lambda x: np.sqrt(np.maximum(x * (1 - x), 0)) * np.sin(2.1 * np.pi / (x + 0.05)), 0.1),
}


def goerg2017(example: Literal["independent", "step", "linear", "doppler"] = "doppler") -> Toy:
    """One input x ~ U(0, 1) and normal noise around a mean: the examples of predictive states.

    Parameters
    ----------
    example : {"independent", "step", "linear", "doppler"}
        The mean is 0; 1 between 1/2 and 3/4 and else 0; 3 x; sqrt(x (1 - x)) sin(2.1 pi / (x + 0.05)). The paper leaves
        the slope and the spreads open: 1, 0.5, 1 and 0.1 here.

    Notes
    -----
    Goerg (2017), section 2.1, eqs. 6, 7, 10 and 11.
    """
    if example not in _EXAMPLES:
        raise ValueError(f"example = {example!r}, expected one of {', '.join(_EXAMPLES)}")
    mean, spread = _EXAMPLES[example]
    return Toy(
        1,
        1,
        () if example == "independent" else (0,),
        lambda n, random: random.uniform(0, 1, (n, 1)),
        lambda x: (mean(x), np.full((len(x), 1), spread)),
    )


@dataclass(frozen=True)
class DensityToy:
    """A known density: a mixture of parts with independent coordinates, each normal or Laplacian.

    Attributes
    ----------
    weights : array of shape (m,)
    locations, scales : arrays of shape (m, d)
        Means and standard deviations of normal parts; of Laplacian ones 1/a of the density
        `a/2 exp(-a |x - location|)`.
    laplacian : array of bool, of shape (m,)
    """

    weights: Floats
    locations: Floats
    scales: Floats
    laplacian: NDArray[np.bool_]

    def sample(self, n_samples: int, random_state: Any = None) -> Floats:
        """Independent rows, of shape (n_samples, d).

        Parameters
        ----------
        n_samples : int
        random_state : None, int, numpy.random.Generator or RandomState
            An int gives the same rows again.
        """
        random = generator(random_state)
        part = random.choice(len(self.weights), n_samples, p=self.weights)
        shape = (n_samples, self.locations.shape[1])
        z = np.where(self.laplacian[part][:, None], random.laplace(size=shape), random.standard_normal(shape))
        return np.asarray(self.locations[part] + self.scales[part] * z)

    def log_density(self, X: ArrayLike) -> Floats:
        """The logarithm of the true density at every row of X."""
        x = as_float64(X, "X")
        if x.ndim != 2 or x.shape[1] != self.locations.shape[1]:
            raise ValueError(f"X has shape {x.shape}, expected {self.locations.shape[1]} column(s)")
        z = (x[:, None, :] - self.locations) / self.scales
        laplace, normal = -np.abs(z) - math.log(2), -0.5 * (z**2 + math.log(2 * math.pi))
        logs = np.where(self.laplacian[:, None], laplace, normal) - np.log(self.scales)
        return np.asarray(np.logaddexp.reduce(logs.sum(axis=2) + np.log(self.weights), axis=1))


def _eight_gaussians() -> DensityToy:
    power = (2 / 3) ** np.arange(8.0)
    return DensityToy(np.full(8, 1 / 8), 3 * (power[:, None] - 1), np.sqrt(power)[:, None], np.zeros(8, dtype=bool))


def _gaussian_laplacian(d: int) -> DensityToy:
    scales = np.array([np.ones(2), [1 / 0.7, 1 / 0.5]])[:, :d]
    return DensityToy(np.full(2, 0.5), np.full((2, d), [[2.0], [-2.0]]), scales, np.array([False, True]))


def _three_gaussians(d: int) -> DensityToy:
    variances = np.array([np.resize(pair, d) for pair in ([1.0, 2.0], [2.0, 1.0], [2.0, 1.0])])
    locations = np.full((3, d), [[1.0], [-1.0], [0.0]])
    return DensityToy(np.full(3, 1 / 3), locations, np.sqrt(variances), np.zeros(3, dtype=bool))


_DENSITIES: dict[str, Callable[[], DensityToy]] = {
    "eight_gaussians": _eight_gaussians,
    "gaussian_laplacian": lambda: _gaussian_laplacian(1),
    "gaussian_laplacian_2d": lambda: _gaussian_laplacian(2),
    "three_gaussians_6d": lambda: _three_gaussians(6),
    "three_gaussians_10d": lambda: _three_gaussians(10),
}


def chen2010(
    density: Literal[
        "eight_gaussians",
        "gaussian_laplacian",
        "gaussian_laplacian_2d",
        "three_gaussians_6d",
        "three_gaussians_10d",
    ] = "eight_gaussians",
) -> DensityToy:
    """One of the five densities on which sparse density estimates were compared.

    Parameters
    ----------
    density : str
        "eight_gaussians", "gaussian_laplacian" (1 column), "gaussian_laplacian_2d", "three_gaussians_6d" or
        "three_gaussians_10d".

    Notes
    -----
    Chen, Hong and Harris (2010), section IV, eqs. 51 to 61.
    """
    if density not in _DENSITIES:
        raise ValueError(f"density = {density!r}, expected one of {', '.join(_DENSITIES)}")
    return _DENSITIES[density]()
