// What selections find among two thousand markers of five hundred patients, ten times: two markers move the mean of the
// outcome, one weighs a second branch, one moves the spread (allele frequency 0.4 each; the others 0.1 to 0.5). Of
// tests and strict also the false ones among outcomes in random order, of which no marker says anything, ten times as
// often.
//
//   path        sacde as recommended: minutes a draw
//   stable      sacde, of the 200 markers on which the outcome depends most (screening) those that return in 75 of 100
//               half-samples, at most 0.05 false ones expected; widths 0.5 in x and 0.4 in y
//   residuals   salscde: the stable ones, and those on which residuals of its density depend, at the level 0.05
//   tests       salscde without the additive stage: residuals alone, from no marker on, at the level 0.05
//   strict      the same at the level 0.01
//
// The first lines are of each marker alone: how many others stand ahead of a planted one by the rank tests.
//
// usage: markers_benchmark [DRAWS [MARKERS [METHOD...]]]      (10, 2000, tests strict)

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "condens/core/random.hpp"
#include "condens/estimators/salscde.hpp"
#include "estimators/screening/rank_tests.hpp"
#include "measure.hpp"

using namespace condens;
using namespace condens::benchmarks;

namespace {

constexpr Index patients = 500;

struct Planted {
  const char* name;
  std::vector<Index> markers;
};
const std::vector<Planted> planted = {{"mean", {100, 900}}, {"branch", {1500}}, {"spread", {700}}};

bool is_planted(Index marker) {
  return std::any_of(planted.begin(), planted.end(), [&](const Planted& kind) {
    return std::find(kind.markers.begin(), kind.markers.end(), marker) != kind.markers.end();
  });
}

/// Copies of the rarer allele, 0, 1 or 2, and the outcome.
Dataset draw(Index markers, std::uint64_t seed) {
  RandomStream random(seed);
  Vector frequency(markers);
  for (Index k = 0; k < markers; ++k) {
    const double own = 0.1 + 0.4 * random.uniform();
    frequency[k] = is_planted(k) ? 0.4 : own;
  }
  Matrix x(markers, patients);
  Matrix y(1, patients);
  for (Index i = 0; i < patients; ++i) {
    for (Index k = 0; k < markers; ++k) {
      x(k, i) = (random.uniform() < frequency[k] ? 1.0 : 0.0) + (random.uniform() < frequency[k] ? 1.0 : 0.0);
    }
    const double branch = random.uniform() < 0.1 + 0.3 * x(1500, i) ? 3.0 : 0.0;
    y(0, i) = x(100, i) - x(900, i) + branch + (0.4 + 0.3 * x(700, i)) * random.normal();
  }
  return {.x = std::move(x), .y = std::move(y)};
}

/// The same with outcomes that go with no marker.
Dataset in_random_order(const Dataset& data, std::uint64_t seed) {
  Dataset out = data;
  out.y = Matrix(Matrix(data.y)(Eigen::all, RandomStream(seed, 1).permutation(data.size())));
  return out;
}

Vector support_by(const std::string& method, const Dataset& data) {
  SalscdeOptions options;
  options.residual_level = method == "strict" ? 0.01 : 0.05;
  if (method == "tests" || method == "strict") options.start = SelectionStart::empty;
  if (method == "stable" || method == "residuals") {
    options.selection.bandwidth = {0.5};
    options.selection.bandwidth_y = {0.4};
    options.selection.screening = 200;
    options.selection.stability_resamples = 100;
    options.selection.stability_bound = 0.05;
  }
  const Run run{.threads = 0, .observer = {}};
  const bool additive = method == "path" || method == "stable";
  return additive ? Sacde::fit(data, options.selection, run).support() : Salscde::fit(data, options, run).support();
}

void print_standing(const Dataset& data, std::uint64_t seed) {
  const auto tests = screening::rank_tests(data, screening::marginal_scores(data), {}, 1);
  std::printf("draw %llu, others ahead of a planted marker:", static_cast<unsigned long long>(seed));
  for (const Planted& kind : planted) {
    for (const Index marker : kind.markers) {
      const double own = tests[static_cast<std::size_t>(marker)].p_value();
      const auto ahead =
          std::count_if(tests.begin(), tests.end(), [&](const auto& test) { return test.p_value() < own; });
      std::printf(" %s %ld", kind.name, static_cast<long>(ahead));
    }
  }
  std::printf("\n");
}

/// A line for each draw, and their sum.
void study(const std::string& method, Index draws, Index markers, bool noise) {
  std::vector<Index> hits(planted.size(), 0);
  Index all_false = 0;
  double total = 0;
  for (Index seed = 0; seed < draws; ++seed) {
    Dataset data = draw(markers, static_cast<std::uint64_t>(seed));
    if (noise) data = in_random_order(data, static_cast<std::uint64_t>(seed));
    const double begin = now();
    const Vector support = support_by(method, data);
    const double seconds = now() - begin;
    total += seconds;
    auto wrong = static_cast<Index>(support.sum());
    if (!noise) std::printf("  draw %ld:", static_cast<long>(seed));
    for (std::size_t k = 0; k < planted.size() && !noise; ++k) {
      const auto own = static_cast<Index>(support(planted[k].markers).sum());
      hits[k] += own;
      wrong -= own;
      std::printf(" %s %ld of %zu,", planted[k].name, static_cast<long>(own), planted[k].markers.size());
    }
    all_false += wrong;
    if (!noise) std::printf(" false %ld, %.1f s\n", static_cast<long>(wrong), seconds);
    std::fflush(stdout);
  }
  std::printf("%s%s, %ld draws of %ld markers:", method.c_str(), noise ? ", outcomes in random order" : "",
              static_cast<long>(draws), static_cast<long>(markers));
  for (std::size_t k = 0; k < planted.size() && !noise; ++k) {
    std::printf(" %s %ld of %ld,", planted[k].name, static_cast<long>(hits[k]),
                static_cast<long>(planted[k].markers.size()) * static_cast<long>(draws));
  }
  std::printf(" false %ld, %.1f s a draw\n", static_cast<long>(all_false), total / static_cast<double>(draws));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const Index draws = argc > 1 ? std::atol(argv[1]) : 10;
  const Index markers = argc > 2 ? std::atol(argv[2]) : 2000;
  if (draws < 1 || markers <= 1500) {
    std::fprintf(stderr, "usage: markers_benchmark [DRAWS [MARKERS > 1500 [METHOD...]]]\n");
    return 2;
  }
  std::vector<std::string> methods(argv + std::min(argc, 3), argv + argc);
  if (methods.empty()) methods = {"tests", "strict"};
  for (Index seed = 0; seed < draws; ++seed) {
    const auto number = static_cast<std::uint64_t>(seed);
    print_standing(draw(markers, number), number);
  }
  for (const std::string& method : methods) {
    study(method, draws, markers, false);
    const bool is_fast = method == "tests" || method == "strict";
    if (is_fast) study(method, 10 * draws, markers, true);
  }
}
