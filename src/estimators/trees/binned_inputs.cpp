#include "binned_inputs.hpp"

#include <algorithm>
#include <numeric>

#include "condens/core/parallel.hpp"

namespace condens::trees {

namespace {

constexpr std::size_t most_levels = 60'000;

bool are_indicators(const Dataset& data, const std::vector<Index>& rows) {
  if (rows.size() < 2 || rows.size() > most_levels) return false;
  for (Index i = 0; i < data.size(); ++i) {
    Index ones = 0;
    for (const Index r : rows) {
      const double value = data.x(r, i);
      if (value != 0 && value != 1) return false;
      ones += value == 1 ? 1 : 0;
    }
    if (ones > 1) return false;
  }
  return true;
}

void find_edges(const Dataset& data, Index max_bins, BinnedInput& input) {
  Vector sorted = data.x.row(input.rows.front()).transpose();
  std::sort(sorted.begin(), sorted.end());
  Index different = 1;
  for (Index i = 1; i < sorted.size(); ++i) different += sorted[i] > sorted[i - 1] ? 1 : 0;
  const double rows_of_bin =
      different <= max_bins ? 1.0 : static_cast<double>(sorted.size()) / static_cast<double>(max_bins);
  double next = rows_of_bin;
  for (Index i = 1; i < sorted.size(); ++i) {
    if (static_cast<double>(i) < next || sorted[i] == sorted[i - 1]) continue;
    input.edges.push_back(sorted[i - 1] + 0.5 * (sorted[i] - sorted[i - 1]));
    next = static_cast<double>(i) + rows_of_bin;
  }
  input.n_codes = std::ssize(input.edges) + 1;
}

void code_levels(const Dataset& data, BinnedInput& input) {
  for (Index i = 0; i < data.size(); ++i) {
    for (std::size_t k = 0; k < input.rows.size(); ++k) {
      if (data.x(input.rows[k], i) == 1) input.codes[static_cast<std::size_t>(i)] = static_cast<Code>(k + 1);
    }
  }
}

void code_numbers(const Dataset& data, BinnedInput& input) {
  const Index row = input.rows.front();
  for (Index i = 0; i < data.size(); ++i) {
    const auto at = std::lower_bound(input.edges.begin(), input.edges.end(), data.x(row, i));
    input.codes[static_cast<std::size_t>(i)] = static_cast<Code>(at - input.edges.begin());
  }
}

}  // namespace

std::vector<BinnedInput> find_bins(const Dataset& data, Index max_bins, int threads) {
  std::vector<BinnedInput> out;
  for (const std::vector<Index>& rows : data.inputs()) {
    if (are_indicators(data, rows)) {
      out.push_back({rows, {}, std::ssize(rows) + 1, {}});
    } else {
      for (const Index r : rows) out.push_back({{r}, {}, 0, {}});
    }
  }
  parallel_for(std::ssize(out), threads, [&](Index g) {
    BinnedInput& input = out[static_cast<std::size_t>(g)];
    if (!input.categorical()) find_edges(data, max_bins, input);
  });
  return out;
}

void code_rows(std::vector<BinnedInput>& inputs, const Dataset& data, int threads) {
  parallel_for(std::ssize(inputs), threads, [&](Index g) {
    BinnedInput& input = inputs[static_cast<std::size_t>(g)];
    input.codes.assign(static_cast<std::size_t>(data.size()), 0);
    if (input.categorical()) {
      code_levels(data, input);
    } else {
      code_numbers(data, input);
    }
  });
}

std::vector<BinnedInput> bin_inputs(const Dataset& data, Index max_bins, int threads) {
  std::vector<BinnedInput> out = find_bins(data, max_bins, threads);
  code_rows(out, data, threads);
  return out;
}

void standardize_edges(std::vector<BinnedInput>& inputs, const Standardizer& x_scale) {
  for (BinnedInput& input : inputs) {
    const Index row = input.rows.front();
    if (input.categorical()) continue;
    for (double& edge : input.edges) {
      edge = x_scale.is_constant(row) ? 0.0 : (edge - x_scale.mean()[row]) / x_scale.scale()[row];
    }
  }
}

std::vector<Code> places_by(const std::vector<double>& key) {
  std::vector<std::size_t> order(key.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key[a] < key[b]; });
  std::vector<Code> place(key.size());
  for (std::size_t c = 0; c < order.size(); ++c) place[order[c]] = static_cast<Code>(c);
  return place;
}

}  // namespace condens::trees
