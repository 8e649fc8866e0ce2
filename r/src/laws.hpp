#pragma once
// Distributions of many rows as one object of R; its elements are known by their numbers.

#include <cpp11/R.hpp>

#include <variant>
#include <vector>

#include "condens/distributions/gaussian_mixture.hpp"
#include "condens/distributions/target_distributions.hpp"

namespace condens::r {

using Laws = std::variant<GaussianMixtures, TargetDistributions>;

SEXP to_r(Laws laws);

/// A matrix for each distribution, whose rows are the intervals of its region.
SEXP regions_to_r(const std::vector<std::vector<Interval>>& regions);

/// Throws std::invalid_argument where it is none, or did not survive a file.
const Laws& laws_of(SEXP object);

}  // namespace condens::r
