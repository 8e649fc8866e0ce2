#include "condens/model/kernel_mixture.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "condens/core/errors.hpp"
#include "condens/data/standardizer.hpp"
#include "kernels/gaussian_kernel.hpp"
#include "linalg/log_sum_exp.hpp"

namespace condens {

Defensive Defensive::fit(double weight, const Dataset& data) {
  const Standardizer spread = Standardizer::fit(data.y, data.weights);
  return {weight, spread.mean(), 2.0 * spread.scale()};
}

Vector Defensive::log_density(const MatrixView& y) const {
  const Matrix z = (y.colwise() - mean).array().colwise() / scale.array();
  const double log_mass = log_kernel_mass(y.rows(), 1.0) + scale.array().log().sum();
  return -0.5 * z.colwise().squaredNorm().transpose().array() - log_mass;
}

double Defensive::log_mixed(double own, double other) const {
  if (weight == 0.0) return own;
  own += std::log1p(-weight);
  other += std::log(weight);
  const double larger = std::max(own, other);
  return larger + std::log1p(std::exp(std::min(own, other) - larger));
}

double Defensive::square() const {
  return std::exp(-log_kernel_mass(scale.size(), std::numbers::sqrt2)) / scale.prod();
}

Vector Defensive::overlaps(const MatrixView& centers_y, double width) const {
  Vector log_value = Vector::Zero(centers_y.cols());
  for (Index k = 0; k < centers_y.rows(); ++k) {
    const double spread = std::hypot(width, scale[k]);
    const auto z = (centers_y.row(k).array() - mean[k]) / spread;
    log_value.array() -= 0.5 * z.square().transpose() + log_kernel_mass(1, spread);
  }
  return log_value.array().exp();
}

void Defensive::write(Document& document) const { document.set("defensive_mean", mean).set("defensive_scale", scale); }

Defensive Defensive::read(const Document& document, double weight, Index d_y) {
  Defensive out{weight, document.at("defensive_mean").as_vector(), document.at("defensive_scale").as_vector()};
  if (out.mean.size() != d_y || out.scale.size() != d_y || d_y == 0 || !(out.scale.minCoeff() > 0)) {
    throw FormatError("the defensive component is not a distribution of y");
  }
  return out;
}

std::shared_ptr<const GaussianComponents> kernel_components(const MatrixView& centers_y, const VectorView& widths,
                                                            const Defensive& defensive) {
  const Index count = centers_y.cols();
  const Index last = defensive.weight > 0 ? 1 : 0;
  GaussianComponents out{Matrix(centers_y.rows(), count + last), Matrix(centers_y.rows(), count + last)};
  out.means.leftCols(count) = centers_y;
  out.scales.leftCols(count) = widths.transpose().replicate(centers_y.rows(), 1);
  if (last > 0) {
    out.means.col(count) = defensive.mean;
    out.scales.col(count) = defensive.scale;
  }
  return std::make_shared<const GaussianComponents>(std::move(out));
}

std::shared_ptr<const GaussianComponents> kernel_components(const MatrixView& centers_y, double width,
                                                            const Defensive& defensive) {
  return kernel_components(centers_y, Vector::Constant(centers_y.cols(), width), defensive);
}

GaussianMixtures kernel_laws(const std::shared_ptr<const GaussianComponents>& components, Matrix log_weights,
                             const Defensive& defensive) {
  return GaussianMixtures::shared(components, with_defensive(std::move(log_weights), defensive));
}

Matrix with_defensive(Matrix log_weights, const Defensive& defensive) {
  if (defensive.weight == 0) return log_weights;
  // The defensive weight is a share of the normalised law.
  const Index count = log_weights.rows();
  log_normalize_columns(log_weights);
  log_weights.array() += std::log1p(-defensive.weight);
  log_weights.conservativeResize(count + 1, Eigen::NoChange);
  log_weights.row(count).setConstant(std::log(defensive.weight));
  return log_weights;
}

}  // namespace condens
