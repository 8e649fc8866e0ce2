#pragma once
// log(exp(x_1) + ... + exp(x_n)) without overflow, and weights normalised in the
// log domain: log sum = M + log sum exp(x_i - M), M = max x_i.

#include "condens/core/types.hpp"

namespace condens {

/// -infinity for no numbers or when all are -infinity; +infinity when one is; NaN when one is.
double log_sum_exp(const double* x, Index n);
double log_sum_exp(const VectorView& x);

/// The same, with x as work space: x[i] becomes exp(x[i] - M).
double log_sum_exp_in_place(double* x, Index n);

/// Subtracts from every column its log-sum-exp, so that the exponentials of a column
/// sum to one. Returns what was subtracted. A column that is all -infinity (no weight
/// at all) becomes uniform, -log(rows), and its entry in the result is -infinity.
/// Throws std::invalid_argument where a column (a law) holds NaN or +infinity.
Vector log_normalize_columns(Matrix& log_weights);

}  // namespace condens
