"""Error bars by the bootstrap: `bootstrap=` and `predict_bands` of every estimator."""

from __future__ import annotations

import re

import numpy as np
import pytest
from sklearn.base import clone

import condens
from condens import LSCDE, ConditionalForest, Parzen, Pooled


def table(n: int = 120) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, 2))
    return x, np.exp(0.3 * x[:, 0] + 0.4 * rng.normal(size=n))


@pytest.mark.parametrize("kind", ["real", "positive"])
def test_bands_are_percentiles_of_the_replicates(kind: str) -> None:
    x, y = table()
    model = Parzen(bootstrap=39, target_kind=kind).fit(x, y)
    bands = model.predict_bands(x[:5], lambda dist: dist[:, None].cdf([1.0, 2.0]), 0.9)
    assert bands.shape == (5, 2, 2)
    values = np.sort(
        [
            condens.target_distributions.distributions_of(model._model.replicate(r).predict(x[:5].copy()), (5,), 1)[
                :, None
            ].cdf([1.0, 2.0])
            for r in range(39)
        ],
        axis=0,
    )
    np.testing.assert_allclose(bands[..., 0], values[1], rtol=1e-12)  # rank 40 * 0.05
    np.testing.assert_allclose(bands[..., 1], values[37], rtol=1e-12)
    means = model.predict_bands(x[:5], "mean", 0.9)
    assert (means[:, 0] < means[:, 1]).all()
    assert kind == "real" or (means > 0).all()
    normal = model.predict_bands(x[:5], "mean", 0.9, "normal")
    np.testing.assert_allclose(normal.mean(axis=1), model.predict(x[:5]), rtol=1e-12)


def test_replicates_are_saved_and_cloned(tmp_path) -> None:
    x, y = table()
    model = ConditionalForest(bootstrap=3, n_trees=5).fit(x, y)
    model.save(tmp_path / "m.cbor")
    loaded = condens.load(tmp_path / "m.cbor")
    assert loaded.bootstrap == 3
    expected = model.predict_bands(x[:4], "std", 0.4)
    np.testing.assert_array_equal(loaded.predict_bands(x[:4], "std", 0.4), expected)
    np.testing.assert_array_equal(clone(model).fit(x, y).predict_bands(x[:4], "std", 0.4), expected)


def test_derivatives_give_the_errors_of_refits() -> None:
    x, y = table(400)
    plain = {"bandwidth": 1.0, "bandwidth_y": 0.5, "regularization": 0.1, "n_centers": 20}
    widths = [
        np.ptp(LSCDE(**plain, bootstrap=own).fit(x, y).predict_bands(x[:9], "mean", method="normal"), axis=1)
        for own in (200, {"replicates": 200, "method": "delta"})
    ]
    np.testing.assert_allclose(widths[1], widths[0], rtol=0.15)


def test_bad_calls_are_refused() -> None:
    x, y = table(40)
    plain = LSCDE(bandwidth=1.0, bandwidth_y=0.5, regularization=0.1).fit(x, y)
    with pytest.raises(ValueError, match=re.escape("the estimator has no replicates; fit it with bootstrap=100")):
        plain.predict_bands(x)
    for value, error, message in [
        ("many", TypeError, "bootstrap = 'many', expected a number of replicates, such as 100, 0, or a dict"),
        ({"count": 5}, TypeError, "expected a number of replicates, such as 100, 0, or a dict"),
        ({"replicates": 9, "method": "exact"}, ValueError, "bootstrap: method = 'exact', expected one of"),
        (True, TypeError, "bootstrap = True, expected a number of replicates"),
        (-1, ValueError, "bootstrap = -1, expected a number of replicates, 0 to 10000"),
    ]:
        with pytest.raises(error, match=message):
            LSCDE(bootstrap=value).fit(x, y)
    model = plain.set_params(bootstrap=5).fit(x, y)
    with pytest.raises(ValueError, match=r"level = 0\.9 of 5 replicates, expected at least 19"):
        model.predict_bands(x)
    with pytest.raises(ValueError, match="method = 't', expected one of percentile, basic, normal"):
        model.predict_bands(x, method="t")
    with pytest.raises(TypeError, match="functional = 3, expected a function of distributions"):
        model.predict_bands(x, 3, 0.5)
    sizes = iter(range(1, 9))
    with pytest.raises(ValueError, match=r"functional: the shape of replicate 1 is \(2,\), that of the model \(1,\)"):
        model.predict_bands(x, lambda dist: np.zeros(next(sizes)), 0.5)
    with pytest.raises(ValueError, match="models has an estimator with bootstrap = 5, expected 0"):
        Pooled(models=[LSCDE(bootstrap=5), "gp"]).fit(x, y)
