// The network's loss against plain loops, and its gradient against differences.

#include "condens/estimators/mixture_density_network/network.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "condens/core/random.hpp"
#include "support/normals.hpp"
#include "support/plain_mdn.hpp"

namespace condens::mixture_network_test {
namespace {

using mdn::NetworkLoss;
using mdn::Shape;

struct Example {
  Shape shape;
  Matrix x;
  Matrix y;
  Vector weights;
  Vector parameters;
};

Example example(Shape shape, Index n, std::uint64_t seed = 1) {
  RandomStream random(seed);
  Example out{shape, normals(shape.n_inputs, n, random), normals(shape.n_targets, n, random), Vector::Ones(n), {}};
  for (Index i = 0; i < n; i += 3) out.weights[i] = 0.25 + random.uniform();
  out.parameters = 0.5 * normals(shape.n_parameters(), 1, random);
  return out;
}

std::vector<Shape> shapes() {
  return {
      {.n_inputs = 3, .n_targets = 1, .hidden = 4, .layers = 1, .n_components = 3, .scale_floor = 0.03},
      {.n_inputs = 2, .n_targets = 2, .hidden = 5, .layers = 2, .n_components = 2, .skip = true, .scale_floor = 0.2},
      {.n_inputs = 2, .n_targets = 3, .hidden = 3, .layers = 3, .n_components = 2, .skip = true, .isotropic = true},
      {.n_inputs = 0, .n_targets = 1, .hidden = 2, .layers = 1, .n_components = 4, .skip = true},
      {.n_inputs = 1, .n_targets = 2, .hidden = 1, .layers = 1, .n_components = 1, .isotropic = true},
      {.n_inputs = 2, .n_targets = 1, .hidden = 4, .layers = 4, .n_components = 2, .residual = true},
      {.n_inputs = 3, .n_targets = 1, .hidden = 3, .layers = 1, .n_components = 2, .skip = true, .residual = true}};
}

TEST(MixtureNetwork, LossIsThatOfPlainLoops) {
  for (const Shape& shape : shapes()) {
    const Example e = example(shape, 150);  // three blocks, the last one short
    NetworkLoss loss(shape, e.x, e.y, e.weights, 0.0);
    const Vector losses = loss.losses(e.parameters, 1);
    double total = 0;
    for (Index i = 0; i < e.y.cols(); ++i) {
      const double plain = plain::mdn_loss(shape, e.parameters, e.x.col(i), e.y.col(i));
      EXPECT_NEAR(losses[i], plain, 1e-12 * (1 + std::abs(plain)));
      total += e.weights[i] * plain;
    }
    EXPECT_NEAR(loss.mean_loss(e.parameters, 1), total / e.weights.sum(), 1e-12);
    Vector gradient;
    EXPECT_EQ(loss(e.parameters, gradient, 1), loss.mean_loss(e.parameters, 1));
  }
}

TEST(MixtureNetwork, InSinglePrecisionLossAndGradientAreTheSameToItsDigits) {
  for (const Shape& shape : shapes()) {
    const Example e = example(shape, 100);
    const mdn::Block block{e.x.transpose(), e.y.transpose(), e.weights};
    const mdn::BasicBlock<float> rounded{block.x.cast<float>(), block.y, block.weights};
    mdn::Workspace work(shape, 100);
    mdn::BasicWorkspace<float> work_in_float(shape, 100);
    Vector gradient = Vector::Zero(shape.n_parameters());
    mdn::VectorOf<float> gradient_in_float = mdn::VectorOf<float>::Zero(shape.n_parameters());
    const double value = mdn::add_loss(shape, block, e.parameters, work, gradient);
    const mdn::VectorOf<float> parameters = e.parameters.cast<float>();
    const double other = mdn::add_loss(shape, rounded, parameters, work_in_float, gradient_in_float);
    EXPECT_NEAR(other, value, 1e-4 * (1 + std::abs(value)));
    EXPECT_LT((gradient_in_float.cast<double>() - gradient).norm(), 1e-4 * (1 + gradient.norm()));
  }
}

TEST(MixtureNetwork, MixtureIsThatOfPlainLoops) {
  for (const Shape& shape : shapes()) {
    const Example e = example(shape, 7);
    mdn::Workspace work(shape, 7);
    const Matrix outputs = mdn::mixture(shape, e.x.transpose(), e.parameters, work);
    for (Index i = 0; i < 7; ++i) {
      const plain::MdnOutputs plain = plain::mdn_outputs(shape, e.parameters, e.x.col(i));
      for (Index l = 0; l < shape.n_components; ++l) {
        const auto component = static_cast<std::size_t>(l);
        EXPECT_NEAR(std::exp(outputs(i, l)), static_cast<double>(plain.weights[component]), 1e-14);
        for (Index k = 0; k < shape.n_targets; ++k) {
          const auto target = static_cast<std::size_t>(k);
          EXPECT_NEAR(outputs(i, shape.mean_output(l, k)), static_cast<double>(plain.means[component][target]), 1e-13);
          const double scale = static_cast<double>(plain.scales[component][target]);
          EXPECT_NEAR(outputs(i, shape.scale_output(l, k)), scale, 1e-13 * scale);
        }
      }
    }
  }
}

TEST(MixtureNetwork, GradientAgreesWithDifferences) {
  for (const Shape& shape : shapes()) {
    const Example e = example(shape, 80, 3);
    NetworkLoss loss(shape, e.x, e.y, e.weights, 0.3);
    Vector gradient;
    loss(e.parameters, gradient, 1);
    Vector ignored;
    for (Index k = 0; k < e.parameters.size(); ++k) {
      const double h = 1e-5;
      Vector above = e.parameters;
      Vector below = e.parameters;
      above[k] += h;
      below[k] -= h;
      const double difference = (loss(above, ignored, 1) - loss(below, ignored, 1)) / (2 * h);
      EXPECT_NEAR(gradient[k], difference, 1e-7 * (1 + std::abs(gradient[k]))) << k;
    }
  }
}

TEST(MixtureNetwork, PenaltyIsOnWeightsAndNotOnBiases) {
  const Shape shape = shapes()[1];
  const Vector parameters = Vector::LinSpaced(shape.n_parameters(), 1.0, 2.0);
  Vector gradient = Vector::Zero(parameters.size());
  const double value = mdn::add_penalty(shape, 0.5, parameters, gradient);
  // W_1: 2 x 5, b_1: 5, W_2: 5 x 5, b_2: 5, V: 5 x 10, c: 10, S: 2 x 4.
  const std::vector<std::pair<Index, bool>> parts = {{10, true}, {5, false},  {25, true}, {5, false},
                                                     {50, true}, {10, false}, {8, true}};
  Index next = 0;
  double squares = 0;
  for (const auto& [count, penalised] : parts) {
    for (Index i = 0; i < count; ++i, ++next) {
      EXPECT_EQ(gradient[next], penalised ? 0.5 * parameters[next] : 0.0) << next;
      if (penalised) squares += parameters[next] * parameters[next];
    }
  }
  EXPECT_EQ(next, shape.n_parameters());
  EXPECT_NEAR(value, 0.25 * squares, 1e-12 * squares);
}

TEST(MixtureNetwork, WeightTwoIsTwoCopies) {
  const Shape shape = shapes()[0];
  Example e = example(shape, 20);
  e.weights.setOnes();
  Matrix x(3, 40);
  Matrix y(1, 40);
  x << e.x, e.x;
  y << e.y, e.y;
  NetworkLoss once(shape, e.x, e.y, 2 * e.weights, 0.1);
  NetworkLoss twice(shape, x, y, Vector::Ones(40), 0.1);
  Vector a;
  Vector b;
  EXPECT_NEAR(once(e.parameters, a, 1), twice(e.parameters, b, 1), 1e-13);
  EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 1e-13);
}

TEST(MixtureNetwork, ThreadsDoNotChangeOneBit) {
  const Shape shape = shapes()[1];
  const Example e = example(shape, 5000);  // five groups of blocks
  NetworkLoss loss(shape, e.x, e.y, e.weights, 0.1);
  Vector gradient;
  const double value = loss(e.parameters, gradient, 1);
  for (const int threads : {2, 7}) {
    Vector again;
    EXPECT_EQ(loss(e.parameters, again, threads), value);
    EXPECT_EQ(again, gradient);
    EXPECT_EQ(loss.losses(e.parameters, threads), loss.losses(e.parameters, 1));
  }
}

TEST(MixtureNetwork, FarTargetsAndHugeOutputsStayFinite) {
  const Shape shape = shapes()[0];
  Example e = example(shape, 10);
  e.y(0, 3) = 1e8;
  e.y(0, 4) = -1e30;
  NetworkLoss loss(shape, e.x, e.y, e.weights, 0.0);
  Vector gradient;
  EXPECT_TRUE(std::isfinite(loss(e.parameters, gradient, 1)));
  EXPECT_TRUE(gradient.allFinite());
  // Outputs in the thousands: one component takes all, standard deviations end at floor and most_scale.
  NetworkLoss plain(shape, e.x, e.y.cwiseMin(5).cwiseMax(-5), e.weights, 0.0);
  const Vector huge = 1e4 * e.parameters;
  EXPECT_TRUE(std::isfinite(plain(huge, gradient, 1)));
  EXPECT_TRUE(gradient.allFinite());
  mdn::Workspace work(shape, 10);
  const Matrix outputs = mdn::mixture(shape, e.x.transpose(), huge, work);
  const auto scales = outputs.rightCols(3).array();
  EXPECT_GE(scales.minCoeff(), shape.scale_floor);
  EXPECT_LE(scales.maxCoeff(), shape.scale_floor + shape.most_scale * (1 + 1e-12));
  EXPECT_GT(scales.maxCoeff(), 0.5 * shape.most_scale);
}

}  // namespace
}  // namespace condens::mixture_network_test
