// What a row costs of a Nadaraya-Watson density with a kernel at each of 18,000 or 1,000,000 samples, one thread:
//
//   gridded    as the model answers: components on a grid, kernels found by blocks (model/gridded_kernels.hpp)
//   plain      a component at every sample, the weights from all distances
//
// For each the distributions themselves, and of them log density, CRPS, three quantiles and a highest density region;
// and the largest differences between the two.

#include "condens/estimators/nadaraya_watson.hpp"
#include "measure.hpp"
#include "simulated.hpp"

using namespace condens;
using namespace condens::benchmarks;

namespace {

const Run one_thread{.threads = 1, .observer = {}};

struct Answers {
  Vector log_pdf;
  Vector crps;
  Matrix quantiles;
  std::vector<std::vector<Interval>> regions;
};

Answers ask(const char* name, const std::function<GaussianMixtures()>& predict, const Vector& y) {
  const double rows = static_cast<double>(y.size());
  Answers out;
  double begin = now();
  const GaussianMixtures laws = predict();
  const auto lap = [&] {
    const double seconds = now() - begin;
    begin = now();
    return 1e3 * seconds / rows;
  };
  const double t_laws = lap();
  out.log_pdf = laws.log_pdf(y.transpose(), one_thread);
  const double t_log = lap();
  out.crps = laws.crps(y, one_thread);
  const double t_crps = lap();
  out.quantiles = laws.quantile(Vector{{0.05, 0.5, 0.95}}, one_thread);
  const double t_quantiles = lap();
  out.regions = laws.highest_density_region(0.9, one_thread);
  const double t_region = lap();
  std::printf("%-10s %11d %14.3f %13.3f %10.3f %12.3f %10.3f\n", name, static_cast<int>(laws.n_components()), t_laws,
              t_log, t_crps, t_quantiles, t_region);
  return out;
}

/// A component at every sample.
GaussianMixtures plain(const Dataset& data, const Matrix& x, const Vector& widths, double width_y) {
  Matrix log_weights(data.size(), x.cols());
  for (Index i = 0; i < x.cols(); ++i) {
    const Matrix z = widths.cwiseInverse().asDiagonal() * (data.x.colwise() - x.col(i));
    log_weights.col(i) = -0.5 * z.colwise().squaredNorm().transpose();
  }
  GaussianComponents components{data.y, Matrix::Constant(1, data.size(), width_y)};
  return GaussianMixtures::shared(std::make_shared<const GaussianComponents>(std::move(components)),
                                  std::move(log_weights));
}

void compare(Index n, Index d, Index rows, double width) {
  const Dataset data = two_branches(n, d, 1);
  const Dataset test = two_branches(rows, d, 2);
  const Vector y = test.y.row(0).transpose();
  const NadarayaWatson model = NadarayaWatson::fit(
      data, {.bandwidth = {width}, .bandwidth_y = {0.1}, .defensive_weight = 0, .standardize = false});
  std::printf("\nn = %d, d_x = %d, width %.2g in x and 0.1 in y, %d rows\n", static_cast<int>(n), static_cast<int>(d),
              width, static_cast<int>(rows));
  std::printf("%-10s %11s %14s %13s %10s %12s %10s\n", "", "components", "distributions", "log density", "CRPS",
              "3 quantiles", "region");
  const Answers ours = ask(
      "gridded", [&] { return model.predict(test.x, one_thread); }, y);
  const Answers theirs = ask(
      "plain", [&] { return plain(data, test.x, Vector::Constant(d, width), 0.1); }, y);
  double region = 0;
  for (std::size_t i = 0; i < ours.regions.size(); ++i) {
    if (ours.regions[i].size() != theirs.regions[i].size()) region = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < std::min(ours.regions[i].size(), theirs.regions[i].size()); ++k) {
      region = std::max({region, std::abs(ours.regions[i][k].lower - theirs.regions[i][k].lower),
                         std::abs(ours.regions[i][k].upper - theirs.regions[i][k].upper)});
    }
  }
  std::printf("largest differences: log density %.1e, CRPS %.1e, quantiles %.1e, ends of regions %.1e\n",
              (ours.log_pdf - theirs.log_pdf).cwiseAbs().maxCoeff(), (ours.crps - theirs.crps).cwiseAbs().maxCoeff(),
              (ours.quantiles - theirs.quantiles).cwiseAbs().maxCoeff(), region);
}

}  // namespace

int main() {
  std::printf("Nadaraya-Watson predictions, milliseconds a row, 1 thread\n");
  print_limits(1);
  compare(18'000, 2, 200, 0.1);
  compare(18'000, 8, 200, 1.0);
  compare(1'000'000, 2, 50, 0.05);
  compare(1'000'000, 8, 50, 0.7);
  return 0;
}
