"""The command reads Parquet and Arrow files by this Python's pyarrow, as condens.disk does."""

from __future__ import annotations

import datetime
import decimal
import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

import numpy as np
import pytest

pa = pytest.importorskip("pyarrow")
import pyarrow.csv as pa_csv  # noqa: E402
import pyarrow.feather as feather  # noqa: E402
import pyarrow.parquet as parquet  # noqa: E402

import condens  # noqa: E402
from condens import disk  # noqa: E402

GMM = ["--target", "y", "--model", "gmm", "--set", "n_components=2", "--quiet"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("CONDENS_PYTHON", sys.executable)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def refused(command):
    """Runs a call that the command refuses, and returns what it says."""
    path = command.__kwdefaults__["program"]

    def run(*arguments):
        done = subprocess.run([path, *arguments], capture_output=True, text=True, check=False, timeout=60)
        assert done.returncode == 2
        assert "Traceback" not in done.stderr
        return done.stderr

    return run


def table_of(n=600, seed=0):
    random = np.random.default_rng(seed)
    kind = random.choice(["a", "b, c", 'say "d"', "two\nlines", " spaces "], n)
    x = random.normal(size=n)
    return pa.table({"x": x, "kind": kind, "y": x + (kind == "a") + 0.3 * random.normal(size=n)})


def test_the_model_is_that_of_the_same_rows_as_csv(command):
    table = table_of()
    pa_csv.write_csv(table, "t.csv")
    parquet.write_table(table, "t.parquet", row_group_size=70)
    feather.write_feather(table, "t.feather")
    os.mkdir("parts")
    parquet.write_table(table[:250], "parts/1.parquet")
    parquet.write_table(table[250:], "parts/2.parquet")
    Path("parts/_SUCCESS").touch()
    os.link("t.parquet", "rows")
    names = {"": ["t.parquet", "t.feather", "parts", "rows"], "--memory=1M": ["parts"], "--sample=100": ["t.parquet"]}
    for how, files in names.items():
        command("fit", "t.csv", *GMM, *how.split(), "-o", "csv.json")
        for name in files:
            command("fit", name, *GMM, *how.split(), "-o", "m.json")
            assert Path("m.json").read_bytes() == Path("csv.json").read_bytes(), (name, how)
    predict = ["--mean", "--log-density", "--keep"]
    assert command("predict", "m.json", "t.parquet", *predict) == command("predict", "m.json", "t.csv", *predict)
    score = ["--memory", "1M"]
    assert command("score", "m.json", "t.parquet", *score) == command("score", "m.json", "t.csv", *score)


def test_folders_named_as_columns_are_columns(command, refused):
    table = table_of()
    year = pa.array(2023 + np.arange(len(table)) % 2)
    parquet.write_to_dataset(table.append_column("year", year), "trips.parquet", partition_cols=["kind", "year"])
    Path("trips.parquet/_temporary").mkdir()
    Path("trips.parquet/_temporary/half.parquet").write_text("not all of it")
    rows = pa.concat_tables(
        part.select(["x", "y"]).append_column("kind", [pa.array([kind] * len(part))])
        for kind, part in (
            (unquote(path.parent.parent.name.removeprefix("kind=")), parquet.read_table(path, partitioning=None))
            for path in sorted(Path("trips.parquet").glob("kind=*/year=*/*.parquet"), key=str)
        )
    )
    assert len(rows) == len(table)
    assert len(set(rows["kind"].to_pylist())) > 1
    parquet.write_table(rows, "t.parquet")
    gmm = [*GMM, "--inputs", "x,kind"]
    command("fit", "t.parquet", *gmm, "-o", "flat.json")
    command("fit", "trips.parquet", *gmm, "-o", "m.json")
    assert Path("m.json").read_bytes() == Path("flat.json").read_bytes()
    assert "year" in command("fit", "trips.parquet", *GMM, "-o", "all.json") + command("describe", "all.json")
    for name in "trips.parquet", "t.parquet":
        table = disk.Table(name)
        assert table.columns[:2] == ["x", "y"]
        model = disk.GMM(n_components=2).fit(table[["x", "kind"]], table["y"])
        model.save(f"{name}.json")
    assert Path("trips.parquet.json").read_bytes() == Path("t.parquet.json").read_bytes()
    Path("none/.parquet").mkdir(parents=True)
    Path("none/_a.parquet").touch()
    assert "none of its files ends in .parquet, .pq, " in refused("fit", "none", *GMM, "-o", "m.json")


def test_the_model_is_that_of_condens_disk(command):
    table = table_of()
    parquet.write_table(table, "t.parquet")
    rows = disk.Table("t.parquet")
    model = disk.GMM(n_components=2).fit(rows[["x", "kind"]], rows["y"])
    command("fit", "t.parquet", *GMM, "-o", "m.json")
    densities = command("predict", "m.json", "t.parquet", "--log-density").split()[1:]
    frame = table.to_pandas()
    wanted = model.log_density(frame[["x", "kind"]], frame["y"])
    np.testing.assert_allclose(np.array(densities, float), wanted, rtol=0, atol=1e-12)
    assert isinstance(condens.load("m.json"), condens.GMM)


def test_values_of_every_type_come_through(command):
    day = datetime.date(2024, 3, 1)
    noon = datetime.datetime(2024, 3, 1, 12, 0, 0, 250000)
    columns = {
        "whole": pa.array([2**53 - 1, None, -7]),
        "small": pa.array([1, None, 255], pa.uint8()),
        "single": pa.array([0.1, None, 1e-40], pa.float32()),
        "real": pa.array([0.1 + 0.2, float("nan"), 5e-324]),
        "yes": pa.array([True, None, False]),
        "price": pa.array([decimal.Decimal("12.340"), None, decimal.Decimal("-0.001")]),
        "text": pa.array(['a "b", c', None, " d\n"]),
        "view": pa.array(["u", None, "v"], pa.string_view()),
        "level": pa.array(["x", None, "z"]).dictionary_encode(),
        "day": pa.array([day, None, day]),
        "time": pa.array([noon, None, noon]),
        "zone": pa.array([noon, None, noon], pa.timestamp("us", "Europe/Berlin")),
        "nothing": pa.nulls(3),
    }
    command("fit", make_fit(), "--target", "y", "--inputs", "", "--model", "gmm", "--set", "n_components=1", "-o", "m")
    parquet.write_table(pa.table(columns), "t.parquet")
    for how in [], ["--memory", "1M"]:
        kept = command("predict", "m", "t.parquet", "--keep", "--mean", *how)
        found = pa_csv.read_csv(
            pa.BufferReader(kept.encode()),
            parse_options=pa_csv.ParseOptions(newlines_in_values=True),
            convert_options=pa_csv.ConvertOptions(column_types=dict.fromkeys(columns, pa.string())),
        ).to_pydict()
        single = float(np.float32(0.1)), float(np.float32(1e-40))
        assert [float(v) for v in found["single"][::2]] == list(single)
        assert [float(v) for v in found["real"][::2]] == [0.1 + 0.2, 5e-324]
        assert found["whole"][::2] == ["9007199254740991", "-7"]
        assert found["small"][::2] == ["1", "255"]
        assert found["yes"][::2] == ["1", "0"]
        assert [float(v) for v in found["price"][::2]] == [12.34, -0.001]
        assert found["text"][::2] == ['a "b", c', " d\n"]
        assert found["view"][::2] == ["u", "v"]
        assert found["level"][::2] == ["x", "z"]
        assert found["day"][::2] == ["2024-03-01"] * 2
        assert found["time"][::2] == ["2024-03-01 12:00:00.250000"] * 2
        assert found["zone"][::2] == ["2024-03-01 13:00:00.250000"] * 2  # on the wall
        assert {found[name][1] for name in columns} | set(found["nothing"]) == {"NA"}


def make_fit():
    parquet.write_table(pa.table({"y": [1.0, 2.0, 4.0, 2.5]}), "fit.parquet")
    return "fit.parquet"


def test_a_single_column_keeps_its_missing_rows(command):
    parquet.write_table(pa.table({"y": [1.0, None, 2.0, 2.5, None]}), "t.parquet")
    command("fit", make_fit(), "--target", "y", "--inputs", "", "--model", "gmm", "--set", "n_components=1", "-o", "m")
    for how in [], ["--memory", "1M"]:
        lines = command("predict", "m", "t.parquet", "--log-density", "--na", *how).split()
        assert len(lines) == 6
        assert lines[2] == lines[5] == "NA"


def test_the_index_of_a_frame_is_no_column(command):
    frame = table_of().to_pandas()
    frame[frame["x"] > 0].to_parquet("t.parquet")
    assert "__index_level_0__" in parquet.read_schema("t.parquet").names
    command("fit", "t.parquet", *GMM, "-o", "m.json")
    assert list(condens.load("m.json").feature_names_in_) == ["x", "kind"]


def test_what_is_no_such_table_is_named(refused):
    table = table_of(40)
    parquet.write_table(table.append_column("tags", pa.array([[1, 2]] * 40)), "nested.parquet")
    parquet.write_table(table[:0], "empty.parquet")
    parquet.write_table(table, "t.parquet")
    whole = Path("t.parquet").read_bytes()
    Path("cut.parquet").write_bytes(whole[:-100])
    Path("page.parquet").write_bytes(whole[:4] + b"\xff" * 60 + whole[64:])
    Path("other.parquet").write_bytes(b"x,y\n1,2\n")
    missing = table.set_column(0, "x", pa.array([None, *range(39)], pa.int64()))
    parquet.write_table(missing, "missing.parquet")
    fit = [*GMM, "-o", "m.json"]
    said = refused("fit", "nested.parquet", *fit)
    assert "nested.parquet: cannot be read: column 'tags' is of type list<" in said
    assert "write the table without it" in said
    assert "empty.parquet: no rows after the header" in refused("fit", "empty.parquet", *fit)
    assert "cut.parquet: cannot be read: " in refused("fit", "cut.parquet", *fit)
    assert "page.parquet: cannot be read: " in refused("fit", "page.parquet", *fit)
    assert "begins as neither a Parquet nor an Arrow file does" in refused("fit", "other.parquet", *fit)
    assert "missing.parquet: 1 row has missing values: row 1 (" in refused("fit", "missing.parquet", *fit)
    assert "empty.parquet: no rows after the header" in refused("fit", "empty.parquet", *fit, "--memory", "1M")
    assert not os.path.exists("m.json")


def test_files_of_the_folder_are_no_modules(command, folder):
    for name in "pyarrow", "os", "re", "numpy":
        (folder / f"{name}.py").write_text("raise SystemExit('taken for a module')\n")
    parquet.write_table(table_of(40), "t.parquet")
    command("fit", "t.parquet", *GMM, "-o", "m.json")


def test_a_python_without_pyarrow_is_told_what_to_install(refused, folder, monkeypatch):
    (folder / "python").write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')  # without what pip has installed
    (folder / "python").chmod(0o700)
    monkeypatch.setenv("CONDENS_PYTHON", "./python")
    parquet.write_table(table_of(40), "t.parquet")
    said = refused("fit", "t.parquet", *GMM, "-o", "m.json")
    assert "./python has none: No module named 'pyarrow'; pip install pyarrow, or name a Python" in said
