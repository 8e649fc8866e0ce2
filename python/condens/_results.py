"""What model selection compared, in the form of scikit-learn's cv_results_."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_WORST = np.finfo(float).max  # left no density in some fold


def cv_results(candidates: dict[str, Floats], folds: Floats | None) -> dict[str, Any]:
    """Candidates with their scores, greater is better; `folds`: the score of each candidate in every fold, if any."""
    if not candidates:
        return {}
    out: dict[str, Any] = {
        f"param_{name}": values for name, values in candidates.items() if name not in ("score", "standard_error")
    }
    failed = candidates["score"] == _WORST
    score = np.where(failed, -np.inf, -candidates["score"])
    if folds is not None:
        splits = np.reshape(folds, (len(score), -1))
        splits = np.where(splits == _WORST, -np.inf, -splits)
        out.update({f"split{k}_test_score": splits[:, k].copy() for k in range(splits.shape[1])})
    out["mean_test_score"] = score
    if folds is not None:
        with np.errstate(invalid="ignore"):
            out["std_test_score"] = splits.std(axis=1)
    out["standard_error_test_score"] = np.where(failed, np.nan, candidates["standard_error"])
    order = np.argsort(-score, kind="stable")
    ranks = np.empty(len(score), dtype=np.int64)
    ranks[order] = np.arange(1, len(score) + 1)
    out["rank_test_score"] = ranks
    return out
