#pragma once
// Orthogonal forward regression of a target on kernels of one width at the data points: each stage
// takes the kernel with the least leave-one-out criterion of all, found without looking at all.
//
// Source: S. Chen, X. Hong and C. J. Harris, An orthogonal forward regression technique for sparse
// kernel density estimation, Neurocomputing 71, 2008 (OFR-LOO-LR); IEEE Trans. SMC B 40, 2010, eqs.
// 26-38. As 0 < eta <= 1, J_j >= RSS_j / N, and RSS_j follows from w_j'w_j and w_j't, which every
// stage updates for all candidates by one sum over pairs.

#include <functional>
#include <vector>

#include "condens/core/types.hpp"
#include "condens/optim/orthogonal_regression.hpp"

namespace condens {

struct SelectionSettings {
  RegressionPenalty penalty;
  bool local_regularization = true;  ///< a regulariser for each kernel, by its evidence
  Index max_kernels = 100;
  double stop_tolerance = 0;  ///< stop unless J_{n+1} < (1 - tolerance) J_n (eq. 38: 0)
  int threads = 1;
  std::function<void()> poll = {};
};

struct KernelSelection {
  std::vector<Index> points;        ///< where kernels stand, in the order of selection; at least one
  OrthogonalRegression regression;  ///< on their columns
  std::vector<double> path;         ///< J_0, J_1, ...
  Index evaluations;                ///< of J, in the first pass
  bool forced;                      ///< no kernel lowers J_0: the best one is there all the same
};

/// `points` n x d in units of the width, weights n (> 0), `target` n in units of the kernel's top.
KernelSelection select_kernels(const Matrix& points, const Vector& weights, const Vector& target,
                               const SelectionSettings& settings);

}  // namespace condens
