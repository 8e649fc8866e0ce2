#pragma once
// The hyper-parameters of a Gaussian process for one target: those not given maximise the
// marginal likelihood, from several starts. All starts run on a part of the rows where there
// are many; the best then goes on with all of them.
//
// Of more rows than the process may have there are two ways to go on, and the one that foretells rows left out better
// is taken: the likelihood of the rows of the process, which are too far from each other for what is short, and that of
// many neighbourhoods, each as if it were alone, which see rows at their density but nothing that is long.

#include <optional>
#include <vector>

#include "condens/core/parallel.hpp"
#include "condens/estimators/gaussian_process.hpp"
#include "condens/estimators/gaussian_process/likelihood.hpp"
#include "inducing.hpp"

namespace condens::gp {

/// Starts run on at most so many rows.
inline constexpr Index rows_of_starts = 300;

struct Found {
  Hyperparameters at;
  Index iterations = 0;
  bool finished = true;                        ///< the search met its tolerance
  std::optional<InducedProcess> induced = {};  ///< of all rows, where they are more than the process may have
  LeftOut left_out = {};                       ///< likewise, in the order of the rows
  Vector scores_of_starts;  ///< -log likelihood by weight of the rows of the starts; empty when nothing was searched
};

/// Rows in a random order; the first max_rows of them are the process. One result per target.
std::vector<Found> search(const Dataset& rows, const GaussianProcessOptions& options, const Run& run);

}  // namespace condens::gp
