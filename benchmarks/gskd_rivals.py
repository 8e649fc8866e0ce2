"""GSKD beside scikit-learn's GaussianMixture and KernelDensity on the 6-D example of Chen, Hong and Harris (2010).

usage: python benchmarks/gskd_rivals.py CONDENS_COMMAND
1,000 rows to fit, 10,000 to test, three seeds. Of each: seconds to choose and fit, components, seconds for the
densities of the test rows, mean negative log-likelihood (that of the truth is printed, too) and mean |p - p_hat| at
the test rows. GaussianMixture: diagonal, 1 to 10 components by BIC, 5 starts. KernelDensity: 20 widths by
GridSearchCV, five folds. The seconds of condens are those of whole processes, reading and writing files.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KernelDensity

MEANS = np.array([1.0, -1.0, 0.0])
VARIANCES = np.array([[1.0, 2.0] * 3, [2.0, 1.0] * 3, [2.0, 1.0] * 3])


def draw(n, random):
    """Equations 55 to 58."""
    component = random.integers(3, size=n)
    return MEANS[component, None] + np.sqrt(VARIANCES[component]) * random.normal(size=(n, 6))


def log_density(Z):
    """That of the truth."""
    terms = [
        -0.5 * ((Z - mean) ** 2 / variance + np.log(2 * np.pi * variance)).sum(axis=1)
        for mean, variance in zip(MEANS, VARIANCES, strict=True)
    ]
    return np.logaddexp.reduce(terms, axis=0) - np.log(3)


def timed(work):
    """The result and the seconds it took."""
    begin = time.perf_counter()
    result = work()
    return result, time.perf_counter() - begin


def mixture(train):
    """The number of components by BIC."""
    fits = [
        GaussianMixture(k, covariance_type="diag", n_init=5, random_state=0, max_iter=500).fit(train)
        for k in range(1, 11)
    ]
    return min(fits, key=lambda fit: fit.bic(train))


def window(train):
    """The width by five folds."""
    search = GridSearchCV(KernelDensity(), {"bandwidth": np.geomspace(0.2, 2, 20)}, cv=5).fit(train)
    return search.best_estimator_


class Command:
    """A model fitted by the command."""

    def __init__(self, command, folder, train, *options):
        self.command, self.folder = command, Path(folder)
        self.model = self.folder / "model.cbor"
        self.write("train.csv", train)
        columns = ["--target", "a,b,c,d,e,f"]
        self.run("fit", self.folder / "train.csv", *columns, "--model", "gskd", *options, "-o", self.model)

    def run(self, *arguments):
        """Standard output of one call."""
        call = [self.command, *map(str, arguments)]
        return subprocess.run(call, check=True, capture_output=True, text=True).stdout

    def write(self, name, Z):
        """A CSV file of six columns."""
        np.savetxt(self.folder / name, Z, delimiter=",", header="a,b,c,d,e,f", comments="")

    def score_samples(self, Z):
        """Log densities of the rows."""
        self.write("test.csv", Z)
        self.run("predict", self.model, self.folder / "test.csv", "--log-density", "-o", self.folder / "out.csv")
        return np.loadtxt(self.folder / "out.csv", delimiter=",", skiprows=1)


def main():
    """The table."""
    with tempfile.TemporaryDirectory() as folder:
        rivals = {
            "condens gskd": lambda train: Command(sys.argv[1], folder, train),
            "condens gskd, paper": lambda train: Command(sys.argv[1], folder, train, "--preset", "paper"),
            "GaussianMixture, BIC": mixture,
            "KernelDensity, 20 widths": window,
        }
        numbers = {name: [] for name in rivals}
        truth = []
        for seed in range(3):
            random = np.random.default_rng(seed)
            train, test = draw(1000, random), draw(10000, random)
            expected = log_density(test)
            truth.append(-expected.mean())
            for name, fit in rivals.items():
                model, seconds = timed(lambda fit=fit, train=train: fit(train))
                found, predicting = timed(lambda model=model, test=test: model.score_samples(test))
                error = np.abs(np.exp(found) - np.exp(expected)).mean()
                numbers[name].append((seconds, predicting, -found.mean(), 1e5 * error))
    print(f"{'':26s} fit s   test s   NLL (truth {np.mean(truth):.3f})   E|p - p_hat| x 1e5")
    for name, rows in numbers.items():
        seconds, predicting, nll, error = np.mean(rows, axis=0)
        print(f"{name:26s} {seconds:5.2f}   {predicting:6.3f}   {nll:.3f}               {error:.2f}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main()
