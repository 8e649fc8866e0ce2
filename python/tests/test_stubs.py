"""What type checkers see is what there is."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import condens
from condens import _core

PYTHON = Path(__file__).resolve().parents[1]
PACKAGE = PYTHON / "condens"


def parameters_in_stub(function: ast.FunctionDef) -> list[tuple[str, bool]]:
    arguments = function.args
    assert not arguments.kwonlyargs
    assert arguments.vararg is None
    assert arguments.kwarg is None
    every = [*arguments.posonlyargs, *arguments.args]
    first_default = len(every) - len(arguments.defaults)
    return [(argument.arg, i >= first_default) for i, argument in enumerate(every) if argument.arg != "self"]


def parameters_in_core(function: object) -> list[tuple[str, bool]]:
    """Names, and whether there is a default, of what nanobind writes as "def f(a: dict[...], b: int = 0) -> int"."""
    ((text, _, _),) = function.__nb_signature__  # type: ignore[attr-defined]
    inside, depth, pieces = text[text.index("(") + 1 : text.rindex(") ->")], 0, [""]
    for character in inside:
        depth += (character in "[(") - (character in "])")
        if character == "," and depth == 0:
            pieces.append("")
        else:
            pieces[-1] += character
    return [
        (piece.partition(":")[0].strip(), " = " in piece) for piece in pieces if piece.strip() not in ("self", "", "/")
    ]


def is_property(item: ast.FunctionDef) -> bool:
    return any(isinstance(d, ast.Name) and d.id == "property" for d in item.decorator_list)


def test_stub_of_core_has_every_name_with_its_arguments() -> None:
    tree = ast.parse((PACKAGE / "_core.pyi").read_text(encoding="utf-8"))
    functions = {item.name: item for item in tree.body if isinstance(item, ast.FunctionDef)}
    classes = {item.name: item for item in tree.body if isinstance(item, ast.ClassDef)}
    variables = {
        item.target.id for item in tree.body if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)
    } - {"Floats", "Callback"}
    public = {name for name in vars(_core) if not name.startswith("_")}
    assert set(functions) | set(classes) | variables == public
    for name, function in functions.items():
        assert parameters_in_stub(function) == parameters_in_core(getattr(_core, name)), name
    for name, stub in classes.items():
        cls = getattr(_core, name)
        members = {item.name: item for item in stub.body if isinstance(item, ast.FunctionDef)}
        if issubclass(cls, Exception):
            (base,) = stub.bases
            assert isinstance(base, ast.Name)
            assert base.id == cls.__base__.__name__
            continue
        assert {m for m in members if not m.startswith("_")} == {m for m in vars(cls) if not m.startswith("_")}, name
        for member, item in members.items():
            there = inspect.getattr_static(cls, member)
            assert is_property(item) == isinstance(there, property), f"{name}.{member}"
            if not is_property(item) and hasattr(there, "__nb_signature__"):
                assert_same_arguments(item, there, f"{name}.{member}")


def assert_same_arguments(item: ast.FunctionDef, there: object, name: str) -> None:
    stub, core = parameters_in_stub(item), parameters_in_core(there)
    if item.args.posonlyargs:  # nanobind has no name for these
        assert [default for _, default in stub] == [default for _, default in core], name
    else:
        assert stub == core, name


def test_stub_of_estimators_is_what_the_registry_gives() -> None:
    spec = importlib.util.spec_from_file_location("write_stubs", PYTHON / "write_stubs.py")
    assert spec is not None
    assert spec.loader is not None
    writer = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(writer)
    assert writer.STUB.read_text(encoding="utf-8") == writer.stub(), "run python python/write_stubs.py"


@pytest.mark.parametrize("name", [info["class_name"] for info in _core.models()])
def test_stub_of_estimator_has_the_arguments_of_the_class(name: str) -> None:
    tree = ast.parse((PACKAGE / "_registered.pyi").read_text(encoding="utf-8"))
    (cls,) = [item for item in tree.body if isinstance(item, ast.ClassDef) and item.name == name]
    (init,) = [item for item in cls.body if isinstance(item, ast.FunctionDef)]
    stub = {a.arg: ast.literal_eval(d) for a, d in zip(init.args.kwonlyargs, init.args.kw_defaults, strict=True) if d}
    there = list(inspect.signature(getattr(condens, name)).parameters.values())
    assert stub == {parameter.name: parameter.default for parameter in there}
    assert all(parameter.kind is parameter.KEYWORD_ONLY for parameter in there)


SNIPPET = """
from pathlib import Path
import numpy as np
from numpy.typing import NDArray
import condens
from condens import LSCDE, FitWarning, GaussianMixtures, NumericalError, load, metrics
from condens.estimators import LSCDE as Same

model = LSCDE(bandwidth=np.logspace(-1, 1, 5), bandwidth_y=[0.1, 0.2], regularization=1, preset="paper", n_jobs=-1)
laws: GaussianMixtures = model.fit([[1.0], [2.0]], [1.0, 2.0], X_unlabeled=[[3.0]]).predict_distribution([[1.0]])
numbers: NDArray[np.float64] = laws[:, None].pdf(np.linspace(0, 1, 3))
model.save(Path("model.json"))
again: condens.ConditionalDensityRegressor = load("model.json")
same: type[LSCDE] = Same
score: float = metrics.crps([1.0], laws)
"""

MISTAKES = {
    "LSCDE(bandwith=1)": 'Unexpected keyword argument "bandwith" for "LSCDE"',
    "LSCDE(1.0)": "Too many positional arguments",
    "LSCDE(preset='papers')": "has incompatible type",
    "LSCDE(refine=[1.0])": "has incompatible type",
    "LSCDE().fit([[1.0]])": 'Missing positional argument "y"',
    "laws.qdf(1.0)": '"GaussianMixtures" has no attribute "qdf"',
    "from condens import LSCD": 'Module "condens" has no attribute "LSCD"',
}


def test_type_checker_takes_right_calls_and_refuses_wrong_ones(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    snippet = tmp_path / "snippet.py"
    snippet.write_text(SNIPPET + "\n".join(MISTAKES) + "\n", encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", str(PYTHON.parent / "pyproject.toml")]
    command += ["--cache-dir", str(tmp_path / "cache"), str(snippet)]
    run = subprocess.run(command, cwd=PYTHON.parent, capture_output=True, text=True, check=False)
    first = SNIPPET.count("\n") + 1
    errors: dict[int, str] = {}
    for line in run.stdout.splitlines():
        if line.startswith(str(snippet)) and ": error: " in line:
            number = int(line.split(":")[1])
            errors[number] = errors.get(number, "") + line
    assert sorted(errors) == list(range(first, first + len(MISTAKES))), run.stdout + run.stderr
    for number, text in enumerate(MISTAKES.values(), start=first):
        assert text in errors[number]
