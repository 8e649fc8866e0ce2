"""packaging/release refuses, for each of its reasons, in a small repository that it would release as it stands."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

FILES = {
    "CMakeLists.txt": "project(condens VERSION 1.2.3 LANGUAGES CXX)\n",
    "pyproject.toml": '[tool.scikit-build.metadata.version]\ninput = "CMakeLists.txt"\n',
    "r/DESCRIPTION": "Package: condens\nVersion: 1.2.3\n",
    "CITATION.cff": "cff-version: 1.2.0\nversion: 1.2.3\n",
    "CHANGELOG.md": "# Changelog\n\n## [1.2.3] - 2026-01-31\n\n### Added\n- A model.\n\n## [1.2.2] - 2025-12-01\n",
    ".gitignore": "/build/\n",
    "src/method.cpp": "int method() { return 1; }\n",
    "packaging/records": "# comment\n\nbenchmarks/RESULTS.md  src\n",
}


class Repository:
    """A repository with one record, measured at its first commit, and a passed check."""

    def __init__(self, place: Path) -> None:
        self.place = place
        for name, text in FILES.items():
            self.write(name, text)
        shutil.copy(ROOT / "packaging" / "release", place / "packaging" / "release")
        self.git("init", "--quiet")
        self.commit()
        self.write("benchmarks/RESULTS.md", f"Measured on 2026-01-30; commit {self.head()[:12]}.\n")
        self.commit()
        self.check()

    def git(self, *arguments: str) -> str:
        identity = ["-c", "user.name=Tester", "-c", "user.email=tester@example.org"]
        command = ["git", "-C", str(self.place), *identity, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def head(self) -> str:
        return self.git("rev-parse", "HEAD").strip()

    def write(self, name: str, text: str) -> None:
        file = self.place / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def replace(self, name: str, old: str, new: str) -> None:
        text = (self.place / name).read_text()
        assert old in text
        self.write(name, text.replace(old, new))

    def commit(self) -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "change")

    def check(self) -> None:
        self.write("build/passed/everything", self.head() + "\n")

    def release(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        identity = {
            f"GIT_{who}_{what}": "tester@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
        }
        return subprocess.run(
            [sys.executable, str(self.place / "packaging" / "release"), *arguments],
            env={**os.environ, **identity}, capture_output=True, text=True,
        )  # fmt: skip


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    return Repository(tmp_path)


def test_releases_what_has_no_fault(repository: Repository) -> None:
    done = repository.release()
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "1.2.3 can be released: packaging/release --tag\n"
    assert repository.git("tag") == ""
    assert repository.release("--tag").returncode == 0
    assert repository.git("tag") == "v1.2.3\n"
    assert "### Added\n- A model." in repository.git("tag", "--list", "--format=%(contents)")
    again = repository.release()
    assert again.returncode == 1
    assert "the tag v1.2.3 is there already; a released version never changes, so take the next one" in again.stderr


def refusal(repository: Repository, *, commit: bool = True) -> str:
    """What the release says, which must be one reason alone."""
    if commit:
        repository.commit()
        repository.check()
    done = repository.release("--tag")
    assert done.returncode == 1
    assert repository.git("tag") == ""
    lines = done.stderr.splitlines()
    assert lines[1:] == ["release: 1.2.3 is not released, for 1 reason"]
    return lines[0]


def test_refuses_a_tree_that_is_not_clean(repository: Repository) -> None:
    repository.write("src/new.cpp", "")
    told = "release: the tree is not clean: 1 files, such as src/new.cpp; commit or remove them"
    assert refusal(repository, commit=False) == told


@pytest.mark.parametrize("file", ["r/DESCRIPTION", "CITATION.cff", "CHANGELOG.md"])
def test_refuses_versions_that_differ(file: str, repository: Repository) -> None:
    repository.replace(file, "1.2.3", "1.2.4")
    told = refusal(repository)
    assert told.startswith("release: versions differ: 1.2.3 in CMakeLists.txt, ")
    assert f"1.2.4 in {file}" in told


def test_refuses_a_version_of_python_of_its_own(repository: Repository) -> None:
    repository.write("pyproject.toml", '[project]\nversion = "1.2.3"\n')
    assert refusal(repository) == "release: pyproject.toml does not take its version from CMakeLists.txt"


def test_refuses_a_changelog_that_is_not_dated(repository: Repository) -> None:
    repository.replace("CHANGELOG.md", "2026-01-31", "unreleased")
    told = "the top section says 'unreleased', expected the date of the release, as 2026-01-31"
    assert refusal(repository) == f"release: CHANGELOG.md: {told}"


def test_refuses_stale_records(repository: Repository) -> None:
    repository.write("src/method.cpp", "int method() { return 2; }\n")
    told = refusal(repository)
    assert told.startswith("release: benchmarks/RESULTS.md is stale: 1 of its sources changed since ")
    assert "such as src/method.cpp; measure again" in told
    # A run at that commit gave the same numbers:
    repository.replace("packaging/records", "RESULTS.md  src", f"RESULTS.md @{repository.head()[:12]} src")
    repository.commit()
    repository.check()
    assert repository.release().returncode == 0


def test_a_record_that_names_no_commit_is_as_old_as_its_last_change(repository: Repository) -> None:
    repository.write("benchmarks/RESULTS.md", "Measured.\n")
    repository.commit()
    repository.check()
    assert repository.release().returncode == 0
    repository.write("src/method.cpp", "int method() { return 2; }\n")
    assert "benchmarks/RESULTS.md is stale" in refusal(repository)


def test_refuses_records_of_sources_that_are_gone(repository: Repository) -> None:
    repository.write("packaging/records", "benchmarks/RESULTS.md  lib\n")
    assert refusal(repository) == "release: packaging/records: lib is not there"


def test_refuses_what_was_not_checked(repository: Repository) -> None:
    repository.write("src/other.cpp", "")
    repository.replace("packaging/records", "src", "src/method.cpp")
    repository.commit()  # and no check
    told = f"release: ./check has not passed at this commit, {repository.head()[:12]}; run it"
    assert refusal(repository, commit=False) == told


def test_every_record_has_its_sources() -> None:
    listed = {
        line.split()[0] for line in (ROOT / "packaging" / "records").read_text().splitlines() if line and line[0] != "#"
    }
    there = [*ROOT.glob("benchmarks/*.md"), *ROOT.glob("reproduce/*/RESULTS.md"), ROOT / "reproduce/lscde/ROBOTS.md"]
    assert listed == {str(record.relative_to(ROOT)) for record in there}
