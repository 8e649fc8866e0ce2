"""
From the command line to Python
===============================

A model file is read by the command line, by Python and by C++. Fit on a machine without Python, in a script or a batch
job, and look at the result here; or the other way round.
"""

# %%
# The command is taken from the environment variable ``CONDENS_COMMAND``, from a build in this checkout or from the
# path. Where there is none, Python writes the file instead, and the page says so.
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import condens
from condens import LSCDE, plot

folders = [Path.cwd(), *Path.cwd().parents]
root = next(folder for folder in folders if (folder / "data").is_dir())
table = root / "data" / "geyser.csv"
built = root / "build" / "release" / "cli" / "condens"
command = os.environ.get("CONDENS_COMMAND") or (str(built) if built.exists() else shutil.which("condens"))

geyser = pd.read_csv(table)
X, y = geyser[["duration"]], geyser["waiting"]
file = Path(tempfile.mkdtemp()) / "geyser.json"
if command:
    subprocess.run([command, "fit", table, "--target", "waiting", "-o", file], check=True, capture_output=True)
    print("fitted by: condens fit data/geyser.csv --target waiting -o geyser.json")
else:
    LSCDE().fit(X, y).save(file)
    print("no command found: fitted and saved by Python")

# %%
model = condens.load(file)
plot.density_map(model, X, y)
plt.show()

# %%
# The loaded model is an estimator like any other. Its parameters say how to fit it again, and a fit in Python gives the
# same bits:
print(model)
print("same as a fit in Python:", np.array_equal(LSCDE().fit(X, y).kernel_weights_, model.kernel_weights_))
