"""Frames of pandas and polars: kinds of columns, categories, missing values, names that reach the model file."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from conftest import QUICK, assert_same_model, make_data
from numpy.testing import assert_array_equal

import condens
from condens import LSCDE

X, Y = make_data(60)
LETTERS = np.array(["a", "b", "c"])[np.arange(60) % 3]
INDICATORS = np.column_stack([X[:, 0], *(np.equal(LETTERS, letter) for letter in "abc")]).astype(float)


@pytest.fixture(params=["pandas", "polars"])
def frame(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Makes a data frame from columns."""
    library = pytest.importorskip(request.param)
    return lambda **columns: library.DataFrame(columns)


def fit(inputs: Any, y: Any = Y) -> LSCDE:
    return LSCDE(**QUICK).fit(inputs, y)


# --- numbers -------------------------------------------------------------------------------------------


def test_a_frame_of_numbers_is_an_array_with_names(frame: Callable[..., Any]) -> None:
    inputs = frame(u=X[:, 0], v=X[:, 1])
    model, plain = fit(inputs), fit(X)
    assert_array_equal(model.kernel_weights_, plain.kernel_weights_)
    assert_array_equal(model.predict(inputs), plain.predict(X))
    assert model.feature_names_in_.tolist() == ["u", "v"]
    assert model._model.encoder.input_names == ["u", "v"]
    assert not hasattr(plain, "feature_names_in_")
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        model.predict(X)


def test_kinds_of_numbers_of_pandas() -> None:
    pd = pytest.importorskip("pandas")
    whole = np.arange(60) % 7
    expected = fit(np.column_stack([X[:, 0], whole])).kernel_weights_
    for kind in ("Int64", "UInt8", "Float32", "int8", "float32", "object", "int64"):
        inputs = pd.DataFrame({"u": X[:, 0], "v": pd.Series(whole).astype(kind)})
        assert_array_equal(fit(inputs).kernel_weights_, expected, err_msg=kind)
    truths = pd.DataFrame({"u": X[:, 0], "v": whole > 3})
    for kind in ("bool", "boolean"):
        assert_array_equal(
            fit(truths.astype({"v": kind})).kernel_weights_, fit(np.column_stack([X[:, 0], whole > 3])).kernel_weights_
        )
    numbered = fit(pd.DataFrame(X))  # names that are no texts are not used
    assert not hasattr(numbered, "feature_names_in_")


# --- categories --------------------------------------------------------------------------------------------


def kinds_of_texts(library: str) -> dict[str, Any]:
    module = pytest.importorskip(library)
    if library == "pandas":
        plain = module.DataFrame({"u": X[:, 0], "c": LETTERS})
        return {kind: plain.astype({"c": kind}) for kind in ("object", "category", "string", "str")}
    plain = module.DataFrame({"u": X[:, 0], "c": LETTERS})
    kinds = {"String": module.String, "Categorical": module.Categorical, "Enum": module.Enum(["a", "b", "c"])}
    return {name: plain.with_columns(module.col("c").cast(kind)) for name, kind in kinds.items()}


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_texts_and_categories_become_indicators(library: str) -> None:
    # As numbers they are not the very same, since indicators are not scaled like measurements: compare kinds.
    several = {kind: fit(inputs) for kind, inputs in kinds_of_texts(library).items()}
    first, *others = several.values()
    assert first._model.encoder.levels == {"c": ["a", "b", "c"]}
    assert first._model.encoder.encoded_names == ["u", "c=a", "c=b", "c=c"]
    assert (first.n_features_in_, first.feature_names_in_.tolist()) == (2, ["u", "c"])
    assert first.centers_x_.shape == (40, 4)
    assert {tuple(row) for row in first.centers_x_[:, 1:].round(12)} == {(1, 0, 0), (0, 1, 0), (0, 0, 1)}
    for other in others:
        assert_same_model(first, other)
    for inputs in kinds_of_texts(library).values():
        assert_array_equal(first.predict(inputs), first.predict(next(iter(kinds_of_texts(library).values()))))


def test_indicators_by_hand_give_the_same_law() -> None:
    pd = pytest.importorskip("pandas")
    model = fit(pd.DataFrame({"u": X[:, 0], "c": LETTERS}))
    by_hand = fit(INDICATORS)
    np.testing.assert_allclose(
        model.predict(pd.DataFrame({"u": X[:, 0], "c": LETTERS})), by_hand.predict(INDICATORS), rtol=1e-9
    )


def test_pandas_and_polars_give_the_same_model() -> None:
    pandas, polars = kinds_of_texts("pandas")["str"], kinds_of_texts("polars")["String"]
    assert_same_model(fit(pandas), fit(polars))
    assert_array_equal(fit(pandas).predict(polars), fit(polars).predict(pandas))


def test_rows_without_some_level(frame: Callable[..., Any]) -> None:
    inputs = frame(u=X[:, 0], c=LETTERS)
    model = fit(inputs)
    assert_array_equal(model.predict(inputs[4:6]), model.predict(inputs)[4:6])
    with pytest.raises(
        ValueError, match=r"column 'c' is 'z', a level that the training data did not have; known .* a, b, c"
    ):
        model.predict(frame(u=[0.0], c=["z"]))
    with pytest.raises(ValueError, match="column 'c' is 'z'"):
        LSCDE(**QUICK).fit(inputs, Y, X_unlabeled=frame(u=[0.0], c=["z"]))
    assert LSCDE(**QUICK).fit(inputs, Y, X_unlabeled=inputs[:5]).kernel_weights_.shape == (40,)
    with pytest.raises(TypeError, match="was fitted with categories in c; X must be a data frame"):
        model.predict(X)


# --- what is refused -------------------------------------------------------------------------------------------


def test_missing_values(frame: Callable[..., Any]) -> None:
    numbers, texts = [None, *X[1:, 0]], [*LETTERS[:-1], None]
    with pytest.raises(ValueError, match="X contains NaN"):
        fit(frame(u=numbers))
    with pytest.raises(ValueError, match=r"column 'u' has 1 missing value\(s\) .* row 1, counting from 1"):
        fit(frame(u=numbers, c=LETTERS))
    with pytest.raises(ValueError, match=r"column 'c' has 1 missing value\(s\) .* row 60, counting from 1"):
        fit(frame(u=X[:, 0], c=texts))
    with pytest.raises(ValueError, match=r"column 'c' has 20 missing value\(s\) .*empty text"):
        fit(frame(u=X[:, 0], c=np.where(LETTERS == "a", "", LETTERS)))
    model = fit(frame(u=X[:, 0], c=LETTERS))
    with pytest.raises(ValueError, match="column 'c' has 1 missing"):
        model.predict(frame(u=[0.0, 1.0], c=["a", None]))


def test_missing_values_of_nullable_columns() -> None:
    pd = pytest.importorskip("pandas")
    whole = pd.array([None, *range(59)], dtype="Int64")
    with pytest.raises(ValueError, match="X contains NaN"):
        fit(pd.DataFrame({"u": whole}))
    for kind in ("string", "category", "object", *(["str"] if pd.__version__ >= "3" else [])):  # "None" before
        with pytest.raises(ValueError, match="column 'c' has 1 missing"):
            fit(pd.DataFrame({"u": X[:, 0], "c": pd.Series([None, *LETTERS[1:]]).astype(kind)}))
    with pytest.raises(ValueError, match="y contains NaN"):
        fit(X, pd.Series(pd.array([None, *Y[1:]], dtype="Float64")))


@pytest.mark.parametrize("more", [{}, {"c": LETTERS}], ids=["numbers", "categories"])
@pytest.mark.parametrize(
    "values",
    [
        [datetime.date(2020, 1, 1 + i % 28) for i in range(60)],
        [datetime.datetime(2020, 1, 1 + i % 28) for i in range(60)],
        [datetime.timedelta(hours=i) for i in range(60)],
    ],
    ids=["date", "datetime", "timedelta"],
)
def test_dates_and_durations(frame: Callable[..., Any], values: list[Any], more: dict[str, Any]) -> None:
    inputs = frame(u=X[:, 0], t=values, **more)
    if not isinstance(values[0], datetime.timedelta):
        model = fit(inputs)
        assert model._model.encoder.encoded_names[1:4] == ["t: days", "t: sin of year", "t: cos of year"]
        np.testing.assert_array_equal(model._inputs_of(inputs, model._model.encoder)[:, 1], np.arange(60) % 28)
        return
    with pytest.raises(
        TypeError, match=r"column 't' has dtype .*, expected numbers, texts, categories or dates; make num"
    ):
        fit(inputs)


def test_dates_in_arrays() -> None:
    days = np.arange("2020-01-01", "2020-03-01", dtype="datetime64[D]")
    with pytest.raises(TypeError, match=r"X has dtype datetime64\[D\], expected real numbers"):
        fit(days[:, None])
    with pytest.raises(TypeError, match=r"y has dtype datetime64\[D\], expected real numbers"):
        fit(X, days)
    with pytest.raises(TypeError, match=r"X has dtype timedelta64\[D\]"):
        fit(X).predict(np.column_stack([days - days[0]] * 2))
    with pytest.raises(TypeError, match=r"y has dtype datetime64\[D\]"):
        fit(X).log_density(X, days)


def test_columns_that_are_no_numbers(frame: Callable[..., Any]) -> None:
    for values in (X[:, 0] * 1j, [[1.0, 2.0]] * 60):
        with pytest.raises((TypeError, ValueError), match="column 'z' has dtype"):
            fit(frame(z=values, c=LETTERS))
        with pytest.raises((TypeError, ValueError)):
            fit(frame(z=values))


def test_names_and_order_of_columns(frame: Callable[..., Any]) -> None:
    for more in (X[:, 1], LETTERS):
        inputs = frame(u=X[:, 0], v=more)
        model = fit(inputs)
        with pytest.raises(ValueError, match="must be in the same order"):
            model.predict(frame(v=more, u=X[:, 0]))
        with pytest.raises(ValueError, match="seen at fit time, yet now missing:\n- v"):
            model.predict(frame(u=X[:, 0]))
        with pytest.raises(ValueError, match="unseen at fit time:\n- w"):
            model.predict(frame(u=X[:, 0], v=more, w=X[:, 0]))
        with pytest.raises(ValueError, match="must be in the same order"):
            model.log_density(frame(v=more, u=X[:, 0]), Y)


def test_names_given_twice() -> None:
    pd = pytest.importorskip("pandas")
    inputs = pd.DataFrame(X, columns=["u", "u"])
    with pytest.raises(ValueError, match="X has several columns named 'u'"):
        fit(inputs)
    with pytest.raises(ValueError, match=r"unique column names|two columns are named 'u'"):
        fit(X, inputs)
    with pytest.raises(ValueError, match=r"columns \['u'\] are inputs and targets, expected names that differ"):
        fit(pd.DataFrame({"u": X[:, 0]}), pd.Series(Y, name="u"))
    with pytest.raises(TypeError, match="categories need columns whose names are all texts"):
        fit(pd.DataFrame({0: X[:, 0], 1: LETTERS}))


# --- targets ---------------------------------------------------------------------------------------------------


def test_names_of_targets_reach_the_model_file(frame: Callable[..., Any]) -> None:
    table = frame(u=X[:, 0], c=LETTERS, w=Y, v=2 * Y)
    cases: list[tuple[Any, list[str], tuple[int, ...]]] = [
        (table["w"], ["w"], (60,)),
        (table[["w"]], ["w"], (60, 1)),
        (table[["w", "v"]], ["w", "v"], (60, 2)),
        (Y, ["y"], (60,)),
        (np.column_stack([Y, Y**2]), ["y1", "y2"], (60, 2)),
    ]
    for inputs in (table[["u"]], table[["u", "c"]], X):
        for y, names, shape in cases:
            model = fit(inputs, y)
            encoder = condens._core.parse_model(model._model.to_bytes(), "bytes").encoder
            assert encoder.target_names == names
            assert encoder.input_names == (["x1", "x2"] if inputs is X else list(inputs.columns))
            assert model.predict(inputs).shape == shape
            assert model.predict_quantiles(inputs, [0.5]).shape == (60, *([2] if len(names) > 1 else []), 1)


def test_an_input_may_be_called_y(frame: Callable[..., Any]) -> None:
    for inputs in (frame(x=X[:, 0], y=X[:, 1]), frame(x=X[:, 0], y=LETTERS)):
        assert fit(inputs)._model.encoder.target_names == ["target"]
    inputs = frame(y=X[:, 0], target=X[:, 1])
    assert fit(inputs)._model.encoder.target_names == ["target_"]


def test_rows_go_by_place_not_by_index() -> None:
    pd = pytest.importorskip("pandas")
    shuffled = pd.DataFrame({"u": X[:, 0], "c": LETTERS}, index=np.arange(60)[::-1])
    assert_same_model(fit(shuffled, pd.Series(Y)), fit(shuffled.reset_index(drop=True), pd.Series(Y)))


def test_texts_are_no_targets(frame: Callable[..., Any]) -> None:
    for inputs in (X, frame(u=X[:, 0], c=LETTERS)):
        with pytest.raises((TypeError, ValueError), match=r"number|float"):
            fit(inputs, frame(c=LETTERS)["c"])


# --- columns of very many levels -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("texts", "match"),
    [
        ([f"u{i:03d}" for i in range(60)], r"'key' has 60 levels in 60 rows.* identifiers"),
        ([f"2024-{1 + i % 12:02d}-{1 + i // 12:02d}" for i in range(60)], r"'key' has 60 levels .* they are dates"),
    ],
)
def test_many_levels_are_warned_of_once(frame: Callable[..., Any], texts: list[str], match: str) -> None:
    with pytest.warns(condens.FitWarning) as caught:
        fit(frame(u=X[:, 0], key=texts))
    assert sum(re.search(match, str(warning.message)) is not None for warning in caught) == 1


def test_few_levels_are_not(frame: Callable[..., Any], recwarn: pytest.WarningsRecorder) -> None:
    fit(frame(u=X[:, 0], key=LETTERS))
    assert not any("levels" in str(warning.message) for warning in recwarn)
