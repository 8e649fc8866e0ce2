#pragma once
// Contestants of comparisons whose laws are known without a fit, and data for them.

#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "condens/comparison/comparison.hpp"
#include "condens/core/random.hpp"
#include "support/gaussian_model.hpp"

namespace condens::tests {

inline Dataset line_with_noise(Index n, std::uint64_t seed = 1) {
  RandomStream random(seed);
  Matrix x(1, n);
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) {
    x(0, i) = random.normal();
    y(0, i) = 3.0 + x(0, i) + 0.5 * random.normal();
  }
  return {.x = x, .y = y};
}

/// y ~ N(mean of the training targets + shift * seed, scale^2), whatever x.
inline Contestant plain_contestant(const std::string& label, double scale, double shift = 0.0) {
  const auto fit = [=](const Dataset& data, Index seed, const Run&) {
    const double mean = data.y.row(0).mean() + shift * static_cast<double>(seed);
    return FittedContestant{std::make_unique<KnownModel>(1, 1, [=](const VectorView&) {
      return GaussianMixture(Vector::Ones(1), Matrix::Constant(1, 1, mean), Matrix::Constant(1, 1, scale));
    })};
  };
  Document identity;
  return {label, identity.set("scale", scale).set("shift", shift), fit};
}

/// Fails with `Error` where the seed is odd, or always.
template <class Error>
Contestant failing_contestant(const std::string& label, bool always) {
  Contestant out = plain_contestant(label, 1.0);
  out.fit = [=, fit = out.fit](const Dataset& data, Index seed, const Run& run) {
    if (always || seed % 2 == 1) throw Error(label + " cannot");
    return fit(data, seed, run);
  };
  return out;
}

/// Trials in memory.
class MemoryBook final : public TrialBook {
 public:
  const Trial* find(std::size_t model, Index split) const override {
    const auto found = trials.find({model, split});
    return found == trials.end() ? nullptr : &found->second;
  }
  void add(std::size_t model, Index split, const Trial& trial) override { trials[{model, split}] = trial; }

  std::map<std::pair<std::size_t, Index>, Trial> trials;
};

/// Equal scores to the bit; the times are of the clock.
inline bool same_scores(const Comparison& a, const Comparison& b) {
  bool same = a.labels == b.labels && a.trials.size() == b.trials.size();
  for (std::size_t k = 0; same && k < a.trials.size(); ++k) {
    same = a.trials[k].size() == b.trials[k].size();
    for (std::size_t r = 0; same && r < a.trials[k].size(); ++r) {
      for (const Measure& measure : trial_measures) {
        const double left = a.trials[k][r].*measure.value;
        const double right = b.trials[k][r].*measure.value;
        const bool both_missing = std::isnan(left) && std::isnan(right);
        same = same && (measure.value == &Trial::seconds || both_missing || left == right);
      }
      same = same && a.trials[k][r].failure == b.trials[k][r].failure;
    }
  }
  return same;
}

}  // namespace condens::tests
