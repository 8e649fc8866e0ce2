"""Models as ONNX graphs: an independent runtime computes what the core does."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from conftest import QUICK, make_data
from numpy.testing import assert_allclose

import condens
from condens import BoostedDensity, GaussianMixtures, MixtureDensityNetwork

onnxruntime = pytest.importorskip("onnxruntime")
onnx = pytest.importorskip("onnx")

from condens.export import to_onnx  # noqa: E402  (it needs onnx)

pytestmark = pytest.mark.filterwarnings("ignore::condens.FitWarning")  # few rounds are quick

NETWORK: dict[str, Any] = {"n_members": 2, "units": 6, "max_iterations": 20, "random_state": 1}
BOOST: dict[str, Any] = {"n_rounds": 30, "n_folds": 2, "min_samples_leaf": 5, "random_state": 1}


def run(graph: Any, x: np.ndarray) -> dict[str, np.ndarray]:
    """What ONNX Runtime computes from the bytes of the graph."""
    session = onnxruntime.InferenceSession(graph.SerializeToString(), providers=["CPUExecutionProvider"])
    names = [one.name for one in session.get_outputs()]
    return dict(zip(names, session.run(names, {"x": np.asarray(x, dtype=np.float64)}), strict=True))


def assert_same(graph: Any, estimator: Any, x: np.ndarray, tolerance: float) -> None:
    """Weights, means and standard deviations, and the densities made of them, at and far from the training rows."""
    out = run(graph, x)
    laws = estimator.predict_distribution(x)
    assert_allclose(out["weights"], laws.weights, rtol=tolerance, atol=tolerance)
    assert_allclose(out["means"], laws.means, rtol=tolerance, atol=tolerance)
    assert_allclose(out["standard_deviations"], laws.scales, rtol=tolerance)
    again = GaussianMixtures(
        out["weights"], out["means"], out["standard_deviations"], multivariate=out["means"].ndim > 2
    )
    y = estimator.predict(x)
    assert_allclose(again.logpdf(y), laws.logpdf(y), rtol=tolerance, atol=10 * tolerance)


def points(d: int) -> np.ndarray:
    near = np.random.default_rng(8).uniform(-2, 2, (40, d))
    return np.vstack([near, 50 * near[:5], np.full((1, d), 1e200)])


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"preset": "paper", "cv": 2, "units": 3},
        {"layers": 3, "residual": True, "covariance": "spherical", "n_components": 2},
        {"skip": False, "layers": 1, "defensive_weight": 0.0, "n_members": 1},
        {"input_scores": "normal"},
        {"standardize": False},
    ],
    ids=["recommended", "paper", "residual", "plain", "scores", "unscaled"],
)
@pytest.mark.parametrize("d_y", [0, 2])
def test_networks_to_rounding(options: dict[str, Any], d_y: int) -> None:
    model = MixtureDensityNetwork(**{**NETWORK, **options}).fit(*make_data(d_y=d_y))
    assert_same(to_onnx(model), model, points(2), 1e-12)


def test_networks_of_one_input() -> None:
    model = MixtureDensityNetwork(**NETWORK, input_scores="normal").fit(*make_data(d=1))
    assert_same(to_onnx(model), model, points(1), 1e-12)


@pytest.mark.parametrize(
    "options", [{}, {"preset": "paper"}, {"n_folds": 0, "defensive_weight": 0.0}, {"max_depth": 1}]
)
@pytest.mark.parametrize("d_y", [0, 2])
def test_boosted_trees_to_single_precision(options: dict[str, Any], d_y: int) -> None:
    model = BoostedDensity(**{**BOOST, **options}).fit(*make_data(200, d_y=d_y))
    assert_same(to_onnx(model), model, points(2), 1e-5)


def test_a_constant_input_and_a_data_frame_of_two_levels() -> None:
    pd = pytest.importorskip("pandas")
    x, y = make_data(200)
    frame = pd.DataFrame({"a": x[:, 0], "sex": np.where(x[:, 1] > 0, "M", "F"), "same": 1.0})
    encoded = np.column_stack([x[:, 0], x[:, 1] > 0, np.ones(200)])
    for make, tolerance in ((MixtureDensityNetwork(**NETWORK), 1e-12), (BoostedDensity(**BOOST), 1e-5)):
        model = make.fit(frame, y)
        graph = to_onnx(model)
        properties = {one.key: one.value for one in graph.metadata_props}
        assert json.loads(properties["inputs"]) == ["a", "sex=M", "same"]
        out = run(graph, encoded)
        assert_allclose(out["means"], model.predict_distribution(frame).means, rtol=tolerance, atol=tolerance)


def test_the_graph_can_be_written_and_read(tmp_path: Any) -> None:
    model = MixtureDensityNetwork(**NETWORK).fit(*make_data())
    graph = to_onnx(model)
    onnx.save(graph, tmp_path / "model.onnx")
    assert onnx.load(tmp_path / "model.onnx") == graph
    assert graph.producer_name == "condens"


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda x, y: condens.LSCDE(**QUICK).fit(x, y), "the model is a LSCDE, expected a MixtureDensityNetwork or"),
        (
            lambda x, y: MixtureDensityNetwork(**NETWORK, target_kind="positive").fit(x, np.exp(y)),
            "target_kind = 'positive'",
        ),
        (lambda x, y: BoostedDensity(**BOOST, calibrate=True).fit(x, y), "expected calibrate=False"),
        (lambda x, y: BoostedDensity(**BOOST, missing="model").fit(x, y), "missing = 'model'"),
    ],
    ids=["model", "kind", "calibrated", "missing"],
)
def test_what_a_graph_does_not_hold(make: Callable[..., Any], complaint: str) -> None:
    model = make(*make_data(200))
    with pytest.raises(ValueError, match=complaint):
        to_onnx(model)


def frame_of_levels(n: int) -> tuple[Any, np.ndarray]:
    """Five colours and thirty towns, on which the mean and the spread of y depend, beside a number and two levels."""
    pd = pytest.importorskip("pandas")
    x, y = make_data(n)
    colour, town = np.arange(n) % 5, np.random.default_rng(3).integers(0, 30, n)
    frame = pd.DataFrame(
        {
            "colour": np.array(["red", "green", "blue", "grey", "pink"])[colour],
            "a": x[:, 0],
            "town": [f"town {t}" for t in town],
            "sex": np.where(x[:, 1] > 0, "M", "F"),
        }
    )
    return frame, np.sin(3 * colour) + y * (0.2 + np.cos(7 * town) ** 2)


def encoded(graph: Any, frame: Any) -> np.ndarray:
    """The columns that the metadata name, made as docs/browser.md says."""
    columns = []
    for name in json.loads({one.key: one.value for one in graph.metadata_props}["inputs"]):
        column, _, level = name.partition("=")
        columns.append(frame[column] == level if level else frame[column])
    return np.column_stack(columns).astype(np.float64)


@pytest.mark.parametrize(
    "options",
    [{}, {"preset": "paper"}, {"standardize": False}, {"max_features": 0.5, "n_folds": 0}],
    ids=["recommended", "paper", "unscaled", "some inputs"],
)
@pytest.mark.parametrize("d_y", [0, 2])
def test_trees_over_levels(options: dict[str, Any], d_y: int) -> None:
    frame, y = frame_of_levels(400)
    targets = np.column_stack([y, np.square(y)]) if d_y else y
    model = BoostedDensity(**{**BOOST, "many_levels": "indicators", "unseen": "other", **options}).fit(frame, targets)
    graph = to_onnx(model)
    onnx.checker.check_model(graph, full_check=True)
    out, laws = run(graph, encoded(graph, frame)), model.predict_distribution(frame)
    assert_allclose(out["means"], laws.means, rtol=1e-5, atol=1e-5)
    assert_allclose(out["standard_deviations"], laws.scales, rtol=1e-5)
    # The order of the levels matters: another level, another distribution.
    assert np.abs(np.diff(out["means"][:5], axis=0)).max() > 0.1


def test_unseen_levels_are_what_the_encoder_makes_of_them() -> None:
    frame, y = frame_of_levels(400)
    model = BoostedDensity(**BOOST, many_levels="indicators", unseen="other").fit(frame, y)
    graph, new = to_onnx(model), frame[:3].assign(colour=["violet", "red", "ochre"], town=["town 3", "Atlantis", "Oz"])
    with pytest.warns(condens.FitWarning):
        laws, rows = model.predict_distribution(new), model._rows(new)
    assert not np.array_equal(rows, encoded(graph, new))  # a level stands in
    assert_allclose(run(graph, rows)["means"], laws.means, rtol=1e-5, atol=1e-5)
    assert_allclose(run(graph, rows)["standard_deviations"], laws.scales, rtol=1e-5)


@pytest.mark.parametrize(
    ("make", "tolerance"), [(MixtureDensityNetwork(**NETWORK), 1e-12), (BoostedDensity(**BOOST), 1e-5)]
)
def test_levels_of_no_weight(make: Any, tolerance: float) -> None:
    """Their indicators are constant in the rows that count."""
    frame, y = frame_of_levels(400)
    model = make.fit(frame, y, np.where(frame["colour"] == "red", 0.0, 1.0))
    out, laws = run(to_onnx(model), model._rows(frame)), model.predict_distribution(frame)
    assert_allclose(out["means"], laws.means, rtol=tolerance, atol=tolerance)
    assert_allclose(out["standard_deviations"], laws.scales, rtol=tolerance)


def test_without_onnx_a_sentence_says_what_to_install(run_python: Any) -> None:
    code = "import sys\nsys.modules['onnx'] = None\nfrom condens.export import to_onnx"
    done = run_python(code)
    assert done.returncode != 0
    assert "condens.export.to_onnx needs the package onnx: pip install onnx" in done.stderr
    assert sys.version_info >= (3, 11)
