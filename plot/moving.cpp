#include "moving.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "condens/core/errors.hpp"
#include "density_image.hpp"
#include "frame.hpp"
#include "points.hpp"

namespace condens::plot {

namespace {

/// The number of a row's level.
Index level_of(const InputColumn& column, const Levels& levels, const VectorView& x) {
  Index best = 0;
  (levels.x.colwise() - x.segment(column.row, column.width)).colwise().squaredNorm().minCoeff(&best);
  return best;
}

/// Squared distance of a row in one input, in standard deviations; levels differ by one.
Vector squared_distance(const InputColumn& column, const Vector& at, const Dataset& data) {
  const auto rows = data.x.middleRows(column.row, column.width);
  const Matrix apart = rows.colwise() - at.segment(column.row, column.width);
  if (!column.levels.empty()) return (apart.array().abs().colwise().maxCoeff() > 0.5).cast<double>().transpose();
  const double mean = rows.mean();
  const double variance = (rows.array() - mean).square().mean();
  if (!(variance > 0.0)) return Vector::Zero(rows.cols());
  return apart.row(0).array().square().transpose() / variance;
}

/// The data but for a few far values of many, which would squeeze the rest into a line.
Extent bulk(const VectorView& y) {
  constexpr Index many = 1000;
  constexpr double share = 0.005;  // of the rows, at either end
  const Extent all = extent_of(y);
  if (y.size() < many) return all;
  const Extent most = extent_of(Vector{{sample_quantile(y, share), sample_quantile(y, 1.0 - share)}});
  return all.size() > 2.0 * most.size() ? most : all;
}

}  // namespace

std::vector<InputColumn> input_columns(const char* owner, const ConditionalDensity& model, const Names& names) {
  if (names.columns.empty()) {
    std::vector<InputColumn> out;
    for (Index i = 0; i < model.n_inputs(); ++i) out.push_back({name_of(names.inputs, i, "x"), i});
    return out;
  }
  Index rows = 0;
  for (const InputColumn& column : names.columns) {
    const Index width = column.levels.size() > 2 ? std::ssize(column.levels) : 1;
    require(column.width == width && column.row >= 0 && column.row + width <= model.n_inputs(), owner, ": input '",
            column.name, "' has ", column.width, " rows of x from ", column.row, ", expected ", width, " below ",
            model.n_inputs());
    rows += width;
  }
  require(rows == model.n_inputs(), owner, ": the columns have ", rows, " rows of x, expected ", model.n_inputs());
  return names.columns;
}

Levels levels_of(const InputColumn& column, const Dataset& data) {
  if (column.levels.size() > 2) return {Matrix::Identity(column.width, column.width), column.levels};
  if (!column.levels.empty()) {
    const Index n = std::ssize(column.levels);
    return {Vector::LinSpaced(n, 0.0, static_cast<double>(n - 1)).transpose(), column.levels};
  }
  std::set<double> values;
  for (const double value : data.x.row(column.row)) {
    values.insert(value);
    if (std::ssize(values) > few_values) return {};
  }
  constexpr Index repeats = 3;  // fewer rows for each value do not tell
  if (values.size() < 2 || data.size() < repeats * std::ssize(values)) return {};
  Levels out{Matrix(1, std::ssize(values)), {}};
  for (const double value : values) {
    out.x(0, std::ssize(out.labels)) = value;
    out.labels.push_back(short_number(value, 4));
  }
  return out;
}

Matrix moved(const Vector& at, const InputColumn& column, const Matrix& values) {
  Matrix x = at.replicate(1, values.cols());
  x.middleRows(column.row, column.width) = values;
  return x;
}

Vector level_places(const InputColumn& column, const Levels& levels, const Dataset& data) {
  constexpr double golden = 0.6180339887498949;  // its multiples fill the level evenly
  Vector out(data.size());
  for (Index i = 0; i < out.size(); ++i) {
    const double turn = golden * static_cast<double>(i);
    out[i] = static_cast<double>(level_of(column, levels, data.x.col(i))) + 0.5 * (turn - std::floor(turn)) - 0.25;
  }
  return out;
}

Vector closeness(const std::vector<InputColumn>& columns, Index moving, const Vector& at, const Dataset& data) {
  // A tenth of the rows is near, or of many rows as many as can be told apart.
  const double near_share = std::min(0.1, 200.0 / static_cast<double>(std::max<Index>(1, data.size())));
  constexpr double least_width = 0.25;  // many rows may stand exactly where the section is
  Vector squared = Vector::Zero(data.size());
  for (Index i = 0; i < std::ssize(columns); ++i)
    if (i != moving) squared += squared_distance(columns[static_cast<std::size_t>(i)], at, data);
  squared /= std::max<double>(1.0, static_cast<double>(columns.size() - 1));
  const double width = std::max(least_width * least_width, sample_quantile(squared, near_share));
  return (-0.5 * squared.array() / width).exp();
}

std::vector<std::string> standing(const std::vector<InputColumn>& columns, const Vector& at) {
  std::vector<std::string> out;
  for (const InputColumn& column : columns) {
    const auto values = at.segment(column.row, column.width);
    std::string value = short_number(values[0]);
    for (std::size_t k = 0; k < column.levels.size(); ++k) {
      const bool here = column.width > 1 ? values[static_cast<Index>(k)] == 1.0 : values[0] == static_cast<double>(k);
      if (here) value = column.levels[k];
    }
    out.push_back(column.name + " = " + value);
  }
  return out;
}

Extent target_axis(const TargetDistributions& laws, const VectorView& y, double tail, bool with_data, const Run& run) {
  constexpr double margin = 0.03;
  constexpr double below_zero = 0.015;  // of the axis, so that points at zero are seen whole
  const Matrix ends = laws.quantile(Vector{{tail, 1.0 - tail}}, run);
  const Extent data = bulk(y);
  const double reach = std::max(data.size(), sample_quantile((ends.row(1) - ends.row(0)).transpose(), 0.5));
  Extent out{std::max(ends.row(0).minCoeff(), data.low - reach), std::min(ends.row(1).maxCoeff(), data.high + reach)};
  if (!(out.size() > 1e-9 * data.size())) out = data;  // the distributions are elsewhere
  if (with_data) out = hull(out, data);
  const double extra = margin * out.size();
  out = extent_of(Vector{{out.low - extra, out.high + extra}});
  if (y.minCoeff() >= 0.0 && out.high > 0.0) out.low = std::max(out.low, with_data ? -below_zero * out.high : 0.0);
  return out;
}

Extent with_atoms(const Extent& axis, const TargetDistributions& laws) {
  constexpr double room = 0.04;  // of the axis, for the bars
  Extent out = axis;
  for (const double atom : laws.support().atoms) {
    out = hull(out, {atom - room * axis.size(), atom + room * axis.size()});
  }
  return out;
}

Outside outside_of(const TargetDistributions& laws, const Extent& axis, const Run& run) {
  return {laws.cdf_below(Vector::Constant(laws.size(), axis.low), run).maxCoeff(),
          laws.sf(Vector::Constant(laws.size(), axis.high), run).maxCoeff()};
}

std::string outside_remark(const Outside& outside, const Extent& axis, const VectorView& drawn) {
  constexpr double little = 0.02;
  const auto share = [](double p) { return short_number(100.0 * p, 2) + " % of the probability lies "; };
  const std::string low = "below " + short_number(std::abs(axis.low) < little * axis.high ? 0.0 : axis.low);
  const std::string high = "above " + short_number(axis.high);
  std::string out;
  if (outside.below > little) out = "Up to " + share(outside.below) + low;
  if (outside.above > little) out += (out.empty() ? "Up to " : ", up to ") + share(outside.above) + high;
  if (!out.empty()) out += ". ";
  const auto beyond = (drawn.array() < axis.low || drawn.array() > axis.high).count();
  if (beyond > 0) out += count_text(beyond) + (beyond == 1 ? " row lies" : " rows lie") + " beyond the axis.";
  return out;
}

}  // namespace condens::plot
