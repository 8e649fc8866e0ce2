#include "condens/density/parzen_width.hpp"

#include <cmath>
#include <limits>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "condens/kernels/gaussian_kernel.hpp"
#include "condens/linalg/log_sum_exp.hpp"
#include "condens/linalg/vector_math.hpp"
#include "condens/optim/lbfgs.hpp"

namespace condens {

namespace {

constexpr Index rows_of_task = 64;

Vector shares(const MatrixView& z, const VectorView& weights) {
  require(weights.size() == 0 || weights.size() == z.cols(), "Parzen window: ", weights.size(), " weights for ",
          z.cols(), " points");
  Vector out = weights.size() > 0 ? Vector(weights) : Vector::Ones(z.cols());
  return out / out.sum();
}

/// log sum_j w_j exp(-|u_i - u_j|^2 / 2), and in `moments` the mean of |u_i - u_j|^2 by the terms.
Vector log_sums(const Matrix& u, const Vector& share, bool leave_self_out, const Run& run, Vector& moments) {
  const Index n = u.rows();
  const Vector log_share = share.array().log();
  Vector out(n);
  moments.resize(n);
  Task task(run, "Parzen window", static_cast<double>(n));
  const auto body = [&](Index block) {
    Vector distance(n);
    Vector term(n);
    const Range range = block_range(n, rows_of_task, block);
    for (Index i = range.begin; i < range.end; ++i) {
      squared_distances(u, u.row(i).transpose(), distance);
      term = log_share - 0.5 * distance;
      if (leave_self_out) term[i] = -std::numeric_limits<double>::infinity();
      out[i] = log_sum_exp_in_place(term.data(), n);
      moments[i] = dot(term.data(), distance.data(), n) / sum(term.data(), n);
      if (leave_self_out) out[i] -= std::log1p(-share[i]);
    }
    task.advance(static_cast<double>(range.size()));
  };
  parallel_for(block_count(n, rows_of_task), task.threads(), body, [&] { task.poll(); });
  return out;
}

}  // namespace

double parzen_likelihood_width(const MatrixView& z, const VectorView& weights, const Run& run) {
  const Vector share = shares(z, weights);
  const auto d = static_cast<double>(z.rows());
  const auto objective = [&](const Vector& at, Vector& gradient) {
    const double width = std::exp(at[0]);
    Vector moments;
    const Vector rows = log_sums(z.transpose() / width, share, true, run, moments);
    gradient[0] = d - share.dot(moments);
    return d * at[0] - share.dot(rows);
  };
  const double start = -std::log(static_cast<double>(z.cols())) / (d + 4);
  const LbfgsResult found = minimize(objective, Vector::Constant(1, start), Vector::Constant(1, std::log(1e-3)),
                                     Vector::Constant(1, std::log(1e3)));
  return std::exp(found.x[0]);
}

Vector parzen_density(const MatrixView& z, const VectorView& weights, const VectorView& widths, bool leave_self_out,
                      const Run& run) {
  const Vector share = shares(z, weights);
  require(widths.size() == z.rows(), "Parzen window: ", widths.size(), " widths for ", z.rows(), " rows");
  Vector moments;
  const Matrix u = z.transpose() * widths.cwiseInverse().asDiagonal();
  const Vector logs = log_sums(u, share, leave_self_out, run, moments);
  return (logs.array() - log_kernel_mass(z.rows(), 1.0) - widths.array().log().sum()).exp();
}

}  // namespace condens
