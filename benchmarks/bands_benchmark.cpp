// Error bars from the bootstrap (model/replicates.hpp): how often they hold what they are for, and what they cost.
//
// Coverage: samples from y = b + x / 2 + 0.4 e, b = -1 or 1, x uniform on (-1, 1), e normal; at x = 0.3, nominal 90 %,
// by 99 replicates. Widths and centers are those that a first sample chooses, and are kept: the same for every
// repetition. "Mean of the estimate" is the average over the repetitions, "truth" that of the distribution drawn from.
// Of several points or levels the average coverage.
//
// Censored: y = x + e of which 42 % are censored, at x + 0.3 + another e, so that a linear regression with one normal
// (`gmm` of one component) is the truth; with x standard normal, at x = 0.5, or without x. The rows of every repetition
// are fitted and tuned anew.
//
// With an argument only that part: cost, censored, or the coverage of one model.
//
// Cost: 100 replicates of an LSCDE fit, whose tuning is kept, beside the fit with its tuning; fitted again, or by first
// derivatives.

#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "condens/core/parallel.hpp"
#include "condens/core/random.hpp"
#include "condens/estimators/lscde.hpp"
#include "condens/estimators/nadaraya_watson.hpp"
#include "condens/estimators/parzen.hpp"
#include "condens/model/bands.hpp"
#include "condens/registry.hpp"
#include "core/freed_memory.hpp"
#include "model/bootstrap.hpp"

namespace {

using namespace condens;

const Run alone{.threads = 1, .observer = {}};
constexpr double at = 0.3;
constexpr double level = 0.9;
constexpr Index n_replicates = 99;

Dataset draw(Index n, std::uint64_t seed) {
  RandomStream random(seed, 5);
  Matrix x(1, n);
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) {
    x(0, i) = 2.0 * random.uniform() - 1.0;
    y(0, i) = (random.uniform() < 0.5 ? -1.0 : 1.0) + 0.5 * x(0, i) + 0.4 * random.normal();
  }
  return {.x = x, .y = y};
}

GaussianMixtures truth() {
  const Matrix means{{-1.0 + 0.5 * at, 1.0 + 0.5 * at}};
  return GaussianMixtures::separate(means, Matrix::Constant(1, 2, 0.4), Matrix::Constant(2, 1, std::log(0.5)));
}

const std::vector<std::string> groups = {"density", "cdf", "quantiles", "mean", "sd"};
const std::vector<Index> group_of = {0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 3, 4};

Vector functionals(const GaussianMixtures& laws) {
  const Vector points{{-1.2, -0.6, 1.15}};
  Vector out(12);
  out << laws.pdf(points.transpose(), alone), laws.cdf(points, alone),
      laws.quantile(Vector{{0.1, 0.25, 0.75, 0.9}}, alone).col(0), laws.mean(alone)(0, 0),
      std::sqrt(laws.variance(alone)(0, 0));
  return out;
}

/// Every width that the model has chosen times `factor`, as options.
Document frozen(const ConditionalDensity& model, double factor, bool same_centers) {
  const auto list = [&](const Vector& widths) {
    std::vector<double> out;
    for (const double width : widths) out.push_back(factor * width);
    return Document(out);
  };
  if (const auto* lscde = dynamic_cast<const Lscde*>(&model)) {
    // The centers, too, are those of the first sample: what is fixed in the replicates is fixed in the repetitions.
    Matrix centers(2, lscde->state().centers_x.cols());
    centers.row(0) = lscde->x_scale().inverse_transform(lscde->state().centers_x);
    centers.row(1) = lscde->y_scale().inverse_transform(lscde->state().centers_y);
    return Document::Object{
        {"bandwidth", factor * lscde->state().bandwidth},  {"bandwidth_y", factor * lscde->state().bandwidth_y},
        {"regularization", lscde->state().regularization}, {"n_centers", 100},
        {"centers", same_centers ? centers : Matrix()},    {"metric", "none"}};
  }
  if (const auto* nw = dynamic_cast<const NadarayaWatson*>(&model)) {
    return Document::Object{{"bandwidth", list(nw->bandwidths())}, {"bandwidth_y", factor * nw->state().bandwidth_y}};
  }
  if (const auto* parzen = dynamic_cast<const Parzen*>(&model)) {
    return Document::Object{{"shape", "diagonal"}, {"bandwidth", list(parzen->bandwidths())}};
  }
  return Document::Object{{"n_components", 2}, {"covariance", "full"}};
}

void coverage(const std::string& name, Index n, Index repetitions, double factor, bool same_centers = true,
              ReplicateMethod replicates_by = ReplicateMethod::refit) {
  const ModelInfo& info = find_model(name);
  const Document first =
      name == "lscde" ? Document::Object{{"n_centers", 100}, {"metric", "none"}} : Document(Document::Object{});
  const Document options = frozen(*info.fit(draw(n, 1'000'000), "", first, {}), factor, same_centers);
  const Vector true_values = functionals(truth());
  const Index m = true_values.size();
  Matrix estimates(m, repetitions);
  std::vector<Bands> found(static_cast<std::size_t>(3 * repetitions));
  parallel_for(repetitions, resolve_threads(0), [&](Index k) {
    const Dataset data = draw(n, static_cast<std::uint64_t>(k));
    const auto model = info.fit(data, "", options, alone);
    const auto refit = [&](const Dataset& rows, const Run& run) { return info.fit(rows, "", options, run); };
    Refits refits{&data, {}, refit};
    refits.method = replicates_by;
    const Replicates replicates = bootstrap(*model, refits, n_replicates, static_cast<std::uint64_t>(k), alone);
    const Matrix x = Matrix::Constant(1, 1, at);
    estimates.col(k) = functionals(model->predict(x, alone));
    Matrix values(m, n_replicates);
    for (Index r = 0; r < n_replicates; ++r)
      values.col(r) = functionals(replicates.density(*model, r)->predict(x, alone));
    for (Index j = 0; j < 3; ++j)
      found[static_cast<std::size_t>(3 * k + j)] = bands(estimates.col(k), values, level, static_cast<BandMethod>(j));
  });
  const Vector expected = estimates.rowwise().mean();
  const auto share = [&](Index method, Index group, const Vector& aim) {
    double hits = 0;
    double all = 0;
    for (Index i = 0; i < m; ++i) {
      if (group_of[static_cast<std::size_t>(i)] != group) continue;
      for (Index k = 0; k < repetitions; ++k) {
        const Bands& own = found[static_cast<std::size_t>(3 * k + method)];
        hits += own.low[i] <= aim[i] && aim[i] <= own.high[i] ? 1.0 : 0.0;
        all += 1.0;
      }
    }
    return 100.0 * hits / all;
  };
  for (Index g = 0; g < std::ssize(groups); ++g) {
    std::printf("| `%s`%s%s%s | %ld | %ld | %s |", name.c_str(), factor < 1 ? ", widths x 0.6" : "",
                same_centers ? "" : ", centers drawn anew",
                replicates_by == ReplicateMethod::delta ? ", by derivatives" : "", static_cast<long>(n),
                static_cast<long>(repetitions), groups[static_cast<std::size_t>(g)].c_str());
    for (Index j = 0; j < 3; ++j) std::printf(" %.1f |", share(j, g, expected));
    for (Index j = 0; j < 3; ++j) std::printf(" %.1f |", share(j, g, true_values));
    std::printf("\n");
  }
  std::fflush(stdout);
}

/// Of the mean and of log P(Y > 1 + x), where 16 % are.
void censored(Index d_x, Index n, Index repetitions) {
  const ModelInfo& info = find_model("gmm");
  const Document one = Document::Object{{"n_components", 1}, {"covariance", "full"}};
  const double x = d_x == 0 ? 0.0 : 0.5;
  const Vector expected{{x, std::log(0.5 * std::erfc(1.0 / std::sqrt(2.0)))}};
  const auto numbers = [&](const ConditionalDensity& density) {
    const GaussianMixtures laws = density.predict(Matrix::Constant(d_x, 1, x), alone);
    return Vector{{laws.mean(alone)(0, 0), laws[0].log_sf(1.0 + x)}};
  };
  Matrix hits = Matrix::Zero(2, 3);
  for (Index t = 0; t < repetitions; ++t) {
    RandomStream random(static_cast<std::uint64_t>(t), 6);
    Matrix inputs(d_x, n);
    Matrix y(1, n);
    TargetRequest request{.replicates = n_replicates, .censoring = {Vector(n), Vector(n)}};
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < d_x; ++j) inputs(j, i) = random.normal();
      const double center = inputs.col(i).sum();
      y(0, i) = center + random.normal();
      const double end = center + 0.3 + random.normal();
      request.censoring.low[i] = std::min(y(0, i), end);
      request.censoring.high[i] = y(0, i) <= end ? y(0, i) : infinity;
    }
    const Dataset data{.x = inputs, .y = y};
    const TargetModel fitted = fit_target(
        info, request, data, "", one, [](Index row) { return std::to_string(row); }, alone);
    Matrix replicates(2, n_replicates);
    for (Index r = 0; r < n_replicates; ++r) {
      replicates.col(r) = numbers(*fitted.replicates->density(*fitted.density, r));
    }
    for (Index method = 0; method < 3; ++method) {
      const Bands own = bands(numbers(*fitted.density), replicates, level, static_cast<BandMethod>(method));
      for (Index k = 0; k < 2; ++k) hits(k, method) += own.low[k] <= expected[k] && expected[k] <= own.high[k] ? 1 : 0;
    }
  }
  const char* names[] = {"mean", "P(Y > 1 + x)"};
  for (Index k = 0; k < 2; ++k) {
    std::printf("| %s | %ld | %ld | %s |", d_x == 0 ? "none" : "x", static_cast<long>(n),
                static_cast<long>(repetitions), names[k]);
    for (Index j = 0; j < 3; ++j) std::printf(" %.1f |", 100.0 * hits(k, j) / static_cast<double>(repetitions));
    std::printf("\n");
  }
  std::fflush(stdout);
}

double seconds_of(const auto& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void cost() {
  std::printf("| rows | centers | fit s | 100 replicates s | ratio | by derivatives s | ratio |\n");
  std::printf("|---|---|---|---|---|---|---|\n");
  for (const Index n : {300, 1000, 4000}) {
    const Dataset data = draw(n, 7);
    std::unique_ptr<Lscde> model;
    const double fit = seconds_of([&] { model = std::make_unique<Lscde>(Lscde::fit(data, {}, alone)); });
    const double more = seconds_of([&] { bootstrap(*model, {&data, {}, {}}, 100, 0, alone); });
    Refits derivatives{&data, {}, {}};
    derivatives.method = ReplicateMethod::delta;
    const double delta = seconds_of([&] { bootstrap(*model, derivatives, 100, 0, alone); });
    std::printf("| %ld | %ld | %.2f | %.2f | %.2f | %.3f | %.2f |\n", static_cast<long>(n),
                static_cast<long>(model->state().coefficients.size()), fit, more, more / fit, delta, delta / fit);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  keep_freed_memory();
  const std::string only = argc > 1 ? argv[1] : "";
  if (only.empty() || only == "cost") cost();
  if (only.empty() || only == "censored") {
    std::printf("\n| inputs | rows | repetitions | of | truth: percentile | basic | normal |\n");
    std::printf("|---|---|---|---|---|---|---|\n");
    for (const Index d_x : {0, 1}) censored(d_x, 300, 200);
  }
  if (only == "cost" || only == "censored") return 0;
  std::printf(
      "\n| model | rows | repetitions | of | mean of the estimate: percentile | basic | normal | truth: percentile | "
      "basic | normal |\n|---|---|---|---|---|---|---|---|---|---|\n");
  const auto wanted = [&](const std::string& name) { return only.empty() || only == name; };
  for (const char* name : {"lscde", "nw", "parzen"}) {
    if (wanted(name)) coverage(name, 300, 1000, 1.0);
  }
  for (const char* name : {"lscde", "parzen"}) {
    if (!wanted(name)) continue;
    coverage(name, 1000, 300, 1.0);
    coverage(name, 300, 1000, 0.6);
  }
  if (wanted("gmm")) coverage("gmm", 300, 200, 1.0);
  if (!wanted("lscde")) return 0;
  coverage("lscde", 300, 1000, 1.0, false);
  coverage("lscde", 300, 1000, 1.0, true, ReplicateMethod::delta);
  coverage("lscde", 1000, 300, 1.0, true, ReplicateMethod::delta);
}
