#pragma once
// What a table says of the scores of independent runs.

#include <algorithm>
#include <cmath>
#include <vector>

namespace condens::reproduce {

struct Summary {
  double mean;
  double standard_deviation;  ///< n - 1
  double standard_error;      ///< of the mean, as if the runs were independent
  double median;
};

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

/// Of two values or more.
inline Summary summarize(const std::vector<double>& values) {
  const double n = static_cast<double>(values.size());
  double mean = 0;
  for (const double value : values) mean += value / n;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double deviation = std::sqrt(squares / (n - 1));
  return {mean, deviation, deviation / std::sqrt(n), median(values)};
}

/// a_i - b_i.
inline std::vector<double> differences(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> out;
  for (std::size_t i = 0; i < a.size(); ++i) out.push_back(a[i] - b[i]);
  return out;
}

}  // namespace condens::reproduce
