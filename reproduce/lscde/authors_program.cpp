#include "authors_program.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <vector>

#include "condens/core/random.hpp"
#include "condens/data/folds.hpp"
#include "condens/data/standardizer.hpp"
#include "condens/estimators/lscde.hpp"

namespace condens::reproduce {

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr Index folds = 5;

/// Entry (l, i) is exp(-|a_l - b_i|^2 / (2 s^2)).
Matrix kernel(const Matrix& a, const Matrix& b, double s) {
  Matrix out(a.cols(), b.cols());
  for (Index i = 0; i < b.cols(); ++i) {
    out.col(i) = (a.colwise() - b.col(i)).colwise().squaredNorm().transpose() / (-2 * s * s);
  }
  return out.array().exp();
}

struct NormalEquations {
  Matrix gram;
  Vector target;

  /// alpha of eqs. 6 and 7.
  Vector coefficients(double lambda) const {
    Matrix system = gram;
    system.diagonal().array() += lambda;
    return system.llt().solve(target).cwiseMax(0.0);
  }
};

/// phi_x and phi_y at the rows of a data set, for one width s.
struct Features {
  Matrix x;        ///< b x n
  Matrix y;        ///< b x n
  Matrix overlap;  ///< b x b: integral over y of the products of the kernels in y (section 2.6)
  double mass;     ///< integral over y of one kernel

  Features(const Dataset& centers, const Dataset& data, double s)
      : x(kernel(centers.x, data.x, s)),
        y(kernel(centers.y, data.y, s)),
        overlap(kernel(centers.y, centers.y, std::numbers::sqrt2 * s) * std::sqrt(std::numbers::pi) * s),
        mass(std::sqrt(2 * std::numbers::pi) * s) {}

  /// H and h of eq. 4 from some rows.
  NormalEquations equations(const std::vector<Index>& rows) const {
    const Matrix phi = x(Eigen::all, rows);
    return {(phi * phi.transpose()).cwiseProduct(overlap) / static_cast<double>(rows.size()),
            phi.cwiseProduct(y(Eigen::all, rows)).rowwise().mean()};
  }

  /// -mean log of eq. 8 at some rows, with the floors of the program.
  double score(const std::vector<Index>& rows, const Vector& alpha) const {
    double sum = 0;
    for (const Index i : rows) {
      const double density = alpha.dot(x.col(i).cwiseProduct(y.col(i))) / std::max(mass * alpha.dot(x.col(i)), eps);
      sum -= std::log(density + eps);
    }
    return sum / static_cast<double>(rows.size());
  }
};

std::vector<Index> rows_where(const std::vector<Index>& fold, Index k, bool equal) {
  std::vector<Index> out;
  for (std::size_t i = 0; i < fold.size(); ++i) {
    if ((fold[i] == k) == equal) out.push_back(static_cast<Index>(i));
  }
  return out;
}

std::vector<Index> all_rows(const Dataset& data) {
  std::vector<Index> out(static_cast<std::size_t>(data.size()));
  std::iota(out.begin(), out.end(), Index{0});
  return out;
}

struct Choice {
  double width;
  double lambda;
};

/// The first of the best, as min() of the program takes it.
Choice cross_validate(const Dataset& centers, const Dataset& data, std::uint64_t seed) {
  const LscdeOptions grid = LscdeOptions::paper();
  const std::vector<Index> fold = assign_folds(data.size(), folds, seed);
  Choice best{};
  double lowest = std::numeric_limits<double>::infinity();
  for (const double width : grid.bandwidth) {
    const Features features(centers, data, width);
    std::vector<double> score(grid.regularization.size(), 0.0);
    for (Index k = 0; k < folds; ++k) {
      const NormalEquations equations = features.equations(rows_where(fold, k, false));
      for (std::size_t j = 0; j < score.size(); ++j) {
        score[j] += features.score(rows_where(fold, k, true), equations.coefficients(grid.regularization[j])) / folds;
      }
    }
    const auto least = std::min_element(score.begin(), score.end());
    if (*least >= lowest) continue;
    lowest = *least;
    best = {width, grid.regularization[static_cast<std::size_t>(least - score.begin())]};
  }
  return best;
}

}  // namespace

double authors_program_score(const Dataset& train, const Dataset& test, std::uint64_t seed) {
  const Standardizer scale_x = Standardizer::fit(train.x, Vector());
  const Standardizer scale_y = Standardizer::fit(train.y, Vector());
  const Dataset data{.x = scale_x.transform(train.x), .y = scale_y.transform(train.y)};
  const Dataset fresh{.x = scale_x.transform(test.x), .y = scale_y.transform(test.y)};

  std::vector<Index> rows = RandomStream(seed, 1).permutation(data.size());
  rows.resize(std::min<std::size_t>(rows.size(), 100));
  const Dataset centers = data.subset(rows);
  const Choice choice = cross_validate(centers, data, seed);
  const Vector alpha = Features(centers, data, choice.width).equations(all_rows(data)).coefficients(choice.lambda);
  return Features(centers, fresh, choice.width).score(all_rows(fresh), alpha);
}

}  // namespace condens::reproduce
