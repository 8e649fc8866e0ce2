"""Comparisons: the numbers of the command, the test by hand, and what becomes of failures and interruptions."""

from __future__ import annotations

import csv
import io
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from conftest import QUICK, REPOSITORY, Data, make_data
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.pipeline import make_pipeline

import condens
from condens import GMM, LSCDE, BoostedDensity, FitWarning, NadarayaWatson

FEW = {"few": LSCDE(**QUICK), "nw": NadarayaWatson(bandwidth=0.5, bandwidth_y=0.5)}


def test_the_table_follows_from_the_scores(data: Data) -> None:
    x, y = data
    board = condens.compare(x, y, FEW, repeats=3, test_fraction=0.4, random_state=2)
    assert board.scores["nll"].shape == (2, 3)
    assert sorted(board.models) == ["few", "nw"]
    assert board.best == board.models[0]
    assert_allclose(board.table["nll"], board.scores["nll"].mean(axis=1))
    assert_allclose(board.table["crps_se"], board.scores["crps"].std(axis=1, ddof=1) / np.sqrt(3))
    behind = board.scores["nll"][1] - board.scores["nll"][0]
    assert_allclose(board.table["nll_behind"][1], behind.mean())
    t = behind.mean() / (behind.std(ddof=1) / np.sqrt(3))
    p = 1 - t / np.sqrt(2 + t * t)  # Student's law of two degrees of freedom
    assert_allclose(board.table["nll_p"][1], p, rtol=1e-8)
    assert board.table["best"].tolist() == [True, bool(p >= 0.05)]


def test_jobs_do_not_change_a_bit(data: Data) -> None:
    one, more = (condens.compare(*data, FEW, repeats=3, n_jobs=jobs) for jobs in (1, 5))
    assert one.models == more.models
    for measure in one.scores:
        if measure != "seconds":
            assert_array_equal(one.scores[measure], more.scores[measure])


def test_the_numbers_are_those_of_the_command(command: Callable[..., str]) -> None:
    pd = pytest.importorskip("pandas")
    path = REPOSITORY / "data" / "birthwt.csv"
    table = pd.read_csv(path)
    text = command(
        "compare", path, "--target=birth_weight", "--models=few=lscde,gp:paper,ekde", "--repeats=3", "--seed=4",
        "--standardized", *(f"--set=few.{name}={value}" for name, value in QUICK.items()), "--quiet",
    )  # fmt: skip
    rows = list(csv.DictReader(io.StringIO(text)))
    board = condens.compare(
        table.drop(columns="birth_weight"),
        table["birth_weight"],
        {"few": LSCDE(**QUICK), "gp:paper": "gp:paper", "ekde": "ekde"},
        repeats=3,
        random_state=4,
    )
    assert [row["model"] for row in rows] == board.models
    for name, column in board.table.items():
        if name == "best":
            assert [row[name] for row in rows] == [str(value).lower() for value in column]
        elif not name.startswith("seconds"):
            assert_array_equal([float(row[name]) for row in rows], column, err_msg=name)
    assert list(board.to_frame().index) == board.models
    assert list(rows[0])[2:] == list(board.table)


def test_a_comparison_goes_on_where_it_stopped(data: Data, tmp_path: Path) -> None:
    file = tmp_path / "fits.jsonl"
    seen: list[float] = []

    def stop(task: str, fraction: float) -> bool:
        seen.append(fraction)
        return False

    with pytest.raises(condens.Cancelled):
        condens.compare(*data, ["lscde", "gp"], resume=file, callback=stop)
    assert seen
    whole = condens.compare(*data, FEW, repeats=3, resume=file)
    again = condens.compare(*data, FEW, repeats=3, resume=str(file))
    for measure in whole.scores:  # the times, too: nothing was fitted
        assert_array_equal(whole.scores[measure], again.scores[measure])
    file.write_bytes(file.read_bytes()[:-30])
    rest = condens.compare(*data, FEW, repeats=4, resume=file)
    assert_array_equal(rest.scores["nll"][:, :3], whole.scores["nll"])
    file.write_text("no records\n")
    with pytest.raises(condens.FormatError, match="not a file of records"):
        condens.compare(*data, FEW, resume=file)
    with pytest.raises(OSError, match="cannot be"):
        condens.compare(*data, FEW, resume=tmp_path / "none" / "fits.jsonl")


def test_a_failure_is_a_warning() -> None:
    x, y = make_data(d_y=2)
    with pytest.warns(FitWarning, match="kqr failed on 2 of 2 splits: "):
        board = condens.compare(x, y, ["kqr", "gmm"], repeats=2)
    assert board.models == ["gmm", "kqr"]
    assert board.table["failed"].tolist() == [0, 2]
    assert np.isnan(board.scores["nll"][1]).all()
    assert "KernelQuantileRegression" in board.failures["kqr"]
    assert "failed" in repr(board)
    with pytest.raises(ValueError, match="KernelQuantileRegression"):
        condens.compare(x, y, ["kqr"], repeats=2)


def test_data_of_every_kind() -> None:
    pd = pytest.importorskip("pandas")
    x, y = make_data()
    frame = pd.DataFrame({"kind": np.where(x[:, 0] > 0, "a", "b"), "x": x[:, 1]})
    weights = np.linspace(0.5, 1.5, len(y))
    weighted = condens.compare(frame, y, FEW, repeats=2, sample_weight=weights)
    plain = condens.compare(frame, pd.Series(y, name="y"), FEW, repeats=2)
    assert (weighted.scores["nll"] != plain.scores["nll"]).all()
    density = condens.compare(np.column_stack([x, y]), None, ["gmm", "parzen"], repeats=2)
    assert np.isfinite(density.scores["nll"]).all()
    for attempt in (condens.compare, lambda X, y, models: condens.Parzen().fit(X, y)):
        with pytest.raises(ValueError, match=r"0 feature\(s\)"):
            attempt(np.empty((len(y), 0)), y, ["parzen"])
    state = condens.compare(
        x, y, {"a": LSCDE(**QUICK, random_state=3)}, repeats=2, random_state=np.random.RandomState(1)
    )
    assert state.options["seed"] > 0


def test_what_it_says(data: Data) -> None:
    board = condens.compare(*data, [LSCDE(**QUICK), "ekde"], repeats=2)
    text = repr(board)
    assert "LSCDE(bandwidth=0.5" in text
    assert "2 random splits; * best NLL, or no worse by a paired t-test" in text
    assert repr(condens.compare(*data, ["ekde"], repeats=1)).endswith("1 random split; * best NLL")
    assert "2 blocks of time; * best NLL" in repr(condens.compare(*data, ["ekde"], cv="time", repeats=2))


def test_pictures(data: Data) -> None:
    pytest.importorskip("matplotlib").use("Agg")
    board = condens.compare(*data, FEW, repeats=3)
    ax = board.plot()
    assert ax.get_xlabel() == f"NLL minus that of {board.best}"
    assert [label.get_text() for label in ax.get_yticklabels()] == board.models
    assert ax.get_yticklabels()[0].get_fontweight() == "bold"
    for score in board.scores:
        assert condens.plot.comparison(board, score, relative=False).get_xlabel()
    with pytest.raises(ValueError, match="score = 'mse', expected one of 'nll'"):
        board.plot("mse")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FitWarning)
        failed = condens.compare(*make_data(d_y=2), ["kqr", "gmm"], repeats=2)
    assert "failed" in [text.get_text() for text in failed.plot().texts]


def test_targets_of_a_kind() -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(size=(80, 1))
    y = rng.poisson(3 * x[:, 0]).astype(float)
    board = condens.compare(x, y, ["boost", "gmm"], target_kind="count", repeats=2)
    same = condens.compare(x, y, {"boost": BoostedDensity(target_kind="count")}, repeats=2)
    assert board.table["nll"][board.models.index("boost")] == same.table["nll"][0]
    assert (board.table["nll"] > 0).all()  # of probabilities
    assert np.isnan(board.table["squared_loss"]).all()
    assert "nan" not in repr(board)


@pytest.mark.parametrize(
    ("arguments", "error", "match"),
    [
        ({"models": "lscde"}, TypeError, "expected a list of models"),
        ({"models": LSCDE()}, TypeError, "expected a list of models"),
        ({"models": [LSCDE]}, TypeError, "expected names such as"),
        ({"models": {1: "gp"}}, TypeError, "label 1, expected a str"),
        ({"models": []}, ValueError, "there are no models"),
        ({"models": ["gp", "gp"]}, ValueError, "two models are called 'gp'"),
        ({"models": ["nosuch"]}, ValueError, "expected one of"),
        ({"models": ["gp:best"]}, ValueError, "'best'"),
        ({"models": [LSCDE(bandwidth=-1)]}, ValueError, "bandwidth"),
        (
            {"models": [LSCDE(target_kind="positive")], "target_kind": "count"},
            ValueError,
            "expected 'count' as target_kind",
        ),
        ({"models": [LSCDE(target_kind="positive"), GMM()]}, ValueError, "expected 'positive' as that of"),
        ({"models": [make_pipeline(LSCDE())], "target_kind": "positive"}, ValueError, "'real' of pipelines"),
        ({"target_kind": "counts"}, ValueError, "expected one of"),
        ({"cv": "weeks"}, ValueError, "cv"),
        ({"repeats": 0}, ValueError, "repeats = 0"),
        ({"test_fraction": 1.0}, ValueError, "test_fraction = 1"),
        ({"random_state": -1}, ValueError, "random_state = -1"),
        ({"callback": 3}, TypeError, "callback = 3"),
        ({"y": None}, ValueError, "expected the targets"),
    ],
)
def test_wrong_calls_are_named(data: Data, arguments: dict, error: type, match: str) -> None:
    x, y = data
    call = {"X": x, "y": y, "models": ["gp"], **arguments}
    with pytest.raises(error, match=match):
        condens.compare(**call)
