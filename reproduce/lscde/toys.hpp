#pragma once
// The artificial data of section 4.1: x ~ U(-1, 1), y = sinc(2 pi x) + exp(1 - x)/8 eps.

#include <string>
#include <vector>

#include "common/sinc.hpp"
#include "condens/data/dataset.hpp"
#include "condens/distributions/gaussian_mixture.hpp"

namespace condens::reproduce {

struct Toy {
  std::string name;
  GaussianMixture noise;  ///< the law of eps
  Sinc sinc = Sinc::plain;

  /// n independent pairs.
  Dataset sample(Index n, std::uint64_t seed) const;

  /// The true law of y at every column of x (1 x n).
  GaussianMixtures truth(const MatrixView& x) const;

  /// Expected -log p(y | x), the least that any estimate can have: entropy(eps) + E log(exp(1 - x)/8).
  double entropy() const;
};

/// Gaussian, bimodal and skewed noise. N(mu, s2) in the paper has a variance (errata G2).
std::vector<Toy> toys(Sinc sinc = Sinc::plain);

}  // namespace condens::reproduce
