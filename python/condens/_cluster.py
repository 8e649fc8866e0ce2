"""A fit whose rows are elsewhere, on a cluster or in files; the engines say how partitions are read.

An engine runs a function on every partition and merges what comes back, in a tree of fixed shape, so that a fixed cut
of the rows gives the same bits on any number of workers. What is computed are the core's passes: no method is known
here.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from condens import FitWarning, _blocks, _core
from condens._arrays import draw_seed, threads_of
from condens._blocks import Layout, Rows
from condens._parameters import COMMON, chosen_options, takes_missing
from condens._progress import observer

Floats = NDArray[np.float64]

FAN_IN = 8  # states that one task merges
GATHER_ROWS = 15_000


class Engine(Protocol):
    """The partitions of a table on a cluster, or the batches of one in files."""

    threads: int  # for one of them: on a cluster the others have the rest

    def reduce(self, function: Callable[[Rows], Any], merge: Callable[[Sequence[Any]], Any], what: str) -> Any:
        """`function` of every partition that has rows, merged in order."""

    def make_blocks(self, layout: Layout) -> list[int]:
        """Reads the partitions as numbers and keeps them; how many rows each block has."""

    def sums(self, pass_: bytes, first_rows: Sequence[int]) -> bytes:
        """The merged state of all blocks of a pass of the core."""

    def close(self) -> None:
        """Takes back what is kept."""


# --- what can be fitted so --------------------------------------------------------------------------


def mergeable() -> list[str]:
    """Classes whose fits are sums over rows."""
    return sorted(info["class_name"] for info in _core.models() if "sums_over_rows" in info["capabilities"])


def check_settings(estimator: Any, sample: str = "sample") -> None:
    """Refuses what fits by sums do not do; `sample` is the argument that asks for a sample."""
    name = type(estimator).__name__
    advice = f"with {sample}=ROWS it is fitted to a random sample of so many rows, in memory"
    if "sums_over_rows" not in estimator._info["capabilities"]:
        known = ", ".join(mergeable()) or "none"
        raise ValueError(
            f"{name}: its fit is no sum over rows, and needs one machine; sums over rows are {known}; {advice}"
        )
    for setting in ("target_kind", "conformal", "calibrate", "bootstrap"):
        value, default = getattr(estimator, setting), COMMON[setting][0]
        if value != default:
            raise ValueError(
                f"{name}: {setting} = {value!r}, expected {default!r} where rows are elsewhere; {advice}, where this "
                "is possible"
            )
    if estimator.missing == "model":
        raise ValueError(
            f"{name}: missing = 'model', expected 'error' or 'indicator' where rows are elsewhere; {advice}, where "
            "this is possible"
        )
    folds = getattr(estimator, "cv", None)
    if folds is not None and (isinstance(folds, bool) or not isinstance(folds, (int, np.integer))):
        raise ValueError(f"{name}: cv = {folds!r}, expected a number of folds where rows are elsewhere")


def check_version(found: str, where: str) -> None:
    """Two versions of condens in one cluster would add up what does not belong together."""
    if found != _core.version:
        raise RuntimeError(
            f"condens is {found} on {where} and {_core.version} on the driver, expected one version; install the same "
            "on all machines of the cluster"
        )


# --- the columns --------------------------------------------------------------------------------------


def _columns(engine: Engine, layout: Layout, estimator: Any) -> _core.TableColumns:
    """What all rows tell an encoder, from readings of the table."""
    rare, seed = estimator.rare_levels, estimator.random_state
    if rare is not None and (isinstance(rare, bool) or not isinstance(rare, (int, np.integer)) or rare < 0):
        raise ValueError(f"rare_levels = {rare!r}, expected a number of rows >= 0, or None")
    columns = _core.TableColumns(
        layout.inputs,
        layout.targets,
        sorted(layout.texts),
        missing=estimator.missing,
        many_levels=estimator.many_levels,
        rare_levels=None if rare is None else int(rare),
        unseen=estimator.unseen,
        seed=int(seed) if isinstance(seed, (int, np.integer)) else 0,
    )
    while not columns.is_complete:
        read = partial(_blocks.add_columns, layout, columns)
        columns = engine.reduce(read, _blocks.merge_columns, "columns").next_reading()
    return columns


def _level_statistics(
    engine: Engine, layout: Layout, encoder: _core.Encoder, names: Sequence[str], seed: int
) -> _blocks.LevelStatistics:
    """From the target and the level of every row, which come here."""
    levels = {name: encoder.levels[name] for name in names}
    read = partial(_blocks.level_rows, layout, levels)
    partitions, y, weights, places = zip(*engine.reduce(read, _blocks.concatenated, "level statistics"), strict=True)
    lengths = [len(part) for part in y]
    targets = np.concatenate(y)
    of_rows = None if weights[0] is None else np.concatenate(weights)
    codes = {
        name: _core.level_codes(
            np.concatenate([part[name] for part in places]).astype(np.int64), len(own), targets, of_rows, seed
        )
        for name, own in levels.items()
    }
    first_rows = dict(zip(partitions, [0, *np.cumsum(lengths).tolist()][:-1], strict=True))
    return _blocks.LevelStatistics(codes, sum(lengths), first_rows, seed)


# --- the fit ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Blocks:
    """A table that is kept as numbers: what its columns are, and how many rows each block has."""

    layout: Layout
    encoder: _core.Encoder | None
    lengths: list[int]

    @property
    def first_rows(self) -> list[int]:
        """The place of each block's first row in the whole table."""
        return [0, *np.cumsum(self.lengths).tolist()][:-1]


def read(estimator: Any, engine: Engine, layout: Layout) -> Blocks:
    """Has the engine keep its table in numbers, as the estimator reads columns."""
    layout, encoder = replace(layout, keep_missing=takes_missing(estimator.missing)), None
    if layout.texts or layout.dates or layout.keep_missing:
        columns = _columns(engine, layout, estimator)
        encoder, many = columns.encoder, columns.many_levels
        layout = replace(layout, encoder=encoder)
        if many:
            statistics = _level_statistics(engine, layout, encoder, many, columns.seed)
            layout = replace(layout, statistics=statistics)
            encoder = _blocks.with_codes(encoder, statistics)
    return Blocks(layout, encoder, engine.make_blocks(layout))


def fit(estimator: Any, engine: Engine, layout: Layout, *, names: Sequence[str], y_ndim: int, gather_rows: int) -> None:
    """Fits the estimator by sums over the engine's partitions; `names` are those of the inputs, if they have some."""
    if isinstance(gather_rows, bool) or not isinstance(gather_rows, (int, np.integer)) or gather_rows < 0:
        raise ValueError(f"gather_rows = {gather_rows!r}, expected a number of rows >= 0")
    estimator.n_features_in_ = len(layout.targets if layout.is_density else layout.inputs)
    estimator.__dict__.pop("feature_names_in_", None)
    if names:
        estimator.feature_names_in_ = np.array(list(names), dtype=object)
    blocks = read(estimator, engine, layout)
    said = [] if blocks.encoder is None else blocks.encoder.warnings(sum(blocks.lengths))
    _warn(estimator, said)
    model = fitted_model(estimator, blocks, engine.sums, names, gather_rows)
    estimator._set_model(model, y_ndim=y_ndim)
    _warn(estimator, [text for text in model.warnings if text not in said])


def fitted_model(
    estimator: Any,
    blocks: Blocks,
    sums: Callable[[bytes, Sequence[int]], bytes],
    names: Sequence[str],
    gather_rows: int,
) -> _core.Model:
    """The model of the estimator's settings for these blocks, of which `sums` makes the sums of a pass."""
    layout, encoder, first_rows = blocks.layout, blocks.encoder, blocks.first_rows
    if sum(blocks.lengths) < 2:
        raise ValueError(f"the table has {sum(blocks.lengths)} rows, expected at least 2")
    options = chosen_options(estimator._info, estimator, np.empty((0, len(layout.inputs))), np.empty((0, 1)))
    with observer(bool(estimator.verbose), estimator.callback) as watch:
        return _core.fit_by_sums(
            estimator._info["name"],
            estimator.preset,
            options,
            lambda pass_: sums(pass_, first_rows),
            len(layout.inputs) if encoder is None else len(encoder.encoded_names),
            len(layout.targets),
            gather_rows=int(gather_rows),
            threads=threads_of(estimator.n_jobs),
            callback=watch,
            input_names=[] if encoder is not None or layout.is_density else list(names),
            target_names=list(layout.targets),
            encoder=encoder,
        )


def _warn(estimator: Any, texts: Sequence[str]) -> None:
    for text in texts:
        warnings.warn(f"{type(estimator).__name__}: {text}", FitWarning, stacklevel=5)


def sample_rows(estimator: Any, engine: Engine, sample: Any) -> list[Rows]:
    """A random sample of the rows, in order, stratified by the target; the same for any cut of the table into
    partitions.
    """
    if isinstance(sample, bool) or not isinstance(sample, (int, np.integer)) or sample < 2:
        raise ValueError(f"sample = {sample!r}, expected a number of rows >= 2, or None")
    strata = dict(engine.reduce(_blocks.strata_of, _blocks.concatenated, "strata"))
    lengths = {partition: len(own) for partition, own in strata.items()}
    total = sum(lengths.values())
    rows = np.arange(total)
    if total > sample:
        warnings.warn(
            f"{type(estimator).__name__}: fitted to a random sample of {sample} of {total} rows",
            FitWarning,
            stacklevel=4,
        )
        seed = 0 if estimator.random_state is None else draw_seed(estimator.random_state)
        in_order = np.concatenate([strata[partition] for partition in sorted(strata)])
        rows = _stratified(in_order, int(sample), np.random.default_rng(seed))
    numbers: list[NDArray[np.int64]] = []
    first = 0
    for partition in range(max(lengths, default=-1) + 1):
        count = lengths.get(partition, 0)
        begin, end = np.searchsorted(rows, (first, first + count))
        numbers.append(rows[begin:end] - first)
        first += count
    return engine.reduce(partial(_blocks.pick, numbers), _blocks.concatenated, "sample")  # type: ignore[no-any-return]


def _stratified(strata: NDArray[np.uint16], sample: int, random: np.random.Generator) -> NDArray[np.int64]:
    """Places, rising, of a sample in which every stratum has its share but for less than one row: rows in the order of
    their strata, shuffled within, of which every (total / sample)-th is taken (Madow and Madow, Ann. Math. Stat. 15,
    1944). Each row is as likely.
    """
    shuffled = random.permutation(len(strata))
    ordered = shuffled[np.argsort(strata[shuffled], kind="stable")]
    steps = (np.arange(sample) + random.uniform()) * (len(strata) / sample)
    return np.sort(ordered[np.minimum(steps.astype(np.int64), len(strata) - 1)])


# --- scores -------------------------------------------------------------------------------------------


def score_table(estimator: Any, engine: Engine, options: dict[str, Any]) -> dict[str, Any]:
    """What `condens.metrics.score_table` says of these rows."""
    first_rows: dict[int, int] = {}
    if estimator._model.target_kind != "real":  # PIT values of probabilities are drawn by the places of rows
        total = 0
        for partition, rows in engine.reduce(_blocks.lengths_of, _blocks.concatenated, "lengths"):
            first_rows[partition] = total
            total += rows
    scored = partial(_score_states, estimator, options, first_rows, engine.threads)
    state = engine.reduce(scored, _merged_states, "scores")
    if not state:
        raise ValueError("sample_weight: all weights are zero, expected at least one above zero")
    return _core.merged_scores(state[0], options)


def _score_states(
    estimator: Any, options: dict[str, Any], first_rows: dict[int, int], threads: int, rows: Rows
) -> list[bytes]:
    weights = _blocks.weights_of(rows)
    if weights is not None and not (weights > 0).any():
        return []
    model = estimator._model
    y = _blocks.targets_of(model.encoder.target_names, rows)
    first_row = first_rows.get(rows.partition, 0)
    return [_core.score_state(model, estimator._rows(rows.x), y, weights, first_row, options, threads)]


def _merged_states(parts: Sequence[list[bytes]]) -> list[bytes]:
    states = _blocks.concatenated(parts)
    return [_blocks.merge(states)] if states else []
