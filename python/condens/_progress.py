"""Progress of long work: the caller's callback, and a bar where one is wanted."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Callback = Callable[[str, float], Any]


def _parts(text: str) -> tuple[str, str]:
    """The task, and the part of it that is under way: "fitting the members: nw, gp"."""
    task, _, part = text.partition(": ")
    return task, part


class _Lines:
    """A line on standard error where tqdm is not installed."""

    def __init__(self) -> None:
        self._task = ""
        self._width = 0

    def show(self, text: str, fraction: float) -> None:
        task, part = _parts(text)
        if task != self._task:
            self.close(done=True)
            self._width = 0
        self._task = task
        line = f"{task}: {100 * fraction:3.0f} %" + (f" ({part})" if part else "")
        sys.stderr.write("\r" + line.ljust(self._width))
        sys.stderr.flush()
        self._width = len(line)

    def close(self, done: bool) -> None:
        if self._task:
            sys.stderr.write("\r" + f"{self._task}: 100 %".ljust(self._width) + "\n" if done else "\n")


class _Bar:
    """tqdm's bar, one for each task."""

    def __init__(self, tqdm: Any) -> None:
        self._tqdm = tqdm
        self._bar: Any = None
        self._task = ""

    def show(self, text: str, fraction: float) -> None:
        task, part = _parts(text)
        if task != self._task:
            self.close(done=True)
            self._task = task
            form = "{desc}: {percentage:3.0f}%|{bar}| {elapsed}{postfix}"
            self._bar = self._tqdm(desc=task, total=100, bar_format=form)
        if part:
            self._bar.set_postfix_str(part, refresh=False)
        self._bar.update(100 * fraction - self._bar.n)

    def close(self, done: bool) -> None:
        if self._bar is not None:
            if done:
                self._bar.update(100 - self._bar.n)
            self._bar.close()


@contextmanager
def observer(verbose: bool, callback: Callback | None) -> Iterator[Callback | None]:
    """What the core shall call: None where nobody listens."""
    if callback is not None and not callable(callback):
        raise TypeError(f"callback = {callback!r}, expected a function of (task, fraction), or None")
    if not verbose:
        yield callback
        return
    try:
        from tqdm.auto import tqdm

        display: _Bar | _Lines = _Bar(tqdm)
    except ImportError:
        display = _Lines()

    def show(task: str, fraction: float) -> Any:
        display.show(task, fraction)
        return None if callback is None else callback(task, fraction)

    try:
        yield show
    except BaseException:
        display.close(done=False)
        raise
    display.close(done=True)
