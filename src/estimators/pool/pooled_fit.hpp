#pragma once
// The procedure of pooling, whatever the list of members: every member is fitted to all rows and to
// all but one fold in turn, the weights maximise the log score of the rows left out.

#include <string>
#include <string_view>
#include <vector>

#include "condens/core/document.hpp"
#include "condens/data/dataset.hpp"
#include "condens/estimators/pool.hpp"
#include "condens/model/pooled_density.hpp"

namespace condens::pooling {

struct Settings {
  std::string_view owner;  ///< begins messages
  std::vector<std::string> models;
  const Document& options;  ///< of the members, by their names
  double shrinkage;
  double defensive_weight;
  const std::vector<double>& cv;
  Index seed;
};

struct Pooled {
  PoolParts parts;
  FitReport report;
};

/// Throws std::invalid_argument for a list of models that is empty or names one twice, options of no
/// member, bad options and data; NumericalError where no member can be fitted.
Pooled fit(const Dataset& data, const Settings& settings, const MemberFinder& find, const Run& run);

}  // namespace condens::pooling
