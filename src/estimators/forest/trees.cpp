#include "trees.hpp"

#include <algorithm>
#include <string_view>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"

namespace condens::forest {

namespace {

/// The atoms of a leaf with their shares, by rising number.
std::vector<std::pair<Index, double>> entries_of(const GrownTree& tree, const GrownTree::Node& leaf,
                                                 const Vector& weights, const std::vector<Index>& row_atom) {
  std::vector<std::pair<Index, double>> all;
  double total = 0;
  for (Index k = leaf.begin; k < leaf.end; ++k) {
    const Index i = tree.rows[static_cast<std::size_t>(k)];
    all.emplace_back(row_atom[static_cast<std::size_t>(i)], weights[i]);
    total += weights[i];
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::pair<Index, double>> out;
  for (const auto& [atom, weight] : all) {
    if (out.empty() || out.back().first != atom) out.emplace_back(atom, 0.0);
    out.back().second += weight / total;
  }
  return out;
}

[[noreturn]] void fail(std::string_view what) { trees::refuse_file(Forest::class_name, what); }

Index whole(double value, Index low, Index high, std::string_view what) {
  return trees::whole_part(Forest::class_name, value, low, high, what);
}

}  // namespace

void write_trees(const GrowingData& data, const std::vector<GrownTree>& grown, const std::vector<Index>& row_atom,
                 Index n_inputs, int threads, ForestState& state) {
  const Index trees = std::ssize(grown);
  std::vector<std::vector<std::vector<std::pair<Index, double>>>> entries(grown.size());
  parallel_for(trees, threads, [&](Index t) {
    const GrownTree& tree = grown[static_cast<std::size_t>(t)];
    auto& own = entries[static_cast<std::size_t>(t)];
    for (const GrownTree::Node& node : tree.nodes) {
      if (node.input >= 0) continue;
      own.resize(std::max(own.size(), static_cast<std::size_t>(node.left + 1)));
      own[static_cast<std::size_t>(node.left)] = entries_of(tree, node, data.weights, row_atom);
    }
  });
  Index nodes = 0;
  Index leaves = 0;
  Index all = 0;
  for (std::size_t t = 0; t < grown.size(); ++t) {
    nodes += std::ssize(grown[t].nodes);
    leaves += std::ssize(entries[t]);
    for (const auto& leaf : entries[t]) all += std::ssize(leaf);
  }
  state.nodes.resize(3, nodes);
  state.roots.resize(trees);
  state.leaves.resize(leaves + 1);
  state.entry_atoms.resize(all);
  state.entry_weights.resize(all);
  nodes = leaves = all = 0;
  for (std::size_t t = 0; t < grown.size(); ++t) {
    state.roots[static_cast<Index>(t)] = static_cast<double>(nodes);
    const Index first_node = nodes;
    for (const GrownTree::Node& node : grown[t].nodes) {
      const Index next = node.left + (node.input < 0 ? leaves : first_node);
      state.nodes.col(nodes++) << static_cast<double>(node.input), node.threshold, static_cast<double>(next);
    }
    for (const auto& leaf : entries[t]) {
      state.leaves[leaves++] = static_cast<double>(all);
      for (const auto& [atom, weight] : leaf) {
        state.entry_atoms[all] = static_cast<double>(atom);
        state.entry_weights[all++] = weight;
      }
    }
  }
  state.leaves[leaves] = static_cast<double>(all);
  std::vector<const trees::Positions*> positions;
  for (const GrownTree& tree : grown) positions.push_back(&tree.positions);
  state.groups = trees::groups_of(data.inputs, n_inputs);
  state.positions = trees::positions_of(data.inputs, positions, n_inputs);
}

Trees::Trees(const ForestState& state, const Standardizer& x_scale)
    : trees_(Forest::class_name, {state.groups, state.positions, state.nodes, state.roots}, state.leaves.size() - 1,
             x_scale),
      n_atoms_(state.atoms.cols()) {
  if (state.leaves.size() < 2 || state.entry_atoms.size() != state.entry_weights.size()) fail("leaves are missing");
  const Index n_leaves = state.leaves.size() - 1;
  const Index n_entries = state.entry_atoms.size();
  for (Index k = 0; k <= n_leaves; ++k) {
    leaves_.push_back(whole(state.leaves[k], 0, n_entries + 1, "the begin of a leaf"));
    if (k > 0 && leaves_[static_cast<std::size_t>(k)] <= leaves_[static_cast<std::size_t>(k - 1)])
      fail("a leaf is empty");
  }
  if (leaves_.front() != 0 || leaves_.back() != n_entries || n_atoms_ > 65'535) fail("leaves do not hold all entries");
  for (Index k = 0; k < n_entries; ++k) {
    entry_atoms_.push_back(static_cast<std::uint16_t>(whole(state.entry_atoms[k], 0, n_atoms_, "an atom")));
    if (state.entry_weights[k] > 1 + 1e-9) fail("a share of a leaf is above 1");
    entry_weights_.push_back(static_cast<float>(state.entry_weights[k]));
  }
}

void Trees::add(Index t, const trees::SavedTrees::Inputs& x, Vector& shares) const {
  const auto leaf = static_cast<std::size_t>(trees_.leaf(t, x, 0));
  for (Index k = leaves_[leaf]; k < leaves_[leaf + 1]; ++k) {
    shares[entry_atoms_[static_cast<std::size_t>(k)]] +=
        static_cast<double>(entry_weights_[static_cast<std::size_t>(k)]);
  }
}

}  // namespace condens::forest
