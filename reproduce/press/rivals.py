"""Table 1 of Goerg (2017): the methods that are not ours, on TensorFlow's split of the abalone data.

usage: rivals.py DATA_DIRECTORY

Writes Markdown to standard output. The paper took R's packages with their defaults; the settings below are R's
defaults where scikit-learn has them. MARS is R's package earth itself (rivals.R), where that is installed.
"""

import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import sklearn
from sklearn.ensemble import RandomForestRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso, LassoCV, LinearRegression
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR

SEEDS = 3
PRINTED = {  # test MSE, test MAD
    "svm": (5.279, 1.517),
    "random forest": (5.335, 1.567),
    "lm": (5.523, 1.654),
    "DNN(10x10)": (5.581, None),
    "cv.glmnet": (5.642, 1.665),
}


class LassoOneError:
    """The largest penalty within one standard error of the least ten-fold error: cv.glmnet's default."""

    def __init__(self, seed):
        self.folds = np.random.default_rng(seed)

    def fit(self, x, y):
        """By ten folds."""
        order = self.folds.permutation(len(y))
        self.scale = StandardScaler().fit(x[order])
        path = LassoCV(cv=10, alphas=100).fit(self.scale.transform(x[order]), y[order])
        means = path.mse_path_.mean(axis=1)
        best = np.argmin(means)
        limit = means[best] + path.mse_path_[best].std(ddof=1) / np.sqrt(10)
        penalty = path.alphas_[means <= limit].max()
        self.model = Lasso(alpha=penalty).fit(self.scale.transform(x), y)
        return self

    def predict(self, x):
        """On the scale of y."""
        return self.model.predict(self.scale.transform(x))


class ScaledTarget:
    """R's svm scales y, too."""

    def fit(self, x, y):
        """On y of mean 0 and deviation 1."""
        self.mean, self.deviation = y.mean(), y.std(ddof=1)
        self.model = make_pipeline(StandardScaler(), SVR(C=1.0, epsilon=0.1, gamma=1 / x.shape[1]))
        self.model.fit(x, (y - self.mean) / self.deviation)
        return self

    def predict(self, x):
        """On the scale of y."""
        return self.mean + self.deviation * self.model.predict(x)


def forest(seed):
    """R's randomForest: 500 trees, a third of the inputs at a split, nodes of five rows are not split."""
    return RandomForestRegressor(n_estimators=500, max_features=2 / 7, min_samples_split=6, random_state=seed)


def network(seed):
    """Two layers of ten units, as TensorFlow's tutorial; stops where a tenth of the rows does not get better."""
    network = MLPRegressor(
        hidden_layer_sizes=(10, 10), max_iter=2000, early_stopping=True, n_iter_no_change=50, random_state=seed
    )
    return make_pipeline(StandardScaler(), network)


RIVALS = [
    ("svm", lambda seed: ScaledTarget(), 1),
    ("random forest", forest, SEEDS),
    ("lm", lambda seed: LinearRegression(), 1),
    ("DNN(10x10)", network, SEEDS),
    ("cv.glmnet", LassoOneError, SEEDS),
]


def read(path):
    """Inputs and rings."""
    rows = np.loadtxt(path, delimiter=",", skiprows=1)
    return rows[:, :-1], rows[:, -1]


def cell(values):
    """Mean ± standard error of it."""
    text = f"{np.mean(values):.3f}"
    return text if len(values) == 1 else f"{text} ± {np.std(values, ddof=1) / np.sqrt(len(values)):.3f}"


def earth_row(directory):
    """The row of R's earth, or one without our numbers."""
    if shutil.which("Rscript"):
        command = ["Rscript", str(Path(__file__).with_name("rivals.R")), str(directory)]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode == 0:
            return run.stdout.rstrip()
        print("earth is left out:", run.stderr.strip(), file=sys.stderr)
    return f"| earth         | {'5.266':>15} | {'-':>13} | {'1.592':>15} | {'-':>13} |"


def main():
    """Every rival's row of Table 1."""
    directory = Path(sys.argv[1])
    x, y = read(directory / "abalone_tf_train.csv")
    x_test, y_test = read(directory / "abalone_tf_test.csv")
    warnings.simplefilter("ignore", ConvergenceWarning)
    print("### Table 1: other methods\n")
    print(
        f"By scikit-learn {sklearn.__version__} with the defaults of R's packages, earth by R itself; "
        f"± over {SEEDS} seeds.\n"
    )
    print("| method        | test MSE, paper |          ours | test MAD, paper |          ours |")
    print("|:--------------|----------------:|--------------:|----------------:|--------------:|")
    print(earth_row(directory))
    for name, make, seeds in RIVALS:
        print(name, file=sys.stderr)
        residuals = [make(seed).fit(x, y).predict(x_test) - y_test for seed in range(seeds)]
        mse, mad = PRINTED[name]
        printed = "-" if mad is None else f"{mad:.3f}"
        ours = cell([np.mean(r**2) for r in residuals])
        absolute = cell([np.mean(np.abs(r)) for r in residuals])
        print(f"| {name:13} | {mse:15.3f} | {ours:>13} | {printed:>15} | {absolute:>13} |")
    print()


if __name__ == "__main__":
    main()
