#pragma once
// A mean and a spread that follow x, and any conditional density for what is left:
//
//   y = m(x) + s(x) e,   p(y|x) = p_e((y - m(x)) / s(x) | x) / s(x),
//
// with m and log s ridge regressions on kernels or Gaussian processes (trend.hpp), one for each target, and p_e any
// model of e given x. That model sees every row as a new one would be seen: e_i = r_i / s_(-i)(x_i), where
// r_i = y_i - m_(-i)(x_i), and log s_(-i)(x_i) is the prediction of log|r_i|, each by the fit without row i in closed
// form (trend_fit.hpp). Residuals of the rows that m was fitted to would be too small, and the law too narrow.
//
// The law at every x is a Gaussian mixture again: means m + s mu_j, standard deviations s sigma_j.
//
// Sources: M. G. Akritas and I. Van Keilegom, Non-parametric estimation of the residual distribution, Scand. J.
// Statist. 28, 2001 (a free law of what is left); M. Davidian and R. J. Carroll, Variance function estimation, J. Amer.
// Statist. Assoc. 82, 1987 (the spread from log|r|).
//
//   symbol   here
//   m        state().means, y in standard deviations
//   log s    state().scales, likewise
//   e        the target of residual_model()

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "condens/core/options.hpp"
#include "condens/data/dataset.hpp"
#include "condens/estimators/location_scale/trend.hpp"
#include "condens/model/capabilities.hpp"
#include "condens/model/conditional_density.hpp"
#include "condens/model/fitted_model.hpp"

namespace condens {

/// The defaults are our recommendation; `paper()` is the inner model by its own paper, and no broad Gaussian.
struct LocationScaleOptions {
  TrendKind mean = TrendKind::automatic;
  TrendKind scale = TrendKind::ridge;
  std::string model = "lscde";
  std::string model_preset = "recommended";
  Document options = Document(Document::Object{});
  std::vector<double> bandwidth = {};
  std::vector<double> regularization = {};
  Index n_centers = 300;
  Index max_rows = 2000;
  double scale_floor = 1e-3;
  double defensive_weight = 1e-3;
  bool standardize = true;
  Index seed = 0;

  static LocationScaleOptions paper() { return {.model_preset = "paper", .defensive_weight = 0}; }
};

template <>
inline constexpr auto option_table<LocationScaleOptions> = Fields{
    OptionField{
        "mean", &LocationScaleOptions::mean, anything(),
        "How the mean follows the inputs: not at all, by ridge regression on the inputs, by ridge regression on "
        "them and on kernels of one width, by a Gaussian process with a length scale for every input, or by the one of "
        "these two that errs less on rows left out."},
    OptionField{"scale", &LocationScaleOptions::scale, anything(),
                "How the logarithm of the spread follows the inputs, likewise."},
    OptionField{"model", &LocationScaleOptions::model, anything(),
                "Name of the model of what is left, given the inputs."},
    OptionField{"model_preset", &LocationScaleOptions::model_preset, anything(),
                "Preset of that model: where options that are not set take their values from."},
    OptionField{"options", &LocationScaleOptions::options, anything(), "Options of that model."},
    OptionField{"bandwidth", &LocationScaleOptions::bandwidth, distinct(positive()),
                "Kernel width of ridge regressions, on the standardised scale: one number, or candidates for "
                "leave-one-out; none: a grid."},
    OptionField{"regularization", &LocationScaleOptions::regularization, distinct(positive()),
                "Penalty lambda of ridge regressions: one number, or candidates for leave-one-out; none: a grid."},
    OptionField{"n_centers", &LocationScaleOptions::n_centers, whole(1),
                "Number of kernel centres of ridge regressions, spread over the inputs by k-means++ (all rows when "
                "there are fewer)."},
    OptionField{
        "max_rows", &LocationScaleOptions::max_rows, whole(1),
        "Of more rows than this, as many drawn at random make a Gaussian process, whose cost is cubic; it learns from "
        "the others through inducing points."},
    OptionField{"scale_floor", &LocationScaleOptions::scale_floor, within(smallest_positive, 1),
                "Least spread, as a share of the root mean square of the residuals left out."},
    OptionField{"defensive_weight", &LocationScaleOptions::defensive_weight, below(0, 1),
                "Share of a broad Gaussian, twice the spread of y, that keeps far points from ruining a log score."},
    OptionField{"standardize", &LocationScaleOptions::standardize, anything(),
                "Bring every column to mean 0 and standard deviation 1 before mean and spread are fitted."},
    OptionField{"seed", &LocationScaleOptions::seed, whole(0),
                "Seed of everything random: centres, rows of a process, and what the model draws."},
};

/// One trend for every target, on the standardised scale.
struct LocationScaleState {
  Vector low = {};   ///< d_x: the range of the rows and one standard deviation;
  Vector high = {};  ///< trends are constant beyond
  std::vector<Trend> means = {};
  std::vector<Trend> scales = {};  ///< log s
  Vector residual_scale = {};      ///< d_y: root mean square of r_i
  Vector least_scale = {};         ///< bounds of s: a share of residual_scale,
  Vector greatest_scale = {};      ///< and the greatest |r_i|
  Defensive defensive = {};
};

/// What holds the model of e given x. That model takes x as it is, hence the class it comes from must not standardise
/// it: the scale on which trends see x is a part of its own.
class ResidualDensity : public ConditionalDensity, public HasTrends {
 public:
  const ConditionalDensity& residual_model() const override { return *inner_; }

 protected:
  struct Parts {
    Standardizer x_scale;
    Standardizer y_scale;
    std::shared_ptr<const ConditionalDensity> inner;

    Index n_inputs() const { return x_scale.dimension(); }
    Index n_targets() const { return y_scale.dimension(); }
  };
  /// Throws FormatError unless `inner` has the inputs and targets of the scales.
  ResidualDensity(Parts parts, FitReport report);

  const Standardizer& trend_scale() const { return trend_scale_; }

  /// "x_scale", "y_scale" and "inner" of a model's document, and back.
  void write(Document& document) const;
  static Parts read(const Document& document, const InnerLoader& load);

 private:
  Standardizer trend_scale_;
  std::shared_ptr<const ConditionalDensity> inner_;
};

class LocationScaleDensity final
    : public FittedWrapper<LocationScaleDensity, LocationScaleOptions, LocationScaleState, ResidualDensity>,
      public LearnsFromUnlabeled {
 public:
  static constexpr std::string_view class_name = "LocationScale";

  /// `inner` is the model that the options name. Throws std::invalid_argument for bad options or data, NumericalError
  /// where m goes through every row, and what the model throws.
  static LocationScaleDensity fit(const Dataset& data, const LocationScaleOptions& options, const InnerModel& inner,
                                  const Run& run = {});

  std::vector<HasTrends::Trend> trends() const override;

  /// m and s, in the unit of y, at every column of x (n_inputs x n): n_targets x n. Throws std::invalid_argument unless
  /// x has n_inputs rows.
  Matrix location(const MatrixView& x) const;
  Matrix scale(const MatrixView& x) const;

  // For every target.
  Vector explained() const;            ///< by m: 1 - its leave-one-out squared error / that of the constant
  Vector scale_gain() const;           ///< of s over a constant: log-likelihood of a Laplace law of r per row, left out
  Vector residual_scale() const;       ///< root mean square of r_i, in the unit of y
  Matrix length_scales() const;        ///< of m's kernels, d_x x d_y; 0 where there are none
  Matrix scale_length_scales() const;  ///< of those of log s
  Vector regularization() const;       ///< lambda of m; 0 where there is none
  Vector scale_regularization() const;  ///< of log s

  std::string_view model_name() const override { return "location_scale"; }

 protected:
  GaussianMixtures laws(const MatrixView& x) const override;
  Vector log_densities(const MatrixView& x, const MatrixView& y) const override;

 private:
  friend FittedWrapper;
  /// Throws FormatError where mean, spread and the model of what is left do not fit together.
  LocationScaleDensity(LocationScaleOptions options, LocationScaleState state, Parts parts, FitReport report);
};

template <>
inline constexpr auto result_table<LocationScaleDensity> = Fields{
    StateField{"low", &LocationScaleState::low, "", line("n_inputs")},
    StateField{"high", &LocationScaleState::high, "", line("n_inputs")},
    StateField{"means", &LocationScaleState::means},
    StateField{"scales", &LocationScaleState::scales},
    StateField{"residual_scale", &LocationScaleState::residual_scale, "", line("n_targets")}.positive(),
    StateField{"least_scale", &LocationScaleState::least_scale, "", line("n_targets")}.positive(),
    StateField{"greatest_scale", &LocationScaleState::greatest_scale, "", line("n_targets")}.positive(),
    ResultField{"explained", &LocationScaleDensity::explained,
                "Share of every target's squared error that the mean takes away, on rows left out.", line("n_targets")},
    ResultField{"scale_gain", &LocationScaleDensity::scale_gain,
                "Log-likelihood per row left out that the spread adds to a constant one, as of a Laplace distribution.",
                line("n_targets")},
    ResultField{"residual_scale", &LocationScaleDensity::residual_scale,
                "Root mean square of what the mean leaves of every target on rows left out, in its unit.",
                line("n_targets")},
    ResultField{"length_scales", &LocationScaleDensity::length_scales,
                "Length scale of every input in the mean of every target, on the standardised scale; 0: no kernels.",
                items("n_targets", "n_inputs")},
    ResultField{"scale_length_scales", &LocationScaleDensity::scale_length_scales,
                "The same of the logarithm of the spread.", items("n_targets", "n_inputs")},
    ResultField{"regularization", &LocationScaleDensity::regularization,
                "Penalty of the ridge regression for every target's mean; 0: there is none.", line("n_targets")},
    ResultField{"scale_regularization", &LocationScaleDensity::scale_regularization,
                "The same for the logarithm of the spread.", line("n_targets")},
};

}  // namespace condens
