"""Waits of which 40 % are censored: fits to what is known, beside fits that drop or ignore censoring, and lifelines.

    python benchmarks/censoring.py NOTE > benchmarks/CENSORING.md

Runs the command in CONDENS_COMMAND (default: condens), some minutes; rivals where lifelines is installed. Two samples
of 500 rows, log y = sin(3 a) + b / 2 + noise with a second bump, censored at times that grow with y's mean; scores on
2,000 rows of which all is known.
"""

from __future__ import annotations

import csv
import io
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

COMMAND = os.environ.get("CONDENS_COMMAND", "condens")
MODELS = ["gmm", "nw", "lscde", "boost", "forest", "mdn", "location_scale"]
WAYS = ["all values", "what is known", "censored rows dropped", "limits taken for values"]
N_ROWS, N_TEST, SEEDS = 500, 2000, [1, 2]

Array = np.ndarray[Any, np.dtype[np.float64]]


def sample(n: int, seed: int) -> tuple[Array, Array, Array, Array]:
    """Inputs, values, what is seen of them, and whether that is less (1) or all (0)."""
    random = np.random.default_rng(seed)
    x = np.column_stack([random.uniform(-1, 1, n), random.normal(size=n)])
    center = np.sin(3 * x[:, 0]) + 0.5 * x[:, 1]
    log_y = center + (random.random(n) < 0.3) * 1.0 + 0.4 * random.normal(size=n)
    end = center + 0.55 + 0.8 * random.normal(size=n)
    return x, np.exp(log_y), np.exp(np.minimum(log_y, end)), (log_y > end).astype(float)


def write(path: Path, columns: dict[str, Array]) -> None:
    """A table of numbers."""
    np.savetxt(path, np.column_stack(list(columns.values())), delimiter=",", header=",".join(columns), comments="")


def run(*arguments: str) -> str:
    """What the command prints."""
    return subprocess.run([COMMAND, *arguments], check=True, capture_output=True, text=True).stdout


def score(model: Path, test: Path) -> tuple[float, float, float]:
    """Nll, CRPS and concordance of the medians on rows that are known."""
    rows = {row["measure"]: float(row["value"]) for row in csv.DictReader(io.StringIO(run("score", model, test)))}
    known = run("score", model, test, "--censored", "censored")
    for row in csv.DictReader(io.StringIO(known)):
        if row["measure"] == "concordance":
            rows["concordance"] = float(row["value"])
    return rows["nll"], rows["crps"], rows["concordance"]


def ours(folder: Path, seed: int) -> dict[tuple[str, str], tuple[float, float, float, float]]:
    """Scores and seconds of every model, fitted in each way, and of five fits with other draws, pooled."""
    x, y, seen, less = sample(N_ROWS, seed)
    tables = {
        "all values": (x, y),
        "what is known": (x, seen),
        "censored rows dropped": (x[less == 0], seen[less == 0]),
        "limits taken for values": (x, seen),
    }
    test = folder / "test.csv"
    x_test, y_test, _, _ = sample(N_TEST, 1000 + seed)
    write(test, {"a": x_test[:, 0], "b": x_test[:, 1], "y": y_test, "censored": np.zeros(N_TEST)})
    out = {}
    for way, (inputs, values) in tables.items():
        columns = {"a": inputs[:, 0], "b": inputs[:, 1], "y": values}
        if way == "what is known":
            columns["censored"] = less
        table = folder / "train.csv"
        write(table, columns)
        options = ["--censored", "censored"] if way == "what is known" else []
        for model in MODELS:
            path = folder / "model.cbor"
            fit = ["fit", table, "--target", "y", "--target-kind", "positive", "--model", model, "--quiet", *options]
            start = time.perf_counter()
            run(*fit, "-o", path)
            seconds = time.perf_counter() - start
            out[model, way] = (*score(path, test), seconds)
            if way == "what is known" and model == "gmm":
                out[model, "five of these, pooled"] = (pooled(fit, path, test), np.nan, np.nan, 5 * seconds)
    return out


def pooled(fit: list[Any], path: Path, test: Path) -> float:
    """The nll of the mean of the densities of five fits with other seeds."""
    heights = []
    for seed in range(5):
        run(*fit, "--seed", str(seed), "-o", path)
        rows = csv.DictReader(io.StringIO(run("predict", path, test, "--log-density")))
        heights.append([float(row["log_density"]) for row in rows])
    return -float(np.mean(np.logaddexp.reduce(heights, axis=0) - np.log(5)))


def rivals(seed: int) -> dict[tuple[str, str], tuple[float, float, float, float]]:
    """Accelerated failure times and Cox's proportional hazards of lifelines, with squares and the product of inputs."""
    import pandas as pd
    from lifelines import CoxPHFitter, LogNormalAFTFitter, WeibullAFTFitter
    from lifelines.utils import concordance_index

    def frame(x: Array, **columns: Array) -> Any:
        a, b = x.T
        inputs = {"a": a, "b": b, "a2": a**2, "b2": b**2, "ab": a * b, "a3": a**3}
        return pd.DataFrame({**inputs, **columns})

    x, _, seen, less = sample(N_ROWS, seed)
    x_test, y_test, _, _ = sample(N_TEST, 1000 + seed)
    train = frame(x, y=seen, event=1 - less)
    out = {}
    times = np.exp(np.linspace(np.log(y_test.min() / 2), np.log(y_test.max() * 1.5), 1500))
    for fitter in (LogNormalAFTFitter(), WeibullAFTFitter(), CoxPHFitter()):
        start = time.perf_counter()
        fitter.fit(train, "y", "event")
        seconds = time.perf_counter() - start
        survival = fitter.predict_survival_function(frame(x_test), times=times).to_numpy().T
        nll = np.nan
        if not isinstance(fitter, CoxPHFitter):  # which has no density
            nll = aft_nll(fitter, frame(x_test), y_test)
        distribution = 1 - survival
        widths = np.diff(times, prepend=0.0)
        crps = float(np.mean(np.sum((distribution - (times >= y_test[:, None])) ** 2 * widths, axis=1)))
        medians = times[np.argmax(survival <= 0.5, axis=1)]
        out[type(fitter).__name__.removesuffix("Fitter"), "lifelines"] = (
            nll,
            crps,
            float(concordance_index(y_test, medians)),
            seconds,
        )
    return out


def aft_nll(fitter: Any, inputs: Any, y: Array) -> float:
    """-log density of a log-normal or Weibull accelerated failure time."""
    main, spread = ("mu_", "sigma_") if "LogNormal" in type(fitter).__name__ else ("lambda_", "rho_")
    design = inputs.assign(Intercept=1.0)
    part = fitter.params_[main]
    location = design[part.index].to_numpy() @ part.to_numpy()
    scale = float(np.exp(fitter.params_[spread].iloc[0]))
    if main == "mu_":
        z = (np.log(y) - location) / scale
        return float(np.mean(0.5 * z**2 + 0.5 * np.log(2 * np.pi) + np.log(scale * y)))
    z = np.log(y) - location
    return -float(np.mean(np.log(scale) + scale * z - np.log(y) - np.exp(scale * z)))


def main() -> None:
    """Print the table."""
    results: dict[tuple[str, str], list[tuple[float, float, float, float]]] = {}
    for seed in SEEDS:
        with tempfile.TemporaryDirectory() as folder:
            found = ours(Path(folder), seed)
        try:
            found |= rivals(seed)
        except ImportError:
            print("lifelines is not installed: without rivals", file=sys.stderr)
        for key, value in found.items():
            results.setdefault(key, []).append(value)
        print(f"seed {seed} done", file=sys.stderr)
    share = np.mean([sample(N_ROWS, seed)[3].mean() for seed in SEEDS])
    print("# Censored targets\n")
    print(f"{sys.argv[1]}.\n")
    print(f"By `python benchmarks/censoring.py`: means over {len(SEEDS)} samples of {N_ROWS} rows, {share:.0%} of them")
    print(f"right censored, scored on {N_TEST:,} rows of which all is known; nll and CRPS: less is better.\n")
    print("| model | fitted to | nll | CRPS | concordance | seconds |\n|---|---|---:|---:|---:|---:|")
    order = [*WAYS, "five of these, pooled", "lifelines"]
    for key in sorted(results, key=lambda key: (key[1] == "lifelines", *ranks(key, order))):
        values = np.mean(results[key], axis=0)
        cells = ["" if np.isnan(v) else f"{v:.{d}f}" for v, d in zip(values, (3, 3, 3, 2), strict=True)]
        print(f"| {key[0]} | {key[1]} | " + " | ".join(cells) + " |")


def ranks(key: tuple[str, str], order: list[str]) -> tuple[int, int]:
    """Models in their order, ways in theirs."""
    return (MODELS.index(key[0]) if key[0] in MODELS else 0, order.index(key[1]))


if __name__ == "__main__":
    main()
