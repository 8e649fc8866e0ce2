"""Widths of the Nadaraya-Watson density: condens against statsmodels, on the same rows.

usage: against_statsmodels.py CONDENS_COMMAND [SECONDS_PER_RIVAL_FIT]

Writes Markdown to standard output. README.md says what is compared.
"""

import datetime
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time

import numpy as np
import statsmodels
from statsmodels.nonparametric.kernel_density import KDEMultivariateConditional

CASES = [(300, 3), (300, 4), (1000, 5)]  # rows, inputs
TEST_ROWS = 2000


def simulate(rows, inputs, seed):
    """Two branches over the first input, the others irrelevant; -mean log of the true density."""
    random = np.random.default_rng(seed)
    x = random.standard_normal((rows, inputs))
    branch = np.where(random.random(rows) < 0.5, -1.0, 1.0)
    centre = 1 + 0.5 * x[:, 0]
    y = branch * centre + 0.25 * random.standard_normal(rows)

    def log_normal(mean):
        return -0.5 * ((y - mean) / 0.25) ** 2 - np.log(np.sqrt(2 * np.pi) * 0.25)

    truth = np.logaddexp(log_normal(centre), log_normal(-centre)) - np.log(2)
    return x, y, -truth.mean()


def write_csv(path, x, y):
    """Rows with a header that names the target y."""
    names = [f"x{k + 1}" for k in range(x.shape[1])] + ["y"]
    np.savetxt(path, np.column_stack([x, y]), delimiter=",", header=",".join(names), comments="", fmt="%.17g")


def fit_condens(command, model, options, train, test, threads):
    """Seconds of the fit and the test NLL."""
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        call = [command, "fit", train, "--target", "y", "--model", model, "--threads", str(threads), "-o", out.name]
        for option in options:
            call += ["--set", option]
        begin = time.perf_counter()
        subprocess.run(call, check=True, stderr=subprocess.DEVNULL)
        seconds = time.perf_counter() - begin
        score = subprocess.run([command, "score", out.name, test, "--json"], check=True, capture_output=True, text=True)
        return seconds, json.loads(score.stdout)["nll"]["value"]


def fit_statsmodels(x, y, x_test, y_test, results):
    """Seconds and the test NLL, put into `results`."""
    begin = time.perf_counter()
    model = KDEMultivariateConditional(endog=[y], exog=list(x.T), dep_type="c", indep_type="c" * x.shape[1], bw="cv_ml")
    seconds = time.perf_counter() - begin
    density = model.pdf(endog_predict=[y_test], exog_predict=list(x_test.T))
    results.put((seconds, float(-np.log(np.maximum(density, 1e-300)).mean())))


def rival(x, y, x_test, y_test, limit):
    """Seconds and the test NLL of statsmodels; None where it takes longer than the limit."""
    results = multiprocessing.Queue()
    process = multiprocessing.Process(target=fit_statsmodels, args=(x, y, x_test, y_test, results))
    process.start()
    process.join(limit)
    if process.is_alive():
        process.terminate()
        return None
    return results.get()


def main():
    """Every case, as rows of a table."""
    command = sys.argv[1]
    limit = float(sys.argv[2]) if len(sys.argv) > 2 else 600.0
    here = os.path.dirname(os.path.abspath(__file__))
    commit = subprocess.run(["git", "-C", here, "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True)
    print("# Nadaraya-Watson widths against statsmodels: results\n")
    print(
        f"Written by `reproduce/nw/against_statsmodels.py` on {datetime.date.today()}; commit {commit.stdout.strip()}; "
        f"statsmodels {statsmodels.__version__}; {os.cpu_count()} cores. [README.md](README.md) explains it.\n"
    )
    for rows, inputs in CASES:
        x, y, _ = simulate(rows, inputs, 1)
        x_test, y_test, truth = simulate(TEST_ROWS, inputs, 2)
        print(f"## {rows} rows, {inputs} inputs\n\nNLL of the true distribution: {truth:.3f}\n")
        print("| method | seconds | test NLL | statsmodels takes |\n|:--|--:|--:|--:|")
        found = rival(x, y, x_test, y_test, limit)
        seconds, text = (found[0], f"{found[1]:.3f}") if found else (limit, "")
        print(f'| statsmodels, `bw="cv_ml"` | {"" if found else "more than "}{seconds:.1f} | {text} | |', flush=True)
        with tempfile.TemporaryDirectory() as folder:
            train, test = os.path.join(folder, "train.csv"), os.path.join(folder, "test.csv")
            write_csv(train, x, y)
            write_csv(test, x_test, y_test)
            for name, model, options, threads in [
                ("condens nw, metric=diagonal, 1 thread", "nw", ["metric=diagonal"], 1),
                ("condens nw (metric=auto), 1 thread", "nw", [], 1),
                ("condens lscde, metric=none, 1 thread", "lscde", ["metric=none"], 1),
                ("condens lscde, metric=nw, 1 thread", "lscde", ["metric=nw"], 1),
                ("condens lscde (metric=auto), 1 thread", "lscde", [], 1),
            ]:
                own, nll = min(fit_condens(command, model, options, train, test, threads) for _ in range(3))
                ratio = f"{'more than ' if not found else ''}{seconds / own:.0f} x"
                print(f"| {name} | {own:.3f} | {nll:.3f} | {ratio} |", flush=True)
        print()


if __name__ == "__main__":
    main()
