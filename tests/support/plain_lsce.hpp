#pragma once
// SCE-hat and its gradient written as appendix B of Tangkaratt, Xie and Sugiyama (2015) writes
// them: a b x b matrix dG and a vector dh for each entry (l, l') of W. With weights, and V and
// psi given, so that SMI-hat is the same loops.

#include <Eigen/Cholesky>
#include <cmath>
#include <numbers>

#include "condens/core/types.hpp"

namespace condens::plain {

struct Lsce {
  Matrix x, y;                  // d x n
  Vector w;                     // n
  Matrix centers_x, centers_y;  // d x b
  double sigma, sigma_y, lambda;
  bool ratio = false;  // SMI-hat instead of SCE-hat

  Index n() const { return x.cols(); }
  Index b() const { return centers_x.cols(); }

  double phi(const Matrix& W, Index i, Index k) const {
    return std::exp(-(W * x.col(i) - W * centers_x.col(k)).squaredNorm() / (2 * sigma * sigma));
  }
  double psi(Index i, Index k) const {
    return std::exp(-(y.col(i) - centers_y.col(k)).squaredNorm() / (2 * sigma_y * sigma_y));
  }
  double overlap(Index k, Index m) const {
    if (!ratio) {
      return std::pow(std::sqrt(std::numbers::pi) * sigma_y, static_cast<double>(y.rows())) *
             std::exp(-(centers_y.col(k) - centers_y.col(m)).squaredNorm() / (4 * sigma_y * sigma_y));
    }
    double sum = 0;
    for (Index i = 0; i < n(); ++i) sum += w[i] * psi(i, k) * psi(i, m);
    return sum / w.sum();
  }

  /// V, Psi and Phi once, so that the loops over (l, l') cost what the appendix says and no more.
  struct Kernels {
    Matrix V, Psi, Phi, Z, U;
  };
  Kernels kernels(const Matrix& W) const {
    Kernels out{Matrix(b(), b()), Matrix(n(), b()), Matrix(n(), b()), W * x, W * centers_x};
    for (Index k = 0; k < b(); ++k) {
      for (Index m = 0; m < b(); ++m) out.V(k, m) = overlap(k, m);
      for (Index i = 0; i < n(); ++i) out.Psi(i, k) = psi(i, k);
      for (Index i = 0; i < n(); ++i) out.Phi(i, k) = phi(W, i, k);
    }
    return out;
  }

  struct Value {
    double plug_in;            // a'Ga/2 - h'a
    double envelope;           // the minimum of that plus lambda/2 |a|^2
    Matrix gradient;           // of plug_in
    Matrix envelope_gradient;  // of envelope
    Vector a;
  };

  Value operator()(const Matrix& W) const {
    const Kernels K = kernels(W);
    Matrix G = Matrix::Zero(b(), b());
    Vector h = Vector::Zero(b());
    for (Index k = 0; k < b(); ++k) {
      for (Index m = 0; m < b(); ++m) {
        for (Index i = 0; i < n(); ++i) G(k, m) += w[i] / w.sum() * K.V(k, m) * K.Phi(i, k) * K.Phi(i, m);
      }
      for (Index i = 0; i < n(); ++i) h[k] += w[i] / w.sum() * K.Phi(i, k) * K.Psi(i, k);
    }
    const Eigen::LLT<Matrix> solver(G + lambda * Matrix::Identity(b(), b()));
    Value out;
    out.a = solver.solve(h);
    const Vector beta = solver.solve(G * out.a);
    out.plug_in = 0.5 * out.a.dot(G * out.a) - h.dot(out.a);
    out.envelope = out.plug_in + 0.5 * lambda * out.a.squaredNorm();
    out.gradient.resize(W.rows(), W.cols());
    out.envelope_gradient.resize(W.rows(), W.cols());
    for (Index l = 0; l < W.rows(); ++l) {
      for (Index lp = 0; lp < W.cols(); ++lp) {
        const Matrix dG = derivative_of_G(K, l, lp);
        const Vector dh = derivative_of_h(K, l, lp);
        out.gradient(l, lp) = out.a.dot(dG * (1.5 * out.a - beta)) + dh.dot(beta - 2 * out.a);
        out.envelope_gradient(l, lp) = 0.5 * out.a.dot(dG * out.a) - dh.dot(out.a);
      }
    }
    return out;
  }

  Matrix derivative_of_G(const Kernels& K, Index l, Index lp) const {
    Matrix out = Matrix::Zero(b(), b());
    for (Index k = 0; k < b(); ++k) {
      for (Index m = 0; m < b(); ++m) {
        double sum = 0;
        for (Index i = 0; i < n(); ++i) {
          sum += w[i] * K.Phi(i, k) * K.Phi(i, m) *
                 ((K.Z(l, i) - K.U(l, k)) * (x(lp, i) - centers_x(lp, k)) +
                  (K.Z(l, i) - K.U(l, m)) * (x(lp, i) - centers_x(lp, m)));
        }
        out(k, m) = -K.V(k, m) * sum / (sigma * sigma * w.sum());
      }
    }
    return out;
  }

  Vector derivative_of_h(const Kernels& K, Index l, Index lp) const {
    Vector out = Vector::Zero(b());
    for (Index k = 0; k < b(); ++k) {
      for (Index i = 0; i < n(); ++i) {
        out[k] += w[i] * K.Phi(i, k) * K.Psi(i, k) * (K.Z(l, i) - K.U(l, k)) * (x(lp, i) - centers_x(lp, k));
      }
    }
    return -out / (sigma * sigma * w.sum());
  }
};

}  // namespace condens::plain
