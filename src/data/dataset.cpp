#include "condens/data/dataset.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "condens/core/errors.hpp"

namespace condens {

namespace {

/// Names the first entry that is NaN or infinite, in the order of the rows.
void require_finite(std::string_view owner, std::string_view name, std::string_view entry, const MatrixView& data) {
  for (Index j = 0; j < data.cols(); ++j) {
    for (Index i = 0; i < data.rows(); ++i) {
      const double value = data(i, j);
      require(std::isfinite(value), owner, ": ", name, ": row ", j + 1, " (counting from 1), ", entry, " ", i + 1,
              " is ", std::isnan(value) ? "NaN" : "infinite", "; every value must be finite");
    }
  }
}

void check_weights(std::string_view owner, const Vector& weights, Index n) {
  if (weights.size() == 0) return;
  require(weights.size() == n, owner, ": ", weights.size(), " weights for ", n, " rows, expected one weight per row");
  for (Index i = 0; i < n; ++i) {
    require(std::isfinite(weights[i]) && weights[i] >= 0, owner, ": weights: row ", i + 1, " (counting from 1) is ",
            weights[i], ", expected a finite number >= 0");
  }
  const Index counted = (counted_weights(weights).array() > 0).count();
  require(counted > 0, owner, ": weights are all zero, expected at least one positive weight");
  Index largest = 0;
  weights.maxCoeff(&largest);
  require(counted > 1 || (weights.array() > 0).count() <= 1, owner, ": weights: row ", largest + 1,
          " (counting from 1) has ", weights[largest],
          ", beside which all others are lost in rounding; expected weights within a factor of 1e15");
}

void check_groups(std::string_view owner, const std::vector<Index>& groups, Index d_x) {
  if (groups.empty()) return;
  require(std::ssize(groups) == d_x, owner, ": groups has ", groups.size(), " entries, expected one for each of the ",
          d_x, " rows of x");
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const Index before = i == 0 ? -1 : groups[i - 1];
    require(groups[i] == before + 1 || (i > 0 && groups[i] == before), owner, ": groups: entry ", i + 1,
            " (counting from 1) is ", groups[i], ", expected ", i == 0 ? "" : message(before, " or "), before + 1,
            ": inputs are numbered 0, 1, ... in the order of the rows of x");
  }
}

}  // namespace

void Dataset::check(std::string_view owner) const {
  require(y.rows() > 0, owner, ": y has no target, expected at least one");
  require(y.cols() > 0, owner, ": no rows, expected at least one observation");
  require(x.rows() == 0 || x.cols() == size(), owner, ": x has ", x.cols(), " rows and y has ", size(),
          ", expected as many inputs as targets");
  require_finite(owner, "x", "input", x);
  require_finite(owner, "y", "target", y);
  check_weights(owner, weights, size());
  check_groups(owner, groups, x.rows());
  if (x_unlabeled.cols() > 0) {
    require(x_unlabeled.rows() == x.rows(), owner, ": x_unlabeled has ", x_unlabeled.rows(), " inputs and x has ",
            x.rows(), ", expected the same inputs");
    require_finite(owner, "x_unlabeled", "input", x_unlabeled);
  }
}

std::vector<std::vector<Index>> Dataset::inputs() const {
  std::vector<std::vector<Index>> out;
  for (Index row = 0; row < x.rows(); ++row) {
    if (groups.empty() || row == 0 ||
        groups[static_cast<std::size_t>(row)] != groups[static_cast<std::size_t>(row - 1)])
      out.emplace_back();
    out.back().push_back(row);
  }
  return out;
}

Dataset Dataset::subset(const std::vector<Index>& rows) const {
  for (const Index row : rows) {
    require(row >= 0 && row < size(), "Dataset::subset: row ", row, ", expected 0 to ", size() - 1);
  }
  Dataset out;
  out.x = x.rows() == 0 ? Matrix(0, static_cast<Index>(rows.size())) : Matrix(x(Eigen::all, rows));
  out.y = Matrix(y(Eigen::all, rows));
  if (weights.size() > 0) out.weights = weights(rows);
  out.x_unlabeled = x_unlabeled;
  out.groups = groups;
  return out;
}

Vector counted_weights(const VectorView& weights) {
  // Powers of two: more copies would tell the fits nothing, and make their sums inexact.
  constexpr int most_copies = 40;
  constexpr int lost = 50;
  // Weights may be subnormal where a fit treats such numbers as zero: those of more digits are not.
  long double largest = 0;
  for (const double weight : weights) largest = std::max(largest, static_cast<long double>(weight));
  if (!(largest > 0)) return weights;
  const int exponent = std::ilogb(largest);
  Vector out(weights.size());  // the largest in [1, 2)
  for (Index i = 0; i < out.size(); ++i) {
    out[i] = static_cast<double>(std::ldexp(static_cast<long double>(weights[i]), -exponent));
  }
  const double least = std::ldexp(out.maxCoeff(), -lost);
  out = (out.array() < least).select(0.0, out);
  const auto rows = static_cast<double>((out.array() > 0).count());
  const double total = out.sum();
  if (std::ldexp(total, exponent) < rows) return out * (rows / total);
  return out * std::ldexp(1.0, std::min(exponent, most_copies));
}

Index count_rows(const Dataset& data) {
  return data.weights.size() == 0 ? data.size() : (counted_weights(data.weights).array() > 0).count();
}

const Dataset& rows_that_count(const Dataset& data, Dataset& storage) {
  const Vector weights = counted_weights(data.weights);
  if (weights.size() == 0 || (weights == data.weights && weights.minCoeff() > 0.0)) return data;
  std::vector<Index> rows;
  for (Index i = 0; i < data.size(); ++i) {
    if (weights[i] > 0.0) rows.push_back(i);
  }
  storage = data.subset(rows);
  storage.weights = weights(rows);
  return storage;
}

}  // namespace condens
