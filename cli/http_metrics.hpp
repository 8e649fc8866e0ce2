#pragma once
// What a server counts of its requests, in the text format of Prometheus.

#include <array>
#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "condens/core/types.hpp"

namespace condens::cli {

/// Of one thread: the one that reads and writes.
class HttpMetrics {
 public:
  /// `seconds` from the first byte of the request to the answer.
  void count(const std::string& endpoint, int status, double seconds);
  void count_rows(const std::string& model, Index rows);

  Index requests() const { return requests_; }
  Index connections = 0;  ///< open now
  Index in_progress = 0;  ///< requests that are computed, or wait for that

  std::string text() const;

  // Upper ends, in seconds, of the classes of the histogram.
  static constexpr std::array<double, 13> ends{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
                                               0.25,  0.5,    1.0,   2.5,  5.0,   10.0};

 private:
  struct Histogram {
    std::array<Index, ends.size() + 1> counts{};  // the last: beyond all ends
    double sum = 0.0;
  };

  Index requests_ = 0;
  std::map<std::pair<std::string, int>, Index> by_status_;
  std::map<std::string, Histogram> seconds_;  // by endpoint
  std::map<std::string, Index> rows_;         // by model
  std::chrono::system_clock::time_point start_ = std::chrono::system_clock::now();
};

/// name="value", with the value's quotes, backslashes and line breaks escaped.
std::string metric_label(std::string_view name, std::string_view value);

}  // namespace condens::cli
