#pragma once
// The hyper-parameters of a Gaussian process for one target: those not given maximise the
// marginal likelihood, from several starts. All starts run on a part of the rows where there
// are many; the best then goes on with all of them.

#include <vector>

#include "condens/core/parallel.hpp"
#include "condens/estimators/gaussian_process.hpp"
#include "condens/estimators/gaussian_process/likelihood.hpp"

namespace condens::gp {

/// Starts run on at most so many rows.
inline constexpr Index rows_of_starts = 300;

struct Found {
  Hyperparameters at;
  Index iterations = 0;
  bool finished = true;     ///< the search met its tolerance
  Vector scores_of_starts;  ///< -log likelihood by weight of the rows of the starts; empty when nothing was searched
};

/// x d_x x n, Y d_y x n, weights n, in an order whose first rows are a fair sample. One result per target.
std::vector<Found> search(const Matrix& x, const Matrix& y, const Vector& weights,
                          const GaussianProcessOptions& options, const Run& run);

}  // namespace condens::gp
