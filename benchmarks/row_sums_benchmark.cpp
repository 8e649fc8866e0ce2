// Fits of tables that are never in memory: 10 inputs and y, made anew in blocks of 100,000 rows for every pass. Times
// are held against the fit of the same rows in memory, where they fit; beyond, they show whether time is linear in rows
// and memory does not grow with them.
//
//   gmm           8 components of full covariances, 20 iterations, a pass for each
//   lscde given   300 centres and widths that are given: a pass for H and h
//   lscde chosen  the same centres, chosen among 3 widths of x, 3 of y and 3 regularisers: two passes for each width
//   mdn           a network of 2 layers of 32 units and 5 components, from 20,000 rows, then 10 steps on all rows
//
// Usage: row_sums_benchmark [fit...] [rows...]

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "condens/core/random.hpp"
#include "condens/registry.hpp"
#include "measure.hpp"

using namespace condens;
using namespace condens::benchmarks;

namespace {

constexpr Index dimension = 10;
constexpr Index rows_of_block = 100'000;
constexpr Index most_in_memory = 3'000'000;

/// Two branches of y that the first input shifts and the second one spreads.
Dataset block_of(Index first, Index count) {
  RandomStream random(1, static_cast<std::uint64_t>(first / rows_of_block));
  Matrix x(dimension, count);
  Matrix y(1, count);
  for (Index i = 0; i < count; ++i) {
    for (Index j = 0; j < dimension; ++j) x(j, i) = random.normal();
    const double branch = random.uniform() < 0.5 ? -1.0 : 1.0;
    y(0, i) = branch * (1 + 0.5 * x(0, i)) + (0.2 + 0.1 * std::abs(x(1, i))) * random.normal();
  }
  return {.x = std::move(x), .y = std::move(y)};
}

class MadeBlocks final : public RowSums {
 public:
  MadeBlocks(Index rows, int threads) : RowSums(dimension, 1), rows_(rows), run_{.threads = threads, .observer = {}} {}
  Document total(const Document& pass) override {
    Document out;
    for (Index first = 0; first < rows_; first += rows_of_block) {
      const double begin = now();
      const Dataset block = block_of(first, std::min(rows_of_block, rows_ - first));
      making += now() - begin;
      Document state = accumulate(pass, block, first, run_);
      out = out.is_null() ? std::move(state) : merge_states(out, state);
    }
    ++passes;
    return out;
  }
  int passes = 0;
  double making = 0;

 private:
  Index rows_;
  Run run_;
};

Document numbers(const std::vector<double>& values) { return Document(values); }

Document options_of(const std::string& what) {
  Document out(Document::Object{});
  if (what == "gmm") {
    return out.set("n_components", numbers({8}))
        .set("covariance", "full")
        .set("tolerance", 0.0)
        .set("max_iterations", Index{20});
  }
  if (what == "mdn") {
    return out.set("n_components", numbers({5}))
        .set("units", numbers({32}))
        .set("layers", Index{2})
        .set("n_members", Index{1})
        .set("sample_rows", Index{20'000})
        .set("adam_passes", Index{20})
        .set("table_steps", Index{10});
  }
  out.set("n_centers", Index{300}).set("max_centers", Index{300}).set("metric", "none").set("refine", false);
  if (what == "lscde given") {
    return out.set("bandwidth", numbers({1.5}))
        .set("bandwidth_y", numbers({0.2}))
        .set("regularization", numbers({0.01}));
  }
  return out.set("bandwidth", numbers({1, 2, 4}))
      .set("bandwidth_y", numbers({0.1, 0.2, 0.4}))
      .set("regularization", numbers({0.001, 0.01, 0.1}));
}

void run(const std::string& what, Index rows, int threads) {
  const ModelInfo& info = find_model(what.substr(0, what.find(' ')));
  MadeBlocks table(rows, threads);
  const double begin = now();
  const auto found = fit_by_sums(info, table, "", options_of(what), 0, {.threads = threads, .observer = {}});
  const double seconds = now() - begin;
  std::printf("| %s | %td | %d | %.1f | %.1f | %.2f | %.0f |", what.c_str(), rows, table.passes, seconds, table.making,
              1e6 * (seconds - table.making) / static_cast<double>(rows), peak_memory());
  std::fflush(stdout);
  if (rows > most_in_memory) {
    std::printf(" | |\n");
    return;
  }
  Matrix x(dimension, rows);
  Matrix y(1, rows);
  for (Index first = 0; first < rows; first += rows_of_block) {
    const Dataset block = block_of(first, std::min(rows_of_block, rows - first));
    x.middleCols(first, block.size()) = block.x;
    y.middleCols(first, block.size()) = block.y;
  }
  const Dataset data{.x = std::move(x), .y = std::move(y)};
  const double plain_begin = now();
  const auto plain = info.fit(data, "", options_of(what), {.threads = threads, .observer = {}});
  const double plain_seconds = now() - plain_begin;
  const Dataset fresh = block_of(1'000'000'000, 1000);
  const double difference =
      (plain->log_density(fresh.x, fresh.y) - found->log_density(fresh.x, fresh.y)).cwiseAbs().maxCoeff();
  std::printf(" %.1f | %.0e |\n", plain_seconds, difference);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<Index> sizes;
  std::vector<std::string> fits;
  for (const std::string& word : std::vector<std::string>(argv + 1, argv + argc)) {
    if (std::isdigit(static_cast<unsigned char>(word[0])) != 0) {
      sizes.push_back(std::stol(word));
    } else {
      fits.push_back(word);
    }
  }
  if (sizes.empty()) sizes = {1'000'000, 10'000'000, 30'000'000};
  if (fits.empty()) fits = {"gmm", "lscde given", "lscde chosen", "mdn"};
  const int threads = resolve_threads(0);
  std::printf("Rows made anew in blocks of %td for every pass, %d threads.\n\n", rows_of_block, threads);
  std::printf(
      "| fit | rows | passes | seconds | of these making rows | microseconds a row for the fit | peak memory, MiB |"
      " in memory, seconds | largest difference of log densities |\n|---|---|---|---|---|---|---|---|---|\n");
  for (const Index rows : sizes) {
    for (const std::string& what : fits) run(what, rows, threads);
  }
}
