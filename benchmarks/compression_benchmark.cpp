// A Parzen window of 100,000 points on two noisy rings in fewer kernels: the seconds, and the distance
// E|p - p_window| / E p_window at 2,000 new points, of
//
//   gskd   tunable kernels with axis-parallel covariances, one by one (Chen, Hong and Harris 2010)
//   gmm    expectation maximisation with as many components of any covariance
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
  const auto report = [&](const char* name, Index kernels, const auto& fit) {
    const double begin = now();
    const auto model = fit(kernels);
    const double seconds = now() - begin;
    return std::tuple{name, kernels, seconds, model.log_density(Matrix(0, points.cols()), points).array().exp().eval()};
  };
  const auto gskd = [&](Index kernels) {
    return Gskd::fit(
        data, {.target = TargetDensity::paper, .max_kernels = kernels, .stop_tolerance = 0, .defensive_weight = 0});
  };
  const auto gmm = [&](Index kernels) {
    return Gmm::fit(
        data,
        {.n_components = {static_cast<double>(kernels)}, .covariance = GmmCovariance::full, .defensive_weight = 0});
  };
  const Gskd first = gskd(50);
  const Vector width = first.state().target_bandwidth.cwiseProduct(Standardizer::fit(data.y, Vector()).scale());
  const Vector window = ParzenWindow(data.y, Vector(), width).log_density(points).array().exp();
  std::printf("100,000 points on two rings; the window's widths are %.4f and %.4f\n", width[0], width[1]);
  std::printf("%-6s %8s %10s %10s\n", "model", "kernels", "seconds", "distance");
  for (const auto& [name, kernels, seconds, density] :
       {report("gskd", 50, gskd), report("gskd", 100, gskd), report("gmm", 50, gmm), report("gmm", 100, gmm)}) {
    std::printf("%-6s %8d %8.1f s %8.1f %%\n", name, static_cast<int>(kernels), seconds,
                100 * (density - window.array()).abs().mean() / window.mean());
  }
}
