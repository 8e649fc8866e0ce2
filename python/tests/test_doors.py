"""Python and the command line give the same numbers to the bit: the table of cases that the R package reads, too."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import REPOSITORY
from numpy.testing import assert_array_equal

import condens
from condens import _core

pd = pytest.importorskip("pandas")

DOORS = REPOSITORY / "tests" / "doors"
LEVELS = [0.05, 0.5, 0.95]
MODELS = {info["name"]: info for info in _core.models()}


def all_cases() -> list[dict[str, Any]]:
    table = json.loads((DOORS / "cases.json").read_text())
    every = table["every_model"]
    cases = []
    for info in MODELS.values():
        known = {option["name"] for option in info["options"]}
        own = {**every["case"], "options": {k: v for k, v in every["options"].items() if k in known}}
        if "is_density" in info["capabilities"]:
            own["inputs"] = []
        cases += [{**own, "name": f"{info['name']} {p}", "model": info["name"], "preset": p} for p in info["presets"]]
    return cases + table["cases"]


def read(name: str, case: dict[str, Any]) -> Any:
    frame = pd.read_csv(DOORS / name, parse_dates=["day"], float_precision="round_trip")
    return frame.astype(dict.fromkeys(case.get("categorical", []), "category"))


def fit_by_command(command: Callable[..., str], case: dict[str, Any], path: Path) -> Path:
    options = [
        f"--set={name}={str(value).lower().strip('[]').replace(' ', '')}"
        for name, value in case.get("options", {}).items()
    ]
    flags = {"target_kind": "target-kind", "preset": "preset", "missing": "missing", "conformal": "conformal-share"}
    flags |= {"bootstrap": "bootstrap", "weight": "weight"}
    more = [f"--{flag}={case[name]}" for name, flag in flags.items() if name in case]
    more += ["--conformal"] if "conformal" in case else []
    more += ["--categorical", ",".join(case["categorical"])] if "categorical" in case else []
    columns = ["--target", ",".join(case["targets"]), "--inputs", ",".join(case["inputs"])]
    what = ["--model", case["model"], "--seed", case["seed"], *options, *more]
    command("fit", DOORS / "train.csv", "--quiet", *columns, *what, "-o", path)
    return path


def fit_by_python(case: dict[str, Any]) -> Any:
    train = read("train.csv", case)
    asked = {name: case[name] for name in ("target_kind", "preset", "missing", "bootstrap") if name in case}
    if "conformal" in case:
        asked["conformal"] = {"share": case["conformal"]}
    estimator = getattr(condens, MODELS[case["model"]]["class_name"])
    model = estimator(**asked, **case.get("options", {}), random_state=case["seed"])
    one = len(case["targets"]) == 1 and case["inputs"]
    y = train[case["targets"][0] if one else case["targets"]]
    weights = {"sample_weight": train[case["weight"]]} if "weight" in case else {}
    with warnings.catch_warnings(action="ignore", category=condens.FitWarning):
        return model.fit(train[case["inputs"]], y, **weights) if case["inputs"] else model.fit(y, **weights)


def predictions(model: Any, case: dict[str, Any], new: Any) -> dict[str, Any]:
    """The columns that the command prints."""
    laws = model.predict_distribution(new[case["inputs"]]) if case["inputs"] else model.distribution_
    targets = case["targets"]
    several = len(targets) > 1
    out = {"log_density": laws.logpdf(new[targets if several else targets[0]].to_numpy())}
    for i, target in enumerate(targets):
        own = laws.marginal(i) if several else laws
        ends = own.interval(0.9)
        if "conformal" in case:
            ends = model.predict_interval(new[case["inputs"]], 0.9).T
        mean, std = laws.mean(), laws.std()
        columns = {
            "mean": mean[..., i] if several else mean,
            "std": std[..., i] if several else std,
            **{f"q{p}": own.ppf(p) for p in LEVELS},
            "lower": ends[0],
            "upper": ends[1],
            "cdf": own.cdf(new[target].to_numpy()),
        }
        if not several:
            columns["mode"] = laws.mode()
        out |= {f"{target}_{name}" if several else name: values for name, values in columns.items()}
    return out


def bytes_but_weights(path: Path, case: dict[str, Any]) -> bytes:
    """What may differ: the name of the column of weights, which Python is not told, and the check sum over it."""
    content = path.read_bytes()
    return re.sub(rb'"(weight|checksum)": ".*"', b"", content) if "weight" in case else content


def same_bits(a: Any, b: Any) -> None:
    b = np.asarray(b, dtype=np.float64)
    assert_array_equal(
        np.broadcast_to(np.asarray(a, dtype=np.float64), b.shape).copy().view(np.int64), b.view(np.int64)
    )


@pytest.mark.parametrize("case", all_cases(), ids=lambda case: case["name"])
def test_python_and_the_command_agree_to_the_bit(case: Any, command: Callable[..., str], tmp_path: Path) -> None:
    ours = fit_by_python(case)
    theirs = fit_by_command(command, case, tmp_path / "command.json")
    ours.save(tmp_path / "python.json")
    assert bytes_but_weights(tmp_path / "python.json", case) == bytes_but_weights(theirs, case)
    new = read("new.csv", case)
    printed = command(
        "predict",
        theirs,
        DOORS / "new.csv",
        "--mean",
        "--std",
        "--mode",
        "--quantiles",
        ",".join(map(str, LEVELS)),
        "--interval",
        0.9,
        "--log-density",
        "--cdf",
        "--json",
    )
    rows = json.loads(printed)
    ours = predictions(ours, case, new)
    # Of several targets the command prints the mode of each, Python has that of all together.
    assert set(ours) == {name for name in rows[0] if not name.endswith("_mode")}
    for name, values in ours.items():
        same_bits(values, [row[name] for row in rows])
