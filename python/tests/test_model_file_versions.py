"""Model files with each part that a version of the format added, kept forever in tests/frozen/versions.

Each later version of condens loads them and says the same. A release that adds a part adds its file, and never changes
one that is there: `python python/tests/test_model_file_versions.py` writes those that are missing.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import condens

PLACE = Path(__file__).resolve().parents[2] / "tests" / "frozen" / "versions"

Answer = Callable[[Any, Any], Any]


def rows(n: int) -> tuple[Any, Any]:
    """Two inputs and a target."""
    random = np.random.default_rng(7)
    x = random.normal(size=(n, 2)).round(3)
    return x, (x[:, 0] + 0.3 * random.normal(size=n)).round(3)


def interval(model: Any, x: Any) -> Any:
    return model.predict_interval(x, 0.5)


def quantiles(model: Any, x: Any) -> Any:
    return model.predict_quantiles(x, [0.1, 0.5, 0.9])


def bands(model: Any, x: Any) -> Any:
    return model.predict_bands(x, "mean", 0.8)


QUICK = {"n_components": 1, "random_state": 0}
GROUPS = (np.arange(100) % 2).astype(float)  # the second column, where groups are asked for
# name: version, arguments of the estimator, what is asked, and what is done to the rows before the fit
FILES: dict[str, tuple[int, dict[str, Any], Answer, Callable[[Any, Any], tuple[Any, Any]]]] = {
    "plain": (1, {}, quantiles, lambda x, y: (x, y)),
    "positive": (2, {"target_kind": "positive"}, quantiles, lambda x, y: (x, np.exp(y))),
    "count": (2, {"target_kind": "count"}, quantiles, lambda x, y: (x, np.floor(np.exp(y)))),
    "conformal": (2, {"conformal": True}, interval, lambda x, y: (x, y)),
    "bootstrap": (2, {"bootstrap": 9}, bands, lambda x, y: (x, y)),
    "missing": (2, {"missing": "indicator"}, quantiles, lambda x, y: (np.where(x > 1.0, np.nan, x), y)),
    "folds": (3, {"conformal": {"method": "cv+", "folds": 3}}, interval, lambda x, y: (x, y)),
    "groups": (3, {"conformal": {"groups": 1}}, interval, lambda x, y: (np.column_stack([x[:, 0], GROUPS]), y)),
    "calibrated": (3, {"calibrate": True}, quantiles, lambda x, y: (x, y)),
}


def write() -> None:
    """Writes the files that are missing, and their answers."""
    PLACE.mkdir(exist_ok=True)
    answers_file = PLACE / "answers.json"
    answers = json.loads(answers_file.read_text()) if answers_file.exists() else {}
    for name, (_, arguments, answer, prepared) in FILES.items():
        if name not in answers:
            x, y = prepared(*rows(100))
            model = condens.GMM(**QUICK, **arguments).fit(x, y)
            for ending in ("json", "cbor"):
                model.save(PLACE / f"{name}.{ending}")
            new = np.nan_to_num(x[:4])
            answers[name] = {"x": new.tolist(), "answer": np.asarray(answer(model, new)).tolist()}
    answers_file.write_text(json.dumps(answers, indent=1) + "\n")


@pytest.mark.filterwarnings("ignore::condens.FitWarning")
@pytest.mark.parametrize("ending", ["json", "cbor"])
@pytest.mark.parametrize("name", FILES)
def test_files_of_every_version_say_what_they_said(name: str, ending: str) -> None:
    version, _, answer, _ = FILES[name]
    assert json.loads((PLACE / f"{name}.json").read_text())["version"] == version
    kept = json.loads((PLACE / "answers.json").read_text())[name]
    model = condens.load(PLACE / f"{name}.{ending}")
    # Another instruction set rounds another way.
    np.testing.assert_allclose(answer(model, np.array(kept["x"])), kept["answer"], rtol=0, atol=1e-8)


def test_a_file_of_a_later_version_is_refused(tmp_path: Path) -> None:
    file = json.loads((PLACE / "plain.json").read_text())
    file["version"] = 99
    (tmp_path / "later.json").write_text(json.dumps(file))
    with pytest.raises(condens.FormatError, match=r"written by a newer condens \(version 99\); this one reads up to"):
        condens.load(tmp_path / "later.json")


def test_the_page_of_the_format_knows_every_version() -> None:
    page = (PLACE.parents[2] / "docs" / "model_file.md").read_text()
    source = (PLACE.parents[2] / "src" / "io" / "model_file.cpp").read_text()
    current = int(source.split("current_version = ")[1].split(";")[0])
    assert {version for version, *_ in FILES.values()} == set(range(1, current + 1)), "a version has no frozen file"
    for version in range(1, current + 1):
        assert f"\n| {version} | " in page, f"docs/model_file.md: the table of versions has no row {version}"
    assert f"\n| {current + 1} | " not in page


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    sys.exit(write())
