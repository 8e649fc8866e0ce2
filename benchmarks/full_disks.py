"""Writers on disks that take no more: exit status and message, the file that was there, and what is left behind.

    CONDENS_COMMAND=build/release/cli/condens python benchmarks/full_disks.py [RECORD]

prints a table in Markdown and writes it to RECORD. The places: a small disk that is full, a quota that is used up (of a
btrfs subvolume), a disk that may only be read, and a limit of the size of files. Needs root, for the mounts, and the
programs of btrfs.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from kills import COMMAND, FIT, WRITERS, write_table

SAVE = "import condens, sys; condens.load('of_table.json').save(sys.argv[1])"
OLD = b"what was there\n" * 200


def run(*call: str | Path) -> None:
    """A command of the system, which must do what it is for."""
    subprocess.run(call, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def fill(folder: Path) -> None:
    """Until not a byte more fits."""
    block = 1 << 16
    with (folder / "filling").open("wb", buffering=0) as file:
        while block:
            try:
                if file.write(b"x" * block) < block:
                    raise OSError
                os.fsync(file.fileno())
            except OSError:
                block //= 2


@contextlib.contextmanager
def mounted(folder: Path, *how: str | Path) -> Iterator[None]:
    """A file system there, for a while."""
    run("mount", *how, folder)
    try:
        yield
    finally:
        run("umount", "--lazy", folder)


@contextlib.contextmanager
def full_disk(folder: Path, prepare: Callable[[Path], None]) -> Iterator[tuple[Path, Callable[[], None] | None]]:
    """Of 2 MB, in memory."""
    with mounted(folder, "-t", "tmpfs", "-o", "size=2M", "tmpfs"):
        prepare(folder)
        fill(folder)
        yield folder, None


@contextlib.contextmanager
def used_quota(folder: Path, prepare: Callable[[Path], None]) -> Iterator[tuple[Path, Callable[[], None] | None]]:
    """Of 2 MB, on a disk with 250 MB free."""
    image = folder.with_suffix(".image")
    run("truncate", "-s", "256M", image)
    run("mkfs.btrfs", image)
    with mounted(folder, "-o", "loop", image):
        place = folder / "limited"
        run("btrfs", "subvolume", "create", place)
        run("btrfs", "quota", "enable", folder)
        run("btrfs", "qgroup", "limit", "2M", place)
        prepare(place)
        fill(place)
        yield place, None


@contextlib.contextmanager
def read_only(folder: Path, prepare: Callable[[Path], None]) -> Iterator[tuple[Path, Callable[[], None] | None]]:
    """A disk that is mounted so."""
    with mounted(folder, "-t", "tmpfs", "tmpfs"):
        prepare(folder)
        run("mount", "-o", "remount,ro", folder)
        yield folder, None


@contextlib.contextmanager
def limited_files(folder: Path, prepare: Callable[[Path], None]) -> Iterator[tuple[Path, Callable[[], None] | None]]:
    """No file of more than 1,000 bytes; the signal that tells of it is ignored, as Python does by itself."""
    prepare(folder)

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    yield folder, limit


PLACES = {
    "a full disk": full_disk,
    "a quota that is used up": used_quota,
    "a disk that may only be read": read_only,
    "a limit of the size of files": limited_files,
}


def main() -> None:
    """Write, print and record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("record", nargs="?", type=Path)
    arguments = parser.parse_args()
    writers = [([COMMAND, *call], name) for call, name in WRITERS]
    writers.append(([sys.executable, "-c", SAVE, "m.json"], "m.json"))

    def prepare(folder: Path) -> None:
        write_table(folder / "t.csv", 400)
        subprocess.run([COMMAND, *FIT, "of_table.json"], cwd=folder, check=True)
        for _, name in writers:
            (folder / name).write_bytes(OLD)

    lines = ["| where | what is written | status | what it says | the file |", "|---|---|---|---|---|"]
    for title, place in PLACES.items():
        outside = Path(tempfile.mkdtemp(prefix="condens-disks-"))
        try:
            (outside / "disk").mkdir()
            with place(outside / "disk", prepare) as (folder, limit):
                before = set(os.listdir(folder))
                for call, name in writers:
                    # The limit is for the process alone: what it says goes through a pipe.
                    done = subprocess.run(call, cwd=folder, capture_output=True, text=True, preexec_fn=limit)
                    says = (done.stderr.strip().splitlines() or [""])[-1]
                    kept = "the old one" if (folder / name).read_bytes() == OLD else "ANOTHER"
                    left = len(set(os.listdir(folder)) - before)
                    kept += f", and {left} FILES LEFT BEHIND" if left else ""
                    verb = "`save` in Python" if call[0] == sys.executable else f"`condens {call[1]}`"
                    lines.append(f"| {title} | {verb}, {name} | {done.returncode} | {says} | {kept} |")
        finally:
            shutil.rmtree(outside)
    print("\n".join(lines))
    if arguments.record:
        arguments.record.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
