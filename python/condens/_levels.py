"""Loads the core that fits the processor.

A wheel holds the core once for each instruction-set level (x86-64-v2, -v3, -v4). The highest that the
processor has is loaded as ``condens._core``; the environment variable ``CONDENS_LEVEL`` names another.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType

import condens
from condens._cpu import level as _cpu_level


def _number(level: str) -> int:
    """The 3 of "x86-64-v3"; 0 for "portable"."""
    return int(level.rpartition("-v")[2]) if "-v" in level else 0


def _cores() -> dict[str, Path]:
    """The core of every level in this installation."""
    found = {}
    for root in condens.__path__:  # two, where Python files and compiled ones lie apart
        for suffix in importlib.machinery.EXTENSION_SUFFIXES:
            for path in Path(root).glob(f"_cores/*/_core{suffix}"):
                found[path.parent.name.replace("x86_64_", "x86-64-")] = path
    return found


def available_levels() -> list[str]:
    """The levels in this installation that this processor can run, lowest first."""
    return sorted((level for level in _cores() if _number(level) <= _cpu_level), key=_number)


def _choose() -> str:
    levels = available_levels()
    wanted = os.environ.get("CONDENS_LEVEL", "")
    if wanted in levels:
        return wanted
    if wanted:
        raise ImportError(
            f"CONDENS_LEVEL is {wanted!r}, expected one of {', '.join(levels)}: the levels of this installation "
            "that this processor has"
        )
    if not levels:
        raise ImportError(
            f"this installation has cores for {', '.join(_cores()) or 'no processor or another Python'}, none of "
            "which this processor and Python can run; install condens from its source"
        )
    return levels[-1]


def load_core() -> ModuleType:
    """Imports the chosen core as condens._core."""
    spec = importlib.util.spec_from_file_location("condens._core", _cores()[_choose()])
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["condens._core"] = module
    spec.loader.exec_module(module)
    return module
