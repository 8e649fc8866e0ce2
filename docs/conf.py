"""Settings of the documentation: python -m sphinx -W --keep-going -b html docs build/docs (no network needed)."""

from __future__ import annotations

import re
import sys
import warnings
from pathlib import Path
from typing import Any

import condens

sys.path.insert(0, str(Path(__file__).parent / "code"))  # our own extension: generated

project = "condens"
author = "condens contributors"
project_copyright = author
version = release = condens.__version__

extensions = [
    "myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_design", "sphinx_gallery.gen_gallery", "generated",
]  # fmt: skip
exclude_patterns = ["gallery", "code", "generated/command.md", "**/.ipynb_checkpoints"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3

# Docstrings are NumPy's, their single backticks mean code.
default_role = "literal"
add_module_names = False
toc_object_entries_show_parents = "hide"
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the docstrings tell types and shapes
napoleon_google_docstring = False

nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 300

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
html_title = f"condens {version}"
html_theme_options = {
    "navigation_with_keys": False,
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "header_links_before_dropdown": 4,
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_sidebars = {"index": []}


def _skip_metadata_routing(_app: Any, _what: str, name: str, _item: Any, skip: bool, _options: Any) -> bool | None:
    """Methods that scikit-learn gives every estimator, whose texts refer to pages of its own documentation."""
    of_routing = name == "get_metadata_routing" or re.fullmatch(r"set_\w+_request", name)
    return True if of_routing else None


def setup(app: Any) -> None:
    """Sphinx calls this."""
    app.connect("autodoc-skip-member", _skip_metadata_routing)
