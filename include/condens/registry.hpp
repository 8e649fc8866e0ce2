#pragma once
// Name -> options -> fit. The only file that knows every model; every door reads it.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "condens/comparison/comparison.hpp"
#include "condens/core/document.hpp"
#include "condens/core/options.hpp"
#include "condens/core/run.hpp"
#include "condens/data/dataset.hpp"
#include "condens/model/conditional_density.hpp"
#include "condens/model/results.hpp"

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
  bool uses_unlabeled;  ///< learns from Dataset::x_unlabeled, too
  bool is_density;      ///< of all columns together, conditioned on the inputs: at home without any
  bool single_target;   ///< refuses several targets

  /// Every option of a preset with its value. Throws std::invalid_argument for an unknown preset.
  std::function<Document(std::string_view preset)> defaults;

  /// Fits with the preset's options, overwritten by those that `options` names. What it returns can be written, read
  /// again and asked for laws; where a fit did not come to that it throws NumericalError.
  std::function<std::unique_ptr<ConditionalDensity>(const Dataset&, std::string_view preset, const Document& options,
                                                    const Run&)>
      fit;

  std::function<std::unique_ptr<ConditionalDensity>(const Document&)> load;

  /// What the fit found, by the names of `results`.
  std::function<Document(const ConditionalDensity&)> results_of;
};

/// Every model, in the order in which they should be shown.
const std::vector<ModelInfo>& models();

/// Throws std::invalid_argument that lists the names there are.
const ModelInfo& find_model(std::string_view name);

/// The same for a member of a pool, which may also be "marginal": a Parzen window of y alone.
const ModelInfo& find_member(std::string_view name);

/// Whether a fit with these options learns from Dataset::x_unlabeled: of a model inside, or a pool, whether that one
/// does, or one of its members.
bool uses_unlabeled(const ModelInfo& info, std::string_view preset, const Document& options);

/// Fits as `info.fit` does, for a model that a person is to use, and adds to the report what the inputs are worth
/// (model/input_gain.hpp): the model fitted again to some of the rows has the hyper-parameters chosen on all of them.
/// Where `cv` is given and there was nothing to choose, the one candidate is scored by it.
std::unique_ptr<ConditionalDensity> fit_model(const ModelInfo& info, const Dataset& data, std::string_view preset,
                                              const Document& options, const Run& run);

/// The model in a comparison, with the preset's options overwritten by those that `options` names. A seed is that of
/// the split, unless the options set one. Throws std::invalid_argument for an unknown preset and bad options, the fold
/// of every row among them.
Contestant contestant(std::string label, const ModelInfo& info, std::string_view preset, const Document& options);

/// All of the above as data, for doors of other languages: bounds, choices and defaults of
/// every option for every preset.
Document to_document(const ModelInfo& info);

/// {"model": name, ...parameters}: the inverse of load_density, bit for bit.
Document save_density(const ConditionalDensity& density);

/// Throws FormatError for an unknown model or parameters that do not fit together.
std::unique_ptr<ConditionalDensity> load_density(const Document& document);

}  // namespace condens
