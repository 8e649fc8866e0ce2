"""What the tests of pictures share: a backend without a screen, data, and ways to read off what is drawn."""

from pathlib import Path

import numpy as np
import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

import matplotlib.pyplot as plt  # noqa: E402  (it needs the backend)
from matplotlib.collections import PolyCollection, QuadMesh  # noqa: E402

__all__ = [
    "DATA",
    "FIXED",
    "PolyCollection",
    "QuadMesh",
    "caption_of",
    "cells",
    "draw_and_close",
    "legend_texts",
    "lines_of",
    "matplotlib",
    "only",
    "plt",
    "read_frame",
    "read_geyser",
]

DATA = Path(__file__).parents[2] / "data"
# One candidate for every number: nothing is cross-validated.
FIXED = {"bandwidth": 0.5, "bandwidth_y": 0.3, "regularization": 0.1}


@pytest.fixture(autouse=True)
def draw_and_close():
    """Every picture is laid out and drawn, so that warnings of it are errors, too."""
    before = dict(matplotlib.rcParams)
    yield
    for number in plt.get_fignums():
        plt.figure(number).canvas.draw()
    plt.close("all")
    assert dict(matplotlib.rcParams) == before


def read_geyser():
    """Duration of eruptions, as a matrix of one column, and waiting times."""
    table = np.genfromtxt(DATA / "geyser.csv", delimiter=",", names=True)
    return table["duration"][:, None], table["waiting"]


def read_frame(name):
    return pytest.importorskip("pandas").read_csv(DATA / f"{name}.csv")


def only(ax, kind):
    (artist,) = [artist for artist in ax.get_children() if isinstance(artist, kind)]
    return artist


def cells(ax):
    """Values of the image, a row for each y; matplotlib 3.7 keeps them flat."""
    mesh = only(ax, QuadMesh)
    rows, columns, _ = mesh.get_coordinates().shape
    return mesh.get_array().reshape(rows - 1, columns - 1)


def legend_texts(ax):
    return [text.get_text().replace("\n", " ") for text in ax.get_legend().get_texts()]


def lines_of(ax, label):
    (line,) = [line for line in ax.lines if line.get_label() == label]
    return line.get_xdata(), line.get_ydata()


def caption_of(ax):
    """The small text below the label of x, as one line; empty where there is none."""
    return " ".join(text.get_text() for text in ax.texts if text.get_gid() == "caption").replace("\n", " ")
