// What is promised of the directions of reductions, over samples: how often intervals of the subspace hold, how often
// the test of the number of directions goes too far, which inputs keep a loading where they may leave.
//
// Samples: ten normal inputs; one direction, y = 2 tanh(x1 + x2) + 0.3 e; n rows. Intervals: 90 %, 49 replicates, of
// the entries of W'W; "truth" is the projection onto (1, 1, 0, ..., 0) / sqrt(2), "mean" the average of the estimates
// over the samples. The widths of the search are the same for every sample; the density of y given z is that of the
// search (lsce) or that of the epsilon-neighbour kernel estimate (lsmi, sliced), which are quick.
//
// directions_benchmark [SAMPLES]: of each part; 40 without it.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "condens/core/random.hpp"
#include "condens/model/subspaces.hpp"
#include "condens/registry.hpp"

namespace {

using namespace condens;

const Run all_threads{.threads = 0, .observer = {}};
constexpr Index d_x = 10;
constexpr Index n_rows = 200;

Dataset draw(std::uint64_t seed) {
  RandomStream random(seed, 7);
  Matrix x(d_x, n_rows);
  for (double& value : x.reshaped()) value = random.normal();
  Matrix y(1, n_rows);
  for (Index i = 0; i < n_rows; ++i) y(0, i) = 2 * std::tanh(x(0, i) + x(1, i)) + 0.3 * random.normal();
  return {.x = x, .y = y};
}

Document options_of(const std::string& name) {
  Document out;
  if (name != "lsce") out.set("model", "ekde");
  if (name == "sliced") return out;
  if (name == "lsce") out.set("density", "same");
  return out.set("bandwidth", 0.8).set("bandwidth_y", 0.3).set("regularization", 0.01).set("n_centers", 60);
}

TargetModel fit(const std::string& name, const Dataset& data, const Document& options, Index replicates) {
  const TargetRequest request{.replicates = replicates, .worth_of_inputs = false};
  return fit_target(
      find_model(name), request, data, "", options, [](Index row) { return std::to_string(row); }, all_threads);
}

/// Shares of the samples in which an entry lies inside its interval.
struct Covered {
  double diagonal_used = 0;    // of the two inputs that count
  double diagonal_unused = 0;  // of the others
  double off_diagonal = 0;
};

Covered covered(const std::vector<SubspaceIntervals>& all, const Matrix& of) {
  Covered out;
  double off = 0;
  for (const SubspaceIntervals& own : all) {
    for (Index i = 0; i < d_x; ++i) {
      for (Index j = 0; j < d_x; ++j) {
        const double inside = own.lower(i, j) <= of(i, j) && of(i, j) <= own.upper(i, j) ? 1.0 : 0.0;
        if (i != j) out.off_diagonal += inside;
        if (i == j && i < 2) out.diagonal_used += inside / 2;
        if (i == j && i >= 2) out.diagonal_unused += inside / (d_x - 2);
      }
    }
    off += d_x * (d_x - 1);
  }
  const auto count = static_cast<double>(all.size());
  return {out.diagonal_used / count, out.diagonal_unused / count, out.off_diagonal / off};
}

void intervals(const std::string& name, int samples) {
  Matrix truth = Matrix::Zero(d_x, d_x);
  truth.topLeftCorner(2, 2).setConstant(0.5);
  Matrix mean = Matrix::Zero(d_x, d_x);
  std::vector<SubspaceIntervals> all;
  double within = 0;
  for (int k = 0; k < samples; ++k) {
    const Dataset data = draw(static_cast<std::uint64_t>(k));
    const TargetModel model = fit(name, data, options_of(name).set("n_components", 1), 49);
    all.push_back(subspace_intervals(*model.density, *model.replicates));
    mean += all.back().projection / samples;
    Matrix direction = Matrix::Zero(1, d_x);
    direction.leftCols(2).setConstant(std::sqrt(0.5));
    const auto& fitted = dynamic_cast<const ProjectedDensity&>(*model.density);
    within += subspace_change(fitted.components(), direction).distance <= all.back().distance_bound ? 1.0 : 0.0;
  }
  for (const auto& [what, of] : {std::pair{"truth", truth}, {"mean", mean}}) {
    const Covered found = covered(all, of);
    std::printf(
        "%-7s intervals hold the %-5s: off the diagonal %.3f, diagonal of inputs that count %.3f, of others %.3f\n",
        name.c_str(), what, found.off_diagonal, found.diagonal_used, found.diagonal_unused);
  }
  std::printf("%-7s the true subspace lies within the bound of the distance in %.2f\n", name.c_str(), within / samples);
}

void tests(const std::string& name, int samples) {
  std::vector<int> answers(4, 0);
  for (int k = 0; k < samples; ++k) {
    const DimensionTest found = test_dimension(find_model(name), draw(1000 + static_cast<std::uint64_t>(k)), "",
                                               options_of(name), {}, {.level = 0.05, .most = 3}, all_threads);
    ++answers[static_cast<std::size_t>(found.n_components)];
  }
  std::printf("%-7s tests at 0.05 answer 0, 1, 2, 3 directions in %d, %d, %d, %d of %d samples\n", name.c_str(),
              answers[0], answers[1], answers[2], answers[3], samples);
}

void eliminations(const std::string& name, int samples) {
  double right = 0;
  double kept = 0;
  double unused = 0;
  double distance = 0;
  double distance_before = 0;
  Matrix direction = Matrix::Zero(1, d_x);
  direction.leftCols(2).setConstant(std::sqrt(0.5));
  for (int k = 0; k < samples; ++k) {
    const Dataset data = draw(2000 + static_cast<std::uint64_t>(k));
    const Document options = options_of(name).set("n_components", 1);
    const auto change = [&](const Document& with) {
      const TargetModel model = fit(name, data, with, 0);
      const Matrix w = dynamic_cast<const ProjectedDensity&>(*model.density).components();
      return std::pair(w, subspace_change(w, direction).distance);
    };
    distance_before += change(options).second / samples;
    Document sparse = options;
    const auto [w, own] = change(sparse.set("sparse", true));
    distance += own / samples;
    const Vector loaded = (w.array() != 0).cast<double>().row(0).transpose();
    kept += loaded.head(2).sum() / 2 / samples;
    unused += loaded.tail(d_x - 2).sum() / samples;
    right += loaded.head(2).sum() == 2 && loaded.tail(d_x - 2).sum() == 0 ? 1.0 / samples : 0.0;
  }
  std::printf(
      "%-7s sparse: keeps an input that counts in %.2f, of the 8 others %.2f; exactly the two in %.2f; distance to the "
      "true subspace %.3f, without %.3f\n",
      name.c_str(), kept, unused, right, distance, distance_before);
}

}  // namespace

int main(int argc, char** argv) {
  const int samples = argc > 1 ? std::atoi(argv[1]) : 40;
  for (const std::string name : {"lsce", "lsmi", "sliced"}) {
    intervals(name, samples);
    tests(name, samples);
    eliminations(name, samples);
    std::fflush(stdout);
  }
}
