#include "gaussian_kernel.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include "condens/core/cancellation.hpp"
#include "core/work.hpp"
#include "linalg/vector_math.hpp"

namespace condens {

namespace {

/// out_l (+)= sum of (c_lk - x_k)^2 over `count` coordinates from `first` on: every
/// column is written once for all of them.
template <int count, bool add>
void sum_squares(const MatrixView& centers, Index first, const double* point, double* out) {
  std::array<const double*, count> center;
  std::array<double, count> x;
  for (int k = 0; k < count; ++k) {
    center[k] = centers.col(first + k).data();
    x[k] = point[first + k];
  }
  const Index n = centers.rows();
  for (Index l = 0; l < n; ++l) {
    double sum = add ? out[l] : 0.0;
    for (int k = 0; k < count; ++k) {
      const double difference = center[k][l] - x[k];
      sum = multiply_add(difference, difference, sum);
    }
    out[l] = sum;
  }
}

}  // namespace

void squared_distances(const MatrixView& centers, const MatrixView& points, Eigen::Ref<Matrix> out) {
  const Index dimension = centers.cols();
  const Index rest = dimension % 4;
  count_work(work::distance * static_cast<double>(centers.size()) * static_cast<double>(points.cols()));
  // Columns after which to look whether to go on: some ten microseconds of work, or all of a small matrix.
  const Index between_looks = 1 + 50'000 / (1 + centers.size());
  for (Index i = 0; i < points.cols(); ++i) {
    if (i % between_looks == between_looks - 1) check_cancelled();
    const double* point = points.col(i).data();
    double* column = out.col(i).data();
    switch (rest) {
      case 1:
        sum_squares<1, false>(centers, 0, point, column);
        break;
      case 2:
        sum_squares<2, false>(centers, 0, point, column);
        break;
      case 3:
        sum_squares<3, false>(centers, 0, point, column);
        break;
      default:
        out.col(i).setZero();
    }
    for (Index k = rest; k < dimension; k += 4) sum_squares<4, true>(centers, k, point, column);
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
