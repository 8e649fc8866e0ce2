#pragma once
// Tests of whether y depends on an input, whatever the shape of either: linear rank statistics of location and spread.
//
// For scores s of y and t of an input, both cleared of the scores of known inputs by least squares, sqrt(n - 1 - q)
// times their correlation is asymptotically standard normal where y does not depend on the input given the known ones
// (q: the scores cleared). Scores of y: the probability u of the target below its value, which sees location, and v^2,
// v the mass of the smallest region that holds it, which sees spread around any number of peaks: of a symmetric law
// with one peak it is (2u - 1)^2, the score of Mood (1954), which is that of targets without a model. Scores of an
// input: mid-ranks and their squared distance from the middle; of a categorical input its indicators. Cost: n log n for
// every input.

#include <vector>

#include "condens/data/dataset.hpp"

namespace condens::screening {

/// u and (2u - 1)^2 of the ranks of every target, n x 2 d_y.
Matrix marginal_scores(const Dataset& data);

/// The test of an input: the largest of all pairs of scores.
struct RankTest {
  double z = 0;     ///< absolute value
  Index pairs = 0;  ///< 0: the input is known, constant, or a function of the known ones

  /// Two-sided, times the number of pairs (Bonferroni), at most 1.
  double p_value() const;
};

/// The tests of data.inputs(), of scores n x k, given the rows `known` of x. Weights count copies of rows.
std::vector<RankTest> rank_tests(const Dataset& data, const Matrix& scores, const std::vector<Index>& known,
                                 int threads);

/// The `count` inputs of the smallest p-values, rising; all when there are no more.
std::vector<Index> most_dependent(const std::vector<RankTest>& tests, Index count);

}  // namespace condens::screening
