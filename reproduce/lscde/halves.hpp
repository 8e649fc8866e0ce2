#pragma once
// The protocol of section 4.2: fit on a random half of a data set, score the other.
//
// Scores are of y standardised by the training half (mean, n - 1 standard deviation;
// errata L1, L2): NLL = NLL on the user's scale - log sd_y.

#include <optional>
#include <string>
#include <vector>

#include "benchmark_sets.hpp"
#include "data/splits.hpp"
#include "variants.hpp"

namespace condens::reproduce {

inline constexpr Index repeats = 10;

/// The halves of a set of n rows: training rows and the others, `repeats` times.
std::vector<Split> benchmark_halves(Index n);

/// One fit. Its test score in two readings: exact, and with 2.2e-16 added to every density
/// (errata L8), so that no point counts more than 36.04.
struct Half {
  double exact;
  double capped;
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

/// The score of the authors' program (authors_program.hpp) on the same halves, for each repeat;
/// empty when the data set is not at hand.
std::vector<std::vector<double>> run_authors_program(const std::string& directory);

/// One number of each repeat.
std::vector<double> values(const std::vector<Half>& halves, double Half::*member);

}  // namespace condens::reproduce
