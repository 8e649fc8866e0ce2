#pragma once
// Fits of a study whose methods share their first stage: SA-LSCDE begins with the fit that SA-CDE is, which takes
// nearly all its time, so that each problem is fitted so once.

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "common/record_book.hpp"
#include "condens/estimators/sacde.hpp"
#include "methods.hpp"

namespace condens::reproduce {

struct TimedFit {
  std::shared_ptr<const ConditionalDensity> model;
  double seconds;  ///< of one core, the first stage in it
};

class Selections {
 public:
  /// As `fit`; `key` names the problem, of which it is one of the methods.
  TimedFit fit(const Method& method, const TrialKey& key, const Dataset& data, Index seed);

 private:
  struct Selection {
    std::mutex lock;  ///< held while it is fitted; who asks meanwhile waits
    std::shared_ptr<const Sacde> model = {};
    double seconds = 0;
  };
  std::shared_ptr<const Selection> selection(const SacdeOptions& options, TrialKey key, const Dataset& data);

  std::mutex lock_;
  std::map<std::pair<TrialKey, std::string>, std::shared_ptr<Selection>> selections_;  // by problem and options
};

}  // namespace condens::reproduce
