// Components of a regular grid against the kernels they stand for: the total variation that gridded_kernels.hpp states.

#include "model/gridded_kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "condens/core/random.hpp"
#include "condens/estimators/nadaraya_watson.hpp"
#include "condens/estimators/parzen.hpp"

namespace condens::gridded_kernels_test {
namespace {

const Defensive none{};

struct Kernels {
  Matrix u;
  Vector log_weights;
  Matrix v;

  Kernels(Index d, Index n) : u(d, n), log_weights(n), v(1, n) {
    RandomStream random(1, 0);
    for (Index l = 0; l < n; ++l) {
      for (Index k = 0; k < d; ++k) u(k, l) = 3 * random.normal();
      log_weights[l] = std::log(random.uniform() + 0.1);
      v(0, l) = random.normal() + (d > 0 ? u(0, l) : 0.0);
    }
  }

  GaussianMixture plain(const Vector& z, double width) const {
    Vector weights = log_weights;
    for (Index l = 0; l < u.cols(); ++l) weights[l] -= 0.5 * (z - u.col(l)).squaredNorm();
    return GaussianMixture::from_log_weights(weights, v, Matrix::Constant(1, v.cols(), width));
  }
};

/// Half the integral of |p - q|, by the trapezoidal rule: the difference waves with the spacing of the nodes, 0.48
/// widths, of which a step is a quarter.
double total_variation(const GaussianMixture& p, const GaussianMixture& q, double width) {
  const double step = 0.12 * width;
  const double low = p.means().minCoeff() - 10 * width;
  const double high = p.means().maxCoeff() + 10 * width;
  double out = 0;
  for (double y = low; y < high; y += step) out += std::abs(p.pdf(y) - q.pdf(y));
  return 0.5 * step * out;
}

TEST(GriddedKernels, DifferByLessThanAMillionthInTotalVariation) {
  for (const Index d : {0, 1, 3}) {
    const Kernels kernels(d, 2000);
    for (const double width : {0.1, 0.7}) {
      const auto gridded = GriddedKernels::make(kernels.u, kernels.log_weights, kernels.v, width, none);
      ASSERT_NE(gridded, nullptr);
      for (const double far : {0.0, 1.0, 10.0, 100.0}) {
        const Vector z = Vector::Constant(d, far);
        const GaussianMixture found = gridded->laws(z)[0];
        EXPECT_LT(4 * found.n_components(), 2000);
        EXPECT_LT(total_variation(kernels.plain(z, width), found, width), 1e-6)
            << "d = " << d << ", width " << width << ", z = " << far;
      }
    }
  }
}

TEST(GriddedKernels, StandInOnlyWhereTheyAreFewer) {
  const Kernels kernels(1, 3000);
  const auto make = [&](const Matrix& v, double width) {
    return GriddedKernels::make(kernels.u.leftCols(v.cols()), kernels.log_weights.head(v.cols()), v, width, none);
  };
  EXPECT_NE(make(kernels.v, 0.1), nullptr);
  EXPECT_EQ(make(kernels.v.leftCols(999), 0.1), nullptr) << "few kernels";
  EXPECT_EQ(make(kernels.v.replicate(2, 1), 0.1), nullptr) << "two targets";
  EXPECT_EQ(make(kernels.v, 1e-3), nullptr) << "as many nodes as kernels";
  EXPECT_EQ(make(kernels.v, 1e-12), nullptr) << "nodes that have no number";
}

TEST(GriddedKernels, OutOfAllReachThereIsWhatIsKnownWithoutInputs) {
  const Kernels kernels(2, 3000);
  const auto gridded = GriddedKernels::make(kernels.u, kernels.log_weights, kernels.v, 0.3, none);
  const GaussianMixture found = gridded->laws(Vector::Constant(2, 1e200))[0];
  const GaussianMixture all =
      GaussianMixture::from_log_weights(kernels.log_weights, kernels.v, Matrix::Constant(1, 3000, 0.3));
  EXPECT_LT(total_variation(all, found, 0.3), 1e-6);
}

TEST(GriddedKernels, KeepTheDefensiveShare) {
  const Kernels kernels(1, 3000);
  const Defensive defensive{.weight = 0.01, .mean = Vector::Zero(1), .scale = Vector::Constant(1, 20.0)};
  const auto gridded = GriddedKernels::make(kernels.u, kernels.log_weights, kernels.v, 0.3, defensive);
  const GaussianMixture found = gridded->laws(Vector::Zero(1))[0];
  EXPECT_NEAR(found.weights()[found.n_components() - 1], 0.01, 1e-12);
  EXPECT_EQ(found.scales()(0, found.n_components() - 1), 20.0);
}

TEST(GriddedKernels, ServeTheModelsOfManySamples) {
  const Kernels kernels(2, 3000);
  const Dataset data{.x = kernels.u, .y = kernels.v};
  NadarayaWatsonOptions options{.bandwidth = {0.4}, .bandwidth_y = {0.2}, .defensive_weight = 0, .standardize = false};
  const NadarayaWatson nw = NadarayaWatson::fit(data, options);
  const ParzenOptions parzen_options{.bandwidth = {0.4}, .defensive_weight = 0, .standardize = false};
  const Parzen parzen = Parzen::fit(data, parzen_options);
  const Matrix x = kernels.u.leftCols(3);
  const GaussianMixtures of_nw = nw.predict(x);
  const GaussianMixtures of_parzen = parzen.predict(x);
  EXPECT_LT(of_nw.n_components(), 300);
  EXPECT_LT(of_parzen.n_components(), 300);
  for (Index i = 0; i < x.cols(); ++i) {
    Vector weights(3000);
    for (Index l = 0; l < 3000; ++l) weights[l] = -0.5 * ((x.col(i) - kernels.u.col(l)) / 0.4).squaredNorm();
    const auto plain = [&](double width) {
      return GaussianMixture::from_log_weights(weights, kernels.v, Matrix::Constant(1, 3000, width));
    };
    EXPECT_LT(total_variation(plain(0.2), of_nw[i], 0.2), 1e-6);
    EXPECT_LT(total_variation(plain(0.4), of_parzen[i], 0.4), 1e-6);
  }
}

}  // namespace
}  // namespace condens::gridded_kernels_test
