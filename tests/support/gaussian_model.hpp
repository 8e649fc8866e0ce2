#pragma once
// Conditional densities with known laws, for tests that need a fitted model but not a fit.

#include <cmath>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "condens/model/conditional_density.hpp"

namespace condens::tests {

/// The law at every column of x is what a function returns.
class KnownModel final : public ConditionalDensity {
 public:
  using Law = std::function<GaussianMixture(const VectorView& x)>;

  KnownModel(Index inputs, Index targets, Law law)
      : ConditionalDensity(Standardizer::identity(inputs), Standardizer::identity(targets), {}), law_(std::move(law)) {}

  std::string_view model_name() const override { return "known"; }
  Document options() const override { return Document(Document::Object{}); }
  Document to_document() const override { return Document(Document::Object{}); }

 protected:
  GaussianMixtures laws(const MatrixView& x) const override {
    if (x.cols() == 0) return one(Vector::Zero(x.rows())).slice(0, 0);
    std::vector<GaussianMixtures> parts;
    for (Index i = 0; i < x.cols(); ++i) parts.push_back(one(x.col(i)));
    return GaussianMixtures::concatenate(parts);
  }

 private:
  GaussianMixtures one(const VectorView& x) const {
    const GaussianMixture law = law_(x);
    return GaussianMixtures::separate(law.means(), law.scales(), law.log_weights());
  }

  Law law_;
};

/// y | x ~ N(slope x, scale^2), one input and one target.
inline KnownModel gaussian_model(double slope = 2.0, double scale = 1.0) {
  return {1, 1, [=](const VectorView& x) {
            return GaussianMixture(Vector::Ones(1), Matrix::Constant(1, 1, slope * x[0]),
                                   Matrix::Constant(1, 1, scale));
          }};
}

/// Two branches that part as x grows, one narrow, one wide: several peaks and a spread that changes with x.
inline KnownModel branching_model() {
  return {1, 1, [](const VectorView& x) {
            const double t = x[0];
            return GaussianMixture(Vector{{0.6, 0.4}}, Matrix{{std::sin(2.0 * t) + 0.5 * t, -0.9 * t}},
                                   Matrix{{0.15 + 0.05 * t * t, 0.4}});
          }};
}

/// One draw of y at every column of x.
inline Matrix draw(const ConditionalDensity& model, const Matrix& x, std::uint64_t seed) {
  return model.predict(x).sample(1, seed);
}

}  // namespace condens::tests
