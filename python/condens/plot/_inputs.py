"""One input moves, the others stay: the rows that pictures over x ask the model about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_consistent_length

from condens._arrays import as_float64, as_targets
from condens._frames import column_names, is_frame, read_columns
from condens.distributions import GaussianMixtures
from condens.metrics import _final
from condens.plot._style import caption_below

Floats = NDArray[np.float64]
FEW_VALUES = 5  # an input with at most as many values, each repeated, is drawn as levels
REPEATS = 3  # rows for each value: fewer do not tell
NEAR_SHARE = 0.1  # of the rows lie within the width of the kernel that says how near a row is to a section
NEAR_ROWS = 200  # the same of many rows, as a number
LEAST_WIDTH = 0.25  # of that kernel, in standard deviations
LITTLE = 0.02  # probability outside an axis that needs no remark


@dataclass(frozen=True)
class Column:
    """One column of X: numbers, or texts with the values that stand for them."""

    name: str
    numbers: Floats | None
    texts: list[str] | None
    originals: dict[str, Any]

    @property
    def levels(self) -> list[str]:
        """The categories, sorted; empty for numbers."""
        return sorted(self.originals)

    def steps(self) -> Floats:
        """The few values that numbers take; empty for a continuum."""
        if self.numbers is None:
            return np.empty(0)
        values = np.unique(self.numbers[np.isfinite(self.numbers)])
        few = 2 <= len(values) <= FEW_VALUES and len(self.numbers) >= REPEATS * len(values)
        return values if few else values[:0]

    def squared_distance(self, value: Any) -> Floats:
        """Of every row from a value, in standard deviations; levels differ by one."""
        if self.numbers is None:
            return np.array([text != value for text in self.texts or []], dtype=np.float64)
        spread = float(np.nanstd(self.numbers))
        if not spread > 0:
            return np.zeros(len(self.numbers))
        return np.asarray(np.nan_to_num(((self.numbers - value) / spread) ** 2, nan=1.0))

    def typical(self) -> Any:
        """The median of numbers, the most frequent of categories."""
        if self.numbers is not None:
            return float(np.nanmedian(self.numbers))
        return Counter(self.texts).most_common(1)[0][0]

    def checked(self, value: Any) -> Any:
        """A value of `at` for this column."""
        if self.numbers is not None:
            try:
                return float(value)
            except (TypeError, ValueError):
                raise ValueError(f"at: {self.name} = {value!r}, expected a number") from None
        if str(value) not in self.originals:
            raise ValueError(f"at: {self.name} = {value!r}, expected one of {', '.join(self.levels)}")
        return str(value)

    def values(self, which: list[Any]) -> Any:
        """Numbers or categories as X holds them."""
        return np.array(which) if self.numbers is not None else [self.originals[text] for text in which]


def columns_of(X: Any, model: Any = None) -> list[Column]:
    """The columns of a frame or an array, with their names: the model's or x1, x2, ... where X has none."""
    names = column_names(X) if is_frame(X) else []
    if names:
        read, categorical = read_columns(X)
        originals = {name: dict(zip(read[name], X[name].to_list(), strict=True)) for name in categorical}
        return [
            Column(name, None, read[name], originals[name]) if name in originals else Column(name, read[name], None, {})
            for name in names
        ]
    values = as_float64(X, "X")
    if values.ndim != 2:
        raise ValueError(f"X has {values.ndim} dimension(s), expected 2: reshape(-1, 1) makes one input a column")
    d = values.shape[1]
    names = [str(name) for name in getattr(model, "feature_names_in_", [])]
    if len(names) != d:
        names = ["x"] if d == 1 else [f"x{j + 1}" for j in range(d)]
    return [Column(name, values[:, j], None, {}) for j, name in enumerate(names)]


def rows_like(X: Any, columns: list[Column], values: list[Any]) -> Any:
    """Inputs of the kind of X with these columns."""
    if is_frame(X) and column_names(X):
        return type(X)({column.name: value for column, value in zip(columns, values, strict=True)})
    return np.column_stack(values)


def place_of(key: int | str, names: list[str], argument: str) -> int:
    """The place of a name or an index, which may count from the end."""
    if isinstance(key, str):
        if key not in names:
            raise ValueError(f"{argument} = {key!r}, expected one of {', '.join(names)}")
        return names.index(key)
    if not isinstance(key, (int, np.integer)) or isinstance(key, bool):
        raise TypeError(f"{argument} = {key!r}, expected a name or an index")
    if not -len(names) <= key < len(names):
        raise ValueError(f"{argument} = {key}, expected an index in [{-len(names)}, {len(names)})")
    return int(key) % len(names)


def value_text(value: Any) -> str:
    """A number or category in few letters."""
    return f"{value:.4g}" if isinstance(value, (float, np.floating)) else str(value)


@dataclass(frozen=True)
class Sweep:
    """Rows along which one input moves, and where they stand on the axis of x."""

    label: str  # of the axis: the input
    others: list[str]  # where the other inputs stand
    positions: Floats  # of the rows
    edges: Floats  # of the cells around the positions: one more
    levels: list[str]  # of an input that is drawn as levels, else empty
    rows: Any  # for the model
    data: Floats  # the rows of X on the axis
    closeness: Floats | None  # of the rows of X to the others, from 0 to 1; None where there are no others

    def outline(self, values: Floats) -> tuple[Floats, Floats]:
        """Positions and values of a line; categories become level strokes with gaps (NaN) between them."""
        if not self.levels:
            return self.positions, values
        x = self.positions[:, None] + np.array([-0.38, 0.38, np.nan])
        return x.ravel(), (values[:, None] + 0.0 * x).ravel()

    def finish(self, ax: Any, remarks: list[str], *, with_points: bool = False, legend_lines: int = 1) -> None:
        """Label the axis of x, and say below what the picture leaves out and where the other inputs stand."""
        ax.set_xlabel(self.label)
        if self.levels and (every := level_ticks(ax, self.positions, self.levels)) > 1:
            remarks = [f"One of {every} levels is named.", *remarks]
        ax.set_xlim(self.edges[0], self.edges[-1])
        tail = "rows are paler the farther they are from there." if with_points and self.others else ""
        caption_below(ax, remarks, "At ", self.others, tail, legend_lines)


def level_ticks(ax: Any, positions: Floats, levels: list[str]) -> int:
    """Names of levels: upright where they would touch, and of many only every so many, which is returned."""
    letter, longest, pitch = 0.62 * 9, 16, 8.5  # points, letters, points
    step = 0.75 * float(ax.get_window_extent().width) / ax.figure.dpi * 72 / len(levels)
    upright = max(map(len, levels)) * letter + 6 > step
    every = max(1, int(np.ceil(pitch / step))) if upright else 1
    names = [name if len(name) <= longest else name[: longest - 1] + "\u2026" for name in levels]
    ax.set_xticks(positions[::every], (names if upright else levels)[::every], rotation=90 if upright else 0)
    if upright:
        ax.tick_params(axis="x", labelsize=7)
    return every


def sweep_of(
    model: Any, X: Any, feature: int | str, at: Mapping[int | str, Any] | None, grid: int | ArrayLike
) -> Sweep:
    """Rows that move `feature` over `grid` and keep the others at `at`, else at their typical values."""
    columns = columns_of(X, model)
    names = [column.name for column in columns]
    if not names:
        raise ValueError("X has no columns; draw condens.plot.density(model.distribution_)")
    if not len(X):
        raise ValueError("X has no rows, expected at least one")
    place = place_of(feature, names, "feature")
    given = {place_of(key, names, "at"): value for key, value in (at or {}).items()}
    if place in given:
        raise ValueError(f"at has {names[place]!r}, which is the feature that moves; its values are `grid`")
    kept = {j: c.checked(given[j]) if j in given else c.typical() for j, c in enumerate(columns) if j != place}

    moving = columns[place]
    positions, edges, values, levels = _positions(moving, grid)
    rows = rows_like(
        X, columns, [c.values(values if j == place else [kept[j]] * len(values)) for j, c in enumerate(columns)]
    )
    data = moving.numbers if moving.numbers is not None and not levels else _level_places(moving, levels, values)
    order = sorted(kept, key=lambda j: j not in given)
    others = [f"{names[j]} = {value_text(kept[j])}" for j in order]
    near = _closeness([columns[j].squared_distance(kept[j]) for j in kept]) if kept else None
    return Sweep(names[place], others, positions, edges, levels, rows, data, near)


def _level_places(moving: Column, levels: list[str], values: list[Any]) -> Floats:
    """The place of every row among the levels, beside each other within a level."""
    if moving.numbers is None:
        places = np.array([levels.index(text) for text in moving.texts or []], dtype=np.float64)
    else:
        places = np.argmin(np.abs(moving.numbers[:, None] - np.array(values)), axis=1).astype(np.float64)
    turns = 0.6180339887498949 * np.arange(len(places))  # multiples of the golden ratio fill the level evenly
    return places + 0.5 * (turns % 1.0) - 0.25


def _closeness(squared: list[Floats]) -> Floats:
    """A Gaussian kernel of the distance in all inputs but one, as wide as holds NEAR_SHARE of the rows.

    Of many rows it holds NEAR_ROWS, as many as can be told apart.
    """
    mean = np.mean(squared, axis=0)
    width = max(LEAST_WIDTH**2, float(np.quantile(mean, min(NEAR_SHARE, NEAR_ROWS / max(1, len(mean))))))
    return np.asarray(np.exp(-0.5 * mean / width), dtype=np.float64)


def _positions(moving: Column, grid: int | ArrayLike) -> tuple[Floats, Floats, list[Any], list[str]]:
    """Where the rows stand, the edges of their cells, the values of the moving input, and their names as levels."""
    counted = isinstance(grid, (int, np.integer))
    if moving.numbers is None and not counted:
        raise ValueError(f"grid: {moving.name} has categories, all of which are drawn; leave grid out")
    values: list[Any] = moving.levels if moving.numbers is None else moving.steps().tolist() if counted else []
    if values:
        count = len(values)
        names = [value_text(value) for value in values]
        return np.arange(count, dtype=np.float64), np.arange(count + 1, dtype=np.float64) - 0.5, values, names
    if isinstance(grid, (int, np.integer)) and not isinstance(grid, bool):
        if grid < 2:
            raise ValueError(f"grid = {grid}, expected at least 2 values of {moving.name}")
        assert moving.numbers is not None
        low, high = float(np.nanmin(moving.numbers)), float(np.nanmax(moving.numbers))
        if low == high:
            low, high = low - 0.5, high + 0.5
        margin = 0.02 * (high - low)  # so that the outermost points are seen whole
        positions = np.linspace(low - margin, high + margin, int(grid))
    else:
        positions = as_float64(grid, "grid")
        if positions.ndim != 1 or len(positions) < 2 or not (np.diff(positions) > 0).all():
            raise ValueError("grid must be a number of values, or at least 2 rising values of the feature")
    middles = (positions[1:] + positions[:-1]) / 2
    edges = np.concatenate([positions[:1], middles, positions[-1:]])
    return positions, edges, positions.tolist(), []


@dataclass(frozen=True)
class Predicted:
    """Distributions of one target, and its name."""

    laws: GaussianMixtures
    name: str
    place: int
    n_targets: int


def predicted(model: Any, rows: Any, target: int | str, y: Any = None) -> Predicted:
    """The distributions of one target at these rows; `y` may name the targets."""
    final, inputs = _final(model, rows)
    laws = final.predict_distribution(inputs)
    d = laws.n_targets
    names = column_names(y)
    if len(names) != d:
        core = getattr(final, "_model", None)
        names = core.encoder.target_names if core is not None else [f"y{j + 1}" for j in range(d)] if d > 1 else ["y"]
    place = place_of(target, names, "target")
    return Predicted(laws.marginal(place), names[place], place, d)


def target_of(X: Any, y: Any, which: Predicted) -> Floats:
    """The column of y that belongs to the target drawn."""
    values = as_targets(y)
    check_consistent_length(X, values)
    values = values.reshape(len(values), -1)
    if values.shape[1] != which.n_targets:
        raise ValueError(f"y has {values.shape[1]} column(s), expected {which.n_targets}, as the model has targets")
    return values[:, which.place]


def range_of_fit(final: Any, place: int) -> tuple[float, float] | None:
    """The least and the largest value that a target had in the fit, where the estimator knows them."""
    core = getattr(final, "_model", None)
    low, high = (0.0, 0.0) if core is None else core.encoder.target_ranges[place]
    return (low, high) if low < high else None


def bulk(values: Floats) -> tuple[float, float]:
    """The ends of the data, but for a few far values of many, which would squeeze the rest into a line."""
    many, share = 1000, 0.005
    low, high = float(values.min()), float(values.max())
    if len(values) < many:
        return low, high
    inner = np.quantile(values, [share, 1 - share])
    return (low, high) if high - low <= 2 * (inner[1] - inner[0]) else (float(inner[0]), float(inner[1]))


def target_axis(laws: GaussianMixtures, values: Floats | None, tail: float) -> tuple[float, float]:
    """An axis for y: the data, and the distributions but for `tail` at either side.

    Far values of few rows are left out; distributions extend the rest by at most its size, and nothing goes
    below zero where the data do not.
    """
    ends = laws.reshape(-1)[:, None].ppf([tail, 1 - tail])
    low, high = float(ends[:, 0].min()), float(ends[:, 1].max())
    if values is not None:
        first, last = bulk(values)
        reach = max(last - first, float(np.median(ends[:, 1] - ends[:, 0])))
        low, high = min(max(low, first - reach), first), max(min(high, last + reach), last)
    margin = 0.03 * (high - low) or 0.5
    low, high = low - margin, high + margin
    if values is not None and values.min() >= 0 and high > 0:
        low = max(low, -0.015 * high)  # points at zero are seen whole
    return low, high


def outside_remark(laws: GaussianMixtures, axis: tuple[float, float]) -> str:
    """What of the distributions lies outside an axis; empty where it could not be seen."""
    laws = laws.reshape(-1)
    below, above = float(laws.cdf(axis[0]).max()), float(laws.sf(axis[1]).max())
    start = 0.0 if abs(axis[0]) < LITTLE * axis[1] else axis[0]
    parts = [
        f"{100 * share:.2g} % of the probability lies {side} {value_text(float(f'{end:.3g}'))}"
        for share, side, end in ((below, "below", start), (above, "above", axis[1]))
        if share > LITTLE
    ]
    return f"Up to {', up to '.join(parts)}." if parts else ""
