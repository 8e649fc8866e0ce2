#pragma once
// The weights of a pool: those that maximise the log score of rows left out, with the broad Gaussian as a member of its
// own, and what the pool with them is worth.

#include <vector>

#include "candidates.hpp"
#include "condens/model/pooled_density.hpp"

namespace condens::pooling {

struct Combination {
  Vector weights;      ///< of the candidates, then of the broad Gaussian where there is one; on the simplex
  Matrix log_density;  ///< of the scoring rows under each of these, the least share of the broad Gaussian included
  double least = 0;    ///< that share
  double gap = 0;      ///< certificate of the weights, see optim/mixture_proportions.hpp
  Index iterations = 0;
  Vector held_out;  ///< log density of the scoring rows under the pool, by weights found without each fold
  Vector held_out_average;
};

/// Throws NumericalError where a row has no density under any candidate.
Combination combine(const std::vector<Candidate>& candidates, const ScoringRows& rows, const Defensive& defensive,
                    double shrinkage);

struct Pooled {
  PoolParts parts;
  FitReport report;
};

/// The candidates that have a weight as the members of a pool; the report gets the table of all, the score of the pool,
/// what inputs are worth to it, the certificate, and what the members warn of.
void assemble(const std::vector<Candidate>& candidates, const Combination& found, const ScoringRows& rows, Pooled& out);

}  // namespace condens::pooling
