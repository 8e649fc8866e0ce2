"""Settings of the documentation: python -m sphinx -W --keep-going -b html docs build/docs (no network needed)."""

from __future__ import annotations

import re
import warnings
from typing import Any

import condens

project = "condens"
author = "condens contributors"
project_copyright = author
version = release = condens.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_gallery.gen_gallery"]
exclude_patterns = ["gallery", "**/.ipynb_checkpoints"]

# Docstrings are NumPy's, their single backticks mean code.
default_role = "literal"
add_module_names = False
toc_object_entries_show_parents = "hide"
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the docstrings tell types and shapes
napoleon_google_docstring = False

nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 60

warnings.filterwarnings("error", category=condens.FitWarning)  # an example shall not show a fit with a fault
sphinx_gallery_conf = {
    "examples_dirs": ["gallery"],
    "gallery_dirs": ["examples"],
    "filename_pattern": r"/\w+\.py$",
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "notebook_extensions": set(),
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
    "remove_config_comments": True,
}

html_theme = "pydata_sphinx_theme"
html_title = "condens"
html_theme_options = {
    "navigation_with_keys": False,
    "show_prev_next": False,
    "secondary_sidebar_items": {
        page: ["page-toc"] for page in ("api", "contributing", "errata", "extending", "first-steps", "models/*")
    },
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_show_sourcelink = False
# Pages without pages below them.
html_sidebars = {page: [] for page in ("api", "errata", "first-steps", "installation")}


def _without_links_out(_app: Any, _page: str, source: list[str]) -> None:
    """Links to files outside docs/, which lead somewhere in a checkout only, become plain code."""
    source[0] = re.sub(r"\[([^]]+)\]\((?:\.\./)+(?!docs/|errata\.md)[^)]+\)", r"`\1`", source[0])


def _skip_metadata_routing(_app: Any, _what: str, name: str, _item: Any, skip: bool, _options: Any) -> bool | None:
    """Methods that scikit-learn gives every estimator, whose texts refer to pages of its own documentation."""
    of_routing = name == "get_metadata_routing" or re.fullmatch(r"set_\w+_request", name)
    return True if of_routing else None


def setup(app: Any) -> None:
    """Sphinx calls this."""
    app.connect("autodoc-skip-member", _skip_metadata_routing)
    app.connect("source-read", _without_links_out)
