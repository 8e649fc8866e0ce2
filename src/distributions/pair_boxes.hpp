#pragma once
// Means over all pairs of many univariate components of few different scales, in O(m log m).

#include <optional>

#include "mixture_view.hpp"

namespace condens::detail {

/// E|X - X'| and the integral of p^2, relative error below 1e-13; nothing where a loop over the pairs is as fast: few
/// components, or many different scales.
std::optional<double> pair_distance_by_boxes(const MixtureView& p);
std::optional<double> overlap_by_boxes(const MixtureView& p);

}  // namespace condens::detail
