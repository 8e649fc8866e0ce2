// How batches of laws are built, cut, joined and transformed.

#include <algorithm>
#include <cmath>

#include "condens/core/cancellation.hpp"
#include "condens/distributions/gaussian_mixture.hpp"
#include "linalg/log_sum_exp.hpp"
#include "linalg/vector_math.hpp"
#include "mixture_checks.hpp"

namespace condens {

using namespace detail;

namespace {

void normalise(Matrix& log_weights, std::string_view where) {
  const Vector totals = log_normalize_columns(log_weights);
  for (Index i = 0; i < totals.size(); ++i) {
    require(totals[i] > -infinity, where, ": every log weight of distribution ", i,
            " is -infinity; expected at least one finite number");
  }
}

}  // namespace

GaussianMixtures GaussianMixtures::shared(std::shared_ptr<const GaussianComponents> components, Matrix log_weights) {
  normalise(log_weights, "GaussianMixtures::shared");
  return shared_normalized(std::move(components), std::move(log_weights));
}

GaussianMixtures GaussianMixtures::shared_normalized(std::shared_ptr<const GaussianComponents> components,
                                                     Matrix log_weights) {
  const std::string_view where = "GaussianMixtures::shared";
  require(components != nullptr, where, ": components is null");
  require_components(*components, where);
  require(log_weights.rows() == components->means.cols(), where, ": log_weights has ", log_weights.rows(),
          " rows; expected one per component, ", components->means.cols());
  return {std::move(components), std::move(log_weights), true};
}

GaussianMixtures GaussianMixtures::separate(Matrix means, Matrix scales, Matrix log_weights) {
  return separate(GaussianComponents{std::move(means), std::move(scales)}, std::move(log_weights));
}

GaussianMixtures GaussianMixtures::separate(GaussianComponents components, Matrix log_weights) {
  const Matrix& means = components.means;
  const std::string_view where = "GaussianMixtures::separate";
  require(log_weights.rows() >= 1 && means.rows() >= 1 && means.cols() == log_weights.size(), where, ": means is ",
          means.rows(), " x ", means.cols(), " and log_weights ", log_weights.rows(), " x ", log_weights.cols(),
          "; expected d x (m n) and m x n with d, m >= 1");
  require_shape(components.scales, means.rows(), means.cols(), where, "scales");
  if (log_weights.cols() > 0) require_components(components, where);
  normalise(log_weights, where);
  return {std::make_shared<const GaussianComponents>(std::move(components)), std::move(log_weights), false};
}

GaussianMixtures GaussianMixtures::concatenate(const std::vector<GaussianMixtures>& parts) {
  const std::string_view where = "GaussianMixtures::concatenate";
  require(!parts.empty(), where, ": no parts; expected at least one");
  const Index d = parts.front().dimension();
  Index n = 0;
  Index m = 0;
  bool shared = true;
  bool correlated = false;
  for (const GaussianMixtures& part : parts) {
    require(part.dimension() == d, where, ": distributions of dimension ", part.dimension(),
            " after distributions of dimension ", d, "; expected one dimension");
    n += part.size();
    m = std::max(m, part.n_components());
    shared = shared && part.shared_ &&
             (part.components_ == parts.front().components_ || *part.components_ == *parts.front().components_);
    correlated = correlated || part.components_->correlated();
  }
  // Hundreds of megabytes, some of them at a time.
  check_cancelled();
  Matrix log_weights = Matrix::Constant(m, n, -infinity);
  check_cancelled();
  GaussianComponents all = GaussianComponents::standard(d, shared ? 0 : m * n, correlated);
  Index column = 0;
  for (const GaussianMixtures& part : parts) {
    check_cancelled();
    const Index size = part.n_components();
    log_weights.block(0, column, size, part.size()) = part.log_weights_;
    for (Index i = 0; !shared && i < part.size(); ++i) {
      all.set_columns((column + i) * m, part.components_->columns(part.offset(i), size));
    }
    column += part.size();
  }
  if (shared) return {parts.front().components_, std::move(log_weights), true};
  return {std::make_shared<const GaussianComponents>(std::move(all)), std::move(log_weights), false};
}

Matrix GaussianMixtures::weights() const {
  Matrix out = log_weights_;
  exp_in_place(out);
  return out;
}

GaussianMixture GaussianMixtures::operator[](Index i) const {
  require(i >= 0 && i < size(), "GaussianMixtures: distribution ", i, " of ", size(), "; expected an index from 0");
  GaussianMixture out;
  out.components_ = components_->columns(offset(i), n_components());
  out.log_weights_ = log_weights_.col(i);
  out.weights_ = out.log_weights_;
  exp_in_place(out.weights_);
  return out;
}

GaussianMixtures GaussianMixtures::slice(Index begin, Index count) const {
  require(begin >= 0 && count >= 0 && begin + count <= size(), "GaussianMixtures::slice: distributions ", begin, " to ",
          begin + count, " of ", size(), "; expected 0 <= begin and begin + count <= size");
  Matrix log_weights = log_weights_.middleCols(begin, count);
  if (shared_) return {components_, std::move(log_weights), true};
  const Index m = n_components();
  GaussianComponents part = components_->columns(begin * m, count * m);
  return {std::make_shared<const GaussianComponents>(std::move(part)), std::move(log_weights), false};
}

GaussianMixtures GaussianMixtures::select(const std::vector<Index>& laws) const {
  for (const Index i : laws) {
    require(i >= 0 && i < size(), "GaussianMixtures::select: distribution ", i, " of ", size(),
            "; expected an index from 0");
  }
  Matrix log_weights = log_weights_(Eigen::all, laws);
  if (shared_) return {components_, std::move(log_weights), true};
  const Index m = n_components();
  const Index count = static_cast<Index>(laws.size()) * m;
  GaussianComponents part = GaussianComponents::standard(dimension(), count, components_->correlated());
  for (std::size_t i = 0; i < laws.size(); ++i) {
    part.set_columns(static_cast<Index>(i) * m, components_->columns(offset(laws[i]), m));
  }
  return {std::make_shared<const GaussianComponents>(std::move(part)), std::move(log_weights), false};
}

GaussianMixtures GaussianMixtures::affine(const VectorView& shift, const VectorView& scale) const& {
  return {moved_components(shift, scale), log_weights_, shared_};
}

GaussianMixtures GaussianMixtures::affine(const VectorView& shift, const VectorView& scale) && {
  return {moved_components(shift, scale), std::move(log_weights_), shared_};
}

std::shared_ptr<const GaussianComponents> GaussianMixtures::moved_components(const VectorView& shift,
                                                                             const VectorView& scale) const {
  const std::string_view where = "GaussianMixtures::affine";
  require_shape(shift, dimension(), 1, where, "shift");
  require_shape(scale, dimension(), 1, where, "scale");
  for (Index k = 0; k < dimension(); ++k) {
    require(std::isfinite(shift[k]), where, ": shift ", shift[k], " of coordinate ", k, "; expected a finite number");
    require(std::isfinite(scale[k]) && scale[k] != 0.0, where, ": scale ", scale[k], " of coordinate ", k,
            "; expected a finite number that is not zero");
  }
  GaussianComponents moved = *components_;
  for (Index l = 0; l < moved.means.cols(); ++l) {
    for (Index k = 0; k < dimension(); ++k) {
      moved.means(k, l) = multiply_add(scale[k], moved.means(k, l), shift[k]);
      moved.scales(k, l) *= std::abs(scale[k]);
    }
  }
  if (moved.correlated() && scale.minCoeff() < 0.0) {  // of coordinates with opposite signs
    const Vector sign = scale.cwiseSign();
    moved.correlations.array().colwise() *= (sign * sign.transpose()).reshaped().array();
  }
  if (moved.means.cols() > 0) require_components(moved, where);  // scale may overflow or underflow
  return std::make_shared<const GaussianComponents>(std::move(moved));
}

GaussianMixtures GaussianMixtures::affine_each(const MatrixView& shift, const MatrixView& scale) const {
  const std::string_view where = "GaussianMixtures::affine_each";
  require_shape(shift, dimension(), size(), where, "shift");
  require_shape(scale, dimension(), size(), where, "scale");
  const Index m = n_components();
  GaussianComponents all = GaussianComponents::standard(dimension(), m * size(), components_->correlated());
  for (Index i = 0; i < size(); ++i) {
    all.set_columns(i * m, slice(i, 1).affine(shift.col(i), scale.col(i)).components());
  }
  return {std::make_shared<const GaussianComponents>(std::move(all)), log_weights_, false};
}

// With L = (L_xx 0; L_yx L_yy) of a component, x first, and z = L_xx^-1 D_x^-1 (x - v_x): its weight is proportional to
// w exp(-|z|^2 / 2) / det(D_x L_xx), its mean v_y + D_y L_yx z.
GaussianMixtures GaussianMixtures::conditional(const std::vector<Index>& given, const MatrixView& values) const {
  const std::string_view where = "GaussianMixtures::conditional";
  const Index k = std::ssize(given);
  require(k >= 1 && k < dimension(), where, ": ", k, " of ", dimension(),
          " coordinates are given; expected at least one, and not all");
  require_coordinates(given, dimension(), where);
  require_shape(values, k, size(), where, "values");
  require_numbers(values, where, "values");
  std::vector<Index> order = given;
  for (Index j = 0; j < dimension(); ++j) {
    if (std::find(given.begin(), given.end(), j) == given.end()) order.push_back(j);
  }
  const GaussianComponents joint = components_->coordinates(order);
  const GaussianComponents rest = joint.given_leading(k);
  const Index m = n_components();
  const bool moves = joint.correlated();
  GaussianComponents out =
      moves && shared_ ? GaussianComponents::standard(rest.means.rows(), m * size(), rest.correlated()) : rest;
  Matrix log_weights = log_weights_;
  for (Index i = 0; i < size(); ++i) {
    if (moves && shared_) out.set_columns(i * m, rest);
    for (Index l = 0; l < m; ++l) {
      const Index from = offset(i) + l;
      Vector z = (values.col(i) - joint.means.col(from).head(k)).cwiseQuotient(joint.scales.col(from).head(k));
      double log_determinant = joint.scales.col(from).head(k).array().log().sum();
      if (moves) {
        const Matrix factor = joint.correlation_factor(from);
        factor.topLeftCorner(k, k).triangularView<Eigen::Lower>().solveInPlace(z);
        log_determinant += factor.diagonal().head(k).array().log().sum();
        out.means.col(i * m + l) +=
            joint.scales.col(from).tail(dimension() - k).cwiseProduct(factor.bottomLeftCorner(dimension() - k, k) * z);
      }
      log_weights(l, i) -= 0.5 * z.squaredNorm() + log_determinant;
    }
  }
  if (!moves && shared_)
    return shared(std::make_shared<const GaussianComponents>(std::move(out)), std::move(log_weights));
  return separate(std::move(out), std::move(log_weights));
}

GaussianMixtures GaussianMixtures::marginal(Index j) const { return marginal(std::vector<Index>{j}); }

GaussianMixtures GaussianMixtures::marginal(const std::vector<Index>& coordinates) const {
  require_coordinates(coordinates, dimension(), "GaussianMixtures::marginal");
  return {std::make_shared<const GaussianComponents>(components_->coordinates(coordinates)), log_weights_, shared_};
}

}  // namespace condens
