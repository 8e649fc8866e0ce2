#pragma once
// Choosing the common width of kernels that stand at data points, by K-fold cross-validation of the density of all
// columns together: what RSDE and SKD share.

#include <functional>
#include <vector>

#include "condens/core/run.hpp"
#include "condens/data/dataset.hpp"
#include "condens/model/conditional_density.hpp"
#include "condens/model/scoring.hpp"

namespace condens {

/// A mixture of kernels at some of the points it was fitted to.
struct KernelSet {
  std::vector<Index> points;
  Vector weights;  ///< > 0, sum one
};

/// Kernels of a given width for `points` (n x d) and their weights. Called from several threads.
using FitKernels = std::function<KernelSet(const Matrix& points, const Vector& weights, double width)>;

struct WidthSearch {
  std::vector<double> candidates;
  bool warn = false;   ///< where the best is the smallest or the largest
  bool refine = true;  ///< search again between the best candidate and its neighbours
  std::vector<Index> fold;
  Scoring scoring = Scoring::nll;
  double defensive_weight = 0;
};

/// The candidate of the least mean score of held-out points; the report has all of them.
double choose_width(const Matrix& points, const Vector& weights, const WidthSearch& search, const FitKernels& fit,
                    const Run& run, FitReport& report);

/// Rows in a fixed order, equal ones as one of their common weight where asked, unless folds are given row by row; and
/// their folds.
Dataset rows_of_density(const Dataset& standardized, const std::vector<double>& cv, bool merge_copies);
std::vector<Index> folds_of_rows(const Dataset& rows, const Dataset& given, const std::vector<double>& cv, Index seed);

/// Width of a Parzen window by the leave-one-out likelihood, for points of any scale.
double likelihood_width(const Matrix& points, const Vector& weights, const Run& run);

}  // namespace condens
