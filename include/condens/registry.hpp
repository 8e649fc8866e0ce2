#pragma once
// Name -> options -> fit. registry.cpp is the only file that knows every model; every door reads what is here.

#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "condens/comparison/comparison.hpp"
#include "condens/comparison/dimension_test.hpp"
#include "condens/core/document.hpp"
#include "condens/core/errors.hpp"
#include "condens/core/fields.hpp"
#include "condens/core/options.hpp"
#include "condens/core/run.hpp"
#include "condens/data/censoring.hpp"
#include "condens/data/dataset.hpp"
#include "condens/data/row_groups.hpp"
#include "condens/data/table_blocks.hpp"
#include "condens/model/capabilities.hpp"
#include "condens/model/conditional_density.hpp"
#include "condens/model/conformal.hpp"
#include "condens/model/inner_model.hpp"
#include "condens/model/joint_density.hpp"
#include "condens/model/pooled_density.hpp"
#include "condens/model/projected_density.hpp"
#include "condens/model/replicates.hpp"
#include "condens/model/results.hpp"
#include "condens/model/row_sums.hpp"
#include "condens/model/row_weights.hpp"
#include "condens/model/target_kind.hpp"

namespace condens {

/// How a model can be had.
struct ModelInfo {
  std::string name;                  ///< "lscde"
  std::string class_name;            ///< "LSCDE": its name as a class in other languages
  std::string title;                 ///< one sentence
  std::string source;                ///< author, year
  std::vector<std::string> presets;  ///< the first is the default
  std::vector<OptionInfo> options;
  std::vector<ResultInfo> results;
  /// What its fitted models can do beyond their distribution (model/capabilities.hpp): "has_states", ...;
  /// "is_density": of all columns together, conditioned on the inputs, and so at home without any.
  std::vector<std::string> capabilities;
  bool can(std::string_view capability) const;
  bool shipped = true;  ///< comes with the library; false for those that a program registered

  /// Every option of a preset with its value. Throws std::invalid_argument for an unknown preset.
  std::function<Document(std::string_view preset)> defaults;

  /// Fits with the preset's options, overwritten by those that `options` names. What it returns can be written, read
  /// again and asked for laws; where a fit did not come to that it throws NumericalError.
  std::function<std::unique_ptr<ConditionalDensity>(const Dataset&, std::string_view preset, const Document& options,
                                                    const Run&)>
      fit;

  /// Of a model that "sums_over_rows": the same fit of rows that are elsewhere, and what a block of them adds to one of
  /// its passes (model/row_sums.hpp), where it has passes of its own. Empty for others.
  std::function<std::unique_ptr<ConditionalDensity>(RowSums&, std::string_view preset, const Document& options,
                                                    const Run&)>
      fit_by_sums;
  std::function<Document(const Document& pass, const Dataset& block, Index first_row, const Run&)> accumulate;

  std::function<std::unique_ptr<ConditionalDensity>(const Document&)> load;

  /// What the fit found, by the names of `results`.
  std::function<Document(const ConditionalDensity&)> results_of;
};

/// Every model, in the order in which they should be shown.
const std::deque<ModelInfo>& models();

/// Adds a model of your own: from then on every function here, comparisons, pools and model files know it like any
/// other. For the start of a program: not beside other uses of the registry. Throws std::invalid_argument for a name or
/// a class name that there is.
void register_model(ModelInfo info);

/// Names of the models with a capability.
std::vector<std::string> models_that(std::string_view capability);

/// The model of who names none.
inline constexpr std::string_view default_model = "lscde";

/// Throws std::invalid_argument that lists the names there are.
const ModelInfo& find_model(std::string_view name);

/// The member of a pool that sees y alone, a Parzen window.
inline constexpr std::string_view marginal_member = "marginal";

/// The same for a member of a pool, which may also be `marginal_member`.
const ModelInfo& find_member(std::string_view name);

/// Whether a fit with these options learns from Dataset::x_unlabeled: of a model inside, or a pool, whether that one
/// does, or one of its members.
bool uses_unlabeled(const ModelInfo& info, std::string_view preset, const Document& options);

/// Fits as `info.fit` does, for a model that a person is to use, and adds to the report what the inputs are worth
/// (model/input_gain.hpp): the model fitted again to some of the rows has the hyper-parameters chosen on all of them.
/// Where `cv` is given and there was nothing to choose, the one candidate is scored by it.
std::unique_ptr<ConditionalDensity> fit_model(const ModelInfo& info, const Dataset& data, std::string_view preset,
                                              const Document& options, const Run& run);

/// What a block of neighbouring rows adds to a pass over a table, `first_row` the place of its first one in the table.
/// Throws std::invalid_argument for rows that no fit takes, FormatError for what is no pass.
Document accumulate(const Document& pass, const Dataset& block, Index first_row, const Run& run);

/// Fits rows that are elsewhere. Of a table of at most `gather_rows` rows they are fetched, and fitted as `fit_model`
/// does; a larger one is fitted by sums, to the same model as rows in memory up to the rounding of sums where it has
/// more than `most_rows_at_once` rows (data/folds.hpp). Throws std::invalid_argument for a model that is no sum over
/// rows.
std::unique_ptr<ConditionalDensity> fit_by_sums(const ModelInfo& info, RowSums& table, std::string_view preset,
                                                const Document& options, Index gather_rows, const Run& run);

/// Rows in memory, in blocks of so many rows: what a cluster is to the fits above, without one. Rows of weight zero are
/// left out. The rows outlive this. Throws std::invalid_argument for weights below zero.
class BlocksInMemory final : public RowSums {
 public:
  BlocksInMemory(const Dataset& data, Index rows_of_block, const Run& run);
  Document total(const Document& pass) override;

 private:
  Dataset storage_;
  const Dataset& data_;
  Index rows_of_block_;
  Run run_;
};

/// The rows of a table that is read in blocks, once where they take no more than `memory` bytes as numbers, else for
/// each pass. The observer of the run hears of each. The rows outlive this.
class BlocksOfTable final : public RowSums {
 public:
  BlocksOfTable(EncodedBlocks& rows, std::size_t memory, const Run& run);
  Document total(const Document& pass) override;

 private:
  EncodedBlocks& rows_;
  std::size_t memory_;
  Run run_;
  Index passes_ = 0;
  std::vector<Dataset> kept_;
};

/// The model of a target that need not be any real number: the density of its code, and what it stands for, nothing
/// where the target is real.
struct TargetModel {
  std::unique_ptr<ConditionalDensity> density;
  std::optional<TargetDecoder> target;
  std::optional<Conformal> conformal;
  std::optional<Replicates> replicates;
};

/// How intervals get a guarantee by rows that were fitted to: as many models more as there are folds.
enum class CrossConformal { none, cv_plus, jackknife_plus };
template <>
inline constexpr auto choice_names<CrossConformal> = std::array<std::string_view, 3>{"split", "cv+", "jackknife+"};

/// What is asked of a fit beside its model.
struct TargetRequest {
  TargetKind kind = {};
  double calibration_share = 0;  ///< of the rows that the fit does not see, for intervals with a guarantee; 0: none
  bool impute_inputs = false;    ///< inputs may be missing (NaN), here and in what the model predicts
  Index replicates = 0;          ///< of the bootstrap over rows, for error bars; 0: none
  ReplicateMethod replicate_method = ReplicateMethod::refit;
  Censoring censoring = {};                     ///< what is known of the target of each row; empty: its value
  CrossConformal cross = CrossConformal::none;  ///< a guarantee without rows left out
  Index cross_folds = 10;                       ///< of cv_plus
  std::optional<RowGroups> groups = {};         ///< the guarantee is kept within each
  double pit_share = 0;         ///< of the rows that calibrate the distributions and are not fitted to; 0: none
  bool worth_of_inputs = true;  ///< the report is to say what the inputs are worth, which takes fits more

  /// Whether intervals are to have a guarantee.
  bool calibrates() const { return calibration_share != 0 || cross != CrossConformal::none; }
};

/// Fewest rows that a distribution can be calibrated by.
inline constexpr Index fewest_rows_of_calibration = 20;

/// Groups of which fewer calibration rows than this are to be expected go to "(other)".
inline constexpr Index fewest_rows_of_group = 20;

/// Fits as `fit_model` does to the one target of the kind; how likely atoms are is said by boosted trees. `place` says
/// where a row stands. Rows for calibration are drawn at random by the option `seed`. Of a target that is censored or
/// truncated `data.y` is not read: by stochastic EM (Celeux and Diebolt 1985), eleven fits of which two choose
/// hyper-parameters, the draws by the option `seed`. With folds for a guarantee everything that a fit chooses - the
/// kind of the target, its map, hyper-parameters - is chosen again without each fold: K fits more. Throws
/// std::invalid_argument for values that are not of the kind, for calibration of several targets, rows with weights or
/// censored ones, and for what `Censoring::check` refuses.
TargetModel fit_target(const ModelInfo& info, const TargetRequest& request, const Dataset& data,
                       std::string_view preset, const Document& options, const PlaceOfRow& place, const Run& run);

/// The ratio q(x) / p(x) of the densities of new rows and of calibration rows, for intervals under covariate shift: the
/// odds of being new by boosted trees, from five folds, each row's by trees that have not seen it. Intervals with it
/// hold y about as often as asked, as well as the ratio is estimated. Throws std::invalid_argument for folds, for a
/// model that does not hold the inputs of its calibration rows, missing inputs, and fewer than ten rows of either kind.
ShiftWeights estimate_shift(const Conformal& conformal, const MatrixView& x, std::uint64_t seed, const Run& run);

/// The model in a comparison, with the preset's options overwritten by those that `options` names, of targets of this
/// kind. A seed is that of the split, unless the options set one. Throws std::invalid_argument for an unknown preset
/// and bad options, the fold of every row among them.
Contestant contestant(std::string label, const ModelInfo& info, std::string_view preset, const Document& options,
                      const TargetKind& kind = {});

/// The test of comparison/dimension_test.hpp of a model that reduces its inputs, with the preset's options overwritten
/// by those that `options` names, but n_components. Throws std::invalid_argument for another model, too, and as
/// `contestant`.
DimensionTest test_dimension(const ModelInfo& info, const Dataset& data, std::string_view preset,
                             const Document& options, const TargetKind& kind, const DimensionTestOptions& test,
                             const Run& run);

/// All of the above as data, for doors of other languages: bounds, choices and defaults of
/// every option for every preset.
Document to_document(const ModelInfo& info);

/// {"model": name, ...parameters}: the inverse of load_density, bit for bit.
Document save_density(const ConditionalDensity& density);

/// Throws FormatError for an unknown model or parameters that do not fit together.
std::unique_ptr<ConditionalDensity> load_density(const Document& document);

/// What a target of another kind was told from, of a model with so many inputs. Throws FormatError for what does not
/// fit together.
TargetDecoder load_target(const Document& document, Index n_inputs);

/// Of a model's intervals with a guarantee, and the same read for a model with so many inputs, which throws FormatError
/// for what does not fit together.
Document save_conformal(const Conformal& conformal);
Conformal load_conformal(const Document& document, Index n_inputs);

/// Replicates of the model. Throws FormatError for what does not fit together.
Replicates load_replicates(const Document& document, const ConditionalDensity& density,
                           const std::optional<TargetDecoder>& target);

namespace detail {

/// The model that an option `model` names; it may be none that takes a model itself.
InnerModel inner_model(std::string_view owner, const std::string& model, const std::string& preset);

/// The members that a pool's options name: any model but one that takes several, and the marginal density of y.
MemberFinder member_finder(std::string_view owner, const std::string& preset);

/// Throws std::invalid_argument unless all of these members are sums over rows.
void check_sums_over_rows(std::string_view owner, const std::vector<std::string>& members);

/// Of a model that sums over rows: fetches rows that are elsewhere where there are no more than `most_rows_at_once`,
/// else fits by sums, so that it is the model of rows in memory.
std::unique_ptr<ConditionalDensity> fit_table(const ModelInfo& info, RowSums& table, std::string_view preset,
                                              const Document& options, const Run& run);

/// Runs a fit so that whoever waits may end it at any time. Throws NumericalError unless the model can be written and
/// has distributions.
std::unique_ptr<ConditionalDensity> whole_fit(
    std::string_view class_name, const Dataset& data, const Run& run,
    const std::function<std::unique_ptr<ConditionalDensity>(const Run&)>& fit);

/// Hands over the model that the options name, or the finder of those that they name, where the method takes one.
template <class Model, class Options>
Model fit_by(const std::string& class_name, const Dataset& data, const Options& options, const Run& run) {
#ifdef CONDENS_WITHOUT_FITS
  throw std::logic_error(class_name + ": this build only predicts");
#else
  if constexpr (requires(const InnerModel& inner) { Model::fit(data, options, inner, run); })
    return Model::fit(data, options, inner_model(class_name, options.model, options.model_preset), run);
  else if constexpr (requires(const MemberFinder& find) { Model::fit(data, options, find, run); })
    return Model::fit(data, options, member_finder(class_name, options.model_preset), run);
  else
    return Model::fit(data, options, run);
#endif
}

/// Whether the method fits rows that are elsewhere, and how it is asked to.
template <class Model, class Options>
concept FitsTables = requires(RowSums& table, const Options& options, const Run& run) {
  Model::fit(table, options, run);
};
template <class Model, class Options>
concept PoolsTables = requires(RowSums& table, const Options& options, const MemberFinder& find, const Run& run) {
  Model::fit(table, options, find, run);
};

/// Members that the user names are all to be sums over rows; a method that chooses its own sees which are.
template <class Model, class Options>
Model fit_table_by(const std::string& class_name, RowSums& table, const Options& options, const Run& run) {
  if constexpr (PoolsTables<Model, Options>) {
    if constexpr (requires { options.models; }) check_sums_over_rows(class_name, options.models);
    return Model::fit(table, options, member_finder(class_name, options.model_preset), run);
  } else {
    return Model::fit(table, options, run);
  }
}

template <class Model>
Model load_by(const Document& document) {
  if constexpr (requires { Model::from_document(document, load_density); })
    return Model::from_document(document, load_density);
  else
    return Model::from_document(document);
}

template <class Capability>
struct CapabilityName {
  std::string_view name;
};

/// Every capability by its name in other languages.
inline constexpr auto capability_names = Fields{
    CapabilityName<JointDensity>{"is_density"},
    CapabilityName<ProjectedDensity>{"reduces_inputs"},
    CapabilityName<SelectsInputs>{"selects_inputs"},
    CapabilityName<RanksInputs>{"ranks_inputs"},
    CapabilityName<EntersInputs>{"enters_inputs"},
    CapabilityName<HasContributions>{"has_contributions"},
    CapabilityName<HasPath>{"has_path"},
    CapabilityName<HasStates>{"has_states"},
    CapabilityName<HasQuantiles>{"has_quantiles"},
    CapabilityName<HasMass>{"has_mass"},
    CapabilityName<HasTrends>{"has_trends"},
    CapabilityName<WeighsTrainingRows>{"weighs_training_rows"},
    CapabilityName<PooledDensity>{"has_members"},
    CapabilityName<TakesOneTarget>{"takes_one_target"},
    CapabilityName<LearnsFromUnlabeled>{"learns_from_unlabeled"},
    CapabilityName<LearnsFromSums>{"learns_from_sums"},
    CapabilityName<LearnsExactly>{"learns_exactly"},
};

template <class Model>
std::vector<std::string> capabilities_of() {
  std::vector<std::string> out;
  const auto add = [&]<class Capability>(const CapabilityName<Capability>& own) {
    if (std::is_base_of_v<Capability, Model>) out.emplace_back(own.name);
  };
  capability_names.apply([&](const auto&... own) { (add(own), ...); });
  return out;
}

}  // namespace detail

/// A model whose options know two presets: the defaults, and `paper()`. `Model` derives from ConditionalDensity (or
/// FittedModel) and has `fit(data, options, run)` and `from_document(document)`; a method around another model has
/// `fit(data, options, const InnerModel&, run)` and `from_document(document, const InnerLoader&)`. An options struct
/// with `give_way(given)` adapts what no one set to what the user did.
template <class Model, class Options>
ModelInfo describe_model(std::string name, const std::string& class_name, std::string title, std::string source) {
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
  info.capabilities = detail::capabilities_of<Model>();
  info.defaults = [=](std::string_view preset) { return options_to_document(preset_options(preset)); };
  info.fit = [=](const Dataset& data, std::string_view preset, const Document& values, const Run& run) {
    Options options = preset_options(preset);
    set_options(options, class_name, values);
    if constexpr (requires { options.give_way(values); }) {
      if (!values.is_null()) options.give_way(values);
    }
    return detail::whole_fit(class_name, data, run, [&](const Run& inside) {
      return std::make_unique<Model>(detail::fit_by<Model>(class_name, data, options, inside));
    });
  };
#ifndef CONDENS_WITHOUT_FITS
  if constexpr (detail::FitsTables<Model, Options> || detail::PoolsTables<Model, Options>) {
    info.capabilities.emplace_back("sums_over_rows");
    info.fit_by_sums = [=](RowSums& table, std::string_view preset, const Document& values, const Run& run) {
      Options options = preset_options(preset);
      set_options(options, class_name, values);
      return std::make_unique<Model>(detail::fit_table_by<Model>(class_name, table, options, run));
    };
    if constexpr (requires { &Model::accumulate; }) info.accumulate = &Model::accumulate;
  }
#endif
  info.load = [](const Document& document) { return std::make_unique<Model>(detail::load_by<Model>(document)); };
  info.results_of = [](const ConditionalDensity& density) {
    return results_to_document(dynamic_cast<const Model&>(density));
  };
  return info;
}

}  // namespace condens
