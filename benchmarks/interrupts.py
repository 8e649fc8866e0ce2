"""How long Ctrl-C takes: every fit, prediction and other long work, interrupted at random moments.

    CONDENS_COMMAND=build/release/cli/condens python benchmarks/interrupts.py [--trials N] [--only TEXT] [RECORD]

prints a table in Markdown and writes it to RECORD. A process works on a table that keeps it busy for seconds, gets
SIGINT at a moment drawn from the time that the work takes, and must end by that signal and leave no file behind. By
command it is `condens`, by Python an interpreter that ends as soon as KeyboardInterrupt is there: to take down numpy
and scikit-learn would take a third of a second more, after idle waiting as well. Beside the delay as a person sees it
stands the processor time of the process after the signal, which other processes of a shared machine do not lengthen.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import condens

COMMAND = os.environ["CONDENS_COMMAND"]
ROWS, NEW_ROWS, INPUTS = 20_000, 200_000, 5
LONGEST = 4.0  # seconds of work that are looked at
QUICK_ROWS = 500  # of the models that predictions are made with

# What the interpreter runs; the clock begins at "ready".
PYTHON = """
import os, signal, numpy as np, condens
from condens import inspection
signal.signal(signal.SIGINT, signal.default_int_handler)
table = np.loadtxt({table!r}, delimiter=",", skiprows=1)
x, y = table[:, :-1], table[:, -1]
{before}
print("ready", flush=True)
try:
    while True:
        {work}
except KeyboardInterrupt:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGINT)
"""
PYTHON_USES = {
    "logpdf": "laws.logpdf(y[:20_000])",
    "cdf": "laws.cdf(y[:20_000])",
    "ppf": "laws.ppf([[0.05], [0.5], [0.95]])",
    "mode": "laws.mode()",
    "entropy": "laws.entropy()",
    "crps": "laws.crps(y[:20_000])",
    "hdr": "laws.hdr(0.9)",
    "rvs": "laws.rvs(100, random_state=1)",
    "predict_distribution": "model.predict_distribution(x)",
    "log_density": "model.log_density(x, y)",
    "importance": "inspection.permutation_importance(model, x[:2_000], y[:2_000])",
    "save": "model.save('saved.json')",
}


def write_table(path: Path, rows: int, seed: int, missing: float = 0.0) -> None:
    """Two branches of y over five inputs, of which a share is missing."""
    random_numbers = np.random.default_rng(seed)
    x = random_numbers.normal(size=(rows, INPUTS))
    branch = random_numbers.choice([-1.0, 1.0], rows)
    y = branch + 0.5 * x[:, 0] + np.sin(x[:, 1]) + 0.3 * np.exp(0.3 * x[:, 0]) * random_numbers.normal(size=rows)
    table = np.column_stack([x, y])
    header = ",".join([*(f"x{k}" for k in range(INPUTS)), "y"])
    if missing > 0:
        table[:, :INPUTS][random_numbers.random((rows, INPUTS)) < missing] = np.nan
    np.savetxt(path, table, delimiter=",", header=header, comments="", fmt="%.6g")


def command_jobs(folder: Path, models: list[str]) -> dict[str, list[str]]:
    """Title to arguments of the command. The models that predictions need are fitted here."""
    fit = ["fit", "train.csv", "--target", "y", "-o", "m.json"]
    jobs = {f"fit {name}": [*fit, "--model", name] for name in models}
    jobs |= {f"fit {name} paper": [*fit, "--model", name, "--preset", "paper"] for name in models}
    jobs["fit --bootstrap"] = [*fit, "--bootstrap", "100"]
    jobs["fit --conformal cv+"] = [*fit, "--conformal", "cv+"]
    jobs["fit --calibrate"] = [*fit, "--calibrate"]
    jobs["fit --missing model"] = ["fit", "holes.csv", "--target", "y", "-o", "m.json", "--missing", "model"]
    jobs["fit, a table of 10^6 rows"] = ["fit", "large.csv", "--target", "y", "-o", "m.json"]
    jobs["compare"] = ["compare", "train.csv", "--target", "y", "--models", "lscde,forest,nw", "--resume", "r.jsonl"]
    for name in models:
        saved = f"{name}.cbor"
        call = ["fit", "small.csv", "--target", "y", "--model", name, "-o", saved, "--quiet", *SHORT.get(name, [])]
        if subprocess.run([COMMAND, *call], cwd=folder).returncode != 0:
            print(f"no {name}", file=sys.stderr)
            continue
        jobs[f"predict {name}"] = ["predict", saved, "new.csv", "-o", "p.csv"]
        jobs[f"score {name}"] = ["score", saved, "new.csv", "-o", "s.csv"]
    every = ["--mean", "--std", "--mode", "--interval", ".9", "--log-density", "--cdf", "--sample", "5"]
    for name in ("lscde", "forest", "parzen"):
        saved = f"{name}.cbor"
        jobs[f"predict {name}, all"] = ["predict", saved, "new.csv", "-o", "p.csv", *every]
        jobs[f"plot {name}"] = ["plot", saved, "new.csv", "-o", "p.html"]
        jobs[f"explain {name} --importance"] = ["explain", saved, "new.csv", "--importance", "--max-rows", "0"]
        jobs[f"explain {name} --effect"] = ["explain", saved, "new.csv", "--effect", "x0", "--max-rows", "0"]
        jobs[f"explain {name} --row"] = ["explain", saved, "new.csv", "--row", "3", "--background", "0"]
    return jobs


# What keeps the fit of a model for predictions short.
SHORT = {
    "auto": ["--budget", "2s"],
    "pool": ["--set", "models=parzen,gmm"],
}


def python_jobs(classes: list[str]) -> dict[str, list[str]]:
    """Title to the call of an interpreter that works until it is interrupted."""
    jobs = {
        f"Python: {name}().fit": PYTHON.format(table="train.csv", before="", work=f"condens.{name}(n_jobs=2).fit(x, y)")
        for name in classes
    }
    for model in ("lscde", "forest", "parzen"):
        before = f"model = condens.load('{model}.cbor'); laws = model.predict_distribution(x[:20_000])"
        for name, work in PYTHON_USES.items():
            jobs[f"Python: {name} of {model}"] = PYTHON.format(table="new.csv", before=before, work=work)
    return {title: [sys.executable, "-c", code] for title, code in jobs.items()}


def processor_seconds(pid: int) -> float:
    """Of a process that runs."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Trial:
    """One process, interrupted `after` so many seconds of work."""

    def __init__(self, call: list[str], folder: Path, after: float, wait_for_ready: bool) -> None:
        before = set(os.listdir(folder))
        process = subprocess.Popen(
            call, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
        )
        assert process.stdout is not None
        if wait_for_ready:
            process.stdout.readline()
        begin = time.monotonic()
        while time.monotonic() - begin < after and process.poll() is None:
            time.sleep(0.002)
        self.ended_before = process.returncode is not None
        self.seconds = time.monotonic() - begin
        self.delay = self.processor = 0.0
        self.left: set[str] = set()
        if not self.ended_before:
            used = processor_seconds(process.pid)
            begin = time.monotonic()
            process.send_signal(signal.SIGINT)
            _, status, usage = os.wait4(process.pid, 0)
            self.delay = time.monotonic() - begin
            self.processor = max(0.0, usage.ru_utime + usage.ru_stime - used)
            process.returncode = os.waitstatus_to_exitcode(status)
        self.code = process.returncode
        process.stdout.close()
        for name in set(os.listdir(folder)) - before:
            if not self.ended_before and name != "r.jsonl":  # which keeps what is done
                self.left.add(name)
            (folder / name).unlink()


def measure(title: str, call: list[str], folder: Path, trials: int, moments: random.Random, ready: bool) -> str:
    """A line of the table."""
    whole = Trial(call, folder, LONGEST, ready)
    found = [whole] if not whole.ended_before else []
    while len(found) < trials:
        trial = Trial(call, folder, moments.uniform(0.0, whole.seconds), ready)
        if trial.ended_before and whole.seconds < 0.3:
            break
        if not trial.ended_before:
            found.append(trial)
    if not found:
        return f"| {title} | {whole.seconds:.1f} | 0 | | | | | |"
    delays = sorted(trial.delay for trial in found)
    processor = max(trial.processor for trial in found)
    codes = sorted({str(trial.code) for trial in found})
    left = sorted(set().union(*(trial.left for trial in found)))
    return (
        f"| {title} | {whole.seconds:.1f}{'' if whole.ended_before else '+'} | {len(found)} | "
        f"{1e3 * delays[len(delays) // 2]:.0f} | {1e3 * delays[-1]:.0f} | {1e3 * processor:.0f} | "
        f"{', '.join(codes)} | {', '.join(left)} |"
    )


def main() -> None:
    """Measure, print and record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=10)
    parser.add_argument("--only", default="", help="titles that hold this text")
    parser.add_argument("--door", choices=["command", "python"], help="only this one")
    parser.add_argument("record", nargs="?", type=Path)
    arguments = parser.parse_args()
    # A shell lets what it starts in the background ignore SIGINT, and children inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    folder = Path(tempfile.mkdtemp(prefix="condens-interrupts-"))
    try:
        run(arguments, folder)
    finally:
        shutil.rmtree(folder)


def run(arguments: argparse.Namespace, folder: Path) -> None:
    """Make the tables, and measure what is asked for."""
    write_table(folder / "train.csv", ROWS, 1)
    write_table(folder / "new.csv", NEW_ROWS, 2)
    write_table(folder / "small.csv", QUICK_ROWS, 3)
    write_table(folder / "holes.csv", ROWS, 4, missing=0.1)
    write_table(folder / "large.csv", 1_000_000, 5)
    listed = subprocess.run([COMMAND, "models"], capture_output=True, text=True, check=True).stdout
    models = [line.partition(":")[0] for line in listed.splitlines() if line and line[0] not in " \t" and ": " in line]
    jobs: dict[str, tuple[list[str], bool]] = {}
    for title, call in command_jobs(folder, models).items():
        if arguments.door != "python":
            jobs[title] = ([COMMAND, *call, "--threads", "2"], False)
    if arguments.door != "command":
        for title, call in python_jobs(
            sorted({*condens.estimators.__all__} - {"ConditionalDensityRegressor", "load"})
        ).items():
            jobs[title] = (call, True)
    lines = [
        "| work | seconds | interrupted | median delay, ms | longest | longest, processor | status | left behind |",
        "|---|---|---|---|---|---|---|---|",
    ]
    print("\n".join(lines), flush=True)
    moments = random.Random(1)
    for title, (call, ready) in jobs.items():
        if arguments.only not in title:
            continue
        lines.append(measure(title, call, folder, arguments.trials, moments, ready))
        print(lines[-1], flush=True)
    if arguments.record:
        arguments.record.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
