"""Rows that come day by day: an alarm when they stop to be what a model says.

`partial_fit` of the estimators that have it lets a model learn from them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condens._arrays import as_float64

if TYPE_CHECKING:
    from typing_extensions import Self  # from Python 3.11 on in typing

# Bets on how the PIT u stops to be uniform: 1 + e g(u), of g = z, z = 2 u - 1, for a shift, and of
# g = (3 z^2 - 1) / 2 for another spread (Legendre polynomials: their mean is 0), never negative.
_SHIFTS = (-0.9, -0.5, -0.2, 0.2, 0.5, 0.9)
_SPREADS = (-0.9, -0.5, -0.2, 0.4, 1.0, 1.8)


class DriftAlarm:
    """A sequential test that rows still follow a model, which may be looked at after every row.

    Evidence against it is the capital of a gambler who bets, from some row on, that the probability integral
    transforms (PITs) of the rows are not uniform: lower or higher, more or less spread out. As long as they are uniform
    and independent the capital is a martingale that begins at 1, so that with probability 1 - `alpha` it never reaches
    1 / `alpha` (Ville 1939), however long the stream is. When the change begins is not known: the stake is spread over
    the rows, 1 / (j (j + 1)) on row j.

    The rate is that of PITs which are uniform to begin with: of a model that is calibrated (`calibrate=`), on rows that
    it was not fitted to. Of counts and other repeated values take randomised ones.

    Parameters
    ----------
    alpha : float in (0, 1), default 0.01
        Chance of an alarm, ever, in a stream that does not change.

    Attributes
    ----------
    evidence_ : float
        The capital now: how many times likelier the rows are by the bets than by the model.
    n_rows_ : int
        Rows seen.
    alarm_row_ : int or None
        The row, counting from 1, at which the evidence reached 1 / alpha first.
    """

    def __init__(self, alpha: float = 0.01) -> None:
        if not 0 < alpha < 1:
            raise ValueError(f"alpha = {alpha!r}, expected a number in (0, 1)")
        self.alpha = alpha
        self.n_rows_ = 0
        self.alarm_row_: int | None = None
        self._capital = np.zeros(len(_SHIFTS) + len(_SPREADS))  # of bets that began, each on all of the stake
        self.evidence_ = 1.0

    def update(self, pit: ArrayLike) -> Self:
        """Takes the PITs of further rows, in their order: of an estimator `model.predict_distribution(X).cdf(y)`.

        Raises
        ------
        ValueError
            For numbers outside [0, 1].
        """
        values: NDArray[np.float64] = np.atleast_1d(as_float64(pit, "pit")).ravel()
        outside = ~((values >= 0) & (values <= 1))
        if outside.any():
            row = int(outside.argmax())
            raise ValueError(f"pit: row {row + 1} (counting from 1) is {values[row]}, expected a probability in [0, 1]")
        z = 2 * values - 1
        bets = np.concatenate(
            [1 + np.multiply.outer(z, _SHIFTS), 1 + np.multiply.outer((3 * z**2 - 1) / 2, _SPREADS)], axis=1
        )
        for bet in bets:
            self.n_rows_ += 1
            self._capital = np.minimum((self._capital + 1 / (self.n_rows_ * (self.n_rows_ + 1))) * bet, 1e300)
            self.evidence_ = float(self._capital.mean() + 1 / (self.n_rows_ + 1))
            if self.alarm_row_ is None and self.evidence_ >= 1 / self.alpha:
                self.alarm_row_ = self.n_rows_
        return self

    def __bool__(self) -> bool:
        return self.alarm_row_ is not None

    def __repr__(self) -> str:
        where = "no alarm" if self.alarm_row_ is None else f"alarm at row {self.alarm_row_}"
        return f"DriftAlarm(alpha={self.alpha}): {where} in {self.n_rows_} rows, evidence {self.evidence_:.3g}"
