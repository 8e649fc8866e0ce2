#pragma once
// The paper's tables with its numbers beside ours, in Markdown.

#include <ostream>
#include <vector>

#include "studies.hpp"

namespace condens::reproduce {

/// L1 test error, divergence and number of kernels of one table, and what it does not have: the excess of the negative
/// log-likelihood, seconds, and GSKD against each other estimator on the same runs.
void print_tables(const RecordBook& book, const std::vector<Study>& studies, std::ostream& out);

/// Numbers of evaluations of the leave-one-out criterion: as printed, by formula, and as counted.
void print_counts(const RecordBook& book, const std::vector<Study>& studies, std::ostream& out);

/// Why GSKD's counts differ from the printed ones: how many kernels the search chose, and with an earlier stop.
void print_count_reasons(const RecordBook& book, const std::vector<Study>& studies, std::ostream& out);

/// Our GSKD beside the best of our five densities in every column: is it that, or no more than one standard error of
/// the difference on the same runs behind?
void print_standing(const RecordBook& book, const std::vector<Study>& studies, std::ostream& out);

/// L1 test error, divergence and number of kernels under other readings of what the paper does not print.
void print_readings(const RecordBook& book, const std::vector<Study>& studies, std::ostream& out);

/// What the search by gradients reaches beside boosting search, on the same runs.
void print_searches(const RecordBook& book, const std::vector<Study>& studies, std::ostream& out);

}  // namespace condens::reproduce
