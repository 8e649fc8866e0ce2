#include "lscde_metric.hpp"

#include "condens/models/nw_metric.hpp"

namespace condens::lscde {

namespace {

// Widths of inputs need no more rows than this, and each evaluation takes their square.
constexpr Index most_rows = 2000;

}  // namespace

Vector apply_metric(preparation::Standardized& standardized, const LscdeOptions& options, const Run& run,
                    FitReport& report) {
  Dataset& data = standardized.data;
  Vector unchanged = Vector::Ones(data.x.rows());
  const bool given = options.bandwidth.size() == 1;  // on the scale that the caller knows
  if (options.metric == LscdeMetric::none || data.inputs().size() < 2) return unchanged;
  if (options.metric == LscdeMetric::automatic && given) return unchanged;
  const Dataset rows = rows_to_compare(data, true, most_rows, options.seed);
  const NwSearch search{
      .bandwidth_y_floor = 0.01, .defensive = Defensive::fit(options.defensive_weight, data), .seed = options.seed};
  if (options.metric == LscdeMetric::automatic) {
    const NwComparison found = compare_nw_shapes(rows, search, run);
    report.details.set("metric_gain", found.gain);
    report.details.set("metric_gain_standard_error", found.standard_error);
    report.details.set("metric_applied", found.is_worth_it());
    if (!found.is_worth_it()) return unchanged;
  }
  Vector widths = search_nw_metric(rows, search, run).metric.widths;
  standardized.x = standardized.x.rescaled(widths);
  const auto scaled = [&](const Matrix& x) -> Matrix { return widths.cwiseInverse().asDiagonal() * x; };
  data.x = scaled(data.x);
  data.x_unlabeled = scaled(data.x_unlabeled);
  return widths;
}

}  // namespace condens::lscde
