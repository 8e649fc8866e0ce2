"""Processes killed while they write over a file that is there: afterwards it is the old or the new one, whole.

    CONDENS_COMMAND=build/release/cli/condens python benchmarks/kills.py [--kills N] [RECORD]

prints a table in Markdown and writes it to RECORD. Every kind of file that condens writes is written over and over, by
the command and by Python, each process killed by SIGKILL at a moment drawn from the time that it takes.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import condens

COMMAND = str(Path(os.environ["CONDENS_COMMAND"]).resolve())
QUICK = {"bandwidth": 0.5, "bandwidth_y": 0.3, "regularization": 0.1}
FIT = ["fit", "t.csv", "--target", "y", "--quiet", *(f"--set={name}={value}" for name, value in QUICK.items()), "-o"]

# What the command writes, and into which file; of_table.json is a model of t.csv.
WRITERS = [
    *(([*FIT, name], name) for name in ("c.json", "c.cbor")),
    (["predict", "of_table.json", "t.csv", "-o", "p.csv"], "p.csv"),
    (["plot", "of_table.json", "t.csv", "-o", "p.svg"], "p.svg"),
    (["plot", "of_table.json", "t.csv", "-o", "p.html"], "p.html"),
    (["explain", "of_table.json", "t.csv", "--effect", "a", "-o", "e.csv"], "e.csv"),
    (["compare", "t.csv", "--target", "y", "--models", "nw", "--repeats", "2", "--plot", "l.html"], "l.html"),
]


def write_table(path: Path, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Two inputs and y, which are returned, too."""
    random_numbers = np.random.default_rng(1)
    x = random_numbers.normal(size=(rows, 2))
    y = x[:, 0] + 0.3 * random_numbers.normal(size=rows)
    np.savetxt(path, np.column_stack([x, y]), delimiter=",", header="a,b,y", comments="")
    return x, y


class Kills:
    """`begin()` starts a process that makes `file` one of `whole`; it is killed after up to `longest` seconds."""

    def __init__(self, folder: Path, kills: int) -> None:
        self.folder = folder
        self.kills = kills
        self.moments = random.Random(1)
        self.lines: list[str] = []

    def run(self, title: str, file: str, begin: Callable[[], int], whole: list[bytes], longest: float) -> None:
        """Print a line of the table."""
        path = self.folder / file
        path.write_bytes(whole[0])
        before = set(os.listdir(self.folder))
        found = [0] * len(whole)
        killed = torn = 0
        has_seconds = "compare" in title  # no two of its pages are the same
        for _ in range(self.kills):
            pid = begin()
            time.sleep(self.moments.uniform(0.0, longest))
            os.kill(pid, signal.SIGKILL)
            killed += os.WIFSIGNALED(os.waitpid(pid, 0)[1])
            now = path.read_bytes()
            if now == whole[0]:
                found[0] += 1
            elif now in whole or (has_seconds and (now[:99], now[-99:]) == (whole[1][:99], whole[1][-99:])):
                found[1] += 1
            else:
                torn += 1
            path.write_bytes(whole[0])
        left = len(set(os.listdir(self.folder)) - before)
        for name in set(os.listdir(self.folder)) - before:
            (self.folder / name).unlink()
        self.lines.append(
            f"| {title} | {len(whole[-1]) / 1e3:,.0f} | {self.kills:,} | {killed:,} | {found[0]:,} "
            f"| {sum(found[1:]):,} | {torn} | {left} |"
        )
        print(self.lines[-1], flush=True)


def by_command(kills: Kills, title: str, arguments: list[str], file: str, old: bytes) -> None:
    """Kill the command, which writes `file` once."""
    call = [COMMAND, *arguments]

    def start() -> subprocess.Popen[bytes]:
        return subprocess.Popen(call, cwd=kills.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    begin = time.monotonic()
    if start().wait() != 0:
        raise RuntimeError(" ".join(call))
    longest = 1.2 * (time.monotonic() - begin)
    new = (kills.folder / file).read_bytes()
    kept: list[subprocess.Popen[bytes]] = []

    def start_and_keep() -> int:
        kept[:] = [start()]
        return kept[0].pid

    kills.run(title, file, start_and_keep, [old, new], longest)


def by_fork(kills: Kills, title: str, file: str, saves: list[Callable[[str], object]]) -> None:
    """A child of this process saves one after the other, without end."""
    path = str(kills.folder / file)
    whole = []
    for save in saves:
        save(path)
        whole.append(Path(path).read_bytes())

    def begin() -> int:
        pid = os.fork()
        if pid == 0:
            while True:
                for save in reversed(saves):
                    save(path)
        return pid

    kills.run(title, file, begin, whole, 0.05)


def main() -> None:
    """Kill, print and record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("record", nargs="?", type=Path)
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="condens-kills-"))
    try:
        kills = Kills(folder, arguments.kills)
        kills.lines += [
            "| what is written | kB | kills | hit | the old file | the new file | any other | files left behind |",
            "|---|---|---|---|---|---|---|---|",
        ]
        print("\n".join(kills.lines), flush=True)
        x, y = write_table(folder / "t.csv", 400)
        models = [condens.LSCDE(**QUICK, n_centers=count).fit(x, y) for count in (200, 300)]
        for name in ("m.json", "m.cbor"):
            by_fork(kills, f"`save` in Python, {name}", name, [model.save for model in models])
        subprocess.run([COMMAND, *FIT, "of_table.json"], cwd=folder, check=True)
        for call, name in WRITERS:
            old = (folder / "m.json").read_bytes() if call[0] == "fit" else b"what was there"
            by_command(kills, f"`condens {call[0]}`, {name}", call, name, old)
    finally:
        shutil.rmtree(folder)
    if arguments.record:
        arguments.record.write_text("\n".join(kills.lines) + "\n")


if __name__ == "__main__":
    main()
