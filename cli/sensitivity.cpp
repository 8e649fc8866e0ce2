#include "sensitivity.hpp"

#include <algorithm>

#include "fitted.hpp"

namespace condens::cli {

namespace {

std::vector<std::string> values_of(const EncodedColumn& column) {
  if (column.is_categorical()) return column.levels;
  if (column.low == column.high) return {format_number(column.low)};
  return {format_number(column.low), format_number(column.typical), format_number(column.high)};
}

Influence influence_of(const Model& model, const EncodedColumn& column, const Vector& spread) {
  Influence out{column.name, {}, 0.0};
  for (const std::string& value : values_of(column)) {
    const GaussianMixtures law = model.density->predict(Matrix(inputs_at(model.encoder, {{column.name, value}})));
    Influence::Step step{value, law.mean().col(0), law.variance().col(0).cwiseSqrt()};
    for (const Influence::Step& other : out.steps) {
      const double mean = ((step.mean - other.mean).array().abs() / spread.array()).maxCoeff();
      const double std = ((step.std - other.std).array().abs() / spread.array()).maxCoeff();
      out.size = std::max({out.size, mean, std});
    }
    out.steps.push_back(std::move(step));
  }
  return out;
}

}  // namespace

std::vector<Influence> influences(const Model& model) {
  std::vector<Influence> out;
  if (model.encoder.input_columns().empty()) return out;
  const Vector spread = model.density->predict(Matrix(inputs_at(model.encoder, {}))).variance().col(0).cwiseSqrt();
  for (const EncodedColumn& column : model.encoder.input_columns()) {
    out.push_back(influence_of(model, column, spread));
  }
  std::stable_sort(out.begin(), out.end(), [](const Influence& a, const Influence& b) { return a.size > b.size; });
  return out;
}

}  // namespace condens::cli
