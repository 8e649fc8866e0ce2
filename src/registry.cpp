#include "condens/registry.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "condens/estimators/auto.hpp"
#include "condens/estimators/boost.hpp"
#include "condens/estimators/epsilon_kde.hpp"
#include "condens/estimators/forest.hpp"
#include "condens/estimators/forward_selection.hpp"
#include "condens/estimators/gaussian_process.hpp"
#include "condens/estimators/gmm.hpp"
#include "condens/estimators/gskd.hpp"
#include "condens/estimators/kernel_quantile_regression.hpp"
#include "condens/estimators/location_scale.hpp"
#include "condens/estimators/lscde.hpp"
#include "condens/estimators/lsce.hpp"
#include "condens/estimators/lsmi.hpp"
#include "condens/estimators/mixture_density_network.hpp"
#include "condens/estimators/nadaraya_watson.hpp"
#include "condens/estimators/parzen.hpp"
#include "condens/estimators/pool.hpp"
#include "condens/estimators/press.hpp"
#include "condens/estimators/ratio_kde.hpp"
#include "condens/estimators/rsde.hpp"
#include "condens/estimators/sacde.hpp"
#include "condens/estimators/salscde.hpp"
#include "condens/estimators/skd.hpp"
#include "condens/estimators/sliced.hpp"
#include "condens/model/capabilities.hpp"
#include "condens/model/joint_density.hpp"
#include "condens/model/pooled_density.hpp"
#include "condens/model/projected_density.hpp"
#include "condens/model/subset_density.hpp"
#include "core/finite.hpp"
#include "core/names.hpp"
#include "estimators/classes/pooled_classes.hpp"
#include "model/inner_fits.hpp"
#include "model/input_gain.hpp"
#include "model/preparation.hpp"
#include "model/selected_rows.hpp"
#include "registry/chosen_options.hpp"

namespace condens {

namespace {

/// Whoever waits for a fit may also end what it does outside of its tasks: before, between and after them. The observer
/// is then told once more what the last of them said.
class WholeFit {
 public:
  explicit WholeFit(const Run& run)
      : observer_(run.observer),
        inside_{.threads = run.threads, .observer = [this](auto task, double done) { return tell(task, done); }},
        around_{.threads = run.threads, .observer = [this](auto, double) { return repeat(); }},
        task_(around_, "fitting", 1) {}

  const Run& run() const { return inside_; }  ///< for the tasks

 private:
  using Clock = std::chrono::steady_clock;

  bool tell(std::string_view task, double fraction) {
    name_ = task;
    fraction_ = fraction;
    told_ = true;
    return observer_(task, fraction);
  }
  bool repeat() {
    const bool just_begun = !told_ && Clock::now() - start_ < std::chrono::milliseconds(100);
    return just_begun || observer_(name_, fraction_);  // a task will soon have something to tell
  }

  const Observer& observer_;
  Clock::time_point start_ = Clock::now();
  std::string name_ = "fitting";
  double fraction_ = 0;
  bool told_ = false;
  Run inside_;
  Run around_;
  Task task_;
};

/// Throws NumericalError unless the model can be written and has laws at some of the rows that it was fitted to.
void check_fitted(std::string_view class_name, const ConditionalDensity& model, const Dataset& data) {
  const std::string problem = find_not_finite(model.to_document());
  if (!problem.empty()) {
    throw NumericalError(message(class_name, ": the fit ended without a model: ", problem,
                                 "; look for outliers, or for options far from their defaults"));
  }
  const Index n = data.size();
  const std::vector<Index> some = {0, n / 2, n - 1};
  const Matrix x = data.x.rows() > 0 ? Matrix(data.x(Eigen::all, some)) : Matrix(0, std::ssize(some));
  try {
    model.predict(x, {.threads = 1, .observer = {}});
  } catch (const std::invalid_argument& error) {
    throw NumericalError(
        message(class_name, ": the fit ended without a distribution that can be computed: ", error.what()));
  }
}

bool has_option(const ModelInfo& info, std::string_view name) {
  return std::any_of(info.options.begin(), info.options.end(), [&](const OptionInfo& own) { return own.name == name; });
}

}  // namespace

namespace detail {

InnerModel inner_model(std::string_view owner, const std::string& model, const std::string& preset) {
  const ModelInfo& inner = find_model(model);
  require(!has_option(inner, "model_preset"), owner, ": model = '", model, "', expected another model");
  inner.defaults(preset);  // refuses an unknown one
  const auto fit = [&inner, preset](const Dataset& data, const Document& values, const Run& run) {
    return inner.fit(data, preset, values, run);
  };
  return {inner.options, fit, inner.can("is_density")};
}

MemberFinder member_finder(std::string_view owner, const std::string& preset) {
  return [=](const std::string& name) -> InnerModel {
    const bool alone = name == marginal_member;
    const ModelInfo& member = find_member(name);
    require(!has_option(member, "model_preset") || has_option(member, "model"), owner, ": models has '", name,
            "', expected no other pool");
    member.defaults(preset);  // refuses an unknown one
    const auto fit = [=, &member](const Dataset& data, const Document& values, const Run& run) {
      return member.fit(alone ? select_inputs(data, {}) : data, preset, values, run);
    };
    InnerModel out{member.options, fit, member.can("is_density")};
    if (!member.fit_by_sums) return out;
    out.fit_by_sums = [=, &member](RowSums& table, const Document& values, const Run& run) {
      if (!alone) return fit_table(member, table, preset, values, run);
      SelectedRows of_y(table, {});
      return fit_table(member, of_y, preset, values, run);
    };
    return out;
  };
}

void check_sums_over_rows(std::string_view owner, const std::vector<std::string>& members) {
  for (const std::string& name : members) {
    if (find_member(name).fit_by_sums) continue;
    std::vector<std::string> known{std::string(marginal_member)};
    for (const ModelInfo& info : models()) {
      if (info.fit_by_sums && !info.can("has_members")) known.push_back(info.name);
    }
    throw std::invalid_argument(message(owner, ": models has '", name,
                                        "', which is no sum over rows and needs all of them in memory; expected some "
                                        "of ",
                                        list_names(known), ", or a sample of the rows"));
  }
}

std::unique_ptr<ConditionalDensity> whole_fit(
    std::string_view class_name, const Dataset& data, const Run& run,
    const std::function<std::unique_ptr<ConditionalDensity>(const Run&)>& fit) {
  std::optional<WholeFit> whole;
  if (run.observer) whole.emplace(run);
  std::unique_ptr<ConditionalDensity> model = fit(whole ? whole->run() : run);
  check_fitted(class_name, *model, data);
  return model;
}

}  // namespace detail

namespace {

/// The one candidate that there was, as a table of candidates has it; empty where it has no number to its name.
Document table_of_one(const ModelInfo& info, const Document& chosen, const FoldScore& score) {
  Document out(Document::Object{});
  for (const OptionInfo& option : info.options) {
    if (option.type != "numbers" || option.name == "cv") continue;
    const std::vector<double> values = chosen.at(option.name).as_numbers();
    if (values.size() == 1) out.set(option.name, Vector{{values.front()}});
  }
  if (out.as_object().empty()) return out;
  return out.set("score", Vector{{score.mean}}).set("standard_error", Vector{{score.standard_error}});
}

/// A fit that had nothing to choose is scored where `cv` is given all the same: fitted to all but each fold.
void score_alone(const ModelInfo& info, const Dataset& data, std::string_view preset, const Document& options,
                 const ConditionalDensity& density, FitReport& report, const Run& run) {
  const Document* cv = options.is_null() ? nullptr : options.find("cv");
  if (cv == nullptr || report.score() || report.tuning()) return;
  const Document used = density.options();
  const auto seed = static_cast<Index>(used.find("seed") == nullptr ? 0 : used.at("seed").as_integer());
  const Document* scoring = used.find("scoring");
  const bool squared = scoring != nullptr && *scoring == Document("squared");
  const std::vector<double> folds = used.at("cv").as_numbers();
  if (folds == std::vector<double>{0}) return;  // "none", or its own way to leave one out
  Document inner(Document::Object{});
  for (const auto& [name, value] : options.as_object()) {
    if (name != "cv" && name != "seed" && name != "scoring") inner.set(name, value);
  }
  const InnerModel same{info.options, [&](const Dataset& rows, const Document& values, const Run& own) {
                          return info.fit(rows, preset, values, own);
                        }};
  const InnerFits fits(info.class_name, same, inner, squared ? Scoring::squared : Scoring::nll, seed, data);
  Dataset storage;
  const Dataset& rows = rows_that_count(data, storage);
  const std::vector<Index> fold = preparation::folds_of(folds, data, seed);
  Vector means(*std::max_element(fold.begin(), fold.end()) + 1);
  for (Index k = 0; k < means.size(); ++k) {
    const auto [train, test] = preparation::without_fold(rows, fold, k);
    try {
      const auto model = fits.fit(
          train, {5}, [](const Matrix& centers) { return centers; }, run);
      means[k] = fits.score(*model, test, run);
    } catch (const NumericalError& error) {
      report.warnings.push_back(message("the candidate has no score: without fold ", k + 1, ", ", error.what()));
      return;
    }
  }
  const FoldScore score = fold_score(means);
  if (!std::isfinite(score.mean) || !std::isfinite(score.standard_error)) return;
  report.details.set("score", score.mean).set("score_standard_error", score.standard_error);
  const Document table = table_of_one(info, chosen_options(info, density), score);
  if (!table.as_object().empty()) report.details.set("candidates", table);
}

Document to_document(const Bounds& all) {
  const Bounds bounds = as_told(all);
  Document out(Document::Object{});
  const auto end = [](double value) { return std::isfinite(value) ? Document(value) : Document(); };
  out.set("low", end(bounds.low)).set("low_open", bounds.low_open);
  return out.set("high", end(bounds.high)).set("high_open", bounds.high_open).set("whole", bounds.whole);
}

/// `defaults` holds all values of every preset.
Document to_document(const std::vector<OptionInfo>& options, const Document& defaults) {
  Document::Array out;
  for (const OptionInfo& option : options) {
    Document entry;
    entry.set("name", option.name).set("type", option.type).set("text", option.text);
    entry.set("bounds", to_document(option.bounds)).set("choices", Document(option.choices));
    Document own(Document::Object{});
    for (const auto& [preset, values] : defaults.as_object()) own.set(preset, values.at(option.name));
    if (!option.options.empty()) entry.set("options", to_document(option.options, own));
    out.push_back(std::move(entry.set("defaults", std::move(own))));
  }
  return out;
}

}  // namespace

namespace {

/// A deque: references to its entries stay when others come.
std::deque<ModelInfo>& all_models() {
  static std::deque<ModelInfo> all = {
      describe_model<Lscde, LscdeOptions>(
          "lscde", "LSCDE", "Least-squares conditional density estimation: a nonnegative mixture of Gaussian kernels.",
          "Sugiyama, Takeuchi, Suzuki, Kanamori, Hachiya and Okanohara (2010)"),
      describe_model<Sacde, SacdeOptions>(
          "sacde", "SACDE", "Sparse additive conditional density estimation: selects the inputs that matter.",
          "Shiga, Tangkaratt and Sugiyama (2015)"),
      describe_model<Salscde, SalscdeOptions>(
          "salscde", "SALSCDE", "LSCDE on the inputs that sparse additive conditional density estimation selects.",
          "Shiga, Tangkaratt and Sugiyama (2015), section 3.1"),
      describe_model<Lsce, LsceOptions>(
          "lsce", "LSCE", "Least-squares conditional entropy: the few directions z = W x that matter, and LSCDE on z.",
          "Tangkaratt, Xie and Sugiyama (2015)"),
      describe_model<NadarayaWatson, NadarayaWatsonOptions>(
          "nw", "NadarayaWatson",
          "Nadaraya-Watson conditional density: a Gaussian at every sample, with a width learned for every input.",
          "Holmes, Gray and Isbell (2007); Shiga, Tangkaratt and Sugiyama (2015)"),
      describe_model<EpsilonKde, EpsilonKdeOptions>(
          "ekde", "EpsilonKDE", "Epsilon-neighbour kernel density estimation: the y of the samples whose x is near.",
          "Shiga, Tangkaratt and Sugiyama (2015)"),
      describe_model<RatioKde, RatioKdeOptions>(
          "rkde", "RatioKDE", "Ratio of kernel density estimates: that of inputs and target over that of the inputs.",
          "Sugiyama, Takeuchi, Suzuki, Kanamori, Hachiya and Okanohara (2010)"),
      describe_model<GaussianProcess, GaussianProcessOptions>(
          "gp", "GaussianProcess", "Gaussian process regression: one Gaussian whose mean and variance follow x.",
          "Rasmussen and Williams (2006)"),
      describe_model<Press, PressOptions>(
          "press", "PRESS",
          "Predictive state smoothing: x is mapped to weights of a few states, each with its distribution of y.",
          "Goerg (2017)"),
      describe_model<Kqr, KqrOptions>(
          "kqr", "KernelQuantileRegression",
          "Kernel quantile regression: quantile functions of x, solved exactly, and the density between them.",
          "Takeuchi, Le, Sears and Smola (2006); Li, Liu and Zhu (2007)"),
      describe_model<Mdn, MdnOptions>(
          "mdn", "MixtureDensityNetwork",
          "Mixture density network: an ensemble of neural networks whose outputs are Gaussian mixtures.",
          "Bishop (1994); Sugiyama et al. (2010), section 3.2"),
      describe_model<Forest, ForestOptions>(
          "forest", "ConditionalForest",
          "Random forest: the y of the training rows that share a leaf with x, each with a Gaussian around it.",
          "Meinshausen (2006); Pospisil and Lee (2018); Cevid et al. (2022)"),
      describe_model<Boost, BoostOptions>(
          "boost", "BoostedDensity",
          "Gradient-boosted trees for location and scale, and a Gaussian mixture for what is left.",
          "Friedman (2001); Duan et al. (2020)"),
      describe_model<Gskd, GskdOptions>(
          "gskd", "GSKD", "Sparse density from tunable kernels, placed one by one by a leave-one-out regression.",
          "Chen, Hong and Harris (2010)"),
      describe_model<Parzen, ParzenOptions>(
          "parzen", "Parzen",
          "Parzen window: a Gaussian at every sample of inputs and target together, conditioned on the inputs.",
          "Parzen (1962); Chen, Hong and Harris (2010)"),
      describe_model<Skd, SkdOptions>(
          "skd", "SKD", "Sparse kernel density: kernels at data points, one by one by the leave-one-out error.",
          "Chen, Hong and Harris (2008, 2010)"),
      describe_model<Rsde, RsdeOptions>(
          "rsde", "RSDE", "Reduced set density: the kernels and weights of the least integrated squared error.",
          "Girolami and He (2003); Chen, Hong and Harris (2010)"),
      describe_model<Gmm, GmmOptions>(
          "gmm", "GMM",
          "Gaussian mixture by expectation maximisation: full or diagonal covariances, their number by BIC.",
          "Dempster, Laird and Rubin (1977); Chen, Hong and Harris (2010)"),
      describe_model<ForwardSelection, ForwardOptions>("forward", "ForwardSelection",
                                                       "Forward selection of inputs, one by one, for any model.",
                                                       "Shiga, Tangkaratt and Sugiyama (2015), section 3.1"),
      describe_model<Lsmi, LsmiOptions>(
          "lsmi", "LSMI", "Directions z = W x of largest squared-loss mutual information with y, then any model of z.",
          "Suzuki and Sugiyama (2013); Tangkaratt, Xie and Sugiyama (2015)"),
      describe_model<SlicedDensity, SlicedOptions>(
          "sliced", "Sliced", "Directions by sliced inverse regression or average variance, followed by any model.",
          "Li (1991); Cook and Weisberg (1991)"),
      describe_model<LocationScaleDensity, LocationScaleOptions>(
          "location_scale", "LocationScale",
          "A mean and a spread that follow the inputs, and any model of what is left.",
          "Akritas and Van Keilegom (2001); Davidian and Carroll (1987)"),
      describe_model<Pool, PoolOptions>("pool", "Pooled",
                                        "A convex combination of models, weighted by the log score of rows left out.",
                                        "Yao, Vehtari, Simpson and Gelman (2018)"),
      describe_model<AutoDensity, AutoOptions>(
          "auto", "AutoCDE", "A pool of models that a race on parts of the data chooses, within a budget of time.",
          "Yao, Vehtari, Simpson and Gelman (2018)"),
  };
  return all;
}

std::shared_ptr<const ClassModel> load_atoms(const Document& document) { return load_classes(document, load_density); }

}  // namespace

const std::deque<ModelInfo>& models() { return all_models(); }

void register_model(ModelInfo info) {
  for (const ModelInfo& other : models()) {
    require(other.name != info.name && other.class_name != info.class_name, "register_model: '", info.name, "' (",
            info.class_name, ") is there already, expected a new name");
  }
  info.shipped = false;
  all_models().push_back(std::move(info));
}

bool ModelInfo::can(std::string_view capability) const {
  return std::find(capabilities.begin(), capabilities.end(), capability) != capabilities.end();
}

std::vector<std::string> models_that(std::string_view capability) {
  std::vector<std::string> out;
  for (const ModelInfo& info : models()) {
    if (info.can(capability)) out.push_back(info.name);
  }
  return out;
}

const ModelInfo& find_model(std::string_view name) {
  std::vector<std::string> names;
  for (const ModelInfo& info : models()) {
    if (info.name == name) return info;
    names.push_back(info.name);
  }
  throw std::invalid_argument(
      message("model = '", name, "', expected one of ", list_names(names), did_you_mean(name, names)));
}

const ModelInfo& find_member(std::string_view name) { return find_model(name == marginal_member ? "parzen" : name); }

bool uses_unlabeled(const ModelInfo& info, std::string_view preset, const Document& options) {
  Document values = info.defaults(preset);
  for (const auto& [name, value] : options.as_object()) values.set(name, value);
  std::vector<std::string> inside;
  if (const Document* models = values.find("models")) inside = models->as_strings();
  if (const Document* model = values.find("model")) inside.push_back(model->as_string());
  const auto uses = [](const std::string& name) { return find_member(name).can("learns_from_unlabeled"); };
  return info.can("learns_from_unlabeled") && (inside.empty() || std::any_of(inside.begin(), inside.end(), uses));
}

std::unique_ptr<ConditionalDensity> fit_model(const ModelInfo& info, const Dataset& data, std::string_view preset,
                                              const Document& options, const Run& run) {
  auto density = info.fit(data, preset, options, run);
  if (density->report().status == "interrupted") return density;  // some models keep the best so far
  FitReport report = density->report();
  score_alone(info, data, preset, options, *density, report, run);
  const Document chosen = chosen_options(info, *density);
  const auto refit = [&](const Dataset& rows, const Run& own) { return info.fit(rows, preset, chosen, own); };
  double furthest = 0;  // of several computations, each of which begins at zero
  const Run named{.threads = run.threads,
                  .observer = run.observer ? Observer([&](std::string_view, double fraction) {
                    if (fraction < 1) furthest = std::max(furthest, fraction);
                    return run.observer("checking what the inputs are worth", furthest);
                  })
                                           : Observer{}};
  check_inputs(data, *density, refit, report, named);
  density->set_report(std::move(report));
  return density;
}

Contestant contestant(std::string label, const ModelInfo& info, std::string_view preset, const Document& options,
                      const TargetKind& kind) {
  check_options(info.class_name, info.options, options);
  if (const Document* cv = options.find("cv")) {
    const auto* folds = std::get_if<Document::Array>(&cv->value());
    require(folds == nullptr || folds->size() == 1, "compare: ", label, ": cv has the fold of every row, expected a ",
            "number of folds: every split of a comparison fits some of the rows");
  }
  Document identity;
  identity.set("model", info.name).set("defaults", info.defaults(preset)).set("options", options);
  if (kind.name != TargetName::real) identity.set("target_kind", kind.text());
  const bool seeded = has_option(info, "seed") && options.find("seed") == nullptr;
  const TargetRequest request{.kind = kind, .worth_of_inputs = false};
  const auto fit = [&info, seeded, preset = std::string(preset), options, request](const Dataset& data, Index seed,
                                                                                   const Run& run) {
    Document own = options;
    if (seeded) own.set("seed", seed);
    const auto place = [](Index row) { return message("row ", row + 1, " (counting from 1)"); };
    TargetModel fitted = fit_target(info, request, data, preset, own, place, run);
    return FittedContestant{std::move(fitted.density), std::move(fitted.target)};
  };
  return {std::move(label), std::move(identity), fit};
}

Document to_document(const ModelInfo& info) {
  Document defaults(Document::Object{});
  for (const std::string& preset : info.presets) defaults.set(preset, info.defaults(preset));
  Document::Array results;
  for (const ResultInfo& result : info.results) {
    results.emplace_back(
        Document::Object{{"name", result.name}, {"text", result.text}, {"shape", result.shape.text()}});
  }
  return Document::Object{{"name", info.name},
                          {"class_name", info.class_name},
                          {"title", info.title},
                          {"source", info.source},
                          {"presets", Document(info.presets)},
                          {"options", to_document(info.options, defaults)},
                          {"results", std::move(results)},
                          {"capabilities", Document(info.capabilities)}};
}

Document save_density(const ConditionalDensity& density) {
  Document out = inner_document(density);
  if (density.imputer() != nullptr) out.set("missing_inputs", density.imputer()->to_document());
  if (density.calibration() != nullptr) out.set("calibration", density.calibration()->to_document());
  return out;
}

TargetDecoder load_target(const Document& document, Index n_inputs) {
  return TargetDecoder::from_document(document, n_inputs, load_atoms);
}

Document save_conformal(const Conformal& conformal) {
  return conformal.to_document([](const FoldModel& fold) {
    Document out(Document::Object{{"density", save_density(*fold.density)}});
    if (fold.target) out.set("target", fold.target->to_document());
    return out;
  });
}

Conformal load_conformal(const Document& document, Index n_inputs) {
  return Conformal::from_document(document, n_inputs, [&](const Document& fold) {
    FoldModel out{load_density(fold.at("density"))};
    if (out.density->n_inputs() != n_inputs || out.density->n_targets() != 1) {
      throw FormatError(message("the model of a fold has ", out.density->n_inputs(), " inputs and ",
                                out.density->n_targets(), " targets, expected ", n_inputs, " and 1"));
    }
    if (const Document* target = fold.find("target")) out.target = load_target(*target, n_inputs);
    return out;
  });
}

Replicates load_replicates(const Document& document, const ConditionalDensity& density,
                           const std::optional<TargetDecoder>& target) {
  return Replicates::from_document(document, density, target, load_density, load_atoms);
}

std::unique_ptr<ConditionalDensity> load_density(const Document& document) {
  const std::string& name = document.at("model").as_string();
  for (const ModelInfo& info : models()) {
    if (info.name != name) continue;
    try {
      auto out = info.load(document.at("parameters"));
      const Document* missing = document.find("missing_inputs");
      if (missing != nullptr) out->set_imputer(InputImputer::from_document(*missing));
      if (const Document* map = document.find("calibration")) {
        out->set_calibration(std::make_shared<const PitMap>(PitMap::from_document(*map)));
      }
      return out;
    } catch (const std::invalid_argument& error) {
      throw FormatError(error.what());
    }
  }
  throw FormatError(message("unknown model '", name, "'; it may come from a newer condens"));
}

}  // namespace condens
