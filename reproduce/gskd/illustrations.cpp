#include "illustrations.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numbers>

#include "common/data_files.hpp"
#include "common/markdown.hpp"
#include "condens/plot/line_chart.hpp"
#include "condens/registry.hpp"
#include "studies.hpp"

namespace condens::reproduce {

namespace {

constexpr Index n_points = 400;
constexpr Index n_kernel_points = 21;
constexpr double kernel_reach = 3;  ///< standard deviations
constexpr std::size_t truth_color = 6;
constexpr std::size_t estimate_color = 0;
constexpr std::size_t kernel_color = 2;

/// All weighted kernels as one series, with gaps between them.
plot::LineSeries kernel_series(const Document& results) {
  const Vector weights = results.at("kernel_weights").as_vector();
  const Matrix& means = results.at("kernel_means").as_matrix();
  const Matrix& scales = results.at("kernel_scales").as_matrix();
  const Index rows = n_kernel_points + 1;
  plot::LineSeries out{.name = std::to_string(weights.size()) + (weights.size() == 1 ? " kernel" : " kernels"),
                       .x = Vector(rows * weights.size()),
                       .y = Vector(rows * weights.size()),
                       .color = kernel_color,
                       .kind = plot::LineKind::dotted,
                       .markers = false};
  const Vector z = Vector::LinSpaced(n_kernel_points, -kernel_reach, kernel_reach);
  for (Index k = 0; k < weights.size(); ++k) {
    const double height = weights[k] / (scales(0, k) * std::sqrt(2 * std::numbers::pi));
    out.x.segment(rows * k, n_kernel_points) = means(0, k) + scales(0, k) * z.array();
    out.y.segment(rows * k, n_kernel_points) = height * (-0.5 * z.array().square()).exp();
    out.x[rows * k + n_kernel_points] = means(0, k);
    out.y[rows * k + n_kernel_points] = std::numeric_limits<double>::quiet_NaN();
  }
  return out;
}

plot::LineSeries curve(std::string name, const Vector& x, const Vector& log_density, std::size_t color,
                       plot::LineKind kind) {
  return {
      .name = std::move(name), .x = x, .y = log_density.array().exp(), .color = color, .kind = kind, .markers = false};
}

Vector axis_of(const Density& density) {
  const Interval& range = density.grid.inner[0];
  return Vector::LinSpaced(n_points, range.lower, range.upper);
}

plot::LineSeries truth_series(const Density& density) {
  const Vector x = axis_of(density);
  return curve("true density", x, density.log_pdf(x.transpose()), truth_color, plot::LineKind::dashed);
}

std::string file_name(std::string text) {
  std::replace(text.begin(), text.end(), ' ', '-');
  return text + ".svg";
}

/// An estimate with its kernels, over the truth.
void draw_figure(const Method& method, const ConditionalDensity& model, const Density& density,
                 const std::filesystem::path& path) {
  const Vector x = axis_of(density);
  plot::LineChart chart{.title = method.label + ", " + density.name, .x_label = "x", .y_label = "density"};
  chart.series.push_back(kernel_series(find_model(method.model).results_of(model)));
  chart.series.push_back(
      curve(method.label, x, law_of(model).log_pdf_grid(x.transpose()).col(0), estimate_color, plot::LineKind::solid));
  chart.series.push_back(truth_series(density));
  write_text(path, plot::line_chart(chart));
}

/// All estimates of one kind in one picture.
void draw_together(const std::vector<Method>& methods, const PrintedTable& table, const Matrix& samples,
                   const std::filesystem::path& path) {
  const Density& density = densities()[table.density];
  const Vector x = axis_of(density);
  plot::LineChart chart{.title = "Recommended estimates, " + density.name, .x_label = "x", .y_label = "density"};
  for (const Method& method : methods) {
    const auto model = fit(method, table, samples, 0);
    chart.series.push_back(curve(method.label, x, law_of(*model).log_pdf_grid(x.transpose()).col(0),
                                 chart.series.size(), plot::LineKind::solid));
  }
  chart.series.push_back(truth_series(density));
  write_text(path, plot::line_chart(chart));
}

double l1_error(const ConditionalDensity& model, const Density& density, const Matrix& points) {
  const Vector estimate = law_of(model).log_pdf_grid(points).col(0).array().exp();
  return (density.log_pdf(points).array().exp() - estimate.array()).abs().mean();
}

bool is_available(const Method& method) {
  const std::vector<std::string> missing = missing_models();
  return std::find(missing.begin(), missing.end(), method.model) == missing.end();
}

}  // namespace

void draw_illustrations(const std::string& pictures, std::ostream& out) {
  const std::filesystem::path folder(pictures);
  std::filesystem::create_directories(folder);
  MarkdownTable rows({"figure", "density", "estimator", "kernels", "L1 test error", "picture"});
  for (std::size_t t = 0; t < 2; ++t) {
    const PrintedTable& table = printed_tables[t];
    const Density& density = densities()[table.density];
    const Problem problem = draw(table, 0);
    for (std::size_t m = 0; m < paper_methods().size(); ++m) {
      const Method& method = paper_methods()[m];
      if (!is_available(method)) continue;
      const std::string number = std::to_string(5 * t + m + 1);
      const auto model = fit(method, table, problem.train, 0);
      const std::string name = file_name("figure " + number + " " + method.label);
      draw_figure(method, *model, density, folder / name);
      const double kernels = find_model(method.model).results_of(*model).at("n_kernels").as_number();
      rows.add({number, density.name, method.label, fixed(kernels, 0),
                fixed(l1_error(*model, density, problem.test), 4), "[picture](pictures/" + name + ")"});
    }
    std::vector<Method> recommended = recommended_methods();
    std::erase_if(recommended, [](const Method& method) { return !is_available(method); });
    const std::string name = file_name(density.name + " recommended");
    draw_together(recommended, table, problem.train, folder / name);
    rows.add({"-", density.name, "the recommended ones", "-", "-", "[picture](pictures/" + name + ")"});
  }
  rows.print(out);
}

}  // namespace condens::reproduce
