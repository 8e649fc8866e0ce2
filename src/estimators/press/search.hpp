#pragma once
// The fit of PRESS: starts, the search from the best of them, widths of the states' densities,
// and the path over numbers of states and penalties.

#include <functional>
#include <memory>
#include <vector>

#include "condens/core/parallel.hpp"
#include "condens/estimators/press.hpp"
#include "condens/optim/lbfgs.hpp"
#include "state_densities.hpp"

namespace condens::press {

/// A fitted map on some rows.
struct Fitted {
  PressMap map;
  Vector theta;
  Vector widths;  ///< J, where the criterion or learn_widths gave them
  double ridge = 0;
  double lasso = 0;
  double value = 0;  ///< of the criterion, with its penalties
  Index iterations = 0;
  LbfgsStatus status = LbfgsStatus::converged;
  LbfgsStatus width_status = LbfgsStatus::converged;  ///< where the widths are learned after the map
};

/// What is compared.
struct Grid {
  std::vector<Index> states;   ///< ascending
  std::vector<double> ridges;  ///< ascending
  std::vector<double> lassos;  ///< ascending: from no penalty on, as from all zeros there is no way out

  std::size_t size() const { return states.size() * ridges.size() * lassos.size(); }
};

/// How near to a minimum a search ends: at it, or, for a score on rows held out, where a standard error of that score
/// is still a thousand times as much as what is left.
enum class Precision { fit, score };

class Search {
 public:
  /// `rows` standardised, with weights. `poll` is called on the calling thread and may throw.
  Search(const Dataset& rows, const PressOptions& options, const WidthRules& rules, const Defensive& defensive,
         int threads, std::function<void()> poll, Precision precision = Precision::fit);

  /// Every number of states and every lasso of one ridge, lassos inside; each from its starts, the
  /// fit with fewer states, and, with a larger lasso, the one before.
  std::vector<Fitted> path(const Grid& grid, double ridge) const;
  /// The last of a path that visits only what leads there.
  Fitted last_of_path(Grid grid, double ridge) const;

  /// Widths by the leave-one-out likelihood at a fixed map, unless given.
  void learn_widths(Fitted& fitted) const;

 private:
  void hold_out(const Dataset& rows);
  Fitted best_of_starts(Index states, double ridge, double lasso, const Fitted* smaller) const;
  std::vector<Vector> starts(const PressMap& map, const Fitted* smaller) const;
  Fitted improve(Fitted from, Index steps) const;
  Fitted improve_squares(Fitted from, LbfgsSettings settings) const;
  void improve_likelihood(Fitted& fitted, bool with_map, LbfgsSettings settings) const;
  Fitted improve_by_adam(Fitted from, Index passes) const;
  PressEvaluation evaluate(const Fitted& at, const Dataset& rows, bool all_rows) const;
  bool has_likelihood() const { return options_.criterion == PressCriterion::likelihood; }

  const PressOptions& options_;
  WidthRules rules_;
  Defensive defensive_;
  int threads_;
  std::function<void()> poll_;
  Precision precision_;
  Dataset rows_;                                      // that fit the map
  std::shared_ptr<const PackedObservations> packed_;  // their inputs, or null
  Dataset held_out_;                                  // that say when to stop; none without the option
  std::unique_ptr<const Search> batch_;               // the same for a fourth of many rows, or null
};

/// Criterion (37), of squared errors or of the likelihood: minus twice the log likelihood plus
/// twice the number of parameters of the map.
double aic(const Fitted& fitted, const Dataset& rows, const PressOptions& options, const WidthRules& rules,
           const Defensive& defensive);

/// The likelihood criterion of a fit that has widths, without penalties.
double leave_one_out_nll(const Fitted& fitted, const Dataset& rows, const WidthRules& rules,
                         const Defensive& defensive);

/// The laws at rows with the weights `w` of the states, for components of make_components.
GaussianMixtures laws_at(const Matrix& w, const Matrix& shares,
                         const std::shared_ptr<const GaussianComponents>& components, const Defensive& defensive);

}  // namespace condens::press
