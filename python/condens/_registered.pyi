"""The estimators of the registry. Written by python/write_stubs.py."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condens.estimators import (
    ConditionalDensityRegressor,
    _Additive,
    _Density,
    _OfQuantiles,
    _OfRatio,
    _OfStates,
    _Reducing,
    _Selecting,
    _WithUnlabeled,
)

__all__ = [
    "GMM",
    "GSKD",
    "LSCDE",
    "LSCE",
    "LSMI",
    "PRESS",
    "RSDE",
    "SACDE",
    "SALSCDE",
    "SKD",
    "AutoCDE",
    "BoostedDensity",
    "ConditionalForest",
    "EpsilonKDE",
    "ForwardSelection",
    "GaussianProcess",
    "KernelQuantileRegression",
    "LocationScale",
    "MixtureDensityNetwork",
    "NadarayaWatson",
    "Parzen",
    "Pooled",
    "RatioKDE",
    "Sliced",
]

_Numbers: TypeAlias = float | Sequence[float] | NDArray[np.floating] | NDArray[np.integer]

class _Splitter(Protocol):
    def split(self, X: Any, y: Any = None, groups: Any = None) -> Any: ...

_Splits: TypeAlias = _Splitter | Sequence[tuple[Any, Any]]

class LSCDE(_WithUnlabeled):
    """Least-squares conditional density estimation: a nonnegative mixture of Gaussian kernels."""

    preset: Literal["recommended", "paper"]
    bandwidth: _Numbers | None
    bandwidth_y: _Numbers | None
    regularization: _Numbers | None
    refine: bool | None
    n_centers: int | None
    max_centers: int | None
    center_selection: Literal["random", "kmeans"] | None
    centers: ArrayLike | None
    mask_centers: bool | None
    metric: Literal["none", "nw", "auto"] | None
    coefficients: Literal["clipped", "nonnegative"] | None
    penalty: Literal["coefficients", "function"] | None
    defensive_weight: float | None
    scoring: Literal["nll", "squared"] | None
    cv: _Numbers | _Splits | None
    standardize: bool | None
    target_kind: str
    missing: str
    many_levels: str
    rare_levels: int | None
    unseen: str
    conformal: bool | Mapping[str, Any]
    calibrate: bool | Mapping[str, float]
    bootstrap: int
    random_state: int | np.random.Generator | np.random.RandomState | None
    n_jobs: int | None
    verbose: bool
    callback: Callable[[str, float], Any] | None
    input_widths_: NDArray[Any]
    bandwidth_: Any
    bandwidth_y_: Any
    regularization_: Any
    kernel_weights_: NDArray[Any]
    centers_x_: NDArray[Any]
    centers_y_: NDArray[Any]
    def __init__(
        self,
        *,
        preset: Literal["recommended", "paper"] = "recommended",
        bandwidth: _Numbers | None = None,
        bandwidth_y: _Numbers | None = None,
        regularization: _Numbers | None = None,
        refine: bool | None = None,
        n_centers: int | None = None,
        max_centers: int | None = None,
        center_selection: Literal["random", "kmeans"] | None = None,
        centers: ArrayLike | None = None,
        mask_centers: bool | None = None,
        metric: Literal["none", "nw", "auto"] | None = None,
        coefficients: Literal["clipped", "nonnegative"] | None = None,
        penalty: Literal["coefficients", "function"] | None = None,
        defensive_weight: float | None = None,
        scoring: Literal["nll", "squared"] | None = None,
        cv: _Numbers | _Splits | None = None,
        standardize: bool | None = None,
        target_kind: str = "real",
        missing: str = "error",
        many_levels: str = "statistics",
        rare_levels: int | None = None,
        unseen: str = "automatic",
        conformal: bool | Mapping[str, Any] = False,
        calibrate: bool | Mapping[str, float] = False,
        bootstrap: int = 0,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        callback: Callable[[str, float], Any] | None = None,
    ) -> None: ...

class SACDE(_Additive, _Selecting):
    """Sparse additive conditional density estimation: selects the inputs that matter."""

    preset: Literal["recommended", "paper"]
    bandwidth: _Numbers | None
    bandwidth_y: _Numbers | None
    regularization: _Numbers | None
    regularization_scale: Literal["relative", "absolute"] | None
    adaptive: bool | None
    first_regularization: _Numbers | None
    selection_rule: Literal["minimum", "one_standard_error"] | None
    constant_group: bool | None
    n_centers: int | None
    center_selection: Literal["random", "kmeans"] | None
    centers: ArrayLike | None
    mask_centers: bool | None
    solver: Literal["exact", "truncated"] | None
    tolerance: float | None
    stop_early: bool | None
    defensive_weight: float | None
    scoring: Literal["nll", "squared"] | None
    cv: _Numbers | _Splits | None
    groups: _Numbers | None
    screening: int | None
    search_inputs: int | None
    stability_resamples: int | None
    stability_bound: float | None
    stability_threshold: float | None
    standardize: bool | None
    target_kind: str
    missing: str
    many_levels: str
    rare_levels: int | None
    unseen: str
    conformal: bool | Mapping[str, Any]
    calibrate: bool | Mapping[str, float]
    bootstrap: int
    random_state: int | np.random.Generator | np.random.RandomState | None
    n_jobs: int | None
    verbose: bool
    callback: Callable[[str, float], Any] | None
    bandwidth_: Any
    bandwidth_y_: Any
    regularization_: Any
    kernel_weights_: NDArray[Any]
    constant_weights_: NDArray[Any]
    support_: NDArray[Any]
    feature_importances_: NDArray[Any]
    stability_: NDArray[Any]
    centers_x_: NDArray[Any]
    centers_y_: NDArray[Any]
    def __init__(
        self,
        *,
        preset: Literal["recommended", "paper"] = "recommended",
        bandwidth: _Numbers | None = None,
        bandwidth_y: _Numbers | None = None,
        regularization: _Numbers | None = None,
        regularization_scale: Literal["relative", "absolute"] | None = None,
        adaptive: bool | None = None,
        first_regularization: _Numbers | None = None,
        selection_rule: Literal["minimum", "one_standard_error"] | None = None,
        constant_group: bool | None = None,
        n_centers: int | None = None,
        center_selection: Literal["random", "kmeans"] | None = None,
        centers: ArrayLike | None = None,
        mask_centers: bool | None = None,
        solver: Literal["exact", "truncated"] | None = None,
        tolerance: float | None = None,
        stop_early: bool | None = None,
        defensive_weight: float | None = None,
        scoring: Literal["nll", "squared"] | None = None,
        cv: _Numbers | _Splits | None = None,
        groups: _Numbers | None = None,
        screening: int | None = None,
        search_inputs: int | None = None,
        stability_resamples: int | None = None,
        stability_bound: float | None = None,
        stability_threshold: float | None = None,
        standardize: bool | None = None,
        target_kind: str = "real",
        missing: str = "error",
        many_levels: str = "statistics",
        rare_levels: int | None = None,
        unseen: str = "automatic",
        conformal: bool | Mapping[str, Any] = False,
        calibrate: bool | Mapping[str, float] = False,
        bootstrap: int = 0,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        callback: Callable[[str, float], Any] | None = None,
    ) -> None: ...

class SALSCDE(_Selecting, _WithUnlabeled):
    """LSCDE on the inputs that sparse additive conditional density estimation selects."""

    preset: Literal["recommended", "paper"]
    start: Literal["additive", "empty"] | None
    selection: Mapping[str, Any] | ConditionalDensityRegressor | None
    options: Mapping[str, Any] | ConditionalDensityRegressor | None
    least_norm: float | None
    residual_level: float | None
    scoring: Literal["nll", "squared"] | None
    cv: _Numbers | _Splits | None
    target_kind: str
    missing: str
    many_levels: str
    rare_levels: int | None
    unseen: str
    conformal: bool | Mapping[str, Any]
    calibrate: bool | Mapping[str, float]
    bootstrap: int
    random_state: int | np.random.Generator | np.random.RandomState | None
    n_jobs: int | None
    verbose: bool
    callback: Callable[[str, float], Any] | None
    support_: NDArray[Any]
    feature_importances_: NDArray[Any]
    stability_: NDArray[Any]
    bandwidth_: Any
    bandwidth_y_: Any
    regularization_: Any
    kernel_weights_: NDArray[Any]
    centers_x_: NDArray[Any]
    centers_y_: NDArray[Any]
    def __init__(
        self,
        *,
        preset: Literal["recommended", "paper"] = "recommended",
        start: Literal["additive", "empty"] | None = None,
        selection: Mapping[str, Any] | ConditionalDensityRegressor | None = None,
        options: Mapping[str, Any] | ConditionalDensityRegressor | None = None,
        least_norm: float | None = None,
        residual_level: float | None = None,
        scoring: Literal["nll", "squared"] | None = None,
        cv: _Numbers | _Splits | None = None,
        target_kind: str = "real",
        missing: str = "error",
        many_levels: str = "statistics",
        rare_levels: int | None = None,
        unseen: str = "automatic",
        conformal: bool | Mapping[str, Any] = False,
        calibrate: bool | Mapping[str, float] = False,
        bootstrap: int = 0,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        callback: Callable[[str, float], Any] | None = None,
    ) -> None: ...

class LSCE(_Reducing):
    """Least-squares conditional entropy: the few directions z = W x that matter, and LSCDE on z."""

    preset: Literal["recommended", "paper"]
    n_components: _Numbers | None
    selection_rule: Literal["minimum", "one_standard_error"] | None
    sparse: bool | None
    bandwidth: _Numbers | None
    bandwidth_y: _Numbers | None
    regularization: _Numbers | None
    n_centers: int | None
    center_selection: Literal["random", "kmeans"] | None
    centers: ArrayLike | None
    mask_centers: bool | None
    criterion: Literal["plug_in", "envelope"] | None
    optimizer: Literal["lbfgs", "steepest"] | None
    informed_starts: bool | None
    start_directions: ArrayLike | None
    random_starts: int | None
    tuning: Literal["common", "own"] | None
    steps_per_tuning: int | None
    max_steps: int | None
    max_search_rows: int | None
    density: Literal["refit", "same"] | None
    keep_best: bool | None
    defensive_weight: float | None
    scoring: Literal["nll", "squared"] | None
    cv: _Numbers | _Splits | None
    standardize: bool | None
    target_kind: str
    missing: str
    many_levels: str
    rare_levels: int | None
    unseen: str
    conformal: bool | Mapping[str, Any]
    calibrate: bool | Mapping[str, float]
    bootstrap: int
    random_state: int | np.random.Generator | np.random.RandomState | None
    n_jobs: int | None
    verbose: bool
    callback: Callable[[str, float], Any] | None
    components_: NDArray[Any]
    n_components_: Any
    bandwidth_: Any
    bandwidth_y_: Any
    regularization_: Any
    sce_: Any
    def __init__(
        self,
        *,
        preset: Literal["recommended", "paper"] = "recommended",
        n_components: _Numbers | None = None,
        selection_rule: Literal["minimum", "one_standard_error"] | None = None,
        sparse: bool | None = None,
        bandwidth: _Numbers | None = None,
        bandwidth_y: _Numbers | None = None,
        regularization: _Numbers | None = None,
        n_centers: int | None = None,
        center_selection: Literal["random", "kmeans"] | None = None,
        centers: ArrayLike | None = None,
        mask_centers: bool | None = None,
        criterion: Literal["plug_in", "envelope"] | None = None,
        optimizer: Literal["lbfgs", "steepest"] | None = None,
        informed_starts: bool | None = None,
        start_directions: ArrayLike | None = None,
        random_starts: int | None = None,
        tuning: Literal["common", "own"] | None = None,
        steps_per_tuning: int | None = None,
        max_steps: int | None = None,
        max_search_rows: int | None = None,
        density: Literal["refit", "same"] | None = None,
        keep_best: bool | None = None,
        defensive_weight: float | None = None,
        scoring: Literal["nll", "squared"] | None = None,
        cv: _Numbers | _Splits | None = None,
        standardize: bool | None = None,
        target_kind: str = "real",
        missing: str = "error",
        many_levels: str = "statistics",
        rare_levels: int | None = None,
        unseen: str = "automatic",
        conformal: bool | Mapping[str, Any] = False,
        calibrate: bool | Mapping[str, float] = False,
        bootstrap: int = 0,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        callback: Callable[[str, float], Any] | None = None,
    ) -> None: ...

class NadarayaWatson(ConditionalDensityRegressor):
    """Nadaraya-Watson conditional density: a Gaussian at every sample, with a width learned for every input."""

    preset: Literal["recommended", "paper"]
    metric: Literal["isotropic", "diagonal", "full", "auto"] | None
    bandwidth: _Numbers | None
    bandwidth_y: _Numbers | None
    common_bandwidth: bool | None
    bandwidth_y_floor: float | None
    n_centers: int | None
    centers: ArrayLike | None
    metric_rows: int | None
    merge_copies: bool | None
    starts: int | None
    defensive_weight: float | None
    standardize: bool | None
    target_kind: str
    missing: str
    many_levels: str
    rare_levels: int | None
    unseen: str
    conformal: bool | Mapping[str, Any]
    calibrate: bool | Mapping[str, float]
    bootstrap: int
    random_state: int | np.random.Generator | np.random.RandomState | None
    n_jobs: int | None
    verbose: bool
    callback: Callable[[str, float], Any] | None
    bandwidths_: NDArray[Any]
    bandwidth_y_: Any
    metric_matrix_: NDArray[Any]
    feature_importances_: NDArray[Any]
    centers_x_: NDArray[Any]
    centers_y_: NDArray[Any]
    def __init__(
        self,
        *,
        preset: Literal["recommended", "paper"] = "recommended",
        metric: Literal["isotropic", "diagonal", "full", "auto"] | None = None,
        bandwidth: _Numbers | None = None,
        bandwidth_y: _Numbers | None = None,
        common_bandwidth: bool | None = None,
        bandwidth_y_floor: float | None = None,
        n_centers: int | None = None,
        centers: ArrayLike | None = None,
        metric_rows: int | None = None,
        merge_copies: bool | None = None,
        starts: int | None = None,
        defensive_weight: float | None = None,
        standardize: bool | None = None,
        target_kind: str = "real",
        missing: str = "error",
        many_levels: str = "statistics",
        rare_levels: int | None = None,
        unseen: str = "automatic",
        conformal: bool | Mapping[str, Any] = False,
        calibrate: bool | Mapping[str, float] = False,
        bootstrap: int = 0,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        callback: Callable[[str, float], Any] | None = None,
    ) -> None: ...

class EpsilonKDE(ConditionalDensityRegressor):
    """Epsilon-neighbour kernel density estimation: the y of the samples whose x is near."""

    preset: Literal["recommended", "paper"]
    radius: _Numbers | None
    radius_of: Literal["distance", "squared_distance"] | None
    bandwidth_y: _Numbers | None
    refine: bool | None
    empty_neighborhood: Literal["nearest", "all"] | None
    defensive_weight: float | None
    scoring: Literal["nll", "squared"] | None
    cv: _Numbers | _Splits | None
    max_scored_rows: int | None
    standardize: bool | None
    target_kind: str
    missing: str
    many_levels: str
    rare_levels: int | None
    unseen: str
    conformal: bool | Mapping[str, Any]
    calibrate: bool | Mapping[str, float]
    bootstrap: int
    random_state: int | np.random.Generator | np.random.RandomState | None
    n_jobs: int | None
    verbose: bool
    callback: Callable[[str, float], Any] | None
    radius_: Any
    bandwidth_y_: Any
    n_samples_: Any
    def __init__(
        self,
        *,
        preset: Literal["recommended", "paper"] = "recommended",
        radius: _Numbers | None = None,
        radius_of: Literal["distance", "squared_distance"] | None = None,
        bandwidth_y: _Numbers | None = None,
        refine: bool | None = None,
        empty_neighborhood: Literal["nearest", "all"] | None = None,
        defensive_weight: float | None = None,
        scoring: Literal["nll", "squared"] | None = None,
        cv: _Numbers | _Splits | None = None,
        max_scored_rows: int | None = None,
        standardize: bool | None = None,
        target_kind: str = "real",
        missing: str = "error",
        many_levels: str = "statistics",
        rare_levels: int | None = None,
        unseen: str = "automatic",
        conformal: bool | Mapping[str, Any] = False,
        calibrate: bool | Mapping[str, float] = False,
        bootstrap: int = 0,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        callback: Callable[[str, float], Any] | None = None,
    ) -> None: ...

class RatioKDE(_OfRatio):
    """Ratio of kernel density estimates: that of inputs and target over that of the inputs."""

    preset: Literal["recommended", "paper"]
    widths: Literal["equal", "separate"] | None
    shape: Literal["isotropic", "diagonal", "auto"] | None
    bandwidth: _Numbers | None
    bandwidth_y: _Numbers | None
    bandwidth_denominator: _Numbers | None
    bandwidth_floor: float | None
    width_rows: int | None
    defensive_weight: float | None
    standardize: bool | None
    target_kind: str
    missing: str
    many_levels: str
    rare_levels: int | None
    unseen: str
    conformal: bool | Mapping[str, Any]
    calibrate: bool | Mapping[str, float]
    bootstrap: int
    random_state: int | np.random.Generator | np.random.RandomState | None
    n_jobs: int | None
    verbose: bool
    callback: Callable[[str, float], Any] | None
    bandwidths_: NDArray[Any]
    bandwidths_y_: NDArray[Any]
    bandwidths_denominator_: NDArray[Any]
    def __init__(
        self,
        *,
        preset: Literal["recommended", "paper"] = "recommended",
        widths: Literal["equal", "separate"] | None = None,
        shape: Literal["isotropic", "diagonal", "auto"] | None = None,
        bandwidth: _Numbers | None = None,
        bandwidth_y: _Numbers | None = None,
        bandwidth_denominator: _Numbers | None = None,
        bandwidth_floor: float | None = None,
        width_rows: int | None = None,
        defensive_weight: float | None = None,
        standardize: bool | None = None,
        target_kind: str = "real",
        missing: str = "error",
        many_levels: str = "statistics",
        rare_levels: int | None = None,
        unseen: str = "automatic",
        conformal: bool | Mapping[str, Any] = False,
        calibrate: bool | Mapping[str, float] = False,
        bootstrap: int = 0,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        callback: Callable[[str, float], Any] | None = None,
    ) -> None: ...

class GaussianProcess(ConditionalDensityRegressor):
    """Gaussian process regression: one Gaussian whose mean and variance follow x."""

    preset: Literal["recommended", "paper"]
    kernel: Literal["ard", "isotropic"] | None
    length_scales: _Numbers | None
    signal_variance: _Numbers | None
    noise_variance: _Numbers | None
    n_starts: int | None
    max_rows: int | None
    many_rows: Literal["inducing", "subset"] | None
    defensive_weight: float | None
    standardize: bool | None
    target_kind: str
    missing: str
    many_levels: str
    rare_levels: int | None
    unseen: str
    conformal: bool | Mapping[str, Any]
    calibrate: bool | Mapping[str, float]
    bootstrap: int
    random_state: int | np.random.Generator | np.random.RandomState | None
    n_jobs: int | None
    verbose: bool
    callback: Callable[[str, float], Any] | None
    length_scales_: NDArray[Any]
    signal_variance_: NDArray[Any]
    noise_variance_: NDArray[Any]
    log_marginal_likelihood_: NDArray[Any]
    feature_importances_: NDArray[Any]
    def __init__(
        self,
        *,
        preset: Literal["recommended", "paper"] = "recommended",
        kernel: Literal["ard", "isotropic"] | None = None,
        length_scales: _Numbers | None = None,
        signal_variance: _Numbers | None = None,
        noise_variance: _Numbers | None = None,
        n_starts: int | None = None,
        max_rows: int | None = None,
        many_rows: Literal["inducing", "subset"] | None = None,
        defensive_weight: float | None = None,
        standardize: bool | None = None,
        target_kind: str = "real",
        missing: str = "error",
        many_levels: str = "statistics",
        rare_levels: int | None = None,
        unseen: str = "automatic",
        conformal: bool | Mapping[str, Any] = False,
        calibrate: bool | Mapping[str, float] = False,
        bootstrap: int = 0,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        callback: Callable[[str, float], Any] | None = None,
    ) -> None: ...

class PRESS(_OfStates):
    """Predictive state smoothing: x is mapped to weights of a few states, each with its distribution of y."""

    preset: Literal["recommended", "paper"]
    n_states: _Numbers | None
    criterion: Literal["mse", "loocv", "gcv", "loo", "likelihood"] | None
    selection: Literal["aic", "cv"] | None
    cv: _Numbers | _Splits | None
    hidden: _Numbers | None
    activation: Literal["tanh", "relu"] | None
    smoothness: float | None
    smoothness_weight: float | None
    regularization: _Numbers | None
    lasso: _Numbers | None
    start: Literal["informed", "random"] | None
    n_starts: int | None
    batch_size: int | None
    holdout: float | None
    patience: int | None
    max_iterations: int | None
    optimizer: Literal["lbfgs", "adam"] | None
    adam_passes: int | None
    minibatch: int | None
    learning_rate: float | None
    bandwidth_y: _Numbers | None
    bandwidth_y_floor: float | None
    common_bandwidth: bool | None
    corrected_levels: bool | None
    compression_tolerance: float | None
    defensive_weight: float | None
    sample_rows: int | None
    table_steps: int | None
    standardize: bool | None
    target_kind: str
    missing: str
    many_levels: str
    rare_levels: int | None
    unseen: str
    conformal: bool | Mapping[str, Any]
    calibrate: bool | Mapping[str, float]
    bootstrap: int
    random_state: int | np.random.Generator | np.random.RandomState | None
    n_jobs: int | None
    verbose: bool
    callback: Callable[[str, float], Any] | None
    n_states_: Any
    state_coef_: NDArray[Any]
    standard_errors_: NDArray[Any]
    robust_standard_errors_: NDArray[Any]
    state_means_: NDArray[Any]
    state_levels_: NDArray[Any]
    state_inputs_: NDArray[Any]
    state_input_variances_: NDArray[Any]
    state_representatives_: NDArray[Any]
    state_sizes_: NDArray[Any]
    bandwidths_: NDArray[Any]
    degrees_of_freedom_: Any
    mean_entropy_: Any
    def __init__(
        self,
        *,
        preset: Literal["recommended", "paper"] = "recommended",
        n_states: _Numbers | None = None,
        criterion: Literal["mse", "loocv", "gcv", "loo", "likelihood"] | None = None,
        selection: Literal["aic", "cv"] | None = None,
        cv: _Numbers | _Splits | None = None,
        hidden: _Numbers | None = None,
        activation: Literal["tanh", "relu"] | None = None,
        smoothness: float | None = None,
        smoothness_weight: float | None = None,
        regularization: _Numbers | None = None,
        lasso: _Numbers | None = None,
        start: Literal["informed", "random"] | None = None,
        n_starts: int | None = None,
        batch_size: int | None = None,
        holdout: float | None = None,
        patience: int | None = None,
        max_iterations: int | None = None,
        optimizer: Literal["lbfgs", "adam"] | None = None,
        adam_passes: int | None = None,
        minibatch: int | None = None,
        learning_rate: float | None = None,
        bandwidth_y: _Numbers | None = None,
        bandwidth_y_floor: float | None = None,
        common_bandwidth: bool | None = None,
        corrected_levels: bool | None = None,
        compression_tolerance: float | None = None,
        defensive_weight: float | None = None,
        sample_rows: int | None = None,
        table_steps: int | None = None,
        standardize: bool | None = None,
        target_kind: str = "real",
        missing: str = "error",
        many_levels: str = "statistics",
        rare_levels: int | None = None,
        unseen: str = "automatic",
        conformal: bool | Mapping[str, Any] = False,
        calibrate: bool | Mapping[str, float] = False,
        bootstrap: int = 0,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        callback: Callable[[str, float], Any] | None = None,
    ) -> None: ...

class KernelQuantileRegression(_OfQuantiles):
    """Kernel quantile regression: quantile functions of x, solved exactly, and the density between them."""

    preset: Literal["recommended", "paper"]
    quantile_levels: _Numbers | None
    bandwidth: _Numbers | None
    regularization: _Numbers | None
    loss: Literal["mean", "sum"] | None
    refine: bool | None
    spread: _Numbers | None
    bandwidth_y_floor: _Numbers | None
    scoring: Literal["nll", "pinball"] | None
    cv: _Numbers | _Splits | None
    max_rows: int | None
    defensive_weight: float | None
    standardize: bool | None
    target_kind: str
    missing: str
    many_levels: str
    rare_levels: int | None
    unseen: str
    conformal: bool | Mapping[str, Any]
    calibrate: bool | Mapping[str, float]
    bootstrap: int
    random_state: int | np.random.Generator | np.random.RandomState | None
    n_jobs: int | None
    verbose: bool
    callback: Callable[[str, float], Any] | None
    levels_: NDArray[Any]
    bandwidth_: Any
    regularization_: Any
    spread_: Any
    bandwidth_y_floor_: Any
    centers_x_: NDArray[Any]
    kernel_weights_: NDArray[Any]
    intercept_: NDArray[Any]
    relative_gaps_: NDArray[Any]
    def __init__(
        self,
        *,
        preset: Literal["recommended", "paper"] = "recommended",
        quantile_levels: _Numbers | None = None,
        bandwidth: _Numbers | None = None,
        regularization: _Numbers | None = None,
        loss: Literal["mean", "sum"] | None = None,
        refine: bool | None = None,
        spread: _Numbers | None = None,
        bandwidth_y_floor: _Numbers | None = None,
        scoring: Literal["nll", "pinball"] | None = None,
        cv: _Numbers | _Splits | None = None,
        max_rows: int | None = None,
        defensive_weight: float | None = None,
        standardize: bool | None = None,
        target_kind: str = "real",
        missing: str = "error",
        many_levels: str = "statistics",
        rare_levels: int | None = None,
        unseen: str = "automatic",
        conformal: bool | Mapping[str, Any] = False,
        calibrate: bool | Mapping[str, float] = False,
        bootstrap: int = 0,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        callback: Callable[[str, float], Any] | None = None,
    ) -> None: ...

class MixtureDensityNetwork(ConditionalDensityRegressor):
    """Mixture density network: an ensemble of neural networks whose outputs are Gaussian mixtures."""

    preset: Literal["recommended", "paper"]
    n_components: _Numbers | None
    units: _Numbers | None
    regularization: _Numbers | None
    layers: int | None
    skip: bool | None
    residual: bool | None
    input_scores: Literal["auto", "none", "normal"] | None
    covariance: Literal["diagonal", "spherical"] | None
    n_members: int | None
    n_starts: int | None
    validation_fraction: float | None
    patience: int | None
    optimizer: Literal["auto", "lbfgs", "adam"] | None
    max_iterations: int | None
    adam_rows: int | None
    adam_passes: int | None
    batch_size: int | None
    learning_rate: float | None
    sample_rows: int | None
    table_steps: int | None
    scale_floor: float | None
    defensive_weight: float | None
    cv: _Numbers | _Splits | None
    standardize: bool | None
    target_kind: str
    missing: str
    many_levels: str
    rare_levels: int | None
    unseen: str
    conformal: bool | Mapping[str, Any]
    calibrate: bool | Mapping[str, float]
    bootstrap: int
    random_state: int | np.random.Generator | np.random.RandomState | None
    n_jobs: int | None
    verbose: bool
    callback: Callable[[str, float], Any] | None
    n_components_: Any
    units_: Any
    regularization_: Any
    n_members_: Any
    n_parameters_: Any
    parameters_: NDArray[Any]
    train_nll_: NDArray[Any]
    validation_nll_: NDArray[Any]
    def __init__(
        self,
        *,
        preset: Literal["recommended", "paper"] = "recommended",
        n_components: _Numbers | None = None,
        units: _Numbers | None = None,
        regularization: _Numbers | None = None,
        layers: int | None = None,
        skip: bool | None = None,
        residual: bool | None = None,
        input_scores: Literal["auto", "none", "normal"] | None = None,
        covariance: Literal["diagonal", "spherical"] | None = None,
        n_members: int | None = None,
        n_starts: int | None = None,
        validation_fraction: float | None = None,
        patience: int | None = None,
        optimizer: Literal["auto", "lbfgs", "adam"] | None = None,
        max_iterations: int | None = None,
        adam_rows: int | None = None,
        adam_passes: int | None = None,
        batch_size: int | None = None,
        learning_rate: float | None = None,
        sample_rows: int | None = None,
        table_steps: int | None = None,
        scale_floor: float | None = None,
        defensive_weight: float | None = None,
        cv: _Numbers | _Splits | None = None,
        standardize: bool | None = None,
        target_kind: str = "real",
        missing: str = "error",
        many_levels: str = "statistics",
        rare_levels: int | None = None,
        unseen: str = "automatic",
        conformal: bool | Mapping[str, Any] = False,
        calibrate: bool | Mapping[str, float] = False,
        bootstrap: int = 0,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        callback: Callable[[str, float], Any] | None = None,
    ) -> None: ...

class ConditionalForest(ConditionalDensityRegressor):
    """Random forest: the y of the training rows that share a leaf with x, each with a Gaussian around it."""

    preset: Literal["recommended", "paper"]
    n_trees: int | None
    criterion: Literal["variance", "density", "distribution"] | None
    min_samples_leaf: _Numbers | None
    max_features: _Numbers | None
    sample_fraction: float | None
    max_rows: int | None
    max_bins: int | None
    bandwidth_y: _Numbers | None
    sensitivity: _Numbers | None
    n_atoms: int | None
    tuning_rows: int | None
    defensive_weight: float | None
    standardize: bool | None
    target_kind: str
    missing: str
    many_levels: str
    rare_levels: int | None
    unseen: str
    conformal: bool | Mapping[str, Any]
    calibrate: bool | Mapping[str, float]
    bootstrap: int
    random_state: int | np.random.Generator | np.random.RandomState | None
    n_jobs: int | None
    verbose: bool
    callback: Callable[[str, float], Any] | None
    bandwidth_y_: Any
    sensitivity_: Any
    min_samples_leaf_: Any
    max_features_: Any
    n_trees_: Any
    feature_importances_: NDArray[Any]
    atoms_: NDArray[Any]
    def __init__(
        self,
        *,
        preset: Literal["recommended", "paper"] = "recommended",
        n_trees: int | None = None,
        criterion: Literal["variance", "density", "distribution"] | None = None,
        min_samples_leaf: _Numbers | None = None,
        max_features: _Numbers | None = None,
        sample_fraction: float | None = None,
        max_rows: int | None = None,
        max_bins: int | None = None,
        bandwidth_y: _Numbers | None = None,
        sensitivity: _Numbers | None = None,
        n_atoms: int | None = None,
        tuning_rows: int | None = None,
        defensive_weight: float | None = None,
        standardize: bool | None = None,
        target_kind: str = "real",
        missing: str = "error",
        many_levels: str = "statistics",
        rare_levels: int | None = None,
        unseen: str = "automatic",
        conformal: bool | Mapping[str, Any] = False,
        calibrate: bool | Mapping[str, float] = False,
        bootstrap: int = 0,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        callback: Callable[[str, float], Any] | None = None,
    ) -> None: ...

class BoostedDensity(ConditionalDensityRegressor):
    """Gradient-boosted trees for location and scale, and a Gaussian mixture for what is left."""

    preset: Literal["recommended", "paper"]
    likelihood: Literal["mixture", "normal"] | None
    n_rounds: int | None
    learning_rate: float | None
    n_folds: int | None
    patience: int | None
    max_depth: int | None
    min_samples_leaf: float | None
    l2: float | None
    subsample: float | None
    max_features: float | None
    max_rows: int | None
    max_bins: int | None
    n_components: int | None
    scale_floor: float | None
    defensive_weight: float | None
    standardize: bool | None
    target_kind: str
    missing: str
    many_levels: str
    rare_levels: int | None
    unseen: str
    conformal: bool | Mapping[str, Any]
    calibrate: bool | Mapping[str, float]
    bootstrap: int
    random_state: int | np.random.Generator | np.random.RandomState | None
    n_jobs: int | None
    verbose: bool
    callback: Callable[[str, float], Any] | None
    n_rounds_: Any
    n_models_: Any
    n_trees_: Any
    feature_importances_: NDArray[Any]
    residual_weights_: NDArray[Any]
    residual_means_: NDArray[Any]
    residual_scales_: NDArray[Any]
    def __init__(
        self,
        *,
        preset: Literal["recommended", "paper"] = "recommended",
        likelihood: Literal["mixture", "normal"] | None = None,
        n_rounds: int | None = None,
        learning_rate: float | None = None,
        n_folds: int | None = None,
        patience: int | None = None,
        max_depth: int | None = None,
        min_samples_leaf: float | None = None,
        l2: float | None = None,
        subsample: float | None = None,
        max_features: float | None = None,
        max_rows: int | None = None,
        max_bins: int | None = None,
        n_components: int | None = None,
        scale_floor: float | None = None,
        defensive_weight: float | None = None,
        standardize: bool | None = None,
        target_kind: str = "real",
        missing: str = "error",
        many_levels: str = "statistics",
        rare_levels: int | None = None,
        unseen: str = "automatic",
        conformal: bool | Mapping[str, Any] = False,
        calibrate: bool | Mapping[str, float] = False,
        bootstrap: int = 0,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        callback: Callable[[str, float], Any] | None = None,
    ) -> None: ...

class GSKD(_Density):
    """Sparse density from tunable kernels, placed one by one by a leave-one-out regression."""

    preset: Literal["recommended", "paper"]
    target_bandwidth: _Numbers | None
    target: Literal["paper", "loo", "cdf", "auto"] | None
    search: Literal["gradient", "boosting"] | None
    candidates: int | None
    starts: int | None
    population: int | None
    generations: int | None
    search_iterations: int | None
    literal_best: bool | None
    lowest_width: float | None
    highest_width: float | None
    regularization: float | None
    relative_regularization: bool | None
    nonnegative: bool | None
    selection: Literal["cv", "stop"] | None
    n_folds: int | None
    max_kernels: int | None
    stop_tolerance: float | None
    weights: Literal["exact", "mnqp"] | None
    iterations: int | None
    pruning: float | None
    polish: Literal["none", "em", "auto"] | None
    covariance: Literal["full", "diagonal", "auto"] | None
    polish_iterations: int | None
    fit_rows: int | None
    merge_copies: bool | None
    defensive_weight: float | None
    standardize: bool | None
    target_kind: str
    missing: str
    many_levels: str
    rare_levels: int | None
    unseen: str
    conformal: bool | Mapping[str, Any]
    calibrate: bool | Mapping[str, float]
    bootstrap: int
    random_state: int | np.random.Generator | np.random.RandomState | None
    n_jobs: int | None
    verbose: bool
    callback: Callable[[str, float], Any] | None
    kernel_weights_: NDArray[Any]
    kernel_means_: NDArray[Any]
    kernel_scales_: NDArray[Any]
    kernel_covariances_: NDArray[Any]
    n_kernels_: Any
    target_bandwidth_: NDArray[Any]
    def __init__(
        self,
        *,
        preset: Literal["recommended", "paper"] = "recommended",
        target_bandwidth: _Numbers | None = None,
        target: Literal["paper", "loo", "cdf", "auto"] | None = None,
        search: Literal["gradient", "boosting"] | None = None,
        candidates: int | None = None,
        starts: int | None = None,
        population: int | None = None,
        generations: int | None = None,
        search_iterations: int | None = None,
        literal_best: bool | None = None,
        lowest_width: float | None = None,
        highest_width: float | None = None,
        regularization: float | None = None,
        relative_regularization: bool | None = None,
        nonnegative: bool | None = None,
        selection: Literal["cv", "stop"] | None = None,
        n_folds: int | None = None,
        max_kernels: int | None = None,
        stop_tolerance: float | None = None,
        weights: Literal["exact", "mnqp"] | None = None,
        iterations: int | None = None,
        pruning: float | None = None,
        polish: Literal["none", "em", "auto"] | None = None,
        covariance: Literal["full", "diagonal", "auto"] | None = None,
        polish_iterations: int | None = None,
        fit_rows: int | None = None,
        merge_copies: bool | None = None,
        defensive_weight: float | None = None,
        standardize: bool | None = None,
        target_kind: str = "real",
        missing: str = "error",
        many_levels: str = "statistics",
        rare_levels: int | None = None,
        unseen: str = "automatic",
        conformal: bool | Mapping[str, Any] = False,
        calibrate: bool | Mapping[str, float] = False,
        bootstrap: int = 0,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        callback: Callable[[str, float], Any] | None = None,
    ) -> None: ...

class Parzen(_Density):
    """Parzen window: a Gaussian at every sample of inputs and target together, conditioned on the inputs."""

    preset: Literal["recommended", "paper"]
    shape: Literal["isotropic", "diagonal", "auto"] | None
    bandwidth: _Numbers | None
    bandwidth_floor: float | None
    scoring: Literal["nll", "squared"] | None
    cv: _Numbers | _Splits | None
    width_rows: int | None
    sketch_cells: int | None
    merge_copies: bool | None
    defensive_weight: float | None
    standardize: bool | None
    target_kind: str
    missing: str
    many_levels: str
    rare_levels: int | None
    unseen: str
    conformal: bool | Mapping[str, Any]
    calibrate: bool | Mapping[str, float]
    bootstrap: int
    random_state: int | np.random.Generator | np.random.RandomState | None
    n_jobs: int | None
    verbose: bool
    callback: Callable[[str, float], Any] | None
    bandwidths_: NDArray[Any]
    n_kernels_: Any
    kernel_weights_: NDArray[Any]
    kernel_means_: NDArray[Any]
    kernel_scales_: NDArray[Any]
    def __init__(
        self,
        *,
        preset: Literal["recommended", "paper"] = "recommended",
        shape: Literal["isotropic", "diagonal", "auto"] | None = None,
        bandwidth: _Numbers | None = None,
        bandwidth_floor: float | None = None,
        scoring: Literal["nll", "squared"] | None = None,
        cv: _Numbers | _Splits | None = None,
        width_rows: int | None = None,
        sketch_cells: int | None = None,
        merge_copies: bool | None = None,
        defensive_weight: float | None = None,
        standardize: bool | None = None,
        target_kind: str = "real",
        missing: str = "error",
        many_levels: str = "statistics",
        rare_levels: int | None = None,
        unseen: str = "automatic",
        conformal: bool | Mapping[str, Any] = False,
        calibrate: bool | Mapping[str, float] = False,
        bootstrap: int = 0,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        callback: Callable[[str, float], Any] | None = None,
    ) -> None: ...

class SKD(_Density):
    """Sparse kernel density: kernels at data points, one by one by the leave-one-out error."""

    preset: Literal["recommended", "paper"]
    bandwidth: _Numbers | None
    target_bandwidth: _Numbers | None
    target: Literal["paper", "loo"] | None
    regularization: float | None
    relative_regularization: bool | None
    local_regularization: bool | None
    max_kernels: int | None
    stop_tolerance: float | None
    weights: Literal["exact", "mnqp"] | None
    iterations: int | None
    pruning: float | None
    scoring: Literal["nll", "squared"] | None
    cv: _Numbers | _Splits | None
    refine: bool | None
    merge_copies: bool | None
    defensive_weight: float | None
    standardize: bool | None
    target_kind: str
    missing: str
    many_levels: str
    rare_levels: int | None
    unseen: str
    conformal: bool | Mapping[str, Any]
    calibrate: bool | Mapping[str, float]
    bootstrap: int
    random_state: int | np.random.Generator | np.random.RandomState | None
    n_jobs: int | None
    verbose: bool
    callback: Callable[[str, float], Any] | None
    bandwidth_: Any
    target_bandwidth_: Any
    n_kernels_: Any
    kernel_weights_: NDArray[Any]
    kernel_means_: NDArray[Any]
    kernel_scales_: NDArray[Any]
    def __init__(
        self,
        *,
        preset: Literal["recommended", "paper"] = "recommended",
        bandwidth: _Numbers | None = None,
        target_bandwidth: _Numbers | None = None,
        target: Literal["paper", "loo"] | None = None,
        regularization: float | None = None,
        relative_regularization: bool | None = None,
        local_regularization: bool | None = None,
        max_kernels: int | None = None,
        stop_tolerance: float | None = None,
        weights: Literal["exact", "mnqp"] | None = None,
        iterations: int | None = None,
        pruning: float | None = None,
        scoring: Literal["nll", "squared"] | None = None,
        cv: _Numbers | _Splits | None = None,
        refine: bool | None = None,
        merge_copies: bool | None = None,
        defensive_weight: float | None = None,
        standardize: bool | None = None,
        target_kind: str = "real",
        missing: str = "error",
        many_levels: str = "statistics",
        rare_levels: int | None = None,
        unseen: str = "automatic",
        conformal: bool | Mapping[str, Any] = False,
        calibrate: bool | Mapping[str, float] = False,
        bootstrap: int = 0,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        callback: Callable[[str, float], Any] | None = None,
    ) -> None: ...

class RSDE(_Density):
    """Reduced set density: the kernels and weights of the least integrated squared error."""

    preset: Literal["recommended", "paper"]
    bandwidth: _Numbers | None
    target_bandwidth: _Numbers | None
    target: Literal["paper", "loo"] | None
    solver: Literal["exact", "multiplicative"] | None
    iterations: int | None
    pruning: float | None
    scoring: Literal["nll", "squared"] | None
    cv: _Numbers | _Splits | None
    refine: bool | None
    merge_copies: bool | None
    defensive_weight: float | None
    standardize: bool | None
    target_kind: str
    missing: str
    many_levels: str
    rare_levels: int | None
    unseen: str
    conformal: bool | Mapping[str, Any]
    calibrate: bool | Mapping[str, float]
    bootstrap: int
    random_state: int | np.random.Generator | np.random.RandomState | None
    n_jobs: int | None
    verbose: bool
    callback: Callable[[str, float], Any] | None
    bandwidth_: Any
    n_kernels_: Any
    kernel_weights_: NDArray[Any]
    kernel_means_: NDArray[Any]
    kernel_scales_: NDArray[Any]
    def __init__(
        self,
        *,
        preset: Literal["recommended", "paper"] = "recommended",
        bandwidth: _Numbers | None = None,
        target_bandwidth: _Numbers | None = None,
        target: Literal["paper", "loo"] | None = None,
        solver: Literal["exact", "multiplicative"] | None = None,
        iterations: int | None = None,
        pruning: float | None = None,
        scoring: Literal["nll", "squared"] | None = None,
        cv: _Numbers | _Splits | None = None,
        refine: bool | None = None,
        merge_copies: bool | None = None,
        defensive_weight: float | None = None,
        standardize: bool | None = None,
        target_kind: str = "real",
        missing: str = "error",
        many_levels: str = "statistics",
        rare_levels: int | None = None,
        unseen: str = "automatic",
        conformal: bool | Mapping[str, Any] = False,
        calibrate: bool | Mapping[str, float] = False,
        bootstrap: int = 0,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        callback: Callable[[str, float], Any] | None = None,
    ) -> None: ...

class GMM(_Density):
    """Gaussian mixture by expectation maximisation: full or diagonal covariances, their number by BIC."""

    preset: Literal["recommended", "paper"]
    n_components: _Numbers | None
    covariance: Literal["full", "diagonal", "auto"] | None
    selection: Literal["bic", "cv"] | None
    cv: _Numbers | _Splits | None
    initialization: Literal["kmeans", "random"] | None
    centers: ArrayLike | None
    region: _Numbers | None
    initial_variance: float | None
    variance_floor: float | None
    starts: int | None
    short_iterations: int | None
    max_iterations: int | None
    tolerance: float | None
    defensive_weight: float | None
    standardize: bool | None
    target_kind: str
    missing: str
    many_levels: str
    rare_levels: int | None
    unseen: str
    conformal: bool | Mapping[str, Any]
    calibrate: bool | Mapping[str, float]
    bootstrap: int
    random_state: int | np.random.Generator | np.random.RandomState | None
    n_jobs: int | None
    verbose: bool
    callback: Callable[[str, float], Any] | None
    n_kernels_: Any
    kernel_weights_: NDArray[Any]
    kernel_means_: NDArray[Any]
    kernel_scales_: NDArray[Any]
    kernel_covariances_: NDArray[Any]
    covariance_: Any
    log_likelihood_: Any
    def __init__(
        self,
        *,
        preset: Literal["recommended", "paper"] = "recommended",
        n_components: _Numbers | None = None,
        covariance: Literal["full", "diagonal", "auto"] | None = None,
        selection: Literal["bic", "cv"] | None = None,
        cv: _Numbers | _Splits | None = None,
        initialization: Literal["kmeans", "random"] | None = None,
        centers: ArrayLike | None = None,
        region: _Numbers | None = None,
        initial_variance: float | None = None,
        variance_floor: float | None = None,
        starts: int | None = None,
        short_iterations: int | None = None,
        max_iterations: int | None = None,
        tolerance: float | None = None,
        defensive_weight: float | None = None,
        standardize: bool | None = None,
        target_kind: str = "real",
        missing: str = "error",
        many_levels: str = "statistics",
        rare_levels: int | None = None,
        unseen: str = "automatic",
        conformal: bool | Mapping[str, Any] = False,
        calibrate: bool | Mapping[str, float] = False,
        bootstrap: int = 0,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        callback: Callable[[str, float], Any] | None = None,
    ) -> None: ...

class ForwardSelection(_Selecting, _WithUnlabeled):
    """Forward selection of inputs, one by one, for any model."""

    preset: Literal["recommended", "paper"]
    model: str | ConditionalDensityRegressor | None
    model_preset: str | None
    options: Mapping[str, Any] | ConditionalDensityRegressor | None
    min_features: int | None
    max_features: int | None
    selection_rule: Literal["minimum", "one_standard_error"] | None
    scoring: Literal["nll", "squared"] | None
    cv: _Numbers | _Splits | None
    target_kind: str
    missing: str
    many_levels: str
    rare_levels: int | None
    unseen: str
    conformal: bool | Mapping[str, Any]
    calibrate: bool | Mapping[str, float]
    bootstrap: int
    random_state: int | np.random.Generator | np.random.RandomState | None
    n_jobs: int | None
    verbose: bool
    callback: Callable[[str, float], Any] | None
    support_: NDArray[Any]
    feature_importances_: NDArray[Any]
    ranking_: NDArray[Any]
    scores_: NDArray[Any]
    def __init__(
        self,
        *,
        preset: Literal["recommended", "paper"] = "recommended",
        model: str | ConditionalDensityRegressor | None = None,
        model_preset: str | None = None,
        options: Mapping[str, Any] | ConditionalDensityRegressor | None = None,
        min_features: int | None = None,
        max_features: int | None = None,
        selection_rule: Literal["minimum", "one_standard_error"] | None = None,
        scoring: Literal["nll", "squared"] | None = None,
        cv: _Numbers | _Splits | None = None,
        target_kind: str = "real",
        missing: str = "error",
        many_levels: str = "statistics",
        rare_levels: int | None = None,
        unseen: str = "automatic",
        conformal: bool | Mapping[str, Any] = False,
        calibrate: bool | Mapping[str, float] = False,
        bootstrap: int = 0,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        callback: Callable[[str, float], Any] | None = None,
    ) -> None: ...

class LSMI(_Reducing, _WithUnlabeled):
    """Directions z = W x of largest squared-loss mutual information with y, then any model of z."""

    preset: Literal["recommended", "paper"]
    n_components: _Numbers | None
    selection_rule: Literal["minimum", "one_standard_error"] | None
    sparse: bool | None
    bandwidth: _Numbers | None
    bandwidth_y: _Numbers | None
    regularization: _Numbers | None
    n_centers: int | None
    center_selection: Literal["random", "kmeans"] | None
    mask_centers: bool | None
    optimizer: Literal["lbfgs", "steepest"] | None
    informed_starts: bool | None
    start_directions: ArrayLike | None
    random_starts: int | None
    tuning: Literal["common", "own"] | None
    steps_per_tuning: int | None
    max_steps: int | None
    model: str | ConditionalDensityRegressor | None
    model_preset: str | None
    options: Mapping[str, Any] | ConditionalDensityRegressor | None
    scoring: Literal["nll", "squared"] | None
    cv: _Numbers | _Splits | None
    standardize: bool | None
    target_kind: str
    missing: str
    many_levels: str
    rare_levels: int | None
    unseen: str
    conformal: bool | Mapping[str, Any]
    calibrate: bool | Mapping[str, float]
    bootstrap: int
    random_state: int | np.random.Generator | np.random.RandomState | None
    n_jobs: int | None
    verbose: bool
    callback: Callable[[str, float], Any] | None
    components_: NDArray[Any]
    n_components_: Any
    bandwidth_: Any
    bandwidth_y_: Any
    regularization_: Any
    smi_: Any
    def __init__(
        self,
        *,
        preset: Literal["recommended", "paper"] = "recommended",
        n_components: _Numbers | None = None,
        selection_rule: Literal["minimum", "one_standard_error"] | None = None,
        sparse: bool | None = None,
        bandwidth: _Numbers | None = None,
        bandwidth_y: _Numbers | None = None,
        regularization: _Numbers | None = None,
        n_centers: int | None = None,
        center_selection: Literal["random", "kmeans"] | None = None,
        mask_centers: bool | None = None,
        optimizer: Literal["lbfgs", "steepest"] | None = None,
        informed_starts: bool | None = None,
        start_directions: ArrayLike | None = None,
        random_starts: int | None = None,
        tuning: Literal["common", "own"] | None = None,
        steps_per_tuning: int | None = None,
        max_steps: int | None = None,
        model: str | ConditionalDensityRegressor | None = None,
        model_preset: str | None = None,
        options: Mapping[str, Any] | ConditionalDensityRegressor | None = None,
        scoring: Literal["nll", "squared"] | None = None,
        cv: _Numbers | _Splits | None = None,
        standardize: bool | None = None,
        target_kind: str = "real",
        missing: str = "error",
        many_levels: str = "statistics",
        rare_levels: int | None = None,
        unseen: str = "automatic",
        conformal: bool | Mapping[str, Any] = False,
        calibrate: bool | Mapping[str, float] = False,
        bootstrap: int = 0,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        callback: Callable[[str, float], Any] | None = None,
    ) -> None: ...

class Sliced(_Reducing, _WithUnlabeled):
    """Directions by sliced inverse regression or average variance, followed by any model."""

    preset: Literal["recommended", "paper"]
    method: Literal["sir", "save", "mave", "kdr"] | None
    n_slices: int | None
    search_rows: int | None
    n_components: _Numbers | None
    selection_rule: Literal["minimum", "one_standard_error"] | None
    sparse: bool | None
    model: str | ConditionalDensityRegressor | None
    model_preset: str | None
    options: Mapping[str, Any] | ConditionalDensityRegressor | None
    scoring: Literal["nll", "squared"] | None
    cv: _Numbers | _Splits | None
    standardize: bool | None
    target_kind: str
    missing: str
    many_levels: str
    rare_levels: int | None
    unseen: str
    conformal: bool | Mapping[str, Any]
    calibrate: bool | Mapping[str, float]
    bootstrap: int
    random_state: int | np.random.Generator | np.random.RandomState | None
    n_jobs: int | None
    verbose: bool
    callback: Callable[[str, float], Any] | None
    components_: NDArray[Any]
    n_components_: Any
    def __init__(
        self,
        *,
        preset: Literal["recommended", "paper"] = "recommended",
        method: Literal["sir", "save", "mave", "kdr"] | None = None,
        n_slices: int | None = None,
        search_rows: int | None = None,
        n_components: _Numbers | None = None,
        selection_rule: Literal["minimum", "one_standard_error"] | None = None,
        sparse: bool | None = None,
        model: str | ConditionalDensityRegressor | None = None,
        model_preset: str | None = None,
        options: Mapping[str, Any] | ConditionalDensityRegressor | None = None,
        scoring: Literal["nll", "squared"] | None = None,
        cv: _Numbers | _Splits | None = None,
        standardize: bool | None = None,
        target_kind: str = "real",
        missing: str = "error",
        many_levels: str = "statistics",
        rare_levels: int | None = None,
        unseen: str = "automatic",
        conformal: bool | Mapping[str, Any] = False,
        calibrate: bool | Mapping[str, float] = False,
        bootstrap: int = 0,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        callback: Callable[[str, float], Any] | None = None,
    ) -> None: ...

class LocationScale(_WithUnlabeled):
    """A mean and a spread that follow the inputs, and any model of what is left."""

    preset: Literal["recommended", "paper"]
    mean: Literal["constant", "linear", "ridge", "gp", "auto"] | None
    scale: Literal["constant", "linear", "ridge", "gp", "auto"] | None
    model: str | ConditionalDensityRegressor | None
    model_preset: str | None
    options: Mapping[str, Any] | ConditionalDensityRegressor | None
    bandwidth: _Numbers | None
    regularization: _Numbers | None
    n_centers: int | None
    max_rows: int | None
    scale_floor: float | None
    defensive_weight: float | None
    standardize: bool | None
    target_kind: str
    missing: str
    many_levels: str
    rare_levels: int | None
    unseen: str
    conformal: bool | Mapping[str, Any]
    calibrate: bool | Mapping[str, float]
    bootstrap: int
    random_state: int | np.random.Generator | np.random.RandomState | None
    n_jobs: int | None
    verbose: bool
    callback: Callable[[str, float], Any] | None
    explained_: NDArray[Any]
    scale_gain_: NDArray[Any]
    residual_scale_: NDArray[Any]
    length_scales_: NDArray[Any]
    scale_length_scales_: NDArray[Any]
    regularization_: NDArray[Any]
    scale_regularization_: NDArray[Any]
    def __init__(
        self,
        *,
        preset: Literal["recommended", "paper"] = "recommended",
        mean: Literal["constant", "linear", "ridge", "gp", "auto"] | None = None,
        scale: Literal["constant", "linear", "ridge", "gp", "auto"] | None = None,
        model: str | ConditionalDensityRegressor | None = None,
        model_preset: str | None = None,
        options: Mapping[str, Any] | ConditionalDensityRegressor | None = None,
        bandwidth: _Numbers | None = None,
        regularization: _Numbers | None = None,
        n_centers: int | None = None,
        max_rows: int | None = None,
        scale_floor: float | None = None,
        defensive_weight: float | None = None,
        standardize: bool | None = None,
        target_kind: str = "real",
        missing: str = "error",
        many_levels: str = "statistics",
        rare_levels: int | None = None,
        unseen: str = "automatic",
        conformal: bool | Mapping[str, Any] = False,
        calibrate: bool | Mapping[str, float] = False,
        bootstrap: int = 0,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        callback: Callable[[str, float], Any] | None = None,
    ) -> None: ...

class Pooled(_WithUnlabeled):
    """A convex combination of models, weighted by the log score of rows left out."""

    preset: Literal["recommended", "paper"]
    models: str | Sequence[str | ConditionalDensityRegressor] | None
    model_preset: str | None
    options: Mapping[str, Any] | ConditionalDensityRegressor | None
    shrinkage: float | None
    defensive_weight: float | None
    cv: _Numbers | _Splits | None
    target_kind: str
    missing: str
    many_levels: str
    rare_levels: int | None
    unseen: str
    conformal: bool | Mapping[str, Any]
    calibrate: bool | Mapping[str, float]
    bootstrap: int
    random_state: int | np.random.Generator | np.random.RandomState | None
    n_jobs: int | None
    verbose: bool
    callback: Callable[[str, float], Any] | None
    members_: NDArray[Any]
    weights_: NDArray[Any]
    member_scores_: NDArray[Any]
    def __init__(
        self,
        *,
        preset: Literal["recommended", "paper"] = "recommended",
        models: str | Sequence[str | ConditionalDensityRegressor] | None = None,
        model_preset: str | None = None,
        options: Mapping[str, Any] | ConditionalDensityRegressor | None = None,
        shrinkage: float | None = None,
        defensive_weight: float | None = None,
        cv: _Numbers | _Splits | None = None,
        target_kind: str = "real",
        missing: str = "error",
        many_levels: str = "statistics",
        rare_levels: int | None = None,
        unseen: str = "automatic",
        conformal: bool | Mapping[str, Any] = False,
        calibrate: bool | Mapping[str, float] = False,
        bootstrap: int = 0,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        callback: Callable[[str, float], Any] | None = None,
    ) -> None: ...

class AutoCDE(_WithUnlabeled):
    """A pool of models that a race on parts of the data chooses, within a budget of time."""

    preset: Literal["recommended", "paper"]
    budget: float | None
    model_preset: str | None
    shrinkage: float | None
    defensive_weight: float | None
    cv: _Numbers | _Splits | None
    sample_rows: int | None
    target_kind: str
    missing: str
    many_levels: str
    rare_levels: int | None
    unseen: str
    conformal: bool | Mapping[str, Any]
    calibrate: bool | Mapping[str, float]
    bootstrap: int
    random_state: int | np.random.Generator | np.random.RandomState | None
    n_jobs: int | None
    verbose: bool
    callback: Callable[[str, float], Any] | None
    members_: NDArray[Any]
    weights_: NDArray[Any]
    member_scores_: NDArray[Any]
    def __init__(
        self,
        *,
        preset: Literal["recommended", "paper"] = "recommended",
        budget: float | None = None,
        model_preset: str | None = None,
        shrinkage: float | None = None,
        defensive_weight: float | None = None,
        cv: _Numbers | _Splits | None = None,
        sample_rows: int | None = None,
        target_kind: str = "real",
        missing: str = "error",
        many_levels: str = "statistics",
        rare_levels: int | None = None,
        unseen: str = "automatic",
        conformal: bool | Mapping[str, Any] = False,
        calibrate: bool | Mapping[str, float] = False,
        bootstrap: int = 0,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        callback: Callable[[str, float], Any] | None = None,
    ) -> None: ...
