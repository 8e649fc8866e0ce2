#pragma once
// Pictures of a model of states: what y does in each, where in x each holds, and how certain the rows are. All throw
// std::invalid_argument for a model without states.

#include <optional>
#include <string>

#include "condens/core/run.hpp"
#include "condens/model/conditional_density.hpp"
#include "condens/plot/axes.hpp"
#include "condens/plot/figures.hpp"

namespace condens::plot {

/// The density of one target in every state; not below zero where `data`, the range of the target, is not.
std::string state_densities(const ConditionalDensity& model, const Names& names = {}, Index target = 0,
                            const Run& run = {}, const std::optional<Extent>& data = {});

struct StateWeightOptions {
  Index input = 0;            ///< its row of x
  Extent range = {0.0, 1.0};  ///< of the input that moves
  Vector at = {};             ///< all inputs, of which `input` moves
};

/// The weight of every state while one input moves; the others are named below. Throws std::invalid_argument for an
/// input that is not there.
std::string state_weights(const ConditionalDensity& model, const StateWeightOptions& options, const Names& names = {});

struct StateRowOptions {
  Index target = 0;
  Index max_points = most_points;  ///< of the data, evenly thinned
};

/// The rows of the data in the triangle of their weights of three states, in the colour of y (Goerg 2017, figure 2).
/// Throws std::invalid_argument for another number of states, or data that do not fit the model.
std::string state_simplex(const ConditionalDensity& model, const Dataset& data, const Names& names = {},
                          const StateRowOptions& options = {});

/// The states as a chain: the chance of each state on the row after one of each state, of rows in the order of time
/// (condens/model/states.hpp). Throws std::invalid_argument for data that do not fit the model, or of one row.
std::string state_transitions(const ConditionalDensity& model, const Dataset& data);

/// The smoothing matrix of the rows of the fit: what each row weighs in the mean of another, rows by increasing input
/// or, of several inputs, by increasing mean. At most `max_points` rows, evenly thinned.
std::string smoothing_matrix(const ConditionalDensity& model, const Dataset& data, const Names& names = {},
                             const StateRowOptions& options = {.target = 0, .max_points = 400}, const Run& run = {});

}  // namespace condens::plot
