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
#include "condens/data/folds.hpp"
#include "condens/estimators/gmm.hpp"
#include "condens/registry.hpp"
#include "estimators/classes/pooled_classes.hpp"
#include "model/bootstrap.hpp"
#include "model/calibration_rows.hpp"
#include "model/inner_fits.hpp"
#include "model/preparation.hpp"

namespace condens {

namespace {

std::uint64_t seed_of(const Document& options) {
  const Document* seed = options.is_null() ? nullptr : options.find("seed");
  return static_cast<std::uint64_t>(seed == nullptr ? 0 : seed->as_integer());
}

/// How many numbers option cv lists, which may be the fold of every row; zero where it is no list.
Index n_listed_folds(const Document& options) {
  const Document* cv = options.is_null() ? nullptr : options.find("cv");
  const bool listed = cv != nullptr && std::holds_alternative<Document::Array>(cv->value());
  return listed ? std::ssize(cv->as_array()) : 0;
}

/// Options of a fit to some of the rows: the folds of these.
Document options_of_rows(const Document& options, const std::vector<Index>& rows, Index n) {
  Document out = options;
  if (n_listed_folds(options) != n || std::ssize(rows) == n) return out;
  const std::vector<double> folds = options.at("cv").as_numbers();
  std::vector<double> kept;
  for (const Index row : rows) kept.push_back(folds[static_cast<std::size_t>(row)]);
  return out.set("cv", Document(kept));
}

/// Options of a fit to other rows than those whose folds may be listed.
Document without_folds_of_rows(const ModelInfo& info, std::string_view preset, const Document& options) {
  Document out = options;
  return n_listed_folds(options) > 1 ? out.set("cv", info.defaults(preset).at("cv")) : out;
}

/// The model itself for the numbers of the atoms, with what its first fit chooses from then on; none of a pool, which
/// is many.
DensityClasses::Fit model_of_atoms(const ModelInfo& info, std::string_view preset, Document& options) {
  if (info.can("has_members")) return {};
  return [&info, preset, &options](const Dataset& rows, const Run& run) {
    std::unique_ptr<ConditionalDensity> out = info.fit(rows, preset, options, run);
    options = continued_options(info, *out);
    return out;
  };
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
                                        const TargetRequest& request, std::string_view preset, const Document& options,
                                        const Run& run) {
  if (request.replicates == 0 || density.report().status == "interrupted") return std::nullopt;
  refits.refit = [&, chosen = continued_options(info, density)](const Dataset& rows, const Run& own) {
    return info.fit(rows, preset, chosen, own);
  };
  refits.method = request.replicate_method;
  return bootstrap(density, refits, request.replicates, seed_of(options), run);
}

TargetModel fit_kind(const ModelInfo& info, const TargetRequest& request, const Dataset& data, std::string_view preset,
                     const Document& options, const PlaceOfRow& place, const Run& run);

/// Of the rows that count: atoms, values and ends are not told from a row of weight zero, which is as if absent.
TargetModel fit_kind_of_rows(const ModelInfo& info, const TargetRequest& request, const Dataset& data,
                             std::string_view preset, const Document& options, const PlaceOfRow& place,
                             const Run& run) {
  const Vector weights = counted_weights(data.weights);
  std::vector<Index> rows;
  for (Index i = 0; i < data.size(); ++i) {
    if (weights[i] > 0) rows.push_back(i);
  }
  const PlaceOfRow place_of_rows = [&](Index row) { return place(rows[static_cast<std::size_t>(row)]); };
  TargetModel out = fit_kind(info, request, data.subset(rows), preset, options_of_rows(options, rows, data.size()),
                             place_of_rows, run);
  FitReport report = out.density->report();
  preparation::warn_of_lost_weights(data, report);
  out.density->set_report(std::move(report));
  return out;
}

TargetModel fit_kind(const ModelInfo& info, const TargetRequest& request, const Dataset& data, std::string_view preset,
                     const Document& options, const PlaceOfRow& place, const Run& run) {
  if (request.kind.name != TargetName::real && data.weights.size() > 0) {
    data.check(info.class_name);
    if (count_rows(data) < data.size()) return fit_kind_of_rows(info, request, data, preset, options, place, run);
  }
  const auto fit_own = request.worth_of_inputs ? fit_model
                                               : +[](const ModelInfo& own, const Dataset& rows, std::string_view with,
                                                     const Document& values,
                                                     const Run& inside) { return own.fit(rows, with, values, inside); };
  TargetModel out;
  const TargetKind own = request.kind.of_targets(data.y);
  if (own.name == TargetName::real) {
    out.density = fit_own(info, data, preset, options, run);
    out.replicates = replicates_of(info, *out.density, {&data, {}, {}}, request, preset, options, run);
    return out;
  }
  TargetEncoder encoder(data, own, seed_of(options), place);
  const ModelInfo& simple = find_model(data.x.rows() > 0 ? "boost" : "gmm");
  encoder.choose_map([&](const Dataset& rows, const Run& inside) { return simple.fit(rows, "", Document(), inside); },
                     run);
  const Dataset coded = encoder.coded();
  out.density = fit_own(info, coded, preset, options_of_rows(options, encoder.rest(), data.size()), run);
  std::shared_ptr<const ClassModel> atoms;
  const Dataset numbers = encoder.has_atoms() ? encoder.atom_numbers() : Dataset{};
  Document chosen = without_folds_of_rows(info, preset, options);
  if (encoder.has_atoms()) {
    ClassFit fitted = fit_classes(numbers, seed_of(options), run, model_of_atoms(info, preset, chosen));
    atoms = std::move(fitted.model);
    FitReport report = out.density->report();
    report.set_atoms(numbers.size(), fitted.gain ? fitted.gain->to_document() : Document());
    out.density->set_report(std::move(report));
  }
  const auto classes = [&](const Dataset& rows, const Run& own_run) {
    Document own_options = chosen;
    return fit_classes(rows, seed_of(options), own_run, model_of_atoms(info, preset, own_options)).model;
  };
  Refits refits{&coded, {}, {}};
  if (encoder.has_atoms()) refits = {&coded, encoder.rest(), {}, &numbers, classes};
  out.replicates = replicates_of(info, *out.density, refits, request, preset, options, run);
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

/// PIT values of rows by the distributions that a map is to calibrate: those of the code, beside the atoms. Of values
/// that can be counted an even draw between P(Y < y) and P(Y <= y).
PitMap pit_map_of(const TargetModel& model, const Dataset& rows, std::uint64_t seed, const Run& run) {
  constexpr std::uint64_t stream_of_draws = 3'002;
  RandomStream random(seed, stream_of_draws);
  const GaussianMixtures laws = model.density->predict(rows.x, run);
  const Vector y = rows.y.row(0).transpose();
  const Matrix ends = laws.quantile(Vector{{0.16, 0.84}}, run);
  Vector pit = Vector::Zero(y.size());
  std::vector<Index> counted;
  if (!model.target) {
    pit = laws.cdf(y, run);
    for (Index i = 0; i < y.size(); ++i) counted.push_back(i);
  } else {
    TargetSupport support = model.target->support();
    for (Index i = 0; i < y.size(); ++i) {
      if (support.atom_at(y[i]) < 0) counted.push_back(i);
    }
    support.atoms.clear();
    const TargetDistributions beside(laws, support);
    const Vector at_most = beside.cdf(y, run);
    const Vector below = beside.cdf_below(y, run);
    for (Index i = 0; i < y.size(); ++i) pit[i] = below[i] + random.uniform() * (at_most[i] - below[i]);
    if (!support.is_discrete()) pit = at_most;
  }
  require(std::ssize(counted) >= fewest_rows_of_calibration, "calibrate: ", counted.size(),
          " of the rows left out are no atoms, expected at least ", fewest_rows_of_calibration);
  const Vector spreads = 0.5 * (ends.row(1) - ends.row(0)).transpose();
  return {pit(counted).cwiseMin(1.0).cwiseMax(0.0), spreads(counted)};
}

/// The same with distributions that rows left out calibrate, where that is asked for.
TargetModel fit_calibrated(const ModelInfo& info, const TargetRequest& request, const Dataset& data,
                           std::string_view preset, const Document& options, const PlaceOfRow& place, const Run& run) {
  const double share = request.pit_share;
  if (share == 0.0) return fit_completed(info, request, data, preset, options, place, run);
  const Index n = data.size();
  const auto count = static_cast<Index>(std::lround(share * static_cast<double>(n)));
  require(share > 0.0 && share < 1.0, "calibrate: share = ", share, ", expected a number in (0, 1)");
  require(data.y.rows() == 1, "calibrate: there are ", data.y.rows(), " targets, expected one");
  require(data.weights.size() == 0, "calibrate: the rows have weights, expected none");
  require(count >= fewest_rows_of_calibration && count + 2 <= n, "calibrate: share = ", share, " of ", n,
          " rows leaves ", count, " for calibration and ", n - count, " for the fit, expected at least ",
          fewest_rows_of_calibration, " and 2");
  const std::uint64_t seed = seed_of(options);
  const auto [held_out, rows] = calibration_rows(n, count, seed + 1);
  const PlaceOfRow place_of_rows = [&, &kept = rows](Index row) { return place(kept[static_cast<std::size_t>(row)]); };
  TargetModel out =
      fit_completed(info, request, data.subset(rows), preset, options_of_rows(options, rows, n), place_of_rows, run);
  const auto map = std::make_shared<const PitMap>(pit_map_of(out, data.subset(held_out), seed, run));
  out.density->set_calibration(map);
  if (out.replicates) out.replicates->set_calibration(map);
  return out;
}

/// A fit to some of the rows.
TargetModel fit_rows(const ModelInfo& info, const TargetRequest& request, const Dataset& data,
                     const std::vector<Index>& rows, std::string_view preset, const Document& options,
                     const PlaceOfRow& place, const Run& run) {
  const PlaceOfRow place_of_rows = [&](Index row) { return place(rows[static_cast<std::size_t>(row)]); };
  return fit_calibrated(info, request, data.subset(rows), preset, options_of_rows(options, rows, data.size()),
                        place_of_rows, run);
}

/// The groups of which enough of these rows are there, `share` of which are to be expected for calibration.
std::optional<RowGroups> groups_of_size(const std::optional<RowGroups>& groups, const MatrixView& x, double share) {
  if (!groups) return std::nullopt;
  std::vector<double> counts(static_cast<std::size_t>(groups->size()), 0.0);
  for (const Index group : groups->groups_of(x)) counts[static_cast<std::size_t>(group)] += share;
  std::vector<bool> kept;
  for (const double count : counts) kept.push_back(count >= static_cast<double>(fewest_rows_of_group));
  return groups->only(kept);
}

void check_calibration(const TargetRequest& request, const Dataset& data, const PlaceOfRow& place) {
  require(data.y.rows() == 1, "conformal: there are ", data.y.rows(), " targets, expected one");
  require(data.weights.size() == 0, "conformal: the rows have weights, expected none: the guarantee counts rows");
  if (request.kind.name != TargetName::automatic && request.kind.name != TargetName::real) {
    TargetEncoder(data, request.kind, 0, place);  // refuses values of other kinds, wherever they are
  }
}

TargetModel fit_split(const ModelInfo& info, const TargetRequest& request, const Dataset& data, std::string_view preset,
                      const Document& options, const PlaceOfRow& place, const Run& run) {
  const double share = request.calibration_share;
  const Index n = data.size();
  const auto count = static_cast<Index>(std::lround(share * static_cast<double>(n)));
  require(share > 0.0 && share < 1.0, "conformal: share = ", share, ", expected a number in (0, 1)");
  check_calibration(request, data, place);
  require(count >= 1 && count + 2 <= n, "conformal: share = ", share, " of ", n, " rows leaves ", count,
          " for calibration and ", n - count, " for the fit, expected at least 1 and 2");
  const auto [held_out, rows] = calibration_rows(n, count, seed_of(options));
  TargetModel out = fit_rows(info, request, data, rows, preset, options, place, run);
  // Which groups are large enough is told from the rows of the fit: scores of the others stay exchangeable.
  const double expected = static_cast<double>(count) / static_cast<double>(n - count);
  std::optional<RowGroups> groups =
      groups_of_size(request.groups, request.groups ? Matrix(data.x(Eigen::all, rows)) : Matrix(), expected);
  const Dataset calibration = data.subset(held_out);
  ScoredRows scored = score_rows(*out.density, out.target, calibration, run);
  scored.rows = held_out;
  scored.x = calibration.x;
  scored.of = n;
  if (groups) scored.groups = groups->groups_of(calibration.x);
  out.conformal = Conformal(std::move(scored), {}, std::move(groups));
  return out;
}

TargetModel fit_cross(const ModelInfo& info, const TargetRequest& request, const Dataset& data, std::string_view preset,
                      const Document& options, const PlaceOfRow& place, const Run& run) {
  const Index n = data.size();
  const Index folds = request.cross == CrossConformal::jackknife_plus ? n : request.cross_folds;
  require(request.calibration_share == 0.0, "conformal: share = ", request.calibration_share,
          " with folds, expected 0");
  check_calibration(request, data, place);
  require(folds >= 2 && folds <= n && n - (n + folds - 1) / folds >= 2, "conformal: folds = ", folds, " of ", n,
          " rows, expected at least 2, at most a row each, and 2 rows or more outside of each");
  TargetModel out = fit_calibrated(info, request, data, preset, options, place, run);
  if (out.density->report().status == "interrupted") return out;
  constexpr std::uint64_t seed_of_folds = 3'001;
  const std::vector<Index> fold = assign_folds(n, folds, seed_of(options) + seed_of_folds);
  TargetRequest own = request;
  own.replicates = 0;
  own.worth_of_inputs = false;
  std::vector<FoldModel> models(static_cast<std::size_t>(folds));
  ScoredRows scored{.central = Vector(n), .highest = Vector(n), .folds = fold};
  Task task(run, "fitting without each fold", static_cast<double>(folds));
  fit_side_by_side(folds, run, task, [&](Index k, const Run& inside) {
    const auto [train, test] = rows_of_fold(fold, k);
    FoldModel& model = models[static_cast<std::size_t>(k)];
    const auto refused = [&](const std::exception& error) {
      return message("conformal: without fold ", k + 1, ": ", error.what());
    };
    try {
      TargetModel fitted = fit_rows(info, own, data, train, preset, options, place, inside);
      model = {std::move(fitted.density), std::move(fitted.target)};
    } catch (const NumericalError& error) {
      throw NumericalError(refused(error));
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(refused(error));
    }
    const ScoredRows found = score_rows(*model.density, model.target, data.subset(test), inside);
    scored.central(test) = found.central;
    scored.highest(test) = found.highest;
  });
  for (Index i = 0; i < n; ++i) scored.rows.push_back(i);
  scored.of = n;
  std::optional<RowGroups> groups = groups_of_size(request.groups, data.x, 1.0);
  if (groups) scored.groups = groups->groups_of(data.x);
  out.conformal = Conformal(std::move(scored), std::move(models), std::move(groups));
  return out;
}

}  // namespace

TargetModel fit_target(const ModelInfo& info, const TargetRequest& request, const Dataset& data,
                       std::string_view preset, const Document& options, const PlaceOfRow& place, const Run& run) {
  require(request.replicates >= 0 && request.replicates <= most_replicates, "bootstrap = ", request.replicates,
          ", expected a number of replicates, 0 to ", most_replicates);
  if (is_censored(request, data, place)) {
    require(!request.impute_inputs, "missing = 'model' of a censored target, expected 'error' or 'indicator'");
    require(request.replicates == 0 || request.replicate_method == ReplicateMethod::refit,
            "bootstrap: method = 'delta' of a censored target, expected 'refit': what is censored is drawn anew");
    const CensoredOptions own{seed_of(options),
                              [&](const auto& rows) { return options_of_rows(options, rows, data.size()); },
                              [&](const ConditionalDensity& tuned) { return chosen_options(info, tuned); }};
    return fit_censored_target(info, request, data, preset, own, place, run);
  }
  if (!request.calibrates()) return fit_calibrated(info, request, data, preset, options, place, run);
  const auto fit = request.cross == CrossConformal::none ? fit_split : fit_cross;
  return fit(info, request, data, preset, options, place, run);
}

}  // namespace condens
