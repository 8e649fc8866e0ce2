"""condens.export without the packages it exports to, and its examples."""

from __future__ import annotations

import doctest
import importlib
from typing import Any

import pytest

from condens import export

# As if a package were not installed.
HIDE = """
import sys
class Hidden:
    def find_spec(name, *_):
        if name == {!r}:
            raise ModuleNotFoundError(f"No module named {{name}}", name=name)
sys.meta_path.insert(0, Hidden)
"""


def test_import_brings_none_of_the_packages(run_python: Any) -> None:
    code = (
        "import sys, condens.export\n"
        "found = {'skpro', 'scoringrules', 'qp', 'xarray', 'pandas', 'sklearn'} & set(sys.modules)\n"
        "assert not found, found"
    )
    done = run_python(code)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("package", "installed_as", "names"),
    [
        ("skpro", "skpro", ["SkproDistribution", "SkproRegressor", "to_skpro"]),
        ("qp", "qp-prob", ["from_qp", "to_qp"]),
        ("xarray", "xarray", ["from_xarray", "to_xarray"]),
    ],
)
def test_a_missing_package_is_named(run_python: Any, package: str, installed_as: str, names: list[str]) -> None:
    code = HIDE.format(package) + (
        "import condens.export\n"
        f"for name in {names}:\n"
        "    try:\n"
        "        getattr(condens.export, name)\n"
        "    except ImportError as error:\n"
        "        print(error)\n"
    )
    done = run_python(code)
    expected = [f"condens.export.{name} needs the package {package}: pip install {installed_as}" for name in names]
    assert done.stdout.splitlines() == expected, done.stderr


@pytest.mark.parametrize(
    ("package", "text"),
    [
        ("mlflow", "condens.mlflow needs mlflow: pip install 'condens[mlflow]'"),
        ("rail", "condens.rail needs RAIL: pip install 'condens[rail]'"),
        ("sktime", "condens.sktime needs sktime and skpro: pip install 'condens[sktime]'"),
    ],
)
def test_adapters_name_what_they_need(run_python: Any, package: str, text: str) -> None:
    code = (
        HIDE.format(package) + f"try:\n    import condens.{package}\nexcept ImportError as error:\n    print(error)\n"
    )
    done = run_python(code)
    assert done.stdout.splitlines() == [text], done.stderr


@pytest.mark.parametrize("package", ["skpro", "qp"])
def test_a_star_brings_what_is_installed(run_python: Any, package: str) -> None:
    code = HIDE.format(package) + (
        "from condens.export import *\n"
        "import condens.export\n"
        "print('to_scoringrules' in globals(), 'to_skpro' in globals(), 'to_qp' in globals())\n"
        "print({'to_skpro', 'to_qp', 'to_scoringrules'} <= set(dir(condens.export)))"
    )
    done = run_python(code)
    assert done.returncode == 0, done.stderr
    found, complete = done.stdout.split("\n")[:2]
    own = {"skpro": 1, "qp": 2}[package]
    assert found.split()[0] == "True"
    assert found.split()[own] == "False"
    assert complete == "True"


def test_scoringrules_is_not_needed(run_python: Any) -> None:
    code = HIDE.format("scoringrules") + (
        "import condens\nprint(condens.export.to_scoringrules(condens.GaussianMixtures([1.0], [2.0], [3.0])))"
    )
    assert run_python(code).stdout.strip() == "{'m': array([2.]), 's': array([3.]), 'w': array([1.])}"


def test_unknown_names() -> None:
    with pytest.raises(AttributeError, match=r"condens\.export' has no attribute 'to_scpro'"):
        _ = export.to_scpro
    assert set(export.__all__) <= set(dir(export))


@pytest.mark.parametrize("package", ["skpro", "scoringrules", "qp", "xarray"])
def test_examples(package: str) -> None:
    pytest.importorskip(package)
    module = importlib.import_module(f"condens.export._{package}")
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0
