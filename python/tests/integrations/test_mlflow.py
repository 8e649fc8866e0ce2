"""The flavour of MLflow: what is stored comes back, pyfunc predicts what the estimator does, all in a local folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mlflow
import numpy as np
import pandas as pd
import pytest
from conftest import QUICK, assert_same_model, make_data
from numpy.testing import assert_array_equal
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

import condens
import condens.mlflow
from condens import LSCDE

pytestmark = pytest.mark.filterwarnings("default")  # what other packages say of each other is theirs


@pytest.fixture(scope="module")
def frame() -> Any:
    return pd.DataFrame(make_data(60)[0], columns=["u", "v"])


@pytest.fixture(scope="module")
def model(frame: Any) -> LSCDE:
    return LSCDE(**QUICK).fit(frame, make_data(60)[1])


def test_a_folder_and_back(model: LSCDE, frame: Any, tmp_path: Path) -> None:
    condens.mlflow.save_model(model, tmp_path / "saved", metadata={"note": "x"})
    assert_same_model(condens.mlflow.load_model(str(tmp_path / "saved")), model)
    assert_same_model(condens.load(tmp_path / "saved" / "model.cbor"), model)  # the ordinary file
    requirements = (tmp_path / "saved" / "requirements.txt").read_text().splitlines()
    assert requirements == condens.mlflow.get_default_pip_requirements()
    assert f"condens=={condens.__version__}" in requirements
    stored = mlflow.models.Model.load(str(tmp_path / "saved"))
    assert stored.metadata == {"note": "x"}
    assert set(stored.flavors) == {"condens", "python_function"}
    assert not list((tmp_path / "saved").glob("*.pkl"))


def test_predictions_of_pyfunc(model: LSCDE, frame: Any, tmp_path: Path) -> None:
    condens.mlflow.save_model(model, tmp_path / "saved")
    served = mlflow.pyfunc.load_model(str(tmp_path / "saved"))
    assert_array_equal(served.predict(frame), model.predict(frame))
    table = served.predict(frame, params={"quantiles": [0.1, 0.5], "interval": 0.8})
    pd.testing.assert_frame_equal(table, model.predict_table(frame, [0.1, 0.5], 0.8))
    assert list(served.predict(frame, params={"interval": 0.8})) == ["mean", "std", "lower", "upper"]
    assert_same_model(served.get_raw_model(), model)
    with pytest.raises(ValueError, match="names"):
        served.predict(frame[["v", "u"]])


def test_a_run(model: LSCDE, frame: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLFLOW_TRACKING_URI", (tmp_path / "mlruns").as_uri())
    with mlflow.start_run() as run:
        mlflow.log_params(model.get_params())
        info = condens.mlflow.log_model(model, "density", registered_model_name="geyser", input_example=frame.head(2))
    assert_same_model(condens.mlflow.load_model(info.model_uri), model)
    assert_same_model(condens.mlflow.load_model(f"runs:/{run.info.run_id}/density"), model)
    assert_same_model(condens.mlflow.load_model("models:/geyser/1"), model)
    assert [column.name for column in info.signature.inputs] == ["u", "v"]
    assert_array_equal(mlflow.pyfunc.load_model("models:/geyser/1").predict(frame), model.predict(frame))
    with pytest.raises(mlflow.exceptions.MlflowException, match="missing inputs"):
        mlflow.pyfunc.load_model(info.model_uri).predict(frame[["u"]])


def test_categories_and_kinds_of_targets(tmp_path: Path) -> None:
    frame = pd.DataFrame({"u": make_data(60)[0][:, 0], "town": ["Bern", "Oslo"] * 30})
    model = LSCDE(**QUICK, target_kind="count").fit(frame, np.arange(60) % 5)
    condens.mlflow.save_model(model, tmp_path / "saved", input_example=frame.head(4))
    served = mlflow.pyfunc.load_model(str(tmp_path / "saved"))
    assert_array_equal(
        served.predict(frame, params={"quantiles": [0.9]})["q0.9"], model.predict_quantiles(frame, 0.9)[:, 0]
    )


def test_what_is_refused(model: LSCDE, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"model is of type Pipeline, expected an estimator of condens; pipelines"):
        condens.mlflow.save_model(make_pipeline(model), tmp_path / "a")
    with pytest.raises(NotFittedError):
        condens.mlflow.save_model(LSCDE(), tmp_path / "b")
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "note").write_text("mine")
    with pytest.raises(FileExistsError, match="holds something, expected a folder that is new or empty"):
        condens.mlflow.save_model(model, tmp_path / "c")
    assert [path.name for path in (tmp_path / "c").iterdir()] == ["note"]
    other = mlflow.models.Model()
    other.add_flavor("other", data="x")
    (tmp_path / "d").mkdir()
    other.save(str(tmp_path / "d" / "MLmodel"))
    with pytest.raises(ValueError, match="has the flavours other, expected 'condens'"):
        condens.mlflow.load_model(str(tmp_path / "d"))
