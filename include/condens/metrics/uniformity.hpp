#pragma once
// Are numbers in [0, 1] a uniform sample? Two tests, for the calibration of
// predicted laws: PIT values F(y_i | x_i) are uniform when the law is right.
//
// Kolmogorov-Smirnov: D = sup |F_n(u) - u|. P(sqrt(n) D > t) by the series of
//   Kolmogorov (1933), t corrected for finite n as in Vrbik (2018, "Small-sample
//   corrections to Kolmogorov-Smirnov test statistic").
// Cramer-von Mises: W2 = n * integral (F_n(u) - u)^2 du. Its limiting law by the
//   series of Anderson and Darling (1952, eq. 4.35), in the form of Csorgo and
//   Faraway (1996, eq. 1.3); W2 corrected for finite n as in Stephens (1970, table 1).

#include "condens/core/types.hpp"

namespace condens {

struct TestResult {
  double statistic;
  double p_value;  ///< probability of a statistic as large or larger when the sample is uniform
};

/// P(D > d) for n observations. Absolute error below 0.002 for n >= 10, 0.0005 for n >= 100.
double kolmogorov_smirnov_p_value(double d, double n);

/// P(W2 > w) for n observations. Absolute error below 0.003 for p-values under 0.15 and
/// n >= 10 (the correction is made for this tail), below 0.03 above.
double cramer_von_mises_p_value(double w, double n);

/// Tests of u (values in [0, 1]) with weights (empty, or one per value, >= 0). With
/// weights, F_n is the weighted distribution function and n Kish's effective size
/// (sum w)^2 / sum w^2. Cost: a sort.
TestResult kolmogorov_smirnov_test(const VectorView& u, const VectorView& weights = Vector());
TestResult cramer_von_mises_test(const VectorView& u, const VectorView& weights = Vector());

/// The same of values of which is known how many, or what weight of them, lies in each of cells of one width, and
/// Kish's effective size n of all. F_n is taken to be linear within a cell: the first statistic is too small by a
/// cell's width at most.
TestResult kolmogorov_smirnov_test_of_cells(const VectorView& counts, double n);
TestResult cramer_von_mises_test_of_cells(const VectorView& counts, double n);

/// Kish (1965): (sum w)^2 / sum w^2; n without weights.
double effective_size(Index n, const VectorView& weights);

}  // namespace condens
