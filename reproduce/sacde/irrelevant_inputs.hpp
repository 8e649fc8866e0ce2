#pragma once
// Irrelevant inputs added to a data set: noisy copies of its own (sections 3.2, 3.5, 3.6).

#include <cstdint>

#include "condens/data/dataset.hpp"

namespace condens::reproduce {

/// `count` copies of x_1 with Gaussian noise of three of its standard deviations (all rows,
/// n - 1). The first m of a larger count are those of a count of m.
Dataset with_noisy_copies(const Dataset& data, Index count, std::uint64_t seed);

/// `count` inputs, each with probability 1/2 a copy of a random input that varies, otherwise the
/// sum of two such, each at unit variance; and Gaussian noise of three times the result's standard
/// deviation. With one input that varies all are copies. (The paper gives neither the
/// probability nor the coefficients.)
Dataset with_noisy_mixtures(const Dataset& data, Index count, std::uint64_t seed);

}  // namespace condens::reproduce
