#pragma once
// Error bars of curves, from bootstrap replicates.

#include <functional>

#include "condens/core/parallel.hpp"
#include "condens/model/bands.hpp"
#include "condens/plot/figures.hpp"
#include "density_image.hpp"
#include "frame.hpp"

namespace condens::plot {

/// Of numbers of the distributions at the columns of x, which are `estimates` of the model itself.
inline Bands bands_at(const ConditionalDensity& model, const MatrixView& x, Index target, const TargetDecoder* kind,
                      const BandOptions& options, const Vector& estimates,
                      const std::function<Vector(const TargetDistributions&)>& numbers, const Run& run) {
  const std::optional<TargetDecoder> decoder = kind == nullptr ? std::nullopt : std::optional(*kind);
  const Index count = options.replicates->size();
  Matrix values(estimates.size(), count);
  Task task(run, "predicting replicates", static_cast<double>(count));
  const Run here{.threads = run.threads, .observer = {}};
  for (Index r = 0; r < count; ++r) {
    const std::optional<TargetDecoder> own = options.replicates->target(decoder, r);
    values.col(r) =
        numbers(target_laws(*options.replicates->density(model, r), x, target, own ? &*own : nullptr, here));
    task.advance(1.0);
    task.poll();
  }
  return bands(estimates, values, options.level);
}

/// exp(log density) of every distribution at the points y, one after the other.
inline std::function<Vector(const TargetDistributions&)> densities_at(const Vector& y) {
  return [y](const TargetDistributions& laws) -> Vector {
    return Matrix(laws.log_pdf_grid(y.transpose(), {.threads = 1, .observer = {}}).array().exp()).reshaped();
  };
}

inline LegendEntry band_legend(const BandOptions& options) {
  return {percent(options.level) + " band", Mark::area, {.fill = accent, .opacity = 0.3}};
}

}  // namespace condens::plot
