#include "growing.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "condens/core/cancellation.hpp"
#include "condens/core/parallel.hpp"
#include "core/work.hpp"

namespace condens::boosting {

using trees::BinnedInput;
using trees::Code;

namespace {

constexpr double equal_gains = 1e-9;      // that rounding tells apart: the first one is taken
constexpr double smooth_levels = 10;      // rows without a step beside those of a level, where levels are put in order
constexpr Index worth_threads = 100'000;  // rows times inputs of a level: fewer are summed before threads start

Derivatives& operator+=(Derivatives& a, const Derivatives& b) {
  a.weight += b.weight;
  a.first += b.first;
  a.information += b.information;
  a.second += b.second;
  return a;
}

Derivatives operator-(const Derivatives& a, const Derivatives& b) {
  return {a.weight - b.weight, a.first - b.first, a.information - b.information, a.second - b.second};
}

}  // namespace

double GrownTree::threshold(const std::vector<BinnedInput>& inputs, const Node& node) const {
  const auto input = static_cast<std::size_t>(node.input);
  if (places[input].empty()) return inputs[input].edges[node.code];
  return static_cast<double>(node.code) + 0.5 - static_cast<double>(places[input].front());
}

trees::Positions GrownTree::positions() const {
  trees::Positions out(places.size());
  for (std::size_t g = 0; g < places.size(); ++g) {
    for (const Code place : places[g]) {
      out[g].push_back(static_cast<double>(place) - static_cast<double>(places[g].front()));
    }
  }
  return out;
}

Grower::Grower(const std::vector<BinnedInput>& inputs, const GrowingSettings& settings)
    : inputs_(inputs), settings_(settings), least_weight_((1 - 1e-9) * settings.min_samples_leaf) {
  first_bin_.push_back(0);
  for (const BinnedInput& input : inputs)
    first_bin_.push_back(first_bin_.back() + static_cast<std::size_t>(input.n_codes));
}

GrownTree Grower::grow(std::vector<std::int32_t> rows, std::vector<Derivatives> own, double second_information,
                       RandomStream& random, int threads) {
  rows_ = std::move(rows);
  own_ = std::move(own);
  scratch_rows_.resize(rows_.size());
  scratch_own_.resize(rows_.size());
  Derivatives all;
  for (const Derivatives& row : own_) all += row;
  second_information_ = second_information;
  penalty_ = settings_.l2 * all.information / all.weight;

  const Index n_inputs = std::ssize(inputs_);
  const auto wanted = static_cast<Index>(std::lround(settings_.max_features * static_cast<double>(n_inputs)));
  const Index count = std::min(n_inputs, std::max<Index>(1, wanted));
  tried_.assign(inputs_.size(), 0);
  std::iota(tried_.begin(), tried_.end(), std::size_t{0});
  if (count < n_inputs) {
    const std::vector<Index> order = random.permutation(n_inputs);
    tried_.assign(order.begin(), order.begin() + count);
    std::sort(tried_.begin(), tried_.end());
  }

  GrownTree tree;
  order_levels(tree);
  tree.nodes.emplace_back();
  free_.resize(histograms_.size());
  std::iota(free_.begin(), free_.end(), std::size_t{0});
  std::vector<Open> open;
  std::vector<Siblings> siblings;
  if (may_split(all, 0)) {
    open.push_back({0, 0, rows_.size(), all, 0});
    siblings.push_back({0, 0, true});
  } else {
    close(tree, 0, all);
  }
  for (Index depth = 1; !open.empty(); ++depth) {
    check_cancelled();
    for (const Siblings& pair : siblings) {
      if (free_.empty()) {
        free_.push_back(histograms_.size());
        histograms_.emplace_back(first_bin_.back());
      }
      open[pair.small].histogram = free_.back();
      free_.pop_back();
    }
    const std::vector<Split> splits = best_splits(tree, open, siblings, threads);
    std::vector<Open> next;
    std::vector<Siblings> next_siblings;
    for (std::size_t k = 0; k < open.size(); ++k) split(tree, open[k], splits[k], depth, next, next_siblings);
    open = std::move(next);
    siblings = std::move(next_siblings);
  }
  return tree;
}

/// By the derivative that tells levels apart the most.
void Grower::order_levels(GrownTree& tree) const {
  for (const BinnedInput& input : inputs_) {
    tree.places.emplace_back();
    if (!input.categorical()) continue;
    std::vector<Derivatives> sums(static_cast<std::size_t>(input.n_codes));
    Derivatives all;
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      sums[input.codes[static_cast<std::size_t>(rows_[k])]] += own_[k];
      all += own_[k];
    }
    const double information = smooth_levels * all.information / all.weight;
    std::vector<double> first;
    std::vector<double> second;
    double by_first = 0;
    double by_second = 0;
    for (const Derivatives& sum : sums) {
      first.push_back(sum.first / (sum.information + information));
      second.push_back(sum.second / (second_information_ * (sum.weight + smooth_levels)));
      by_first += sum.first * first.back();
      by_second += sum.second * second.back();
    }
    tree.places.back() = trees::places_by(by_second > by_first ? second : first);
  }
}

Derivatives* Grower::bins(std::size_t histogram, std::size_t input) {
  return histograms_[histogram].data() + first_bin_[input];
}

void Grower::sum_rows(const Open& node, std::size_t input, const std::vector<Code>& places) {
  const BinnedInput& own = inputs_[input];
  Derivatives* out = bins(node.histogram, input);
  std::fill_n(out, own.n_codes, Derivatives{});
  const Code* codes = own.codes.data();
  if (places.empty()) {
    for (std::size_t k = node.begin; k < node.end; ++k) out[codes[rows_[k]]] += own_[k];
  } else {
    for (std::size_t k = node.begin; k < node.end; ++k) out[places[codes[rows_[k]]]] += own_[k];
  }
}

/// G^2 / (H + penalty) of both parameters: twice what the best steps add to the quadratic.
double Grower::worth(const Derivatives& sum) const {
  return sum.first * sum.first / (sum.information + penalty_) +
         sum.second * sum.second / (second_information_ * (sum.weight + settings_.l2));
}

void Grower::best_split(const Open& node, std::size_t input, Split& best) {
  const Derivatives* bin = bins(node.histogram, input);
  const double before = worth(node.sum);
  const Index last = inputs_[input].n_codes - 1;
  Derivatives left;
  for (Index code = 0; code < last; ++code) {
    if (bin[code].weight == 0) continue;
    left += bin[code];
    if (left.weight < least_weight_) continue;
    const Derivatives right = node.sum - left;
    if (right.weight < least_weight_) break;
    const double gain = worth(left) + worth(right) - before;
    if (gain > (1 + equal_gains) * best.gain && gain > 1e-12 * before) {
      best = {static_cast<Index>(input), static_cast<Code>(code), gain, left};
    }
  }
}

std::vector<Grower::Split> Grower::best_splits(const GrownTree& tree, const std::vector<Open>& open,
                                               const std::vector<Siblings>& siblings, int threads) {
  std::vector<Split> of_input(tried_.size() * open.size());
  const auto body = [&](Index k) {
    const auto at = static_cast<std::size_t>(k);
    const std::size_t input = tried_[at];
    for (const Siblings& pair : siblings) {
      const Open& small = open[pair.small];
      sum_rows(small, input, tree.places[input]);
      if (pair.root) continue;
      const Derivatives* less = bins(small.histogram, input);
      Derivatives* parent = bins(open[pair.large].histogram, input);
      for (Index code = 0; code < inputs_[input].n_codes; ++code) parent[code] = parent[code] - less[code];
    }
    for (std::size_t node = 0; node < open.size(); ++node) {
      best_split(open[node], input, of_input[node * tried_.size() + at]);
    }
  };
  std::size_t rows = 0;
  for (const Siblings& pair : siblings) rows += open[pair.small].end - open[pair.small].begin;
  const bool many = static_cast<Index>(rows * tried_.size()) > worth_threads;
  count_work(2.0 * static_cast<double>(rows * tried_.size()) +
             4.0 * static_cast<double>(open.size() * first_bin_.back()));
  parallel_for(std::ssize(tried_), many ? threads : 1, body);
  std::vector<Split> out(open.size());
  for (std::size_t node = 0; node < open.size(); ++node) {
    for (std::size_t k = 0; k < tried_.size(); ++k) {
      const Split& own = of_input[node * tried_.size() + k];
      if (own.gain > (1 + equal_gains) * out[node].gain) out[node] = own;
    }
  }
  return out;
}

/// Rows of the left child first, each side in its order.
std::size_t Grower::partition(const GrownTree& tree, const Open& node, const Split& split) {
  const auto input = static_cast<std::size_t>(split.input);
  const Code* codes = inputs_[input].codes.data();
  const std::vector<Code>& places = tree.places[input];
  std::size_t left = node.begin;
  std::size_t right = 0;
  for (std::size_t k = node.begin; k < node.end; ++k) {
    Code code = codes[rows_[k]];
    if (!places.empty()) code = places[code];
    if (code <= split.code) {
      rows_[left] = rows_[k];
      own_[left++] = own_[k];
    } else {
      scratch_rows_[right] = rows_[k];
      scratch_own_[right++] = own_[k];
    }
  }
  std::copy_n(scratch_rows_.begin(), right, rows_.begin() + static_cast<Index>(left));
  std::copy_n(scratch_own_.begin(), right, own_.begin() + static_cast<Index>(left));
  return left;
}

bool Grower::may_split(const Derivatives& sum, Index depth) const {
  return depth < settings_.max_depth && sum.weight >= 2 * least_weight_ && !inputs_.empty();
}

void Grower::split(GrownTree& tree, const Open& node, const Split& split, Index depth, std::vector<Open>& next,
                   std::vector<Siblings>& siblings) {
  if (split.input < 0) {
    close(tree, node.node, node.sum);
    free_.push_back(node.histogram);
    return;
  }
  const Index left = std::ssize(tree.nodes);
  tree.nodes[static_cast<std::size_t>(node.node)] = {split.input, split.code, left};
  tree.nodes.resize(tree.nodes.size() + 2);
  const Derivatives right_sum = node.sum - split.left;
  if (!may_split(split.left, depth) && !may_split(right_sum, depth)) {
    close(tree, left, split.left);
    close(tree, left + 1, right_sum);
    free_.push_back(node.histogram);
    return;
  }
  const std::size_t middle = partition(tree, node, split);
  const Open children[2] = {{left, node.begin, middle, split.left, node.histogram},
                            {left + 1, middle, node.end, right_sum, node.histogram}};
  const std::size_t small = middle - node.begin <= node.end - middle ? 0 : 1;
  siblings.push_back({next.size() + small, next.size() + 1 - small, false});
  next.push_back(children[0]);
  next.push_back(children[1]);
}

void Grower::close(GrownTree& tree, Index node, const Derivatives& sum) const {
  tree.nodes[static_cast<std::size_t>(node)].next = std::ssize(tree.steps);
  tree.steps.push_back(
      {sum.first / (sum.information + penalty_), sum.second / (second_information_ * (sum.weight + settings_.l2))});
}

}  // namespace condens::boosting
