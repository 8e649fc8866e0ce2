#pragma once
// Laws of models whose components sit at centres in y, with one width: sum_l w_l(x)
// N(y; v_l, s_y^2 I), and a broad "defensive" component with a fixed share e,
// p <- (1 - e) p + e N(y; mean, (2 sd)^2), that keeps one far point from ruining a log score.

#include <memory>

#include "condens/core/document.hpp"
#include "condens/core/types.hpp"
#include "condens/data/dataset.hpp"
#include "condens/distributions/gaussian_mixture.hpp"

namespace condens {

struct Defensive {
  double weight = 0;  ///< in [0, 1); 0: there is no such component
  Vector mean;        ///< d_y
  Vector scale;       ///< d_y, twice the spread of y

  /// Mean and spread of the data's y.
  static Defensive fit(double weight, const Dataset& data);

  /// log N(y; mean, scale^2) at every column of y.
  Vector log_density(const MatrixView& y) const;

  /// log((1 - weight) exp(own) + weight exp(other)) for other = log_density(y).
  double log_mixed(double own, double other) const;

  /// The integral of N(y; mean, scale^2)^2, and for each column v of `centers_y` that of
  /// N(y; v, width^2 I) N(y; mean, scale^2).
  double square() const;
  Vector overlaps(const MatrixView& centers_y, double width) const;

  /// "defensive_mean" and "defensive_scale" of a model's document, and back; the weight is an
  /// option of the model. Throws FormatError unless they are those of a law of dimension `d_y`.
  void write(Document& document) const;
  static Defensive read(const Document& document, double weight, Index d_y);
};

/// Components at the columns of `centers_y` (standardised), each of its width or all of one, and the defensive one
/// last.
std::shared_ptr<const GaussianComponents> kernel_components(const MatrixView& centers_y, const VectorView& widths,
                                                            const Defensive& defensive);
std::shared_ptr<const GaussianComponents> kernel_components(const MatrixView& centers_y, double width,
                                                            const Defensive& defensive);

/// The laws for weights of the centres that need not be normalised (centres x points).
GaussianMixtures kernel_laws(const std::shared_ptr<const GaussianComponents>& components, Matrix log_weights,
                             const Defensive& defensive);

/// Log weights (components x points) normalised, with the defensive component's in a last row.
Matrix with_defensive(Matrix log_weights, const Defensive& defensive);

}  // namespace condens
