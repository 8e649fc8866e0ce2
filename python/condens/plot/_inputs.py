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
from condens.plot._style import wrapped

Floats = NDArray[np.float64]


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

    label: str  # of the axis: the input, and where the others are
    positions: Floats  # of the rows
    edges: Floats  # of the cells around the positions: one more
    levels: list[str]  # of a categorical input, else empty
    rows: Any  # for the model
    data: Floats  # the rows of X on the axis

    def outline(self, values: Floats) -> tuple[Floats, Floats]:
        """Positions and values of a line; categories become level strokes with gaps (NaN) between them."""
        if not self.levels:
            return self.positions, values
        x = self.positions[:, None] + np.array([-0.38, 0.38, np.nan])
        return x.ravel(), (values[:, None] + 0.0 * x).ravel()

    def finish(self, ax: Any) -> None:
        """Label the axis of x."""
        ax.set_xlabel(self.label)
        if self.levels:
            ax.set_xticks(self.positions, self.levels)
        ax.set_xlim(self.edges[0], self.edges[-1])


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
    positions, edges, values = _positions(moving, grid)
    rows = rows_like(
        X, columns, [c.values(values if j == place else [kept[j]] * len(values)) for j, c in enumerate(columns)]
    )
    data = moving.numbers
    if data is None:
        data = np.array([moving.levels.index(text) for text in moving.texts or []], dtype=np.float64)
        data += np.random.default_rng(0).uniform(-0.25, 0.25, len(data))  # points of a category side by side
    label = names[place]
    if kept:
        most = 12
        shown = list(kept) if len(kept) <= most else sorted(kept, key=lambda j: j not in given)[:most]
        where = ", ".join(f"{names[j]} = {value_text(kept[j])}" for j in shown)
        if len(kept) > most:
            where += f" and {len(kept) - most} others at their typical values"
        label += "\n" + wrapped(f"at {where}", 54)
    return Sweep(label, positions, edges, moving.levels, rows, data)


def _positions(moving: Column, grid: int | ArrayLike) -> tuple[Floats, Floats, list[Any]]:
    """Where the rows stand, the edges of their cells, and the values of the moving input."""
    if moving.numbers is None:
        if not isinstance(grid, (int, np.integer)):
            raise ValueError(f"grid: {moving.name} has categories, all of which are drawn; leave grid out")
        count = len(moving.levels)
        return np.arange(count, dtype=np.float64), np.arange(count + 1, dtype=np.float64) - 0.5, list(moving.levels)
    if isinstance(grid, (int, np.integer)) and not isinstance(grid, bool):
        if grid < 2:
            raise ValueError(f"grid = {grid}, expected at least 2 values of {moving.name}")
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
    return positions, edges, positions.tolist()


@dataclass(frozen=True)
class Predicted:
    """Laws of one target, and its name."""

    laws: GaussianMixtures
    name: str
    place: int
    n_targets: int


def predicted(model: Any, rows: Any, target: int | str, y: Any = None) -> Predicted:
    """The laws of one target at these rows; `y` may name the targets."""
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
