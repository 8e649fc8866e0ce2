"""What the kind of a target is worth: the same model with and without, and families of other packages.

usage: python benchmarks/target_kinds.py DATA NOTE [SET...] > benchmarks/KINDS.md

DATA holds the CSV files (reproduce/common/fetch_data.sh and its README say where from), and in its folder "large"
hourly bikes, motor claims, California housing, diamonds and Ames. A fifth of the rows, drawn at random, is the test, at
most 2,000 of them; of the others at most 10,000 train. Categories are so for us and indicators for the other packages;
inputs with empty fields are left out.

Scores: CRPS for all, in the unit of y, and a log score where it means the same for all in a row: of counts and grades
minus the log of the probability of the value (of a density, of the interval between the midpoints to its neighbours),
of positive targets minus the log density. With atoms densities have no finite score: there it is that of probability
and density, for those who have both.

The other packages: NGBoost with the family of the kind, stopped early on a tenth of the rows; XGBoostLSS, where it is
installed (it brings PyTorch), likewise, with trees of depth 5, a rate of 0.1 and the best on that tenth of three
settings of its links and gradients, some of which give NaN (negative binomial, log-normal, Beta and, where the atom
is zero, zero-adjusted Gamma); generalized linear models by statsmodels, on standardised inputs (Poisson and negative
binomial with their maximum likelihood dispersion; a log-normal one; a Beta regression; with atoms a logistic
regression and a log-normal one for the rest). "shares" is drawn from a Beta distribution.
"""

from __future__ import annotations

import importlib.util
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import special, stats

import condens

MOST_TRAIN, MOST_TEST = 10_000, 2_000
# File, target, columns to leave out, kind.
SETS = {
    "bikes": ("large/bike_hour.csv.gz", "cnt", (), "count"),
    "abalone": ("abalone.csv", "rings", (), "count"),
    "wine_white": ("wine_white.csv", "quality", (), "ordinal"),
    "diamonds": ("large/diamonds.csv.gz", "price", (), "positive"),
    "ames": ("large/ames_housing.csv.gz", "SalePrice", ("Order", "PID"), "positive"),
    "california": ("large/california_housing.csv.gz", "median_house_value", (), "with-atoms"),
    "shares": (None, None, (), "bounded:0,1"),
    "motor": ("large/french_motor.csv.gz", "ClaimAmount", ("ClaimNb",), "with-atoms"),
}


def shares():
    """Beta-distributed shares, whose mean and precision go with the inputs."""
    random = np.random.default_rng(0)
    x = random.normal(size=(6000, 5))
    mean = special.expit(np.sin(2 * x[:, 0]) + x[:, 1] * x[:, 2])
    precision = np.exp(2 + x[:, 3])
    y = np.clip(random.beta(mean * precision, (1 - mean) * precision), 1e-9, 1 - 1e-9)
    return pd.DataFrame(x, columns=list("abcde")).assign(share=y)


def rows_of(data, name):
    """Training and test inputs and targets, and both inputs as standardised numbers."""
    file, target, others, _ = SETS[name]
    table = shares() if file is None else pd.read_csv(Path(data) / file, keep_default_na=False, na_values=[""])
    target = target if target in table else table.columns[-1]
    y = table[target].to_numpy(float)
    X = table.drop(columns=[target, *(c for c in others if c in table)]).dropna(axis=1)
    order = np.random.default_rng(0).permutation(len(y))
    cut = len(y) // 5
    train, test = order[cut:][:MOST_TRAIN], order[:cut][:MOST_TEST]
    texts = [c for c in X if not pd.api.types.is_numeric_dtype(X[c])]
    seen = (
        np.all([X[c].iloc[test].isin(set(X[c].iloc[train])) for c in texts], axis=0)
        if texts
        else np.full(len(test), True)
    )
    test = test[seen]
    numbers = pd.get_dummies(X, columns=texts, drop_first=True).to_numpy(float)
    mean, scale = numbers[train].mean(axis=0), numbers[train].std(axis=0)
    numbers = (numbers - mean) / np.where(scale > 0, scale, 1)
    frames = X.astype(dict.fromkeys(texts, "category"))
    return (frames.iloc[train], frames.iloc[test]), (numbers[train], numbers[test]), (y[train], y[test])


def cells(values, y):
    """Ends of the intervals around y between neighbouring values."""
    values = np.unique(values)
    middles = np.concatenate([[-np.inf], (values[1:] + values[:-1]) / 2, [np.inf]])
    place = np.clip(np.searchsorted(values, y), 0, len(values) - 1)
    return middles[place], middles[place + 1]


def crps_of_quantiles(ppf, y):
    """Twice the mean quantile loss at 199 levels."""
    levels = (np.arange(199) + 1) / 200
    gap = y[:, None] - ppf(levels[None, :])
    return 2 * np.mean(np.maximum(levels * gap, (levels - 1) * gap))


def ours(kind, model, frames, y, target_kind):
    """Log score and CRPS of a model of ours."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = model(target_kind=target_kind, random_state=0).fit(frames[0], y[0])
    laws = fitted.predict_distribution(frames[1])
    if target_kind == "real" and kind in ("count", "ordinal"):
        low, high = cells(np.arange(y[0].max() + 1) if kind == "count" else y[0], y[1])
        score = -np.mean(np.log(np.maximum(laws.probability(low, high), 1e-12)))
    elif target_kind == "real" and kind == "with-atoms":
        score = np.nan
    else:
        score = -np.mean(laws.logpdf(y[1]))
    return score, float(np.mean(laws.crps(y[1])))


def ngboost(family, numbers, y):
    """NGBoost, stopped early."""
    import ngboost

    cut = len(y[0]) // 10
    fitted = ngboost.NGBRegressor(
        Dist=getattr(ngboost.distns, family), n_estimators=2000, verbose=False, random_state=0
    )
    fitted.fit(numbers[0][cut:], y[0][cut:], X_val=numbers[0][:cut], Y_val=y[0][:cut], early_stopping_rounds=50)
    return fitted.pred_dist(numbers[1])


def xgboostlss(family, numbers, y):
    """XGBoostLSS, stopped early: the parameters of its distributions by name."""
    import xgboost
    from xgboostlss import distributions
    from xgboostlss.model import XGBoostLSS

    cut = len(y[0]) // 10
    module = getattr(distributions, family)
    rows = [xgboost.DMatrix(numbers[0][part], label=y[0][part], nthread=1) for part in (slice(cut, None), slice(cut))]
    settings = {"eta": 0.1, "max_depth": 5, "nthread": 1, "seed": 0}

    def fit(stabilization, link, rounds, **watched):
        links = {"response_fn_total_count" if family == "NegativeBinomial" else "response_fn": link}
        model = XGBoostLSS(getattr(module, family)(stabilization=stabilization, loss_fn="nll", **links))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.train(settings, rows[0], num_boost_round=rounds, verbose_eval=False, **watched)
            return model.predict(xgboost.DMatrix(numbers[1], nthread=1), pred_type="parameters")

    best, found = np.inf, None
    for stabilization, link in (("None", "exp"), ("None", "softplus"), ("L2", "softplus")):
        losses: dict = {}
        both = [(rows[0], "training"), (rows[1], "held_out")]
        fit(stabilization, link, 1000, evals=both, early_stopping_rounds=20, evals_result=losses)
        loss = np.array(next(iter(losses["held_out"].values())))
        rounds = int(np.nanargmin(loss)) + 1
        own = fit(stabilization, link, rounds)  # its predictions are those of all rounds
        if own.notna().all(axis=None) and loss[rounds - 1] < best:
            best, found = loss[rounds - 1], own
    return {name: found[name].to_numpy(float) for name in found}


def by_xgboostlss(kind, numbers, y):
    """Families of XGBoostLSS, by name."""
    if kind == "count":
        own = xgboostlss("NegativeBinomial", numbers, y)
        share = np.clip(1 - own["probs"], 1e-9, 1 - 1e-9)
        yield "XGBoostLSS, negative binomial", discrete(stats.nbinom(own["total_count"], share), y[1])
    if kind == "positive":
        own = xgboostlss("LogNormal", numbers, y)
        yield "XGBoostLSS, log-normal", continuous(stats.lognorm(own["scale"], 0, np.exp(own["loc"])), y[1])
    if kind.startswith("bounded"):
        # It keeps targets in single precision, where nothing is between 1 - 6e-8 and 1.
        own = xgboostlss("Beta", numbers, [np.clip(part, 1e-6, 1 - 1e-6) for part in y])
        yield "XGBoostLSS, Beta", continuous(stats.beta(own["concentration1"], own["concentration0"]), y[1])
    if kind == "with-atoms" and y[0].min() == 0:
        unit = y[0][y[0] > 0].mean()  # its links and starts are for numbers near one
        own = xgboostlss("ZAGamma", numbers, (y[0] / unit, y[1] / unit))
        yield (
            "XGBoostLSS, zero-adjusted Gamma",
            zero_adjusted(own["gate"], stats.gamma(own["concentration"], 0, unit / own["rate"]), y[1]),
        )


def zero_adjusted(share, dist, y):
    """Log score and CRPS of zero with a probability, and a density for the rest."""
    at = y == 0
    score = -np.mean(np.log(np.where(at, share, (1 - share) * dist.pdf(np.where(at, 1.0, y)))))
    columns, share_ = dist_columns(dist), share[:, None]

    def ppf(levels):
        return np.where(levels <= share_, 0.0, columns(np.clip((levels - share_) / (1 - share_), 1e-9, 1 - 1e-9)))

    return score, crps_of_quantiles(ppf, y)


def discrete(dist, y):
    """Log score and CRPS of a distribution of scipy of counts."""
    return -np.mean(np.maximum(dist.logpmf(y), np.log(1e-12))), crps_of_quantiles(dist_columns(dist), y)


def dist_columns(dist):
    """Its quantiles at a row of levels, a row for each distribution."""
    parameters = [np.reshape(own, (-1, 1)) for own in dist.args]
    return lambda levels: dist.dist.ppf(
        levels, *parameters, **{k: np.reshape(v, (-1, 1)) for k, v in dist.kwds.items()}
    )


def continuous(dist, y):
    """Log score and CRPS of a density of scipy."""
    return -np.mean(dist.logpdf(y)), crps_of_quantiles(dist_columns(dist), y)


def with_constant(numbers):
    """A column of ones before the others."""
    return [np.column_stack([np.ones(len(own)), own]) for own in numbers]


def glm(kind, numbers, y):
    """Families of statsmodels, by name."""
    import statsmodels.api as sm

    x = with_constant(numbers)
    if kind == "count":
        poisson = sm.GLM(y[0], x[0], family=sm.families.Poisson()).fit().predict(x[1])
        yield "GLM, Poisson", discrete(stats.poisson(poisson), y[1])
        found = sm.NegativeBinomial(y[0], x[0]).fit(disp=0, maxiter=200)
        mean, spread = found.predict(x[1]), found.params[-1]
        yield "GLM, negative binomial", discrete(stats.nbinom(1 / spread, 1 / (1 + spread * mean)), y[1])
    if kind == "positive":
        yield "GLM, log-normal", continuous(log_normal(x, np.log(y[0])), y[1])
    if kind.startswith("bounded"):
        from statsmodels.othermod.betareg import BetaModel

        found = BetaModel(y[0], x[0]).fit(disp=0)
        mean, precision = found.predict(x[1]), np.exp(found.params[-1])
        yield "GLM, Beta", continuous(stats.beta(mean * precision, (1 - mean) * precision), y[1])
    if kind == "with-atoms":
        yield "GLM, hurdle", hurdle(x, y)


def log_normal(x, log_y):
    """Least squares for the logarithm."""
    coefficients = np.linalg.lstsq(x[0], log_y, rcond=None)[0]
    spread = np.std(log_y - x[0] @ coefficients)
    return stats.lognorm(np.full(len(x[1]), spread), 0, np.exp(x[1] @ coefficients))


def hurdle(x, y):
    """A logistic regression for the most frequent value, and a log-normal distribution for the rest."""
    from sklearn.linear_model import LogisticRegression

    values, counts = np.unique(y[0], return_counts=True)
    atom = values[counts.argmax()]
    share = LogisticRegression(max_iter=2000).fit(x[0], y[0] == atom).predict_proba(x[1])[:, 1]
    rest = y[0] != atom
    dist = log_normal([x[0][rest], x[1]], np.log(y[0][rest]))
    at = y[1] == atom
    density = np.where(at, 1.0, dist.pdf(np.where(at, 1.0, y[1])))
    score = -np.mean(np.log(np.where(at, share, (1 - share) * density)))
    columns = dist_columns(dist)

    def ppf(levels):  # the atom below or above all others
        share_ = share[:, None]
        if atom <= values.min():
            return np.where(levels <= share_, atom, columns(np.clip((levels - share_) / (1 - share_), 1e-9, 1 - 1e-9)))
        return np.where(
            levels > 1 - share_, atom, np.minimum(atom, columns(np.clip(levels / (1 - share_), 1e-9, 1 - 1e-9)))
        )

    return score, crps_of_quantiles(ppf, y[1])


def all_of(data, name):
    """Name, log score, CRPS and seconds of everything on a set."""
    kind = SETS[name][3]
    frames, numbers, y = rows_of(data, name)
    for model in (condens.BoostedDensity, condens.ConditionalForest, condens.LSCDE):
        for own in ("real", kind):
            begin = time.process_time()
            yield f"{model.__name__}, {own}", *ours(kind, model, frames, y, own), time.process_time() - begin
    begin = time.process_time()
    if kind == "count":
        dist = ngboost("Poisson", numbers, y)
        yield "NGBoost, Poisson", *discrete(stats.poisson(dist.mu), y[1]), time.process_time() - begin
    if kind == "positive":
        dist = ngboost("LogNormal", numbers, y)
        yield (
            "NGBoost, log-normal",
            *continuous(dist.dist, y[1]),
            time.process_time() - begin,
        )
    families = [glm] if importlib.util.find_spec("xgboostlss") is None else [by_xgboostlss, glm]
    for family in families:
        begin = time.process_time()
        for label, scores in family(kind, numbers, y):
            yield label, *scores, time.process_time() - begin
            begin = time.process_time()


def main():
    """Prints the table."""
    data, note, *names = sys.argv[1:]
    print(f"# Kinds of targets: held-out scores\n\n{note}.\n")
    print("Written by `benchmarks/target_kinds.py`, whose head says how.")
    for name in names or SETS:
        kind = SETS[name][-1]
        print(f"\n## {name}: {kind}\n\n| model | log score | CRPS | core-seconds |\n|---|---|---|---|")
        rows = list(all_of(data, name))
        best = [np.nanmin([row[k] for row in rows]) for k in (1, 2)]
        for label, score, crps, seconds in rows:
            texts = ["-" if np.isnan(own) else f"{own:{form}}" for own, form in ((score, ".3f"), (crps, ".4g"))]
            texts = [f"**{t}**" if v == b else t for t, v, b in zip(texts, (score, crps), best, strict=True)]
            print(f"| {label} | {' | '.join(texts)} | {seconds:.1f} |", flush=True)


if __name__ == "__main__":
    main()
