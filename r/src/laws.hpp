#pragma once
// Distributions of many rows as one object of R, a raw vector of their bytes (CBOR).

#include <R_ext/Rdynload.h>
#include <cpp11/R.hpp>

#include <memory>
#include <variant>
#include <vector>

#include "condens/distributions/gaussian_mixture.hpp"
#include "condens/distributions/target_distributions.hpp"

namespace condens::r {

using Laws = std::variant<GaussianMixtures, TargetDistributions>;

void register_laws_class(DllInfo* dll);

SEXP to_r(Laws laws);

/// A matrix for each distribution, whose rows are the intervals of its region.
SEXP regions_to_r(const std::vector<std::vector<Interval>>& regions);

/// Of an object made above, or of plain bytes of one. Throws FormatError for other bytes.
std::shared_ptr<const Laws> laws_of(SEXP object);

}  // namespace condens::r
