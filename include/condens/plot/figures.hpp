#pragma once
// Figures of a conditional density, each a complete SVG picture as text.
//
// `data` gives the ranges of the axes, the reference inputs and the points; it needs
// one row at least. Every function throws std::invalid_argument for data, inputs or
// targets that do not fit the model.

#include <functional>
#include <string>
#include <vector>

#include "condens/core/run.hpp"
#include "condens/data/dataset.hpp"
#include "condens/metrics/scores.hpp"
#include "condens/model/conditional_density.hpp"
#include "condens/model/replicates.hpp"
#include "condens/model/target_kind.hpp"

namespace condens::plot {

/// An input as the rows of x hold it: one row of numbers, or the indicators of a category.
struct InputColumn {
  std::string name;
  Index row = 0;                         ///< the first of its rows
  Index width = 1;                       ///< their number
  std::vector<std::string> levels = {};  ///< of a category; two share a row that is 0 or 1, more have one each
};

/// Names of the columns; where one is missing, "x1", "y2", ... stand in.
struct Names {
  std::vector<std::string> inputs = {};
  std::vector<std::string> targets = {};
  std::vector<InputColumn> columns = {};  ///< in the order of panels and captions; empty: every row of x, in its order
};

/// Error bars, pointwise, by the percentiles of bootstrap replicates (model/bands.hpp); none without replicates.
struct BandOptions {
  const Replicates* replicates = nullptr;
  double level = 0.9;
};

/// Medians of the inputs of `data`, the reference of all figures.
Vector median_inputs(const Dataset& data);

/// Points of a picture: more are thinned evenly, and the legend says so.
constexpr Index most_points = 1500;

struct MapOptions {
  Index input = 0;  ///< its place among Names::columns
  Index target = 0;
  Vector at = {};                  ///< the other inputs; empty: their medians
  double interval = 0.9;           ///< probability of the central interval whose edges are drawn
  Index max_points = most_points;  ///< of the data; the farther from `at` in the other inputs, the paler
  std::function<double(double x, double y)> truth = {};  ///< a known density, drawn as contour lines
  std::string title = {};                                ///< empty: "Density of y given x", with their names
  const TargetDecoder* kind = nullptr;                   ///< of a target that is not any real number
  BandOptions bands = {};                                ///< of the mean and the ends of the interval
};

/// p(y | x) as a heat map over one input and one target, with the mean, a central interval
/// and the data; the probabilities of atoms as bands around them. Where values can be counted, colour is the
/// probability over the length of their intervals. Colour is the square root of the density up to its 99.5 % quantile
/// over the picture, so that narrow and broad regions are both readable. A category, or an input with at most five
/// values, is drawn as levels side by side. The axis of y covers the data and 99 % of the distributions, but never less
/// than zero where the data do not; what it leaves out is written below, and where the other inputs stand.
std::string density_map(const ConditionalDensity& model, const Dataset& data, const Names& names = {},
                        const MapOptions& options = {}, const Run& run = {});

struct SliceOptions {
  std::vector<Index> inputs = {};  ///< places among Names::columns, one panel each; empty: all
  Index target = 0;
  std::vector<double> levels{0.1, 0.5, 0.9};  ///< quantiles of the varied input, in the data that the picture is given
  std::vector<std::string> level_names = {};  ///< in the legend; empty: by the quantiles
  Vector at = {};                             ///< the other inputs; empty: their medians
  std::string remark = {};                    ///< written below: what the panels leave out
  const TargetDecoder* kind = nullptr;        ///< of a target that is not any real number
  BandOptions bands = {};                     ///< of the curves
};

/// p(y | x) as curves over y, while one input moves over its quantiles and the others stay. A category, or an
/// input with at most five values, takes its levels instead; of more than five, those spread evenly by the mean of y.
std::string slices(const ConditionalDensity& model, const Dataset& data, const Names& names = {},
                   const SliceOptions& options = {}, const Run& run = {});

/// p(y_1, y_2 | x) of a model with two targets, as a heat map with the edges of the smallest regions
/// of probability 50 and 90 %, at one x (empty: the medians).
std::string joint_map(const ConditionalDensity& model, const Dataset& data, const Names& names = {},
                      const Vector& at = {}, const Run& run = {});

/// The targets of a model without inputs two by two, as `joint_map` has them, and each alone, over the data; of more
/// than six targets the first six.
std::string pair_map(const ConditionalDensity& model, const Dataset& data, const Names& names = {},
                     const Run& run = {});

/// The density of one target of a model without inputs, over a histogram of the data.
std::string density_curve(const ConditionalDensity& model, const Dataset& data, const Names& names = {},
                          Index target = 0, const Run& run = {}, const TargetDecoder* kind = nullptr,
                          const BandOptions& band = {});

/// Above so many rows calibration shows the difference to what is promised: the band of chance would be too thin.
constexpr Index difference_rows = 4000;

/// Histogram of PIT values (weights empty or one each) with the band in which each bar of
/// a uniform sample lies with probability 99 %. Above `difference_rows` the bars stand on the height of uniform ones.
std::string pit_histogram(const VectorView& pit, const VectorView& weights, const std::string& target);

/// Actual against nominal coverage, with two standard errors; above `difference_rows` actual less nominal coverage.
std::string coverage_plot(const TargetScores& scores, const VectorView& weights, const std::string& target);

/// A criterion over candidates. `score` is rows x columns, less is better: NaN where nothing
/// was tried, infinity where a fit failed.
struct TuningTable {
  std::string score_name;
  std::string row_name;
  std::string column_name;
  Vector rows;
  Vector columns;
  Matrix score;
  Matrix standard_error = {};  ///< empty, or like score: bars of the line version
};

/// A heat map with the minimum marked; a line where rows or columns hold one candidate.
std::string tuning_surface(const TuningTable& table);

}  // namespace condens::plot
