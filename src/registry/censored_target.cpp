#include "censored_target.hpp"

#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "condens/metrics/survival.hpp"
#include "model/bootstrap.hpp"
#include "model/censored_fit.hpp"

namespace condens {

namespace {

constexpr std::uint64_t stream_of_replicates = 6'000;

}  // namespace

bool is_censored(const TargetRequest& request, const Dataset& data, const PlaceOfRow& place) {
  const Censoring& rows = request.censoring;
  if (rows.empty()) return false;
  require(data.y.rows() == 1, "censored: there are ", data.y.rows(), " targets, expected one");
  rows.check("censored", data.size(), place);
  if (rows.is_trivial()) return false;
  require(request.pit_share == 0.0, "calibrate: ", data.size() - rows.n_exact(), " rows are censored and ",
          rows.n_truncated(), " truncated, expected none");
  require(!request.calibrates(), "conformal: ", data.size() - rows.n_exact(), " rows are censored and ",
          rows.n_truncated(), " truncated, expected none: the guarantee counts values");
  return true;
}

TargetModel fit_censored_target(const ModelInfo& info, const TargetRequest& request, const Dataset& data,
                                std::string_view preset, const CensoredOptions& options, const PlaceOfRow& place,
                                const Run& run) {
  const Censoring& rows = request.censoring;
  const TargetKind kind = kind_of_censored(request.kind, rows, place);
  const ModelInfo& simple = find_model(data.x.rows() > 0 ? "boost" : "gmm");
  // A linear regression whose spread is the same everywhere: it draws nothing far away.
  const ModelInfo& joint = find_model("gmm");
  const Document one_normal = Document::Object{{"n_components", 1}, {"covariance", "full"}};
  const CensoredFits fits{
      .simple = [&](const Dataset& part, const Run& own) { return simple.fit(part, "", Document(), own); },
      .start = [&](const Dataset& part, const Run& own) { return joint.fit(part, "", one_normal, own); },
      .tune = [&](const CompletedRows& own,
                  const Run& inside) { return info.fit(own.data, preset, options.given(own.origin), inside); },
      .again = [&](const CompletedRows& own, const ConditionalDensity& tuned,
                   const Run& inside) { return info.fit(own.data, preset, options.chosen(tuned), inside); },
      .last =
          [&](const CompletedRows& own, const ConditionalDensity& tuned, const Run& inside) {
            // What a fit with frozen options warns of, such as one at its bound, is no news to who left them open.
            ModelInfo frozen = info;
            frozen.fit = [&](const Dataset& part, std::string_view with, const Document& values, const Run& around) {
              auto density = info.fit(part, with, values, around);
              FitReport report = density->report();
              report.warnings = tuned.report().warnings;
              density->set_report(std::move(report));
              return density;
            };
            return fit_model(frozen, own.data, preset, options.chosen(tuned), inside);
          }};
  Dataset start = data;
  start.y = Matrix(start_of_censored(rows, data.weights, kind, options.seed).transpose());
  CensoredModel fitted = fit_censored(kind, start, rows, fits, options.seed, place, run);
  std::optional<Replicates> replicates;
  if (request.replicates > 0 && fitted.density->report().status != "interrupted") {
    const Refits refits{.rows = &fitted.start,
                        .rest = {},
                        .refit = {},
                        .method = request.replicate_method,
                        .refit_places = [&](const std::vector<Index>& places, const Dataset& drawn, std::uint64_t draw,
                                            const Run& own) {
                          const std::uint64_t seed = RandomStream(options.seed, stream_of_replicates + draw)();
                          return refit_censored(fitted, places, drawn, fits, seed, own);
                        }};
    replicates = bootstrap(*fitted.density, refits, request.replicates, options.seed, run);
  }
  return {std::move(fitted.density), std::move(fitted.target), std::nullopt, std::move(replicates)};
}

}  // namespace condens
