#pragma once
// The search of LSCE, and of LSMI, for W: rounds of steps from several starts, hyper-parameters chosen by
// cross-validation between rounds, and the number of components by the held-out criterion.

#include <atomic>
#include <string>
#include <vector>

#include "condens/core/parallel.hpp"
#include "condens/estimators/lsce.hpp"
#include "condens/model/conditional_density.hpp"
#include "estimators/lscde/problem.hpp"
#include "optim/grassmann.hpp"
#include "selection.hpp"
#include "starts.hpp"

namespace condens::lsce {

/// What the search works on: standardised data without constant inputs, and the centres.
struct SearchData {
  Dataset rows;  ///< with weights
  Matrix centers_x;
  Matrix centers_y;
  std::vector<Index> fold;         ///< of every row; empty where nothing is compared by cross-validation
  std::vector<Index> center_fold;  ///< of every centre, or -1: never masked
  Estimate estimate = Estimate::density;
};

/// Where one start ended.
struct Reached {
  std::string source;
  Matrix w;
  double objective = 0;                         ///< at the hyper-parameters that are common to all at the end
  bool left_behind = false;                     ///< in the race, or arrived where a better one had led
  LbfgsStatus status = LbfgsStatus::converged;  ///< of its last descent
  double slope = 0;                             ///< largest entry of the projected gradient there
};

/// The subspace of one dimension d_z.
struct Subspace {
  Matrix w;
  Cell cell;
  double objective = 0;
  Score score = {};  ///< of held-out rows; where the number of components is chosen
  std::vector<Reached> reached = {};
  LbfgsStatus status = LbfgsStatus::converged;  ///< of the last descent to w
  double slope = 0;                             ///< as of Reached
  Index rounds = 0;
  Index evaluations = 0;
  bool converged = false;
};

class Search {
 public:
  /// `given`: directions to start from, of given_start. `dimensions`: of how many the run will be, at most; for
  /// progress.
  Search(const SearchData& data, const LsceOptions& options, const Matrix& given, Index dimensions, const Run& run);

  /// Subspaces of each dimension of `dimensions` (rising, none above d_x), or as many of them as are
  /// needed until two in a row score no better than the best before (`stop_early`). `compare`: with
  /// scores. When the observer asks for an end: throws Cancelled, or with options.keep_best returns
  /// what has been found, at least the first start.
  std::vector<Subspace> run(const std::vector<Index>& dimensions, bool compare, bool stop_early);

  /// W of what was found, with inputs that leave (model/input_elimination.hpp), at its hyper-parameters. `data` have
  /// folds. Throws Cancelled when the observer asks for an end.
  Matrix eliminated(const Subspace& found, SelectionRule rule, const Run& run, FitReport& report);

  bool interrupted() const { return stopped_; }

 private:
  bool stop();
  void check_stopped();
  CellScore best_cell(const Matrix& w, int threads);
  SubspaceResult descend(const ProjectionObjective& f, const Matrix& start, Index steps, int threads,
                         const Reached* better = nullptr);
  Subspace whole(const Matrix& identity);
  Subspace find(Index d_z, const Matrix& smaller);
  void tune_together(std::vector<Reached>& starts, Subspace& out);
  void go_back(const std::vector<Subspace>& visited, std::vector<Reached>& starts, Subspace& out);
  void tune_apart(std::vector<Reached>& starts, Subspace& out);
  void compare_all(std::vector<Reached>& starts, Subspace& out);
  void race(std::vector<Reached>& starts, Subspace& out);
  void descend_each(const ProjectionObjective& f, const std::vector<Reached*>& going, Index steps, Subspace& out,
                    const Reached* better = nullptr);
  void descend_all(std::vector<Reached>& starts, Index steps, Subspace& out);
  Score held_out(const Subspace& found);
  SearchData without_fold(Index fold) const;
  Matrix found_without(const SearchData& part, const Subspace& found, int threads);
  double loss_of(const SearchData& part, const Matrix& w, const Cell& cell, Index fold, int threads) const;
  template <class Body>
  void for_each(Index count, const Body& body);

  const SearchData& data_;
  const LsceOptions& options_;
  Task task_;
  lscde::Problem problem_;  // sorted by fold; its x stands for z
  Matrix sorted_x_;         // d_x x n, sorted alike
  std::vector<lscde::WidthGroup> groups_;
  bool one_cell_;
  Starts starts_;
  std::atomic<bool> stopped_{false};
  Subspace best_so_far_;
};

/// Of LSCDE of y given z = W x with the centres of the search and the hyper-parameters of the cell (section 2.6).
LscdeOptions density_options(const SearchData& data, const Matrix& w, const Cell& cell, double defensive_weight);

/// How the search ended at `found`, for the report, and a warning where it ended early.
void report_search(const Subspace& found, FitReport& report);

/// SCE-hat of the paper at W, whatever criterion was minimised.
double sce_at(const Matrix& w, const SearchData& data, const Cell& cell);

/// W turned within its row space so that the estimated density changes most along its first row,
/// then its second, and so on; the largest entry of every row is positive.
Matrix turned(const Matrix& w, const SearchData& data, const Cell& cell);

}  // namespace condens::lsce
