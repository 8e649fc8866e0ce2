#include "sensitivity.hpp"

#include <algorithm>

#include "data/dates.hpp"
#include "fitted.hpp"
#include "relevance.hpp"

namespace condens::cli {

namespace {

/// Minimum, median and maximum, as far as they differ.
std::vector<double> numbers_of(const EncodedColumn& column) {
  std::vector<double> out{column.low, column.typical, column.high};
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::vector<std::string> values_of(const EncodedColumn& column) {
  if (column.is_categorical()) return column.levels;
  std::vector<std::string> out;
  for (const double value : numbers_of(column)) {
    out.push_back(column.is_date() ? format_date(value) : format_number(value));
  }
  return out;
}

/// The typical inputs with one input at each of its values, as columns.
Matrix one_moves(const EncodedColumn& column, Index first_row, const Vector& typical, std::size_t values) {
  Matrix x = typical.replicate(1, static_cast<Index>(values));
  if (column.is_categorical()) {
    x.middleRows(first_row, column.width()) = column.values();
    return x;
  }
  EncodedColumn moving = column;
  const std::vector<double> numbers = numbers_of(column);
  for (Index j = 0; j < x.cols(); ++j) {
    moving.typical = numbers[static_cast<std::size_t>(j)];
    x.col(j).segment(first_row, column.width()) = moving.values().col(1);
  }
  return x;
}

/// Means and standard deviations at columns of x, targets x n each.
std::pair<Matrix, Matrix> moments_at(const Model& model, const Matrix& x) {
  const auto of = [](const auto& laws) { return std::pair{laws.mean(), Matrix(laws.variance().cwiseSqrt())}; };
  return model.target ? of(model.target->predict(*model.density, x)) : of(model.density->predict(x));
}

Influence influence_of(const Model& model, const EncodedColumn& column, Index first_row, const Vector& typical,
                       const Vector& spread) {
  const std::vector<std::string> values = values_of(column);
  const auto [mean, deviation] = moments_at(model, one_moves(column, first_row, typical, values.size()));
  Influence out{column.name, {}, 0.0};
  for (std::size_t j = 0; j < values.size(); ++j) {
    const auto at = static_cast<Index>(j);
    Influence::Step step{values[j], mean.col(at), deviation.col(at)};
    for (const Influence::Step& other : out.steps) {
      const double moved = ((step.mean - other.mean).array().abs() / spread.array()).maxCoeff();
      const double widened = ((step.std - other.std).array().abs() / spread.array()).maxCoeff();
      out.size = std::max({out.size, moved, widened});
    }
    out.steps.push_back(std::move(step));
  }
  return out;
}

}  // namespace

std::vector<Influence> influences(const Model& model) {
  std::vector<Influence> out;
  if (model.encoder.input_columns().empty()) return out;
  const Vector typical = inputs_at(model.encoder, {});
  const Vector spread = moments_at(model, Matrix(typical)).second.col(0);
  const std::vector<Relevance> relevance = relevances(model);
  const auto rows_of_inputs = model.encoder.groups();
  for (std::size_t i = 0; i < rows_of_inputs.size(); ++i) {
    if (!relevance.empty() && !relevance[i].selected) continue;
    out.push_back(influence_of(model, model.encoder.input_columns()[i], rows_of_inputs[i].front(), typical, spread));
  }
  std::stable_sort(out.begin(), out.end(), [](const Influence& a, const Influence& b) { return a.size > b.size; });
  return out;
}

}  // namespace condens::cli
