#pragma once
// Where the search for the map of PRESS begins: classes of y, clusters of the rows, a fit with
// fewer states, or anywhere.

#include <functional>

#include "condens/data/dataset.hpp"
#include "condens/estimators/press/map.hpp"

namespace condens::press {

/// Parameters with random first coefficients of size about one over all inputs.
Vector random_start(const PressMap& map, std::uint64_t seed, std::uint64_t stream);

/// The class of every row among J of about equal weight by y (of several targets: clusters).
std::vector<Index> classes_of_y(const Dataset& rows, Index states, Index seed, int threads);

/// The cluster of every row among J in x and y.
std::vector<Index> clusters(const Dataset& rows, Index states, Index seed, int threads);

/// Some steps of multinomial logistic regression of the labels, from `start`.
Vector fit_labels(const Dataset& rows, const PackedObservations* packed, const PressMap& map,
                  const std::vector<Index>& labels, const Vector& start, int threads,
                  const std::function<void()>& poll);

/// The parameters of `map` with its states of largest sum of squares around their means cut in
/// two at random, until there are as many as in `larger`.
Vector split_states(const Dataset& rows, const PressMap& map, Vector theta, const PressMap& larger, std::uint64_t seed);

}  // namespace condens::press
