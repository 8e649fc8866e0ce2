#include "halves.hpp"

#include "authors_program.hpp"
#include "common/data_files.hpp"
#include "common/test_score.hpp"
#include "condens/core/parallel.hpp"

namespace condens::reproduce {

namespace {

constexpr std::uint64_t split_seed = 2010;

Half run_half(const Dataset& data, const Split& split, const Variant& variant, Index repeat) {
  LscdeOptions options = variant.options;
  options.seed = repeat;
  const Dataset train = data.subset(split.train);
  const Dataset test = data.subset(split.test);
  const Run one_thread{.threads = 1, .observer = {}};

  const double begin = thread_seconds();
  const Lscde model = Lscde::fit(train, options, one_thread);
  const double seconds = thread_seconds() - begin;

  const TestScore score = standardized_score(train, model.log_density(test.x, test.y, one_thread));
  return {.exact = score.exact,
          .capped = score.capped,
          .bandwidth = model.state().bandwidth,
          .bandwidth_y = model.state().bandwidth_y,
          .regularization = model.state().regularization,
          .seconds = seconds};
}

}  // namespace

std::vector<Split> benchmark_halves(Index n) { return random_splits(n, repeats, 0.5, split_seed); }

std::vector<SetResults> run_halves(const std::string& directory, const std::vector<Variant>& variants) {
  const Index n_variants = static_cast<Index>(variants.size());
  std::vector<SetResults> out;
  for (const BenchmarkSet& set : benchmark_sets) {
    const std::optional<Dataset> data = load(directory, set.name);
    out.emplace_back();
    if (!data) continue;
    const std::vector<Split> splits = benchmark_halves(data->size());
    out.back().emplace(variants.size(), std::vector<Half>(repeats));
    parallel_for(n_variants * repeats, resolve_threads(0), [&](Index task) {
      const std::size_t v = static_cast<std::size_t>(task % n_variants);
      const std::size_t r = static_cast<std::size_t>(task / n_variants);
      (*out.back())[v][r] = run_half(*data, splits[r], variants[v], task / n_variants);
    });
  }
  return out;
}

std::vector<std::vector<double>> run_authors_program(const std::string& directory) {
  std::vector<std::vector<double>> out;
  for (const BenchmarkSet& set : benchmark_sets) {
    const std::optional<Dataset> data = load(directory, set.name);
    out.emplace_back(data ? repeats : 0);
    if (!data) continue;
    const std::vector<Split> splits = benchmark_halves(data->size());
    parallel_for(repeats, resolve_threads(0), [&](Index repeat) {
      const std::size_t r = static_cast<std::size_t>(repeat);
      out.back()[r] = authors_program_score(data->subset(splits[r].train), data->subset(splits[r].test), r);
    });
  }
  return out;
}

std::vector<double> values(const std::vector<Half>& halves, double Half::*member) {
  std::vector<double> out;
  for (const Half& half : halves) out.push_back(half.*member);
  return out;
}

}  // namespace condens::reproduce
