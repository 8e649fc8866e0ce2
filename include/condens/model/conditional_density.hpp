#pragma once
// The interface of every fitted model: given x, the law of y, a Gaussian mixture.
// Fitted models are immutable; share them freely between threads.

#include <memory>
#include <string_view>
#include <utility>

#include "condens/core/document.hpp"
#include "condens/core/run.hpp"
#include "condens/core/types.hpp"
#include "condens/data/dataset.hpp"
#include "condens/data/standardizer.hpp"
#include "condens/distributions/gaussian_mixture.hpp"
#include "condens/distributions/pit_map.hpp"
#include "condens/model/fit_report.hpp"
#include "condens/model/input_imputer.hpp"

namespace condens {

class ConditionalDensity {
 public:
  virtual ~ConditionalDensity() = default;

  Index n_inputs() const { return x_scale_.dimension(); }
  Index n_targets() const { return y_scale_.dimension(); }

  /// The law at every column of x (n_inputs x n), on the user's scale of y.
  /// Throws std::invalid_argument for a wrong shape, infinity, and NaN unless the model takes missing inputs.
  GaussianMixtures predict(const MatrixView& x, const Run& run = {}) const;

  /// log p(y_i | x_i) for every pair of columns, without keeping the laws.
  Vector log_density(const MatrixView& x, const MatrixView& y, const Run& run = {}) const;

  const FitReport& report() const { return report_; }

  /// What brings inputs and targets to the standardised scale; the identity where the model does without.
  const Standardizer& x_scale() const { return x_scale_; }
  const Standardizer& y_scale() const { return y_scale_; }

  /// How inputs were brought to the scale of bandwidths and coefficients, for who reads those: scale 0 where an input
  /// is constant or not used.
  virtual Standardizer input_scale() const { return x_scale_; }

  /// For who fitted the model and has more to tell, before it is shared.
  void set_report(FitReport report) { report_ = std::move(report); }

  /// What stands in for missing inputs (NaN); nullptr: they are refused. To be set before the model is shared.
  const std::shared_ptr<const InputImputer>& imputer() const { return imputer_; }
  void set_imputer(std::shared_ptr<const InputImputer> imputer);

  /// The map by which distributions are calibrated; nullptr: they are the model's own. Before the model is shared.
  const std::shared_ptr<const PitMap>& calibration() const { return calibration_; }
  /// Throws std::invalid_argument for several targets.
  void set_calibration(std::shared_ptr<const PitMap> calibration);

  /// The name under which the registry knows the model ("lscde").
  virtual std::string_view model_name() const = 0;

  /// Every option, as it was used.
  virtual Document options() const = 0;

  /// What the registry needs to build the model again, bit for bit.
  virtual Document to_document() const = 0;

 protected:
  ConditionalDensity(Standardizer x_scale, Standardizer y_scale, FitReport report)
      : x_scale_(std::move(x_scale)), y_scale_(std::move(y_scale)), report_(std::move(report)) {}
  ConditionalDensity(const ConditionalDensity&) = default;
  ConditionalDensity(ConditionalDensity&&) = default;

  /// The laws at a block of standardised inputs, of standardised targets. Components that laws
  /// share are the same object in every call.
  virtual GaussianMixtures laws(const MatrixView& x) const = 0;

  /// The same at inputs on the user's scale, missing (NaN) in some columns: the mean over what the imputer draws for
  /// them, or, of models that know the distribution of the inputs, without them.
  virtual GaussianMixtures laws_of_incomplete(const MatrixView& x, const InputImputer& imputer) const;

  /// log p(y_i | x_i) for a block of standardised pairs; for models that need no laws for it.
  virtual Vector log_densities(const MatrixView& x, const MatrixView& y) const;

  /// For models that wrap another: its laws at inputs on the user's scale, of targets that are
  /// standardised by its scale of y.
  static GaussianMixtures laws_of(const ConditionalDensity& other, const MatrixView& x) {
    return other.laws(other.x_scale_.transform(x));
  }
  static GaussianMixtures laws_of_incomplete(const ConditionalDensity& other, const MatrixView& x,
                                             const InputImputer& imputer) {
    return other.laws_of_incomplete(x, imputer);
  }
  static const Standardizer& y_scale_of(const ConditionalDensity& other) { return other.y_scale_; }

 private:
  GaussianMixtures laws_of_any(const MatrixView& x) const;
  GaussianMixtures predict_uncalibrated(const MatrixView& x, const Run& run) const;

  Standardizer x_scale_;
  Standardizer y_scale_;
  FitReport report_;
  std::shared_ptr<const InputImputer> imputer_;
  std::shared_ptr<const PitMap> calibration_;
};

/// Throws std::invalid_argument for rows that the model cannot be asked about, as Dataset::check does; NaN inputs pass
/// where the model takes missing ones.
void check_rows(const ConditionalDensity& model, const Dataset& data, std::string_view owner);

}  // namespace condens
