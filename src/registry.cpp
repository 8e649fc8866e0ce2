#include "condens/registry.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <type_traits>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "condens/estimators/auto.hpp"
#include "condens/estimators/epsilon_kde.hpp"
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
#include "condens/model/joint_density.hpp"
#include "condens/model/subset_density.hpp"
#include "core/finite.hpp"
#include "core/names.hpp"
#include "model/inner_fits.hpp"
#include "model/input_gain.hpp"
#include "model/preparation.hpp"

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

constexpr std::string_view marginal = "marginal";  // the member of a pool that sees y alone

enum class Unlabeled { ignored, used };

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

/// A model whose options know two presets: the defaults, and `paper()`.
template <class Model, class Options>
ModelInfo describe(std::string name, const std::string& class_name, std::string title, std::string source,
                   Unlabeled unlabeled, Model (*fit)(const Dataset&, const Options&, const Run&) = &Model::fit,
                   Model (*load)(const Document&) = &Model::from_document) {
  const auto preset_options = [class_name](std::string_view preset) {
    if (preset == "paper") return Options::paper();
    require(preset.empty() || preset == "recommended", class_name, ": preset = '", preset,
            "', expected recommended or paper");
    return Options{};
  };
  ModelInfo info;
  info.name = std::move(name);
  info.class_name = class_name;
  info.title = std::move(title);
  info.source = std::move(source);
  info.presets = {"recommended", "paper"};
  info.options = describe_options<Options>();
  info.results = describe_results<Model>();
  info.uses_unlabeled = unlabeled == Unlabeled::used;
  info.is_density = std::is_base_of_v<JointDensity, Model>;
  info.single_target = std::is_same_v<Model, Kqr>;
  info.defaults = [=](std::string_view preset) { return options_to_document(preset_options(preset)); };
  info.fit = [=](const Dataset& data, std::string_view preset, const Document& values, const Run& run) {
    Options options = preset_options(preset);
    set_options(options, class_name, values);
    if constexpr (requires { options.give_way(values); }) {
      if (!values.is_null()) options.give_way(values);
    }
    std::optional<WholeFit> whole;
    if (run.observer) whole.emplace(run);
    auto model = std::make_unique<Model>(fit(data, options, whole ? whole->run() : run));
    check_fitted(class_name, *model, data);
    return model;
  };
  info.load = [=](const Document& document) { return std::make_unique<Model>(load(document)); };
  info.results_of = [](const ConditionalDensity& density) {
    return results_to_document(dynamic_cast<const Model&>(density));
  };
  return info;
}

bool has_option(const ModelInfo& info, std::string_view name) {
  return std::any_of(info.options.begin(), info.options.end(), [&](const OptionInfo& own) { return own.name == name; });
}

/// The model that the options of another one name; it may be none that takes a model itself.
template <class Options>
InnerModel inner_model(std::string_view owner, const Options& options) {
  const ModelInfo& inner = find_model(options.model);
  require(!has_option(inner, "model_preset"), owner, ": model = '", options.model, "', expected another model");
  inner.defaults(options.model_preset);  // refuses an unknown one
  const auto fit = [&inner, preset = options.model_preset](const Dataset& data, const Document& values,
                                                           const Run& run) {
    return inner.fit(data, preset, values, run);
  };
  return {inner.options, fit, inner.is_density};
}

ForwardSelection fit_forward(const Dataset& data, const ForwardOptions& options, const Run& run) {
  return ForwardSelection::fit(data, options, inner_model("ForwardSelection", options), run);
}

ForwardSelection load_forward(const Document& document) {
  return ForwardSelection::from_document(document, load_density);
}

SlicedDensity fit_sliced(const Dataset& data, const SlicedOptions& options, const Run& run) {
  return SlicedDensity::fit(data, options, inner_model("Sliced", options), run);
}

SlicedDensity load_sliced(const Document& document) { return SlicedDensity::from_document(document, load_density); }

Lsmi fit_lsmi(const Dataset& data, const LsmiOptions& options, const Run& run) {
  return Lsmi::fit(data, options, inner_model("LSMI", options), run);
}

Lsmi load_lsmi(const Document& document) { return Lsmi::from_document(document, load_density); }

LocationScaleDensity fit_location_scale(const Dataset& data, const LocationScaleOptions& options, const Run& run) {
  return LocationScaleDensity::fit(data, options, inner_model("LocationScale", options), run);
}

LocationScaleDensity load_location_scale(const Document& document) {
  return LocationScaleDensity::from_document(document, load_density);
}

/// The members that a pool's options name: any model but one that takes several, and the marginal density of y.
MemberFinder member_finder(std::string_view owner, const std::string& preset) {
  return [=](const std::string& name) -> InnerModel {
    const bool alone = name == marginal;
    const ModelInfo& member = find_member(name);
    require(!has_option(member, "model_preset") || has_option(member, "model"), owner, ": models has '", name,
            "', expected no other pool");
    member.defaults(preset);  // refuses an unknown one
    const auto fit = [=, &member](const Dataset& data, const Document& values, const Run& run) {
      return member.fit(alone ? select_inputs(data, {}) : data, preset, values, run);
    };
    return {member.options, fit, member.is_density};
  };
}

Pool fit_pool(const Dataset& data, const PoolOptions& options, const Run& run) {
  return Pool::fit(data, options, member_finder("Pooled", options.model_preset), run);
}

Pool load_pool(const Document& document) { return Pool::from_document(document, load_density); }

AutoDensity fit_auto(const Dataset& data, const AutoOptions& options, const Run& run) {
  return AutoDensity::fit(data, options, member_finder("AutoCDE", options.model_preset), run);
}

AutoDensity load_auto(const Document& document) { return AutoDensity::from_document(document, load_density); }

/// Every option of a fitted model, of candidates and of "auto" what it chose. Folds by row are those of its own rows.
Document chosen_options(const ModelInfo& info, const ConditionalDensity& density) {
  Document out = density.options();
  const Document defaults = info.defaults("");
  for (const OptionInfo& option : info.options) {
    const Document* chosen = density.report().details.find(option.name);
    const auto* word = chosen == nullptr ? nullptr : std::get_if<std::string>(&chosen->value());
    const auto& choices = option.choices;
    if (word != nullptr && std::find(choices.begin(), choices.end(), *word) != choices.end()) {
      out.set(option.name, *chosen);
    }
    if (option.type != "numbers") continue;
    if (option.name == "cv") {
      if (out.at("cv").as_array().size() > 1) out.set("cv", defaults.at("cv"));
      continue;
    }
    const bool number = chosen != nullptr && (std::holds_alternative<double>(chosen->value()) ||
                                              std::holds_alternative<std::int64_t>(chosen->value()));
    if (number && out.at(option.name).as_array().size() != 1) out.set(option.name, Document::Array{*chosen});
  }
  return out;
}

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
  if (cv == nullptr || report.details.find("score") != nullptr || report.details.find("candidates") != nullptr) return;
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

const std::vector<ModelInfo>& models() {
  static const std::vector<ModelInfo> all = {
      describe<Lscde, LscdeOptions>(
          "lscde", "LSCDE", "Least-squares conditional density estimation: a nonnegative mixture of Gaussian kernels.",
          "Sugiyama, Takeuchi, Suzuki, Kanamori, Hachiya and Okanohara (2010)", Unlabeled::used),
      describe<Sacde, SacdeOptions>("sacde", "SACDE",
                                    "Sparse additive conditional density estimation: selects the inputs that matter.",
                                    "Shiga, Tangkaratt and Sugiyama (2015)", Unlabeled::ignored),
      describe<Salscde, SalscdeOptions>(
          "salscde", "SALSCDE", "LSCDE on the inputs that sparse additive conditional density estimation selects.",
          "Shiga, Tangkaratt and Sugiyama (2015), section 3.1", Unlabeled::used),
      describe<Lsce, LsceOptions>(
          "lsce", "LSCE", "Least-squares conditional entropy: the few directions z = W x that matter, and LSCDE on z.",
          "Tangkaratt, Xie and Sugiyama (2015)", Unlabeled::ignored),
      describe<NadarayaWatson, NadarayaWatsonOptions>(
          "nw", "NadarayaWatson",
          "Nadaraya-Watson conditional density: a Gaussian at every sample, with a width learned for every input.",
          "Holmes, Gray and Isbell (2007); Shiga, Tangkaratt and Sugiyama (2015)", Unlabeled::ignored),
      describe<EpsilonKde, EpsilonKdeOptions>(
          "ekde", "EpsilonKDE", "Epsilon-neighbour kernel density estimation: the y of the samples whose x is near.",
          "Shiga, Tangkaratt and Sugiyama (2015)", Unlabeled::ignored),
      describe<RatioKde, RatioKdeOptions>(
          "rkde", "RatioKDE", "Ratio of kernel density estimates: that of inputs and target over that of the inputs.",
          "Sugiyama, Takeuchi, Suzuki, Kanamori, Hachiya and Okanohara (2010)", Unlabeled::ignored),
      describe<GaussianProcess, GaussianProcessOptions>(
          "gp", "GaussianProcess", "Gaussian process regression: one Gaussian whose mean and variance follow x.",
          "Rasmussen and Williams (2006)", Unlabeled::ignored),
      describe<Press, PressOptions>(
          "press", "PRESS",
          "Predictive state smoothing: x is mapped to weights of a few states, each with its distribution of y.",
          "Goerg (2017)", Unlabeled::ignored),
      describe<Kqr, KqrOptions>(
          "kqr", "KernelQuantileRegression",
          "Kernel quantile regression: quantile functions of x, solved exactly, and the density between them.",
          "Takeuchi, Le, Sears and Smola (2006); Li, Liu and Zhu (2007)", Unlabeled::ignored),
      describe<Mdn, MdnOptions>(
          "mdn", "MixtureDensityNetwork",
          "Mixture density network: an ensemble of neural networks whose outputs are Gaussian mixtures.",
          "Bishop (1994); Sugiyama et al. (2010), section 3.2", Unlabeled::ignored),
      describe<Gskd, GskdOptions>(
          "gskd", "GSKD", "Sparse density from tunable kernels, placed one by one by a leave-one-out regression.",
          "Chen, Hong and Harris (2010)", Unlabeled::ignored),
      describe<Parzen, ParzenOptions>(
          "parzen", "Parzen",
          "Parzen window: a Gaussian at every sample of inputs and target together, conditioned on the inputs.",
          "Parzen (1962); Chen, Hong and Harris (2010)", Unlabeled::ignored),
      describe<Skd, SkdOptions>("skd", "SKD",
                                "Sparse kernel density: kernels at data points, one by one by the leave-one-out error.",
                                "Chen, Hong and Harris (2008, 2010)", Unlabeled::ignored),
      describe<Rsde, RsdeOptions>("rsde", "RSDE",
                                  "Reduced set density: the kernels and weights of the least integrated squared error.",
                                  "Girolami and He (2003); Chen, Hong and Harris (2010)", Unlabeled::ignored),
      describe<Gmm, GmmOptions>(
          "gmm", "GMM",
          "Gaussian mixture by expectation maximisation: full or diagonal covariances, their number by BIC.",
          "Dempster, Laird and Rubin (1977); Chen, Hong and Harris (2010)", Unlabeled::ignored),
      describe<ForwardSelection, ForwardOptions>(
          "forward", "ForwardSelection", "Forward selection of inputs, one by one, for any model.",
          "Shiga, Tangkaratt and Sugiyama (2015), section 3.1", Unlabeled::used, fit_forward, load_forward),
      describe<Lsmi, LsmiOptions>(
          "lsmi", "LSMI", "Directions z = W x of largest squared-loss mutual information with y, then any model of z.",
          "Suzuki and Sugiyama (2013); Tangkaratt, Xie and Sugiyama (2015)", Unlabeled::used, fit_lsmi, load_lsmi),
      describe<SlicedDensity, SlicedOptions>(
          "sliced", "Sliced", "Directions by sliced inverse regression or average variance, followed by any model.",
          "Li (1991); Cook and Weisberg (1991)", Unlabeled::used, fit_sliced, load_sliced),
      describe<LocationScaleDensity, LocationScaleOptions>(
          "location_scale", "LocationScale",
          "A mean and a spread that follow the inputs, and any model of what is left.",
          "Akritas and Van Keilegom (2001); Davidian and Carroll (1987)", Unlabeled::used, fit_location_scale,
          load_location_scale),
      describe<Pool, PoolOptions>("pool", "Pooled",
                                  "A convex combination of models, weighted by the log score of rows left out.",
                                  "Yao, Vehtari, Simpson and Gelman (2018)", Unlabeled::used, fit_pool, load_pool),
      describe<AutoDensity, AutoOptions>(
          "auto", "AutoCDE", "A pool of models that are chosen by the size of the data and the time allowed.",
          "Yao, Vehtari, Simpson and Gelman (2018)", Unlabeled::used, fit_auto, load_auto),
  };
  return all;
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

const ModelInfo& find_member(std::string_view name) { return find_model(name == marginal ? "parzen" : name); }

bool uses_unlabeled(const ModelInfo& info, std::string_view preset, const Document& options) {
  Document values = info.defaults(preset);
  for (const auto& [name, value] : options.as_object()) values.set(name, value);
  std::vector<std::string> inside;
  if (const Document* models = values.find("models")) inside = models->as_strings();
  if (const Document* model = values.find("model")) inside.push_back(model->as_string());
  const auto uses = [](const std::string& name) { return find_member(name).uses_unlabeled; };
  return info.uses_unlabeled && (inside.empty() || std::any_of(inside.begin(), inside.end(), uses));
}

std::unique_ptr<ConditionalDensity> fit_model(const ModelInfo& info, const Dataset& data, std::string_view preset,
                                              const Document& options, const Run& run) {
  auto density = info.fit(data, preset, options, run);
  if (density->report().status == "interrupted") return density;  // some models keep the best so far
  FitReport report = density->report();
  score_alone(info, data, preset, options, *density, report, run);
  const Document chosen = chosen_options(info, *density);
  const auto refit = [&](const Dataset& rows, const Run& own) { return info.fit(rows, preset, chosen, own); };
  const Run named{.threads = run.threads,
                  .observer = run.observer ? Observer([&](std::string_view, double fraction) {
                    return run.observer("checking what the inputs are worth", fraction);
                  })
                                           : Observer{}};
  check_inputs(data, *density, refit, report, named);
  density->set_report(std::move(report));
  return density;
}

Contestant contestant(std::string label, const ModelInfo& info, std::string_view preset, const Document& options) {
  check_options(info.class_name, info.options, options);
  if (const Document* cv = options.find("cv")) {
    const auto* folds = std::get_if<Document::Array>(&cv->value());
    require(folds == nullptr || folds->size() == 1, "compare: ", label, ": cv has the fold of every row, expected a ",
            "number of folds: every split of a comparison fits some of the rows");
  }
  Document identity;
  identity.set("model", info.name).set("defaults", info.defaults(preset)).set("options", options);
  const bool seeded = has_option(info, "seed") && options.find("seed") == nullptr;
  const auto fit = [&info, seeded, preset = std::string(preset), options](const Dataset& data, Index seed,
                                                                          const Run& run) {
    Document own = options;
    if (seeded) own.set("seed", seed);
    return info.fit(data, preset, own, run);
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
                          {"uses_unlabeled", info.uses_unlabeled},
                          {"is_density", info.is_density},
                          {"single_target", info.single_target}};
}

Document save_density(const ConditionalDensity& density) {
  return Document::Object{{"model", density.model_name()}, {"parameters", density.to_document()}};
}

std::unique_ptr<ConditionalDensity> load_density(const Document& document) {
  const std::string& name = document.at("model").as_string();
  for (const ModelInfo& info : models()) {
    if (info.name != name) continue;
    try {
      return info.load(document.at("parameters"));
    } catch (const std::invalid_argument& error) {
      throw FormatError(error.what());
    }
  }
  throw FormatError(message("unknown model '", name, "'; it may come from a newer condens"));
}

}  // namespace condens
