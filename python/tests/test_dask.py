"""Fits and predictions whose rows are dask collections, on a cluster of four real processes."""

from __future__ import annotations

import os
import pickle
import signal
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import QUICK, assert_same_model, assert_same_scores, make_data, with_cities
from sklearn.base import clone

import condens
from condens import FitWarning, _core

pd = pytest.importorskip("pandas")
pytest.importorskip("dask.dataframe", reason="dask is not installed")
pytest.importorskip("distributed", reason="dask.distributed is not installed")

import dask.array as da  # noqa: E402
import dask.dataframe as dd  # noqa: E402

import condens.dask  # noqa: E402
from condens import _blocks, _cluster  # noqa: E402
from condens.dask import _comparison, _engine  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::condens.FitWarning")

ROWS = 300
INPUTS = ["speed", "load"]

FEW_PASSES: dict[str, Any] = {"starts": 1, "max_iterations": 10}
SHORT_SEARCH: dict[str, Any] = {"n_centers": 20, "random_starts": 1, "max_steps": 10, "max_search_rows": 500}
SMALL_NETWORKS: dict[str, Any] = {"units": 4, "layers": 1, "n_members": 2, "sample_rows": 200, "table_steps": 3}
MEMBERS: dict[str, dict[str, Any]] = {"lscde": QUICK, "gmm": {"n_components": 2, **FEW_PASSES}}
# Quick settings of every model whose fit is a sum over rows, and none of the others.
QUICK_FITS: dict[str, dict[str, Any]] = {
    "LSCDE": QUICK,
    "GMM": {"n_components": 2, **FEW_PASSES},
    "LSCE": {"n_components": 1, "density": "same", **SHORT_SEARCH},
    "MixtureDensityNetwork": SMALL_NETWORKS,
    "SACDE": {**QUICK, "first_regularization": 0.2},
    "SALSCDE": {"selection": {**QUICK, "first_regularization": 0.2}, "options": QUICK},
    "PRESS": {"n_states": 2, "regularization": 0.01, "sample_rows": 200, "table_steps": 3},
    "Parzen": {"width_rows": 200},
    "BoostedDensity": {"n_rounds": 10, "learning_rate": 0.3, "max_depth": 3, "n_folds": 3},
    "Pooled": {"models": ["lscde", "gmm"], "options": MEMBERS, "cv": 3},
    "AutoCDE": {"budget": 0.02},
}


@pytest.fixture(scope="session")
def table() -> Any:
    x, y = make_data(ROWS)
    return pd.DataFrame({"speed": x[:, 0], "load": x[:, 1], "y": y})


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small tables stay in as many blocks as partitions, up to some thirty."""
    monkeypatch.setattr(_engine, "_BLOCKS", 32)
    monkeypatch.setattr(_engine, "_LEAST_ROWS", 1)


def cut(table: Any, partitions: int) -> Any:
    return dd.from_pandas(table, npartitions=partitions, sort=False)


def fit(table: Any, partitions: int, name: str = "LSCDE", **arguments: Any) -> Any:
    ddf = cut(table, partitions)
    return getattr(condens.dask, name)(**QUICK_FITS.get(name, {})).fit(ddf[INPUTS], ddf["y"], **arguments)


@pytest.mark.parametrize("name", _cluster.mergeable())
def test_weights_count_as_on_one_machine(cluster: Any, large_table: Any, name: str) -> None:
    weights = np.random.default_rng(3).exponential(1e-3, len(large_table))
    weights[::40] = 0
    table, settings, some = large_table.assign(w=weights), SETTINGS[name], large_table[:500]
    own = table[weights > 0] if name == "AutoCDE" else table  # its races make 1e-6 of how sums with zeros round
    plain = getattr(condens, name)(**settings).fit(own[INPUTS], own["y"], own["w"].to_numpy())
    ddf = cut(table, 5)
    model = getattr(condens.dask, name)(**settings).fit(ddf[INPUTS], ddf["y"], ddf["w"])
    difference = model.log_density(some[INPUTS], some["y"]) - plain.log_density(some[INPUTS], some["y"])
    assert np.abs(difference).max() < 1e-10
    few = cut(table[:ROWS].assign(w=np.where(np.arange(ROWS) < 120, 0.0, weights[:ROWS])), 5)  # two parts have no row
    small = getattr(condens.dask, name)(**settings).fit(few[INPUTS], few["y"], few["w"])
    assert small.report_["details"]["n_rows"] == (weights[120:ROWS] > 0).sum()


def test_columns_of_parquet_files_are_cut_alike(table: Any, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    cut(table, 3).to_parquet(tmp_path / "rows", write_index=False)
    ddf = dd.read_parquet(tmp_path / "rows")  # small files: dask reads those of a single column together
    model = condens.dask.LSCDE(**QUICK).fit(ddf[INPUTS], ddf["y"])
    assert_same_model(model, fit(table, 3))


def test_classes_and_parameters_are_those_of_condens() -> None:
    for info in _core.models():
        own, plain = getattr(condens.dask, info["class_name"]), getattr(condens, info["class_name"])
        assert issubclass(own, plain)
        assert own().get_params() == plain().get_params()
    assert set(condens.dask.__all__) == {i["class_name"] for i in _core.models()} | {"LazyDistributions", "compare"}
    assert clone(condens.dask.LSCDE(bandwidth=2.0)).bandwidth == 2.0


@pytest.fixture(scope="session")
def large_table() -> Any:
    """More rows than are brought together."""
    x, y = make_data(16_000, seed=1)
    return pd.DataFrame({"speed": x[:, 0], "load": x[:, 1], "y": y})


# What the fit of a model chooses by folds, too.
SETTINGS: dict[str, dict[str, Any]] = {
    **QUICK_FITS,
    "LSCDE": {**QUICK, "bandwidth": [0.4, 0.8], "regularization": [0.01, 0.1], "max_centers": 40},
    "GMM": {"n_components": [1, 3], **FEW_PASSES},
    "LSCE": {"n_components": [1, 2], "density": "same", **SHORT_SEARCH},
    "MixtureDensityNetwork": {**SMALL_NETWORKS, "n_components": [1, 2]},
    "SACDE": {**QUICK, "bandwidth": [0.4, 0.8], "regularization": [0.01, 0.1], "first_regularization": 0.2},
    "SALSCDE": {"selection": {**QUICK, "first_regularization": 0.2}, "options": {**QUICK, "bandwidth": [0.4, 0.8]}},
    "PRESS": {"n_states": [1, 2], "regularization": 0.01, "sample_rows": 200, "table_steps": 3},
    "Pooled": {"models": ["lscde", "gmm"], "options": MEMBERS, "cv": 2},
}


@pytest.mark.parametrize("name", _cluster.mergeable())
def test_fit_is_that_of_one_machine_for_any_partitions(cluster: Any, large_table: Any, name: str) -> None:
    settings, some = SETTINGS[name], large_table[:500]
    plain = getattr(condens, name)(**settings).fit(large_table[INPUTS], large_table["y"])
    expected = plain.log_density(some[INPUTS], some["y"])
    for partitions in (1, 7):
        ddf = cut(large_table, partitions)
        model = getattr(condens.dask, name)(**settings).fit(ddf[INPUTS], ddf["y"])
        np.testing.assert_allclose(model.log_density(some[INPUTS], some["y"]), expected, rtol=0, atol=1e-10)
        assert plain.report_["details"].keys() - model.report_["details"].keys() <= {"gain_of_inputs"}


def test_small_partitions_are_joined(cluster: Any, large_table: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_engine, "_BLOCKS", 1)
    monkeypatch.setattr(_engine, "_MOST_ROWS", 6_000)
    one, many = (fit(large_table, partitions, "GMM") for partitions in (3, 40))
    assert len(_engine.neighbours([400] * 40)) == 3
    np.testing.assert_allclose(
        many.log_density(large_table[INPUTS], large_table["y"]),
        one.log_density(large_table[INPUTS], large_table["y"]),
        rtol=0,
        atol=1e-10,
    )


@pytest.mark.parametrize("name", _cluster.mergeable())
def test_same_cut_gives_the_same_bits(cluster: Any, table: Any, name: str) -> None:
    assert_same_model(fit(table, 12, name, gather_rows=10), fit(table, 12, name, gather_rows=10))


def test_small_tables_are_fitted_as_on_one_machine(cluster: Any, table: Any) -> None:
    plain = condens.LSCDE(**QUICK).fit(table[INPUTS], table["y"])
    for partitions in (1, 3, 7):
        own = fit(table, partitions)
        assert np.array_equal(own.log_density(table[INPUTS], table["y"]), plain.log_density(table[INPUTS], table["y"]))
        assert own.get_params() == plain.get_params()
        assert own.n_features_in_ == 2
        assert list(own.feature_names_in_) == INPUTS


def test_fitted_estimator_is_an_ordinary_one(cluster: Any, table: Any, tmp_path: Path) -> None:
    model = fit(table, 3)
    model.save(tmp_path / "model.cbor")
    loaded = condens.load(tmp_path / "model.cbor")
    assert_same_model(loaded, model)
    assert_same_model(pickle.loads(pickle.dumps(model)), model)
    assert np.array_equal(loaded.predict_interval(table[INPUTS]), model.predict_interval(table[INPUTS]))


def test_without_a_cluster_threads_do_it(table: Any, run_python: Any) -> None:
    code = f"""
import numpy as np, pandas as pd, dask.dataframe as dd, condens.dask
x = np.random.default_rng(0).normal(size=(50, 2))
frame = dd.from_pandas(pd.DataFrame({{"a": x[:, 0], "y": x[:, 1]}}), npartitions=3)
model = condens.dask.LSCDE(**{QUICK!r}).fit(frame[["a"]], frame["y"])
print(model.log_density(frame[["a"]], frame["y"]).compute().shape)
"""
    done = run_python(code, PYTHONWARNINGS="ignore")
    assert done.stdout == "(50,)\n", done.stderr


# --- predictions ------------------------------------------------------------------------------------


def test_predictions_of_frames_are_lazy_and_in_order(cluster: Any, table: Any) -> None:
    model, shuffled = fit(table, 3), table.sample(frac=1, random_state=1)
    ddf, x = cut(shuffled, 7), shuffled[INPUTS]
    plain = condens.LSCDE(**QUICK).fit(table[INPUTS], table["y"])
    density = model.log_density(ddf[INPUTS], ddf["y"])
    assert isinstance(density, dd.Series)
    assert density.name == "log_density"
    found = density.compute()
    assert list(found.index) == list(shuffled.index)
    assert np.array_equal(found, plain.log_density(x, shuffled["y"]))
    assert np.array_equal(model.predict(ddf[INPUTS]).compute(), plain.predict(x))
    quantiles = model.predict_quantiles(ddf[INPUTS], [0.1, 0.9]).compute()
    assert list(quantiles.columns) == ["0.1", "0.9"]
    assert np.array_equal(quantiles, plain.predict_quantiles(x, [0.1, 0.9]))
    interval = model.predict_interval(ddf[INPUTS], 0.8).compute()
    assert list(interval.columns) == ["lower", "upper"]
    assert np.array_equal(interval, plain.predict_interval(x, 0.8))
    assert model.score(ddf[INPUTS], ddf["y"]) == pytest.approx(plain.score(x, shuffled["y"]), rel=1e-12)


def test_distributions_are_lazy(cluster: Any, table: Any) -> None:
    model, ddf = fit(table, 3), cut(table, 4)
    laws = model.predict_distribution(ddf[INPUTS])
    assert laws.npartitions == 4 == len(list(laws))
    assert "4 partitions" in repr(laws)
    expected = condens.LSCDE(**QUICK).fit(table[INPUTS], table["y"]).predict_distribution(table[INPUTS])
    assert np.array_equal(laws.compute().ppf(0.3), expected.ppf(0.3))
    assert np.array_equal(laws.map(lambda dist: dist.ppf(0.3)).compute(), expected.ppf(0.3))


def test_predictions_of_arrays(cluster: Any, table: Any) -> None:
    x, y = table[INPUTS].to_numpy(), table[["y", "speed"]].to_numpy()
    chunked, targets = da.from_array(x, chunks=(70, 1)), da.from_array(y, chunks=(70, 2))
    model = condens.dask.LSCDE(**QUICK).fit(chunked, targets)
    plain = condens.LSCDE(**QUICK).fit(x, y)
    density = model.log_density(chunked, targets)
    assert isinstance(density, da.Array)
    assert density.shape == (ROWS,)
    assert np.array_equal(density.compute(), plain.log_density(x, y))
    assert np.array_equal(model.predict(chunked).compute(), plain.predict(x))
    quantiles = model.predict_quantiles(chunked, [0.1, 0.5, 0.9])
    assert quantiles.shape == (ROWS, 6)
    assert np.array_equal(quantiles.compute().reshape(ROWS, 2, 3), plain.predict_quantiles(x, [0.1, 0.5, 0.9]))
    assert model.score(chunked, targets) == pytest.approx(plain.score(x, y), rel=1e-12)


def test_density_without_targets(cluster: Any, table: Any) -> None:
    ddf, plain = cut(table, 3), condens.Parzen().fit(table)
    model = condens.dask.Parzen().fit(ddf, sample=ROWS)
    assert_same_model(model, plain)
    assert model.score(ddf) == pytest.approx(plain.score(table), rel=1e-12)


def test_comparison_on_the_cluster(cluster: Any, table: Any) -> None:
    models = {"narrow": condens.dask.LSCDE(**QUICK), "gmm": condens.GMM(n_components=2), "wide": "lscde"}
    boards = []
    for partitions in (1, 4):
        ddf = cut(table, partitions)
        boards.append(condens.dask.compare(ddf[INPUTS], ddf["y"], models, repeats=2, test_fraction=0.4))
    for name in ("nll", "nll_standardized", "crps", "coverage_0.9"):
        np.testing.assert_allclose(boards[0].table[name], boards[1].table[name], rtol=1e-9)
    assert set(boards[0].models) == set(models)
    # One split by hand: the same rows, the same scores.
    test = np.concatenate([_test_rows(first, count) for first, count in ((0, 200), (200, 100))])
    plain = condens.LSCDE(**QUICK).fit(table[INPUTS][~test], table["y"][~test])
    nll = -plain.log_density(table[INPUTS][test], table["y"][test]).mean()
    board = boards[1]
    assert board.scores["nll"][board.models.index("narrow")][0] == pytest.approx(nll, rel=1e-9)
    deviation = float(np.log(table["y"][~test].std()))
    assert board.scores["nll_standardized"][board.models.index("narrow")][0] == pytest.approx(nll - deviation, rel=1e-9)
    assert 0.3 < test.mean() < 0.5


def _test_rows(first: int, count: int) -> Any:
    block = _blocks.Block(np.arange(first, first + count, dtype=np.float64)[:, None], np.zeros((count, 1)))
    return np.isin(block.x[:, 0], _comparison._part(block, first, 0.4, 0, True).x[:, 0])


def test_comparison_refuses(cluster: Any, table: Any) -> None:
    ddf = cut(table, 2)

    def compare(models: Any, **options: Any) -> Any:
        return condens.dask.compare(ddf[INPUTS], ddf["y"], models, **options)

    with pytest.raises(ValueError, match="GaussianProcess: its fit is no sum over rows"):
        compare(["gp"])
    with pytest.raises(ValueError, match=r"models has 'lscd', expected .* names among lscde"):
        compare(["lscd"])
    with pytest.raises(TypeError, match="models = 'lscde', expected a list"):
        compare("lscde")
    with pytest.raises(ValueError, match="one or more models with labels that differ"):
        compare(["lscde", "lscde"])
    with pytest.raises(ValueError, match="repeats = 0"):
        compare(["lscde"], repeats=0)
    with pytest.raises(ValueError, match=r"test_fraction = 1, expected a number in \(0, 1\)"):
        compare(["lscde"], test_fraction=1.0)


def test_scores_are_those_of_one_machine(cluster: Any, table: Any) -> None:
    weights = np.where(np.arange(len(table)) < len(table) // 3, 0.0, 1 + table["y"] ** 2)  # a partition that counts not
    for options in ({}, {"target_kind": "positive"}):
        y = table["y"] - table["y"].min() + 1 if options else table["y"]
        frame = cut(table.assign(w=weights, t=y), 3)
        model = condens.dask.LSCDE(**QUICK, **options).fit(frame[INPUTS], frame["t"], sample=500)
        chosen: dict[str, Any] = {"levels": [0.5, 0.9], "highest_density": not options}
        plain = condens.metrics.score_table(model, table[INPUTS], y, **chosen)
        assert_same_scores(condens.metrics.score_table(model, frame[INPUTS], frame["t"], **chosen), plain)
        plain = condens.metrics.score_table(model, table[INPUTS], y, weights, **chosen)
        assert_same_scores(condens.metrics.score_table(model, frame[INPUTS], frame["t"], frame["w"], **chosen), plain)


def test_scores_that_are_refused(cluster: Any, table: Any) -> None:
    frame = cut(table.assign(w=0.0, bad=table["y"].where(np.arange(len(table)) != 5)), 2)
    model = condens.dask.LSCDE(**QUICK).fit(frame[INPUTS], frame["y"])
    with pytest.raises(ValueError, match="all weights are zero"):
        condens.metrics.score_table(model, frame[INPUTS], frame["y"], frame["w"])
    with pytest.raises(ValueError, match=r"row 6 .* of partition 0 .* column 'y' is nan, expected a finite number"):
        condens.metrics.score_table(model, frame[INPUTS], frame["bad"])
    with pytest.raises(ValueError, match="y is None, expected the targets"):
        condens.metrics.score_table(model, frame[INPUTS], None)


def test_weighted_score(cluster: Any, table: Any) -> None:
    model, weights = fit(table, 3), table["speed"].abs()
    ddf = cut(table.assign(w=weights), 4)
    expected = model.score(table[INPUTS], table["y"], weights)
    assert model.score(ddf[INPUTS], ddf["y"], ddf["w"]) == pytest.approx(expected, rel=1e-12)


# --- frames with categories -------------------------------------------------------------------------


def mixed_table(rows: int = 400) -> Any:
    random = np.random.default_rng(3)
    many = random.choice([f"c{i:02}" for i in range(14)], rows, p=np.r_[np.full(11, 0.09), 0.0025, 0.0025, 0.005])
    frame = pd.DataFrame(
        {
            "number": np.where(random.uniform(size=rows) < 0.1, np.nan, random.normal(size=rows)),
            "few": random.choice(["u", "v", "w"], rows),
            "many": pd.Categorical(many),
            "whole": random.integers(-3, 4, rows),
            "flag": random.uniform(size=rows) < 0.3,
        }
    )
    frame.loc[random.uniform(size=rows) < 0.05, "few"] = None
    days = pd.Timestamp("2023-12-25") + pd.to_timedelta(random.integers(0, 30, rows), unit="D")
    frame["day"] = days.where(random.uniform(size=rows) > 0.05)
    frame["moment"] = pd.Timestamp("2024-02-05 10:00") + pd.to_timedelta(7 * random.integers(0, 2, rows), unit="D")
    return frame.assign(y=random.normal(size=rows) + frame["whole"])


@pytest.mark.parametrize("missing", ["error", "indicator"])
@pytest.mark.parametrize("rare", [None, 0, 30])
def test_encoder_is_that_of_all_rows(cluster: Any, missing: str, rare: int | None) -> None:
    frame = mixed_table()
    if missing == "error":
        frame = frame.fillna({"number": 0.5, "few": "u", "day": pd.Timestamp("2024-01-01")})
    inputs, options = [name for name in frame.columns if name != "y"], {"missing": missing, "rare_levels": rare}
    plain = condens.LSCDE(**QUICK, **options).fit(frame[inputs], frame["y"])
    ddf = cut(frame, 5)
    model = condens.dask.LSCDE(**QUICK, **options).fit(ddf[inputs], ddf["y"])
    own, expected = model._model.encoder, plain._model.encoder
    for what in ("levels", "encoded_names", "groups", "input_names", "target_names", "target_ranges", "missing"):
        assert getattr(own, what) == getattr(expected, what), what
    assert np.array_equal(model.log_density(frame[inputs], frame["y"]), plain.log_density(frame[inputs], frame["y"]))
    if missing == "indicator":  # medians and most frequent levels stand in
        empty = frame[inputs].assign(number=np.nan, few=None)
        assert np.array_equal(model.predict(empty), plain.predict(empty))
    density = model.log_density(ddf[inputs], ddf["y"]).compute()
    assert np.array_equal(density, plain.log_density(frame[inputs], frame["y"]))


@pytest.mark.parametrize(
    ("rows", "missing", "weighted"),
    [(ROWS, "error", False), (ROWS, "indicator", True), (16_000, "indicator", False), (16_000, "error", True)],
)
def test_statistics_of_many_levels_are_those_of_all_rows(cluster: Any, rows: int, missing: str, weighted: bool) -> None:
    frame = with_cities(rows)
    if missing == "indicator":
        frame.loc[::9, "city"] = None
    weights = np.random.default_rng(5).exponential(size=rows) * (np.arange(rows) % 7 > 0) if weighted else None
    inputs = [*INPUTS, "city"]
    plain = condens.LSCDE(missing=missing, **QUICK).fit(frame[inputs], frame["y"], weights)
    ddf = cut(frame.assign(w=1.0 if weights is None else weights), 5)
    model = condens.dask.LSCDE(missing=missing, **QUICK).fit(ddf[inputs], ddf["y"], ddf["w"] if weighted else None)
    own, expected = model._model.encoder, plain._model.encoder
    assert own.encoded_names == expected.encoded_names
    assert "city: mean of y" in own.encoded_names
    some = frame[:ROWS].assign(city=frame["city"][:ROWS].where(np.arange(ROWS) % 5 > 0, "elsewhere"))
    columns = {name: some[name].to_numpy() for name in INPUTS} | {"city": some["city"].fillna("").tolist()}
    assert np.array_equal(own.encode_inputs(columns), expected.encode_inputs(columns))
    difference = model.log_density(some[inputs], some["y"]) - plain.log_density(some[inputs], some["y"])
    same_sums = rows == ROWS and not weighted  # brought together, and none left out for its weight
    assert np.abs(difference).max() <= (0 if same_sums else 1e-9)


def test_levels_as_indicators_where_that_is_asked_for(cluster: Any) -> None:
    ddf = cut(with_cities(ROWS), 3)
    model = condens.dask.LSCDE(many_levels="indicators", rare_levels=0, **QUICK).fit(ddf[["speed", "city"]], ddf["y"])
    assert len(model._model.encoder.encoded_names) == 31


# --- samples, and what is refused -------------------------------------------------------------------


def test_sample_is_the_same_for_any_partitions(cluster: Any, table: Any) -> None:
    model = None
    for partitions in (1, 4):
        ddf = cut(table, partitions)
        with pytest.warns(FitWarning, match=f"GaussianProcess: fitted to a random sample of 60 of {ROWS} rows"):
            other = condens.dask.GaussianProcess().fit(ddf[INPUTS], ddf["y"], sample=60)
        if model is not None:
            assert_same_model(model, other)
        model = other
    ddf = cut(table, 4)
    whole = condens.dask.LSCDE(**QUICK, conformal=True).fit(ddf[INPUTS], ddf["y"], sample=ROWS)
    assert_same_model(whole, condens.LSCDE(**QUICK, conformal=True).fit(table[INPUTS], table["y"]))
    whole = condens.dask.LSCDE(**QUICK).fit(ddf[INPUTS], ddf["y"], ddf["speed"].abs(), sample=ROWS)
    assert_same_model(whole, condens.LSCDE(**QUICK).fit(table[INPUTS], table["y"], table["speed"].abs()))


def test_models_that_are_no_sums_say_which_are(table: Any) -> None:
    ddf = cut(table, 2)
    for name in ("NadarayaWatson", "GaussianProcess"):
        with pytest.raises(ValueError, match=f"{name}: its fit is no sum over rows.*LSCDE.*sample=ROWS"):
            getattr(condens.dask, name)().fit(ddf[INPUTS], ddf["y"])
    with pytest.raises(ValueError, match=r"Pooled: models has 'nw', which is no sum over rows .* marginal, lscde"):
        condens.dask.Pooled().fit(ddf[INPUTS], ddf["y"], gather_rows=10)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target_kind": "count"}, "target_kind = 'count', expected 'real' where rows are elsewhere"),
        ({"conformal": True}, "conformal = True, expected False"),
        ({"calibrate": True}, "calibrate = True, expected False"),
        ({"bootstrap": 10}, "bootstrap = 10, expected 0"),
        ({"missing": "model"}, "missing = 'model', expected 'error' or 'indicator'"),
        ({"cv": [0, 1] * 150}, "cv = .* expected a number of folds"),
        ({"bandwidth": -1.0}, "bandwidth"),
    ],
)
def test_settings_that_need_one_machine(cluster: Any, table: Any, options: dict[str, Any], message: str) -> None:
    ddf = cut(table, 2)
    with pytest.raises(ValueError, match=message):
        condens.dask.LSCDE(**{**QUICK, **options}).fit(ddf[INPUTS], ddf["y"])


def test_arguments_that_are_refused(cluster: Any, table: Any) -> None:
    ddf, model = cut(table, 3), condens.dask.LSCDE(**QUICK)
    with pytest.raises(TypeError, match=r"X is a DataFrame, expected a data frame or array of dask; condens.LSCDE"):
        model.fit(table[INPUTS], table["y"])
    with pytest.raises(TypeError, match="y is a Series, expected"):
        model.fit(ddf[INPUTS], table["y"])
    with pytest.raises(ValueError, match="target y is None"):
        model.fit(ddf[INPUTS])
    with pytest.raises(ValueError, match="y has 2 partitions and X has 3"):
        model.fit(ddf[INPUTS], cut(table, 2)["y"])
    with pytest.raises(ValueError, match="X is one column, expected a table"):
        model.fit(ddf["speed"], ddf["y"])
    with pytest.raises(ValueError, match=r"partition \d .*sample_weight.*expected a weight >= 0"):
        model.fit(ddf[INPUTS], ddf["y"], -1 - ddf["speed"].abs())
    with pytest.raises(ValueError, match="gather_rows = -1"):
        model.fit(ddf[INPUTS], ddf["y"], gather_rows=-1)
    with pytest.raises(ValueError, match="sample = 1, expected a number of rows >= 2"):
        model.fit(ddf[INPUTS], ddf["y"], sample=1)
    with pytest.raises(ValueError, match="are inputs and targets"):
        model.fit(ddf[INPUTS], ddf["speed"])
    with pytest.raises(ValueError, match=r"partition [012] .* has 100 rows in X and 99 in y"):
        model.fit(ddf[INPUTS], ddf["y"].map_partitions(lambda part: part.iloc[1:]))
    with pytest.raises(ValueError, match="1 rows, expected at least 2"):
        model.fit(cut(table.iloc[:1], 1)[INPUTS], cut(table.iloc[:1], 1)["y"])
    with pytest.raises(TypeError, match=r"'y' has dtype datetime64.*days since"):
        fit(table.assign(y=pd.Timestamp("2024-01-01")), 3)
    with pytest.raises(ValueError, match=r"partition \d .*'load' is None, expected a date that is not missing"):
        fit(table.assign(load=pd.Series([pd.NaT] * 9 + [pd.Timestamp("2024-01-01")] * (ROWS - 9))), 3)


# --- faults ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("load", np.nan, "column 'load' is nan, expected a finite number"),
        ("speed", np.inf, "column 'speed' is inf, expected a finite number"),
        ("y", -np.inf, "column 'y' is -inf, expected a finite number"),
    ],
)
def test_bad_rows_are_named(cluster: Any, table: Any, column: str, value: float, message: str) -> None:
    bad = table.copy()
    bad.loc[250, column] = value  # partitions of 100 rows
    with pytest.raises(ValueError, match=r"row 51 \(counting from 1\) of partition 2 \(counting from 0\): " + message):
        fit(bad, 3)


def test_bad_texts_are_named(cluster: Any, table: Any) -> None:
    ddf = cut(table, 3)

    def spoil(part: Any, partition_info: Any = None) -> Any:
        values = part["load"].astype(object)
        if partition_info is not None and partition_info["number"] == 1:
            values.iloc[7] = "seven"
        return values

    bad = ddf.assign(load=ddf.map_partitions(spoil, meta=("load", object)))
    with pytest.raises(ValueError, match=r"row 8 .* of partition 1 .*column 'load' is 'seven', expected a number"):
        condens.dask.LSCDE(**QUICK).fit(bad[INPUTS], bad["y"])
    gaps = cut(table.assign(few=["a"] * 150 + [None] + ["b"] * 149), 3)
    with pytest.raises(ValueError, match=r"row 51 .* of partition 1 .*column 'few' is '', expected a text"):
        condens.dask.LSCDE(**QUICK).fit(gaps[["speed", "few"]], gaps["y"])


def test_empty_partitions_are_skipped(cluster: Any, table: Any) -> None:
    ddf = cut(table, 4)
    gaps = ddf.map_partitions(lambda part: part if part.index[0] >= 75 else part.iloc[:0], meta=ddf._meta)
    plain = condens.LSCDE(**QUICK).fit(table[INPUTS][75:], table["y"][75:])
    model = condens.dask.LSCDE(**QUICK).fit(gaps[INPUTS], gaps["y"])
    assert np.array_equal(model.predict(table[INPUTS]), plain.predict(table[INPUTS]))
    assert len(model.predict_distribution(gaps[INPUTS]).compute()) == 225
    assert len(model.log_density(gaps[INPUTS], gaps["y"]).compute()) == 225


def test_two_versions_are_refused(cluster: Any, table: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    own = _core.version
    monkeypatch.setattr(_core, "version", "9.9.9")
    with pytest.raises(RuntimeError, match=rf"condens is {own} on worker tcp.* and 9\.9\.9 on the driver"):
        fit(table, 2)
    with pytest.raises(RuntimeError, match=r"condens is 9\.9\.9 on a worker of dask and 0\.0\.1 on the driver"):
        _engine._checked("0.0.1", len, [])
    with pytest.raises(RuntimeError, match="condens is not installed on worker 7"):
        _cluster.check_version("not installed", "worker 7")


def test_killed_worker_leaves_the_model_as_it_is(
    cluster: Any, table: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected, marker, accumulate = fit(table, 7, gather_rows=10), str(tmp_path / "killed"), _blocks.accumulate

    def accumulate_or_die(pass_: bytes, block: Any, first_row: int) -> bytes:
        if first_row > 0 and not os.path.exists(marker):
            open(marker, "w").close()
            os.kill(os.getpid(), signal.SIGKILL)
        return accumulate(pass_, block, first_row)

    monkeypatch.setattr(_blocks, "accumulate", accumulate_or_die)
    assert_same_model(fit(table, 7, gather_rows=10), expected)
    assert os.path.exists(marker)


def tasks_of(client: Any) -> int:
    return int(client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)))


def test_interrupt_leaves_no_tasks(cluster: Any, table: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    deadline = time.monotonic() + 60
    while tasks_of(cluster) and time.monotonic() < deadline:  # of tests before
        time.sleep(0.05)

    def slow(pass_: bytes, block: Any, first_row: int) -> bytes:
        time.sleep(1)
        return b""

    def interrupt() -> None:
        while not any(cluster.processing().values()):
            time.sleep(0.01)
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)  # also where it waits for a lock

    monkeypatch.setattr(_blocks, "accumulate", slow)
    # A shell has its background processes ignore the signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    watch = threading.Thread(target=interrupt)
    original = _engine.DaskEngine.sums

    def sums(self: Any, pass_: bytes, first_rows: Any) -> bytes:
        watch.start()
        return original(self, pass_, first_rows)

    monkeypatch.setattr(_engine.DaskEngine, "sums", sums)
    try:
        with pytest.raises(KeyboardInterrupt):
            fit(table, 20, gather_rows=10)
        watch.join()
    finally:
        signal.signal(signal.SIGINT, before)
    deadline = time.monotonic() + 60
    while tasks_of(cluster) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert tasks_of(cluster) == 0


def test_without_dask_a_sentence(run_python: Any) -> None:
    done = run_python("import sys; sys.modules['dask'] = None; import condens.dask")
    assert "ImportError: condens.dask needs dask: pip install 'condens[dask]'" in done.stderr
