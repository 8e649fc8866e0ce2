"""Held-out scores of condens' models and of other Python packages, on the public sets of two papers.

usage: python benchmarks/accuracy.py DATA RECORDS [--splits 10] [--processes 2] [--models a:b...]
       python benchmarks/accuracy.py DATA RECORDS --table NOTE

DATA holds the CSV files (reproduce/common/fetch_data.sh and its README say where from). Of every set random rows, as
many as its paper trains on, are for training and the others for the test: half of the rows for the twenty sets of
Sugiyama et al. (2010), Table 1, the printed number for the eleven of Tangkaratt et al. (2015), at most 2,000 of the
others for the test. Columns are standardised by the training rows. Each fit is one line of RECORDS, which a later
call continues (accuracy.jsonl here has those of the table that is committed); `--table` prints benchmarks/ACCURACY.md
with NOTE (date, commit, machine) in its head. Everything is left at its defaults, on both sides, but for the rounds of
XGBoostLSS; of a package that gives quantiles only, the CRPS is the mean of the quantile losses at 99 levels, twice, and
there is no NLL.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from scipy import stats

# File, number of targets (the last columns), training rows.
HALVES = [
    *("caution", "ftcollinssnow", "highway", "heights", "sniffer", "snowgeese", "ufc", "birthwt", "crabs", "GAGurine"),
    *("geyser", "gilgais", "topo", "Boston", "CobarOre", "engel", "mcycle", "BigMac2003", "UN3", "cpus"),
]
PRINTED = {
    **{"Boston": (1, 100), "auto_mpg": (1, 100), "servo": (1, 50), "yacht": (1, 80), "physicochem": (1, 500)},
    **{"wine_white": (1, 400), "wine_red": (1, 300), "forest_fires": (1, 100), "concrete": (1, 300)},
    **{"energy": (2, 200), "stock": (2, 100)},
}
SETS = {name: (name, 1, None) for name in HALVES} | {
    f"{name} ({rows})": (name, targets, rows) for name, (targets, rows) in PRINTED.items()
}

OURS = {
    "auto": "AutoCDE",
    "lscde": "LSCDE",
    "nw": "NadarayaWatson",
    "gp": "GaussianProcess",
    "mdn": "MixtureDensityNetwork",
    "press": "PRESS",
    "ekde": "EpsilonKDE",
    "sacde": "SACDE",
    "gmm": "GMM",
    "lsce": "LSCE",
    "kqr": "KernelQuantileRegression",
    "rkde": "RatioKDE",
    "location_scale": "LocationScale",
}
FAILED = 10.0  # a score that is not finite counts as this
LEVELS = np.arange(1, 100) / 100
MOST_TEST_ROWS = 2000


def rows_of(folder, name, split):
    """Standardised training and test rows."""
    file, targets, train_rows = SETS[name]
    table = np.loadtxt(Path(folder) / f"{file}.csv", delimiter=",", skiprows=1)
    order = np.random.default_rng([split, *file.encode()]).permutation(len(table))
    train_rows = train_rows or len(table) // 2
    train, test = table[order[:train_rows]], table[order[train_rows:][:MOST_TEST_ROWS]]
    scale = train.std(axis=0, ddof=1)
    scale[scale == 0] = 1
    train, test = (train - train.mean(axis=0)) / scale, (test - train.mean(axis=0)) / scale
    return train[:, :-targets], train[:, -targets:], test[:, :-targets], test[:, -targets:]


def quantile_crps(quantiles, y):
    """From the quantiles at LEVELS, one row for each y."""
    gap = y[:, None] - quantiles
    return 2 * np.maximum(LEVELS * gap, (LEVELS - 1) * gap).mean()


def normal_scores(mean, std, y):
    """NLL and CRPS of normal laws."""
    z = (y - mean) / std
    crps = std * (z * (2 * stats.norm.cdf(z) - 1) + 2 * stats.norm.pdf(z) - np.pi**-0.5)
    return -stats.norm.logpdf(y, mean, std).mean(), crps.mean()


def condens_model(name):
    """A model of condens with its defaults."""

    def scores(x, y, x_test, y_test):
        import condens

        options = {"random_state": 0} if "random_state" in getattr(condens, OURS[name])().get_params() else {}
        if y.shape[1] == 1:
            y, y_test = y[:, 0], y_test[:, 0]
        model = getattr(condens, OURS[name])(**options).fit(x, y)
        nll, crps = [], []
        for at in range(0, len(x_test), 4096):
            law = model.predict_distribution(x_test[at : at + 4096])
            nll.append(-law.logpdf(y_test[at : at + 4096]))
            if y.ndim == 1:
                crps.append(law.crps(y_test[at : at + 4096]))
        return np.concatenate(nll).mean(), np.concatenate(crps).mean() if crps else None

    return scores


def sklearn_gp(x, y, x_test, y_test):
    """Length scales for every input and noise, by the marginal likelihood from one start and two random ones."""
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

    kernel = ConstantKernel(1.0) * RBF(np.ones(x.shape[1])) + WhiteKernel(0.1)
    model = GaussianProcessRegressor(kernel, n_restarts_optimizer=2, random_state=0).fit(x, y[:, 0])
    pieces = [model.predict(x_test[at : at + 4096], return_std=True) for at in range(0, len(x_test), 4096)]
    mean, std = (np.concatenate(part) for part in zip(*pieces, strict=True))
    return normal_scores(mean, std, y_test[:, 0])


def ngboost(x, y, x_test, y_test):
    """Natural gradient boosting of a normal law."""
    from ngboost import NGBRegressor

    law = NGBRegressor(random_state=0, verbose=False).fit(x, y[:, 0]).pred_dist(x_test)
    return normal_scores(law.params["loc"], law.params["scale"], y_test[:, 0])


def ngboost_stopped(x, y, x_test, y_test):
    """The same, stopped when a fifth of the training rows no longer gains: not its default, but kinder to it."""
    from ngboost import NGBRegressor

    model = NGBRegressor(random_state=0, verbose=False, validation_fraction=0.2, early_stopping_rounds=20)
    law = model.fit(x, y[:, 0]).pred_dist(x_test)
    return normal_scores(law.params["loc"], law.params["scale"], y_test[:, 0])


def xgboost_lss(x, y, x_test, y_test):
    """Boosted trees for mean and spread, rounds by its own cross-validation: its default of 10 leaves it untrained."""
    import torch
    from xgboost import DMatrix
    from xgboostlss.distributions.Gaussian import Gaussian
    from xgboostlss.model import XGBoostLSS

    torch.set_num_threads(1)
    settings = {"nthread": 1, "seed": 0}
    train = DMatrix(x, label=y[:, 0], nthread=1)
    scores = XGBoostLSS(Gaussian()).cv(settings, train, num_boost_round=500, nfold=5, early_stopping_rounds=20)
    model = XGBoostLSS(Gaussian())
    model.train(settings, train, num_boost_round=len(scores), verbose_eval=False)
    law = model.predict(DMatrix(x_test, nthread=1), pred_type="parameters")
    return normal_scores(law["loc"].to_numpy(), law["scale"].to_numpy(), y_test[:, 0])


def quantile_forest(x, y, x_test, y_test):
    """A forest that keeps the training targets in its leaves."""
    from quantile_forest import RandomForestQuantileRegressor

    model = RandomForestQuantileRegressor(random_state=0).fit(x, y[:, 0])
    return None, quantile_crps(model.predict(x_test, quantiles=list(LEVELS)), y_test[:, 0])


def linear(x, y, x_test, y_test):
    """Least squares with normal residuals."""
    from sklearn.linear_model import LinearRegression

    model = LinearRegression().fit(x, y[:, 0])
    freedom = max(1, len(x) - x.shape[1] - 1)
    std = np.sqrt(((y[:, 0] - model.predict(x)) ** 2).sum() / freedom)
    return normal_scores(model.predict(x_test), np.full(len(x_test), std), y_test[:, 0])


OTHERS = {
    "scikit-learn GP": sklearn_gp,
    "NGBoost": ngboost,
    "NGBoost, stopped": ngboost_stopped,
    "XGBoostLSS": xgboost_lss,
    "quantile-forest": quantile_forest,
    "linear": linear,
}


def one_fit(task):
    """Scores and seconds of one model on one split, as a record."""
    folder, name, split, model = task
    x, y, x_test, y_test = rows_of(folder, name, split)
    record = {"set": name, "split": split, "model": model}
    begin = time.perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            nll, crps = (OTHERS[model] if model in OTHERS else condens_model(model))(x, y, x_test, y_test)
        record |= {"nll": None if nll is None else float(nll), "crps": None if crps is None else float(crps)}
    except (ValueError, RuntimeError, ArithmeticError, np.linalg.LinAlgError) as error:
        record["error"] = str(error)
    return record | {"seconds": round(time.perf_counter() - begin, 3)}


def run(folder, path, models, splits, processes):
    """All fits that RECORDS does not hold yet, one thread each."""
    done = {(r["set"], r["split"], r["model"]) for r in read(path)}
    tasks = [
        (folder, name, split, model)
        for split in range(splits)
        for model in models
        for name in SETS
        if (name, split, model) not in done and not (model in (*OTHERS, "kqr") and SETS[name][1] > 1)
    ]
    with multiprocessing.get_context("spawn").Pool(processes) as pool, path.open("a") as file:
        for count, record in enumerate(pool.imap_unordered(one_fit, tasks), 1):
            print(json.dumps(record), file=file, flush=True)
            print(f"\r{count} of {len(tasks)}", end="", file=sys.stderr)
    print(file=sys.stderr)


def read(path):
    """The records there are."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def value_of(record, score):
    """The score, or what stands for one that is not finite; None where the model has no such score."""
    value = record.get(score)
    if value is None:
        return None if score in record else FAILED
    return value if np.isfinite(value) else FAILED


def print_table(records, score):
    """Means over the splits that all models have of a set, and what they come to over the sets."""
    scores = {}
    for record in records:
        value = value_of(record, score)
        if value is not None:
            scores.setdefault(record["model"], {})[record["set"], record["split"]] = value
    models = [m for m in (*OURS, *OTHERS) if m in scores]
    print(f"\n| set | splits | {' | '.join(models)} |")
    print("|---|---|" + "---|" * len(models))
    best = dict.fromkeys(models, 0)
    wins = {m: [0, 0] for m in models}
    gaps = {m: [] for m in models}
    for name in SETS:
        here = [m for m in models if any(key[0] == name for key in scores[m])]
        if "auto" not in here:
            continue
        splits = set.intersection(*({k for n, k in scores[m] if n == name} for m in here))
        if not splits:
            continue
        values = {m: np.array([scores[m][name, k] for k in sorted(splits)]) for m in here}
        least = min(values, key=lambda m: values[m].mean())
        best[least] += 1
        cells = []
        for m in models:
            if m not in values:
                cells.append("")
                continue
            gaps[m].append((values[m] - values["auto"]).mean())
            wins[m][0 if gaps[m][-1] > 0 else 1] += 1
            error = values[m].std(ddof=1) / len(splits) ** 0.5 if len(splits) > 1 else np.nan
            text = f"{values[m].mean():.2f}" + (f" ± {error:.2f}" if len(splits) > 1 else "")
            cells.append(f"**{text}**" if m == least else text)
        print(f"| {name} | {len(splits)} | {' | '.join(cells)} |")
    print(f"| **best on** | | {' | '.join(str(best[m]) for m in models)} |")
    print(f"| mean over the sets, less auto's | | {' | '.join(f'{np.mean(gaps[m]):+.3f}' for m in models)} |")
    print(f"| median over the sets, less auto's | | {' | '.join(f'{np.median(gaps[m]):+.3f}' for m in models)} |")
    print(f"| sets where auto is better : worse | | {' | '.join('{}:{}'.format(*wins[m]) for m in models)} |")


def main():
    """Fits, or the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data")
    parser.add_argument("records", type=Path)
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--models", default=":".join([*OURS, *OTHERS]))
    parser.add_argument("--table", metavar="NOTE")
    call = parser.parse_args()
    if call.table is None:
        run(call.data, call.records, call.models.split(":"), call.splits, call.processes)
        return
    records = read(call.records)
    print("# Held-out scores on the public sets\n")
    print(f"{call.table}.\n")
    print("Written by benchmarks/accuracy.py, whose head says how. Lower is better; mean ± standard error over splits,")
    print("where there are several.")
    print(f"{sum('error' in r for r in records)} of {len(records)} fits failed; each counts as {FAILED:g}.")
    print("\n## Negative log likelihood of standardised y")
    print_table(records, "nll")
    print("\n## CRPS of standardised y, one target")
    print_table(records, "crps")
    print("\n## Seconds of a fit with its predictions, one thread\n")
    print("| model | median | longest |\n|---|---|---|")
    for model in (*OURS, *OTHERS):
        seconds = [r["seconds"] for r in records if r["model"] == model]
        if seconds:
            print(f"| {model} | {np.median(seconds):.2f} | {max(seconds):.1f} |")
    for record in records:
        if "error" in record:
            print(f"\n{record['model']} on {record['set']}, split {record['split']}: {record['error'].splitlines()[0]}")


if __name__ == "__main__":
    main()
