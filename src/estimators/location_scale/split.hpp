#pragma once
// The first half of a location-scale fit: the mean m and the spread s of the rows, and what is left, e = (y - m) / s.

#include <vector>

#include "condens/estimators/location_scale.hpp"
#include "model/preparation.hpp"

namespace condens::location_scale {

/// The rows that count, equal ones as one of their common weight, so that they leave together; and the place of every
/// row among them, -1 for a row of weight 0.
struct Distinct {
  Dataset rows;
  std::vector<Index> place;
};

Distinct distinct_rows(const Dataset& data);

/// Mean and spread of the rows that differ, and what is left of them.
struct Split {
  LocationScaleState state;
  Matrix rest;  // d_y x distinct rows: e
  Document::Array told_means = {};
  Document::Array told_scales = {};
  bool finished = true;
};

/// Throws NumericalError where m goes through every row.
Split split(const preparation::Standardized& own, const LocationScaleOptions& options, const Run& run);

/// s of one target, exp(log_scale) within its bounds.
double bounded(const LocationScaleState& state, Index target, double log_scale);

}  // namespace condens::location_scale
