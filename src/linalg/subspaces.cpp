#include "condens/linalg/subspaces.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "condens/core/errors.hpp"
#include "decompositions.hpp"

namespace condens {

namespace {

Matrix orthonormal_rows_of(const MatrixView& rows, std::string_view name) {
  require(rows.allFinite(), "subspace_change: ", name, " holds NaN or infinity");
  require(rows.rows() <= rows.cols(), "subspace_change: ", name, " has ", rows.rows(), " rows of ", rows.cols(),
          " numbers, expected no more rows than numbers");
  if (rows.rows() == 0) return rows;
  const Vector sizes = singular_values(rows);
  const double rounding = static_cast<double>(rows.cols()) * std::numeric_limits<double>::epsilon();
  require(sizes[sizes.size() - 1] > rounding * sizes[0], "subspace_change: ", name, " has ", rows.rows(),
          " rows that span fewer dimensions, expected independent rows");
  return orthonormal_columns(rows.transpose()).transpose();
}

}  // namespace

Vector principal_angles(const MatrixView& a, const MatrixView& b) {
  require(a.cols() == b.cols(), "principal_angles: spaces of ", a.cols(), " and ", b.cols(), " coordinates");
  // The sine of what is left of the smaller space outside the larger one, and the cosine of what is inside: the
  // arc tangent of both is exact for small angles and for large ones.
  const MatrixView& small = a.rows() <= b.rows() ? a : b;
  const MatrixView& large = a.rows() <= b.rows() ? b : a;
  const Matrix inside = small * large.transpose();
  if (small.rows() == 0) return Vector();
  const Vector cosines = singular_values(inside);
  const Vector sines = singular_values(small - inside * large);
  Vector out(small.rows());
  for (Index k = 0; k < out.size(); ++k) {
    out[k] = std::atan2(sines[k], cosines[out.size() - 1 - k]);
  }
  return out;
}

SubspaceChange subspace_change(const MatrixView& a, const MatrixView& b) {
  require(a.cols() == b.cols(), "subspace_change: rows of ", a.cols(), " and of ", b.cols(),
          " numbers, expected subspaces of one space");
  SubspaceChange out{principal_angles(orthonormal_rows_of(a, "a"), orthonormal_rows_of(b, "b")), 0.0, 0.0};
  const double sines = out.angles.array().sin().square().sum();
  const auto more = static_cast<double>(std::abs(a.rows() - b.rows()));
  const auto most = static_cast<double>(std::max(a.rows(), b.rows()));
  out.distance = std::sqrt(sines + 0.5 * more);
  out.share = most > 0 ? std::sqrt((sines + more) / most) : 0.0;
  return out;
}

}  // namespace condens
