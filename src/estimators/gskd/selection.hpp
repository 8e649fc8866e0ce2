#pragma once
// Target, number of kernels and finish of a density of tunable kernels, by the held-out likelihood of y given x.

#include <functional>
#include <vector>

#include "model/preparation.hpp"
#include "polish.hpp"

namespace condens {

struct GskdChoice {
  GskdTarget target;
  Index n_kernels;  ///< the kernels are those of a fit with max_kernels of this
  Finish finish;
  double score = 0;  ///< mean of -log p(y | x) of rows left out
  double standard_error = 0;
  Vector folds = {};  ///< the score in each fold
};

/// What the options leave open, and what is taken where nothing is, or where there are too few rows to tell.
class GskdSelection {
 public:
  /// log p(y | x) at the rows left out, of kernels fitted to the others.
  using LogDensity = std::function<Vector(const FinishedKernels& kernels, const preparation::HeldOut& part)>;

  /// `rows` are standardised.
  GskdSelection(const Dataset& rows, const GskdOptions& options);

  /// Is there something to choose, and are there rows to choose by?
  bool open() const { return open_; }

  /// Compares the candidates, and tells of them: the best, but of any covariances, where diagonal ones are compared,
  /// too, only where it is better by more than the standard error of the difference.
  GskdChoice choose(const LogDensity& log_density, const Run& run, FitReport& report) const;

  /// Where nothing is compared: what is left open is the first, of one kernel the Gaussian of greatest likelihood.
  GskdChoice first() const;

 private:
  const GskdOptions& options_;
  Dataset rows_;
  std::vector<GskdTarget> targets_;
  std::vector<Index> sizes_;
  std::vector<Finish> finishes_;
  bool open_;
};

}  // namespace condens
