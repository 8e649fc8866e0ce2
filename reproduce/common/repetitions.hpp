#pragma once
// Numbers of independent repetitions, some of which may be missing, and their comparison.

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "common/markdown.hpp"
#include "common/record_book.hpp"
#include "common/statistics.hpp"
#include "condens/comparison/leaderboard.hpp"
#include "condens/core/types.hpp"

namespace condens::reproduce {

struct Repetitions {
  std::vector<double> values;
  std::vector<Index> numbers;  ///< of the repetitions that are there, rising
};

/// The finite ones of `number` of the records of the repetitions 0, 1, ... that are there.
inline Repetitions repetitions_of(const RecordBook& book, const std::string& data, Index level,
                                  const std::string& method, Index planned,
                                  const std::function<double(const TrialRecord&)>& number) {
  Repetitions out;
  for (Index r = 0; r < planned; ++r) {
    const TrialRecord* record = book.find({data, level, method, r});
    if (record == nullptr || !std::isfinite(number(*record))) continue;
    out.values.push_back(number(*record));
    out.numbers.push_back(r);
  }
  return out;
}

/// The same for the number at `place`.
inline Repetitions repetitions_of(const RecordBook& book, const std::string& data, Index level,
                                  const std::string& method, Index planned, std::size_t place) {
  return repetitions_of(book, data, level, method, planned, [place](const TrialRecord& r) { return r[place]; });
}

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
  return paired_t_test(Eigen::Map<const Vector>(difference.data(), std::ssize(difference))) < significance_level;
}

}  // namespace condens::reproduce
