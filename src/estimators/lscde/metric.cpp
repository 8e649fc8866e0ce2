#include "metric.hpp"

#include "condens/estimators/nadaraya_watson/metric.hpp"

namespace condens::lscde {

namespace {

// Widths of inputs need no more rows than this, and each evaluation takes their square.
constexpr Index most_rows_compared = 2000;

}  // namespace

MetricProposal propose_metric(const preparation::Standardized& standardized, const LscdeOptions& options,
                              const Run& run, FitReport& report) {
  const Dataset& data = standardized.data;
  MetricProposal out{MetricVerdict::none, Vector::Ones(data.x.rows())};
  const bool given = options.bandwidth.size() == 1;  // on the scale that the caller knows
  if (options.metric == LscdeMetric::none || data.inputs().size() < 2) return out;
  if (options.metric == LscdeMetric::automatic && given) return out;
  const Dataset rows = rows_to_compare(data, true, rows_of_search(most_rows_compared, data.x.rows()), options.seed);
  const NwSearch search{
      .bandwidth_y_floor = 0.01, .defensive = Defensive::fit(options.defensive_weight, data), .seed = options.seed};
  out.verdict = MetricVerdict::applied;
  if (options.metric == LscdeMetric::automatic) {
    const NwComparison found = compare_nw_shapes(rows, search, run);
    report.details.set("metric_gain", found.gain);
    report.details.set("metric_gain_standard_error", found.standard_error);
    report.details.set("metric_applied", found.is_worth_it());
    if (!found.is_worth_it()) out.verdict = found.all_rows ? MetricVerdict::none : MetricVerdict::open;
  }
  if (out.verdict != MetricVerdict::none) out.widths = search_nw_metric(rows, search, run).metric.widths;
  return out;
}

preparation::Standardized in_metric(preparation::Standardized standardized, const Vector& widths) {
  Dataset& data = standardized.data;
  standardized.x = standardized.x.rescaled(widths);
  const auto scaled = [&](const Matrix& x) -> Matrix { return widths.cwiseInverse().asDiagonal() * x; };
  data.x = scaled(data.x);
  data.x_unlabeled = scaled(data.x_unlabeled);
  return standardized;
}

}  // namespace condens::lscde
