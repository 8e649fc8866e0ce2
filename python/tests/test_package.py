"""The package itself: what an import loads, names, signatures and docstrings from the option tables, no copies."""

from __future__ import annotations

import inspect
import re
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from conftest import QUICK, REPOSITORY, make_data

import condens
from condens import LSCDE, GaussianMixtures
from condens._arrays import as_float64, as_rows
from condens._levels import available_levels

INFOS = condens._core.models()


def test_import_loads_numpy_only(run_python: Callable[..., Any]) -> None:
    done = run_python(
        "import sys, condens; condens.GaussianMixtures([1.0], [0.0], [1.0]).cdf(0.5)\n"
        "print({'matplotlib', 'pandas', 'polars', 'sklearn', 'scipy', 'tqdm'} & set(sys.modules))"
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "set()"


def test_fit_loads_no_optional_library(run_python: Callable[..., Any]) -> None:
    done = run_python(
        "import sys\n"
        "for name in ('matplotlib', 'polars', 'tqdm', 'skpro', 'scoringrules', 'qp'): sys.modules[name] = None\n"
        "import condens\n"
        "model = condens.LSCDE(bandwidth=0.5, bandwidth_y=0.3, regularization=0.1)\n"
        "model.fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 2.0])\n"
        "print(model.predict([[1.0]])[0])"
    )
    assert done.returncode == 0, done.stderr
    assert 1 < float(done.stdout) < 3


def test_names() -> None:
    for name in condens.__all__:
        if name not in ("plot", "export"):  # these need libraries of their own
            assert getattr(condens, name) is not None
    assert set(condens.__all__) <= set(dir(condens))
    assert {info["class_name"] for info in INFOS} <= set(condens.__all__)
    assert "LSCDE" in condens.__all__
    with pytest.raises(AttributeError, match="module 'condens' has no attribute 'LSDE'"):
        _ = condens.LSDE
    for error, base in ((condens.NumericalError, ArithmeticError), (condens.FormatError, ValueError)):
        assert issubclass(error, base)
        assert error.__module__ == "condens"


def test_version_is_that_of_the_project() -> None:
    text = (REPOSITORY / "CMakeLists.txt").read_text(encoding="utf-8")
    found = re.search(r"project\(condens VERSION ([0-9.]+)", text)
    assert found is not None
    assert condens.__version__ == found[1]


@pytest.mark.parametrize("info", INFOS, ids=lambda info: info["class_name"])
def test_signature_and_docstring_are_the_table(info: dict[str, Any]) -> None:
    cls = getattr(condens, info["class_name"])
    options = [option["name"] for option in info["options"] if option["name"] != "seed"]
    parameters = inspect.signature(cls).parameters
    assert list(parameters) == [
        "preset",
        *options,
        "target_kind",
        "missing",
        "many_levels",
        "rare_levels",
        "unseen",
        "conformal",
        "calibrate",
        "bootstrap",
        "random_state",
        "n_jobs",
        "verbose",
        "callback",
    ]
    assert all(parameter.kind is inspect.Parameter.KEYWORD_ONLY for parameter in parameters.values())
    assert {name: parameter.default for name, parameter in parameters.items()} == cls().get_params()
    assert parameters["preset"].default == "recommended"
    assert all(parameters[name].default is None for name in options)
    text = " ".join(inspect.getdoc(cls).split())
    for option in info["options"]:
        if option["name"] != "seed":
            assert f" {option['name']} : " in text
            assert option["text"] in text
        for choice in option["choices"]:
            assert repr(choice) in text
    for result in info["results"]:
        shape = f" : array of shape {result['shape']}" if result["shape"] else ""
        assert f" {result['name']}_{shape} {result['text']}" in text
    assert "X_unlabeled" in cls.fit.__doc__ or "learns_from_unlabeled" not in info["capabilities"]
    assert all(len(line) <= 120 for line in cls.__doc__.splitlines())


def test_every_public_name_has_a_docstring() -> None:
    for cls in (GaussianMixtures, LSCDE):
        assert cls.__doc__
        for name, member in inspect.getmembers(cls):
            if not name.startswith("_") and (inspect.isroutine(member) or isinstance(member, property)):
                assert inspect.getdoc(member), name


def test_levels_of_the_processor(run_python: Callable[..., Any]) -> None:
    levels = available_levels()
    assert condens._core.level in levels
    for level in levels:
        done = run_python("import condens; print(condens._core.level)", CONDENS_LEVEL=level)
        assert done.stdout.strip() == level, done.stderr
    done = run_python("import condens", CONDENS_LEVEL="x86-64-v9")
    assert done.returncode == 1
    assert f"ImportError: CONDENS_LEVEL is 'x86-64-v9', expected one of {', '.join(levels)}" in done.stderr


def test_arrays_of_float64_are_not_copied() -> None:
    x = np.ones((4, 3))
    assert as_float64(x, "x") is x
    assert as_rows(x) is x
    assert as_rows(x[1:3]).base is x
    for other in (np.asfortranarray(x), x[:, ::2], x[::-1], x.astype(np.float32), x.astype(">f8")):
        copied = as_rows(np.asarray(other, dtype=np.float64))
        assert copied.flags.c_contiguous
        assert copied.dtype == np.float64
        np.testing.assert_array_equal(copied, other)


def test_log_density_and_predictions_of_many_rows_do_not_copy_them() -> None:
    x, y = make_data()
    model = LSCDE(**{**QUICK, "n_centers": 3}).fit(x, y)
    many = np.zeros((200_000, 2))
    targets = np.zeros(200_000)
    model.log_density(many[:10], targets[:10])
    tracemalloc.start()
    try:
        model.log_density(many, targets)  # numpy reports its memory to tracemalloc; the core's blocks are small
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # The checks of scikit-learn make some booleans of n rows; a copy of X would be 3.2 MB, of y 1.6 MB.
    assert peak < many.nbytes


@pytest.mark.filterwarnings("ignore::condens.FitWarning")  # five centres find little
def test_inputs_are_left_alone() -> None:
    x, y = make_data()
    weights = np.ones(80)
    before = x.copy(), y.copy(), weights.copy()
    model = LSCDE(**QUICK, centers=np.column_stack([x, y])[:5]).fit(x, y, sample_weight=weights)
    model.predict_distribution(x).crps(y)
    for array, kept in zip((x, y, weights), before, strict=True):
        np.testing.assert_array_equal(array, kept)
    x[:] = 0  # the model has its own numbers
    assert np.abs(model.centers_x_).max() > 0
