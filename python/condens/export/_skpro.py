"""GaussianMixtures as a distribution of skpro, and estimators as its regressors.

All that skpro approximates by default (energies and norms by sampling, quantiles by bisection) is exact here,
so that its CRPS and SquaredDistrLoss are.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state
from skpro.distributions.base import BaseDistribution
from skpro.regression.base import BaseProbaRegressor

from condens.distributions import GaussianMixtures
from condens.metrics import laws_of

Floats = NDArray[np.float64]


class SkproDistribution(BaseDistribution):  # type: ignore[misc]  # skpro has no types
    """Gaussian mixtures as a distribution of skpro.

    Parameters
    ----------
    laws : GaussianMixtures
        Distributions of one target. Shape () is a scalar distribution, unless `index` or `columns` are given; shape
        (n,) has n rows and one column; shape (n, k) has n rows and k columns, independent of each other.
    index, columns : pandas.Index or list, optional
        Labels of the rows and columns; None counts from 0.

    Raises
    ------
    ValueError
        For distributions of several targets or more axes, and for labels of another number.

    Examples
    --------
    >>> from condens import GaussianMixtures
    >>> from condens.export import SkproDistribution
    >>> laws = GaussianMixtures([[0.3, 0.7], [0.5, 0.5]], [-1.0, 2.0], [0.5, 0.8])
    >>> distribution = SkproDistribution(laws, columns=["y"])
    >>> distribution.mean()
         y
    0  1.1
    1  0.5
    >>> distribution.iloc[[1]].ppf(0.9).round(4)
            y
    1  2.6733
    """

    _tags = {  # noqa: RUF012  (as skpro wants it)
        "capabilities:approx": [],
        "capabilities:exact": ["mean", "var", "energy", "pdfnorm", "pdf", "log_pdf", "cdf", "surv", "haz", "ppf"],
        "distr:measuretype": "continuous",
        "distr:paramtype": "general",
        "broadcast_init": "off",
    }

    def __init__(self, laws: GaussianMixtures, index: Any = None, columns: Any = None) -> None:
        self.laws = laws
        if laws.n_targets != 1 or laws.ndim > 2:
            raise ValueError(
                f"SkproDistribution: laws of shape {laws.shape} have {laws.n_targets} target(s), expected one "
                "target and at most 2 axes; take laws.marginal(j)"
            )
        self._table = laws
        if laws.shape or index is not None or columns is not None:
            shape = (*laws.shape, 1, 1)[:2]
            self._table = laws.reshape(*shape)
            index, columns = _labels(index, shape[0]), _labels(columns, shape[1])
            if (len(index), len(columns)) != shape:
                raise ValueError(
                    f"SkproDistribution: index has {len(index)} and columns {len(columns)} labels, "
                    f"but laws of shape {laws.shape} need {shape[0]} and {shape[1]}"
                )
        super().__init__(index=index, columns=columns)

    # --- functions of x (numpy arrays of the shape of the distribution) and summaries ------------

    def _pdf(self, x: Floats) -> Floats:
        return self._table.pdf(x)

    def _log_pdf(self, x: Floats) -> Floats:
        return self._table.logpdf(x)

    def _cdf(self, x: Floats) -> Floats:
        return self._table.cdf(x)

    def _surv(self, x: Floats) -> Floats:
        return self._table.sf(x)

    def _haz(self, x: Floats) -> Floats:
        return np.exp(self._table.logpdf(x) - self._table.logsf(x))

    def _ppf(self, p: Floats) -> Floats:
        return self._table.ppf(p)

    def _mean(self) -> Floats:
        return self._table.mean()

    def _var(self) -> Floats:
        return self._table.var()

    def _energy_self(self) -> Floats:
        return self._over_columns(self._table.energy())

    def _energy_x(self, x: Floats) -> Floats:
        return self._over_columns(self._table.mean_distance(x))

    def _over_columns(self, values: Floats) -> Floats:
        # skpro's distance of two rows is the sum of the distances in their columns.
        return values.sum(axis=1) if self.ndim else values

    def _squared_norm(self) -> Floats:
        return self._table.l2_norm()

    def pdfnorm(self, a: float = 2) -> Any:
        """Integral of p^a: exact for a = 1 and 2, else skpro's sampling, with its warning."""
        return self._boilerplate("_squared_norm") if a == 2 else super().pdfnorm(a)

    def _sample(self, n_samples: int | None = None) -> Any:
        # From numpy's global generator, as skpro's own distributions: np.random.seed makes it repeat.
        draws = self._table.rvs(n_samples, random_state=check_random_state(None))
        if not self.ndim:
            return draws if n_samples is None else pd.DataFrame(draws)
        if n_samples is None:
            return pd.DataFrame(draws, index=self.index, columns=self.columns)
        n_rows, n_columns = self.shape
        labels = self.index.take(np.tile(np.arange(n_rows), n_samples))
        levels = [labels.get_level_values(level) for level in range(labels.nlevels)]
        index = pd.MultiIndex.from_arrays(
            [np.repeat(np.arange(n_samples), n_rows), *levels], names=[None, *self.index.names]
        )
        return pd.DataFrame(draws.reshape(-1, n_columns), index=index, columns=self.columns)

    # --- rows and columns: as pandas finds them, so that a label that is not there is a KeyError -----

    def _loc(self, rowidx: Any = None, colidx: Any = None) -> SkproDistribution:
        return self._take(self._places(0, "loc", rowidx), self._places(1, "loc", colidx))

    def _iloc(self, rowidx: Any = None, colidx: Any = None) -> SkproDistribution:
        return self._take(self._places(0, "iloc", rowidx), self._places(1, "iloc", colidx))

    def _at(self, rowidx: Any = None, colidx: Any = None) -> SkproDistribution:
        return self._take(self._places(0, "at", rowidx), self._places(1, "at", colidx))

    def _iat(self, rowidx: Any = None, colidx: Any = None) -> SkproDistribution:
        return self._take(self._places(0, "iat", rowidx), self._places(1, "iat", colidx))

    def _places(self, axis: int, indexer: str, keys: Any) -> Any:
        """Where the keys are: all, a number for one key, or an array."""
        if not self.ndim:
            raise TypeError("SkproDistribution: a scalar distribution has no rows and columns")
        if keys is None:
            return slice(None)
        labels = self.columns if axis else self.index
        found = getattr(pd.Series(np.arange(len(labels)), index=labels), indexer)[keys]
        return found.to_numpy() if isinstance(found, pd.Series) else int(found)

    def _take(self, rows: Any, columns: Any) -> SkproDistribution:
        if isinstance(rows, int) and isinstance(columns, int):
            return type(self)(self._table[rows, columns])
        rows, columns = (np.array([key]) if isinstance(key, int) else key for key in (rows, columns))
        return type(self)(self._table[rows][:, columns], index=self.index[rows], columns=self.columns[columns])

    @classmethod
    def get_test_params(cls, parameter_set: str = "default") -> list[dict[str, Any]]:
        """Parameters of instances that skpro's checks are run on."""
        weights = np.array([[0.2, 0.8], [0.5, 0.5], [1.0, 0.0]])
        laws = GaussianMixtures(weights, [-1.0, 2.0], [0.5, 0.8])
        table = GaussianMixtures(weights[:, None], [[-1.0, 2.0], [0.0, 3.0]], [1.0])
        return [
            {"laws": laws},
            {"laws": table, "index": pd.Index([1, 2, 5]), "columns": pd.Index(["a", "b"])},
            {"laws": laws[0]},
        ]


def _labels(labels: Any, count: int) -> pd.Index:
    # An Index stays the object that it is: clones are checked for that.
    if labels is None:
        return pd.RangeIndex(count)
    return labels if isinstance(labels, pd.Index) else pd.Index(labels)


def to_skpro(laws: GaussianMixtures, index: Any = None, columns: Any = None) -> SkproDistribution:
    """GaussianMixtures as a distribution of skpro.

    Parameters
    ----------
    laws : GaussianMixtures
        Distributions of one target, of shape (), (n,) or (n, k).
    index, columns : pandas.Index or list, optional
        Labels of the n rows and k (or one) columns. skpro's metrics match the rows of y by them.

    Returns
    -------
    SkproDistribution

    Raises
    ------
    ValueError
        For distributions of several targets or more axes, and for labels of another number.

    Examples
    --------
    >>> import pandas as pd
    >>> from skpro.metrics import CRPS
    >>> from condens import GaussianMixtures
    >>> from condens.export import to_skpro
    >>> y = pd.DataFrame({"y": [0.0, 1.0]}, index=["a", "b"])
    >>> laws = GaussianMixtures([[0.3, 0.7], [0.5, 0.5]], [-1.0, 2.0], [0.5, 0.8])
    >>> distribution = to_skpro(laws, index=y.index, columns=y.columns)
    >>> float(round(CRPS()(y, distribution), 6)), float(round(laws.crps(y["y"]).mean(), 6))
    (0.71759, 0.71759)
    """
    return SkproDistribution(laws, index=index, columns=columns)


class SkproRegressor(BaseProbaRegressor):  # type: ignore[misc]  # skpro has no types
    """An estimator of condens as a regressor of skpro, for its metrics, tuning and pipelines.

    Parameters
    ----------
    estimator : estimator of condens
        Or a pipeline or search of scikit-learn that ends in one. It is cloned before it is fitted.

    Attributes
    ----------
    estimator_ : estimator
        The fitted clone.

    Examples
    --------
    >>> import pandas as pd
    >>> from condens import LSCDE
    >>> from condens.export import SkproRegressor
    >>> X = pd.DataFrame({"x": [0.0, 1.0, 2.0, 3.0, 4.0]})
    >>> y = pd.DataFrame({"y": [0.1, 0.9, 2.1, 2.9, 4.2]})
    >>> regressor = SkproRegressor(LSCDE(bandwidth=0.5, bandwidth_y=0.3, regularization=0.1))
    >>> distribution = regressor.fit(X, y).predict_proba(X)
    >>> distribution.shape
    (5, 1)
    """

    _tags = {  # noqa: RUF012  (as skpro wants it)
        "capability:multioutput": False,
        "capability:missing": False,
    }

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator
        super().__init__()

    def _fit(self, X: pd.DataFrame, y: pd.DataFrame) -> SkproRegressor:
        if y.shape[1] != 1:
            raise ValueError(f"SkproRegressor: y has {y.shape[1]} columns, expected 1: skpro's distributions have one")
        self._columns = y.columns
        self.estimator_ = clone(self.estimator).fit(_with_text_names(X), y.iloc[:, 0])
        return self

    def _predict_proba(self, X: pd.DataFrame) -> SkproDistribution:
        laws = laws_of(self.estimator_, _with_text_names(X))
        return SkproDistribution(laws, index=X.index, columns=self._columns)

    @classmethod
    def get_test_params(cls, parameter_set: str = "default") -> list[dict[str, Any]]:
        """Parameters of instances that skpro's checks are run on."""
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        from condens.estimators import LSCDE

        lscde = LSCDE(bandwidth=0.8, bandwidth_y=0.5, regularization=0.1)
        return [{"estimator": lscde}, {"estimator": make_pipeline(StandardScaler(), lscde)}]


def _with_text_names(X: pd.DataFrame) -> pd.DataFrame:
    # scikit-learn refuses names of mixed types.
    return X.set_axis(X.columns.astype(str), axis=1)
