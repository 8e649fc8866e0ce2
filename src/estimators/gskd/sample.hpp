#pragma once
// Points and what the regression on their Parzen window is set up with: the width of the window, the target at the
// rows of the regression (eq. 24), and the box in which kernels are sought (errata D13).

#include <vector>

#include "condens/data/dataset.hpp"
#include "condens/estimators/gskd.hpp"
#include "kernel_search.hpp"
#include "stage.hpp"

namespace condens {

/// Different points, standardised, with what a search needs of them.
struct Sample {
  Matrix z;  // (d_x + d_y) x n
  Vector weights;
  Vector mean;
  Vector spread;  // standard deviations; 0 for a constant column

  static Sample of(Matrix z, Vector weights);
  static Sample of(const Dataset& rows);  ///< z = (x, y)
  Index size() const { return z.cols(); }
};

/// `fit_rows` of the sample's points, or all.
std::vector<Index> some_rows(const Sample& sample, const GskdOptions& options);

/// The width of the window in every column: as given, or by the leave-one-out likelihood. Throws std::invalid_argument
/// for as many widths as there are no columns.
Vector window_width(const Sample& sample, const GskdOptions& options, const Run& run);

/// A constant column tells nothing of widths: its kernels have the window's.
KernelBox box_of(const Sample& sample, const Vector& bandwidth, const GskdOptions& options);

/// The rows that carry the regression, all or a random subset, with the window of all (eq. 24), or the empirical
/// distribution function of these rows (eq. 22).
KernelRows rows_of(const Sample& sample, const Vector& bandwidth, GskdTarget target, const GskdOptions& options,
                   const Run& run);

}  // namespace condens
