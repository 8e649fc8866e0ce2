"""The page for a browser: its core answers as the command does, and what it shows is what its core answers."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import QUICK, REPOSITORY, make_data
from headless import Browser
from numpy.testing import assert_allclose
from scipy.integrate import trapezoid

import condens
from condens import _core
from condens.export import to_page

LEVELS = [0.05, 0.25, 0.5, 0.75, 0.95]
FROZEN = sorted((REPOSITORY / "tests" / "frozen").glob("*.cbor"))
KINDS = {"amount": "positive", "share": "bounded:0,1", "visits": "count", "grade": "ordinal", "cost": "with-atoms"}


def need(there: bool, what: str) -> None:
    """Skips, but where ./check forbids it."""
    if not there:
        assert not os.environ.get("CONDENS_NO_SKIPS"), what
        pytest.skip(what)


@pytest.fixture(scope="module")
def template() -> Path:
    path = Path(condens.__file__).parent / "page.html"
    need(path.exists(), "the page was not built: cmake --preset browser && cmake --build --preset browser")
    need(shutil.which("node") is not None, "there is no node")
    return path


@pytest.fixture(scope="module")
def ask(template: Path) -> Callable[..., Any]:
    """Opens models in the page's core, outside of a browser, and asks."""

    def run(cases: list[dict[str, Any]]) -> Any:
        script = Path(__file__).parent / "ask_page.js"
        command = ["node", str(script), str(template)]
        done = subprocess.run(
            command, input=json.dumps(cases), capture_output=True, text=True, check=False, timeout=300
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


def question(inputs: dict[str, Any], target: int = 0, interval: float = 0.9, at: Any = ()) -> dict[str, Any]:
    return {"inputs": inputs, "target": target, "levels": LEVELS, "interval": interval, "at": list(at), "range": []}


def table(rows: list[dict[str, Any]], path: Path) -> Path:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    return path


def predicted(command: Callable[..., str], model: Path, rows: Path, *more: str) -> dict[str, np.ndarray]:
    flags = ["--mean", "--std", "--mode", "--quantiles", ",".join(map(str, LEVELS)), "--interval", "0.9", *more]
    read = list(csv.DictReader(io.StringIO(command("predict", model, rows, *flags))))
    return {name: np.array([float(row[name]) for row in read]) for name in read[0]}


def assert_equal(answers: list[Any], expected: dict[str, np.ndarray], prefix: str = "", modes: bool = True) -> None:
    def numbers(pick: Callable[[Any], Any]) -> np.ndarray:
        return np.array([pick(answer) for answer in answers], dtype=float)

    close: dict[str, float] = {"rtol": 1e-12, "atol": 1e-13}
    assert_allclose(numbers(lambda own: own["mean"]), expected[prefix + "mean"], **close)
    assert_allclose(numbers(lambda own: own["std"]), expected[prefix + "std"], **close)
    if modes:  # a maximum is flat: the place of it is known to the root of what its height is known to
        assert_allclose(numbers(lambda own: own["mode"]), expected[prefix + "mode"], rtol=1e-7, atol=1e-7)
    for k, level in enumerate(LEVELS):
        assert_allclose(numbers(lambda own, k=k: own["quantiles"][k]), expected[f"{prefix}q{level}"], **close)
    for k, name in enumerate(["lower", "upper"]):
        assert_allclose(numbers(lambda own, k=k: own["interval"][k]), expected[prefix + name], **close)


def assert_density(answers: list[Any], expected: dict[str, np.ndarray]) -> None:
    told = [answer["at"][0] for answer in answers]
    assert_allclose([own["log_density"] for own in told], expected["log_density"], rtol=1e-12, atol=1e-12)
    assert_allclose([own["cdf"] for own in told], expected["cdf"], rtol=1e-12, atol=1e-13)


def some_value(one: dict[str, Any], random: np.random.Generator) -> Any:
    return random.choice(one["levels"]) if one["kind"] == "levels" else random.uniform(one["low"], one["high"])


@pytest.mark.parametrize("preset", ["recommended", "paper"])
def test_every_model_answers_as_the_command_does(ask: Any, command: Any, tmp_path: Path, preset: str) -> None:
    models = [path for path in FROZEN if path.stem.endswith(preset)]
    assert {path.stem.rsplit("_", 1)[0] for path in models} == {info["name"] for info in _core.models()}
    opened = [case["opened"] for case in ask([{"model": str(path), "questions": []} for path in models])]
    random = np.random.default_rng(5)
    cases, tables = [], []
    for path, own in zip(models, opened, strict=True):
        (target,) = own["targets"]
        rows = [
            {one["name"]: some_value(one, random) for one in own["inputs"]} | {target: random.uniform(0, 3)}
            for _ in range(4)
        ]
        tables.append(table(rows, tmp_path / f"{path.stem}.csv"))
        questions = [question({k: v for k, v in row.items() if k != target}, at=[row[target]]) for row in rows]
        cases.append({"model": str(path), "questions": questions})
    for path, rows_file, told in zip(models, tables, ask(cases), strict=True):
        expected = predicted(command, path, rows_file, "--log-density", "--cdf")
        assert_equal(told["answers"], expected)
        assert_density(told["answers"], expected)


def people(n: int = 160, seed: int = 3) -> list[dict[str, Any]]:
    """Numbers, levels and dates, and a target of each kind."""
    random = np.random.default_rng(seed)
    rows = []
    for _ in range(n):
        age = round(random.uniform(18, 80), 2)
        amount = float(np.exp(0.02 * age + 0.4 * random.standard_normal()))
        rows.append(
            {
                "age": age,
                "region": random.choice(["north", "south", "east"]),
                "day": f"2024-{random.integers(1, 13):02d}-{random.integers(1, 29):02d}",
                "income": 3 + 0.1 * age + random.standard_normal(),
                "amount": amount,
                "share": float(random.beta(2, 3)),
                "visits": int(random.poisson(0.5 + age / 30)),
                "grade": int(np.clip(round(age / 20 + random.standard_normal()), 1, 5)),
                "cost": 0.0 if random.uniform() < 0.4 else amount,
            }
        )
    return rows


@pytest.fixture(scope="module")
def people_models(tmp_path_factory: Any, command: Any) -> dict[str, Path]:
    """A model of each target, and some of further parts: two targets, a guarantee, missing inputs, calibration."""
    folder = tmp_path_factory.mktemp("people")
    train = table(people(), folder / "train.csv")
    gaps = [
        row | ({"age": ""} if k % 7 == 0 else {}) | ({"region": ""} if k % 9 == 0 else {})
        for k, row in enumerate(people())
    ]
    with_gaps = table(gaps, folder / "gaps.csv")

    def fit(name: str, rows: Path, target: str, *more: str) -> Path:
        inputs = ["--inputs", "age,region,day"]
        command("fit", rows, "--quiet", "--target", target, *inputs, *more, "-o", folder / f"{name}.cbor")
        return folder / f"{name}.cbor"

    quick = ["--model", "lscde", "--set", "bandwidth=0.5", "--set", "bandwidth_y=0.3", "--set", "regularization=0.1"]
    out = {name: fit(name, train, name, "--target-kind", kind, *quick) for name, kind in KINDS.items()}
    out["two"] = fit("two", train, "income,amount", *quick)
    out["guaranteed"] = fit("guaranteed", train, "income", "--conformal", *quick)
    out["gaps"] = fit("gaps", with_gaps, "income", "--missing", "indicator", *quick)
    out["averaged"] = fit("averaged", with_gaps, "income", "--missing", "model", *quick)
    return out


def asked_rows() -> list[dict[str, Any]]:
    return people(5, seed=11)


@pytest.mark.parametrize("name", [*KINDS, "guaranteed", "gaps", "averaged"])
def test_kinds_of_targets_and_inputs(ask: Any, command: Any, people_models: Any, tmp_path: Path, name: str) -> None:
    target = name if name in KINDS else "income"
    rows = asked_rows()
    questions = [question({k: row[k] for k in ("age", "region", "day")}, at=[row[target]]) for row in rows]
    if name in ("gaps", "averaged"):
        questions[0]["inputs"]["age"] = questions[1]["inputs"]["region"] = None
        rows[0]["age"] = rows[1]["region"] = ""
    (told,) = ask([{"model": str(people_models[name]), "questions": questions}])
    assert [one["kind"] for one in told["opened"]["inputs"]] == ["number", "levels", "date"]
    expected = predicted(command, people_models[name], table(rows, tmp_path / "rows.csv"), "--log-density", "--cdf")
    assert_equal(told["answers"], expected)
    assert_density(told["answers"], expected)
    assert told["answers"][0]["is_discrete"] == (name in ("visits", "grade"))
    if name in ("visits", "grade"):
        shown = sum(one["p"] for one in told["answers"][0]["masses"])
        assert 0.99 < shown < 1 + 1e-12
    if name == "cost":
        assert [one["y"] for one in told["answers"][0]["masses"]] == [0.0]


def test_several_targets(ask: Any, command: Any, people_models: Any, tmp_path: Path) -> None:
    rows = asked_rows()
    inputs = [{k: row[k] for k in ("age", "region", "day")} for row in rows]
    questions = [question(own, target) for target in (0, 1) for own in inputs]
    (told,) = ask([{"model": str(people_models["two"]), "questions": questions}])
    expected = predicted(command, people_models["two"], table(rows, tmp_path / "rows.csv"))
    assert_equal(told["answers"][:5], expected, "income_")
    assert_equal(told["answers"][5:], expected, "amount_")


def test_the_curve_is_the_density(ask: Any, people_models: Any) -> None:
    row = asked_rows()[0]
    asked = question({k: row[k] for k in ("age", "region", "day")})
    (told,) = ask([{"model": str(people_models["guaranteed"]), "questions": [asked]}])
    y, density = np.array(told["answers"][0]["curve"]).reshape(-1, 2).T
    model = condens.load(people_models["guaranteed"])
    (again,) = ask([{"model": str(people_models["guaranteed"]), "questions": [asked | {"at": list(y[::40])}]}])
    assert_allclose(density[::40], np.exp([own["log_density"] for own in again["answers"][0]["at"]]), rtol=1e-12)
    assert 0.99 < trapezoid(density, y) < 1.001
    assert model.n_features_in_ == 3


@pytest.mark.parametrize(
    ("broken", "complaint"),
    [
        (lambda whole: whole[: len(whole) // 2], "the data end too early"),
        (lambda whole: whole[:400] + bytes([whole[400] ^ 1]) + whole[401:], ""),
        (lambda whole: b"", "not a condens model file"),
        (lambda whole: b"hello", "not a condens model file"),
        (lambda whole: b"{" * 100_000, ""),
    ],
    ids=["truncated", "altered", "empty", "text", "deep"],
)
def test_damaged_models_are_refused(ask: Any, tmp_path: Path, broken: Any, complaint: str) -> None:
    path = tmp_path / "broken.cbor"
    path.write_bytes(broken(FROZEN[0].read_bytes()))
    told, fine = ask([{"model": str(path), "questions": [question({})]}, {"model": str(FROZEN[0]), "questions": []}])
    assert complaint in told["opened"]["error"]
    assert told["answers"] == [{"error": "no model is open"}]
    assert "error" not in fine["opened"]


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"inputs": {}}, "age"),
        ({"inputs": {"age": "old", "region": "east", "day": "2024-01-01"}}, "number"),
        ({"inputs": {"age": 30, "region": "moon", "day": "2024-01-01"}}, "moon"),
        ({"inputs": {"age": 30, "region": "east", "day": "yesterday"}}, "yesterday"),
        ({"inputs": {"age": None, "region": "east", "day": "2024-01-01"}}, "missing"),
        ({"target": 2}, "target = 2, expected one of 1"),
        ({"range": [1]}, "range, expected two numbers or none"),
    ],
)
def test_wrong_questions_get_sentences(ask: Any, people_models: Any, change: Any, complaint: str) -> None:
    good = question({"age": 30, "region": "east", "day": "2024-01-01"})
    (told,) = ask([{"model": str(people_models["guaranteed"]), "questions": [good | change, good]}])
    assert complaint in told["answers"][0]["error"]
    assert "error" not in told["answers"][1]


def test_the_command_and_python_write_the_same_page(template: Path, command: Any, tmp_path: Path) -> None:
    estimator = condens.LSCDE(**QUICK).fit(*make_data())
    estimator.save(tmp_path / "model.cbor")
    to_page(estimator, tmp_path / "python.html")
    command("page", tmp_path / "model.cbor", "-o", tmp_path / "command.html")
    assert (tmp_path / "python.html").read_bytes() == (tmp_path / "command.html").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["command.html", "model.cbor", "python.html"]


def test_a_package_without_the_page_says_what_to_build(monkeypatch: Any, tmp_path: Path) -> None:
    monkeypatch.setattr("condens.export._page.__file__", str(tmp_path / "export" / "_page.py"))
    with pytest.raises(FileNotFoundError, match="install emscripten, then cmake --preset browser"):
        to_page(condens.LSCDE(**QUICK).fit(*make_data()), tmp_path / "page.html")
    assert list(tmp_path.iterdir()) == []


# --- in a browser ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def browser(template: Path) -> Iterator[Browser]:
    need(shutil.which("chromium") is not None, "there is no chromium")
    with Browser() as out:
        yield out


def shown_numbers(browser: Browser) -> dict[str, list[float]]:
    return browser.evaluate(
        """Object.fromEntries([...document.querySelectorAll("#numbers > div")].map((one) =>
          [one.querySelector("select") ? "interval" : one.querySelector("dt").textContent,
           JSON.parse(one.querySelector("dd").dataset.values)]))"""
    )


def assert_shown(browser: Browser, answer: dict[str, np.ndarray], row: int = 0) -> None:
    told = shown_numbers(browser)
    columns = {"mean": "mean", "std. dev.": "std", "5 %": "q0.05", "median": "q0.5", "95 %": "q0.95"}
    for name, column in columns.items():
        assert_allclose(told[name], [answer[column][row]], rtol=1e-12)
    assert_allclose(told["interval"], [answer["lower"][row], answer["upper"][row]], rtol=1e-12)


def test_what_the_page_shows_follows_the_sliders(
    browser: Browser, command: Any, people_models: Any, tmp_path: Path
) -> None:
    model = people_models["guaranteed"]
    command("page", model, "-o", tmp_path / "page.html")
    rows = [{"age": 30, "region": "south", "day": "2024-05-06"}, {"age": 61.5, "region": "east", "day": "2024-05-06"}]
    expected = predicted(command, model, table(rows, tmp_path / "rows.csv"))
    browser.open(tmp_path / "page.html", "#age=30&region=south&day=2024-05-06")
    assert browser.requests == [(tmp_path / "page.html").as_uri()]  # and nothing else
    assert (
        browser.evaluate("document.getElementById('title').textContent")
        == "How income is distributed given age, region, day"
    )
    assert_shown(browser, expected)
    browser.evaluate(
        """new Promise((done) => {
          const list = document.getElementById("input-region");
          list.value = "east";
          list.dispatchEvent(new Event("change"));
          const slider = document.querySelector("input[type=range]");
          slider.value = 61.5;
          slider.dispatchEvent(new Event("input"));
          requestAnimationFrame(() => requestAnimationFrame(done));
        }).then(() => true)"""
    )
    assert_shown(browser, expected, 1)
    assert browser.evaluate("location.hash") == "#age=61.5&region=east&day=2024-05-06"


def test_the_keyboard_moves_sliders_and_the_cursor(
    browser: Browser, command: Any, people_models: Any, tmp_path: Path
) -> None:
    command("page", people_models["guaranteed"], "-o", tmp_path / "page.html")
    browser.open(tmp_path / "page.html", "#age=30&region=south&day=2024-05-06")
    before = shown_numbers(browser)["mean"]

    def press(key: str, focused: str) -> None:
        browser.evaluate(f"document.querySelector('{focused}').focus()")
        for kind in ("keyDown", "keyUp"):
            browser.ask("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=39)
        browser.evaluate(
            "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))).then(() => true)"
        )

    press("ArrowRight", "input[type=range]")
    assert shown_numbers(browser)["mean"] != before
    press("ArrowRight", "#chart")
    assert browser.evaluate("document.getElementById('reading').textContent").startswith("income = ")


@pytest.mark.parametrize("name", ["visits", "cost", "two", "averaged"])
def test_every_kind_is_drawn(browser: Browser, command: Any, people_models: Any, tmp_path: Path, name: str) -> None:
    command("page", people_models[name], "-o", tmp_path / "page.html")
    browser.open(tmp_path / "page.html")
    count = {
        mark: browser.evaluate(f"document.querySelectorAll('#chart .{mark}').length") for mark in ("inside", "atom")
    }
    assert browser.evaluate("document.getElementById('trouble').hidden")
    assert count["inside"] >= (2 if name == "visits" else 1)
    assert count["atom"] == (1 if name == "cost" else 0)
    for width in (390, 1200):
        browser.ask("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=False)
        assert browser.evaluate("document.documentElement.scrollWidth") <= width


def test_a_damaged_model_is_told_on_the_page(browser: Browser, template: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(template.read_text().replace("{{model}}", "AAAA"))
    browser.open(page)
    assert browser.evaluate("document.getElementById('title').textContent") == "This model cannot be shown"
    assert "not a condens model file" in browser.evaluate("document.getElementById('trouble').textContent")
