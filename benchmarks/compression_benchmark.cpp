// A Parzen window of 100,000 points on two noisy rings in fewer kernels: the seconds, and the distance
// E|p - p_window| / E p_window at 2,000 new points, of
//
//   gskd, polish=none   tunable kernels with axis-parallel covariances, one by one (Chen, Hong and Harris 2010)
//   gskd, polish=em     expectation maximisation from them, with any covariances
//   gmm                 expectation maximisation from clusters, with as many components of any covariance
//
// usage: compression_benchmark

#include "condens/estimators/gmm.hpp"
#include "condens/estimators/gskd.hpp"
#include "condens/estimators/parzen/window.hpp"
#include "measure.hpp"

using namespace condens;
using namespace condens::benchmarks;

namespace {

Matrix two_rings(Index n, std::uint64_t seed) {
  RandomStream random(seed);
  Matrix out(2, n);
  for (Index i = 0; i < n; ++i) {
    const double radius = (random.uniform() < 0.4 ? 1.0 : 2.0) + 0.12 * random.normal();
    const double angle = 6.283185307179586 * random.uniform();
    out.col(i) << radius * std::cos(angle), radius * std::sin(angle);
  }
  return out;
}

}  // namespace

int main() {
  keep_freed_memory();
  const Dataset data{.x = Matrix(0, 100'000), .y = two_rings(100'000, 1)};
  const Matrix points = two_rings(2000, 2);
  struct Result {
    const char* name;
    Index kernels;
    double seconds;
    Vector density;
  };
  const auto timed = [&](const char* name, Index kernels, const auto& fit) {
    const double begin = now();
    const auto model = fit(kernels);
    const double seconds = now() - begin;
    return Result{name, kernels, seconds, model.log_density(Matrix(0, points.cols()), points).array().exp()};
  };
  const auto options = [](Index kernels, GskdPolish polish) {
    return GskdOptions{.target = GskdTarget::paper,
                       .selection = GskdSizes::stop,
                       .max_kernels = kernels,
                       .polish = polish,
                       .covariance = GmmCovariance::full,
                       .defensive_weight = 0};
  };
  const auto kernels_alone = [&](Index kernels) { return Gskd::fit(data, options(kernels, GskdPolish::none)); };
  const auto polished = [&](Index kernels) { return Gskd::fit(data, options(kernels, GskdPolish::em)); };
  const auto gmm = [&](Index kernels) {
    return Gmm::fit(
        data,
        {.n_components = {static_cast<double>(kernels)}, .covariance = GmmCovariance::full, .defensive_weight = 0});
  };
  const Vector width =
      kernels_alone(1).state().target_bandwidth.cwiseProduct(Standardizer::fit(data.y, Vector()).scale());
  const Vector window = ParzenWindow(data.y, Vector(), width).log_density(points).array().exp();
  const auto distance = [&](const Result& own) { return (own.density - window).cwiseAbs().mean() / window.mean(); };
  std::printf("100,000 points on two rings; the window's widths are %.4f and %.4f\n", width[0], width[1]);
  std::printf("%-20s %8s %10s %10s %12s\n", "model", "kernels", "seconds", "distance", "gmm's times");
  for (const Index kernels : {50, 100}) {
    const Result reference = timed("gmm", kernels, gmm);
    for (const Result& own :
         {timed("gskd, polish=none", kernels, kernels_alone), timed("gskd, polish=em", kernels, polished), reference}) {
      std::printf("%-20s %8d %8.1f s %8.1f %% %12.2f\n", own.name, static_cast<int>(kernels), own.seconds,
                  100 * distance(own), distance(own) / distance(reference));
    }
  }
}
