// Steps of Adam as the algorithm is printed (Kingma and Ba 2015, algorithm 1), one number after the other.

#include "optim/adam.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/normals.hpp"

namespace condens::adam_test {
namespace {

TEST(Adam, StepsAreThoseOfTheAlgorithm) {
  const Matrix gradients = normals(3, 12, 5);
  Adam adam(3);
  Vector m = Vector::Zero(3);
  Vector v = Vector::Zero(3);
  for (Index t = 1; t <= gradients.cols(); ++t) {
    const Vector found = adam.step(gradients.col(t - 1));
    for (Index k = 0; k < 3; ++k) {
      const double g = gradients(k, t - 1);
      m[k] = 0.9 * m[k] + 0.1 * g;
      v[k] = 0.999 * v[k] + 0.001 * g * g;
      const double first = m[k] / (1 - std::pow(0.9, static_cast<double>(t)));
      const double second = v[k] / (1 - std::pow(0.999, static_cast<double>(t)));
      EXPECT_NEAR(found[k], first / (std::sqrt(second) + 1e-8), 1e-12);
    }
  }
}

TEST(Adam, RatesFallToZero) {
  EXPECT_EQ(cosine_rate(0.0), 1.0);
  EXPECT_NEAR(cosine_rate(0.5), 0.5, 1e-15);
  EXPECT_NEAR(cosine_rate(1.0), 0.0, 1e-15);
}

}  // namespace
}  // namespace condens::adam_test
