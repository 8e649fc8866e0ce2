"""Whatever arrays come in, one of the promised errors or a finite answer comes out, and layout never matters.

Hypothesis draws shapes, kinds of numbers, orders and strides, huge and tiny values, NaN and infinity.
"""

from __future__ import annotations

import contextlib
import warnings
from typing import Any

import numpy as np
import pytest
from conftest import QUICK, make_data
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_array_equal

import condens
from condens import LSCDE, GaussianMixtures

# The same examples in every run; the fixtures are read only.
settings.register_profile(
    "condens",
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
settings.load_profile("condens")

PROMISED = (ValueError, TypeError, condens.NumericalError)  # FormatError is a ValueError

REAL = [np.dtype(kind) for kind in ("f8", "f4", "f2", ">f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?")]
OTHER = [np.dtype(kind) for kind in ("c16", "c8", "U3", "S3", "M8[D]", "m8[s]")]
ODD = [0.0, -0.0, 1e-320, 1e-300, 1e-160, 1.0, 1e16, 1e150, 1e160, 1e300, -1e300, 1.7e308, np.nan, np.inf, -np.inf]


@st.composite
def layouts(draw: st.DrawFn, array: np.ndarray) -> np.ndarray:
    """The same numbers, laid out otherwise."""
    kind = draw(st.sampled_from(["C", "F", "reversed", "strided", "read-only", "unaligned", "view", "list", "swapped"]))
    if array.ndim == 0:
        return array
    if kind == "F":
        return np.asfortranarray(array)
    if kind == "reversed":
        return np.ascontiguousarray(array[::-1])[::-1]
    if kind == "strided":
        wide = np.repeat(array, 2, axis=-1) if array.ndim else array
        return wide[..., ::2]
    if kind == "read-only":
        array = array.copy()
        array.flags.writeable = False
        return array
    if kind == "unaligned" and array.size:
        padded = np.frombuffer(b"\0" + array.tobytes(), dtype=np.uint8)
        return np.ndarray(array.shape, array.dtype, padded.data, offset=1)
    if kind == "view":
        return array.view(np.memmap)
    if kind == "swapped" and array.dtype.kind in "iuf":
        return array.astype(array.dtype.newbyteorder("S"))
    return array.tolist() if kind == "list" and array.dtype.kind != "?" else array


@st.composite
def arrays(draw: st.DrawFn, shape: Any, dtypes: list[np.dtype] = REAL + OTHER) -> Any:
    """An array of any kind and layout, now and then of objects."""
    array = draw(hnp.arrays(draw(st.sampled_from(dtypes)), shape))
    if array.dtype.kind == "f" and array.size and draw(st.booleans()):
        array.flat[draw(st.integers(0, array.size - 1))] = draw(
            st.sampled_from(ODD[-1:] if array.dtype != "f8" else ODD)
        )
    if array.size and draw(st.integers(0, 9)) == 0:
        array = array.astype(object)
        array.flat[0] = draw(st.sampled_from([None, "a", 1, 2.5, object, [1], 1j, 10**400, True, b"x"]))
    return draw(layouts(array)) if array.dtype != object else array


@st.composite
def sensible(draw: st.DrawFn, shape: tuple[int, ...]) -> np.ndarray:
    """Finite float64 of any magnitude, without ties: what a fit can mostly do something with."""
    seed, power = (
        draw(st.integers(0, 99)),
        draw(st.sampled_from([-310, -300, -160, -100, -8, 0, 0, 0, 8, 100, 153, 160, 300])),
    )
    shift = draw(st.sampled_from([0.0, 1.0, -1e6]))
    return (np.random.default_rng(seed).normal(size=shape) + shift) * float(f"1e{power}")


@contextlib.contextmanager
def promised_errors_only() -> Any:
    """Lets the promised errors pass; any other, and every warning but FitWarning, fails the test."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", condens.FitWarning)
        # numpy and scikit-learn speak these when they themselves convert what hypothesis made up
        # (1e5 to float16, complex numbers among objects).
        warnings.filterwarnings("ignore", "overflow encountered in cast", RuntimeWarning)
        with contextlib.suppress(*PROMISED):
            yield


def all_finite(*values: Any) -> bool:
    return all(np.isfinite(value).all() for value in values)


SHAPES_X = st.sampled_from([(12, 1), (12, 2), (12, 0), (0, 2), (1, 2), (2, 1), (12,), (3, 2, 2), (), (11, 2)])
SHAPES_Y = st.sampled_from([(12,), (12, 1), (12, 2), (12, 0), (0,), (2,), (), (12, 2, 2), (1, 12)])
SMALL = {**QUICK, "n_centers": 6}


@given(data=st.data())
def test_fit_of_anything(data: st.DataObject) -> None:
    x, y = data.draw(arrays(data.draw(SHAPES_X))), data.draw(arrays(data.draw(SHAPES_Y)))
    weights = data.draw(st.one_of(st.none(), arrays(12)))
    with promised_errors_only():
        model = LSCDE(**SMALL).fit(x, y, sample_weight=weights)
        assert all_finite(model.predict(x), model.kernel_weights_, model.log_density(x, y))


@given(data=st.data())
def test_fit_of_any_magnitude(data: st.DataObject) -> None:
    d_y = data.draw(st.sampled_from([0, 1, 2]))
    x, y = data.draw(sensible((12, 2))), data.draw(sensible((12, d_y) if d_y else (12,)))
    options = data.draw(st.sampled_from([{}, {"standardize": False}, {"preset": "paper"}, {"bandwidth": [0.3, 1.0]}]))
    with promised_errors_only():
        model = LSCDE(**{**SMALL, **options}).fit(x, y)
        laws = model.predict_distribution(x)
        assert all_finite(model.kernel_weights_, model.predict(x), laws.weights)
        assert not np.isnan(model.log_density(x, y)).any()
        assert (laws.scales > 0).all()


@pytest.mark.filterwarnings("ignore:.*hardly depends")  # of data that may be anything
@given(data=st.data())
def test_layout_does_not_matter(data: st.DataObject) -> None:
    x, y = make_data(40)
    dtype = data.draw(st.sampled_from(REAL))
    x = np.round(x * 20).astype(dtype) if dtype.kind != "?" else x > 0
    if dtype.kind == "u":
        x = np.abs(np.round(make_data(40)[0] * 20)).astype(dtype)
    plain_x, weights = np.array(x, dtype=np.float64, order="C"), np.linspace(0.5, 2, 40)
    expected = LSCDE(**SMALL).fit(plain_x, y, sample_weight=weights)
    model = LSCDE(**SMALL).fit(data.draw(layouts(x)), data.draw(layouts(y)), sample_weight=data.draw(layouts(weights)))
    assert model._model.to_bytes() == expected._model.to_bytes()
    assert_array_equal(model.predict(data.draw(layouts(x))), expected.predict(plain_x))
    assert_array_equal(model.log_density(x, data.draw(layouts(y))), expected.log_density(plain_x, y))
    laws = model.predict_distribution(x)
    for name in ("logpdf", "cdf", "crps"):
        method = getattr(laws, name)
        assert_array_equal(method(data.draw(layouts(y))), method(y))
        grid = np.random.default_rng(0).normal(size=(3, 40))
        assert_array_equal(method(data.draw(layouts(grid))), method(grid))
    parts = [np.array(part) for part in (laws.weights, laws.means, laws.scales)]
    other = GaussianMixtures(*(data.draw(layouts(part)) for part in parts))
    assert_array_equal(other.logpdf(y), GaussianMixtures(*parts).logpdf(y))


@given(data=st.data())
def test_prediction_for_anything(data: st.DataObject, fitted: Any) -> None:
    x = data.draw(arrays(data.draw(st.sampled_from([(3, 2), (3, 1), (0, 2), (2,), (3, 2, 1), (1, 2)]))))
    with promised_errors_only():
        laws = fitted.predict_distribution(x)
        # As far away as a float reaches the weights are those of the nearest centres.
        assert all_finite(laws.weights, laws.mean(), laws.std(), fitted.predict(x), fitted.predict_quantiles(x))
        np.testing.assert_allclose(laws.weights.sum(-1), 1)


ONE_Y = (
    *("pdf", "logpdf", "cdf", "logcdf", "sf", "logsf", "ppf", "isf", "hdr_mass", "pit"),
    *("crps", "energy_score", "squared_loss", "mean_distance"),
)


@given(data=st.data())
def test_functions_of_anything(data: st.DataObject, fitted: Any) -> None:
    laws = fitted.predict_distribution([[0.0, 0.0], [1.0, -1.0], [1e200, 3.0]])
    y = data.draw(arrays(data.draw(st.sampled_from([(), (3,), (2,), (0,), (2, 3), (3, 1)]))))
    for name in ONE_Y:
        with promised_errors_only():
            values = getattr(laws, name)(y)
            assert np.shape(values) == np.broadcast_shapes(np.shape(y), (3,))
            assert not np.isnan(values).any(), (name, y)


@given(data=st.data())
def test_mixtures_of_anything(data: st.DataObject) -> None:
    shape = st.sampled_from([(2,), (3, 2), (1,), (0,), (2, 0), (3, 1), (), (0, 2), (2, 2, 2)])
    weights = data.draw(st.one_of(st.just([0.5, 0.5]), st.just([1.0]), arrays(data.draw(shape))))
    means, scales = (data.draw(arrays(data.draw(shape))) for _ in range(2))
    with promised_errors_only():
        laws = GaussianMixtures(weights, means, scales, multivariate=data.draw(st.booleans()))
        assert laws.size == np.prod(laws.shape, dtype=int)
        assert all_finite(laws.weights, laws.means, laws.scales)
        assert not np.isnan(laws.logpdf(np.zeros(laws.n_targets) if laws.n_targets > 1 else 0.0)).any()


# The range that the core allows; beyond it, powers of scales and deviations leave that of floats.
WIDE = [1e-105, 1e-30, 1e-8, 1.0, 1e8, 1e30, 1e104]


@pytest.mark.parametrize("name", [*ONE_Y, "mean", "std", "median", "mode", "entropy", "l2_norm", "energy", "rvs"])
def test_laws_of_extreme_scales(name: str) -> None:
    for scale in WIDE:
        for mean in (0.0, *WIDE, -WIDE[-1]):
            law = GaussianMixtures([0.5, 0.5], [mean, mean + scale], [scale, 2 * scale])
            if name not in ONE_Y:
                assert np.isfinite(getattr(law, name)())
                continue
            for y in (0.0, mean, scale, -WIDE[-1]):
                found = getattr(law, name)(0.3 if name in ("ppf", "isf") else y)
                assert not np.isnan(found)
                assert np.isfinite(found) or name.startswith("log") or name in ("squared_loss", "l2_norm")


@pytest.mark.parametrize(("mean", "scale"), [(0.0, 1e-106), (0.0, 1e106), (1e106, 1.0), (-1e300, 1.0), (0.0, 5e-324)])
def test_laws_beyond_the_range_are_refused(mean: float, scale: float) -> None:
    with pytest.raises(ValueError, match="scale from 1e-105 to 1e\\+105: change the unit"):
        GaussianMixtures([1.0], [mean], [scale])


@pytest.mark.parametrize("text", ["a\0b", "\ud800", "ü" * 5000, ""])
@pytest.mark.parametrize("name", ["preset", "scoring", "bandwidth", "centers", "cv", "random_state", "n_jobs"])
def test_odd_texts_as_options(name: str, text: str) -> None:
    with pytest.raises((ValueError, TypeError)):
        LSCDE(**{**QUICK, name: text}).fit(*make_data(20))
