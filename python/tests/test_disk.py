"""Fits of files that are read in batches."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from conftest import assert_same_scores, with_cities

import condens

pa = pytest.importorskip("pyarrow")
import pyarrow.csv as pa_csv  # noqa: E402
import pyarrow.feather as feather  # noqa: E402
import pyarrow.parquet as parquet  # noqa: E402

from condens import disk  # noqa: E402


def frame_of(n, seed=0):
    rng = np.random.default_rng(seed)
    kind = rng.choice(["a", "b", "c"], n, p=[0.5, 0.3, 0.2])
    x = rng.normal(size=n)
    y = np.where(kind == "a", np.sin(2 * x), x) + 0.4 * rng.normal(size=n)
    return pd.DataFrame({"x": x, "kind": kind, "y": y})


@pytest.fixture(scope="module")
def frame():
    return frame_of(17_000)


@pytest.fixture(params=["parquet", "csv", "feather"])
def table(request, frame, tmp_path):
    path = tmp_path / f"rows.{request.param}"
    data = pa.Table.from_pandas(frame, preserve_index=False)
    if request.param == "parquet":
        parquet.write_table(data, path, row_group_size=3001)
    elif request.param == "csv":
        pa_csv.write_csv(data, path)
    else:
        feather.write_feather(data, path)
    return disk.Table(path)


@pytest.mark.filterwarnings("ignore:.*the largest candidate")
def test_a_file_gives_the_model_of_the_rows_in_memory(table, frame):
    parameters = {"n_components": [2, 4], "random_state": 1}
    plain = condens.GMM(**parameters).fit(frame[["x", "kind"]], frame["y"])
    found = disk.GMM(**parameters).fit(table[["x", "kind"]], table["y"], memory="600 KiB")
    rows = frame_of(200, 1)
    difference = plain.log_density(rows[["x", "kind"]], rows["y"]) - found.log_density(rows[["x", "kind"]], rows["y"])
    assert np.abs(difference).max() < 1e-9
    assert list(found.feature_names_in_) == ["x", "kind"]


def test_scores_are_those_of_rows_in_memory(table, frame, monkeypatch):
    model = disk.GMM(n_components=3).fit(table[["x", "kind"]], table["y"])
    plain = condens.metrics.score_table(model, frame[["x", "kind"]], frame["y"], highest_density=False)
    monkeypatch.setattr("condens.disk._estimators._LEAST_ROWS", 10)
    monkeypatch.setattr("condens.disk._estimators._AT_ONCE", "600 KiB")  # in batches
    found = condens.metrics.score_table(model, table[["x", "kind"]], table["y"], highest_density=False)
    assert_same_scores(found, plain)
    with pytest.raises(ValueError, match="y is None, expected the targets"):
        condens.metrics.score_table(model, table[["x", "kind"]], None)


@pytest.mark.parametrize("memory", ["600 KiB", "1 GiB"])
@pytest.mark.filterwarnings("ignore:.*the largest candidate")
def test_weights_count_as_in_memory(frame, tmp_path, memory):
    weights = np.random.default_rng(3).exponential(2.0, len(frame))
    weights[:1500] = 0  # a batch without a row that counts
    weights[::40] = 0
    parquet.write_table(pa.Table.from_pandas(frame.assign(w=weights), preserve_index=False), tmp_path / "rows.parquet")
    table = disk.Table(tmp_path / "rows.parquet")
    plain = condens.GMM(n_components=3).fit(frame[["x", "kind"]], frame["y"], weights)
    found = disk.GMM(n_components=3).fit(table[["x", "kind"]], table["y"], table["w"], memory=memory)
    rows = frame_of(200, 1)
    difference = plain.log_density(rows[["x", "kind"]], rows["y"]) - found.log_density(rows[["x", "kind"]], rows["y"])
    assert np.abs(difference).max() < 1e-9
    with pytest.raises(ValueError, match="sample_weight has 2 columns, expected one"):
        disk.GMM().fit(table[["x"]], table["y"], table[["w", "y"]])
    with pytest.raises(ValueError, match="sample_weight is of another table than X"):
        disk.GMM().fit(table[["x"]], table["y"], disk.Table(tmp_path / "rows.parquet")["w"])
    with pytest.raises(TypeError, match="sample_weight is a ndarray, expected columns of"):
        disk.GMM().fit(table[["x"]], table["y"], weights)
    with pytest.warns(condens.FitWarning, match="random sample of 500"):
        sampled = disk.KernelQuantileRegression().fit(table[["x"]], table["y"], table["w"], sample=500)
    assert sampled.report_["details"]["n_rows"] < 500  # without those of weight 0


@pytest.mark.filterwarnings("ignore:.*the largest candidate")
def test_dates_are_read_off_the_calendar(frame, tmp_path):
    days = pd.Timestamp("2024-03-01") + pd.to_timedelta(np.arange(len(frame)) % 400, unit="D")
    moments = pd.Timestamp("2024-03-01 06:00", tz="Europe/Berlin") + pd.to_timedelta(
        np.arange(len(frame)) % 11, unit="h"
    )
    table = frame.assign(day=days.date, moment=moments)
    parquet.write_table(pa.Table.from_pandas(table, preserve_index=False), tmp_path / "rows.parquet")
    inputs = ["x", "day", "moment"]
    plain = condens.GMM(n_components=2).fit(table[inputs], table["y"])
    source = disk.Table(tmp_path / "rows.parquet")
    found = disk.GMM(n_components=2).fit(source[inputs], source["y"], memory="2 MiB")
    assert found._model.encoder.encoded_names == plain._model.encoder.encoded_names
    assert len(found._model.encoder.encoded_names) == 1 + 5 + 3
    some = table[:300]
    difference = plain.log_density(some[inputs], some["y"]) - found.log_density(some[inputs], some["y"])
    assert np.abs(difference).max() < 1e-9


def test_statistics_of_many_levels_are_those_of_all_rows(tmp_path):
    table, inputs = with_cities(20_000), ["speed", "city"]
    parquet.write_table(pa.Table.from_pandas(table, preserve_index=False), tmp_path / "rows.parquet")
    source = disk.Table(tmp_path / "rows.parquet")
    plain = condens.GMM(n_components=2).fit(table[inputs], table["y"])
    found = disk.GMM(n_components=2).fit(source[inputs], source["y"], memory="2 MiB")
    assert found._model.encoder.encoded_names == plain._model.encoder.encoded_names
    some = table[:300]
    difference = plain.log_density(some[inputs], some["y"]) - found.log_density(some[inputs], some["y"])
    assert np.abs(difference).max() < 1e-9


def test_the_memory_does_not_matter_but_for_rounding(frame, tmp_path):
    parquet.write_table(pa.Table.from_pandas(frame, preserve_index=False), tmp_path / "rows.parquet")
    table = disk.Table(tmp_path / "rows.parquet")
    models = [
        disk.LSCDE(n_centers=50, max_centers=50).fit(table[["x"]], table["y"], memory=memory)
        for memory in ("200 KiB", "1 GiB")
    ]
    x, y = frame[["x"]].iloc[:500], frame["y"].iloc[:500]
    assert np.abs(models[0].log_density(x, y) - models[1].log_density(x, y)).max() < 1e-9
    assert models[0].report_["details"]["n_rows"] == len(frame)


def test_several_files_are_one_table_in_their_order(frame, tmp_path):
    paths = []
    for i, part in enumerate(np.array_split(np.arange(len(frame)), 3)):
        paths.append(tmp_path / f"part-{i}.parquet")
        parquet.write_table(pa.Table.from_pandas(frame.iloc[part], preserve_index=False), paths[-1])
    whole = disk.GMM(n_components=3).fit(disk.Table(paths)[["x", "y"]], memory="300 KiB")
    (tmp_path / "_notes.csv").touch()  # passed over
    folder = disk.GMM(n_components=3).fit(disk.Table(tmp_path)[["x", "y"]], memory="300 KiB")
    plain = condens.GMM(n_components=3).fit(frame[["x", "y"]])
    assert whole.score_samples(frame[["x", "y"]]) == pytest.approx(plain.score_samples(frame[["x", "y"]]), abs=1e-9)
    assert (folder.score_samples(frame[["x", "y"]]) == whole.score_samples(frame[["x", "y"]])).all()


def test_small_tables_are_fitted_as_in_memory(tmp_path):
    frame = frame_of(300)
    frame.to_csv(tmp_path / "rows.csv", index=False)
    table = disk.Table(tmp_path / "rows.csv")
    found = disk.LSCDE().fit(table[["x", "kind"]], table["y"])
    plain = condens.LSCDE().fit(frame[["x", "kind"]], frame["y"])
    assert found.log_density(frame[["x", "kind"]], frame["y"]) == pytest.approx(
        plain.log_density(frame[["x", "kind"]], frame["y"]), abs=1e-12
    )


def test_other_models_take_a_sample(frame, tmp_path):
    frame.to_csv(tmp_path / "rows.csv", index=False)
    table = disk.Table(tmp_path / "rows.csv")
    with pytest.raises(ValueError, match="NadarayaWatson: its fit is no sum over rows"):
        disk.NadarayaWatson().fit(table[["x"]], table["y"])
    with pytest.warns(condens.FitWarning, match="fitted to a random sample of 500 of 17000 rows"):
        disk.NadarayaWatson(random_state=0).fit(table[["x"]], table["y"], sample=500)


def test_what_cannot_be_read_is_said(frame, tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no such file or folder"):
        disk.Table(tmp_path / "none.parquet")
    (tmp_path / "rows.txt").write_text("x,y\n1,2\n")
    with pytest.raises(
        ValueError, match=r"rows.txt ends in '.txt', expected a file, or a folder of files, that end in"
    ):
        disk.Table(tmp_path / "rows.txt")
    frame.to_csv(tmp_path / "rows.csv", index=False)
    table = disk.Table(tmp_path / "rows.csv")
    with pytest.raises(KeyError, match="column 'knd' is not there, expected one of x, kind, y; did you mean 'kind'"):
        table[["knd"]]
    with pytest.raises(ValueError, match="memory = '2 furlongs', expected a number of bytes"):
        disk.LSCDE().fit(table[["x"]], table["y"], memory="2 furlongs")
    with pytest.raises(ValueError, match="memory = 100 bytes, expected at least"):
        disk.LSCDE().fit(table[["x"]], table["y"], memory=100)
    with pytest.raises(TypeError, match=r"X is a DataFrame, expected columns of a condens\.disk\.Table"):
        disk.LSCDE().fit(frame[["x"]], frame["y"])
    other = disk.Table(tmp_path / "rows.csv")
    with pytest.raises(ValueError, match="y is of another table than X"):
        disk.LSCDE().fit(table[["x"]], other["y"])


def test_a_bad_row_is_named(tmp_path):
    frame = frame_of(20_000)
    frame.loc[12_345, "y"] = np.inf
    parquet.write_table(pa.Table.from_pandas(frame, preserve_index=False), tmp_path / "rows.parquet")
    table = disk.Table(tmp_path / "rows.parquet")
    with pytest.raises(ValueError, match=r"row \d+ \(counting from 1\) of partition \d+ .*: column 'y' is inf"):
        disk.LSCDE().fit(table[["x"]], table["y"], memory="500 KiB")
