"""Pictures of what matters show the numbers of the model."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from pictures import (
    QuadMesh,
    draw_and_close,  # noqa: F401  (a fixture)
    legend_texts,
    only,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from condens import LSCDE, SACDE, NadarayaWatson, plot

SPARSE = {"bandwidth": 0.5, "bandwidth_y": 0.3, "n_centers": 40}


@pytest.fixture(scope="module")
def planted():
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 5))
    return X, X[:, 1] + 0.5 * X[:, 3] + 0.3 * random.normal(size=200)


@pytest.fixture(scope="module")
def model(planted):
    return SACDE(**SPARSE, stability_resamples=4).fit(*planted)


def test_importances_are_bars_in_order(model):
    ax = plot.importances(model, top=3)
    assert_allclose([bar.get_width() for bar in ax.patches], np.sort(model.feature_importances_)[::-1][:3])
    assert next(label.get_text() for label in ax.get_yticklabels()) == "x2"
    assert "the 3 largest of 5" in ax.get_xlabel()
    assert legend_texts(ax) == ["share of half-samples"]


def test_importances_of_a_pipeline(planted):
    X, y = planted
    model = make_pipeline(StandardScaler(), NadarayaWatson()).fit(X, y)
    assert_allclose(
        [bar.get_width() for bar in plot.importances(model).patches],
        np.sort(model[-1].feature_importances_)[::-1],
    )


def test_path_shows_every_norm_and_the_choice(model):
    ax = plot.path(model, top=2)
    found = model.report_["details"]["path"]
    curves = [line for line in ax.lines if len(line.get_xdata()) == len(found["regularization"])]
    assert len(curves) == len(found["inputs"])
    assert_allclose(curves[0].get_xdata(), found["regularization"])
    assert legend_texts(ax)[:2] == ["x2", "x4"]
    assert "chosen" in legend_texts(ax)[-1]
    assert ax.xaxis_inverted()


def test_contribution_is_a_map(model, planted):
    ax = plot.contribution(model, *planted, feature="x2", grid=30, y_grid=40)
    mesh = only(ax, QuadMesh)
    x = np.linspace(planted[0][:, 1].min(), planted[0][:, 1].max(), 30)
    y = np.linspace(planted[1].min(), planted[1].max(), 40)
    assert_allclose(mesh.get_array().reshape(40, 30), model.contribution(1, x, y).T)
    assert ax.get_xlabel() == "x2"


def test_models_that_cannot_say_are_named(planted):
    plain = LSCDE(bandwidth=0.5, bandwidth_y=0.3, regularization=0.1).fit(*planted)
    with pytest.raises(ValueError, match="LSCDE has no feature_importances_"):
        plot.importances(plain)
    with pytest.raises(ValueError, match="LSCDE has no path"):
        plot.path(plain)
    with pytest.raises(TypeError, match="LSCDE is not additive"):
        plot.contribution(plain, *planted)


def test_bad_arguments_are_named(model, planted):
    with pytest.raises(ValueError, match="top = 0"):
        plot.importances(model, top=0)
    with pytest.raises(ValueError, match="feature = 'x9'"):
        plot.contribution(model, *planted, feature="x9")
