#pragma once
// The artificial data of sections 3.2 and 3.3:
//
//   y_d = sinc(3/4 pi r_d) + exp(1 - r_d)/8 eps,   eps standard normal,
//
// with r_1 = x_1 ~ U(-1, 1) in toy data 1, whose other inputs are irrelevant, and
// r_d = x_3d = x_{3d-2} + x_{3d-1} in toy data 2.

#include <string>

#include "common/sinc.hpp"
#include "condens/data/dataset.hpp"
#include "condens/distributions/gaussian_mixture.hpp"

namespace condens::reproduce {

/// What the irrelevant inputs of toy data 1 are (errata S13).
enum class Irrelevant {
  noisy_copies,  ///< x_1 + N(0, (3 sd x_1)^2), with sd x_1 = 1/sqrt(3): the paper's text
  uniform        ///< U(-1, 1), independent: the authors' demonstration
};

struct Toy {
  std::string name;
  Index n_inputs;
  Index n_targets;
  bool sums = false;  ///< toy data 2
  Sinc sinc = Sinc::normalised;
  Irrelevant irrelevant = Irrelevant::noisy_copies;

  /// n independent rows.
  Dataset sample(Index n, std::uint64_t seed) const;

  /// The true law of y at every column of x.
  GaussianMixtures truth(const MatrixView& x) const;

  /// The input that y_d depends on.
  Index relevant(Index target) const { return sums ? 3 * target + 2 : 0; }

  /// Expected -log p(y | x), the least that any estimate can have: for each target
  /// entropy(eps) + E log(exp(1 - r)/8), and E r = 0.
  double entropy() const;

  /// Of y at unit variance: entropy() - sum_d log sd(y_d), by quadrature.
  double standardized_entropy() const;
};

Toy toy_1(Index n_irrelevant = 5, Sinc sinc = Sinc::normalised, Irrelevant irrelevant = Irrelevant::noisy_copies);
Toy toy_2(Index n_targets = 2, Sinc sinc = Sinc::normalised);

}  // namespace condens::reproduce
