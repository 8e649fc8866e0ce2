#pragma once
// Cholesky factors of matrices whose entries far from the diagonal are nearly 0. A row of the factor begins where that
// of the matrix does (George and Liu 1981, Computer Solution of Large Sparse Positive Definite Systems, ch. 4), so that
// a panel of columns has to do with the rows of its envelope only: order n, band w, n w^2 multiplications for n^3 / 3.

#include <vector>

#include "condens/core/types.hpp"

namespace condens {

/// How far the columns of a lower triangle reach down, by panels.
struct Envelope {
  std::vector<Index> ends;  ///< of a panel: behind the last row in which it, or one before, is not negligible
  double share = 1;         ///< multiplications of the factor, as a share of those without an envelope
};

/// `negligible`: as a share of sqrt(a_ii a_jj). The lower triangle is read. Cost: that of reading what is negligible.
Envelope envelope_of(const MatrixView& a, double negligible);

/// The factor of a symmetric matrix whose lower triangle is given; what is outside of the envelope counts as 0.
class EnvelopeCholesky {
 public:
  EnvelopeCholesky(Matrix a, Envelope envelope);

  bool ok() const { return ok_; }  ///< the matrix is positive definite
  Matrix solve(Matrix right) const;

 private:
  bool factorize();

  Matrix lower_;
  std::vector<Index> ends_;
  bool ok_;
};

}  // namespace condens
