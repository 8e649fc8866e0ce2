"""Held-out scores of condens' models and of other Python packages, on public and simulated sets, small and large.

usage: python benchmarks/accuracy.py DATA RECORDS [--sets small|large] [--splits 10] [--processes 2] [--models a:b...]
       python benchmarks/accuracy.py DATA RECORDS --table NOTE

DATA holds the CSV files (reproduce/common/fetch_data.sh and its README say where from), and in its folder "large" those
of LARGE: R's ggplot2 (diamonds), CASdatasets (French motor claims), nycflights13 and AmesHousing, UCI's "Bike Sharing",
and Pace and Barry (1997), California housing, the target in the last column. Small sets are those of two papers, and as
many random rows train as there: half of the rows of the twenty sets of Sugiyama et al. (2010), Table 1, the printed
number of the eleven of Tangkaratt et al. (2015). Of large sets all rows train that are not for the test, which are a
fifth; inputs with empty fields are left out, and test rows that are copies of training rows or have a level that none
of these has. In both the test has at most 2,000 rows. Simulated sets have a model more, "truth", the distribution that
y was drawn from.

Targets are standardised by the training rows, and so are the inputs of small sets and of packages that know no
categories, which become indicators. Each fit is one line of RECORDS, which a later call continues (accuracy.jsonl here
has those of the table that is committed); `--table` prints benchmarks/ACCURACY.md with NOTE (date, commit, machine) in
its head. Everything is left at its defaults, on both sides, but for the rounds of XGBoostLSS; of a package that gives
quantiles or samples only, the CRPS is the mean of the quantile losses at 99 levels, twice, and there is no log score.

Where y has few values (fewer than a tenth of the rows, as grades and counts), a density can be made arbitrarily high at
them, and its logarithm rewards spikes. There the log score is that of the interval between the midpoints to the
neighbouring values, minus the logarithm of its probability, at least 1e-12: what a density says of a rounded y.
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
import pandas as pd
from scipy import stats
from simulated import Branches, branches, frame

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
SMALL = {name: (name, 1, None) for name in HALVES} | {
    f"{name} ({rows})": (name, targets, rows) for name, (targets, rows) in PRINTED.items()
}
# File, and the columns to keep out.
LARGE = {
    "concrete": ("concrete.csv", ()),
    "wine_red": ("wine_red.csv", ()),
    "ames": ("large/ames_housing.csv.gz", ()),
    "abalone": ("abalone.csv", ()),
    "wine_white": ("wine_white.csv", ()),
    "motor claims": ("large/french_motor.csv.gz", ("Exposure", "ClaimNb")),  # of the policies that have one
    "bikes": ("large/bike_hour.csv.gz", ()),
    "california": ("large/california_housing.csv.gz", ()),
    "physicochem": ("physicochem.csv", ()),
    "diamonds": ("large/diamonds.csv.gz", ()),
    "flights": ("large/nyc_flights.csv.gz", ()),
}
SIMULATED = {"jumps": 12_000, "tails": 12_000, "counts": 12_000, "branches": 102_000}
CODES = {"abalone": ["Sex"], "ames": ["MS_SubClass"], "bikes": ["season", "weathersit", "weekday"]}  # no numbers

OURS = {
    "auto": "AutoCDE",
    "boost": "BoostedDensity",
    "forest": "ConditionalForest",
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


def simulated(name, seed):
    """Inputs, targets, and a function of rows: the distributions that their targets were drawn from."""
    seed, rows = [seed, *name.encode()], SIMULATED[name]
    if name == "branches":  # two, whose place a category tells
        X, y, truth = branches(rows, seed)
        return frame(X), y, lambda some: Branches(truth.mean[some], truth.scale[some])
    random = np.random.default_rng(seed)
    if name == "jumps":  # discontinuities, an interaction and six inputs without a say
        X = random.random((rows, 10))
        mean = 3 * ((X[:, 0] > 0.5) & (X[:, 1] > 0.5)) - 2 * (X[:, 2] > 0.3) + X[:, 0] * X[:, 3]
        family, parameters = stats.norm, [mean, 0.1 + 0.4 * (X[:, 1] > 0.5)]
    elif name == "tails":  # inputs from log-normal distributions, and y from Student's with three degrees of freedom
        X = np.exp(2 * random.normal(size=(rows, 10)))
        family, parameters = stats.t, [np.full(rows, 3.0), np.log1p(X[:, 0]), 0.2 * (1 + (X[:, 1] > 1))]
    else:  # counts
        X = random.normal(size=(rows, 10))
        family, parameters = stats.poisson, [np.exp(1 + 0.8 * np.sin(2 * X[:, 0]) + 0.4 * X[:, 1])]
    y = family(*parameters).rvs(random_state=random)
    table = pd.DataFrame(X, columns=[f"x{k}" for k in range(10)])
    return table, y, lambda some: family(*(parameter[some] for parameter in parameters))


def large(folder, name):
    """Inputs, texts and codes as categories, and targets."""
    file, others = LARGE[name]
    codes = dict.fromkeys(CODES.get(name, []), str)
    table = pd.read_csv(Path(folder) / file, dtype=codes, keep_default_na=False, na_values=[""])
    if name == "motor claims":
        table = table[table.iloc[:, -1] > 0].reset_index(drop=True)
    y = table.iloc[:, -1].to_numpy(float)
    X = table.iloc[:, :-1].drop(columns=list(others)).dropna(axis=1)
    texts = [c for c in X.columns if not pd.api.types.is_numeric_dtype(X[c])]
    return X.astype(dict.fromkeys(texts, "category")), y


class Split:
    """Training and test rows of a set, targets in standard deviations of the former; `edges` where y has few values."""

    def __init__(self, folder, name, split):
        self.truth = self.edges = None
        if name in SMALL:
            file, targets, rows = SMALL[name]
            table = np.loadtxt(Path(folder) / f"{file}.csv", delimiter=",", skiprows=1)
            X, y = pd.DataFrame(table[:, :-targets]), table[:, -targets:]
            order = np.random.default_rng([split, *file.encode()]).permutation(len(y))
            rows = rows or len(y) // 2
        else:
            if name in LARGE:
                X, y = large(folder, name)
                order = np.random.default_rng([split, *name.encode()]).permutation(len(y))
            else:
                X, y, truth = simulated(name, split)
                order = np.arange(len(y))
            y = y[:, None]
            rows = len(y) - min(len(y) // 5, MOST_TEST_ROWS)
        train, test = order[:rows], order[rows:][:MOST_TEST_ROWS]
        for column in X.select_dtypes("category"):  # no package can say anything of a level that it has not seen
            test = test[X[column].iloc[test].isin(X[column].iloc[train]).to_numpy()]
        if name in LARGE:  # a fifth of the wines are copies of others, which reward what remembers rows
            rows_as_numbers = pd.util.hash_pandas_object(X.assign(y=y[:, 0]), index=False).to_numpy()
            test = test[~np.isin(rows_as_numbers[test], rows_as_numbers[train])]
        self.X, self.X_test = (X.iloc[part].reset_index(drop=True) for part in (train, test))
        if name in SMALL:
            self.X, self.X_test = self.numbers()
        center, scale = y[train].mean(axis=0), y[train].std(axis=0, ddof=1)
        scale[scale == 0] = 1
        self.y, self.y_test = (y[train] - center) / scale, (y[test] - center) / scale
        if name in SIMULATED:
            self.truth = Moved(truth(test), center[0], scale[0])
        values = np.unique(y)
        if y.shape[1] == 1 and len(values) < len(y) / 10:
            middle = (values[1:] + values[:-1]) / 2
            at = np.searchsorted(values, y[test, 0])
            edges = (np.r_[-np.inf, middle][at], np.r_[middle, np.inf][at])
            self.edges = [(edge - center[0]) / scale[0] for edge in edges]

    def numbers(self):
        """Inputs for packages that know no categories: standardised, indicators for the latter."""
        both = pd.concat([pd.DataFrame(self.X), pd.DataFrame(self.X_test)])
        both = pd.get_dummies(both, drop_first=True).to_numpy(float)
        train, test = both[: len(self.X)], both[len(self.X) :]
        scale = train.std(axis=0, ddof=1)
        scale[scale == 0] = 1
        return (train - train.mean(axis=0)) / scale, (test - train.mean(axis=0)) / scale


class Moved:
    """Distributions of y, for y in standard deviations."""

    def __init__(self, truth, center, scale):
        self.truth, self.center, self.scale = truth, center, scale

    def logpdf(self, y):
        """Log density."""
        return self.truth.logpdf(y * self.scale + self.center) + np.log(self.scale)

    def cdf(self, y):
        """Distribution function."""
        return self.truth.cdf(y * self.scale + self.center)


class Normals:
    """Normal distributions."""

    def __init__(self, mean, std):
        self.mean, self.std = np.asarray(mean, float), np.asarray(std, float)

    def logpdf(self, y):
        """Log density."""
        return stats.norm.logpdf(y, self.mean, self.std)

    def cdf(self, y):
        """Distribution function."""
        return stats.norm.cdf(y, self.mean, self.std)

    def crps(self, y):
        """Continuous ranked probability score."""
        z = (y - self.mean) / self.std
        return self.std * (z * (2 * stats.norm.cdf(z) - 1) + 2 * stats.norm.pdf(z) - np.pi**-0.5)


class Quantiles:
    """Quantiles at LEVELS, a row for each y."""

    def __init__(self, quantiles):
        self.quantiles = np.asarray(quantiles)

    def crps(self, y):
        """Twice the mean of the quantile losses."""
        gap = y[:, None] - self.quantiles
        return 2 * np.maximum(LEVELS * gap, (LEVELS - 1) * gap).mean(axis=1)


def scores_of(distributions, split):
    """Log score and CRPS, None for what the distributions do not have."""
    y = split.y_test if split.y_test.shape[1] > 1 else split.y_test[:, 0]
    log_score = crps = None
    if split.edges is not None and hasattr(distributions, "cdf"):
        probability = distributions.cdf(split.edges[1]) - distributions.cdf(split.edges[0])
        log_score = -np.log(np.maximum(probability, 1e-12)).mean()
    elif split.edges is None and hasattr(distributions, "logpdf"):
        log_score = -distributions.logpdf(y).mean()
    if y.ndim == 1 and hasattr(distributions, "crps"):
        crps = distributions.crps(y).mean()
    return log_score, crps


def condens_model(name):
    """A model of condens with its defaults."""

    def distributions(split):
        import condens

        options = {"random_state": 0} if "random_state" in getattr(condens, OURS[name])().get_params() else {}
        y = split.y if split.y.shape[1] > 1 else split.y[:, 0]
        return getattr(condens, OURS[name])(**options).fit(split.X, y).predict_distribution(split.X_test)

    return distributions


def truth(split):
    """What a simulated y was drawn from."""
    return split.truth


def sklearn_gp(split):
    """Length scales for every input and noise, by the marginal likelihood from one start and two random ones."""
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

    X, X_test = split.numbers()
    kernel = ConstantKernel(1.0) * RBF(np.ones(X.shape[1])) + WhiteKernel(0.1)
    model = GaussianProcessRegressor(kernel, n_restarts_optimizer=2, random_state=0).fit(X, split.y[:, 0])
    return Normals(*model.predict(X_test, return_std=True))


def catboost(split):
    """Boosted trees for mean and variance, categories by name."""
    from catboost import CatBoostRegressor

    X, X_test = pd.DataFrame(split.X), pd.DataFrame(split.X_test)
    texts = [c for c in X.columns if X[c].dtype == "category"]
    X, X_test = X.astype(dict.fromkeys(texts, str)), X_test.astype(dict.fromkeys(texts, str))
    model = CatBoostRegressor(
        loss_function="RMSEWithUncertainty", verbose=False, random_seed=0, thread_count=1, allow_writing_files=False
    )
    mean, variance = model.fit(X, split.y[:, 0], cat_features=texts).predict(X_test).T
    return Normals(mean, np.sqrt(variance))


def ngboost(split):
    """Natural gradient boosting of a normal distribution."""
    from ngboost import NGBRegressor

    X, X_test = split.numbers()
    law = NGBRegressor(random_state=0, verbose=False).fit(X, split.y[:, 0]).pred_dist(X_test)
    return Normals(law.params["loc"], law.params["scale"])


def ngboost_stopped(split):
    """The same, stopped when a fifth of the training rows no longer gains: not its default, but kinder to it."""
    from ngboost import NGBRegressor

    X, X_test = split.numbers()
    model = NGBRegressor(random_state=0, verbose=False, validation_fraction=0.2, early_stopping_rounds=20)
    law = model.fit(X, split.y[:, 0]).pred_dist(X_test)
    return Normals(law.params["loc"], law.params["scale"])


def xgboost_lss(split):
    """Boosted trees for mean and spread, rounds by its own cross-validation: its default of 10 leaves it untrained."""
    import torch
    from xgboost import DMatrix
    from xgboostlss.distributions.Gaussian import Gaussian
    from xgboostlss.model import XGBoostLSS

    torch.set_num_threads(1)
    X, X_test = split.numbers()
    settings = {"nthread": 1, "seed": 0}
    train = DMatrix(X, label=split.y[:, 0], nthread=1)
    scores = XGBoostLSS(Gaussian()).cv(settings, train, num_boost_round=500, nfold=5, early_stopping_rounds=20)
    model = XGBoostLSS(Gaussian())
    model.train(settings, train, num_boost_round=len(scores), verbose_eval=False)
    law = model.predict(DMatrix(X_test, nthread=1), pred_type="parameters")
    return Normals(law["loc"].to_numpy(), law["scale"].to_numpy())


def quantile_forest(split):
    """A forest that keeps the training targets in its leaves."""
    from quantile_forest import RandomForestQuantileRegressor

    X, X_test = split.numbers()
    model = RandomForestQuantileRegressor(random_state=0).fit(X, split.y[:, 0])
    return Quantiles(model.predict(X_test, quantiles=list(LEVELS)))


def treeffuser(split):
    """Diffusion by boosted trees, a hundred samples of each distribution."""
    from treeffuser import Treeffuser

    X, X_test = split.numbers()
    samples = Treeffuser(seed=0).fit(X, split.y).sample(X_test, n_samples=100, seed=0, verbose=False)
    return Quantiles(np.quantile(samples[:, :, 0], LEVELS, axis=0).T)


def linear(split):
    """Least squares with normal residuals."""
    from sklearn.linear_model import LinearRegression

    X, X_test = split.numbers()
    y = split.y[:, 0]
    model = LinearRegression().fit(X, y)
    freedom = max(1, len(X) - X.shape[1] - 1)
    std = np.sqrt(((y - model.predict(X)) ** 2).sum() / freedom)
    return Normals(model.predict(X_test), np.full(len(X_test), std))


OTHERS = {
    "CatBoost": catboost,
    "scikit-learn GP": sklearn_gp,
    "NGBoost": ngboost,
    "NGBoost, stopped": ngboost_stopped,
    "XGBoostLSS": xgboost_lss,
    "quantile-forest": quantile_forest,
    "treeffuser": treeffuser,
    "linear": linear,
    "truth": truth,
}
# What is slow at tens of thousands of rows, or is there in another form, is for small sets.
LARGE_MODELS = [
    *("auto", "boost", "forest", "mdn", "location_scale", "lscde"),
    *("CatBoost", "NGBoost, stopped", "XGBoostLSS", "quantile-forest", "treeffuser", "linear", "truth"),
]


def one_fit(task):
    """Scores and core-seconds of one model on one split, as a record."""
    folder, name, number, model = task
    split = Split(folder, name, number)
    record = {"set": name, "split": number, "model": model}
    begin = time.process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            nll, crps = scores_of((OTHERS[model] if model in OTHERS else condens_model(model))(split), split)
        record |= {"nll": None if nll is None else float(nll), "crps": None if crps is None else float(crps)}
    except (ValueError, RuntimeError, ArithmeticError, np.linalg.LinAlgError) as error:
        record["error"] = str(error)
    return record | {"seconds": round(time.process_time() - begin, 3)}


def applies(model, name):
    """Whether a model is for a set."""
    if model == "truth":
        return name in SIMULATED
    return name not in SMALL or SMALL[name][1] == 1 or model not in (*OTHERS, "kqr")


def run(folder, path, sets, models, splits, processes):
    """All fits that RECORDS does not hold yet, one thread each."""
    done = {(r["set"], r["split"], r["model"]) for r in read(path)}
    tasks = [
        (folder, name, split, model)
        for split in range(splits)
        for name in sets
        for model in models
        if (name, split, model) not in done and applies(model, name)
    ]
    with multiprocessing.get_context("spawn").Pool(processes, maxtasksperchild=8) as pool, path.open("a") as file:
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


def print_table(records, score, sets):
    """Means over the splits that all models have of a set, and what they come to over the sets."""
    digits = 3 if score == "crps" else 2
    scores = {}
    for record in records:
        value = value_of(record, score)
        if value is not None and record["set"] in sets:
            scores.setdefault(record["model"], {})[record["set"], record["split"]] = value
    models = [m for m in (*OURS, *OTHERS) if m in scores]
    print(f"\n| set | splits | {' | '.join(models)} |")
    print("|---|---|" + "---|" * len(models))
    best = dict.fromkeys(models, 0)
    wins = {m: [0, 0] for m in models}
    gaps = {m: [] for m in models}
    for name in sets:
        here = [m for m in models if any(key[0] == name for key in scores[m])]
        if "auto" not in here:
            continue
        splits = set.intersection(*({k for n, k in scores[m] if n == name} for m in here))
        if not splits:
            continue
        values = {m: np.array([scores[m][name, k] for k in sorted(splits)]) for m in here}
        least = min(values.keys() - {"truth"}, key=lambda m: values[m].mean())
        best[least] += 1
        cells = []
        for m in models:
            if m not in values:
                cells.append("")
                continue
            gaps[m].append((values[m] - values["auto"]).mean())
            wins[m][0 if gaps[m][-1] > 0 else 1] += 1
            error = values[m].std(ddof=1) / len(splits) ** 0.5 if len(splits) > 1 else np.nan
            text = f"{values[m].mean():.{digits}f}" + (f" ± {error:.{digits}f}" if len(splits) > 1 else "")
            cells.append(f"**{text}**" if m == least else text)
        print(f"| {name} | {len(splits)} | {' | '.join(cells)} |")
    print(f"| **best on** | | {' | '.join(str(best[m]) for m in models)} |")
    print(f"| mean over the sets, less auto's | | {' | '.join(f'{np.mean(gaps[m]):+.3f}' for m in models)} |")
    print(f"| median over the sets, less auto's | | {' | '.join(f'{np.median(gaps[m]):+.3f}' for m in models)} |")
    print(f"| sets where auto is better : worse | | {' | '.join('{}:{}'.format(*wins[m]) for m in models)} |")


def print_part(records, sets):
    """Scores and seconds of a part of the sets."""
    print("\n### Log score of standardised y")
    print_table(records, "nll", sets)
    print("\n### CRPS of standardised y, one target")
    print_table(records, "crps", sets)
    print("\n### Core-seconds of a fit with its predictions, one thread\n")
    print("| model | median | longest |\n|---|---|---|")
    for model in (*OURS, *OTHERS):
        seconds = [r["seconds"] for r in records if r["model"] == model and r["set"] in sets]
        if seconds:
            print(f"| {model} | {np.median(seconds):.2f} | {max(seconds):.1f} |")


def main():
    """Fits, or the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data")
    parser.add_argument("records", type=Path)
    parser.add_argument("--sets", choices=["small", "large"], default="small")
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--models", help="default: all that are for these sets")
    parser.add_argument("--table", metavar="NOTE")
    call = parser.parse_args()
    if call.table is None:
        small = call.sets == "small"
        models = call.models.split(":") if call.models else [*OURS, *OTHERS] if small else LARGE_MODELS
        run(call.data, call.records, [*SMALL] if small else [*LARGE, *SIMULATED], models, call.splits, call.processes)
        return
    records = read(call.records)
    print("# Held-out scores on public and simulated sets\n")
    print(f"{call.table}.\n")
    print("Written by benchmarks/accuracy.py, whose head says how. Lower is better; mean ± standard error over splits,")
    print("where there are several. The log score is the negative log likelihood, or, where y has few values, that of")
    print("intervals.")
    print(f"{sum('error' in r for r in records)} of {len(records)} fits failed; each counts as {FAILED:g}.")
    print("\n## Large sets")
    print_part(records, [*LARGE, *SIMULATED])
    print("\n## Small sets")
    print_part(records, [*SMALL])
    for record in records:
        if "error" in record:
            print(f"\n{record['model']} on {record['set']}, split {record['split']}: {record['error'].splitlines()[0]}")


if __name__ == "__main__":
    main()
