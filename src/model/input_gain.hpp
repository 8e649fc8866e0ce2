#pragma once
// What the inputs are worth to a fitted model: how much likelier y is by the law at its x than by the average of the
// laws over the rows, which is the same at every x,
//
//   gain = mean_i  log p(y_i | x_i) - log p(y_i),   p(y) = mean_j p(y | x_j),
//
// in nats a row, whatever the units. The average has the model's own resolution in y, so that nothing but the
// dependence on x is told. On rows of the fit the gain flatters a model that remembers them; on rows left out it
// estimates the mutual information of x and y from below. Zero: the law is the same everywhere.

#include <functional>
#include <memory>

#include "condens/core/document.hpp"
#include "condens/core/run.hpp"
#include "condens/data/dataset.hpp"
#include "condens/distributions/gaussian_mixture.hpp"
#include "condens/model/conditional_density.hpp"

namespace condens {

/// (1 / n) sum_j p(y | x_j), for weighted rows their weighted mean. Memory: the components of the laws of all rows,
/// or, where the laws share them, of one.
GaussianMixture average_law(const ConditionalDensity& model, const Dataset& rows, const Run& run = {});

/// The same over 256 of the rows at most, drawn at random, always the same.
GaussianMixture average_of_some(const ConditionalDensity& model, const Dataset& rows, const Run& run = {});

/// The mean gain, and its standard error as if the rows were independent. Below a thousandth of a nat it is nothing,
/// however sure.
struct InputGain {
  double mean = 0;
  double standard_error = 0;
  Index rows = 0;

  bool is_worth_it() const { return mean > standard_error && mean > 1e-3; }
  Document to_document() const;
};
InputGain input_gain(const Vector& gains, const Vector& weights);

/// Fits the model again to other rows, with what it has chosen.
using Refit = std::function<std::unique_ptr<ConditionalDensity>(const Dataset&, const Run&)>;

/// Adds "gain_of_inputs" to the details of the report of a model of `data`, and a warning where the gain is none:
/// "fitted", on at most 1,000 rows of the fit, and "held_out", by a fit to half of the rows (of more than 4,000, to a
/// quarter, between 2,000 and 5,000) on at most 1,000 others - where there are 200 different rows, and unless the fit
/// has left rows out itself and told. Copies of a row stay together. The same for any order of at most 4,000 rows.
/// Does nothing where no input varies.
void check_inputs(const Dataset& data, const ConditionalDensity& model, const Refit& refit, FitReport& report,
                  const Run& run = {});

}  // namespace condens
