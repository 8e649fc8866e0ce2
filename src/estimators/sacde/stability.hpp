#pragma once
// Which inputs return when the fit is repeated on half-samples, in complementary pairs, and how many of those that
// return often are expected to be irrelevant.
//
// Sources: N. Meinshausen and P. Buehlmann, Stability selection, JRSS B 72, 2010 (theorem 1);
// R. D. Shah and R. J. Samworth, Variable selection with error control: another look at stability selection,
// JRSS B 75, 2013 (theorem 1, eq. 7; theorem 2).
//
// p inputs; q: the mean number that a half-sample selects; tau: the share of half-samples from which on an input is
// taken; B: pairs. "Irrelevant" are inputs that a half-sample selects with probability q / p or less.

#include "steps.hpp"

namespace condens::sacde {

/// The bound on the expected number of irrelevant inputs taken, q^2 / ((2 tau - 1) p), whatever their law.
double expected_false(double q, double tau, double p);

/// That where the shares of irrelevant inputs have unimodal laws: c q^2 / p, c = 1 / (2 (2 tau - 1 - 1 / 2B)) for
/// tau <= 3/4, 4 (1 - tau + 1 / 2B) / (1 + 1 / B) above; theorem 2 has it for q / p <= 1 / sqrt(3) and tau above
/// min(1/2 + (q/p)^2, 1/2 + 1 / 2B + 3/4 (q/p)^2). Infinite elsewhere.
double expected_false_unimodal(double q, double tau, double p, Index pairs);

/// The largest whole q with expected_false(q, tau, p) <= bound; may be 0.
Index most_per_half(double bound, double tau, double p);

/// 1 where the half-sample of a column selects the row of x: `select` of each, side by side, each on one thread.
/// Columns 2k and 2k + 1 are the halves of one random order, which share no row.
Matrix select_on_halves(const Dataset& data, Index halves, Index seed,
                        const std::function<Vector(const Dataset&)>& select, const Run& run);

}  // namespace condens::sacde
