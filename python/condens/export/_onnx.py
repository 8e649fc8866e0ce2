"""Models as ONNX graphs: from the inputs to weights, means and standard deviations of the Gaussians.

Numbers of a model come from its file (estimators/mixture_density_network/network.hpp and estimators/boost.hpp say what
they are), and the graph computes in double precision. ONNX's trees return single precision.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from sklearn.utils.validation import check_is_fitted

from condens import _core
from condens._regressor import ConditionalDensityRegressor

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

OPERATORS = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)]
IR_VERSION = 8


class _Graph:
    """Nodes in the order in which they are computed; every node and constant is known by the name of its value."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def constant(self, value: Any) -> str:
        name = f"constant_{len(self.constants)}"
        kind = np.asarray(value).dtype.kind
        array = np.array(value, dtype=np.int64 if kind in "iu" else np.float64)
        self.constants.append(numpy_helper.from_array(array, name))
        return name

    def add(self, operator: str, *inputs: Any, name: str | None = None, domain: str = "", **attributes: Any) -> str:
        """`inputs`: names of values, or numbers."""
        given = [value if isinstance(value, str) else self.constant(value) for value in inputs]
        name = name or f"value_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, given, [name], domain=domain, **attributes))
        return name


def _value(document: Any) -> Any:
    """Matrices as arrays; a matrix of one column is a vector."""
    if not (isinstance(document, dict) and "shape" in document):
        return document
    rows, columns = document["shape"]
    out = np.array(document["values"], dtype=np.float64).reshape(columns, rows).T
    return out[:, 0] if columns == 1 else out


def _standardized(graph: _Graph, scale: dict[str, Any]) -> str:
    mean, size = (np.atleast_1d(_value(scale[name])) for name in ("mean", "scale"))
    kept = np.where(size == 0, 0.0, 1.0)
    ratio = graph.add("Div", graph.add("Sub", "x", mean), np.where(size == 0, 1.0, size))
    return graph.add("Mul", graph.add("Clip", ratio, -1e100, 1e100), kept)


def _scored(graph: _Graph, z: str, p: dict[str, Any]) -> str:
    """Beside the inputs the scores of some of them, piecewise linear through (knot, value)."""
    inputs = np.atleast_1d(_value(p.get("score_inputs", [])))
    if inputs.size == 0:
        return z
    parts = [z]
    knots, values = (_value(p[name]).reshape(-1, inputs.size) for name in ("score_knots", "score_values"))
    for at, knot, value in zip(inputs.astype(int), knots.T, values.T, strict=True):
        width = np.diff(knot)
        slope = np.divide(np.diff(value), width, out=np.zeros_like(width), where=width > 0)
        one = graph.add("Gather", z, np.array([at]), axis=1)
        risen = graph.add("Max", graph.add("Min", graph.add("Sub", one, knot[:-1]), width), np.zeros(1))
        parts.append(graph.add("Add", graph.add("MatMul", risen, slope[:, None]), value[0]))
    return graph.add("Concat", *parts, axis=1)


def _network(graph: _Graph, x: str, p: dict[str, Any], parameters: Floats, d_x: int, d_y: int) -> tuple[str, str, str]:
    """Logarithms of weights are not needed: weights (n, t), means and scales (n, t d_y), standardised."""
    options = p["options"]
    t, hidden = int(p["n_components"]), int(p["units"])
    spherical = options["covariance"] == "spherical"
    n_outputs = t * (1 + d_y + (1 if spherical else d_y))
    rest = parameters
    # Where the number of layers followed from the rows, it shows in that of parameters.
    in_ends = (d_x + 1) * hidden + (hidden + 1) * n_outputs + (d_x * t * d_y if options["skip"] else 0)
    layers = 1 + (parameters.size - in_ends) // ((hidden + 1) * hidden)

    def take(*shape: int) -> Floats:
        nonlocal rest
        count = int(np.prod(shape))
        out, rest = rest[:count].reshape(shape, order="F"), rest[count:]
        return out

    def affine(inputs: str, fan_in: int, fan_out: int) -> str:
        weights, biases = take(fan_in, fan_out), take(fan_out)
        return graph.add("Add", graph.add("MatMul", inputs, weights), biases)

    units, fan_in = x, d_x
    for layer in range(layers):
        out = graph.add("Tanh", affine(units, fan_in, hidden))
        units = graph.add("Add", out, units) if options.get("residual") and layer > 0 else out
        fan_in = hidden
    last = affine(units, hidden, n_outputs)
    logits, means, log_scales = (
        graph.add("Slice", last, np.array([begin]), np.array([end]), np.array([1]))
        for begin, end in ((0, t), (t, t + t * d_y), (t + t * d_y, n_outputs))
    )
    if options["skip"]:
        means = graph.add("Add", means, graph.add("MatMul", x, take(d_x, t * d_y)))
    scales = graph.add("Exp", graph.add("Min", log_scales, np.array([np.log(p["most_scale"])])))
    scales = graph.add("Add", scales, p["scale_floor"])
    if spherical and d_y > 1:
        scales = graph.add("MatMul", scales, np.kron(np.eye(t), np.ones((1, d_y))))
    return graph.add("Softmax", logits, axis=1), means, scales


def _mixture_network(graph: _Graph, p: dict[str, Any], d_y: int) -> tuple[str, str, str]:
    low, high = (np.atleast_1d(_value(p[name])) for name in ("x_low", "x_high"))
    z = graph.add("Min", graph.add("Max", _standardized(graph, p["x_scale"]), low), high)
    x = _scored(graph, z, p)
    d_x = low.size + np.atleast_1d(_value(p.get("score_inputs", []))).size
    parameters = _value(p["parameters"])
    members = [
        _network(graph, x, p, own, d_x, d_y)
        for own in np.atleast_2d(parameters.T if parameters.ndim > 1 else parameters)
    ]
    weights, means, scales = (graph.add("Concat", *parts, axis=1) for parts in zip(*members, strict=True))
    return graph.add("Div", weights, float(len(members))), means, scales


def _read_by_trees(graph: _Graph, p: dict[str, Any], inputs: Integers, trees: Integers) -> tuple[str, Integers]:
    """What nodes compare, and for each of them the column of it, where node k asks for inputs[k] in trees[k].

    Of a number that is its standardised value, of a category the place that the tree gives to the level: a column for
    every tree that asks. Places are whole numbers, and thresholds lie half-way: single precision tells them apart.
    """
    z = _standardized(graph, p["x_scale"])
    groups = np.atleast_1d(_value(p["groups"])).astype(np.int64)
    positions = _value(p["positions"]).reshape(groups.size, -1)
    mean, size = (np.atleast_1d(_value(p["x_scale"][name])) for name in ("mean", "scale"))
    _, first_row, n_rows = np.unique(groups, return_index=True, return_counts=True)
    columns, parts, width = first_row[inputs], [z], groups.size
    for category in np.flatnonzero(n_rows > 1):
        asks = inputs == category
        rows, own = np.flatnonzero(groups == category), np.unique(trees[asks])
        if own.size == 0:
            continue
        standardized = graph.add("Gather", z, rows, axis=1)
        indicators = graph.add("Add", graph.add("Mul", standardized, size[rows]), mean[rows])
        parts.append(graph.add("MatMul", indicators, positions[np.ix_(rows, own)]))
        columns[asks] = width + np.searchsorted(own, trees[asks])
        width += own.size
    return graph.add("Concat", *parts, axis=1), columns


def _sums_of_steps(graph: _Graph, p: dict[str, Any], d_y: int) -> str:
    """By ONNX's trees, whose targets 2 t and 2 t + 1 are the sums of steps of location and of log scale."""
    nodes, steps, roots, targets = (_value(p[name]) for name in ("nodes", "steps", "roots", "targets"))
    nodes, steps = nodes.reshape(3, -1), steps.reshape(2, -1)
    roots, targets = np.atleast_1d(roots).astype(int), np.atleast_1d(targets).astype(int)
    n_nodes = nodes.shape[1]
    inputs, following = nodes[0].astype(int), nodes[2].astype(int)
    # A tree's nodes follow its root.
    tree = np.searchsorted(roots, np.arange(n_nodes), side="right") - 1
    own = np.arange(n_nodes) - roots[tree]
    leaf = inputs < 0
    child = np.where(leaf, 0, following - roots[tree])
    leaves = np.flatnonzero(leaf)
    read, columns = _read_by_trees(graph, p, inputs, tree)
    thresholds = numpy_helper.from_array(np.where(leaf, 0.0, nodes[1]), "thresholds")
    attributes = {
        "n_targets": 2 * d_y,
        "nodes_treeids": tree.tolist(),
        "nodes_nodeids": own.tolist(),
        "nodes_featureids": np.where(leaf, 0, columns).tolist(),
        "nodes_modes": ["LEAF" if end else "BRANCH_LEQ" for end in leaf],
        "nodes_values_as_tensor": thresholds,
        "nodes_truenodeids": child.tolist(),
        "nodes_falsenodeids": np.where(leaf, 0, child + 1).tolist(),
        "target_treeids": np.repeat(tree[leaves], 2).tolist(),
        "target_nodeids": np.repeat(own[leaves], 2).tolist(),
        "target_ids": (2 * np.repeat(targets[tree[leaves]], 2) + np.tile([0, 1], leaves.size)).tolist(),
        "target_weights_as_tensor": numpy_helper.from_array(steps[:, following[leaves]].T.ravel(), "steps"),
    }
    return graph.add("TreeEnsembleRegressor", read, domain="ai.onnx.ml", **attributes)


def _boosted_trees(graph: _Graph, p: dict[str, Any], d_y: int) -> tuple[str, str, str]:
    sums = _sums_of_steps(graph, p, d_y)
    steps = graph.add("Div", graph.add("Cast", sums, to=TensorProto.DOUBLE), float(p["n_models"]))
    place = np.arange(0, 2 * d_y, 2)
    start, log_start, least, most = (
        np.atleast_1d(_value(p[name])) for name in ("location", "log_scale", "least_scale", "greatest_scale")
    )
    location = graph.add("Add", graph.add("Gather", steps, place, axis=1), start)
    log_scale = graph.add("Add", graph.add("Gather", steps, place + 1, axis=1), log_start)
    scale = graph.add("Exp", graph.add("Min", graph.add("Max", log_scale, np.log(least)), np.log(most)))
    weights = np.atleast_1d(_value(p["weights"]))
    means, scales = (_value(p[name]).reshape(d_y, -1) for name in ("means", "scales"))
    # Component k of target t: location + scale mean, scale sd; (n, K d_y) with targets side by side.
    repeat = np.tile(np.arange(d_y), weights.size)
    location, scale = (graph.add("Gather", value, repeat, axis=1) for value in (location, scale))
    ones = graph.add("Add", graph.add("Mul", graph.add("Gather", scale, np.array([0]), axis=1), 0.0), 1.0)
    return (
        graph.add("Mul", ones, weights / weights.sum()),
        graph.add("Add", location, graph.add("Mul", scale, means.T.ravel())),
        graph.add("Mul", scale, scales.T.ravel()),
    )


# By what a model's file has: a network's parameters, or trees whose leaves step location and log scale.
_WRITERS = [
    ({"n_components", "units", "most_scale", "parameters"}, _mixture_network),
    ({"roots", "nodes", "steps", "location", "log_scale"}, _boosted_trees),
]


def to_onnx(estimator: ConditionalDensityRegressor) -> onnx.ModelProto:
    """The model as an ONNX graph, for programs that run such graphs and know nothing of condens.

    Parameters
    ----------
    estimator : ConditionalDensityRegressor
        A fitted `MixtureDensityNetwork` or `BoostedDensity`, of a target of any real numbers.

    Returns
    -------
    onnx.ModelProto
        From `x`, (n, d) in double precision and on your scale, to `weights` (n, m), and `means` and
        `standard_deviations` (n, m), of several targets (n, m, targets): of the Gaussians whose mixture is the
        distribution of y. Write it by `onnx.save`. What the graph leaves out is how columns become numbers: its inputs
        are those of arrays, and of data frames the columns that `inputs` in its metadata names in order, indicators
        such as "sex=M" and parts of dates among them. Mixture density networks agree to rounding, boosted trees to
        single precision, in which ONNX's trees answer.

    Raises
    ------
    ValueError
        For other models, and for what a graph of these does not hold: other kinds of targets, calibrated
        distributions, missing inputs.
    """
    check_is_fitted(estimator)
    model = estimator._model
    p = json.loads(model.to_bytes(json=True))["body"]["density"]["parameters"]
    writers = [write for parts, write in _WRITERS if parts <= p.keys()]
    if not writers:
        raise ValueError(
            f"to_onnx: the model is a {type(estimator).__name__}, expected a MixtureDensityNetwork or a "
            "BoostedDensity: others are sums over training rows or other models; condens.export.to_page and "
            "save() take any"
        )
    if model.target_kind != "real":
        raise ValueError(
            f"to_onnx: target_kind = {model.target_kind!r}, expected 'real': ONNX has no such distributions"
        )
    if _core.calibration_map(model) is not None:
        raise ValueError("to_onnx: the distributions are calibrated, expected calibrate=False")
    if model.encoder.missing == "model":
        raise ValueError("to_onnx: missing = 'model' averages over what may be missing, expected 'error'")
    d_y = model.n_targets
    graph = _Graph()
    weights, means, scales = writers[0](graph, p, d_y)
    share = float(p["options"]["defensive_weight"])
    if share > 0:  # a broad Gaussian, everywhere the same
        broad = graph.add("Mul", graph.add("Slice", weights, np.array([0]), np.array([1]), np.array([1])), 0.0)
        wide = graph.add("MatMul", broad, np.ones((1, d_y)))
        mean, scale = (np.atleast_1d(_value(p[name])) for name in ("defensive_mean", "defensive_scale"))
        weights = graph.add("Concat", graph.add("Mul", weights, 1 - share), graph.add("Add", broad, share), axis=1)
        means = graph.add("Concat", means, graph.add("Add", wide, mean), axis=1)
        scales = graph.add("Concat", scales, graph.add("Add", wide, scale), axis=1)
    graph.add("Identity", weights, name="weights")
    y_mean, y_size = (np.atleast_1d(_value(p["y_scale"][name])) for name in ("mean", "scale"))
    shape = np.array([0, -1]) if d_y == 1 else np.array([0, -1, d_y])
    means, scales = (graph.add("Reshape", value, shape) for value in (means, scales))
    graph.add("Add", graph.add("Mul", means, y_size), y_mean, name="means")
    graph.add("Mul", scales, y_size, name="standard_deviations")
    names = model.encoder.encoded_names
    out = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "condens",
            [helper.make_tensor_value_info("x", TensorProto.DOUBLE, ["n", len(names)])],
            [
                helper.make_tensor_value_info("weights", TensorProto.DOUBLE, ["n", "m"]),
                *(
                    helper.make_tensor_value_info(name, TensorProto.DOUBLE, ["n", "m", *([d_y] if d_y > 1 else [])])
                    for name in ("means", "standard_deviations")
                ),
            ],
            initializer=graph.constants,
        ),
        opset_imports=OPERATORS,
        ir_version=IR_VERSION,
        producer_name="condens",
        producer_version=_core.version,
    )
    helper.set_model_props(out, {"inputs": json.dumps(names)})
    onnx.checker.check_model(out, full_check=True)
    return out
