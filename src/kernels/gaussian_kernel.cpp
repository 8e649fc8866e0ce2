#include "condens/kernels/gaussian_kernel.hpp"

#include <cmath>
#include <numbers>

#include "condens/linalg/vector_math.hpp"

namespace condens {

void squared_distances(const MatrixView& centers, const MatrixView& points, Eigen::Ref<Matrix> out) {
  const Index dimension = centers.cols();
  for (Index i = 0; i < points.cols(); ++i) {
    auto column = out.col(i).array();
    Index k = 0;
    // Four coordinates at a time, to write `out` once for all of them.
    if (dimension >= 4) {
      column = (centers.col(0).array() - points(0, i)).square() + (centers.col(1).array() - points(1, i)).square() +
               (centers.col(2).array() - points(2, i)).square() + (centers.col(3).array() - points(3, i)).square();
      k = 4;
    } else {
      column = 0.0;
    }
    for (; k + 4 <= dimension; k += 4) {
      column += (centers.col(k).array() - points(k, i)).square() +
                (centers.col(k + 1).array() - points(k + 1, i)).square() +
                (centers.col(k + 2).array() - points(k + 2, i)).square() +
                (centers.col(k + 3).array() - points(k + 3, i)).square();
    }
    for (; k < dimension; ++k) column += (centers.col(k).array() - points(k, i)).square();
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
