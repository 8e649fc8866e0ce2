#pragma once
// Members that a pool may have, and what is known of each: its model, and what it says of rows that it has not seen.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "condens/core/document.hpp"
#include "condens/data/dataset.hpp"
#include "condens/model/inner_model.hpp"
#include "model/inner_fits.hpp"
#include "model/target_cells.hpp"

namespace condens::pooling {

struct Settings {
  std::string_view owner;  ///< begins messages
  std::vector<std::string> models;
  const Document& options;  ///< of the members, by their names
  double shrinkage;
  double defensive_weight;
  const std::vector<double>& cv;
  Index seed;
};

struct Candidate {
  std::string name;
  InnerModel inner;
  Document options;

  std::shared_ptr<const ConditionalDensity> model = {};
  std::string failure = {};      ///< why there is none
  Vector held_out = {};          ///< log density of every row that scores, by a fit without it
  Vector held_out_average = {};  ///< the same of the average of its distributions, for the rows that are told
};

/// One for each of the models. Throws std::invalid_argument for a list of models that is empty or names one twice,
/// options of no member, and bad ones.
std::vector<Candidate> candidates_of(const Settings& settings, const MemberFinder& find);

/// Rows that score candidates by fits that have not seen them.
struct ScoringRows {
  const Dataset& rows;
  Vector weights;
  std::vector<Index> fold;  ///< of each row; the pool is scored with weights found without the row's fold
  std::vector<bool> told;   ///< at most 1,000 rows, by which it is found what inputs are worth
  double log_scale;         ///< sum of the log standard deviations of y: scores are those of y in these
  TargetCells cells;        ///< of targets with few values, whose log densities are those of cells

  /// The mean over folds of -log_density, and its standard error.
  FoldScore score(const Vector& log_density) const;
};

/// Borrows `rows`, which must have a weight above zero each; some of `all`, whose targets make the cells.
ScoringRows scoring_rows(std::string_view owner, const Dataset& rows, const Dataset& all, std::vector<Index> fold,
                         Index seed);

/// The fold of every row of `rows`, those of `data` that count, from the option `cv`. Of more than `most_rows_at_once`
/// rows it follows from places (data/folds.hpp); of fewer, copies of a row leave together.
std::vector<Index> folds_of(const std::vector<double>& cv, const Dataset& data, const Dataset& rows, Index seed);

/// Of rows of any number at most so many folds that no two have copies of a row: a model that remembers rows would be
/// scored on what it has seen.
std::vector<Index> folds_of_copies(const Dataset& rows, Index folds, Index seed);

/// Log density of `rows` by a model. Throws NumericalError where there is none.
Vector held_out_density(const ConditionalDensity& model, const Dataset& rows, const TargetCells& cells, const Run& run);

/// The same of the average of its distributions over `train` where `told`, and elsewhere `log_density` again.
Vector held_out_average(const ConditionalDensity& model, const Dataset& train, const Dataset& rows,
                        const std::vector<bool>& told, const Vector& log_density, const TargetCells& cells,
                        const Run& run);

/// Calls body(i, run) for i = 0, ..., count - 1 side by side, or so many `at_once`; the names of `candidate_of(i)` are
/// told to who watches, as what is under way. What a fit throws for its data or for numerical reasons becomes the
/// failure of `candidate_of(i)`.
void fit_members(Index count, const Run& run, const std::function<Candidate&(Index)>& candidate_of,
                 const std::function<void(Index, const Run&)>& body, Index at_once = all_at_once);

/// Those that have a model; a warning for each other. Throws NumericalError where there are none.
std::vector<Candidate> fitted(std::vector<Candidate> candidates, std::string_view owner, FitReport& report);

}  // namespace condens::pooling
