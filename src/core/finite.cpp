#include "finite.hpp"

#include <cmath>
#include <string_view>

#include "condens/core/errors.hpp"

namespace condens {

namespace {

std::string problem_of(double value) {
  if (std::isfinite(value)) return "";
  return std::isnan(value) ? " is NaN" : " is infinite";
}

std::string problem_of(const Matrix& values) {
  for (Index i = 0; i < values.size(); ++i) {
    const std::string problem = problem_of(values.data()[i]);
    if (!problem.empty()) return message("[", i, "]", problem);
  }
  return "";
}

/// What stands between a name and what follows: " is NaN", "[3] is NaN" or "name is NaN".
std::string_view joint(const std::string& problem) {
  return problem.front() == ' ' || problem.front() == '[' ? "" : ".";
}

}  // namespace

std::string find_not_finite(const Document& document) {
  if (const auto* number = std::get_if<double>(&document.value())) return problem_of(*number);
  if (const auto* matrix = std::get_if<Matrix>(&document.value())) return problem_of(*matrix);
  if (const auto* array = std::get_if<Document::Array>(&document.value())) {
    for (std::size_t i = 0; i < array->size(); ++i) {
      const std::string problem = find_not_finite((*array)[i]);
      if (!problem.empty()) return message("[", i, "]", joint(problem), problem);
    }
  }
  if (const auto* object = std::get_if<Document::Object>(&document.value())) {
    for (const auto& [name, value] : *object) {
      const std::string problem = find_not_finite(value);
      if (problem.empty()) continue;
      return message(name, joint(problem), problem);
    }
  }
  return "";
}

}  // namespace condens
