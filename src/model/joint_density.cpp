#include "condens/model/joint_density.hpp"

#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "condens/core/errors.hpp"
#include "linalg/log_sum_exp.hpp"
#include "linalg/vector_math.hpp"
#include "model/gridded_kernels.hpp"

namespace condens {

namespace {

/// The same bits from a fit and from a file.
GaussianMixture joint_of(GaussianComponents kernels, const Vector& log_weights) {
  if (log_weights.size() == 0 || !log_weights.allFinite()) throw FormatError("kernels without a weight");
  return GaussianMixtures::shared_normalized(std::make_shared<const GaussianComponents>(std::move(kernels)),
                                             log_weights)[0];
}

Matrix rows_together(const Matrix& x, const Matrix& y) {
  Matrix out(x.rows() + y.rows(), y.cols());
  out.topRows(x.rows()) = x;
  out.bottomRows(y.rows()) = y;
  return out;
}

}  // namespace

JointDensity::Parameters JointDensity::parameters(const VectorView& weights, Matrix means, Matrix scales,
                                                  Defensive defensive) {
  return parameters(weights, GaussianComponents{std::move(means), std::move(scales)}, std::move(defensive));
}

JointDensity::Parameters JointDensity::parameters(const VectorView& weights, GaussianComponents kernels,
                                                  Defensive defensive) {
  Vector log_weights = weights.array().log();
  log_weights.array() -= log_sum_exp(log_weights.data(), log_weights.size());
  return {std::move(log_weights), std::move(kernels), std::move(defensive)};
}

JointDensity::JointDensity(Parameters p, Standardizer x_scale, Standardizer y_scale, FitReport report)
    : ConditionalDensity(std::move(x_scale), std::move(y_scale), std::move(report)),
      joint_(joint_of(std::move(p.kernels), p.log_weights)),
      defensive_(std::move(p.defensive)) {
  const Index d_x = n_inputs();
  const Index d_y = n_targets();
  const Index m = n_kernels();
  if (joint_.dimension() != d_x + d_y) {
    throw FormatError(
        message("a density of ", joint_.dimension(), " coordinates is none of ", d_x, " inputs and ", d_y, " targets"));
  }
  means_x_ = joint_.means().topRows(d_x).transpose();
  inverse_scales_x_ = joint_.scales().topRows(d_x).transpose().cwiseInverse();
  log_weights_ = joint_.log_weights();
  if (d_x > 0) log_weights_ += inverse_scales_x_.array().log().rowwise().sum().matrix();
  const GaussianComponents targets = joint_.components().given_leading(d_x);
  if (joint_.components().correlated()) {
    for (Index l = 0; l < m; ++l) {
      log_weights_[l] -= joint_.components().correlation_factor(l).diagonal().head(d_x).array().log().sum();
    }
  }
  const Index last = defensive_.weight > 0 ? 1 : 0;
  GaussianComponents components = GaussianComponents::standard(d_y, m + last, targets.correlated());
  components.set_columns(0, targets);
  if (last > 0) components.set_columns(m, {defensive_.mean, defensive_.scale});
  components_ = std::make_shared<const GaussianComponents>(std::move(components));
  const Matrix& scales = joint_.scales();
  if (!joint_.components().correlated() && (scales.colwise() - scales.col(0)).isZero(0)) {
    gridded_ = GriddedKernels::make(means_x_.cwiseProduct(inverse_scales_x_).transpose(), log_weights_,
                                    joint_.means().bottomRows(d_y), scales(d_x, 0), defensive_);
  }
}

GaussianMixtures JointDensity::laws(const MatrixView& x) const {
  if (n_inputs() > 0 && joint_.components().correlated()) return moving_laws(x);
  if (gridded_ != nullptr) return gridded_->laws(inverse_scales_x_.row(0).asDiagonal() * x);
  Matrix log_weights = log_weights_.replicate(1, x.cols());
  add_inputs_independent(x, log_weights);
  return kernel_laws(components_, std::move(log_weights), defensive_);
}

Vector JointDensity::log_kernel_weights(const VectorView& x) const {
  Matrix out = log_weights_;
  add_inputs_independent(x, out);
  return out.col(0);
}

void JointDensity::add_inputs_independent(const MatrixView& x, Matrix& log_weights) const {
  const Index m = n_kernels();
  for (Index i = 0; i < x.cols(); ++i) {
    double* weight = log_weights.col(i).data();
    for (Index k = 0; k < x.rows(); ++k) {
      const double* mean = means_x_.data() + k * m;
      const double* inverse = inverse_scales_x_.data() + k * m;
      const double value = x(k, i);
      for (Index l = 0; l < m; ++l) {
        const double z = (value - mean[l]) * inverse[l];
        weight[l] = multiply_add(-0.5 * z, z, weight[l]);
      }
    }
  }
}

// `means`: d_y x components of all laws, where the correlated kernels' means move with x, up to what
// a law can hold in the unit of y.
void JointDensity::add_inputs_correlated(const MatrixView& x, Matrix& log_weights, Matrix& means) const {
  if (x.cols() == 0) return;
  constexpr double largest_mean = 1e104;
  const Vector farthest = (largest_mean * y_scale().scale().cwiseInverse()).cwiseMin(1e50);
  const Index d_x = n_inputs();
  const Index d_y = n_targets();
  const Index of_a_law = components_->means.cols();
  for (Index l = 0; l < n_kernels(); ++l) {
    const Matrix factor = joint_.components().correlation_factor(l);
    Matrix z = inverse_scales_x_.row(l).asDiagonal() * (x.colwise() - means_x_.row(l).transpose());
    factor.topLeftCorner(d_x, d_x).triangularView<Eigen::Lower>().solveInPlace(z);
    log_weights.row(l) -= 0.5 * z.colwise().squaredNorm();
    const Matrix shift = joint_.scales().col(l).tail(d_y).asDiagonal() * (factor.bottomLeftCorner(d_y, d_x) * z);
    for (Index i = 0; i < x.cols(); ++i) {
      means.col(i * of_a_law + l) += shift.col(i).cwiseMax(-farthest).cwiseMin(farthest);
    }
  }
}

GaussianMixtures JointDensity::moving_laws(const MatrixView& x) const {
  const Index n = x.cols();
  GaussianComponents components{components_->means.replicate(1, n), components_->scales.replicate(1, n)};
  if (components_->correlated()) components.correlations = components_->correlations.replicate(1, n);
  Matrix log_weights = log_weights_.replicate(1, n);
  add_inputs_correlated(x, log_weights, components.means);
  return GaussianMixtures::separate(std::move(components), with_defensive(std::move(log_weights), defensive_));
}

GaussianMixtures JointDensity::laws_of_incomplete(const MatrixView& x, const InputImputer&) const {
  const Matrix z = x_scale().transform(x);
  const GaussianMixtures joint = GaussianMixtures::shared_normalized(
      std::make_shared<const GaussianComponents>(joint_.components()), joint_.log_weights());
  std::vector<GaussianMixtures> parts;
  for (Index i = 0; i < z.cols(); ++i) {
    std::vector<Index> coordinates;
    for (Index j = 0; j < z.rows(); ++j) {
      if (!std::isnan(z(j, i))) coordinates.push_back(j);
    }
    if (std::ssize(coordinates) == z.rows()) {
      parts.push_back(laws(z.col(i)));
      continue;
    }
    const Vector known = z.col(i)(coordinates);
    for (Index j = 0; j < n_targets(); ++j) coordinates.push_back(n_inputs() + j);
    GaussianMixtures own = joint.marginal(coordinates);
    if (known.size() > 0) {
      std::vector<Index> given(static_cast<std::size_t>(known.size()));
      std::iota(given.begin(), given.end(), 0);
      own = own.conditional(given, known);
    }
    if (!joint_.components().correlated()) {  // whatever is missing, the components of y are the same
      parts.push_back(kernel_laws(components_, own.log_weights(), defensive_));
      continue;
    }
    GaussianComponents components = *components_;
    components.set_columns(0, own.components());
    parts.push_back(GaussianMixtures::separate(std::move(components), with_defensive(own.log_weights(), defensive_)));
  }
  return GaussianMixtures::concatenate(parts);
}

Matrix JointDensity::stack(const Dataset& data) { return rows_together(data.x, data.y); }

Matrix JointDensity::kernel_means() const {
  const Matrix& means = joint_.means();
  return rows_together(x_scale().inverse_transform(means.topRows(n_inputs())),
                       y_scale().inverse_transform(means.bottomRows(n_targets())));
}

Matrix JointDensity::kernel_scales() const {
  const Matrix& scales = joint_.scales();
  return rows_together(x_scale().scale().asDiagonal() * scales.topRows(n_inputs()),
                       y_scale().scale().asDiagonal() * scales.bottomRows(n_targets()));
}

Matrix JointDensity::kernel_covariances() const {
  GaussianComponents kernels = joint_.components();
  kernels.scales = kernel_scales();
  return kernels.covariances();
}

Document JointDensity::document_of_kernels(Document options) const {
  Document out = Document::Object{{"options", std::move(options)},
                                  {"x_scale", x_scale().to_document()},
                                  {"y_scale", y_scale().to_document()},
                                  {"log_weights", joint_.log_weights()},
                                  {"means", joint_.means()},
                                  {"scales", joint_.scales()},
                                  {"report", report().to_document()}};
  if (joint_.components().correlated()) out.set("correlations", joint_.components().correlations);
  defensive_.write(out);
  return out;
}

JointDensity::Parameters JointDensity::read_kernels(const Document& document, double defensive_weight) {
  const Index d_x = Standardizer::from_document(document.at("x_scale")).dimension();
  const Index d_y = Standardizer::from_document(document.at("y_scale")).dimension();
  GaussianComponents kernels{document.at("means").as_matrix(), document.at("scales").as_matrix()};
  if (const Document* correlations = document.find("correlations")) kernels.correlations = correlations->as_matrix();
  Vector log_weights = document.at("log_weights").as_vector();
  const auto fits = [&](const Matrix& of) { return of.rows() == d_x + d_y && of.cols() == log_weights.size(); };
  if (log_weights.size() == 0 || d_y == 0 || !fits(kernels.means) || !fits(kernels.scales)) {
    throw FormatError("the kernels do not fit together");
  }
  return {std::move(log_weights), std::move(kernels), Defensive::read(document, defensive_weight, d_y)};
}

}  // namespace condens
