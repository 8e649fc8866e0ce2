"""A model as a page for a browser."""

from __future__ import annotations

import base64
import os
from os import PathLike
from pathlib import Path

from sklearn.utils.validation import check_is_fitted

from condens._regressor import ConditionalDensityRegressor


def to_page(estimator: ConditionalDensityRegressor, path: str | PathLike[str]) -> None:
    """Write a page that any browser of 2023 or later opens: move the inputs, and see the distribution of y.

    The model is inside the one HTML file, which computes by the core's own code and needs no network; so do the
    people whom it is given. The file appears whole or not at all. Raises FileNotFoundError where this package was
    built without the page, OSError where the file cannot be written.
    """
    check_is_fitted(estimator)
    template = Path(__file__).parents[1] / "page.html"
    if not template.exists():
        raise FileNotFoundError(
            "condens.export.to_page: this package was built without the part that computes in a browser; install "
            "emscripten, then cmake --preset browser && cmake --build --preset browser, and pip install . again"
        )
    model = base64.b64encode(estimator._model.to_bytes()).decode()
    beside = Path(f"{os.fspath(path)}.part")
    try:
        beside.write_text(template.read_text(encoding="utf-8").replace("{{model}}", model), encoding="utf-8")
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
