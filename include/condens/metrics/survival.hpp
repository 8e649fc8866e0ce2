#pragma once
// Survival functions without a model, and how well predictions order what was seen.
//
//   Kaplan-Meier   S(t) = prod_{t_k <= t} (1 - d_k / r_k): of d_k values at t_k, and r_k rows at risk: entry < t_k, and
//                  value or censoring not before t_k. Greenwood's standard error S(t) sqrt(sum d_k / (r_k (r_k - d_k)))
//   Turnbull       of intervals: the masses p_j that are self-consistent, so that every row shares its weight among the
//                  smallest intervals of the data within its own as p_j does; what was truncated is given back likewise
//   concordance    the share of pairs of rows, of which it is known whose value is smaller, that the predictions order
//                  alike; equal predictions count half (Harrell's c)
//
// Sources: E. Kaplan, P. Meier, JASA 53, 1958; N. Mantel, Operations Research 14, 1966 (delayed entry); B. Turnbull,
// JRSS B 38, 1976; F. Harrell, R. Califf, D. Pryor, K. Lee, R. Rosati, JAMA 247, 1982.

#include <cstdint>

#include "condens/data/censoring.hpp"
#include "condens/model/target_kind.hpp"

namespace condens {

/// A survival function that falls at times.
struct SurvivalCurve {
  Vector times;           ///< ascending
  Vector survival;        ///< P(Y > t) at each of them
  Vector standard_error;  ///< Greenwood's; NaN where none is left
  Vector at_risk;         ///< weights of the rows at risk
  Vector events;          ///< weights of the values there

  double at(double t) const;  ///< 1 before the first
};

/// Of exact and right-censored values, perhaps with entries; `weights` empty or one for each row. A row censored at t
/// is at risk there. Throws std::invalid_argument for other rows. O(n log n).
SurvivalCurve kaplan_meier(const Censoring& rows, const VectorView& weights = Vector());

/// Masses of intervals (an exact value: of no length) from left to right; where within an interval a mass lies, the
/// data do not tell.
struct TurnbullEstimate {
  Vector low;
  Vector high;
  Vector mass;
  Index iterations;
  bool converged;

  /// P(Y > t), where the masses of intervals lie at their upper ends.
  double at(double t) const;
};

/// Of intervals of any kind, to a change of no mass above 1e-9 or 5,000 iterations of O(n). Throws
/// std::invalid_argument for rows that `Censoring::check` refuses, but for the lack of exact ones.
TurnbullEstimate turnbull(const Censoring& rows, const VectorView& weights = Vector());

/// A value for every row: its own where it is exact, else a draw from the estimate within what is known of it. In an
/// interval of the estimate it is even, in an open one exponential with mean `unit`; within (lower, upper) in any case.
Vector draw_start(const TurnbullEstimate& estimate, const Censoring& rows, double lower, double upper, double unit,
                  std::uint64_t seed);

/// The start of a fit to what is known of a target of this kind: draws from the estimate of all rows.
Vector start_of_censored(const Censoring& rows, const VectorView& weights, const TargetKind& kind, std::uint64_t seed);

struct Concordance {
  double value;   ///< in [0, 1]; NaN without a pair
  Index n_pairs;  ///< that can be told
};

/// Of predictions, larger where a larger value is expected, of rows exact or right censored: a pair counts where the
/// smaller of its ends is an exact value, and the other is not the same value. O(n log n). Throws
/// std::invalid_argument for lengths that differ and for rows known otherwise.
Concordance concordance(const Censoring& rows, const VectorView& predictions);

}  // namespace condens
