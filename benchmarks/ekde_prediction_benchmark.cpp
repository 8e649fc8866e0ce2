// eKDE at n = 1,000,000, d_x = 3: neighbours by the k-d tree against every distance, on a
// sample of queries, with equal results; then a fit with selection, and log densities.

#include "condens/estimators/epsilon_kde.hpp"
#include "condens/kernels/neighbors.hpp"
#include "measure.hpp"
#include "simulated.hpp"

using namespace condens;
using namespace condens::benchmarks;

namespace {

/// All queries, one after the other.
std::vector<Neighborhood> search(const Neighbors& neighbors, const Matrix& queries, double radius) {
  std::vector<Neighborhood> out(static_cast<std::size_t>(queries.cols()));
  for (Index q = 0; q < queries.cols(); ++q) {
    neighbors.within(queries.col(q), radius * radius, out[static_cast<std::size_t>(q)]);
  }
  return out;
}

bool equal(const std::vector<Neighborhood>& a, const std::vector<Neighborhood>& b) {
  for (std::size_t q = 0; q < a.size(); ++q) {
    if (a[q].rows != b[q].rows || a[q].squared_distances != b[q].squared_distances) return false;
  }
  return true;
}

}  // namespace

int main() {
  const Index n = 1000000;
  const Index n_queries = 100;
  const Dataset data = two_branches(n, 3, 1);
  const Matrix queries = two_branches(n_queries, 3, 2).x;
  std::printf("eKDE: n = %d, d_x = 3, one thread for the search\n", static_cast<int>(n));
  double begin = now();
  const Neighbors tree(data.x, NeighborSearch::tree);
  const double t_build = now() - begin;
  const Neighbors brute(data.x, NeighborSearch::brute_force);
  std::printf("building the tree: %.2f s\n\n", t_build);
  std::printf("%8s %18s %16s %16s %10s\n", "radius", "mean neighbours", "tree, a query", "brute, a query", "ratio");
  bool all_equal = true;
  for (const double radius : {0.02, 0.05, 0.1, 0.2, 0.4, 0.8}) {
    std::vector<Neighborhood> by_tree;
    std::vector<Neighborhood> by_brute;
    const double t_tree = best_seconds(3, [&] { by_tree = search(tree, queries, radius); });
    const double t_brute = best_seconds(2, [&] { by_brute = search(brute, queries, radius); });
    all_equal = all_equal && equal(by_tree, by_brute);
    double mean = 0;
    for (const Neighborhood& found : by_tree) {
      mean += static_cast<double>(found.rows.size()) / static_cast<double>(n_queries);
    }
    std::printf("%8.2f %18.1f %13.1f us %13.1f us %8.1f x\n", radius, mean, 1e6 * t_tree / n_queries,
                1e6 * t_brute / n_queries, t_brute / t_tree);
  }
  std::printf("the same neighbours in the same order, to the bit: %s\n\n", all_equal ? "yes" : "NO");

  begin = now();
  const EpsilonKde model = EpsilonKde::fit(data);
  std::printf("fit with selection (%d scored rows, all cores): %.1f s; radius %.3g, bandwidth_y %.3g\n",
              static_cast<int>(model.report().details.at("n_scored_rows").as_integer()), now() - begin,
              model.state().radius, model.state().bandwidth_y);
  const Dataset test = two_branches(10000, 3, 3);
  begin = now();
  const Vector log_density = model.log_density(test.x, test.y);
  std::printf("10,000 log densities (all cores): %.2f s; mean %.4f\n", now() - begin, log_density.mean());
  std::printf("peak memory: %.0f MiB\n", peak_memory());
  return all_equal ? 0 : 1;
}
