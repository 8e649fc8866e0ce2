"""The page docs/integrations.md does what it shows: every section runs, as somebody pastes it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from conftest import REPOSITORY

pytestmark = pytest.mark.filterwarnings("default")  # what other packages say of each other is theirs
PAGE = (REPOSITORY / "docs" / "integrations.md").read_text(encoding="utf-8")
SECTIONS = {
    title: blocks
    for title, text in re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", PAGE, flags=re.MULTILINE | re.DOTALL)
    if (blocks := re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL))
}


def test_the_page_has_its_sections() -> None:
    assert len(SECTIONS) == 7
    assert sum(map(len, SECTIONS.values())) == PAGE.count("```python")


def test_the_page_names_the_versions_that_are_tried() -> None:
    text = (REPOSITORY / "python" / "environments.sh").read_text(encoding="utf-8")
    pinned = re.search(r"^integration_packages=\((.*?)\)", text, flags=re.MULTILINE | re.DOTALL)
    assert pinned is not None
    versions = dict(re.findall(r"([\w-]+)==([\w.]+)", pinned[1]))
    assert len(versions) > 10
    del versions["numpy"]  # what the others need
    table = "".join(line for line in PAGE.splitlines() if line.startswith("| ["))
    assert [name for name, version in versions.items() if version not in table] == []


@pytest.mark.parametrize("title", SECTIONS)
def test_blocks_of_a_section(title: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "data").mkdir()
    shutil.copy(REPOSITORY / "data" / "geyser.csv", tmp_path / "data")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", (tmp_path / "mlruns").as_uri())
    names: dict[str, Any] = {"__name__": "page"}
    for number, block in enumerate(SECTIONS[title], 1):
        exec(compile(block, f"docs/integrations.md, {title}, block {number}", "exec"), names)
