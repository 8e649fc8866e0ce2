#include "self_check.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <sstream>
#include <stdexcept>

#include "common/differences.hpp"
#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "fits.hpp"
#include "idx.hpp"

namespace condens::reproduce {

namespace {

constexpr Index n_rows = 40;
constexpr Index n_inputs = 2;
constexpr Index n_states = 3;

Dataset small_data() {
  RandomStream random(11);
  Matrix x(n_inputs, n_rows);
  Matrix y(1, n_rows);
  for (Index i = 0; i < n_rows; ++i) {
    for (double& value : x.col(i)) value = random.normal();
    y(0, i) = std::tanh(2 * x(0, i)) - 0.5 * x(1, i) + 0.2 * random.normal();
  }
  return {.x = x, .y = y};
}

/// (29): a row for each observation here, as the paper has it.
Matrix softmax_rows(const Matrix& theta, const Matrix& x) {
  Matrix out(x.cols(), theta.cols());
  for (Index i = 0; i < x.cols(); ++i) {
    double sum = 0;
    for (Index j = 0; j < theta.cols(); ++j) {
      double score = theta(0, j);
      for (Index k = 0; k < x.rows(); ++k) score += theta(k + 1, j) * x(k, i);
      sum += out(i, j) = std::exp(score);
    }
    out.row(i) /= sum;
  }
  return out;
}

/// (22).
Matrix smoothing_matrix(const Matrix& w) {
  Matrix out = Matrix::Zero(w.rows(), w.rows());
  for (Index j = 0; j < w.cols(); ++j)
    for (Index i = 0; i < w.rows(); ++i)
      for (Index k = 0; k < w.rows(); ++k) out(i, k) += w(i, j) * w(k, j) / w.col(j).sum();
  return out;
}

/// (25), with Gaussian kernels of one width.
double mixture_density(const Matrix& w, const Vector& y, Index row, double at, double width) {
  double out = 0;
  for (Index j = 0; j < w.cols(); ++j)
    for (Index i = 0; i < y.size(); ++i) {
      const double z = (at - y[i]) / width;
      out += w(row, j) * w(i, j) / w.col(j).sum() * std::exp(-z * z / 2) / (width * std::sqrt(2 * std::numbers::pi));
    }
  return out;
}

void check_fit(Differences& differences) {
  const Dataset data = small_data();
  Method method = minimum_method();
  method.options.standardize = false;
  const Press model = fit(method, data, n_states, 0);
  const Vector y = data.y.row(0).transpose();
  const Matrix w = softmax_rows(model.coefficients(), data.x);
  differences.add("weights (29)", (w - model.state_weights(data.x).transpose()).cwiseAbs().maxCoeff(), 1e-12);
  differences.add("coefficients add up to zero", model.coefficients().rowwise().sum().cwiseAbs().maxCoeff(), 1e-10);
  const Matrix s = smoothing_matrix(w);
  differences.add("fitted values (21)", (s * y - fitted_means(model, data.x)).cwiseAbs().maxCoeff(), 1e-12);
  differences.add("degrees of freedom (35)", std::abs(s.trace() - model.degrees_of_freedom()), 1e-12);
  differences.add("sizes of states (17)", (w.colwise().sum().transpose() - model.state_sizes()).cwiseAbs().maxCoeff(),
                  1e-11);
  const double mse = (y - s * y).squaredNorm() / n_rows;
  differences.add("AIC (37)", std::abs(n_rows * std::log(mse) + 2 * (n_states - 1) * 3 - aic_of(model, n_states, data)),
                  1e-10);
  double entropy = 0;
  for (const double value : w.reshaped()) entropy -= value > 0 ? value * std::log2(value) / n_rows : 0;
  differences.add("mean entropy (18)", std::abs(entropy - model.mean_entropy()), 1e-12);
  const GaussianMixture law = model.predict(data.x.col(5))[0];
  const double width = model.state().bandwidths[0];
  double worst = 0;
  for (const double at : {-1.0, 0.0, 0.7})
    worst = std::max(worst, std::abs(law.pdf(at) - mixture_density(w, y, 5, at, width)));
  differences.add("density (25)", worst, 1e-12);
  differences.add("its mean (19)", std::abs(law.mean()[0] - fitted_means(model, data.x)[5]), 1e-12);
  const auto gcv = [&](const Matrix& theta) {
    const Matrix own = smoothing_matrix(softmax_rows(theta, data.x));
    return (y - own * y).squaredNorm() / n_rows / std::pow(1 - own.trace() / n_rows, 2);
  };
  double slope = 0;  // by differences: the search ends where GCV (34) is least
  for (Index k = 0; k < model.coefficients().size(); ++k) {
    Matrix up = model.coefficients();
    Matrix down = up;
    up.reshaped()[k] += 1e-4;
    down.reshaped()[k] -= 1e-4;
    slope = std::max(slope, std::abs(gcv(up) - gcv(down)) / 2e-4 / gcv(model.coefficients()));
  }
  differences.add("relative slope of GCV (34) at the end", slope, 1e-4);
}

void check_reader(Differences& differences) {
  const std::string images("\0\0\10\3\0\0\0\2\0\0\0\1\0\0\0\3\1\2\3\4\5\377", 22);
  std::istringstream good(images);
  Matrix expected(3, 2);
  expected << 1, 4, 2, 5, 3, 255;
  differences.add("IDX file", (read_idx(good, "images").cast<double>() - expected).cwiseAbs().maxCoeff(), 0);
  std::istringstream cut(images.substr(0, 20));
  bool refused = false;
  try {
    read_idx(cut, "images");
  } catch (const std::invalid_argument&) {
    refused = true;
  }
  if (!refused) throw std::runtime_error("an IDX file that is cut off was read");
}

}  // namespace

void check_equations(std::ostream& out) {
  Differences differences;
  check_fit(differences);
  check_reader(differences);
  out << "A fit of " << n_states << " states to " << n_rows
      << " drawn rows by GCV, on the scale of the data, beside the "
      << "equations as plain loops; and the reader of MNIST.\n\n";
  differences.print(out);
}

}  // namespace condens::reproduce
