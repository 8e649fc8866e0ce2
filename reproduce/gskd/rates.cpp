#include "rates.hpp"

#include <cmath>
#include <vector>

#include "common/markdown.hpp"
#include "common/repetitions.hpp"
#include "condens/core/random.hpp"
#include "condens/registry.hpp"
#include "densities.hpp"
#include "studies.hpp"

namespace condens::reproduce {

namespace {

constexpr const char* window_label = "PW";
constexpr Index n_points = 10000;
const Run one_thread{.threads = 1, .observer = {}};

enum RateNumber : std::size_t { squared_error, absolute_error, width };

struct RatePlan {
  std::vector<Index> sizes;
  Index runs;
};

RatePlan plan_of(Scale scale) {
  if (scale == Scale::quick) return {{50, 100, 200}, 2};
  return {{100, 200, 400, 800, 1600, 3200, 6400}, 20};
}

/// Integrated errors by points from q, half of them from p and half from the estimate:
/// int (p - estimate)^2 = E_q (p - estimate)^2 / q, whose terms are bounded by 2 |p - estimate|.
TrialRecord window_errors(const Density& density, Index n, Index repetition) {
  const std::uint64_t seed = 2 * static_cast<std::uint64_t>(repetition);
  const ModelInfo& info = find_model("parzen");
  const Document options = Document::Object{{"scoring", "squared"}, {"standardize", false}};
  const auto model = info.fit({.x = Matrix(0, n), .y = density.sample(n, seed)}, "paper", options, one_thread);
  const GaussianMixtures law = law_of(*model);
  RandomStream random(seed + 1);
  Matrix points(density.dimension(), 2 * n_points);
  points << density.sample(n_points, seed + 1), law[0].sample(n_points, random);
  const Eigen::ArrayXd p = density.log_pdf(points).array().exp();
  const Eigen::ArrayXd estimate = law.log_pdf_grid(points, one_thread).col(0).array().exp();
  const Eigen::ArrayXd q = 0.5 * (p + estimate);
  TrialRecord out(rate_number_names().size());
  out[squared_error] = ((p - estimate).square() / q).mean();
  out[absolute_error] = ((p - estimate).abs() / q).mean();
  out[width] = info.results_of(*model).at("bandwidths").as_vector()[0];
  return out;
}

/// The slope of log error by log N in one run, over the samples of at least `least` rows; NaN where one is missing.
double slope_of(const RecordBook& book, const std::string& data, const RatePlan& plan, Index run, Index least,
                RateNumber number) {
  double n = 0;
  double x_sum = 0;
  double y_sum = 0;
  double xx_sum = 0;
  double xy_sum = 0;
  for (const Index size : plan.sizes) {
    if (size < least) continue;
    const TrialRecord* record = book.find({data, size, window_label, run});
    if (record == nullptr) return std::numeric_limits<double>::quiet_NaN();
    const double x = std::log(static_cast<double>(size));
    const double y = std::log((*record)[number]);
    n += 1;
    x_sum += x;
    y_sum += y;
    xx_sum += x * x;
    xy_sum += x * y;
  }
  return (n * xy_sum - x_sum * y_sum) / (n * xx_sum - x_sum * x_sum);
}

std::vector<double> slopes(const RecordBook& book, const std::string& data, const RatePlan& plan, Index least,
                           RateNumber number) {
  std::vector<double> out;
  for (Index run = 0; run < plan.runs; ++run) {
    const double slope = slope_of(book, data, plan, run, least, number);
    if (std::isfinite(slope)) out.push_back(slope);
  }
  return out;
}

}  // namespace

const std::vector<std::string>& rate_number_names() {
  static const std::vector<std::string> names = {"squared error", "absolute error", "width"};
  return names;
}

void measure_rates(RecordBook& book, Scale scale, double minutes, std::ostream& out) {
  const RatePlan plan = plan_of(scale);
  std::vector<Trial> trials;
  for (const Density& density : densities())
    for (const Index n : plan.sizes)
      for (Index run = 0; run < plan.runs; ++run)
        trials.push_back({{density.name, n, window_label, run},
                          [&density, n, run] { return window_errors(density, n, run); },
                          [&density] { return window_errors(density, small_rows, 0); }});
  run_trials(std::move(trials), book, minutes);

  std::vector<std::string> header = {"mean integrated squared error, N ="};
  for (const Index n : plan.sizes) header.push_back(std::to_string(n));
  MarkdownTable errors(header);
  MarkdownTable rates({"slope of log error by log N", "d", "-4/(4+d)", "squared error",
                       "from N = " + std::to_string(plan.sizes[plan.sizes.size() / 2]), "-2/(4+d)", "absolute error",
                       "-1/(4+d)", "width"});
  for (const Density& density : densities()) {
    std::vector<std::string> cells = {density.name};
    for (const Index n : plan.sizes) {
      const Repetitions found = repetitions_of(book, density.name, n, window_label, plan.runs, squared_error);
      cells.push_back(found.values.empty() ? "-" : significant(mean(found.values)));
    }
    errors.add(cells);
    const Index first = plan.sizes.front();
    const double d = static_cast<double>(density.dimension());
    const auto cell = [&](Index least, RateNumber number) {
      return mean_cell(slopes(book, density.name, plan, least, number), plan.runs, 3);
    };
    rates.add({density.name, std::to_string(density.dimension()), fixed(-4 / (4 + d), 3), cell(first, squared_error),
               cell(plan.sizes[plan.sizes.size() / 2], squared_error), fixed(-2 / (4 + d), 3),
               cell(first, absolute_error), fixed(-1 / (4 + d), 3), cell(first, width)});
  }
  errors.print(out);
  rates.print(out);
}

}  // namespace condens::reproduce
