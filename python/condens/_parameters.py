"""From the core's option tables to signatures, docstrings and checked option values.

Nothing here knows a model: whatever the registry of the core lists becomes keyword arguments. An argument
that is None takes the value of the preset.
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Mapping, Sequence
from types import FunctionType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from condens import _core
from condens._arrays import as_float64, as_rows, draw_seed

Info = dict[str, Any]
Floats = NDArray[np.float64]

_TYPES = {
    "boolean": "bool",
    "integer": "int",
    "number": "float",
    "text": "str",
    "texts": "str or list of str",
    "numbers": "float or list of float",
    "matrix": "array of shape (k, d)",
    "options": "dict, or estimator of condens",
}

# An option of this name holds the name of a model; an estimator stands for the name, its preset and its options.
_MODEL = "model"

# One of this name holds the names of several models; the options of estimators given in it are set under these names.
_MODELS = "models"

_FOLDS = "int, array of int, or splitter or splits of scikit-learn"

# Arguments that every estimator has, beside the options of its model.
COMMON: dict[str, tuple[Any, str, str]] = {
    "target_kind": (
        "real",
        "{'real', 'auto', 'positive', 'bounded:LOW,HIGH', 'count', 'ordinal', 'with-atoms'}",
        "What kind of number y is; for other kinds than real numbers distributions are `TargetDistributions`, with no "
        "probability where y cannot be, `pmf` and `mass_at`. auto is what the values look like.",
    ),
    "missing": (
        "error",
        "{'error', 'indicator', 'model'}",
        "What becomes of missing inputs (NaN, None, empty texts), in `fit` and in predictions. error: refused. model: "
        "the distribution is the mean over what they may be, given the inputs that are there. "
        "indicator: the median stands in for a number, an input of its own says so, and a missing level is a level.",
    ),
    "many_levels": (
        "statistics",
        "{'statistics', 'indicators'}",
        "What categories of more than 20 levels become, in data frames: statistics of y among the rows of a level, out "
        "of fold in the fit, or one indicator for each level.",
    ),
    "rare_levels": (
        None,
        "int or None",
        "Levels of fewer rows become one, (other). None is 5 in inputs of more than 10 levels.",
    ),
    "unseen": (
        "automatic",
        "{'automatic', 'error', 'other'}",
        "What becomes of levels that come up in prediction only: automatic takes them as (other), or as all rows where "
        "levels are statistics, and refuses them else; other lets the most frequent level stand in there.",
    ),
    "conformal": (
        False,
        "bool, or dict with 'share', or 'method' and 'folds', and 'groups'",
        "Intervals with a guarantee: `predict_interval` and `predict_region` hold y with the probability that they "
        "say, whatever the model, on average over new rows from the same source. A share of the rows (True: 0.25) is "
        "left out of the fit; with {'method': 'cv+', 'folds': 10} none is, but a model more is fitted without each "
        "fold ('jackknife+': without each row). 'groups' names a column of X, a category or a number of few values: "
        "the promise is kept within each of its groups.",
    ),
    "calibrate": (
        False,
        "bool, or dict with 'share'",
        "Leave a share of the rows (True: 0.25) out of the fit, by which the distributions are calibrated: a rising "
        "map of their distribution functions makes the PIT values of these rows uniform (Kuleshov, Fenner and Ermon "
        "2018).",
    ),
    "bootstrap": (
        0,
        "int, or dict with 'replicates' and 'method'",
        "Number of times that the model is fitted again to rows drawn with replacement, its tuning kept, so that "
        "`predict_bands` tells error bars of whatever is asked; 100 is usual. The method is 'refit', or 'delta': by "
        "first derivatives at the fit, which takes no more time than the fit, where the model has them.",
    ),
    "random_state": (
        None,
        "int, numpy.random.Generator, RandomState or None",
        "Seed of everything random: centres and folds. None is the preset's seed, so that fits are reproducible.",
    ),
    "n_jobs": (
        None,
        "int or None",
        "Number of threads, which does not change the result. None is all cores, but one in a worker of joblib, such "
        "as that of a grid search with n_jobs, and the number of a joblib context; -1 is all cores, always.",
    ),
    "verbose": (False, "bool", "Show progress of `fit`, by tqdm where that is installed."),
    "callback": (
        None,
        "callable or None",
        "Called as `callback(task, fraction)` a few times a second during `fit`; returning False cancels it.",
    ),
}


def defaults(info: Info) -> dict[str, Any]:
    """Every argument of the estimator with its default, in order."""
    options = {option["name"]: None for option in info["options"] if option["name"] != "seed"}
    return {"preset": info["presets"][0], **options, **{name: default for name, (default, _, _) in COMMON.items()}}


def signature(info: Info) -> inspect.Signature:
    """The signature of __init__: keywords only."""
    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    keywords = (
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
        for name, default in defaults(info).items()
    )
    return inspect.Signature([own, *keywords])


def named(function: FunctionType, name: str) -> FunctionType:
    """A copy that messages call `name`, not by the class that it was written for."""
    copy = FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    copy.__kwdefaults__, copy.__doc__, copy.__annotations__ = (
        function.__kwdefaults__,
        function.__doc__,
        function.__annotations__,
    )
    copy.__qualname__ = name
    return copy


def _bounds_text(bounds: Info) -> str:
    low, high = bounds["low"], bounds["high"]
    if low is None and high is None:
        return ""
    if high is None:
        return f"{'>' if bounds['low_open'] else '>='} {low:g}"
    return f"in {'(' if bounds['low_open'] else '['}{low:g}, {high:g}{')' if bounds['high_open'] else ']'}"


def _value_text(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(_value_text(v) for v in value) + "]"
    if isinstance(value, np.ndarray):
        return "none"
    if isinstance(value, dict):
        return "{}" if not value else "the model's own"
    return f"{value:g}" if isinstance(value, float) else repr(value)


def _entry(head: str, text: str) -> str:
    filled = textwrap.fill(text, 108, break_long_words=False, break_on_hyphens=False)
    return f"{head}\n" + textwrap.indent(filled, "    ")


def _option_entry(option: Info, presets: list[str]) -> str:
    types = {**_TYPES, **({"numbers": _FOLDS} if option["name"] == "cv" else {})}
    if option["name"] == _MODEL:
        types["text"] = "str, or estimator of condens"
    if option["name"] == _MODELS:
        types["texts"] = "str, or list of str and estimators of condens"
    kind = "{" + ", ".join(map(repr, option["choices"])) + "}" if option["choices"] else types[option["type"]]
    bounds = _bounds_text(option["bounds"])
    values = {preset: _value_text(option["defaults"][preset]) for preset in presets}
    if len(set(values.values())) == 1:
        chosen = f"None is {values[presets[0]]}."
    else:
        chosen = "None is " + "; ".join(f"{value} ({preset})" for preset, value in values.items()) + "."
    head = ", ".join(filter(None, [f"{option['name']} : {kind}", bounds, "optional"]))
    return _entry(head, f"{option['text']} {chosen}")


def _attribute(result: Info) -> str:
    """The name of an attribute, and its shape."""
    return f"{result['name']}_" + (f" : array of shape {result['shape']}" if result["shape"] else "")


# Attributes that Python has beside those of the core, by what a model can do.
_OF_CAPABILITY = {
    "has_states": _entry(
        "coef_, intercept_ : arrays of shape (n_states, n_features) and (n_states,)",
        "The parts of `state_coef_`. Not there with hidden layers or categories.",
    ),
}


def docstring(info: Info) -> str:
    """NumPy's form, from the texts of the core."""
    presets = ", ".join(map(repr, info["presets"]))
    parameters = [
        _entry(
            f"preset : {{{presets}}}, default {info['presets'][0]!r}",
            "Where arguments that are None take their values from.",
        ),
        *(_option_entry(option, info["presets"]) for option in info["options"] if option["name"] != "seed"),
        *(_entry(f"{name} : {kind}, default {default!r}", text) for name, (default, kind, text) in COMMON.items()),
    ]
    attributes = [
        *(_entry(_attribute(result), result["text"]) for result in info["results"]),
        *(text for capability, text in _OF_CAPABILITY.items() if capability in info["capabilities"]),
        _entry(
            "x_mean_, x_scale_, y_mean_, y_scale_ : arrays of shape (n_inputs,) and (n_targets,)",
            "What the standardised scale is made by: `(X - x_mean_) / x_scale_`. Means 0 and scales 1 where nothing is "
            "standardised here, scale 0 of an input that is constant or left out. A category is an input for each of "
            "its levels.",
        ),
        _entry(
            "cv_results_ : dict of arrays",
            "What model selection compared, in the form of GridSearchCV; greater scores are better. Of "
            "cross-validation with up to 20 folds it has split0_test_score, split1_test_score, ... Empty without a "
            "choice.",
        ),
        "report_ : dict\n    The core's own account of the fit: status, warnings, details.",
        "n_features_in_ : int\n    Number of columns of X.",
        "feature_names_in_ : array of str\n    Names of the columns of X, where X was a data frame.",
    ]
    return "\n".join(
        [
            info["title"],
            "",
            "Parameters",
            "----------",
            *parameters,
            "",
            "Attributes",
            "----------",
            *attributes,
            "",
            "References",
            "----------",
            f"{info['source']}; docs/models/{info['name']}.md.",
        ]
    )


def _plain(value: Any, option: Info) -> Any:
    """A value as the core reads it; what it cannot be is left for the core to refuse."""
    if option["type"] == "matrix":
        array = as_rows(as_float64(value, option["name"]))
        if array.ndim != 2 or array.size == 0:
            raise ValueError(f"{option['name']} has shape {array.shape}, expected at least one row, each with numbers")
        return array
    if option["type"] == "numbers" and not isinstance(value, str):
        array = np.asarray(value)
        if array.ndim > 1:
            raise ValueError(f"{option['name']} has {array.ndim} dimensions, expected a number or a list of numbers")
        return as_float64(np.atleast_1d(array), option["name"]).tolist()
    if option["type"] == "texts" and isinstance(value, (tuple, np.ndarray)):
        return list(value)
    return value.item() if isinstance(value, np.generic) else value


def _fold_numbers(cv: Any, x: Floats, y: Floats) -> Any:
    """The fold of every row where `cv` is a splitter of scikit-learn or a list of (train, test); else `cv`."""
    pairs = isinstance(cv, (list, tuple)) and len(cv) > 0 and all(isinstance(p, tuple) and len(p) == 2 for p in cv)
    if not hasattr(cv, "split") and not pairs:
        return cv
    fold = np.full(len(x), -1)
    for k, (train, test) in enumerate(cv.split(x, y) if hasattr(cv, "split") else cv):
        rest = np.setdiff1d(np.arange(len(x)), test)
        if (fold[test] >= 0).any() or not np.array_equal(np.sort(train), rest):
            break
        fold[test] = k
    if (fold < 0).any():
        raise ValueError(
            "cv: expected splits that test every row once and train on all others, as those of KFold; "
            "or a number of folds, or the fold number of every row"
        )
    return fold


def chosen_options(info: Info, estimator: Any, x: Floats, y: Floats) -> dict[str, Any]:
    """What the estimator's arguments say about a fit to (x, y), without those that are None."""
    if not isinstance(estimator.preset, str) or estimator.preset not in info["presets"]:
        error = ValueError if isinstance(estimator.preset, str) else TypeError
        raise error(f"preset = {estimator.preset!r}, expected one of {', '.join(map(repr, info['presets']))}")
    out: Info = {}
    for option in info["options"]:
        name = option["name"]
        value = getattr(estimator, "random_state" if name == "seed" else name)
        if name == "cv":
            value = _fold_numbers(value, x, y)
        if value is None:
            continue
        if option["type"] == "options":
            table = option.get("options") or _inner_table(info, out)
            out[name] = _inner_options(name, value, table, x, y)
        elif name == _MODEL and hasattr(value, "_info"):
            _need_real(name, value)
            # A preset or options beside the estimator come later in the table, and win.
            out |= {name: value._info["name"], "model_preset": value.preset}
            out["options"] = chosen_options(value._info, value, x, y)
        elif name == _MODELS and not isinstance(value, str):
            out |= _members(_plain(value, option), _model_preset(info, estimator), x, y)
        else:
            out[name] = draw_seed(value) if name == "seed" else _plain(value, option)
    return out


def kind_text(target_kind: Any) -> str:
    """The kind of the target, for the core to read."""
    if not isinstance(target_kind, str):
        raise TypeError(f"target_kind = {target_kind!r}, expected a text such as 'real' or 'count'")
    return target_kind


def takes_missing(missing: Any, check: bool = True) -> bool:
    """Whether inputs may be missing."""
    if check and missing not in ("error", "indicator", "model"):
        raise ValueError(f"missing = {missing!r}, expected 'error', 'indicator' or 'model'")
    return bool(missing in ("indicator", "model"))


def replicate_settings(bootstrap: Any) -> dict[str, Any]:
    """The number of bootstrap replicates, and how they are made."""
    count, method = bootstrap, "refit"
    if isinstance(bootstrap, Mapping) and set(bootstrap) <= {"replicates", "method"}:
        count, method = bootstrap.get("replicates", 100), bootstrap.get("method", "refit")
    if isinstance(count, (bool, np.bool_)) or not isinstance(count, (int, np.integer)) or not isinstance(method, str):
        raise TypeError(
            f"bootstrap = {bootstrap!r}, expected a number of replicates, such as 100, 0, or a dict with 'replicates' "
            "and 'method'"
        )
    return {"n_replicates": int(count), "replicate_method": method}


def calibrate_share(calibrate: Any) -> float:
    """The share of the rows that `calibrate` leaves out of the fit."""
    if isinstance(calibrate, (bool, np.bool_)):
        return 0.25 if calibrate else 0.0
    if not isinstance(calibrate, Mapping) or set(calibrate) - {"share"}:
        raise TypeError(
            f"calibrate = {calibrate!r}, expected False, True, or a dict with 'share', such as {{'share': 0.2}}"
        )
    share = float(calibrate.get("share", 0.25))
    if not 0.0 < share < 1.0:
        raise ValueError(f"calibrate: share = {share}, expected a number in (0, 1)")
    return share


_CONFORMAL = ("share", "method", "folds", "groups")


def conformal_settings(conformal: Any, names: Sequence[str]) -> dict[str, Any]:
    """What `conformal` asks of the core's fit; `names` are those of the columns of X."""
    if isinstance(conformal, (bool, np.bool_)):
        return {"conformal_share": 0.25 if conformal else 0.0}
    if not isinstance(conformal, Mapping) or set(conformal) - set(_CONFORMAL):
        raise TypeError(
            f"conformal = {conformal!r}, expected False, True, or a dict with 'share', 'method', 'folds', 'groups', "
            "such as {'share': 0.2} or {'method': 'cv+', 'folds': 10, 'groups': 'city'}"
        )
    method, folds, groups = conformal.get("method", "split"), conformal.get("folds", 10), conformal.get("groups")
    if method not in ("split", "cv+", "jackknife+"):
        raise ValueError(f"conformal: method = {method!r}, expected 'split', 'cv+' or 'jackknife+'")
    if "folds" in conformal and method != "cv+":
        raise ValueError(f"conformal: folds = {folds!r} with method = {method!r}, expected method = 'cv+'")
    if isinstance(folds, bool) or not isinstance(folds, (int, np.integer)):
        raise TypeError(f"conformal: folds = {folds!r}, expected a whole number >= 2")
    if "share" in conformal and method != "split":
        raise ValueError(
            f"conformal: share = {conformal['share']!r} with method = {method!r}, which leaves no rows out"
        )
    share = float(conformal.get("share", 0.25)) if method == "split" else 0.0
    if method == "split" and not 0.0 < share < 1.0:
        raise ValueError(f"conformal: share = {share}, expected a number in (0, 1)")
    return {
        "conformal_share": share,
        "conformal_method": method,
        "conformal_folds": int(folds),
        "conformal_groups": "" if groups is None else _column_name(groups, names),
    }


def _column_name(column: Any, names: Sequence[str]) -> str:
    """The name of a column of X, given by itself or by its place; names that there are not the core refuses."""
    if isinstance(column, (int, np.integer)) and not isinstance(column, bool):
        if not 0 <= column < len(names):
            raise ValueError(f"conformal: groups = {column}, expected a column of X, 0 to {len(names) - 1}")
        return names[int(column)]
    if not isinstance(column, str):
        raise TypeError(f"conformal: groups = {column!r}, expected the name of a column of X, or its place")
    return column


def _need_real(name: str, inner: Any) -> None:
    """Refuses an estimator inside another that would be of another kind of target."""
    if inner.missing != "error":
        raise ValueError(
            f"{name} has an estimator with missing = {inner.missing!r}, expected 'error': it is for the "
            "estimator around it"
        )
    if inner.conformal:
        raise ValueError(
            f"{name} has an estimator with conformal = {inner.conformal!r}, expected False: it is for the "
            "estimator around it"
        )
    if inner.calibrate:
        raise ValueError(
            f"{name} has an estimator with calibrate = {inner.calibrate!r}, expected False: it is for the "
            "estimator around it"
        )
    if inner.bootstrap:
        raise ValueError(
            f"{name} has an estimator with bootstrap = {inner.bootstrap!r}, expected 0: it is for the "
            "estimator around it"
        )
    if inner.target_kind != "real":
        raise ValueError(
            f"{name} has {type(inner).__name__}(target_kind={inner.target_kind!r}), expected 'real': "
            "give target_kind to the estimator around it"
        )


def _members(members: Any, preset: str, x: Floats, y: Floats) -> Info:
    """Names of models, and the options of those that are given as estimators, to be set beside `preset`."""
    if not isinstance(members, list):
        raise TypeError(f"{_MODELS} = {members!r}, expected a list of names of models, or of estimators of condens")
    names, options = [], {}
    for member in members:
        if not hasattr(member, "_info"):
            names.append(member)
            continue
        _need_real(_MODELS, member)
        own = member._info
        if own["name"] in options:
            raise ValueError(f"{_MODELS} has two of type {type(member).__name__}, expected different ones")
        names.append(own["name"])
        given = chosen_options(own, member, x, y)
        options[own["name"]] = given if member.preset == preset else _values_of(own, member.preset) | given
    return {_MODELS: names, "options": {name: given for name, given in options.items() if given}}


def _model_preset(info: Info, estimator: Any) -> str:
    """The preset of the models that the options name."""
    preset: str = estimator.model_preset or next(
        option["defaults"][estimator.preset] for option in info["options"] if option["name"] == "model_preset"
    )
    return preset


def _values_of(info: Info, preset: str) -> Info:
    """Every value of a preset but the seed, which is for the outer model to set."""
    return {option["name"]: option["defaults"][preset] for option in info["options"] if option["name"] != "seed"}


def _inner_table(info: Info, chosen: Info) -> list[Info]:
    """The options of the model that the options so far, or else the default, name; those of several by their names."""
    names = {option["name"]: option["defaults"][info["presets"][0]] for option in info["options"]} | chosen
    if _MODELS in names:
        models = names[_MODELS]
        return [
            {"name": name, "options": _options_of(_core.model_of_member(name))}
            for name in ([models] if isinstance(models, str) else models)
        ]
    return _options_of(names.get(_MODEL))


def _options_of(model: Any) -> list[Info]:
    """The option table of a model; empty for a name that there is not, which the core refuses."""
    return next((info["options"] for info in _core.models() if info["name"] == model), [])


def _inner_options(name: str, value: Any, table: list[Info], x: Floats, y: Floats) -> Info:
    """Options of another model: those that are named, or all that an estimator stands for."""
    if hasattr(value, "_info"):
        _need_real(name, value)
        info = value._info
        if [inner["name"] for inner in table] != [inner["name"] for inner in info["options"]]:
            raise TypeError(f"{name} is of type {type(value).__name__}, whose options are not those of {name}")
        preset = {inner["name"]: inner["defaults"][value.preset] for inner in info["options"]}
        return preset | chosen_options(info, value, x, y)
    if not isinstance(value, Mapping):
        raise TypeError(f"{name} = {value!r}, expected a dict of options with their values, or an estimator of condens")
    known = {inner["name"]: inner for inner in table}
    out = {}
    for key, item in value.items():
        entry = known.get(key, {"type": "unknown"})  # which the core refuses
        if item is None:
            continue
        out[key] = _inner_options(key, item, entry["options"], x, y) if "options" in entry else _plain(item, entry)
    return out


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_same(a[name], b[name]) for name in a)
    return bool(np.array_equal(a, b))


def parameters_of(info: Info, options: Info) -> dict[str, Any]:
    """The inverse of chosen_options: the nearest preset, and the arguments that differ from it."""

    def different(preset: str) -> dict[str, Any]:
        defaults = {option["name"]: option["defaults"][preset] for option in info["options"]}
        return {
            ("random_state" if name == "seed" else name): value for name, value in _changed(options, defaults).items()
        }

    preset = min(info["presets"], key=lambda name: len(different(name)))
    return {"preset": preset, **different(preset)}


def _changed(options: Info, defaults: Info) -> Info:
    """What differs from the defaults; of options inside an option, those that do."""
    return {
        name: _changed(value, defaults[name]) if isinstance(value, dict) and defaults[name] else value
        for name, value in options.items()
        if not _same(value, defaults[name])
    }
