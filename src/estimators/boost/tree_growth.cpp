#include "tree_growth.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace condens::boosting {

using trees::BinnedInput;
using trees::Code;

namespace {

constexpr double equal_gains = 1e-9;  // that rounding tells apart: the first one is taken
constexpr double smooth_levels = 10;  // rows without a step beside those of a level, where levels are put in order

}  // namespace

GrownTree GrownTree::root(const std::vector<BinnedInput>& inputs) {
  GrownTree out;
  out.nodes.emplace_back();
  for (const BinnedInput& input : inputs) {
    out.places.emplace_back(input.categorical() ? static_cast<std::size_t>(input.n_codes) : 0);
    std::iota(out.places.back().begin(), out.places.back().end(), Code{0});
  }
  return out;
}

bool GrownTree::grows_into(const GrownTree& later) const {
  if (nodes.size() > later.nodes.size()) return false;
  bool is_split = false;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const Node& own = nodes[k];
    if (own.input < 0) continue;
    const Node& other = later.nodes[k];
    if (own.input != other.input || own.code != other.code || own.next != other.next) return false;
    is_split = true;
  }
  return !is_split || places == later.places;
}

LeafFinder::LeafFinder(const GrownTree& tree, const std::vector<BinnedInput>& inputs)
    : nodes_(tree.nodes.size()), places_(tree.places) {
  for (const GrownTree::Node& node : tree.nodes) {
    has_places_ = has_places_ || (node.input >= 0 && !tree.places[static_cast<std::size_t>(node.input)].empty());
  }
  for (std::size_t g = 0; has_places_ && g < inputs.size(); ++g) {
    if (!places_[g].empty()) continue;
    places_[g].resize(static_cast<std::size_t>(inputs[g].n_codes));
    std::iota(places_[g].begin(), places_[g].end(), Code{0});
  }
  std::vector<Index> depth(nodes_.size(), 0);
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    const GrownTree::Node& node = tree.nodes[k];
    const auto input = static_cast<std::size_t>(std::max<Index>(0, node.input));
    if (!inputs.empty()) {
      nodes_[k].codes = inputs[input].codes.data();
      nodes_[k].places = places_[input].data();
    }
    nodes_[k].next = static_cast<std::int32_t>(node.input < 0 ? static_cast<Index>(k) : node.next);
    if (node.input < 0) {
      nodes_[k].leaf = static_cast<std::int32_t>(node.next);
      depth_ = std::max(depth_, depth[k]);
    } else {
      nodes_[k].last_left = node.code;
      const auto next = static_cast<std::size_t>(node.next);
      depth[next] = std::max(depth[next], depth[k] + 1);
      depth[next + 1] = std::max(depth[next + 1], depth[k] + 1);
    }
  }
}

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

TreeGrowth::TreeGrowth(const std::vector<BinnedInput>& inputs, const GrowingSettings& settings)
    : inputs_(inputs), settings_(settings), least_weight_((1 - 1e-9) * settings.min_samples_leaf) {
  first_bin_.push_back(0);
  for (const BinnedInput& input : inputs)
    first_bin_.push_back(first_bin_.back() + static_cast<std::size_t>(input.n_codes));
}

void TreeGrowth::begin(const Derivatives& all, double second_information, RandomStream& random) {
  all_ = all;
  second_information_ = second_information;
  penalty_ = all.weight > 0 ? settings_.l2 * all.information / all.weight : 0;

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

  tree_ = GrownTree::root(inputs_);
  free_.resize(histograms_.size());
  std::iota(free_.begin(), free_.end(), std::size_t{0});
  open_.clear();
  siblings_.clear();
  depth_ = 1;
  if (!may_split(all, 0)) {
    close(0, all);
    return;
  }
  open_.push_back({0, all, 0});
  siblings_.push_back({0, 0, true});
  give_histograms();
}

/// One for every node that is to be summed, and room for the splits of all.
void TreeGrowth::give_histograms() {
  for (const Siblings& pair : siblings_) {
    if (free_.empty()) {
      free_.push_back(histograms_.size());
      histograms_.emplace_back(first_bin_.back());
    }
    open_[pair.small].histogram = free_.back();
    free_.pop_back();
  }
  found_.assign(tried_.size() * open_.size(), Split{});
}

std::vector<std::size_t> TreeGrowth::wanted() const {
  std::vector<std::size_t> out;
  for (const Siblings& pair : siblings_) out.push_back(pair.small);
  return out;
}

/// At the root, where bins are levels: puts them in order by the derivative that tells them apart the most.
void TreeGrowth::order_levels(std::size_t input, Derivatives* bins) {
  const auto count = static_cast<std::size_t>(inputs_[input].n_codes);
  const double information = smooth_levels * all_.information / all_.weight;
  std::vector<double> first;
  std::vector<double> second;
  double by_first = 0;
  double by_second = 0;
  for (std::size_t level = 0; level < count; ++level) {
    const Derivatives& sum = bins[level];
    first.push_back(sum.first / (sum.information + information));
    second.push_back(sum.second / (second_information_ * (sum.weight + smooth_levels)));
    by_first += sum.first * first.back();
    by_second += sum.second * second.back();
  }
  tree_.places[input] = trees::places_by(by_second > by_first ? second : first);
  const std::vector<Derivatives> levels(bins, bins + count);
  for (std::size_t level = 0; level < count; ++level) bins[tree_.places[input][level]] = levels[level];
}

Derivatives* TreeGrowth::bins_of(std::size_t histogram, std::size_t input) {
  return histograms_[histogram].data() + first_bin_[input];
}

/// G^2 / (H + penalty) of both parameters: twice what the best steps add to the quadratic.
double TreeGrowth::worth(const Derivatives& sum) const {
  return sum.first * sum.first / (sum.information + penalty_) +
         sum.second * sum.second / (second_information_ * (sum.weight + settings_.l2));
}

void TreeGrowth::best_split(const Open& node, std::size_t input, Split& best) {
  const Derivatives* bin = bins_of(node.histogram, input);
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

void TreeGrowth::search(std::size_t k, const Sum& sum) {
  const std::size_t input = tried_[k];
  for (const Siblings& pair : siblings_) {
    Derivatives* bins = bins_of(open_[pair.small].histogram, input);
    sum(pair.small, input, bins);
    if (pair.root) {
      if (inputs_[input].categorical()) order_levels(input, bins);
      continue;
    }
    Derivatives* parent = bins_of(open_[pair.large].histogram, input);
    for (Index code = 0; code < inputs_[input].n_codes; ++code) parent[code] = parent[code] - bins[code];
  }
  for (std::size_t open = 0; open < open_.size(); ++open) {
    best_split(open_[open], input, found_[open * tried_.size() + k]);
  }
}

void TreeGrowth::advance(const Part& part) {
  next_.clear();
  next_siblings_.clear();
  for (std::size_t open = 0; open < open_.size(); ++open) {
    Split best;
    for (std::size_t k = 0; k < tried_.size(); ++k) {
      const Split& own = found_[open * tried_.size() + k];
      if (own.gain > (1 + equal_gains) * best.gain) best = own;
    }
    split(open_[open], open, best, part);
  }
  open_.swap(next_);
  siblings_.swap(next_siblings_);
  ++depth_;
  give_histograms();
}

bool TreeGrowth::may_split(const Derivatives& sum, Index depth) const {
  return depth < settings_.max_depth && sum.weight >= 2 * least_weight_ && !inputs_.empty();
}

void TreeGrowth::split(const Open& node, std::size_t open, const Split& best, const Part& part) {
  if (best.input < 0) {
    close(node.node, node.sum);
    free_.push_back(node.histogram);
    return;
  }
  const Index left = std::ssize(tree_.nodes);
  tree_.nodes[static_cast<std::size_t>(node.node)] = {best.input, best.code, left};
  tree_.nodes.resize(tree_.nodes.size() + 2);
  const Derivatives right_sum = node.sum - best.left;
  if (!may_split(best.left, depth_) && !may_split(right_sum, depth_)) {
    close(left, best.left);
    close(left + 1, right_sum);
    free_.push_back(node.histogram);
    return;
  }
  part(open, best);
  const std::size_t small = best.left.weight <= right_sum.weight ? 0 : 1;
  next_siblings_.push_back({next_.size() + small, next_.size() + 1 - small, false});
  next_.push_back({left, best.left, node.histogram});
  next_.push_back({left + 1, right_sum, node.histogram});
}

void TreeGrowth::close(Index node, const Derivatives& sum) {
  tree_.nodes[static_cast<std::size_t>(node)].next = std::ssize(tree_.steps);
  if (!(sum.weight > 0)) {  // no row is drawn
    tree_.steps.push_back({0, 0});
    return;
  }
  tree_.steps.push_back(
      {sum.first / (sum.information + penalty_), sum.second / (second_information_ * (sum.weight + settings_.l2))});
}

}  // namespace condens::boosting
