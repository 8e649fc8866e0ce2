#pragma once
// Intervals and regions with a guarantee, whatever the model: rows that the fit has not seen say which mass they need.
//
// Of calibration row i the score is the mass of the smallest central interval, or of the smallest highest-density
// region, that holds y_i. With n of them, the interval of the k-th smallest score, k = ceil(level (n + 1)), holds the y
// of a new row with probability at least `level` and at most level + 1 / (n + 1) without ties, if all rows come in
// random order from one source: a probability over new rows and over calibrations, not at every x.
//
// Sources: V. Vovk, A. Gammerman, G. Shafer, Algorithmic learning in a random world, 2005 (split); V. Chernozhukov, K.
// Wuethrich, Y. Zhu, Distributional conformal prediction, PNAS 118, 2021 (central intervals by the distribution
// function); R. Izbicki, G. Shimizu, R. Stern, CD-split and HPD-split, JMLR 23, 2022 (highest-density regions).

#include "condens/core/document.hpp"
#include "condens/core/run.hpp"
#include "condens/core/types.hpp"

namespace condens {

class Conformal {
 public:
  /// Scores in [0, 1], one a calibration row, at least one. Throws std::invalid_argument otherwise.
  Conformal(Vector central, Vector highest);

  Index n_rows() const { return central_.size(); }

  /// The mass whose central interval holds y with probability `level`, in (0, 1); 1, all that y can be, where there are
  /// fewer than level / (1 - level) rows.
  double central_mass(double level) const { return mass_of(central_, level); }
  /// The same of highest-density regions.
  double highest_mass(double level) const { return mass_of(highest_, level); }

  Document to_document() const;
  /// Throws FormatError for scores that are none.
  static Conformal from_document(const Document& document);

 private:
  static double mass_of(const Vector& scores, double level);

  Vector central_;  // ascending
  Vector highest_;
};

/// The central intervals of a mass in (0, 1], 2 x n; of mass 1 all that y can be.
template <class Laws>
Matrix intervals_of_mass(const Laws& laws, double mass, const Run& run) {
  const Vector rest = Vector::Constant(laws.size(), 0.5 * (1.0 - mass));
  Matrix out(2, laws.size());
  out.row(0) = laws.quantile_each(rest, run).transpose();
  out.row(1) = laws.upper_quantile_each(rest, run).transpose();
  return out;
}

/// The mass of the smallest central interval that holds each y, which has probabilities `at_most` of values up to y and
/// `at_least` of values from y on.
Vector central_scores(const VectorView& at_most, const VectorView& at_least);

}  // namespace condens
