#pragma once
// Forward selection: inputs enter a model one by one, each time the one that lowers the score
// of the model's own cross-validation most, until none lowers it.
//
// Source: M. Shiga, V. Tangkaratt and M. Sugiyama, Direct conditional probability density
// estimation with sparse feature selection, Machine Learning 100, 2015, section 3.1 (FW-LSCDE,
// FW-NWCDE, FW-eKDE). What the paper leaves open is read so: hyper-parameters are chosen anew
// for every subset, the folds are the same for all, of equal scores the first input enters.
//
// The score of a subset is the best that the model's own choice of hyper-parameters by these folds
// finds on it ("score" of its report). A model that has none - every hyper-parameter given, or chosen
// in another way, as by leaving one out - or that of inputs and target together, which says nothing
// across subsets, is fitted to all but one fold in turn and scored on that one.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "condens/core/options.hpp"
#include "condens/data/dataset.hpp"
#include "condens/model/capabilities.hpp"
#include "condens/model/fitted_model.hpp"
#include "condens/model/inner_model.hpp"
#include "condens/model/scoring.hpp"
#include "condens/model/subset_density.hpp"

namespace condens {

/// The defaults are our recommendation; `paper()` is the paper's procedure.
struct ForwardOptions {
  std::string model = "lscde";
  std::string model_preset = "recommended";
  Document options = Document(Document::Object{});
  Index min_features = 0;
  Index max_features = 0;
  SelectionRule selection_rule = SelectionRule::one_standard_error;
  Scoring scoring = Scoring::nll;
  std::vector<double> cv = {5};
  Index seed = 0;

  /// At least one input is selected, and every one that lowers the score, for the model by its own paper.
  static ForwardOptions paper() {
    return {.model_preset = "paper", .min_features = 1, .selection_rule = SelectionRule::minimum};
  }
};

template <>
inline constexpr auto option_table<ForwardOptions> = Fields{
    OptionField{"model", &ForwardOptions::model, anything(), "Name of the model that inputs are selected for."},
    OptionField{"model_preset", &ForwardOptions::model_preset, anything(),
                "Preset of that model: where options that are not set take their values from."},
    OptionField{"options", &ForwardOptions::options, anything(), "Options of that model."},
    OptionField{
        "min_features", &ForwardOptions::min_features, whole(0),
        "Least number of inputs, which enter even where the score rises; 0: the density without inputs may win."},
    OptionField{"max_features", &ForwardOptions::max_features, whole(0),
                "Most inputs that enter, a categorical one counting once; 0: no limit."},
    OptionField{
        "selection_rule", &ForwardOptions::selection_rule, anything(),
        "Keep all inputs that entered, or the first ones whose score is within one standard error of the last."},
    OptionField{"scoring", &ForwardOptions::scoring, anything(),
                "Score of cross-validation: negative log-likelihood, or squared error of the density."},
    folds_field(&ForwardOptions::cv),
    OptionField{"seed", &ForwardOptions::seed, whole(0), "Seed of everything random: folds, and what the model draws."},
};

struct ForwardSelectionState {
  Vector ranking;  ///< for each row of x 1 for the first input that entered, 2 for the second, ...; 0: not selected
};

class ForwardSelection final
    : public FittedWrapper<ForwardSelection, ForwardOptions, ForwardSelectionState, SubsetDensity>,
      public RanksInputs,
      public EntersInputs,
      public LearnsFromUnlabeled {
 public:
  static constexpr std::string_view class_name = "ForwardSelection";

  /// `inner` is the model that the options name. Inputs are the groups of `data`; constant ones
  /// never enter. Throws what the model throws; a subset that leaves no density (NumericalError)
  /// never enters. Cost: at most d (d + 1) / 2 + 1 fits of the model for d inputs.
  static ForwardSelection fit(const Dataset& data, const ForwardOptions& options, const InnerModel& inner,
                              const Run& run = {});

  /// For each row of x its input's share in the fall of the score, sum 1; indicators share theirs.
  Vector feature_importances() const override;

  std::vector<Step> steps() const override;

  /// The scores before the first and after every entry.
  Vector scores() const;

  std::string_view model_name() const override { return "forward"; }

 private:
  friend FittedWrapper;
  /// Throws FormatError where the ranking is not that of the subset, or the report lacks the steps.
  ForwardSelection(ForwardOptions options, ForwardSelectionState state, Parts parts, FitReport report);
};

template <>
inline constexpr auto result_table<ForwardSelection> = Fields{
    ResultField{"support", &ForwardSelection::support, "1 for every input that was selected, else 0.",
                line("n_features")},
    ResultField{"feature_importances", &ForwardSelection::feature_importances,
                "What each input took from the score when it entered, as a share of all.", line("n_features")},
    StateField{"ranking", &ForwardSelectionState::ranking,
               "1 for the input that entered first, 2 for the second, ...; 0 where it is not selected.",
               line("n_features")}
        .not_negative(),
    ResultField{"scores", &ForwardSelection::scores,
                "Cross-validated score without inputs, and after each input that entered.", line("n_steps")},
};

}  // namespace condens
