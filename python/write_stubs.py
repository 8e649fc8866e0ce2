"""Writes condens/_registered.pyi: what type checkers and editors see of the estimators.

The classes themselves are made at import, from the option tables of the core. Run this after a model or an option
was added or changed:

    python -P python/write_stubs.py
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import condens
from condens._parameters import COMMON
from condens.estimators import _bases as _estimator_bases

STUB = Path(__file__).parent / "condens" / "_registered.pyi"

_HEAD = '''"""The estimators of the registry. Written by python/write_stubs.py."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condens.estimators import (
{bases}
)

__all__ = [
{names}
]

_Numbers: TypeAlias = float | Sequence[float] | NDArray[np.floating] | NDArray[np.integer]

class _Splitter(Protocol):
    def split(self, X: Any, y: Any = None, groups: Any = None) -> Any: ...

_Splits: TypeAlias = _Splitter | Sequence[tuple[Any, Any]]
'''

_TYPES = {
    "boolean": "bool",
    "integer": "int",
    "number": "float",
    "numbers": "_Numbers",
    "matrix": "ArrayLike",
    "text": "str",
    "texts": "str | Sequence[str]",
    "options": "Mapping[str, Any] | ConditionalDensityRegressor",
}

_COMMON_TYPES = {
    "target_kind": "str",
    "missing": "str",
    "many_levels": "str",
    "rare_levels": "int | None",
    "unseen": "str",
    "conformal": "bool | Mapping[str, Any]",
    "calibrate": "bool | Mapping[str, float]",
    "bootstrap": "int",
    "random_state": "int | np.random.Generator | np.random.RandomState | None",
    "n_jobs": "int | None",
    "verbose": "bool",
    "callback": "Callable[[str, float], Any] | None",
}


def _literal(values: list[str]) -> str:
    return "Literal[" + ", ".join(f'"{value}"' for value in values) + "]"


def _option_type(option: dict[str, Any]) -> str:
    if option["name"] == "cv":
        return "_Numbers | _Splits"
    if option["name"] == "model":
        return "str | ConditionalDensityRegressor"
    if option["name"] == "models":
        return "str | Sequence[str | ConditionalDensityRegressor]"
    return _literal(option["choices"]) if option["choices"] else _TYPES[option["type"]]


def _keywords(info: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Name, type and default of every argument, in order."""
    preset = ("preset", _literal(info["presets"]), f'"{info["presets"][0]}"')
    options = [
        (option["name"], f"{_option_type(option)} | None", "None")
        for option in info["options"]
        if option["name"] != "seed"
    ]
    common = (
        (name, _COMMON_TYPES[name], f'"{default}"' if isinstance(default, str) else repr(default))
        for name, (default, _, _) in COMMON.items()
    )
    return [preset, *options, *common]


def _result_type(result: dict[str, Any]) -> str:
    return "NDArray[Any]" if result["shape"] else "Any"


def _bases(info: dict[str, Any]) -> list[str]:
    return [base.__name__ for base in _estimator_bases(info)]


def _class(info: dict[str, Any]) -> str:
    keywords = _keywords(info)
    lines = [
        "class {}({}):".format(info["class_name"], ", ".join(_bases(info))),
        f'    """{info["title"]}"""',
        "",
        *(f"    {name}: {kind}" for name, kind, _ in keywords),
        *(f"    {result['name']}_: {_result_type(result)}" for result in info["results"]),
        "    def __init__(",
        "        self,",
        "        *,",
        *(f"        {name}: {kind} = {default}," for name, kind, default in keywords),
        "    ) -> None: ...",
    ]
    return "\n".join(lines) + "\n"


def stub() -> str:
    """The text of the stub."""
    infos = condens._core.models()
    classes = sorted((info["class_name"] for info in infos), key=lambda name: (not name.isupper(), name))
    names = "\n".join(f'    "{name}",' for name in classes)
    known = sorted({"ConditionalDensityRegressor", *(base for info in infos for base in _bases(info))})
    bases = "\n".join(f"    {base}," for base in known)
    return "\n".join([_HEAD.format(names=names, bases=bases), *map(_class, infos)])


if __name__ == "__main__":
    STUB.write_text(stub(), encoding="utf-8")
