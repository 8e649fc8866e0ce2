"""Estimators of condens as a flavour of MLflow::

    import condens.mlflow
    condens.mlflow.log_model(model, name="geyser")
    condens.mlflow.load_model("models:/...")                     # the estimator
    mlflow.pyfunc.load_model("models:/...").predict(X, params={"quantiles": [0.05, 0.95]})

What is stored is the ordinary model file, which the command line, C++ and R read, too; nothing is pickled.
"""

from __future__ import annotations

import platform
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

try:
    import mlflow
    import yaml
    from mlflow.models import Model, ModelSignature
    from mlflow.types import ParamSchema, ParamSpec
except ImportError as error:
    raise ImportError("condens.mlflow needs mlflow: pip install 'condens[mlflow]'") from error

import condens
from condens._regressor import ConditionalDensityRegressor
from condens.estimators import load

__all__ = ["get_default_pip_requirements", "load_model", "log_model", "save_model"]

FLAVOR_NAME = "condens"
_FILE = "model.cbor"
_REQUIREMENTS = "requirements.txt"
_ENVIRONMENT = "python_env.yaml"


def get_default_pip_requirements() -> list[str]:
    """What an environment needs that serves a model: mlflow, condens and pandas, in the versions that run here."""
    import pandas

    versions = {"condens": condens.__version__, "mlflow": mlflow.__version__, "pandas": pandas.__version__}
    return [f"{name}=={version}" for name, version in versions.items()]


def save_model(
    model: ConditionalDensityRegressor,
    path: Any,
    *,
    mlflow_model: Model | None = None,
    signature: ModelSignature | None = None,
    input_example: Any = None,
    pip_requirements: list[str] | None = None,
    metadata: dict[str, Any] | None = None,
) -> None:
    """Write a fitted estimator as a model of MLflow, into a folder that is new or empty.

    Parameters
    ----------
    model : estimator of condens
        Fitted. Pipelines and searches are for `mlflow.sklearn`.
    path : path
        The folder.
    mlflow_model : mlflow.models.Model, optional
        What the flavour is added to; `log_model` gives it.
    signature : mlflow.models.ModelSignature, optional
        By default the parameters of `predict`, and the columns of the example.
    input_example : data frame or array, optional
        Some rows of X, stored beside the model.
    pip_requirements : list of str, optional
        By default those of `get_default_pip_requirements`.
    metadata : dict, optional
        What else is to be stored.

    Raises
    ------
    TypeError
        For what is no estimator of condens.
    FileExistsError
        When the folder holds something.
    OSError
        When it cannot be written.
    """
    if not isinstance(model, ConditionalDensityRegressor):
        raise TypeError(
            f"model is of type {type(model).__name__}, expected an estimator of condens; pipelines, searches and "
            "DistributionRegressor are for mlflow.sklearn"
        )
    check_is_fitted(model)
    folder = Path(path)
    if folder.exists() and any(folder.iterdir()):
        raise FileExistsError(f"{folder} holds something, expected a folder that is new or empty")
    folder.mkdir(parents=True, exist_ok=True)
    description = Model() if mlflow_model is None else mlflow_model
    description.signature = _signature_of(model, input_example) if signature is None else signature
    if metadata is not None:
        description.metadata = metadata
    if input_example is not None:
        from mlflow.models.utils import _save_example

        _save_example(description, input_example, str(folder))
    model.save(folder / _FILE)
    mlflow.pyfunc.add_to_model(description, loader_module=__name__, data=_FILE, python_env=_ENVIRONMENT)
    description.add_flavor(FLAVOR_NAME, condens_version=condens.__version__, data=_FILE, model=model._info["name"])
    description.save(str(folder / "MLmodel"))
    requirements = get_default_pip_requirements() if pip_requirements is None else pip_requirements
    (folder / _REQUIREMENTS).write_text("\n".join([*requirements, ""]), encoding="utf-8")
    environment = {"python": platform.python_version(), "dependencies": [f"-r {_REQUIREMENTS}"]}
    (folder / _ENVIRONMENT).write_text(yaml.safe_dump(environment, sort_keys=False), encoding="utf-8")


def log_model(
    model: ConditionalDensityRegressor, name: str, *, registered_model_name: str | None = None, **options: Any
) -> Any:
    """Store a fitted estimator in the current run of MLflow, which is begun where there is none.

    Parameters
    ----------
    model : estimator of condens
        Fitted.
    name : str
        Of the model in the run.
    registered_model_name : str, optional
        In the registry.
    **options
        Of `save_model`, and what `mlflow.models.Model.log` takes: params, tags, step.

    Returns
    -------
    mlflow.models.model.ModelInfo
        Whose `model_uri` `load_model` takes.
    """
    import condens.mlflow as flavor

    options |= {"registered_model_name": registered_model_name}
    return Model.log(artifact_path=None, name=name, flavor=flavor, model=model, **options)


def load_model(model_uri: str, dst_path: str | None = None) -> ConditionalDensityRegressor:
    """Read an estimator that `save_model` or `log_model` has written.

    Parameters
    ----------
    model_uri : str
        A folder, or a place that MLflow knows: "models:/...", "runs:/...".
    dst_path : str, optional
        An existing folder for what has to be downloaded.
    """
    folder = Path(mlflow.artifacts.download_artifacts(artifact_uri=str(model_uri), dst_path=dst_path))
    flavors = Model.load(str(folder)).flavors
    if FLAVOR_NAME not in flavors:
        raise ValueError(f"{model_uri} has the flavours {', '.join(flavors)}, expected {FLAVOR_NAME!r}: condens.mlflow")
    return load(folder / flavors[FLAVOR_NAME]["data"])


class _Predictions:
    """What `mlflow.pyfunc.load_model` gives."""

    def __init__(self, model: ConditionalDensityRegressor) -> None:
        self._model = model

    def get_raw_model(self) -> ConditionalDensityRegressor:
        """The estimator."""
        return self._model

    def predict(self, model_input: Any, params: dict[str, Any] | None = None) -> Any:
        """The mean of every row or, where `quantiles` or `interval` are among the parameters, `predict_table`."""
        asked = params or {}
        quantiles, interval = asked.get("quantiles", []), asked.get("interval") or None
        if not np.size(quantiles) and interval is None:
            return self._model.predict(model_input)
        return self._model.predict_table(model_input, quantiles, interval, kind="pandas")


def _load_pyfunc(path: str) -> _Predictions:
    """MLflow calls this with the model file."""
    return _Predictions(load(path))


def _signature_of(model: ConditionalDensityRegressor, example: Any) -> ModelSignature:
    """The parameters of `predict`, and inputs and outputs as an example has them."""
    # Nothing and zero are for what is not asked: a parameter of MLflow has a value.
    parameters = ParamSchema([ParamSpec("quantiles", "double", [], (-1,)), ParamSpec("interval", "double", 0.0)])
    if example is None:
        return ModelSignature(params=parameters)
    found = mlflow.models.infer_signature(example, model.predict(example))
    return ModelSignature(found.inputs, found.outputs, parameters)
