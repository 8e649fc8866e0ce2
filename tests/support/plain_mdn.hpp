#pragma once
// A mixture density network as plain loops over rows, units and components, from Bishop (1994) and the layout in
// estimators/mixture_density_network/network.hpp, in long double.

#include <cmath>
#include <vector>

#include "condens/estimators/mixture_density_network/network.hpp"

namespace condens::plain {

struct MdnOutputs {
  std::vector<long double> weights;             // pi_l
  std::vector<std::vector<long double>> means;  // [component][target]
  std::vector<std::vector<long double>> scales;
};

inline MdnOutputs mdn_outputs(const mdn::Shape& shape, const Vector& parameters, const Vector& x) {
  Index next = 0;
  const auto read = [&](Index rows, Index cols) {
    Matrix out(rows, cols);
    for (Index j = 0; j < cols; ++j) {
      for (Index i = 0; i < rows; ++i) out(i, j) = parameters[next++];
    }
    return out;
  };
  std::vector<long double> below(x.begin(), x.end());
  const auto apply = [&](Index outputs) {
    const Matrix weights = read(static_cast<Index>(below.size()), outputs);
    const Matrix biases = read(outputs, 1);
    std::vector<long double> out;
    for (Index j = 0; j < outputs; ++j) {
      long double total = biases(j, 0);
      for (std::size_t i = 0; i < below.size(); ++i) total += weights(static_cast<Index>(i), j) * below[i];
      out.push_back(total);
    }
    return out;
  };
  for (Index layer = 0; layer < shape.layers; ++layer) {
    std::vector<long double> above = apply(shape.hidden);
    for (std::size_t j = 0; j < above.size(); ++j) {
      above[j] = std::tanh(above[j]) + (shape.residual && layer > 0 ? below[j] : 0.0L);
    }
    below = above;
  }
  const Index t = shape.n_components;
  const Index d = shape.n_targets;
  std::vector<long double> o = apply(t + t * d + t * (shape.isotropic ? 1 : d));
  if (shape.skip) {
    const Matrix skip = read(x.size(), t * d);
    for (Index j = 0; j < t * d; ++j) {
      for (Index i = 0; i < x.size(); ++i) o[static_cast<std::size_t>(t + j)] += skip(i, j) * x[i];
    }
  }
  MdnOutputs out;
  long double total = 0;
  for (Index l = 0; l < t; ++l) total += std::exp(o[static_cast<std::size_t>(l)]);
  for (Index l = 0; l < t; ++l) {
    out.weights.push_back(std::exp(o[static_cast<std::size_t>(l)]) / total);
    out.means.emplace_back();
    out.scales.emplace_back();
    for (Index k = 0; k < d; ++k) {
      out.means.back().push_back(o[static_cast<std::size_t>(t + l * d + k)]);
      const Index s = t + t * d + (shape.isotropic ? l : l * d + k);
      out.scales.back().push_back(shape.scale_floor + std::exp(o[static_cast<std::size_t>(s)]));
    }
  }
  return out;
}

/// -log p(y|x).
inline double mdn_loss(const mdn::Shape& shape, const Vector& parameters, const Vector& x, const Vector& y) {
  const MdnOutputs at = mdn_outputs(shape, parameters, x);
  long double density = 0;
  for (std::size_t l = 0; l < at.weights.size(); ++l) {
    long double term = at.weights[l];
    for (Index k = 0; k < y.size(); ++k) {
      const long double scale = at.scales[l][static_cast<std::size_t>(k)];
      const long double z = (y[k] - at.means[l][static_cast<std::size_t>(k)]) / scale;
      term *= std::exp(-z * z / 2) / (scale * std::sqrt(2 * 3.14159265358979323846264338327950288L));
    }
    density += term;
  }
  return static_cast<double>(-std::log(density));
}

}  // namespace condens::plain
