"""What the parts of a mixture density network are worth on larger tables: each changed alone, beside the defaults.

usage: python benchmarks/mdn_designs.py DATA [--seeds 2] [--rows 8000] [--members 2]
DATA as for accuracy.py. Of each set at most `rows` random rows train, and at most 2,000 others are the test. Printed
are log score and CRPS (targets in standard deviations; lower is better) of the defaults, and the differences from them,
each a mean over seeds, which move the rows, too; the last line counts sets and seeds on which a change is better and
worse.
"""

from __future__ import annotations

import argparse

import numpy as np
from accuracy import Split, scores_of

from condens import MixtureDensityNetwork

SETS = ("abalone", "bikes", "california", "physicochem", "diamonds")
CHANGES = {
    "without scores of the inputs": {"input_scores": "none"},
    "residual layers": {"residual": True},
    "5 layers": {"layers": 5},
    "5 residual layers": {"layers": 5, "residual": True},
    "128 units": {"units": 128},
    "8 Gaussians": {"n_components": 8},
    "a third of the learning rate": {"learning_rate": 0.001},
}


def scores(split, members, options):
    """Log score and CRPS."""
    model = MixtureDensityNetwork(random_state=0, n_members=members, **options)
    return np.array(scores_of(model.fit(split.X, split.y[:, 0]).predict_distribution(split.X_test), split))


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--rows", type=int, default=8000)
    parser.add_argument("--members", type=int, default=2)
    call = parser.parse_args()
    columns = ["set", "defaults", *CHANGES]
    print("| " + " | ".join(columns) + " |\n" + "|---" * len(columns) + "|")
    better, worse = (dict.fromkeys(CHANGES, 0) for _ in range(2))
    for name in SETS:
        own, differences = [], {change: [] for change in CHANGES}
        for seed in range(call.seeds):
            split = Split(call.data, name, seed)
            split.X, split.y = split.X.iloc[: call.rows], split.y[: call.rows]
            own.append(scores(split, call.members, {}))
            for change, options in CHANGES.items():
                difference = scores(split, call.members, options) - own[-1]
                differences[change].append(difference)
                better[change] += difference[0] < 0
                worse[change] += difference[0] > 0
        cells = ["{:.3f}, {:.3f}".format(*np.mean(own, axis=0))]
        cells += ["{:+.3f}, {:+.3f}".format(*np.mean(differences[change], axis=0)) for change in CHANGES]
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
    cells = [f"{better[change]} : {worse[change]}" for change in CHANGES]
    print("| log score better : worse | | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
