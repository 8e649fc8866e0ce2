#include "condens/model/fitted_model.hpp"

#include <algorithm>
#include <cmath>

#include "condens/core/errors.hpp"

namespace condens::detail {

namespace {

bool fits(double number, Values values) {
  if (!std::isfinite(number)) return false;
  return values == Values::finite || (values == Values::positive ? number > 0 : number >= 0);
}

std::string_view text_of(Values values) {
  if (values == Values::finite) return "finite numbers";
  return values == Values::positive ? "finite numbers > 0" : "finite numbers >= 0";
}

}  // namespace

StateChecks::StateChecks(std::string_view owner, Index n_inputs, Index n_targets)
    : owner_(owner),
      axes_{{"n_inputs", n_inputs},
            {"n_features", n_inputs},
            {"1 + n_inputs", 1 + n_inputs},
            {"n_targets", n_targets},
            {"n_columns", n_inputs + n_targets}} {}

void StateChecks::check_axis(std::string_view name, std::string_view axis, Index length) {
  const auto known = std::find_if(axes_.begin(), axes_.end(), [&](const auto& own) { return own.first == axis; });
  if (known == axes_.end()) {
    if (length == 0) throw FormatError(message(owner_, ": ", name, " is empty, expected ", axis, " >= 1"));
    axes_.emplace_back(axis, length);
  } else if (known->second != length) {
    throw FormatError(
        message(owner_, ": ", name, " has length ", length, " along ", axis, ", expected ", known->second));
  }
}

void StateChecks::check(std::string_view name, const ResultShape& shape, Values values, bool may_be_empty,
                        const MatrixView& part) {
  if (may_be_empty && part.size() == 0) return;
  using Kind = ResultShape::Kind;
  if (shape.kind == Kind::line || shape.kind == Kind::rows) check_axis(name, shape.first, part.rows());
  if (shape.kind == Kind::rows) check_axis(name, shape.second, part.cols());
  if (shape.kind == Kind::columns) {
    check_axis(name, shape.first, part.cols());
    check_axis(name, shape.second, part.rows());
  }
  for (const double number : part.reshaped()) check(name, values, number);
}

void StateChecks::check(std::string_view name, Values values, double number) const {
  if (!fits(number, values)) {
    throw FormatError(message(owner_, ": ", name, " holds ", number, ", expected ", text_of(values)));
  }
}

void StateChecks::count(std::string_view name, Values values, Index number) {
  check(name, values, static_cast<double>(number));
  check_axis(name, name, number);
}

}  // namespace condens::detail
