"""The blocks of code in the pages: which there are, and who runs each of them.

A fenced block names its language. It is run, in the order of the page, by test_code.py beside this file, or by Sphinx
where it is a `{code-cell}`. A block that no check can run says so behind its language, and the built page shows why:

    ```sh not run: installs packages
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

RUN = ("python", "sh", "r", "cpp")  # by test_code.py
RUN_ELSEWHERE = {  # pages whose blocks another test runs: beside a server, in an environment of other packages
    "docs/integrations.md": "python/tests/integrations/test_page.py",
    "docs/serving.md": "python/tests/test_serve.py",
}
SHOWN = ("text", "json", "{literalinclude}", "{include}")  # no code, or that of a file that a test runs
OF_SPHINX = re.compile(r"\{(code-cell|eval-rst|toctree|py:module)\}")

FENCE = re.compile(
    r"^(?P<indent> *)(?P<ticks>`{3,})(?P<info>[^`\n]*)\n(?P<text>.*?)^(?P=indent)(?P=ticks) *$", re.M | re.S
)


@dataclass(frozen=True)
class Block:
    """A fenced block: `reason` is why it is not run, empty where it is."""

    page: Path
    line: int
    language: str
    reason: str
    text: str

    @property
    def place(self) -> str:
        """Page and line, for messages."""
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks_of(page: Path) -> list[Block]:
    """The blocks of a page, in their order."""
    text = page.read_text()
    out = []
    for found in FENCE.finditer(text):
        language, _, rest = found["info"].strip().partition(" ")
        _, mark, reason = rest.partition("not run: ")
        inside = re.sub(rf"^{found['indent']}", "", found["text"], flags=re.M)
        out.append(Block(page, text[: found.start()].count("\n") + 1, language, reason if mark else "", inside))
    return out


def pages() -> list[Path]:
    """All pages of Markdown in the tree, but for what is written by programs."""
    folders = [ROOT / name for name in ("docs", "reproduce", "packaging", "paper")]
    found = [*ROOT.glob("*.md"), *(page for folder in folders for page in folder.rglob("*.md"))]
    left_out = (ROOT / "docs" / "examples", ROOT / "docs" / "generated")
    return sorted(page for page in found if not any(place in page.parents for place in left_out))


def with_reasons(source: str) -> str:
    """The text of a page in which a block that is not run has its reason as a caption."""

    def captioned(found: re.Match[str]) -> str:
        language, _, reason = found["info"].strip().partition(" not run: ")
        if not reason:
            return found[0]
        head = f"{found['indent']}{found['ticks']}"
        caption = f"{found['indent']}:caption: Not run when this page is checked: {reason}"
        return f"{head}{{code-block}} {language}\n{caption}\n\n{found['text']}{head}"

    return FENCE.sub(captioned, source)
