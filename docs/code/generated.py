"""A Sphinx extension: pages that are read from elsewhere in the tree, and never typed again.

Before a build it writes below docs/generated/: the help of every verb of the command (CONDENS_COMMAND), the public C++
headers, the pages of the R package (by R's own tools), and the committed records of measurements and reproductions.
"""

from __future__ import annotations

import html
import json
import os
import posixpath
import re
import subprocess
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import blocks

ROOT = blocks.ROOT
DOCS = ROOT / "docs"
PLACE = DOCS / "generated"

# Pages of the tree that are pages of the site, too.
RECORDS = [*sorted((ROOT / "benchmarks").glob("*.md")), *sorted((ROOT / "reproduce").glob("*/RESULTS.md"))]
RECORDS += [ROOT / "reproduce" / "lscde" / "ROBOTS.md", *sorted((ROOT / "reproduce").glob("*/ITEMS.md"))]
PROJECT = [ROOT / "CHANGELOG.md", ROOT / "SECURITY.md"]


def page_of(file: Path) -> Path:
    """Where a page of the tree stands in docs/."""
    name = "-".join(file.relative_to(ROOT).with_suffix("").parts).lower()
    return PLACE / ("records" if file in RECORDS else "project") / f"{name}.md"


# --- links ------------------------------------------------------------------------------------------------------------


def with_links_of_the_site(text: str, source: Path, page: Path) -> str:
    """Links of a page that stands at `source` and is shown at `page`: what the site has not becomes plain code."""

    def leads(found: re.Match[str]) -> str:
        mark, label, target, place = found["mark"], found["label"], found["target"], found["place"] or ""
        if re.match(r"[a-z]+:", target) or not target:
            return found[0]
        file = Path(posixpath.normpath(source.parent / target))
        if mark:
            return f"![{label}]({os.path.relpath(file, page.parent)})"
        if file in (*RECORDS, *PROJECT):
            file = page_of(file)
        elif not file.is_relative_to(DOCS) or file.is_dir():
            return label if "`" in label else f"`{label}`"
        return f"[{label}]({os.path.relpath(file, page.parent)}{place})"

    return re.sub(r"(?P<mark>!?)\[(?P<label>[^]\n]*)\]\((?P<target>[^)#\s]*)(?P<place>#[^)\s]*)?\)", leads, text)


# --- pages ------------------------------------------------------------------------------------------------------------


def records() -> Iterator[tuple[Path, str]]:
    """Committed records, as they stand."""
    for file in (*RECORDS, *PROJECT):
        if file.exists():
            yield page_of(file), with_links_of_the_site(file.read_text(), file, page_of(file))


def command_help() -> Iterator[tuple[Path, str]]:
    """What the command says of itself."""
    command = os.environ.get("CONDENS_COMMAND")
    if not command:
        raise RuntimeError("CONDENS_COMMAND is not set, expected the condens command, whose help is a page")

    def said(*arguments: str) -> str:
        return subprocess.run([command, *arguments], check=True, capture_output=True, text=True).stdout.rstrip()

    overview = said("--help")
    verbs = re.findall(r"^  (\w+) {3,}\w", overview[overview.index("Subcommands:") :], re.M)
    text = f"## `condens`\n\n{as_tables(overview)}"
    for verb in verbs:
        text += f"\n## `condens {verb}`\n\n{as_tables(said(verb, '--help'))}"
    yield PLACE / "command.md", text


def as_tables(said: str) -> str:
    """A help text: its options as tables, which fit on a phone, all else as it stands."""
    text = ""
    for part in re.split(r"\n\n+", said):
        lines = part.split("\n")
        options = [re.fullmatch(r"  (\S.*?) {2,}(\S.*)", line) for line in lines[1:] or lines]
        if lines[0].startswith("Usage:"):
            text += f"```text\n{part.removeprefix('Usage: ')}\n```\n\n"
        elif all(options):
            title = f"**{lines[0].removesuffix(':')}**\n\n" if len(lines) > 1 else ""
            rows = [[cell.replace("|", r"\|") for cell in option.groups()] for option in options if option]
            prose = [re.sub(r"([*_<>\[\]])", r"\\\1", words) for _, words in rows]
            table = "".join(f"| `{name}` | {words} |\n" for (name, _), words in zip(rows, prose, strict=True))
            text += f"{title}| | |\n|---|---|\n{table}\n"
        elif lines[0].endswith(":") and len(lines) > 1:
            code = "\n".join(line.removeprefix("  ") for line in lines[1:])
            text += f"**{lines[0].removesuffix(':')}**\n\n```text\n{code}\n```\n\n"
        else:
            text += f"{part}\n\n"
    return text


def r_pages() -> Iterator[tuple[Path, str]]:
    """The package's own help, which R turns into HTML."""
    program = r"""
      for (file in commandArgs(TRUE)) {
        rd <- suppressWarnings(tools::parse_Rd(file))
        title <- trimws(paste(unlist(Filter(function(x) identical(attr(x, "Rd_tag"), "\\title"), rd)), collapse = ""))
        cat("\n=== ", basename(file), "\t", title, "\n", sep = "")
        suppressWarnings(tools::Rd2HTML(rd, stages = c("build", "install", "render"), package = "condens"))
      }"""
    files = sorted((ROOT / "r" / "man").glob("*.Rd"))
    done = subprocess.run(
        ["Rscript", "--vanilla", "-e", program, *map(str, files)], check=True, capture_output=True, text=True
    )
    known = {file.stem for file in files}
    for part in done.stdout.split("\n=== ")[1:]:
        head, _, page = part.partition("\n")
        name, _, title = head.partition("\t")
        name = name.removesuffix(".Rd")
        body = re.split(r"<hr|</main>|</body>", page[page.index("</h2>") + len("</h2>") :])[0]
        body = re.sub(r"<h3>(.*?)</h3>", r'<p class="rubric">\1</p>', body)
        # Links to topics of this package lead to their page; those to other packages are not followed.
        body = re.sub(r'<a href="(?:\.\./)+(?:condens/)?(?:help|html)/([\w.-]+)\.html">', r'<a href="\1.html">', body)
        body = re.sub(r'<a href="(?:\.\./\.\./|https?:)[^"]*">(.*?)</a>', r"\1", body, flags=re.S)
        body = re.sub(
            r'<a href="([^"#]+)\.html">(.*?)</a>', lambda m: m[0] if m[1] in known else m[2], body, flags=re.S
        )
        yield PLACE / "r" / f"{name}.md", f"# {name}\n\n{html.unescape(title)}\n\n```{{raw}} html\n{body}\n```\n"


HEADERS = ROOT / "include" / "condens"
# Tables that say once more what the class above them has; the page of the model shows them.
TABLES = re.compile(r"^template <>\n(?:inline )?constexpr auto (?:option_table|result_table|choice_names)<")


def header_page(header: Path) -> str:
    """A public header: its head, then every declaration of it below its comment."""
    lines = header.read_text().split("\n")
    lines = lines[lines[0] == "#pragma once" :]
    head = []
    while lines and lines[0].startswith("//"):
        head.append(lines.pop(0)[2:].removeprefix(" "))
    body = "\n".join(
        line for line in lines if not re.match(r"#include|namespace \w+(::\w+)* \{|\}  // namespace", line)
    )
    body = re.sub(r"\n private:.*?(?=\n\};)", "", body, flags=re.S)
    name = header.relative_to(ROOT / "include").as_posix()
    text = f"## `{name}`\n\n```text\n" + "\n".join(head).strip() + "\n```\n"
    for chunk in re.split(r"\n\n+(?=\S)", body.strip()):
        if TABLES.match(chunk) or re.fullmatch(r"(?:(?:class|struct) \w+;\s*)+", chunk) or not chunk.strip():
            continue
        comment = [line[3:].strip() for line in chunk.split("\n") if line.startswith("///")]
        code = "\n".join(line for line in chunk.split("\n") if not line.startswith("///"))
        named = re.search(r"^(?:template <.*>\n)?(?:class|struct|enum(?: class)?) (\w+)", code)
        if named:
            text += f"\n```{{index}} single: {named[1]} (C++)\n```\n"
        prose = re.sub(r"([*_<>|\[\]\\])", r"\\\1", " ".join(comment))
        text += (f"\n{prose}\n" if prose else "") + f"\n```{{code-block}} cpp\n\n{code}\n```\n"
    return text


def cpp_pages() -> Iterator[tuple[Path, str]]:
    """A page for each folder of public headers."""
    for folder in sorted({header.parent for header in HEADERS.rglob("*.hpp")}):
        if folder.parent not in (HEADERS, HEADERS.parent):
            continue  # what stands in a folder below is on the page of that folder
        headers = sorted(folder.glob("*.hpp") if folder == HEADERS else folder.rglob("*.hpp"))
        name = "condens" if folder == HEADERS else f"condens/{folder.name}"
        text = f"# {name}\n\n" + "\n".join(header_page(header) for header in headers)
        yield PLACE / "cpp" / f"{folder.name}.md", text


def model_fields() -> Iterator[tuple[Path, str]]:
    """What stands in a file of every model, from files that are written here, with the sentences of the registry."""
    import numpy as np

    import condens
    from condens import _core

    random = np.random.default_rng(0)
    x = random.normal(size=(40, 2))
    y = x[:, 0] + 0.3 * random.normal(size=40)
    told_above = ("options", "x_scale", "y_scale", "defensive_mean", "defensive_scale", "report")
    text = (
        "# Fields of every model\n\nWhat `parameters` of a [model file](../model_file.md) hold beside what all models "
        "share. Shapes are rows × columns in the file; here n stands for 40 rows of two inputs and one target.\n"
    )
    for info in _core.models():
        sentences = {result["name"]: result["text"] for result in info["results"]}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # forty rows are few
            model = getattr(condens, info["class_name"])(random_state=0).fit(x, y)
        model.save(PLACE / "model.json")
        parameters = json.loads((PLACE / "model.json").read_text())["body"]["density"]["parameters"]
        text += f"\n## `{info['name']}`\n\n| field | is | meaning |\n|---|---|---|\n"
        for name, value in parameters.items():
            if name not in told_above:
                text += f"| `{name}` | {kind_of(value)} | {sentences.get(name, '')} |\n"
    (PLACE / "model.json").unlink()
    yield PLACE / "model_fields.md", text


def kind_of(value: Any) -> str:
    """A field of a model file, in words."""
    if isinstance(value, dict):
        return f"matrix, {value['shape'][0]} × {value['shape'][1]}" if set(value) == {"shape", "values"} else "object"
    return {bool: "true or false", int: "whole number", float: "number", str: "text", list: "list"}[type(value)]


def write(_app: Any) -> None:
    """Writes what has changed, and removes what is no longer there."""
    PLACE.mkdir(exist_ok=True)
    kept = set()
    for make in (records, command_help, r_pages, cpp_pages, model_fields):
        for page, text in make():
            kept.add(page)
            page.parent.mkdir(parents=True, exist_ok=True)
            if not page.exists() or page.read_text() != text:
                page.write_text(text)
    for page in PLACE.rglob("*.md"):
        if page not in kept:
            page.unlink()


def read(app: Any, name: str, source: list[str]) -> None:
    """Links out of the site, and reasons of blocks that are not run."""
    page = Path(app.env.doc2path(name))
    if page.suffix == ".md" and PLACE not in page.parents:
        source[0] = blocks.with_reasons(with_links_of_the_site(source[0], page, page))


def setup(app: Any) -> dict[str, Any]:
    """Sphinx calls this."""
    app.connect("builder-inited", write, priority=100)
    app.connect("source-read", read)
    return {"parallel_read_safe": True}
