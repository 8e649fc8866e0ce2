"""The compiled core of condens. Use the condens package instead."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[numpy.float64]
Callback: TypeAlias = Callable[[str, float], Any] | None

class NumericalError(ArithmeticError): ...
class FormatError(ValueError): ...
class Cancelled(RuntimeError): ...

level: str

version: str

class Laws:
    """n Gaussian mixtures in d dimensions of m components each."""

    def __init__(self, log_weights: Floats, means: Floats, scales: Floats, shared: bool) -> None:
        """Log weights (n, m); means and scales (m, d) when shared, else (n m, d)."""

    @staticmethod
    def restored(
        log_weights: Floats, means: Floats, scales: Floats, shared: bool, correlations: Floats | None = None
    ) -> Laws:
        """Equal to the distributions these numbers came from, to the bit."""

    @staticmethod
    def of_covariances(log_weights: Floats, means: Floats, covariances: Floats) -> Laws:
        """Log weights (n, m); means (n m, d) and covariances (n m, d d)."""

    @staticmethod
    def concatenate(parts: list[Laws]) -> Laws:
        """Distributions in a row; those of fewer components have components of weight zero."""

    def __len__(self) -> int: ...
    @property
    def dimension(self) -> int: ...
    @property
    def n_components(self) -> int: ...
    @property
    def shared(self) -> bool: ...
    @property
    def weights(self) -> Floats: ...
    @property
    def log_weights(self) -> Floats: ...
    @property
    def means(self) -> Floats: ...
    @property
    def scales(self) -> Floats: ...
    @property
    def correlations(self) -> Floats | None:
        """Cholesky factors of the correlation matrices, column by column, or None for independent targets."""

    @property
    def covariances(self) -> Floats: ...
    def marginal(self, targets: Sequence[int]) -> Laws: ...
    def conditional(self, given: Sequence[int], values: Floats) -> Laws:
        """The other targets given (n, k) values of k of them."""

    def affine(self, shift: Floats, scale: Floats) -> Laws:
        """shift + scale Y, both (n, d)."""

    def affine_all(self, shift: Floats, scale: Floats) -> Laws:
        """shift + scale Y, the same (d) for all distributions."""

    def probability(self, lower: Floats, upper: Floats, threads: int = 0, callback: Callback = None) -> Floats:
        """P(lower < Y <= upper) of k intervals for every distribution, n k."""

    def lower_tail_mean(self, y: Floats, threads: int = 0, callback: Callback = None) -> Floats:
        """E[Y | Y <= quantile(level)]."""

    def upper_tail_mean(self, y: Floats, threads: int = 0, callback: Callback = None) -> Floats:
        """E[Y | Y > upper_quantile(level)]."""

    def slice(self, begin: int, count: int) -> Laws: ...
    def select(self, laws: Sequence[int]) -> Laws: ...
    def pdf(self, y: Floats, threads: int = 0, callback: Callback = None) -> Floats:
        """Density at k points of every distribution, (n k, d) -> n k."""

    def log_pdf(self, y: Floats, threads: int = 0, callback: Callback = None) -> Floats:
        """Log density at k points of every distribution."""

    def energy_score(self, y: Floats, threads: int = 0, callback: Callback = None) -> Floats:
        """E|X - y| - E|X - X'| / 2."""

    def mean_distance(self, y: Floats, threads: int = 0, callback: Callback = None) -> Floats:
        """E|X - y|."""

    def squared_loss(self, y: Floats, threads: int = 0, callback: Callback = None) -> Floats:
        """Half the integral of p^2, minus p(y)."""

    def cdf(self, y: Floats, threads: int = 0, callback: Callback = None) -> Floats:
        """P(Y <= y) at k numbers of every distribution, (n k) -> n k."""

    def sf(self, y: Floats, threads: int = 0, callback: Callback = None) -> Floats:
        """P(Y > y)."""

    def log_cdf(self, y: Floats, threads: int = 0, callback: Callback = None) -> Floats:
        """log P(Y <= y)."""

    def log_sf(self, y: Floats, threads: int = 0, callback: Callback = None) -> Floats:
        """log P(Y > y)."""

    def quantile_each(self, y: Floats, threads: int = 0, callback: Callback = None) -> Floats:
        """y with cdf(y) = level, k levels for every distribution."""

    def upper_quantile_each(self, y: Floats, threads: int = 0, callback: Callback = None) -> Floats:
        """y with sf(y) = level."""

    def highest_density_mass(self, y: Floats, threads: int = 0, callback: Callback = None) -> Floats:
        """Mass of the smallest region that has y."""

    def crps(self, y: Floats, threads: int = 0, callback: Callback = None) -> Floats:
        """Continuous ranked probability score."""

    def log_pdf_grid(self, y: Floats, threads: int = 0, callback: Callback = None) -> Floats:
        """Log density of every distribution at every point, (q, d) -> (n, q)."""

    def mean(self, threads: int = 0, callback: Callback = None) -> Floats:
        """(n, d)"""

    def variance(self, threads: int = 0, callback: Callback = None) -> Floats:
        """(n, d)"""

    def covariance(self, threads: int = 0, callback: Callback = None) -> Floats:
        """(n, d d)"""

    def mode(self, threads: int = 0, callback: Callback = None) -> Floats:
        """(n, d)"""

    def median(self, threads: int = 0, callback: Callback = None) -> Floats:
        """n"""

    def skewness(self, threads: int = 0, callback: Callback = None) -> Floats:
        """n"""

    def kurtosis(self, threads: int = 0, callback: Callback = None) -> Floats:
        """n, in excess of 3"""

    def entropy(self, threads: int = 0, callback: Callback = None) -> Floats:
        """n"""

    def squared_l2_norm(self, threads: int = 0, callback: Callback = None) -> Floats:
        """n, integral of p^2"""

    def energy(self, threads: int = 0, callback: Callback = None) -> Floats:
        """n, E|X - X'|"""

    def raw_moment(self, order: int, threads: int = 0) -> Floats:
        """n, E Y^order"""

    def modes(self, threads: int = 0, callback: Callback = None) -> list[Floats]:
        """A list of (k_i, d), by falling density."""

    def interval(self, mass: float, threads: int = 0, callback: Callback = None) -> Floats:
        """(n, 2)"""

    def highest_density_region(self, mass: float, threads: int = 0, callback: Callback = None) -> list[Floats]:
        """A list of (k_i, 2)."""

    def sample(self, per_law: int, seed: int, threads: int = 0, callback: Callback = None) -> Floats:
        """(n per_law, d), the draws of a distribution in a row."""

class TargetLaws:
    """n distributions of one target with bounds, values that can be counted, or atoms."""

    def __init__(self, base: Laws, support: dict[str, Any], log_shares: Floats) -> None:
        """Gaussian mixtures of the target's code; what its values are; log probabilities of no atom and of each."""

    @property
    def base(self) -> Laws: ...
    @property
    def support(self) -> dict[str, Any]: ...
    @property
    def log_shares(self) -> Floats: ...
    def log_pdf(self, y: Floats, threads: int = 0, callback: Callback = None) -> Floats:
        """Log density at k points of every law; of a value with a probability, its log."""

    def cdf(self, y: Floats, threads: int = 0, callback: Callback = None) -> Floats:
        """P(Y <= y) at k numbers of every law, (n k) -> n k."""

    def cdf_below(self, y: Floats, threads: int = 0, callback: Callback = None) -> Floats:
        """P(Y < y)."""

    def sf(self, y: Floats, threads: int = 0, callback: Callback = None) -> Floats:
        """P(Y > y)."""

    def mass_at(self, y: Floats, threads: int = 0, callback: Callback = None) -> Floats:
        """P(Y = y)."""

    def quantile_each(self, y: Floats, threads: int = 0, callback: Callback = None) -> Floats:
        """Least y with cdf(y) >= level, k levels for every law."""

    def upper_quantile_each(self, y: Floats, threads: int = 0, callback: Callback = None) -> Floats:
        """Least y with sf(y) <= level."""

    def highest_density_mass(self, y: Floats, threads: int = 0, callback: Callback = None) -> Floats:
        """Probability of what is likelier than y."""

    def crps(self, y: Floats, threads: int = 0, callback: Callback = None) -> Floats:
        """Continuous ranked probability score."""

    def mean(self, threads: int = 0, callback: Callback = None) -> Floats:
        """(n, 1)"""

    def variance(self, threads: int = 0, callback: Callback = None) -> Floats:
        """(n, 1)"""

    def mode(self, threads: int = 0, callback: Callback = None) -> Floats:
        """(n, 1)"""

    def median(self, threads: int = 0, callback: Callback = None) -> Floats:
        """n"""

    def log_pdf_grid(self, y: Floats, threads: int = 0, callback: Callback = None) -> Floats:
        """Log density beside atoms, or probability over length, of every law at every point, (q, 1) -> (n, q)."""

    @property
    def atom_probabilities(self) -> Floats: ...
    def interval(self, mass: float, threads: int = 0, callback: Callback = None) -> Floats:
        """(n, 2)"""

    def highest_density_region(self, mass: float, threads: int = 0, callback: Callback = None) -> list[Floats]:
        """A list of (k_i, 2)."""

    def sample(self, per_law: int, seed: int, threads: int = 0, callback: Callback = None) -> Floats:
        """(n per_law, d), the draws of a law in a row."""

    def slice(self, begin: int, count: int) -> TargetLaws: ...
    def select(self, laws: Sequence[int]) -> TargetLaws: ...
    def __len__(self) -> int: ...
    @property
    def dimension(self) -> int: ...

class TableColumns:
    """The encoder of a table whose rows are elsewhere, in several readings."""

    def __init__(
        self,
        inputs: Sequence[str],
        targets: Sequence[str],
        categorical: Sequence[str],
        missing: str,
        many_levels: str,
        rare_levels: int | None,
        unseen: str,
        seed: int,
    ) -> None: ...
    def add(self, columns: dict[str, Floats | list[str]]) -> TableColumns: ...
    def merge(self, later: TableColumns, /) -> TableColumns: ...
    def next_reading(self) -> TableColumns: ...
    @property
    def is_complete(self) -> bool: ...
    @property
    def encoder(self) -> Encoder: ...
    @property
    def many_levels(self) -> list[str]: ...
    @property
    def seed(self) -> int: ...

class Encoder:
    """From named columns to numbers, the same way in training and in prediction."""

    @staticmethod
    def fit(
        columns: dict[str, Floats | list[str]],
        targets: Sequence[str],
        categorical: Sequence[str],
        missing: str,
        many_levels: str = "statistics",
        rare_levels: int | None = None,
        unseen: str = "automatic",
        weights: Floats | None = None,
        seed: int = 0,
    ) -> Encoder: ...
    def encode_training(self, columns: dict[str, Floats | list[str]], weights: Floats | None = None) -> Floats: ...
    def with_codes(self, input: str, codes: Floats) -> Encoder: ...
    def unseen_levels(self, columns: dict[str, Floats | list[str]], /) -> list[str]: ...
    @property
    def unseen(self) -> str: ...
    @property
    def named_inputs(self) -> list[str]: ...
    @property
    def missing(self) -> str: ...
    def filled_without_mark(self, columns: dict[str, Floats | list[str]], /) -> list[str]: ...
    def encode_inputs(self, columns: dict[str, Floats | list[str]], /) -> Floats: ...
    def warnings(self, rows: int) -> list[str]: ...
    @property
    def encoded_names(self) -> list[str]: ...
    @property
    def groups(self) -> list[int]: ...
    @property
    def input_names(self) -> list[str]: ...
    @property
    def target_names(self) -> list[str]: ...
    @property
    def target_ranges(self) -> list[tuple[float, float]]: ...
    @property
    def levels(self) -> dict[str, list[str]]: ...

class Model:
    """A fitted conditional density with the names of its columns."""

    @property
    def name(self) -> str: ...
    @property
    def n_inputs(self) -> int: ...
    @property
    def n_targets(self) -> int: ...
    @property
    def encoder(self) -> Encoder: ...
    @property
    def options(self) -> dict[str, Any]: ...
    @property
    def report(self) -> dict[str, Any]: ...
    @property
    def warnings(self) -> list[str]: ...
    @property
    def target_kind(self) -> str: ...
    @property
    def n_calibration(self) -> int: ...
    @property
    def n_replicates(self) -> int: ...
    def replicate(self, number: int) -> Model: ...
    @property
    def results(self) -> dict[str, Any]: ...
    @property
    def scales(self) -> dict[str, Floats]: ...
    def predict(self, x: Floats, threads: int = 0, callback: Callback = None) -> Any:
        """Laws, or TargetLaws for a target that is not any real number."""

    def log_density(self, x: Floats, y: Floats, threads: int = 0, callback: Callback = None) -> Floats: ...
    def score(
        self,
        x: Floats,
        y: Floats,
        weights: Floats | None = None,
        options: dict[str, Any] = ...,
        threads: int = 0,
        callback: Callback = None,
    ) -> dict[str, Any]: ...
    def row_weights(
        self,
        x: Floats,
        training_x: Floats,
        training_y: Floats,
        weights: Floats | None = None,
        most: int = 10,
        threads: int = 0,
        callback: Callback = None,
    ) -> tuple[Floats, Floats, Floats]:
        """Numbers of the heaviest training rows (-1: no more), their weights, and what all others weigh."""

    def contribution(self, input: int, x: Floats, y: Floats) -> Floats: ...
    def transform(self, x: Floats) -> Floats: ...
    def exact_quantiles(self, x: Floats, threads: int = 0) -> Floats: ...
    def log_mass(self, x: Floats, threads: int = 0) -> Floats: ...
    def state_weights(self, x: Floats) -> Floats: ...
    def entropy(self, x: Floats) -> Floats: ...
    def smoothing_matrix(self, x: Floats) -> Floats: ...
    def state_distances(self, x: Floats, other: Floats) -> Floats: ...
    def state_factors(self, x: Floats) -> tuple[Floats, Floats]: ...
    def representative_rows(self, x: Floats, count: int) -> Floats: ...
    def coefficient_intervals(self, confidence: float) -> tuple[Floats, Floats]: ...
    def bootstrap_coefficients(self, confidence: float, method: str) -> tuple[Floats, Floats]: ...
    def subspace_intervals(self, confidence: float, method: str) -> dict[str, Any]: ...
    def dimension_test(
        self,
        x: Floats,
        y: Floats,
        weights: Floats | None = None,
        options: dict[str, Any] = ...,
        threads: int = 0,
        callback: Callback = None,
    ) -> tuple[int, bool, Floats]: ...
    def state_densities(self) -> Laws: ...
    @property
    def inner(self) -> Model: ...
    def to_bytes(self, json: bool = False) -> bytes: ...
    def save(self, path: bytes, /) -> None: ...
    def __getstate__(self) -> bytes: ...
    def __setstate__(self, arg: bytes, /) -> None: ...

def models() -> list[dict[str, Any]]: ...
def looks_like(y: Floats) -> tuple[str, str]: ...
def model_of_member(name: str) -> str: ...
def transition_matrix(weights: Floats, steps: int) -> Floats: ...
def accumulate(
    pass_: bytes, x: Floats, y: Floats, weights: Floats | None = None, first_row: int = 0, threads: int = 1
) -> bytes: ...
def merge(a: bytes, b: bytes) -> bytes: ...
def scale_state(state: bytes, factor: float) -> bytes: ...
def level_codes(
    level: NDArray[numpy.int64], n_levels: int, y: Floats, weights: Floats | None = None, seed: int = 0
) -> list[Floats]: ...
def folds_of_codes(n: int, first: int, count: int, seed: int = 0) -> list[int]: ...
def score_state(
    model: Model,
    x: Floats,
    y: Floats,
    weights: Floats | None = None,
    first_row: int = 0,
    options: dict[str, Any] = ...,
    threads: int = 1,
) -> bytes: ...
def merged_scores(state: bytes, options: dict[str, Any] = ...) -> dict[str, Any]: ...
def closing_pass(model: Model) -> bytes: ...
def finished(model: Model, state: bytes) -> Model: ...
def fit_by_sums(
    model: str,
    preset: str,
    options: dict[str, Any],
    sums: Callable[[bytes], bytes],
    n_inputs: int,
    n_targets: int,
    gather_rows: int = 15000,
    encoder: Encoder | None = None,
    input_names: Sequence[str] = ...,
    target_names: Sequence[str] = ...,
    threads: int = 0,
    callback: Callback = None,
) -> Model: ...
def fit(
    model: str,
    preset: str,
    options: dict[str, Any],
    x: Floats,
    y: Floats,
    weights: Floats | None = None,
    x_unlabeled: Floats | None = None,
    encoder: Encoder | None = None,
    input_names: Sequence[str] = ...,
    target_names: Sequence[str] = ...,
    target_kind: str = "real",
    conformal_share: float = 0.0,
    conformal_method: str = "split",
    conformal_folds: int = 10,
    conformal_groups: str = "",
    pit_share: float = 0.0,
    n_replicates: int = 0,
    replicate_method: str = "refit",
    limits: tuple[Floats, Floats, Floats | None] | None = None,
    threads: int = 0,
    callback: Callback = None,
) -> Model: ...
def conformal_settings(model: Model) -> Any: ...
def calibration_map(model: Model) -> tuple[int, Floats] | None: ...
def estimate_shift(model: Model, x: Floats, seed: int = 0, threads: int = 0) -> tuple[Floats, Floats]: ...
def coverage_slices(
    model: Model, x: Floats, y: Floats, level: float, weights: Floats | None = None, threads: int = 0
) -> dict[str, Any]: ...
def calibration_rows(model: Model) -> Floats: ...
def conformal_intervals(
    model: Model,
    x: Floats,
    level: float,
    calibration_weights: Floats | None = None,
    row_weights: Floats | None = None,
    threads: int = 0,
) -> Floats: ...
def conformal_regions(
    model: Model,
    x: Floats,
    level: float,
    calibration_weights: Floats | None = None,
    row_weights: Floats | None = None,
    threads: int = 0,
) -> list[Floats]: ...
def score_censored(
    model: Model,
    x: Floats,
    low: Floats,
    high: Floats,
    entry: Floats | None = None,
    weights: Floats | None = None,
    threads: int = 0,
    callback: Callback = None,
) -> dict[str, Any]: ...
def kaplan_meier(
    low: Floats, high: Floats, entry: Floats | None = None, weights: Floats | None = None
) -> dict[str, Floats]: ...
def concordance(low: Floats, high: Floats, predictions: Floats) -> dict[str, Any]: ...
def subspace_change(a: Floats, b: Floats) -> tuple[Floats, float, float]: ...
def check_bands(n_replicates: int, level: float, method: str) -> None: ...
def bands(estimates: Floats, replicates: Floats, level: float, method: str) -> tuple[Floats, Floats]: ...
def compare(
    models: Sequence[tuple[str, str, str, dict[str, Any]]],
    target_kind: str,
    options: dict[str, Any],
    x: Floats,
    y: Floats,
    weights: Floats | None = None,
    encoder: Encoder | None = None,
    records: bytes | None = None,
    outside: Sequence[tuple[str, Sequence[dict[str, Any]]]] = ...,
    threads: int = 0,
    callback: Callback = None,
) -> list[dict[str, Any]]: ...
def comparison_splits(rows: int, options: dict[str, Any]) -> list[tuple[list[int], list[int]]]: ...
def parse_model(bytes: bytes, source: str) -> Model: ...
def nw_loo_widths(widths: Floats, x: Floats, y: Floats, bandwidth_y: float, threads: int) -> tuple[float, Floats]: ...
def nw_loo_matrix(w: Floats, x: Floats, y: Floats, bandwidth_y: float, threads: int) -> tuple[float, Floats]: ...
def sacde_objective(
    alpha: Floats,
    x: Floats,
    y: Floats,
    centers: Floats,
    bandwidth: float,
    bandwidth_y: float,
    regularization: float,
) -> tuple[float, Floats, float, float]: ...
def press_objective(
    theta: Floats,
    x: Floats,
    y: Floats,
    criterion: str,
    smoothness: tuple[float, float],
    widths: Floats,
    weights: Floats,
    threads: int,
) -> tuple[float, Floats]: ...
def sce(
    w: Floats,
    x: Floats,
    y: Floats,
    centers: Floats,
    bandwidths: tuple[float, float],
    regularization: float,
    envelope: bool,
    threads: int,
) -> tuple[float, Floats]: ...
def lsmi(
    w: Floats,
    x: Floats,
    y: Floats,
    centers: Floats,
    bandwidths: tuple[float, float],
    regularization: float,
    envelope: bool,
    threads: int,
) -> tuple[float, Floats]: ...
def gaussian_process(
    length_scales: Floats,
    signal_variance: float,
    noise_variance: float,
    x: Floats,
    y: Floats,
    weights: Floats,
    threads: int,
) -> tuple[float, Floats, float, float]: ...
def ofr_loo(centers: Floats, scales: Floats, x: Floats, target: Floats, regularization: float) -> Floats: ...
def simplex_qp(b: Floats, v: Floats, tolerance: float, threads: int) -> tuple[Floats, float, float, int]: ...
def mnqp(b: Floats, v: Floats, iterations: int, printed: bool) -> tuple[Floats, Floats, float]: ...
