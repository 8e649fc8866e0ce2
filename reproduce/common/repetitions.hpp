#pragma once
// Numbers of independent repetitions, some of which may be missing, and their comparison.

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "common/markdown.hpp"
#include "common/statistics.hpp"
#include "condens/core/types.hpp"

namespace condens::reproduce {

struct Repetitions {
  std::vector<double> values;
  std::vector<Index> numbers;  ///< of the repetitions that are there, rising
};

inline double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

/// Of the mean; NaN for less than two values.
inline double standard_error(const std::vector<double>& values) {
  return values.size() < 2 ? std::numeric_limits<double>::quiet_NaN() : summarize(values).standard_error;
}

/// Mean ± standard error, with the number of repetitions where it is not as planned.
inline std::string mean_cell(const std::vector<double>& values, Index planned, int digits) {
  if (values.empty()) return "-";
  const std::string text =
      values.size() < 2 ? fixed(values[0], digits) : plus_minus(mean(values), standard_error(values), digits);
  return std::ssize(values) == planned ? text : text + " (" + std::to_string(values.size()) + ")";
}

/// a - b of the repetitions that both have.
inline std::vector<double> paired(const Repetitions& a, const Repetitions& b) {
  std::vector<double> out;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    const auto same = std::find(b.numbers.begin(), b.numbers.end(), a.numbers[i]);
    if (same != b.numbers.end())
      out.push_back(a.values[i] - b.values[static_cast<std::size_t>(same - b.numbers.begin())]);
  }
  return out;
}

/// Whether a two-sided t-test at 5 % tells the mean of the differences from zero.
inline bool differ(const std::vector<double>& difference) {
  if (difference.size() < 2) return false;
  const Summary s = summarize(difference);
  if (s.standard_error == 0) return s.mean != 0;
  const boost::math::students_t law(static_cast<double>(difference.size() - 1));
  return std::abs(s.mean / s.standard_error) > boost::math::quantile(law, 0.975);
}

}  // namespace condens::reproduce
