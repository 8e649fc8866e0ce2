"""The pages: every block of code has somebody who runs it, every link within the tree leads somewhere."""

from __future__ import annotations

import posixpath
import re
import subprocess
import sys
from pathlib import Path

import pytest
import tomllib

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs" / "code"))

import blocks  # noqa: E402


def test_every_block_of_code_is_run_or_says_why_not() -> None:
    listed = [block for page in blocks.pages() for block in blocks.blocks_of(page)]
    nobody = [
        f"{block.place}: `{block.language}`"
        for block in listed
        if not block.reason
        and block.language not in (*blocks.RUN, *blocks.SHOWN)
        and not blocks.OF_SPHINX.fullmatch(block.language)
    ]
    assert not nobody, (
        f"nobody runs these blocks; name one of the languages {', '.join(blocks.RUN)}, or say behind the language "
        "`not run: WHY`:\n" + "\n".join(nobody)
    )
    for page, test in blocks.RUN_ELSEWHERE.items():
        assert Path(page).name in (ROOT / test).read_text(), f"{test} does not run the blocks of {page}"
    assert sum(block.language in blocks.RUN and not block.reason for block in listed) > 60, "hardly a block was found"


@pytest.mark.parametrize(
    ("text", "language", "reason"),
    [
        ("```sh\nls\n```\n", "sh", ""),
        ("```sh not run: it takes hours\nls\n```\n", "sh", "it takes hours"),
        ("- a list\n\n  ```python\n  x = 1\n  ```\n", "python", ""),
        ("```\nx = 1\n```\n", "", ""),
    ],
)
def test_blocks_are_found(text: str, language: str, reason: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(text)
    (block,) = blocks.blocks_of(page)
    assert (block.language, block.reason) == (language, reason)
    assert block.text in ("ls\n", "x = 1\n")


def test_a_reason_is_shown_on_the_page() -> None:
    shown = blocks.with_reasons("```sh not run: it takes hours\nls\n```\n\n```python\nx = 1\n```\n")
    assert ":caption: Not run when this page is checked: it takes hours\n" in shown
    assert "```{code-block} sh\n" in shown
    assert "```python\nx = 1\n```" in shown


def pages_with_links() -> list[Path]:
    """Every page of Markdown that git keeps or would keep."""
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
        check=True, capture_output=True, text=True,
    ).stdout.split("\n")  # fmt: skip
    return [ROOT / name for name in listed if name and (ROOT / name).exists()]


def anchors_of(page: Path) -> set[str]:
    """The anchors of the headings, as GitHub and MyST make them."""
    headings = re.findall(r"^#{1,6} (.*)$", re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S), re.M)
    return {re.sub(r"[^\w\- ]", "", re.sub(r"[`*]", "", text).lower()).strip().replace(" ", "-") for text in headings}


def test_every_link_within_the_tree_leads_somewhere() -> None:
    lost = []
    for page in pages_with_links():
        text = re.sub(r"^( *)```.*?^\1```", "", page.read_text(), flags=re.M | re.S)
        for target, anchor in re.findall(r"\]\(([^)#\s]*)(#[^)\s]*)?\)", text):
            if re.match(r"[a-z]+:", target):
                continue
            file = Path(posixpath.normpath(page.parent / target)) if target else page
            written_by_sphinx = any((ROOT / "docs" / name) in file.parents for name in ("generated", "examples"))
            # A page may be named as Sphinx names it, without its ending.
            if not (file.exists() or written_by_sphinx):
                lost.append(f"{page.relative_to(ROOT)}: {target}")
            elif anchor and file.suffix == ".md" and file.exists() and anchor[1:] not in anchors_of(file):
                lost.append(f"{page.relative_to(ROOT)}: {target}{anchor}")
    assert not lost, "links that lead nowhere:\n" + "\n".join(lost)


def test_the_promise_names_the_versions_of_the_packages() -> None:
    promise = (ROOT / "docs" / "promise.md").read_text()
    python = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"].removeprefix(">=")
    r = re.search(r"R \(>= ([\d.]+)\)", (ROOT / "r" / "DESCRIPTION").read_text())
    cmake = re.search(r"cmake_minimum_required\(VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())
    assert r
    assert cmake
    for row in (f"| Python | {python} or later", f"| R | {r[1]} or later", f"| CMake | {cmake[1]} or later"):
        assert row in promise, f"docs/promise.md: expected '{row}'"


def test_the_paper_is_as_the_journal_wants_it() -> None:
    head, text = (ROOT / "paper" / "paper.md").read_text().removeprefix("---\n").split("\n---\n", 1)
    words = len(re.sub(r"^```.*?^```", "", text, flags=re.M | re.S).split())
    assert 750 <= words <= 1750, f"paper/paper.md has {words} words"
    cited = set(re.findall(r"@(\w+)", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)))
    keys = set(re.findall(r"^@\w+\{(\w+),", (ROOT / "paper" / "paper.bib").read_text(), re.M))
    assert cited == keys
    sections = re.findall(r"^# (.*)$", text, re.M)
    assert sections[:6] == [
        "Summary", "Statement of need", "State of the field", "Software design", "Research impact statement",
        "AI usage disclosure",
    ]  # fmt: skip
    assert all(
        f"\n{field}:" in "\n" + head for field in ("title", "tags", "authors", "affiliations", "date", "bibliography")
    )
