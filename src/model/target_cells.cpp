#include "target_cells.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "condens/core/parallel.hpp"

namespace condens {

namespace {

constexpr double least_rows_a_value = 10;
constexpr Index rows_at_once = 1024;

// A probability below this has lost digits; the density is what is left to tell how unlikely a row is.
constexpr double least_probability = 1e-290;

}  // namespace

TargetCells TargetCells::of(const Dataset& rows) {
  TargetCells out;
  if (rows.y.rows() != 1) return out;
  const Vector y = rows.y.row(0).transpose();
  std::vector<double> values(y.begin(), y.end());
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  const double copies = std::max(static_cast<double>(rows.size()), rows.weights.size() > 0 ? rows.weights.sum() : 0.0);
  if (values.size() >= 2 && static_cast<double>(values.size()) * least_rows_a_value < copies)
    out.values_ = std::move(values);
  return out;
}

TargetCells::Cell TargetCells::around(double y) const {
  // The last value that is not above y; of a y that is none of the values, the cell that it falls into.
  const auto above = std::upper_bound(values_.begin(), values_.end(), y);
  auto k = above == values_.begin() ? above : above - 1;
  if (above != values_.begin() && above != values_.end() && y > *k + (*above - *k) / 2) k = above;
  const double below = k == values_.begin() ? -infinity : *(k - 1) + (*k - *(k - 1)) / 2;
  const double beyond = k + 1 == values_.end() ? infinity : *k + (*(k + 1) - *k) / 2;
  const double width = below == -infinity ? *(k + 1) - *k : beyond == infinity ? *k - *(k - 1) : beyond - below;
  return {below, beyond, width};
}

Vector TargetCells::log_probability(const Vector& scores, const MatrixView& y) const {
  Vector out = scores;
  for (Index i = 0; i < out.size(); ++i) out[i] += std::log(around(y(0, i)).width);
  return out;
}

Vector TargetCells::log_density(const ConditionalDensity& model, const Dataset& rows, const Run& run) const {
  const Matrix x = rows.x.topRows(model.n_inputs());
  if (empty()) return model.log_density(x, rows.y, run);
  Vector out(rows.size());
  for (Index block = 0; block < block_count(rows.size(), rows_at_once); ++block) {
    const Range range = block_range(rows.size(), rows_at_once, block);
    out.segment(range.begin, range.size()) = log_density(model.predict(x.middleCols(range.begin, range.size()), run),
                                                         rows.y.middleCols(range.begin, range.size()), run);
  }
  return out;
}

Vector TargetCells::log_density(const GaussianMixture& law, const MatrixView& y, const Run& run) const {
  // One distribution, of which all columns are points.
  const auto components = std::make_shared<const GaussianComponents>(law.components());
  return log_density(GaussianMixtures::shared_normalized(components, Matrix(law.log_weights())), y, run);
}

Vector TargetCells::log_density(const GaussianMixtures& laws, const MatrixView& y, const Run& run) const {
  if (empty()) return laws.log_pdf(y, run);
  Vector lower(y.cols());
  Vector upper(y.cols());
  Vector width(y.cols());
  for (Index i = 0; i < y.cols(); ++i) {
    const Cell cell = around(y(0, i));
    lower[i] = cell.lower;
    upper[i] = cell.upper;
    width[i] = cell.width;
  }
  Vector out = laws.probability(lower, upper, run);
  if (out.minCoeff() < least_probability) {
    const Vector density = laws.log_pdf(y, run);
    for (Index i = 0; i < out.size(); ++i) {
      out[i] = out[i] < least_probability ? density[i] : std::log(out[i] / width[i]);
    }
    return out;
  }
  return (out.array() / width.array()).log();
}

}  // namespace condens
