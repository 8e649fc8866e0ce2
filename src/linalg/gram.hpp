#pragma once
// Gram matrices P = sum_i phi_i phi_i' of feature columns, summed over blocks and
// over all folds but one.

#include <vector>

#include "condens/core/types.hpp"

namespace condens {

/// Adds features * features' to the lower triangle of `gram` (b x b; features
/// b x m), cut into panels of columns so that threads never share a sum. The
/// panels do not depend on `threads`. Cost: m b^2 multiplications and additions.
void add_gram(const MatrixView& features, Matrix& gram, int threads);

/// The panels of add_gram as separate tasks, for callers that schedule themselves.
Index gram_panels(Index order);
void add_gram_panel(const MatrixView& features, Matrix& gram, Index panel);

/// parts[k] becomes the sum of all other parts, by prefix and suffix sums: only
/// additions of like quantities. Subtracting parts[k] from the total would lose
/// every digit where parts[k] is the only contribution.
void replace_by_sums_of_others(std::vector<Matrix>& parts);

/// F (b x r) with F F' = gram to `tolerance` times its largest diagonal entry, by
/// Cholesky factorisation with complete pivoting. Cost: b r^2.
Matrix pivoted_cholesky(const MatrixView& gram, double tolerance);

}  // namespace condens
