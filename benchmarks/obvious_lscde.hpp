#pragma once
// Selection of LSCDE as the obvious program does it: each fold, width and regulariser rebuilt
// and solved from scratch, on the same linear algebra (Eigen) with vectorised exponentials.

#include <Eigen/Cholesky>
#include <cmath>
#include <numbers>
#include <vector>

#include "condens/core/types.hpp"

namespace condens::benchmarks {

struct Split {
  Matrix x_train, y_train, x_test, y_test;
};

struct Study {
  std::vector<Split> folds;
  Matrix centers_x, centers_y;
  std::vector<double> grid;
};

/// exp(-|c_l - p_i|^2 / (2 s^2)) by a matrix product for the distances.
inline Matrix kernel(const Matrix& points, const Matrix& centers, double s) {
  Matrix d = -2.0 * centers.transpose() * points;
  d.colwise() += centers.colwise().squaredNorm().transpose();
  d.rowwise() += points.colwise().squaredNorm();
  return (d.array() * (-0.5 / (s * s))).exp();
}

inline Matrix overlaps(const Matrix& v, double s) {
  return std::sqrt(std::numbers::pi) * s * kernel(v, v, std::numbers::sqrt2 * s).array();
}

inline double score(const Matrix& phi, const Matrix& psi, const Vector& solution, double s) {
  const Vector alpha = solution.cwiseMax(0.0);
  const Vector numerator = psi.transpose() * alpha;
  const Vector denominator = phi.transpose() * alpha;
  return -(numerator.array() / denominator.array()).log().mean() + std::log(std::sqrt(2 * std::numbers::pi) * s);
}

/// The data cut into five folds.
inline Study make_study(const Matrix& x, const Matrix& y, const std::vector<Index>& fold, const Matrix& centers_x,
                        const Matrix& centers_y, const std::vector<double>& grid) {
  Study study{.folds = {}, .centers_x = centers_x, .centers_y = centers_y, .grid = grid};
  for (Index k = 0; k < 5; ++k) {
    std::vector<Index> train;
    std::vector<Index> test;
    for (Index i = 0; i < x.cols(); ++i) (fold[i] == k ? test : train).push_back(i);
    study.folds.push_back({x(Eigen::all, train), y(Eigen::all, train), x(Eigen::all, test), y(Eigen::all, test)});
  }
  return study;
}

/// Scores, regularisers x widths.
inline Matrix obvious(const Study& study) {
  const Index cells = static_cast<Index>(study.grid.size());
  Matrix out = Matrix::Zero(cells, cells);
  for (const Split& fold : study.folds) {
    for (Index i = 0; i < cells; ++i) {
      for (Index j = 0; j < cells; ++j) {
        const double s = study.grid[i];
        const Matrix phi = kernel(fold.x_train, study.centers_x, s);
        const Matrix psi = phi.cwiseProduct(kernel(fold.y_train, study.centers_y, s));
        const double n = static_cast<double>(phi.cols());
        Matrix h_matrix = (phi * phi.transpose()).cwiseProduct(overlaps(study.centers_y, s)) / n;
        h_matrix.diagonal().array() += study.grid[j];
        const Vector alpha = h_matrix.llt().solve(psi.rowwise().sum() / n);
        const Matrix phi_test = kernel(fold.x_test, study.centers_x, s);
        const Matrix psi_test = phi_test.cwiseProduct(kernel(fold.y_test, study.centers_y, s));
        out(j, i) += score(phi_test, psi_test, alpha, s) / static_cast<double>(study.folds.size());
      }
    }
  }
  return out;
}

}  // namespace condens::benchmarks
