// Conditioning a joint mixture: p(y|x) = p(x, y) / p(x) by plain formulas of covariance matrices.

#include "condens/model/joint_density.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "support/complaint.hpp"
#include "support/plain_gaussian.hpp"

namespace condens::joint_density_test {
namespace {

class Joint final : public JointDensity {
 public:
  Joint(Index d_x, Index d_y, const Vector& weights, const GaussianComponents& kernels, double defensive = 0.0)
      : Joint(parameters(weights, kernels, {defensive, Vector::Zero(d_y), Vector::Constant(d_y, 2.0)}), d_x, d_y) {}
  Joint(const Document& document, Index d_x, Index d_y, double defensive)
      : Joint(read_kernels(document, defensive), d_x, d_y) {}

  using ConditionalDensity::x_scale;
  using ConditionalDensity::y_scale;

  std::string_view model_name() const override { return "joint"; }
  Document options() const override { return Document(Document::Object{}); }
  Document to_document() const override { return document_of_kernels(options()); }

 private:
  static Standardizer scale(Index d, double offset) {
    return Standardizer::fit(Vector::Constant(d, offset) * Matrix{{-1.0, 3.0}}, Vector());
  }
  Joint(Parameters p, Index d_x, Index d_y)
      : JointDensity(std::move(p), d_x > 0 ? scale(d_x, 2.0) : Standardizer::identity(0), scale(d_y, 0.7), {}) {}
};

struct Plain {
  Vector weights;
  Matrix means;
  std::vector<Matrix> covariances;
  GaussianComponents components() const { return GaussianComponents::from_covariances(means, columns_of(covariances)); }
};

Plain plain(Index d, Index m, bool diagonal) {
  RandomStream random(7, static_cast<std::uint64_t>(d));
  Plain out{Vector(m), normals(d, m, random), {}};
  for (double& weight : out.weights) weight = 0.1 + random.uniform();
  for (Index l = 0; l < m; ++l) {
    Matrix covariance = random_covariance(d, random);
    if (diagonal) covariance = covariance.diagonal().eval().asDiagonal();
    out.covariances.push_back(covariance);
  }
  return out;
}

// log p(y|x) = log p(x, y) - log p(x); weights need no sum of one.
double plain_log_density(const Plain& p, const Vector& x, const Vector& y) {
  Vector z(x.size() + y.size());
  z << x, y;
  std::vector<Matrix> leading;
  for (const Matrix& own : p.covariances) leading.emplace_back(own.topLeftCorner(x.size(), x.size()));
  return std::log(plain_mixture_pdf(z, p.weights, p.means, p.covariances)) -
         std::log(plain_mixture_pdf(x, p.weights, p.means.topRows(x.size()), leading));
}

TEST(JointDensity, ConditionsExactly) {
  for (const bool diagonal : {true, false}) {
    for (const Index d_x : {1, 3}) {
      for (const Index d_y : {1, 2}) {
        const Plain p = plain(d_x + d_y, 6, diagonal);
        const Joint model(d_x, d_y, p.weights, p.components());
        const Matrix x = normals(d_x, 10, 1), y = normals(d_y, 10, 2);
        const Vector log_density =
            model.log_density(model.x_scale().inverse_transform(x), model.y_scale().inverse_transform(y));
        const double unit = model.y_scale().scale().array().log().sum();
        for (Index i = 0; i < 10; ++i) {
          EXPECT_NEAR(log_density[i] + unit, plain_log_density(p, x.col(i), y.col(i)), 1e-11);
        }
        EXPECT_EQ(model.predict(x).has_shared_components(), diagonal);
        EXPECT_EQ(model.predict(x).components().correlated(), !diagonal && d_y > 1);
      }
    }
  }
}

TEST(JointDensity, WithoutInputsIsTheMixture) {
  const Plain p = plain(3, 4, false);
  const Joint model(0, 3, p.weights, p.components());
  const Matrix y = normals(3, 5, 2);
  const GaussianMixtures laws = model.predict(Matrix(0, 5));
  EXPECT_TRUE(laws.has_shared_components());
  const Vector log_density = laws.log_pdf(model.y_scale().inverse_transform(y));
  for (Index i = 0; i < 5; ++i) {
    const double expected = plain_mixture_pdf(y.col(i), p.weights / p.weights.sum(), p.means, p.covariances);
    EXPECT_NEAR(std::exp(log_density[i]) * model.y_scale().scale().prod(), expected, 1e-13);
  }
}

TEST(JointDensity, MixesTheDefensiveComponentIn) {
  const Plain p = plain(4, 5, false);
  const Joint own(2, 2, p.weights, p.components()), mixed(2, 2, p.weights, p.components(), 0.1);
  const Matrix x = normals(2, 8, 1), y = normals(2, 8, 2);
  const Vector a = own.log_density(x, y).array().exp(), b = mixed.log_density(x, y).array().exp();
  const Matrix z = own.y_scale().transform(y);
  for (Index i = 0; i < 8; ++i) {
    const double broad = std::exp(plain_normal_log_pdf(z.col(i), Vector::Zero(2), 4.0 * Matrix::Identity(2, 2)));
    EXPECT_NEAR(b[i], 0.9 * a[i] + 0.1 * broad / own.y_scale().scale().prod(), 1e-13);
  }
}

TEST(JointDensity, StaysFiniteFarAway) {
  const Plain p = plain(3, 5, false);
  for (const Index d_x : {1, 2}) {
    const Joint model(d_x, 3 - d_x, p.weights, p.components());
    for (const double far : {1e3, -1e8, 1e100, -1e140}) {
      const Vector x = Vector::Constant(d_x, far);
      EXPECT_TRUE(std::isfinite(model.log_density(x, Vector::Zero(3 - d_x))[0])) << far;
      EXPECT_TRUE(model.predict(x).mean().allFinite()) << far;
    }
  }
}

TEST(JointDensity, GivesKernelsOnTheScaleOfTheData) {
  const Plain p = plain(3, 4, false);
  const Joint model(1, 2, p.weights, p.components());
  Vector unit(3);
  unit << model.x_scale().scale(), model.y_scale().scale();
  const Matrix covariances = model.kernel_covariances();
  for (Index l = 0; l < 4; ++l) {
    const Matrix expected = unit.asDiagonal() * p.covariances[static_cast<std::size_t>(l)] * unit.asDiagonal();
    EXPECT_LT((covariances.col(l).reshaped(3, 3) - expected).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_LT((model.kernel_scales().col(l) - expected.diagonal().cwiseSqrt()).norm(), 1e-12);
  }
}

TEST(JointDensity, HasADocumentWithItsCorrelations) {
  for (const bool diagonal : {true, false}) {
    const Plain p = plain(3, 4, diagonal);
    const Joint model(1, 2, p.weights, p.components(), 0.05);
    const Document document = model.to_document();
    EXPECT_EQ(document.find("correlations") == nullptr, diagonal);
    const Joint again(document, 1, 2, 0.05);
    EXPECT_TRUE(again.to_document() == document);
    const Matrix x = normals(1, 6, 1), y = normals(2, 6, 2);
    EXPECT_EQ(again.log_density(x, y), model.log_density(x, y));
    Document broken = document;
    broken.set("correlations", Matrix(Matrix::Ones(9, 3)));
    EXPECT_NE(complaint([&] { Joint(broken, 1, 2, 0.05); }).find("correlations is 9 x 3; expected 9 x 4"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace condens::joint_density_test
