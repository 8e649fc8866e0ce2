#pragma once
// From shares of atoms to a distribution: a Gaussian around each atom.

#include <vector>

#include "condens/distributions/gaussian_mixture.hpp"
#include "condens/model/kernel_mixture.hpp"

namespace condens::forest {

struct Width {
  double bandwidth;
  double sensitivity;
};

class Smoothing {
 public:
  /// Borrows what it is given.
  Smoothing(const Matrix& atoms, const Matrix& spreads, const Defensive& defensive)
      : atoms_(atoms), spreads_(spreads), defensive_(defensive) {}

  /// log p(y) for the shares of one x (sum 1) and each width.
  Vector log_pdf(const VectorView& shares, const VectorView& y, const std::vector<Width>& widths) const;

  /// The mixtures for the shares of every x (atoms x n, columns of sum 1). Of one target, neighbours that lie within a
  /// fifth of the width are one component of their mean and variance: that moves a distribution by less than 1e-4 in
  /// total variation. Shares that sum to less than 1e-6 in all are left out.
  GaussianMixtures mixtures(const Matrix& shares, const Width& width) const;

 private:
  struct Kept {
    std::vector<Index> atoms;
    Vector shares;
    Vector spread;  // d_y: of the distribution of the atoms
  };
  Kept keep(const VectorView& shares) const;
  double width_of(const Width& width, double spread) const;

  const Matrix& atoms_;
  const Matrix& spreads_;
  const Defensive& defensive_;
};

}  // namespace condens::forest
