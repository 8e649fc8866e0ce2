#include "self_check.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include "common/markdown.hpp"
#include "condens/core/errors.hpp"
#include "condens/data/standardizer.hpp"
#include "condens/metrics/uniformity.hpp"
#include "toys.hpp"

namespace condens::reproduce {

namespace {

constexpr Index n_samples = 20000;
constexpr double allowed_errors = 4;  ///< standard errors
constexpr double least_p_value = 1e-3;

void expect(bool holds, const Toy& toy, const std::string& what) {
  if (!holds) throw std::runtime_error(message(toy.name, ": ", what));
}

/// The trapezoidal rule over each target's own law, far into both tails.
void check_integral(const Toy& toy, const Dataset& data) {
  for (Index i = 0; i < 20; ++i) {
    const GaussianMixture law = toy.truth(data.x.col(i))[0];
    for (Index d = 0; d < toy.n_targets; ++d) {
      const GaussianMixture one = law.marginal(d);
      constexpr double step = 0.005;
      const Vector y = Vector::LinSpaced(12001, -30, 30);
      double integral = 0;
      for (const double value : y) integral += step * one.pdf(value);
      expect(std::abs(integral - 1) < 1e-9, toy, "the true density does not integrate to one");
    }
  }
}

void check_samples(const Toy& toy, const Dataset& data) {
  const GaussianMixtures laws = toy.truth(data.x);
  for (Index d = 0; d < toy.n_targets; ++d) {
    const Vector pit = laws.marginal(d).cdf(Vector(data.y.row(d)));
    expect(kolmogorov_smirnov_test(pit).p_value > least_p_value, toy, "samples are not of the true density");
  }
}

}  // namespace

void check_toys(std::ostream& out) {
  out << "Expected NLL of the true density, the least that any estimate can have; and of " << n_samples
      << " samples ± standard error:\n\n";
  MarkdownTable table({"data", "sinc", "as it is", "samples", "standardised y", "samples"});
  for (const Sinc sinc : {Sinc::plain, Sinc::normalised}) {
    for (const Toy& toy : {toy_1(5, sinc), toy_1(5, sinc, Irrelevant::uniform), toy_2(1, sinc), toy_2(2, sinc)}) {
      const Dataset data = toy.sample(n_samples, 7);
      check_integral(toy, data);
      check_samples(toy, data);
      const Vector nll = -toy.truth(data.x).log_pdf(data.y);
      const double error = Standardizer::fit(nll.transpose(), Vector()).scale()[0] / std::sqrt(double{n_samples});
      const double log_scale = Standardizer::fit(data.y, Vector()).scale().array().log().sum();
      expect(std::abs(nll.mean() - toy.entropy()) < allowed_errors * error, toy, "the bound differs from the samples");
      expect(std::abs(nll.mean() - log_scale - toy.standardized_entropy()) < allowed_errors * (error + 0.01), toy,
             "the standardised bound differs from the samples");
      table.add({toy.name + (toy.irrelevant == Irrelevant::uniform ? ", uniform" : "") +
                     (toy.sums ? ", targets: " + std::to_string(toy.n_targets) : ""),
                 sinc == Sinc::plain ? "sin(t)/t" : "sin(pi t)/(pi t)", fixed(toy.entropy(), 4),
                 plus_minus(nll.mean(), error, 4), fixed(toy.standardized_entropy(), 4),
                 plus_minus(nll.mean() - log_scale, error, 4)});
    }
  }
  table.print(out);
}

}  // namespace condens::reproduce
