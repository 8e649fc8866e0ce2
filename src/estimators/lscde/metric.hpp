#pragma once
// LSCDE with a width of its own for every input: the metric that the leave-one-out
// likelihood of the Nadaraya-Watson density learns (estimators/nadaraya_watson/metric.hpp) scales the inputs
// before anything else, so that one bandwidth serves them all.

#include "condens/estimators/lscde.hpp"
#include "model/preparation.hpp"

namespace condens::lscde {

/// What is known of a width for each input before LSCDE has scored it.
enum class MetricVerdict { none, applied, open };

struct MetricProposal {
  MetricVerdict verdict = MetricVerdict::none;
  Vector widths;  ///< learned, on the standardised scale; ones where the verdict is none
};

/// Learns the widths where the option asks for them. Of more rows than the Nadaraya-Watson comparison reads, a gain
/// that it does not see leaves the verdict open: it is too small a sample to tell, and LSCDE's own cross-validation
/// of all rows is to decide.
MetricProposal propose_metric(const preparation::Standardized& standardized, const LscdeOptions& options,
                              const Run& run, FitReport& report);

/// Scales the inputs, and the way back.
preparation::Standardized in_metric(preparation::Standardized standardized, const Vector& widths);

}  // namespace condens::lscde
