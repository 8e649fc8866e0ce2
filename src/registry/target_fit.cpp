// The fit that a person asks for: the kind of the target, missing inputs, censored rows, rows for calibration and
// replicates around the fit of the model.

#include <algorithm>
#include <cmath>
#include <optional>

#include "censored_target.hpp"
#include "chosen_options.hpp"
#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "condens/core/random.hpp"
#include "condens/estimators/gmm.hpp"
#include "condens/registry.hpp"
#include "estimators/boost/classes.hpp"
#include "model/bootstrap.hpp"
#include "model/calibration_rows.hpp"

namespace condens {

namespace {

std::uint64_t seed_of(const Document& options) {
  const Document* seed = options.is_null() ? nullptr : options.find("seed");
  return static_cast<std::uint64_t>(seed == nullptr ? 0 : seed->as_integer());
}

/// Options of a fit to some of the rows: the folds of these.
Document options_of_rows(const Document& options, const std::vector<Index>& rows, Index n) {
  Document out = options;
  const Document* cv = options.is_null() ? nullptr : options.find("cv");
  const bool listed = cv != nullptr && std::holds_alternative<Document::Array>(cv->value());
  if (!listed || std::ssize(cv->as_array()) != n || std::ssize(rows) == n) return out;
  const std::vector<double> folds = cv->as_numbers();
  std::vector<double> kept;
  for (const Index row : rows) kept.push_back(folds[static_cast<std::size_t>(row)]);
  return out.set("cv", Document(kept));
}

/// Of columns as they are.
GaussianMixture mixture_of_columns(const Dataset& columns, Index most, const Run& run) {
  GmmOptions options{.n_components = {}, .covariance = GmmCovariance::full, .starts = 1, .defensive_weight = 0.0};
  options.standardize = false;
  for (Index k = 1; k <= most; ++k) options.n_components.push_back(static_cast<double>(k));
  const Gmm model = Gmm::fit(columns, options, run);
  return {model.kernel_weights(),
          GaussianComponents::from_covariances(model.kernel_means(), model.kernel_covariances())};
}

/// Replicates with the options that the fit has chosen; none of a fit that was interrupted.
std::optional<Replicates> replicates_of(const ModelInfo& info, const ConditionalDensity& density, Refits refits,
                                        Index count, std::string_view preset, const Document& options, const Run& run) {
  if (count == 0 || density.report().status == "interrupted") return std::nullopt;
  refits.refit = [&, chosen = chosen_options(info, density)](const Dataset& rows, const Run& own) {
    return info.fit(rows, preset, chosen, own);
  };
  return bootstrap(density, refits, count, seed_of(options), run);
}

TargetModel fit_kind(const ModelInfo& info, const TargetRequest& request, const Dataset& data, std::string_view preset,
                     const Document& options, const PlaceOfRow& place, const Run& run) {
  TargetModel out;
  TargetKind own = request.kind;
  if (own.name == TargetName::automatic)
    own = data.y.rows() == 1 ? TargetKind::of(data.y.row(0).transpose()) : TargetKind{};
  if (own.name == TargetName::real) {
    out.density = fit_model(info, data, preset, options, run);
    out.replicates = replicates_of(info, *out.density, {&data, {}, {}}, request.replicates, preset, options, run);
    return out;
  }
  TargetEncoder encoder(data, own, seed_of(options), place);
  const ModelInfo& simple = find_model(data.x.rows() > 0 ? "boost" : "gmm");
  encoder.choose_map([&](const Dataset& rows, const Run& inside) { return simple.fit(rows, "", Document(), inside); },
                     run);
  const Dataset coded = encoder.coded();
  out.density = fit_model(info, coded, preset, options_of_rows(options, encoder.rest(), data.size()), run);
  std::shared_ptr<const ClassModel> atoms;
  const Dataset numbers = encoder.has_atoms() ? encoder.atom_numbers() : Dataset{};
  const auto classes = [&](const Dataset& rows, const Run& own_run) {
    return BoostedClasses::fit(rows, seed_of(options), own_run);
  };
  if (encoder.has_atoms()) atoms = classes(numbers, run);
  Refits refits{&coded, {}, {}};
  if (encoder.has_atoms()) refits = {&coded, encoder.rest(), {}, &numbers, classes};
  out.replicates = replicates_of(info, *out.density, refits, request.replicates, preset, options, run);
  out.target = encoder.decoder(std::move(atoms));
  return out;
}

/// The same to rows whose missing inputs are imputed, where that is asked for.
TargetModel fit_completed(const ModelInfo& info, const TargetRequest& request, const Dataset& data,
                          std::string_view preset, const Document& options, const PlaceOfRow& place, const Run& run) {
  if (!request.impute_inputs || data.x.rows() == 0) {
    return fit_kind(info, request, data, preset, options, place, run);
  }
  InputImputer::Fit imputed = InputImputer::fit(data, seed_of(options), mixture_of_columns, run);
  Dataset completed = data;
  completed.x = std::move(imputed.x);
  TargetModel out = fit_kind(info, request, completed, preset, options, place, run);
  if (out.replicates) out.replicates->set_imputer(imputed.imputer);
  out.density->set_imputer(std::move(imputed.imputer));
  return out;
}

/// The scores of rows that the fit has not seen.
Conformal calibrate(const TargetModel& model, const Dataset& rows, const Run& run) {
  constexpr Index rows_together = 1024;
  Vector central(rows.size());
  Vector highest(rows.size());
  Task task(run, "calibrating", static_cast<double>(rows.size()));
  for (Index block = 0; block < block_count(rows.size(), rows_together); ++block) {
    const Range range = block_range(rows.size(), rows_together, block);
    const Run here{.threads = run.threads, .observer = {}};
    const auto x = rows.x.middleCols(range.begin, range.size());
    const Vector y = rows.y.row(0).segment(range.begin, range.size()).transpose();
    if (model.target) {
      const TargetDistributions laws = model.target->predict(*model.density, x, here);
      const Vector at_least = 1.0 - laws.cdf_below(y, here).array();
      central.segment(range.begin, range.size()) = central_scores(laws.cdf(y, here), at_least);
      highest.segment(range.begin, range.size()) = laws.highest_density_mass(y, here).cwiseMin(1.0);
    } else {
      const GaussianMixtures laws = model.density->predict(x, here);
      central.segment(range.begin, range.size()) = central_scores(laws.cdf(y, here), laws.sf(y, here));
      highest.segment(range.begin, range.size()) = laws.highest_density_mass(y, here).cwiseMin(1.0);
    }
    task.advance(static_cast<double>(range.size()));
    task.poll();
  }
  return {std::move(central), std::move(highest)};
}

}  // namespace

TargetModel fit_target(const ModelInfo& info, const TargetRequest& request, const Dataset& data,
                       std::string_view preset, const Document& options, const PlaceOfRow& place, const Run& run) {
  const double share = request.calibration_share;
  require(request.replicates >= 0 && request.replicates <= most_replicates, "bootstrap = ", request.replicates,
          ", expected a number of replicates, 0 to ", most_replicates);
  if (is_censored(request, data, place)) {
    require(!request.impute_inputs, "missing = 'model' of a censored target, expected 'error' or 'indicator'");
    require(request.replicates == 0, "bootstrap = ", request.replicates, " of a censored target, expected 0");
    const CensoredOptions own{seed_of(options),
                              [&](const auto& rows) { return options_of_rows(options, rows, data.size()); },
                              [&](const ConditionalDensity& tuned) { return chosen_options(info, tuned); }};
    return fit_censored_target(info, request, data, preset, own, place, run);
  }
  if (share == 0.0) return fit_completed(info, request, data, preset, options, place, run);
  const Index n = data.size();
  const auto count = static_cast<Index>(std::lround(share * static_cast<double>(n)));
  require(share > 0.0 && share < 1.0, "conformal: share = ", share, ", expected a number in (0, 1)");
  require(data.y.rows() == 1, "conformal: there are ", data.y.rows(), " targets, expected one");
  require(data.weights.size() == 0, "conformal: the rows have weights, expected none: the guarantee counts rows");
  require(count >= 1 && count + 2 <= n, "conformal: share = ", share, " of ", n, " rows leaves ", count,
          " for calibration and ", n - count, " for the fit, expected at least 1 and 2");
  if (request.kind.name != TargetName::automatic && request.kind.name != TargetName::real) {
    TargetEncoder(data, request.kind, 0, place);  // refuses values of other kinds, wherever they are
  }
  const auto [held_out, rows] = calibration_rows(n, count, seed_of(options));
  const PlaceOfRow place_of_rows = [&, &kept = rows](Index row) { return place(kept[static_cast<std::size_t>(row)]); };
  TargetModel out =
      fit_completed(info, request, data.subset(rows), preset, options_of_rows(options, rows, n), place_of_rows, run);
  Dataset calibration = data.subset(held_out);
  out.conformal = calibrate(out, calibration, run);
  return out;
}

}  // namespace condens
