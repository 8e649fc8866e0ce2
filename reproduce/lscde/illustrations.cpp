#include "illustrations.hpp"

#include <cmath>
#include <filesystem>

#include "common/data_files.hpp"
#include "common/markdown.hpp"
#include "common/statistics.hpp"
#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "condens/plot/figures.hpp"
#include "toys.hpp"
#include "variants.hpp"

namespace condens::reproduce {

namespace {

constexpr Index n_train = 200;
constexpr Index n_test = 10000;
constexpr Index draws = 10;

const std::vector<Variant> presets = {paper_variant, recommended_variant};

void draw(const std::string& name, const Dataset& data, const plot::Names& names, const std::string& pictures,
          const plot::MapOptions& options, std::ostream& out) {
  for (const Variant& preset : presets) {
    const std::string file = name + "-" + preset.name + ".svg";
    const Lscde model = Lscde::fit(data, preset.options);
    write_text(std::filesystem::path(pictures) / file, plot::density_map(model, data, names, options));
    out << "| " << name << " | " << preset.name << " | [" << file << "](pictures/" << file << ") | "
        << significant(model.state().bandwidth) << " | " << significant(model.state().bandwidth_y) << " | "
        << significant(model.state().regularization) << " |\n";
  }
}

/// Of one estimate from one draw.
struct ToyScore {
  double estimate;  ///< mean -log of the estimated density on fresh points
  double truth;     ///< the same of the true density, on the same points
  double squared;   ///< E_x of the integral over y of (estimate - truth)^2
};

/// By the midpoint rule in x; the trapezoidal rule in y is exact to rounding for Gaussians
/// wider than its step of 0.004.
double integrated_squared_error(const Lscde& model, const Toy& toy) {
  constexpr Index columns = 200;
  const double half = 1.0 / columns;
  const Matrix x = Vector::LinSpaced(columns, -1 + half, 1 - half).transpose();
  const Vector y = Vector::LinSpaced(2001, -4, 4);
  const Run run{.threads = 1, .observer = {}};
  const Matrix estimate = model.predict(x, run).log_pdf_grid(y.transpose(), run).array().exp();
  const Matrix truth = toy.truth(x).log_pdf_grid(y.transpose(), run).array().exp();
  return (estimate - truth).squaredNorm() * (y[1] - y[0]) / columns;
}

ToyScore score(const Toy& toy, const Variant& preset, Index draw) {
  const Run run{.threads = 1, .observer = {}};
  const std::uint64_t seed = 2 * static_cast<std::uint64_t>(draw);
  LscdeOptions options = preset.options;
  options.seed = draw;
  const Lscde model = Lscde::fit(toy.sample(n_train, seed), options, run);
  const Dataset fresh = toy.sample(n_test, seed + 1);
  return {.estimate = -model.log_density(fresh.x, fresh.y, run).mean(),
          .truth = -toy.truth(fresh.x).log_pdf(fresh.y, run).mean(),
          .squared = integrated_squared_error(model, toy)};
}

std::vector<double> column(const std::vector<ToyScore>& scores, double ToyScore::*member) {
  std::vector<double> out;
  for (const ToyScore& score : scores) out.push_back(score.*member);
  return out;
}

}  // namespace

void draw_illustrations(const std::string& directory, const std::string& pictures, std::ostream& out) {
  std::filesystem::create_directories(pictures);
  out << "| data | preset | picture | width of x | width of y | lambda |\n|:--|:--|:--|--:|--:|--:|\n";
  for (const Toy& toy : toys()) {
    const auto truth = [&](double x, double y) { return toy.truth(Matrix::Constant(1, 1, x))[0].pdf(y); };
    draw(toy.name, toy.sample(n_train, 0), {{"x"}, {"y (" + toy.name + " noise)"}}, pictures, {.truth = truth}, out);
  }
  if (const auto bone = load(directory, "bone")) {
    draw("bone", *bone, {{"age (years)"}, {"bone density change"}}, pictures, {}, out);
  } else {
    out << "| bone | | not available | | | |\n";
  }
  if (const auto geyser = load(directory, "geyser")) {
    draw("geyser", *geyser, {{"duration (min)"}, {"waiting time (min)"}}, pictures, {}, out);
  } else {
    out << "| geyser | | not available | | | |\n";
  }
  out << '\n';
}

void print_toy_scores(std::ostream& out) {
  MarkdownTable table({"noise, sinc", "preset", "lower bound", "NLL of the truth", "NLL", "NLL - truth", "ISE"});
  for (const Sinc sinc : {Sinc::plain, Sinc::normalised}) {
    for (const Toy& toy : toys(sinc)) {
      for (const Variant& preset : presets) {
        std::vector<ToyScore> scores(draws);
        parallel_for(draws, resolve_threads(0),
                     [&](Index i) { scores[static_cast<std::size_t>(i)] = score(toy, preset, i); });
        const auto estimate = column(scores, &ToyScore::estimate);
        const auto truth = column(scores, &ToyScore::truth);
        const auto text = [](const std::vector<double>& values) {
          const Summary s = summarize(values);
          return plus_minus(s.mean, s.standard_error, 4);
        };
        table.add({toy.name + (sinc == Sinc::plain ? ", plain" : ", normalised"), preset.name, fixed(toy.entropy(), 4),
                   text(truth), text(estimate), text(differences(estimate, truth)),
                   text(column(scores, &ToyScore::squared))});
      }
    }
  }
  table.print(out);
}

}  // namespace condens::reproduce
