"""Runs the blocks of every page in their order: python -m pytest docs/code.

CONDENS_COMMAND is the command, CONDENS_R_LIBRARY a library of R that has the package, CONDENS_PREFIX where condens is
installed for C++. What is missing is an error in ./check (CONDENS_NO_SKIPS), else the page's blocks of it are skipped.
"""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import matplotlib as mpl
import pytest

sys.path.insert(0, str(Path(__file__).parent))
import blocks
import stage

MISSING = pytest.fail if os.environ.get("CONDENS_NO_SKIPS") else pytest.skip

# What stands before the first line of a page's R and C++.
R_STAGE = """options(warn = 1, condens.threads = 1)
library(condens)
test <- MASS::geyser[1:20, ]
"""
CPP_STAGE = """#include <condens/condens.hpp>
{includes}
int main() {{
  condens::RandomStream random(1);
  condens::Matrix x(1, 80), y(1, 80), new_x = condens::Matrix::Constant(1, 3, 0.5);
  for (condens::Index i = 0; i < 80; ++i) {{
    x(0, i) = random.uniform();
    y(0, i) = x(0, i) + 0.1 * random.normal();
  }}
{statements}
}}
"""

RUNNABLE = {
    page: [b for b in blocks.blocks_of(page) if b.language in blocks.RUN and not b.reason] for page in blocks.pages()
}
RUNNABLE = {
    page: found
    for page, found in RUNNABLE.items()
    if found and str(page.relative_to(blocks.ROOT)) not in blocks.RUN_ELSEWHERE
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with the tables of the pages, in which their code runs."""
    stage.write_tables(tmp_path, blocks.ROOT)
    monkeypatch.chdir(tmp_path)
    mpl.use("agg")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # tables of 240 rows, about which condens has to say this and that
        yield tmp_path


def shell(block: blocks.Block) -> None:
    """As in a terminal, but any command that fails is a failure."""
    command = os.environ.get("CONDENS_COMMAND") or MISSING(f"{block.place}: CONDENS_COMMAND is not set")
    path = f"{Path(command).parent}:{os.environ['PATH']}"
    run(block, ["bash", "-euo", "pipefail", "-c", block.text], {"PATH": path})


def r(found: list[blocks.Block]) -> None:
    """All of a page in one session."""
    library = os.environ.get("CONDENS_R_LIBRARY") or MISSING(f"{found[0].place}: CONDENS_R_LIBRARY is not set")
    text = R_STAGE + "".join(b.text for b in found)
    Path("page.R").write_text(text)
    run(found[0], ["Rscript", "--vanilla", "page.R"], {"R_LIBS": library})


def cpp(block: blocks.Block) -> None:
    """A whole program, or statements of one."""
    prefix = Path(os.environ.get("CONDENS_PREFIX") or MISSING(f"{block.place}: CONDENS_PREFIX is not set"))
    lines = block.text.splitlines()
    text = block.text
    if "int main(" not in text:
        parts = {
            "includes": "\n".join(line for line in lines if line.startswith("#include")),
            "statements": "\n".join(line for line in lines if not line.startswith("#include")),
        }
        text = CPP_STAGE.format(**parts)
    Path("program.cpp").write_text(text)
    library = next(prefix.rglob("libcondens.*")).parent
    flags = subprocess.run(
        ["pkg-config", "--cflags", "--libs", "condens"],
        env={**os.environ, "PKG_CONFIG_PATH": str(library / "pkgconfig")},
        check=True, capture_output=True, text=True,
    ).stdout.split()  # fmt: skip
    compiler = os.environ.get("CXX", "c++").split()
    run(block, [*compiler, "-std=c++20", "-O0", "program.cpp", *flags, f"-Wl,-rpath,{library}", "-o", "program"], {})
    run(block, ["./program"], {})


def run(block: blocks.Block, command: list[str], environment: dict[str, str]) -> None:
    """Fails with what the command said, and where the block stands."""
    done = subprocess.run(
        command, env={**os.environ, **environment}, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    if done.returncode != 0:
        pytest.fail(
            f"{block.place} ends with {done.returncode}:\n{block.text}\n{done.stdout}{done.stderr}", pytrace=False
        )


def python(found: list[blocks.Block]) -> None:
    """All of a page share their names."""
    names = stage.names()
    for block in found:
        # The empty lines give a traceback the line of the page.
        exec(compile("\n" * block.line + block.text, str(block.page), "exec"), names)


CASES = [(page, language) for page, found in RUNNABLE.items() for language in sorted({b.language for b in found})]


@pytest.mark.parametrize(("page", "language"), CASES, ids=[f"{p.relative_to(blocks.ROOT)}-{name}" for p, name in CASES])
@pytest.mark.usefixtures("place")
def test_code_of_a_page_runs(page: Path, language: str) -> None:
    found = [block for block in RUNNABLE[page] if block.language == language]
    if language == "python":
        python(found)
    elif language == "r":
        r(found)
    else:
        for block in found:
            {"sh": shell, "cpp": cpp}[language](block)
