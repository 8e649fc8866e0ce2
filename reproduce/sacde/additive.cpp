#include "additive.hpp"

#include <cmath>
#include <filesystem>
#include <numbers>

#include "common/data_files.hpp"
#include "common/markdown.hpp"
#include "condens/plot/figures.hpp"
#include "condens/registry.hpp"
#include "methods.hpp"

namespace condens::reproduce {

namespace {

constexpr Index n_rows = 500;
constexpr Index n_test_rows = 10000;
constexpr std::uint64_t additive_seed = 12;
constexpr double deviation = 0.5;

struct Additive {
  std::string figure;
  double first_share;  ///< of the term of x_1; the rest is that of x_2

  GaussianMixture truth(double x_1, double x_2) const {
    Matrix means(1, 2);
    means << std::sin(x_1), x_2 / 4;
    return {Eigen::Vector2d(first_share, 1 - first_share), means, Matrix::Constant(1, 2, deviation)};
  }

  /// The text does not say what x is; here both are U(-pi, pi).
  Dataset sample(Index n, std::uint64_t seed) const {
    RandomStream random(seed);
    Matrix x(2, n);
    Matrix y(1, n);
    for (Index i = 0; i < n; ++i) {
      for (double& value : x.col(i)) value = std::numbers::pi * (2 * random.uniform() - 1);
      const double mean = random.uniform() < first_share ? std::sin(x(0, i)) : x(1, i) / 4;
      y(0, i) = mean + deviation * random.normal();
    }
    return {.x = std::move(x), .y = std::move(y)};
  }
};

/// p(y | x) over one of the inputs, the other at `other`.
void draw(const Additive& own, const ConditionalDensity& model, const Dataset& data, Index input, double other,
          const std::filesystem::path& path) {
  plot::MapOptions options;
  options.input = input;
  options.at = Vector::Constant(2, other);
  options.truth = [&](double x, double y) { return (input == 0 ? own.truth(x, other) : own.truth(other, x)).pdf(y); };
  write_text(path, plot::density_map(model, data, {{"x1", "x2"}, {"y"}}, options));
}

/// |alpha_d| of the fit: 0 for an input that never enters.
double norm_of(const ConditionalDensity& model, Index input) {
  const Document& path = model.report().details.at("path");
  const Vector inputs = path.at("inputs").as_vector();
  const Vector penalties = path.at("regularization").as_vector();
  const Matrix& norms = path.at("norms").as_matrix();
  Index chosen = 0;
  (penalties.array() - path.at("chosen").as_number()).abs().minCoeff(&chosen);
  for (Index i = 0; i < inputs.size(); ++i)
    if (static_cast<Index>(inputs[i]) == input) return norms(i, chosen);
  return 0;
}

double excess(const Additive& own, const ConditionalDensity& model) {
  const Dataset test = own.sample(n_test_rows, additive_seed + 1);
  Vector truth(test.size());
  for (Index i = 0; i < test.size(); ++i) truth[i] = own.truth(test.x(0, i), test.x(1, i)).log_pdf(test.y(0, i));
  return (truth - model.log_density(test.x, test.y)).mean();
}

}  // namespace

void draw_additive(const std::string& pictures, std::ostream& out) {
  const std::filesystem::path folder(pictures);
  std::filesystem::create_directories(folder);
  out << n_rows << " rows of each, x1 and x2 uniform on (-π, π); contours in the pictures are the true density.\n\n";
  MarkdownTable table({"figure", "method", "\\|α_1\\|", "\\|α_2\\|", "E log p/estimate", "pictures"});
  for (const Additive& own : {Additive{"1", 1}, Additive{"2", 0.5}}) {
    const Dataset data = own.sample(n_rows, additive_seed);
    for (const Method& method : available({paper_methods().front(), recommended_methods().front()})) {
      const auto model = fit(method, data, 0);
      const std::string stem = "figure-" + own.figure + (method.preset == "paper" ? "" : "-recommended");
      draw(own, *model, data, 0, 0, folder / (stem + "-x1.svg"));
      draw(own, *model, data, 1, std::numbers::pi / 2, folder / (stem + "-x2.svg"));
      table.add({own.figure, method.label, significant(norm_of(*model, 0)), significant(norm_of(*model, 1)),
                 fixed(excess(own, *model), 3),
                 "[over x1, x2 = 0](pictures/" + stem + "-x1.svg), [over x2, x1 = π/2](pictures/" + stem + "-x2.svg)"});
    }
  }
  table.print(out);
}

}  // namespace condens::reproduce
