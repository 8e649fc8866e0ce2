"""Which model suits the data? Several, fitted by sums to the same random parts of a dask collection."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from dask.delayed import delayed
from numpy.typing import NDArray

from condens import FitWarning, _blocks, _cluster, _core
from condens._arrays import as_share, draw_seed
from condens._blocks import Block
from condens._trials import _LEVEL
from condens.comparison import Comparison, _comparison, _labelled
from condens.dask._engine import DaskEngine, Kept, compute, sums_of, tree
from condens.dask._estimators import _layout
from condens.estimators import _CLASSES, ConditionalDensityRegressor

Squares = tuple[Any, Any, Any]  # rows, sums of y, and of squares around the mean
_SCORES: dict[str, Any] = {"levels": [_LEVEL], "energy_score": False, "highest_density": False}


def compare(
    X: Any,
    y: Any,
    models: Sequence[Any] | Mapping[str, Any],
    *,
    repeats: int = 1,
    test_fraction: float = 0.5,
    random_state: Any = 0,
    gather_rows: int = _cluster.GATHER_ROWS,
) -> Comparison:
    """Fit several models to random parts of the rows, by sums, and score each on the remaining rows.

    Parameters
    ----------
    X, y : data frame, series or array of dask
        As of `fit`.
    models : list, or dict of labels and models
        Names of models (`lscde`), with a preset (`lscde:paper`), and estimators, whose fits are sums over rows.
    repeats : int, default 1
        Splits, the same for all models.
    test_fraction : float, default 0.5
        Share of the rows that are test rows, about: each row's place decides, whatever the partitions.
    random_state : int, numpy.random.Generator, RandomState or None, default 0
        Seed of the splits.
    gather_rows : int, default 15000
        As of `fit`.

    Returns
    -------
    Comparison
        As of `condens.compare`.

    Warns
    -----
    FitWarning
        For a model that could not be fitted to some split; the others are not affected.

    Raises
    ------
    ValueError, TypeError
        For invalid arguments or data, and for a model whose fit is no sum over rows.
    """
    if isinstance(repeats, bool) or not isinstance(repeats, (int, np.integer)) or repeats < 1:
        raise ValueError(f"repeats = {repeats!r}, expected a number of splits >= 1")
    share, seed = as_share(test_fraction, "test_fraction"), draw_seed(random_state)
    estimators = {label: _estimator(model) for label, model in _with_labels_that_differ(models)}
    for estimator in estimators.values():
        _cluster.check_settings(estimator)
    layout, names, _ = _layout(X, y, is_density=False)
    trials: dict[str, list[dict[str, Any]]] = {label: [] for label in estimators}
    engine = DaskEngine(X, y, None)
    try:
        blocks = _cluster.read(next(iter(estimators.values())), engine, layout)
        for repeat in range(repeats):
            split = (share, seed + repeat)
            train, lengths = engine.parts(_part, blocks.first_rows, *split, False)
            test, _ = engine.parts(_part, blocks.first_rows, *split, True)
            own = _cluster.Blocks(blocks.layout, blocks.encoder, lengths)
            for label, estimator in estimators.items():
                trials[label].append(_trial(estimator, own, train, test, names, gather_rows))
            engine.release([*train, *test])
    finally:
        engine.close()
    return _board(trials, {"cv": "random", "repeats": int(repeats), "test_fraction": share, "seed": seed})


def _with_labels_that_differ(models: Any) -> list[tuple[str, Any]]:
    out = _labelled(models)
    if not out or len({label for label, _ in out}) < len(out):
        raise ValueError(f"models = {models!r}, expected one or more models with labels that differ")
    return out


def _estimator(model: Any) -> Any:
    if isinstance(model, ConditionalDensityRegressor):
        return model
    name, _, preset = model.partition(":") if isinstance(model, str) else ("", "", "")
    if name not in _CLASSES:
        known = ", ".join(info["name"] for info in _core.models() if info["class_name"] in _cluster.mergeable())
        raise ValueError(f"models has {model!r}, expected estimators of condens, or names among {known}")
    return _CLASSES[name](preset=preset) if preset else _CLASSES[name]()


def _part(block: Block, first_row: int, share: float, seed: int, test: bool) -> Block:
    """The test or the training rows of a block, by a number that each place gives (splitmix64; Steele et al. 2014)."""
    with np.errstate(over="ignore"):
        z = np.arange(first_row, first_row + len(block), dtype=np.uint64) + np.uint64(seed) * np.uint64(1 << 40)
        z = (z + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    uniform = (z ^ (z >> np.uint64(31))).astype(np.float64) / 2.0**64
    rows: NDArray[np.bool_] = (uniform < share) == test
    return Block(block.x[rows], block.y[rows])


def _trial(
    estimator: Any,
    blocks: _cluster.Blocks,
    train: list[Kept],
    test: list[Kept],
    names: Sequence[str],
    gather_rows: int,
) -> dict[str, Any]:
    begin = time.perf_counter()
    try:
        model = _cluster.fitted_model(
            estimator, blocks, lambda pass_, first: sums_of(train, pass_, first), names, gather_rows
        )
    except (ValueError, ArithmeticError) as error:
        return {"failure": str(error)}
    seconds = time.perf_counter() - begin
    own = delayed(model)
    rows, _, squares = compute(tree([(part.block,) for part in train], _squares, _add, "scores"))
    deviations = np.sqrt(squares / (rows - 1))
    state = compute(tree([(part.block, own) for part in test], _score, _blocks.merge, "scores"))
    found = _core.merged_scores(state, _SCORES)
    each = found["targets"]
    return {
        "nll": found["nll"]["value"],
        "nll_standardized": found["nll"]["value"] - float(np.log(deviations).sum()),
        "squared_loss": found["squared_loss"]["value"],
        "crps": float(np.mean([target["crps"]["value"] for target in each])),
        f"coverage_{_LEVEL:g}": float(np.mean([target["coverage"][0]["central"]["value"] for target in each])),
        "seconds": seconds,
    }


def _score(block: Block, model: _core.Model) -> bytes:
    return _core.score_state(model, block.x, block.y, options=_SCORES)


def _squares(block: Block) -> Squares:
    return len(block), block.y.sum(axis=0), ((block.y - block.y.mean(axis=0)) ** 2).sum(axis=0)


def _add(parts: Sequence[Squares]) -> Squares:
    rows, total = sum(p[0] for p in parts), sum(p[1] for p in parts)
    # Of the parts' means around the mean of all, as in an analysis of variance.
    return rows, total, sum(p[2] + p[0] * (p[1] / p[0] - total / rows) ** 2 for p in parts)


def _board(trials: dict[str, list[dict[str, Any]]], options: dict[str, Any]) -> Comparison:
    """The leaderboard: the core ranks and tests what was measured elsewhere."""
    if all("failure" in trial for own in trials.values() for trial in own):
        raise ValueError(next(iter(trials.values()))[0]["failure"])
    nothing = np.zeros((4, 1))
    board = _core.compare([], "real", options, nothing, nothing + np.arange(4)[:, None], outside=list(trials.items()))
    out = _comparison(board, options)
    for model, reason in out.failures.items():
        failed = out.table["failed"][out.models.index(model)]
        warnings.warn(f"{model} failed on {failed} of {options['repeats']} splits: {reason}", FitWarning, stacklevel=3)
    return out
