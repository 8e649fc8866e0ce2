#pragma once
// The protocol of section 4.2: fit on a random half of a data set, score the other.
//
// Scores are of y standardised by the training half (mean, n - 1 standard deviation;
// errata L1, L2): NLL = NLL on the user's scale - log sd_y.

#include <optional>
#include <string>
#include <vector>

#include "benchmark_sets.hpp"
#include "variants.hpp"

namespace condens::reproduce {

inline constexpr Index repeats = 10;

/// One fit. Its test score in two readings: exact, and with every density raised by 2.2e-16,
/// as in the authors' program (errata L8), so that no point counts more than 36.04.
struct Half {
  double exact;
  double floored;
  double bandwidth;
  double bandwidth_y;
  double regularization;
  double seconds;  ///< of one processor core, for selection and fit
};

/// Of one data set: results[variant][repeat]. Nothing when the data set is not at hand.
using SetResults = std::optional<std::vector<std::vector<Half>>>;

/// All variants on the same halves of every benchmark set, which do not depend on the
/// variants. One thread for each fit, several fits at once.
std::vector<SetResults> run_halves(const std::string& directory, const std::vector<Variant>& variants);

/// One number of each repeat.
std::vector<double> values(const std::vector<Half>& halves, double Half::*member);

}  // namespace condens::reproduce
