#include "condens/kernels/gaussian_kernel.hpp"

#include <cmath>
#include <numbers>

#include "condens/linalg/vector_math.hpp"

namespace condens {

namespace {

/// Sum of (c_k - x_k)^2 over `count` coordinates from `first` on, as one expression, so
/// that every column is written once.
template <int count>
auto squares(const MatrixView& centers, const MatrixView& points, Index i, Index first) {
  const auto own = (centers.col(first).array() - points(first, i)).square();
  if constexpr (count == 1) {
    return own;
  } else {
    return own + squares<count - 1>(centers, points, i, first + 1);
  }
}

}  // namespace

void squared_distances(const MatrixView& centers, const MatrixView& points, Eigen::Ref<Matrix> out) {
  const Index dimension = centers.cols();
  for (Index i = 0; i < points.cols(); ++i) {
    auto column = out.col(i).array();
    const Index rest = dimension % 4;
    switch (rest) {
      case 1:
        column = squares<1>(centers, points, i, 0);
        break;
      case 2:
        column = squares<2>(centers, points, i, 0);
        break;
      case 3:
        column = squares<3>(centers, points, i, 0);
        break;
      default:
        column = 0.0;
    }
    for (Index k = rest; k < dimension; k += 4) column += squares<4>(centers, points, i, k);
  }
}

Matrix kernel_overlaps(const MatrixView& centers, double width) {
  Matrix out(centers.cols(), centers.cols());
  squared_distances(centers.transpose(), centers, out);
  out *= -0.25 / (width * width);
  exp_in_place(out.data(), out.size());
  out *= std::pow(std::sqrt(std::numbers::pi) * width, static_cast<double>(centers.rows()));
  return out;
}

double log_kernel_mass(Index dimension, double width) {
  return static_cast<double>(dimension) * (0.5 * std::log(2.0 * std::numbers::pi) + std::log(width));
}

}  // namespace condens
