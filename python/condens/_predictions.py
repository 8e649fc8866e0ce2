"""What follows from the distribution of y at every x: means, quantiles, intervals, log densities."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_consistent_length

from condens._arrays import as_float64, as_share, as_targets
from condens._tables import table_like
from condens.distributions import GaussianMixtures

Floats = NDArray[np.float64]


class PredictsDistributions:
    """Estimators that predict a distribution of y for every row of X."""

    _y_ndim: int  # dimensions of the y in `fit`

    def predict_distribution(self, X: Any) -> GaussianMixtures:
        """The distribution of y given each row of X: an array of n Gaussian mixtures."""
        raise NotImplementedError

    def predict(self, X: Any) -> Floats:
        """Mean of y given each row of X, of the shape of the y in `fit`: (n,) or (n, d_y)."""
        mean = self.predict_distribution(X).mean()
        return mean.reshape(len(mean), -1) if self._y_ndim == 2 else mean

    def predict_quantiles(self, X: Any, quantiles: ArrayLike = (0.05, 0.5, 0.95)) -> Floats:
        """Quantiles of y given each row of X, of shape (n, q), or (n, d_y, q): each target's own."""
        levels = np.atleast_1d(as_float64(quantiles, "quantiles"))
        for level in levels.ravel():
            as_share(level, "quantiles", closed=True)
        return self._by_target(X, lambda laws: laws[:, None].ppf(levels))

    def predict_interval(self, X: Any, confidence: float = 0.9, weights: Any = None) -> Floats:
        """Ends of central intervals, of shape (n, 2), or (n, d_y, 2): each target's own.

        Of an estimator with `conformal` they hold y with at least this probability, over new rows and over the draw of
        the rows left out (split conformal prediction by the distribution function; Chernozhukov, Wuthrich and Zhu
        2021), or, with folds, with about this probability (CV+; Barber, Candes, Ramdas and Tibshirani 2021); where
        rows are too few to tell, they are all that y can be. `weights` are for rows that come from elsewhere (covariate
        shift; Tibshirani, Barber, Candes and Ramdas 2019): how often such inputs are there, against the rows of the
        fit, as a tuple of the weights of `calibration_rows_` and of X, or "estimated", by a classifier from all of X.
        """
        share = as_share(confidence, "confidence")
        found = self._guaranteed("conformal_intervals", X, share, weights)
        return self._by_target(X, lambda laws: np.stack(laws.interval(share), axis=-1)) if found is None else found

    def predict_table(
        self,
        X: Any,
        quantiles: ArrayLike = (0.05, 0.5, 0.95),
        interval: float | None = None,
        kind: str | None = None,
    ) -> Any:
        """Predictions as a table of the kind that X is, with its index or coordinates.

        Parameters
        ----------
        X : data frame, table or array of shape (n, d)
            Inputs: of pandas, polars, pyarrow or xarray, or an array.
        quantiles : array of shape (q,)
            Levels of the quantiles.
        interval : float in (0, 1), optional
            Probability of a central interval, as of `predict_interval`.
        kind : {'pandas', 'polars', 'pyarrow', 'xarray'}, optional
            What the table is: by default what X is, and of arrays pandas.

        Returns
        -------
        table
            Columns as the command `condens predict` names them: mean, std, q0.05, ..., lower, upper; with several
            targets the name of the target and `_` come first.

        Examples
        --------
        >>> import pandas as pd
        >>> from condens import LSCDE
        >>> X = pd.DataFrame({"x": [0.0, 1.0, 2.0, 3.0, 4.0]}, index=list("abcde"))
        >>> model = LSCDE(bandwidth=0.5, bandwidth_y=0.3, regularization=0.1).fit(X, [0.1, 0.9, 2.1, 2.9, 4.2])
        >>> table = model.predict_table(X, quantiles=[0.5], interval=0.9)
        >>> list(table.columns), list(table.index)
        (['mean', 'std', 'q0.5', 'lower', 'upper'], ['a', 'b', 'c', 'd', 'e'])
        """
        levels = np.atleast_1d(as_float64(quantiles, "quantiles"))
        for level in levels.ravel():
            as_share(level, "quantiles", closed=True)
        ends = None if interval is None else self.predict_interval(X, interval)
        laws = self.predict_distribution(X)
        columns: dict[str, Floats] = {}
        for j in range(laws.n_targets):
            one = laws if laws.n_targets == 1 else laws.marginal(j)
            prefix = "" if laws.n_targets == 1 else f"{self._names_of_targets(laws.n_targets)[j]}_"
            columns |= {f"{prefix}mean": one.mean(), f"{prefix}std": one.std()}
            columns |= {f"{prefix}q{level:g}": one.ppf(level) for level in levels}
            if ends is not None:
                low, high = (ends if laws.n_targets == 1 else ends[:, j]).T
                columns |= {f"{prefix}lower": low, f"{prefix}upper": high}
        return table_like(X, columns, kind)

    def _names_of_targets(self, count: int) -> list[str]:
        return [f"y{j + 1}" for j in range(count)]

    def predict_region(self, X: Any, mass: float = 0.9, weights: Any = None) -> list[Floats]:
        """The smallest region of y of a probability for every row: its k intervals from left to right, (k, 2) each.

        Of an estimator with `conformal` it holds y with at least this probability (HPD-split; Izbicki, Shimizu and
        Stern 2022), or, with folds, about so (cross-conformal prediction; Vovk 2015). One target. `weights` as of
        `predict_interval`.
        """
        share = as_share(mass, "mass")
        found = self._guaranteed("conformal_regions", X, share, weights)
        if found is not None:
            return found  # type: ignore[no-any-return]
        regions = self.predict_distribution(X).hdr(share)
        return regions if isinstance(regions, list) else [regions]

    def _guaranteed(self, what: str, X: Any, level: float, weights: Any) -> Any:
        """What that function of the core says, which holds y with probability `level`, whatever the model; None where
        it promises nothing.
        """
        if weights is not None:
            raise ValueError("weights are for estimators with conformal, expected None")
        return None

    def log_density(self, X: Any, y: ArrayLike) -> Floats:
        """log p(y_i | x_i) for every row."""
        laws = self.predict_distribution(X)
        targets = as_targets(y)
        check_consistent_length(laws, targets)
        return laws.logpdf(targets.reshape(len(targets)) if laws.n_targets == 1 else targets)

    def _by_target(self, X: Any, function: Callable[[GaussianMixtures], Floats]) -> Floats:
        laws = self.predict_distribution(X)
        if laws.n_targets == 1:
            return function(laws)
        return np.stack([function(laws.marginal(j)) for j in range(laws.n_targets)], axis=1)
