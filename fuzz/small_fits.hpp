#pragma once
// Fits of small tables: what they are made of, how long they may take, and what a model must be like.

#include <algorithm>
#include <cmath>
#include <ctime>
#include <string>
#include <utility>
#include <variant>

#include "condens/io/document_format.hpp"
#include "condens/registry.hpp"
#include "core/work.hpp"
#include "input.hpp"
#include "support/registered_models.hpp"

namespace condens::fuzz {

/// Numbers of a fit to n rows: inputs that are often related to the targets, weights, groups and further inputs now and
/// then.
inline Dataset small_table(Input& input, Index n, Index most_inputs, Index most_targets) {
  const Index d_x = input.below(most_inputs + 1);
  const Index d_y = std::max<Index>(1, input.below(4 * most_targets) - 3 * most_targets + 1);
  const bool related = input.flag();
  const Index weights = input.below(4);
  const Index extras = input.below(8);
  Matrix x(d_x, n);
  Matrix y(d_y, n);
  for (Index k = 0; k < d_x; ++k) x.row(k) = column(input, n).transpose();
  for (Index k = 0; k < d_y; ++k) y.row(k) = column(input, n).transpose();
  if (related && d_x > 0) y.row(0) += x.row(0);
  Dataset out{.x = x, .y = y};
  if (weights == 1) out.weights = column(input, n).cwiseAbs();
  if (weights == 2) out.weights = column(input, n).cwiseAbs().array().round().min(4.0);
  if (extras == 1) {
    out.groups.resize(static_cast<std::size_t>(d_x));
    for (std::size_t k = 1; k < out.groups.size(); ++k) out.groups[k] = out.groups[k - 1] + (input.flag() ? 1 : 0);
  }
  if (extras == 2) {
    Matrix further(d_x, input.below(5));
    for (Index k = 0; k < d_x; ++k) further.row(k) = column(input, further.cols()).transpose();
    out.x_unlabeled = further;
  }
  return out;
}

inline double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The bound on work of a fit: more seconds of the processor than this, or of counted work, are a finding. The
/// sanitizers make a fit some twenty times slower. What never asks is found by the fuzzer's own -timeout.
class WorkBound {
 public:
  explicit WorkBound(double seconds) : most_(seconds), begin_(processor_seconds()) {}

  Run run() const {
    return {.threads = 1, .observer = [this](std::string_view task, double) {
              expect(processor_seconds() - begin_ < most_, "no end after ", most_, " s of the processor: ", task);
              return true;
            }};
  }

  void check() const { expect(meter_.seconds() < most_, "counted work of ", meter_.seconds(), " s"); }

 private:
  double most_;
  double begin_;
  WorkMeter meter_;
};

/// No number in the document is NaN.
inline void expect_numbers(const Document& document, const std::string& place) {
  const auto& value = document.value();
  if (const auto* number = std::get_if<double>(&value)) expect(!std::isnan(*number), place, " is NaN");
  if (const auto* matrix = std::get_if<Matrix>(&value)) expect(!matrix->hasNaN(), place, " has NaN");
  if (const auto* array = std::get_if<Document::Array>(&value)) {
    for (const Document& own : *array) expect_numbers(own, place);
  }
  if (const auto* object = std::get_if<Document::Object>(&value)) {
    for (const auto& [key, own] : *object) expect_numbers(own, place + "." + key);
  }
}

/// The distributions at the columns of x are distributions.
inline GaussianMixtures expect_distributions(const ConditionalDensity& model, const MatrixView& x, const Run& run) {
  const std::string name(model.model_name());
  GaussianMixtures laws = model.predict(x, run);
  expect(laws.size() == x.cols() && laws.dimension() == model.n_targets(), name, ": distributions of a wrong shape");
  for (Index i = 0; i < laws.size(); ++i) {
    const double sum = laws.weights().col(i).sum();
    expect(std::abs(sum - 1) < 1e-9, name, ": weights that add up to ", sum);
  }
  expect(laws.mean(run).allFinite(), name, ": a mean that is no number");
  const Matrix variance = laws.variance(run);
  expect(variance.allFinite() && (variance.array() >= 0).all(), name, ": a variance that is no number >= 0");
  return laws;
}

/// A model, as it comes from a fit to `data`: distributions at its rows, a logarithm of the density of each, results
/// that are numbers, and a file that reads back as the same model.
inline void expect_sound(const ModelInfo& info, const ConditionalDensity& model, const Dataset& data, const Run& run) {
  expect_distributions(model, data.x, run);
  const Vector scores = model.log_density(data.x, data.y, run);
  expect(!scores.hasNaN(), info.name, ": a log density that is NaN");
  for (Index i = 0; i < scores.size(); ++i) {
    const bool counts = data.weights.size() == 0 || counted_weights(data.weights)[i] > 0;
    expect(!counts || std::isfinite(scores[i]), info.name, ": log density ", scores[i], " at row ", i);
  }
  expect_numbers(info.results_of(model), info.name);
  const std::string file = document_to_cbor(save_density(model));
  const auto again = load_density(document_from_cbor(file));
  expect(document_to_cbor(save_density(*again)) == file, info.name, ": comes back as another model");
  expect(again->log_density(data.x, data.y, run) == scores, info.name, ": comes back with other densities");
}

}  // namespace condens::fuzz
