#include "node_kernels.hpp"

#include <cmath>

#include "kernels/gaussian_kernel.hpp"
#include "linalg/vector_math.hpp"

namespace condens::press {

Vector kernel_sums(const PressNodes& nodes, double h, Range at, const Vector& v, Matrix& kernels, Vector* slope) {
  if (kernels.size() == 0) {
    const Index d = nodes.centers.rows();
    kernels.resize(nodes.size(), at.size());
    squared_distances(nodes.centers.transpose(), nodes.centers.middleCols(at.begin, at.size()), kernels);
    kernels.array() *= -0.5 / (h * h);
    Matrix by_log_h;
    if (slope != nullptr) by_log_h = -2.0 * kernels.array() - static_cast<double>(d);  // |z|^2 - d
    kernels.array() -= log_kernel_mass(d, h);
    exp_in_place(kernels.data(), kernels.size());
    if (slope != nullptr) {
      by_log_h.array() *= kernels.array();
      *slope = by_log_h.transpose() * v;
    }
  }
  return kernels.transpose() * v;
}

OwnKernels own_kernels(const PressNodes& nodes, double h, Range rows) {
  const Index d = nodes.centers.rows();
  const Index corners = nodes.corners;
  const double at_zero = std::exp(-log_kernel_mass(d, h));
  OwnKernels out{Vector::Constant(rows.size(), at_zero),
                 Vector::Constant(rows.size(), -static_cast<double>(d) * at_zero)};
  if (corners == 1) return out;
  Matrix exponent(corners * (corners - 1) / 2, rows.size());  // of the pairs of corners
  const auto between = [&](Index a, Index b) {
    const auto column = [&](Index c) { return nodes.centers.col(nodes.node[static_cast<std::size_t>(c)]); };
    return (column(a) - column(b)).squaredNorm();
  };
  for (Index i = 0; i < rows.size(); ++i) {
    const Index first = (rows.begin + i) * corners;
    Index pair = 0;
    for (Index a = 0; a < corners; ++a) {
      for (Index b = 0; b < a; ++b) exponent(pair++, i) = -0.5 / (h * h) * between(first + a, first + b);
    }
  }
  Matrix kernel = exponent;
  exp_in_place(kernel.data(), kernel.size());
  for (Index i = 0; i < rows.size(); ++i) {
    const auto share = nodes.share.segment((rows.begin + i) * corners, corners);
    double value = share.squaredNorm();
    double slope = -static_cast<double>(d) * value;
    Index pair = 0;
    for (Index a = 0; a < corners; ++a) {
      for (Index b = 0; b < a; ++b, ++pair) {
        const double both = 2 * share[a] * share[b] * kernel(pair, i);
        value += both;
        slope += both * (-2 * exponent(pair, i) - static_cast<double>(d));
      }
    }
    out.value[i] = at_zero * value;
    out.slope[i] = at_zero * slope;
  }
  return out;
}

LogKernels log_kernels(const PressNodes& nodes, double h, Index row, Range others) {
  const auto d = static_cast<double>(nodes.centers.rows());
  const Index corners = nodes.corners;
  const auto center = [&](Index c) { return nodes.centers.col(nodes.node[static_cast<std::size_t>(c)]); };
  LogKernels out{Vector(others.size()), Vector(others.size())};
  Vector square(corners * corners);  // |z|^2 of the pairs of corners
  Vector term(square.size());        // logarithms of what they add
  for (Index k = 0; k < others.size(); ++k) {
    for (Index pair = 0; pair < square.size(); ++pair) {
      const Index a = row * corners + pair / corners;
      const Index b = (others.begin + k) * corners + pair % corners;
      square[pair] = (center(a) - center(b)).squaredNorm() / (h * h);
      term[pair] = std::log(nodes.share[a] * nodes.share[b]) - 0.5 * square[pair];
    }
    const double largest = term.maxCoeff();
    term = (term.array() - largest).exp();
    out.value[k] = largest + std::log(term.sum()) - log_kernel_mass(nodes.centers.rows(), h);
    out.slope[k] = term.dot(square) / term.sum() - d;
  }
  return out;
}

}  // namespace condens::press
