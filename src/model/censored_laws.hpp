#pragma once
// What Gaussian mixtures say of numbers that are known by their limits (data/censoring.hpp).

#include "condens/data/censoring.hpp"
#include "condens/distributions/gaussian_mixture.hpp"

namespace condens {

/// log p(y) of exact numbers, log P(low < Y <= high) of others, less log P(Y > entry) of those seen late. Finite in the
/// tails: where a probability is lost in rounding, by the logarithms of the tails. As many rows for every law, as
/// points are (gaussian_mixture.hpp). Infinite numbers known exactly have density zero.
Vector log_likelihood(const GaussianMixtures& laws, const Censoring& rows, const Run& run = {});

/// The quantile u in (0, 1) of each law given that Y lies in [low, high]; where this has no probability that a number
/// could hold, that of the exponential with the hazard at the nearer end, or an even one.
Vector quantile_between(const GaussianMixtures& laws, const VectorView& low, const VectorView& high,
                        const VectorView& u, const Run& run = {});

}  // namespace condens
