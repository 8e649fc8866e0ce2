"""Which model suits your data? Several on the same splits::

    board = condens.compare(X, y, ["lscde", "gp", "mdn:paper", LSCDE(n_centers=50)])
    print(board)                 # NLL, CRPS, coverage, time, and which are significantly worse than the best
    board.plot()
    board.to_frame()             # a data frame of pandas

The page docs/compare.md explains the measures.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike, fsencode
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import _check_sample_weight, check_consistent_length

from condens import FitWarning, _core
from condens._arrays import as_rows, as_targets, draw_seed, threads_of
from condens._parameters import chosen_options
from condens._progress import Callback, observer
from condens._trials import trials_outside
from condens.estimators import _CLASSES, ConditionalDensityRegressor

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Comparison", "compare"]

Floats = NDArray[np.float64]

# What is measured on every split, in the order of the table.
_MEASURES = ("nll", "nll_standardized", "squared_loss", "crps", "coverage_0.9", "seconds")


@dataclass(frozen=True, repr=False)
class Comparison:
    """A leaderboard: models by increasing mean NLL, those that failed on some split last.

    Attributes
    ----------
    models : list of str
        Labels, from the best to the last.
    table : dict of arrays
        A column for each measure, its mean over splits, and its standard error, `nll_se`; then `failed`, the number of
        splits without a fit; `nll_behind` and `nll_behind_se`, NLL minus that of the best; `nll_p`, the p-value of
        a paired t-test of that difference; and `best`, whether that test at 5 % finds no difference from the best.
        Random splits share rows, so that the test is the papers' convention: true p-values are larger.
    scores : dict of arrays of shape (models, repeats)
        Every measure on every split, in the order of `models`; NaN where a fit failed.
    failures : dict of str
        Of each model that failed, why it first did.
    options : dict
        Order (`cv`), repeats, test_fraction and seed.
    """

    models: list[str]
    table: dict[str, NDArray[Any]]
    scores: dict[str, Floats]
    failures: dict[str, str]
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def best(self) -> str:
        """The model of the least mean NLL."""
        return self.models[0]

    def to_frame(self) -> Any:
        """The table as a data frame of pandas, indexed by model."""
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError("Comparison.to_frame needs pandas: pip install pandas") from error
        return pd.DataFrame(self.table, index=pd.Index(self.models, name="model"))

    def plot(self, score: str = "nll", *, relative: bool = True, ax: Axes | None = None, **kwargs: Any) -> Axes:
        """`condens.plot.comparison` of this comparison."""
        from condens.plot import comparison

        return comparison(self, score, relative=relative, ax=ax, **kwargs)

    def __repr__(self) -> str:
        rows = [["", "model", "nll", "behind", "p", "squared_loss", "crps", "coverage", "seconds"]]
        for k, model in enumerate(self.models):
            value = {name: column[k] for name, column in self.table.items()}
            if math.isnan(value["nll"]) and model in self.failures:
                rows.append(["", model, "failed"])
                continue
            rows.append(
                [
                    "*" if value["best"] else "",
                    model,
                    _with_error(value["nll"], value["nll_se"]),
                    "" if k == 0 else _with_error(value["nll_behind"], value["nll_behind_se"]),
                    "" if math.isnan(value["nll_p"]) else f"{value['nll_p']:.2g}",
                    "" if math.isnan(value["squared_loss"]) else f"{value['squared_loss']:.4g}",
                    f"{value['crps']:.4g}",
                    f"{100 * value['coverage_0.9']:.3g} %",
                    f"{value['seconds']:.3g}",
                ]
            )
        rows = [row + [""] * (len(rows[0]) - len(row)) for row in rows]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [
            "  ".join(
                cell.ljust(width) if j < 2 else cell.rjust(width)
                for j, (cell, width) in enumerate(zip(row, widths, strict=True))
            )
            for row in rows
        ]
        splits = self.scores["nll"].shape[1]
        note = "best NLL, or no worse by a paired t-test at 5 %" if splits > 1 else "best NLL"
        kind = f"block{'s'[: splits > 1]} of time"
        if self.options["cv"] == "random":
            kind = f"random split{'s'[: splits > 1]}"
        return "\n".join([line.rstrip() for line in lines] + [f"{splits} {kind}; * {note}"])


def _with_error(value: float, error: float) -> str:
    return f"{value:.4g}" + ("" if math.isnan(error) else f" ± {error:.2g}")


def compare(
    X: Any,
    y: ArrayLike,
    models: Sequence[Any] | Mapping[str, Any],
    *,
    target_kind: str | None = None,
    cv: str = "random",
    repeats: int = 10,
    test_fraction: float = 0.5,
    random_state: Any = 0,
    sample_weight: ArrayLike | None = None,
    n_jobs: int | None = None,
    resume: str | PathLike[str] | None = None,
    verbose: bool = False,
    callback: Callback | None = None,
) -> Comparison:
    """Fit several models to random parts of the data and score each on the remaining rows.

    The numbers are those of the command `condens compare`, to the bit, for any `n_jobs`.

    Parameters
    ----------
    X : array or data frame of shape (n, d)
        Inputs, as of any estimator of condens; without y the rows whose density is wanted.
    y : array, series or data frame of shape (n,) or (n, d_y), or None
        Targets.
    models : list, or dict of labels and models
        Names of models (`lscde`), names with a preset (`lscde:paper`), and estimators of condens, which need not be
        fitted: their parameters are used, except n_jobs, verbose and callback. Also pipelines, searches and
        a `DistributionRegressor` that end in one: clones of them are fitted here, one after the other.
    target_kind : str, optional
        What the targets are, for all models, as `target_kind` of an estimator. Not given: that of the estimators,
        which must be the same for all of them, else "real". Of kinds whose values have probabilities `nll` is that of
        the probability, and there is no squared loss.
    cv : {"random", "time"}, default "random"
        Splits at random, or, of rows in the order of time, a block of the last rows for each split, while the fits
        see all rows before it.
    repeats : int, default 10
        Splits, the same for all models.
    test_fraction : float, default 0.5
        Share of the rows that are test rows.
    random_state : int, numpy.random.Generator, RandomState or None, default 0
        Seed of the splits. The fits of split r = 0, 1, ... have the seed plus r, unless an estimator has a
        random_state of its own.
    sample_weight : array of shape (n,), optional
        Weights >= 0, of fits and of scores.
    n_jobs : int or None
        Number of threads, with a fit on each: -1 and None are all, but None is the number of a joblib context,
        and one in a worker of joblib.
    resume : path, optional
        A file that records every fit as it ends, but not those of pipelines and searches. Fits that it holds, of this
        or an earlier call, are taken from it: an interrupted comparison continues, and one with more models or repeats
        fits only the new ones.
    verbose : bool, default False
        Show progress, by tqdm where that is installed.
    callback : callable, optional
        Called as `callback(task, fraction)` a few times a second; returning False cancels.

    Returns
    -------
    Comparison

    Warns
    -----
    FitWarning
        For a model that could not be fitted to some split; the others are not affected.

    Raises
    ------
    ValueError, TypeError
        For invalid arguments or data, or where no model can be fitted because of them.
    NumericalError
        Where no model can be fitted for another reason.
    FormatError
        When `resume` is a file of another kind.
    OSError
        When `resume` cannot be read or written.
    Cancelled
        When the callback returned False. Fits that had ended are in `resume`.
    """
    labelled = _labelled(models)
    outside = [(label, model) for label, model in labelled if _is_composed(model)]
    if y is None and outside:
        raise ValueError(f"y is None, expected the targets: {outside[0][0]} is fitted by scikit-learn")
    x, encoder, targets = _rows(X, y, any_inputs=len(outside) == len(labelled) > 0)
    weights = None if sample_weight is None else _check_sample_weight(sample_weight, targets, dtype=np.float64)
    for text in [] if encoder is None else encoder.warnings(len(targets)):
        warnings.warn(text, FitWarning, stacklevel=2)
    entries = [_entry(label, model, x, targets) for label, model in labelled if not _is_composed(model)]
    kind = _common_kind(labelled, target_kind)
    for label, name, _, _ in entries:
        if y is None and name in _CLASSES and "is_density" not in _CLASSES[name]._info["capabilities"]:
            raise ValueError(f"y is None, expected the targets: {label} is of a target given inputs")
    options = {"cv": cv, "repeats": repeats, "test_fraction": test_fraction, "seed": draw_seed(random_state)}
    records = None if resume is None else fsencode(resume)
    with observer(bool(verbose), callback) as watch:
        trials = trials_outside(outside, X, y, weights, options, watch)
        board = _core.compare(
            entries, kind, options, x, targets, weights, encoder, records, trials, threads_of(n_jobs), watch
        )
    out = _comparison(board, options)
    for model, reason in out.failures.items():
        failed = out.table["failed"][out.models.index(model)]
        warnings.warn(f"{model} failed on {failed} of {repeats} splits: {reason}", FitWarning, stacklevel=2)
    return out


def _rows(X: Any, y: Any, any_inputs: bool) -> tuple[Floats, _core.Encoder | None, Floats]:
    """Inputs, the encoder of their categories, and targets, as an estimator of any targets reads them."""
    if y is None:
        rows = _reader("is_density")._density_rows(X)
        return np.empty((len(rows), 0)), None, as_rows(rows)
    if any_inputs:  # which only the pipelines read
        targets = as_targets(y, least=2)
        check_consistent_length(X, targets)
        return np.empty((len(targets), 0)), None, as_rows(targets.reshape(len(targets), -1))
    x, encoder, targets, _ = _reader("learns_from_unlabeled")._training_rows(X, y)
    return as_rows(x), encoder, as_rows(targets.reshape(len(targets), -1))


def _reader(capability: str) -> Any:
    """An estimator that reads rows as all with this capability do."""
    return next(cls for cls in _CLASSES.values() if capability in cls._info["capabilities"])()


def _labelled(models: Any) -> list[tuple[str, Any]]:
    if isinstance(models, Mapping):
        for label in models:
            if not isinstance(label, str):
                raise TypeError(f"models has the label {label!r}, expected a str")
        return list(models.items())
    if isinstance(models, (str, ConditionalDensityRegressor, Pipeline)) or not isinstance(models, Sequence):
        raise TypeError(f"models = {models!r}, expected a list of models, or a dict of labels and models")
    return [(model if isinstance(model, str) else _label(model), model) for model in models]


def _is_composed(model: Any) -> bool:
    """Whether a model is fitted by scikit-learn: a pipeline, a search, a DistributionRegressor."""
    return hasattr(model, "fit") and not isinstance(model, (type, ConditionalDensityRegressor))


def _label(model: Any) -> str:
    return re.sub(r"\s+", " ", repr(model))


def _common_kind(models: Sequence[tuple[str, Any]], asked: str | None) -> str:
    """The kind of the targets of all models: scores of different kinds do not compare."""
    kind, owner = asked, "target_kind"
    for label, model in models:
        own = model.target_kind if isinstance(model, ConditionalDensityRegressor) else None
        if own is None or (own == "real" and asked is not None):  # "real" is also what was not said
            continue
        if kind is not None and own != kind:
            raise ValueError(
                f"compare: {label} has target_kind = {own!r}, expected {kind!r} as {owner}: probabilities of values "
                "do not compare with densities; use cross_val_predict_distribution and the CRPS"
            )
        kind, owner = own, f"that of {label}"
    if kind not in (None, "real") and any(_is_composed(model) for _, model in models):
        raise ValueError(f"compare: target_kind = {kind!r}, expected 'real' of pipelines and searches")
    return "real" if kind is None else kind


def _entry(label: str, model: Any, x: Floats, targets: Floats) -> tuple[str, str, str, dict[str, Any]]:
    """Label, name, preset and options of a model, as the core knows them."""
    if isinstance(model, str):
        name, _, preset = model.partition(":")
        return label, name, preset, {}
    if isinstance(model, ConditionalDensityRegressor):
        return label, model._info["name"], model.preset, chosen_options(model._info, model, x, targets)
    raise TypeError(
        f"models has {model!r}, expected names such as 'lscde' or 'lscde:paper', estimators of condens, or pipelines "
        "and searches that end in one"
    )


def _comparison(board: list[dict[str, Any]], options: dict[str, Any]) -> Comparison:
    table: dict[str, NDArray[Any]] = {}
    for measure in _MEASURES:
        table[measure] = np.array([row[measure]["mean"] for row in board], dtype=np.float64)
        table[measure + "_se"] = np.array([row[measure]["standard_error"] for row in board], dtype=np.float64)
    table["failed"] = np.array([row["failed"] for row in board], dtype=np.int64)
    table["nll_behind"] = np.array([row["nll_behind"]["mean"] for row in board], dtype=np.float64)
    table["nll_behind_se"] = np.array([row["nll_behind"]["standard_error"] for row in board], dtype=np.float64)
    table["nll_p"] = np.array([row["nll_p"] for row in board], dtype=np.float64)
    table["best"] = np.array([row["best"] for row in board], dtype=np.bool_)
    scores = {measure: np.array([row[measure]["values"] for row in board], dtype=np.float64) for measure in _MEASURES}
    failures = {row["model"]: row["failure"] for row in board if row["failed"]}
    return Comparison([row["model"] for row in board], table, scores, failures, options)
