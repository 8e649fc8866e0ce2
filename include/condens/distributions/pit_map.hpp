#pragma once
// Recalibration of distributions: a rising map R of [0, 1] onto itself, fitted to the PIT values F(y_i | x_i) of rows
// that a fit has not seen, takes the distribution function F to R(F), whose PIT values are uniform.
//
// R is the isotonic estimate of the distribution function of the PIT values - which is the share of them up to u,
// rising as it is - taken at B + 1 knots b / B, B = 2 m^(1/3) of m values (Rice's rule), and straight between: with one
// row more, spread evenly, it rises everywhere,
//
//   R(b / B) = (#{i: PIT_i <= b / B} + b / B) / (m + 1).
//
// What R makes of a Gaussian mixture is a Gaussian mixture again, to a small error: with the slopes r_b of R between
// its knots and the least of them, c,
//
//   R'(F(y)) p(y) = c p(y) + sum_b (r_b - c) 1{y between the quantiles (b - 1) / B and b / B} p(y).
//
// The first part is the mixture itself. For the second every component wider than a tenth of the distribution, or than
// the steps of R within it, is written as narrow ones, N(v, s^2) = sum_j a_j N(v + s d_j, t^2 s^2), d_j at steps of 1.25 t (exact to a relative
// 1e-5), and each narrow component has the weight that it has times the mean of the steps' heights under it; heights
// are scaled until the probabilities between the knots are those of R. So the distribution function is R(F) at the
// knots to 1e-3, and between them to what the tenth of the spread smooths: below 0.01 unless R is steep.
//
// Source: V. Kuleshov, N. Fenner, S. Ermon, Accurate uncertainties for deep learning using calibrated regression, ICML
// 2018.

#include "condens/core/document.hpp"
#include "condens/core/run.hpp"
#include "condens/core/types.hpp"
#include "condens/distributions/gaussian_mixture.hpp"

namespace condens {

class PitMap {
 public:
  /// Of PIT values in [0, 1], at least one, and the spreads of their distributions, half the distance of the quantiles
  /// 0.16 and 0.84. Throws std::invalid_argument for others.
  PitMap(const Vector& pit, const Vector& spreads);

  Index n_rows() const { return n_rows_; }
  /// R at the knots 0, 1 / B, ..., 1.
  const Vector& values() const { return values_; }
  double operator()(double u) const;

  /// The distributions with distribution functions R(F), univariate. A distribution does not depend on those beside it.
  /// Cost: of a component some hundred operations.
  GaussianMixtures apply(const GaussianMixtures& laws, const Run& run) const;

  Document to_document() const;
  /// Throws FormatError for what is no such map.
  static PitMap from_document(const Document& document);

 private:
  PitMap() = default;

  Index n_rows_ = 0;
  Vector values_;
  double width_ = 0;  // of narrow components, where distributions share theirs
};

}  // namespace condens
