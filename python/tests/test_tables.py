"""Tables of pandas, polars, pyarrow and xarray: the same fits, predictions as tables of the same kind."""

from __future__ import annotations

import datetime
import sys
from typing import Any

import numpy as np
import pytest
from conftest import QUICK, assert_same_model, make_data
from numpy.testing import assert_array_equal
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from condens import GMM, LSCDE, DistributionRegressor

pd = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")
xr = pytest.importorskip("xarray")

X, Y = make_data(60)
COLUMNS = {
    "u": X[:, 0],
    "c": np.array(["a", "b", "c"])[np.arange(60) % 3],
    "d": [datetime.date(2024, 1, 1) + datetime.timedelta(days=3 * i) for i in range(60)],
}
LABELS = pd.Index([f"r{i}" for i in range(60)], name="place")


def tables(columns: dict[str, Any]) -> dict[str, Any]:
    """The same columns in every kind of table."""
    frame = pd.DataFrame(columns, index=LABELS)
    arrow = pa.table({name: pa.array(list(values)) for name, values in columns.items()})
    return {
        "pandas": frame,
        "polars": pl.DataFrame({name: list(values) for name, values in columns.items()}),
        "pyarrow": arrow,
        "xarray": xr.Dataset({name: ("place", list(values)) for name, values in columns.items()}, {"place": LABELS}),
    }


def fit(inputs: Any, y: Any = Y, **options: Any) -> LSCDE:
    return LSCDE(**QUICK, **options).fit(inputs, y)


# --- in -------------------------------------------------------------------------------------------------


def test_every_kind_of_table_gives_the_same_model() -> None:
    found = {kind: fit(table) for kind, table in tables(COLUMNS).items()}
    expected = found["pandas"]
    for kind, table in tables(COLUMNS).items():
        model = found[kind]
        assert_same_model(model, expected)
        assert model.feature_names_in_.tolist() == ["u", "c", "d"]
        for other in found.values():
            assert_array_equal(other.predict(table), expected.predict(tables(COLUMNS)["pandas"]))
        assert model.score(table, Y) == expected.score(tables(COLUMNS)["pandas"], Y)
        assert_array_equal(model.log_density(table, Y), expected.log_density(tables(COLUMNS)["pandas"], Y))
    batch, dictionary = tables(COLUMNS)["pyarrow"].to_batches()[0], tables(COLUMNS)["pyarrow"]
    dictionary = dictionary.set_column(1, "c", dictionary["c"].dictionary_encode())
    assert_same_model(fit(batch), expected)
    assert_same_model(fit(dictionary), expected)


@pytest.mark.parametrize("missing", ["model", "indicator"])
def test_nulls_are_missing(missing: str) -> None:
    gaps = {"u": [None, *X[1:, 0]], "c": [*COLUMNS["c"][:-1], None]}
    frames = tables(gaps)
    frames["xarray"] = frames["xarray"].assign(u=("place", [np.nan, *X[1:, 0]]))
    models = {kind: fit(table, missing=missing) for kind, table in frames.items()}
    for kind, model in models.items():
        assert_same_model(model, models["pandas"])
        assert np.isfinite(model.predict(frames[kind])).all()
        with pytest.raises(ValueError, match="column 'u' has 1 missing value"):
            fit(frames[kind])


def test_targets() -> None:
    named = fit(X, pd.Series(Y, name="w"))
    assert_same_model(fit(X, xr.DataArray(Y, dims="place", name="w")), named)
    assert_same_model(fit(X, pl.Series("w", Y)), named)
    for y in (pa.array(Y), pa.chunked_array([Y[:20], Y[20:]])):
        assert_same_model(fit(X, y), fit(X))
    for table in tables({"w": Y, "v": Y**2}).values():
        model = fit(X, table)
        assert model._model.encoder.target_names == ["w", "v"]
        assert_same_model(model, fit(X, tables({"w": Y, "v": Y**2})["pandas"]))


def test_labelled_arrays() -> None:
    inputs = xr.DataArray(X, dims=("place", "input"), coords={"place": LABELS, "input": ["u", "v"]})
    model = fit(inputs)
    assert model.feature_names_in_.tolist() == ["u", "v"]
    assert_array_equal(model.predict(inputs), fit(X).predict(X))
    assert not hasattr(fit(inputs.drop_vars("input")), "feature_names_in_")
    assert list(model.predict_table(inputs).coords) == ["place"]


def test_densities_of_tables() -> None:
    numbers = {"u": X[:, 0], "v": X[:, 1]}
    expected = GMM(n_components=2).fit(tables(numbers)["pandas"])
    for table in tables(numbers).values():
        model = GMM(n_components=2).fit(table)
        assert_same_model(model, expected)
        assert_array_equal(model.score_samples(table), expected.score_samples(tables(numbers)["pandas"]))


def test_datasets_of_several_dimensions() -> None:
    grid = xr.Dataset({"u": (("lat", "lon"), X[:, 0].reshape(6, 10)), "w": (("lat", "lon"), Y.reshape(6, 10))})
    with pytest.raises(ValueError, match=r"X is a dataset with dimensions lat, lon, expected one: .* data.stack\(row="):
        fit(grid[["u"]])
    with pytest.raises(ValueError, match="y is a dataset with dimensions lat, lon"):
        fit(X, grid[["w"]])
    with pytest.raises(ValueError, match="X has 3 dimensions, expected rows and columns"):
        fit(xr.DataArray(np.zeros((60, 2, 2))))
    rows = grid.assign_coords(lat=np.arange(6), lon=np.arange(10)).stack(row=("lat", "lon"))
    model = fit(rows[["u"]], rows["w"])
    back = model.predict_table(rows[["u"]]).unstack("row")
    assert_array_equal(back["mean"].transpose("lat", "lon").to_numpy().ravel(), fit(X[:, :1]).predict(X[:, :1]))


# --- out ------------------------------------------------------------------------------------------------


def column(table: Any, name: str) -> np.ndarray:
    return np.asarray(table[name].to_numpy())


def test_predictions_are_of_the_kind_of_the_inputs() -> None:
    for kind, table in tables(COLUMNS).items():
        model = fit(table)
        found = model.predict_table(table, quantiles=[0.05, 0.5], interval=0.8)
        assert type(found).__module__.partition(".")[0] == kind
        names = found.column_names if kind == "pyarrow" else list(found.columns if kind == "polars" else found)
        assert names == ["mean", "std", "q0.05", "q0.5", "lower", "upper"]
        assert_array_equal(column(found, "mean"), model.predict(table))
        assert_array_equal(column(found, "std"), model.predict_distribution(table).std())
        assert_array_equal(column(found, "q0.05"), model.predict_quantiles(table, 0.05)[:, 0])
        assert_array_equal(
            np.column_stack([column(found, "lower"), column(found, "upper")]), model.predict_interval(table, 0.8)
        )
        for other in tables(COLUMNS):
            asked = model.predict_table(table, [0.05, 0.5], 0.8, kind=other)
            assert type(asked).__module__.partition(".")[0] == other
            assert_array_equal(column(asked, "upper"), column(found, "upper"))


def test_labels_of_rows_stay() -> None:
    frames = tables(COLUMNS)
    model = fit(frames["pandas"])
    assert model.predict_table(frames["pandas"]).index.equals(LABELS)
    assert list(model.predict_table(frames["xarray"])["place"].to_numpy()) == list(LABELS)
    assert list(model.predict_table(frames["pandas"], kind="xarray")["row"].to_numpy()) == list(LABELS)
    several = frames["pandas"].set_index(pd.MultiIndex.from_product([range(6), range(10)], names=["lat", "lon"]))
    assert model.predict_table(several, kind="xarray").unstack("row").sizes == {"lat": 6, "lon": 10}
    assert list(model.predict_table(frames["polars"], kind="pandas").index) == list(range(60))


def test_tables_of_arrays_and_several_targets() -> None:
    x, y = make_data(d_y=2)
    found = LSCDE(**QUICK).fit(x, y).predict_table(x, [0.5], 0.9)
    assert list(found) == [f"y{j}_{name}" for j in (1, 2) for name in ("mean", "std", "q0.5", "lower", "upper")]
    model = DistributionRegressor(make_pipeline(StandardScaler(), LSCDE(**QUICK)))
    wrapped = model.fit(x, pd.DataFrame(y, columns=["w", "v"])).predict_table(x, [])
    assert list(wrapped) == ["w_mean", "w_std", "v_mean", "v_std"]
    assert_array_equal(wrapped["v_mean"], model.predict(x)[:, 1])
    assert list(model.fit(x, y).predict_table(x, [])) == ["y1_mean", "y1_std", "y2_mean", "y2_std"]


def test_intervals_with_a_guarantee() -> None:
    x, y = make_data(200)
    model = LSCDE(**QUICK, conformal=True).fit(x, y)
    found = model.predict_table(x, interval=0.9)[["lower", "upper"]].to_numpy()
    assert_array_equal(found, model.predict_interval(x, 0.9))


def test_wrong_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    model = fit(X)
    with pytest.raises(ValueError, match="kind = 'arrow', expected one of 'pandas', 'polars', 'pyarrow', 'xarray', or"):
        model.predict_table(X, kind="arrow")
    with pytest.raises(ValueError, match=r"quantiles = 5, .* for 5 % give 0.05"):
        model.predict_table(X, quantiles=[5])
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(ImportError, match="a table of kind 'polars' needs the package polars: pip install polars"):
        model.predict_table(X, kind="polars")
