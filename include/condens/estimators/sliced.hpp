#pragma once
// A conditional density on the directions of a classical method of reduction, followed by any model: of sliced inverse
// regression or sliced average variance estimation (estimators/sliced/directions.hpp), the cheap baselines; of minimum
// average variance estimation (src/estimators/sliced/mave.hpp) or kernel dimension reduction (kdr.hpp), which search.
//
//   p(y|x) = p(y | z),   z = W s(x),   W from the method on the standardised x
//
// The rows of W are orthonormal. The first k of SIR and SAVE span the method's k leading directions.

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "condens/core/options.hpp"
#include "condens/estimators/sliced/directions.hpp"
#include "condens/model/capabilities.hpp"
#include "condens/model/fitted_model.hpp"
#include "condens/model/inner_model.hpp"
#include "condens/model/projected_density.hpp"
#include "condens/model/scoring.hpp"

namespace condens {

enum class ReductionMethod { sir, save, mave, kdr };
template <>
inline constexpr auto choice_names<ReductionMethod> = std::array<std::string_view, 4>{"sir", "save", "mave", "kdr"};

/// The defaults are our recommendation; `paper()` is the inner model by its own paper, and as
/// many directions as score best.
struct SlicedOptions {
  ReductionMethod method = ReductionMethod::sir;
  Index n_slices = 10;
  Index search_rows = 300;
  std::vector<double> n_components = {};
  SelectionRule selection_rule = SelectionRule::one_standard_error;
  bool sparse = false;
  std::string model = "lscde";
  std::string model_preset = "recommended";
  Document options = Document(Document::Object{});
  Scoring scoring = Scoring::nll;
  std::vector<double> cv = {5};
  bool standardize = true;
  Index seed = 0;

  static SlicedOptions paper() { return {.selection_rule = SelectionRule::minimum, .model_preset = "paper"}; }
};

template <>
inline constexpr auto option_table<SlicedOptions> = Fields{
    OptionField{
        "method", &SlicedOptions::method, anything(),
        "Sliced inverse regression (where the mean of x moves with y), sliced average variance estimation (where "
        "its covariance does), minimum average variance (where the mean of y moves with x), or kernel dimension "
        "reduction (anything of y)."},
    OptionField{"n_slices", &SlicedOptions::n_slices, whole(2),
                "Number of slices of y for sir and save: equal shares of the rows, or clusters where there are several "
                "targets."},
    OptionField{"search_rows", &SlicedOptions::search_rows, whole(10),
                "Random rows that mave and kdr look at, whose cost grows with the square and the cube of them."},
    OptionField{"n_components", &SlicedOptions::n_components, distinct(whole(1)),
                "Number of directions: one number, or candidates; none: 1 to 5, chosen by cross-validation."},
    OptionField{"selection_rule", &SlicedOptions::selection_rule, anything(),
                "The number of directions of the least score, or the fewest within one standard error of it."},
    OptionField{"sparse", &SlicedOptions::sparse, anything(),
                "Let inputs leave the directions, those of the smallest loadings first, as far as the score of rows "
                "left out allows: their loadings are exactly zero."},
    OptionField{"model", &SlicedOptions::model, anything(), "Name of the model of the directions."},
    OptionField{"model_preset", &SlicedOptions::model_preset, anything(),
                "Preset of that model: where options that are not set take their values from."},
    OptionField{"options", &SlicedOptions::options, anything(), "Options of that model."},
    OptionField{"scoring", &SlicedOptions::scoring, anything(),
                "Score of cross-validation: negative log-likelihood, or squared error of the density."},
    folds_field(&SlicedOptions::cv),
    OptionField{"standardize", &SlicedOptions::standardize, anything(),
                "Bring every input to mean 0 and standard deviation 1 before directions are sought."},
    OptionField{"seed", &SlicedOptions::seed, whole(0),
                "Seed of everything random: folds, clusters, and what the model draws."},
};

class SlicedDensity final : public FittedWrapper<SlicedDensity, SlicedOptions, NoState, ProjectedDensity>,
                            public LearnsFromUnlabeled {
 public:
  static constexpr std::string_view class_name = "Sliced";

  /// `inner` is the model that the options name. Throws std::invalid_argument for bad options or
  /// data, what the model throws, NumericalError where no number of directions gives a density.
  static SlicedDensity fit(const Dataset& data, const SlicedOptions& options, const InnerModel& inner,
                           const Run& run = {});

  std::string_view model_name() const override { return "sliced"; }

 private:
  friend FittedWrapper;
  SlicedDensity(SlicedOptions options, NoState state, Parts parts, FitReport report)
      : FittedWrapper(std::move(options), state, std::move(parts), std::move(report)) {}
};

template <>
inline constexpr auto result_table<SlicedDensity> = Fields{
    ResultField{"components", &SlicedDensity::components,
                "Directions W, one a row, orthonormal on the standardised scale of x; z = W x.",
                as_written("n_components", "n_inputs")},
    ResultField{"n_components", &SlicedDensity::n_components, "Number of directions."},
};

}  // namespace condens
