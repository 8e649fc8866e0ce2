#pragma once
// Adam: steps along averages of gradients of some rows each, over the roots of averages of their squares.
//
//   m <- b1 m + (1 - b1) g,   v <- b2 v + (1 - b2) g^2,   step  m / (1 - b1^t) / (sqrt(v / (1 - b2^t)) + 1e-8)
//
// with b1 = 0.9, b2 = 0.999. Source: D. P. Kingma and J. Ba, Adam: a method for stochastic optimization, ICLR 2015.
// The rate falls to zero along half a cosine (I. Loshchilov and F. Hutter, SGDR, ICLR 2017).

#include <cmath>
#include <numbers>

#include "condens/core/types.hpp"

namespace condens {

class Adam {
 public:
  explicit Adam(Index parameters) : first_(Vector::Zero(parameters)), second_(Vector::Zero(parameters)) {}

  /// The step of the next gradient, to be taken off the parameters times the rate.
  Vector step(const Vector& gradient) {
    constexpr double beta1 = 0.9;
    constexpr double beta2 = 0.999;
    constexpr double tiny = 1e-8;
    first_ = beta1 * first_ + (1 - beta1) * gradient;
    second_ = beta2 * second_ + (1 - beta2) * gradient.cwiseAbs2();
    ++steps_;
    const double unbias1 = 1 - std::pow(beta1, static_cast<double>(steps_));
    const double unbias2 = 1 - std::pow(beta2, static_cast<double>(steps_));
    return first_.array() / unbias1 / ((second_.array() / unbias2).sqrt() + tiny);
  }

 private:
  Vector first_;
  Vector second_;
  Index steps_ = 0;
};

/// What is left of the rate after this share of the passes.
inline double cosine_rate(double progress) { return 0.5 * (1 + std::cos(std::numbers::pi * progress)); }

}  // namespace condens
