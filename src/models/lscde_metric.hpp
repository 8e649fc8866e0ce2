#pragma once
// LSCDE with a width of its own for every input: the metric that the leave-one-out
// likelihood of the Nadaraya-Watson density learns (nw_metric.hpp) scales the inputs
// before anything else, so that one bandwidth serves them all.

#include "condens/models/lscde.hpp"
#include "preparation.hpp"

namespace condens::lscde {

/// Scales the inputs of `standardized`, and the way back, by the learned widths where the
/// option asks for it. Returns the widths, on the standardised scale: ones where nothing changed.
Vector apply_metric(preparation::Standardized& standardized, const LscdeOptions& options, const Run& run,
                    FitReport& report);

}  // namespace condens::lscde
