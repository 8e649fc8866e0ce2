#include "condens/optim/orthogonal_regression.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "condens/core/errors.hpp"
#include "linalg/vector_math.hpp"

namespace condens {

namespace {

constexpr double degenerate_share = 1e-12;
constexpr double least_loo_weight = 1e-14;  // below it 1 - h_k is a rounding error

double square(const VectorView& x) { return dot(x.data(), x.data(), x.size()); }

}  // namespace

/// One stage with a trial column w: what eqs. 65-68 make of it.
struct OrthogonalRegression::Stage {
  double kappa = 0;  ///< w'w + lambda; 0: the column contributes nothing
  double g = 0;
  Vector eta;
  Vector r;  ///< leave-one-out residuals
  double criterion;
};

OrthogonalRegression::OrthogonalRegression(Vector target, RegressionPenalty penalty, double total_weight)
    : target_(std::move(target)),
      penalty_(penalty),
      total_weight_(total_weight > 0 ? total_weight : static_cast<double>(target_.size())),
      w_(target_.size(), 0),
      eps_(target_),
      eta_(Vector::Ones(target_.size())),
      criterion_(square(target_) / total_weight_) {}

OrthogonalRegression::Stage OrthogonalRegression::stage_of(const double* w, double column_square,
                                                           RegressionPenalty penalty) const {
  Stage out{.eta = {}, .r = {}, .criterion = criterion_};
  const double square = dot(w, w, n_rows());
  if (!(square > degenerate_share * column_square)) return out;
  const Eigen::Map<const Vector> column(w, n_rows());
  out.kappa = square + penalty.of(column_square);
  out.g = dot(w, eps_.data(), n_rows()) / out.kappa;  // eq. 65; w'eps = w't, and loses less (errata D8)
  out.eta = eta_ - column.cwiseAbs2() / out.kappa;
  if (!(out.eta.minCoeff() > least_loo_weight)) {
    out.criterion = infinity;
    return out;
  }
  out.r = (eps_ - out.g * column).cwiseQuotient(out.eta);
  out.criterion = dot(out.r.data(), out.r.data(), n_rows()) / total_weight_;
  return out;
}

double OrthogonalRegression::criterion_of(const double* w, double column_square, RegressionPenalty penalty) const {
  return stage_of(w, column_square, penalty).criterion;
}

void OrthogonalRegression::orthogonalize(Eigen::Ref<Vector> column, Index first) const {
  const auto earlier = w_.middleCols(first, n_ - first);
  const Vector share = (earlier.transpose() * column).cwiseQuotient(squares_.segment(first, n_ - first));
  column.noalias() -= earlier * share;
}

double OrthogonalRegression::criterion_with(const VectorView& column, RegressionPenalty penalty) const {
  Vector w = column;
  orthogonalize(w, 0);
  return criterion_of(w.data(), square(column), penalty);
}

Vector OrthogonalRegression::criteria_with(const MatrixView& columns) const {
  Matrix w = columns;
  const Matrix share = squares_.head(n_).cwiseInverse().asDiagonal() * (w_.leftCols(n_).transpose() * columns);
  w.noalias() -= w_.leftCols(n_) * share;
  Vector out(columns.cols());
  for (Index j = 0; j < columns.cols(); ++j) {
    out[j] = criterion_of(w.col(j).data(), square(columns.col(j)), penalty_);
  }
  return out;
}

// With e = eps - g w, r = e / eta', J = r'r / N, a = dJ/de = 2 r / (N eta'), b = dJ/deta' = -2 r^2 / (N eta'):
// w enters e and eta' itself, by g = w't / kappa, and by kappa = w'w + lambda, which phi enters by lambda, too.
double OrthogonalRegression::criterion_with(const VectorView& column, Vector& gradient) const {
  gradient.setZero(n_rows());
  Vector w = column;
  orthogonalize(w, 0);
  const Stage stage = stage_of(w.data(), square(column), penalty_);
  if (stage.kappa == 0 || stage.criterion == infinity) return stage.criterion;
  const Vector a = (2.0 / total_weight_) * stage.r.cwiseQuotient(stage.eta);
  const Vector b = -a.cwiseProduct(stage.r);
  const double by_g = -a.dot(w);
  const double by_kappa = -by_g * stage.g / stage.kappa + b.dot(w.cwiseAbs2()) / (stage.kappa * stage.kappa);
  gradient = -stage.g * a - (2.0 / stage.kappa) * b.cwiseProduct(w) + (by_g / stage.kappa) * eps_ + 2.0 * by_kappa * w;
  orthogonalize(gradient, 0);
  if (penalty_.relative) gradient += (2.0 * by_kappa * penalty_.value) * column;
  return stage.criterion;
}

bool OrthogonalRegression::add(const VectorView& column, RegressionPenalty penalty) {
  Vector w = column;
  Vector share = Vector::Zero(n_);
  for (int round = 0; round < 2; ++round) {  // twice is enough (errata D8)
    const Vector again = (w_.leftCols(n_).transpose() * w).cwiseQuotient(squares_.head(n_));
    w.noalias() -= w_.leftCols(n_) * again;
    share += again;
  }
  const double column_square = square(column);
  const double w_square = square(w);
  if (!(w_square > degenerate_share * column_square)) return false;
  if (n_ == w_.cols()) {
    const Index capacity = std::max<Index>(8, 2 * n_);
    w_.conservativeResize(n_rows(), capacity);
    a_.conservativeResize(capacity, capacity);
    for (Vector* numbers : {&squares_, &products_, &penalties_, &g_}) {
      numbers->conservativeResize(capacity);
    }
  }
  w_.col(n_) = w;
  a_.col(n_).head(n_) = share;
  a_(n_, n_) = 1.0;
  squares_[n_] = w_square;
  products_[n_] = dot(w.data(), target_.data(), n_rows());
  penalties_[n_] = penalty.of(column_square);
  absorb(n_++);
  return true;
}

/// eqs. 35, 36 and 34 for a column whose w and lambda are known.
void OrthogonalRegression::absorb(Index column) {
  const auto w = w_.col(column);
  const double kappa = squares_[column] + penalties_[column];
  g_[column] = dot(w.data(), eps_.data(), n_rows()) / kappa;
  eps_ -= g_[column] * w;
  eta_ -= w.cwiseAbs2() / kappa;
  const Vector r = eps_.cwiseQuotient(eta_);
  criterion_ = eta_.minCoeff() > least_loo_weight ? square(r) / total_weight_ : infinity;
}

Vector OrthogonalRegression::coefficients() const {
  return a_.topLeftCorner(n_, n_).triangularView<Eigen::UnitUpper>().solve(g_.head(n_));
}

Matrix OrthogonalRegression::gram() const {
  const Matrix a = a_.topLeftCorner(n_, n_).triangularView<Eigen::UnitUpper>();
  return a.transpose() * squares_.head(n_).asDiagonal() * a;
}

Vector OrthogonalRegression::correlations() const {
  const Matrix a = a_.topLeftCorner(n_, n_).triangularView<Eigen::UnitUpper>();
  return a.transpose() * products_.head(n_);
}

Vector ofr_loo(const MatrixView& centers, const MatrixView& scales, const MatrixView& points, const VectorView& target,
               double regularization) {
  const Index d = points.rows();
  require(centers.rows() == d, "ofr_loo: centers have ", centers.rows(), " coordinates, expected ", d,
          ", those of the points");
  require(scales.rows() == d && scales.cols() == centers.cols(), "ofr_loo: scales are ", scales.cols(), " of ",
          scales.rows(), " numbers, expected ", centers.cols(), " of ", d, ", those of the centers");
  require(target.size() == points.cols() && target.size() > 0, "ofr_loo: target has ", target.size(),
          " numbers, expected ", points.cols(), ", one for each point");
  require(centers.allFinite() && scales.allFinite() && points.allFinite() && target.allFinite(),
          "ofr_loo: centers, scales, points or target hold NaN or infinity");
  require(scales.size() == 0 || scales.minCoeff() > 0, "ofr_loo: scales hold ",
          scales.size() == 0 ? 0.0 : scales.minCoeff(), ", expected numbers > 0");
  require(regularization >= 0 && std::isfinite(regularization), "ofr_loo: regularization = ", regularization,
          ", expected a number >= 0");
  OrthogonalRegression regression(target, {.value = regularization, .relative = false});
  Vector path(centers.cols());
  for (Index l = 0; l < centers.cols(); ++l) {
    const Matrix z = (points.colwise() - centers.col(l)).array().colwise() / scales.col(l).array();
    Vector column = -0.5 * z.colwise().squaredNorm().transpose();
    column.array() -= scales.col(l).array().log().sum() + 0.5 * static_cast<double>(d) * std::log(2 * std::numbers::pi);
    exp_in_place(column);
    regression.add(column);
    path[l] = regression.criterion();
  }
  return path;
}

}  // namespace condens
