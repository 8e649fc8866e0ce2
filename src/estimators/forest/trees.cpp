#include "trees.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"

namespace condens::forest {

namespace {

constexpr Index most_nodes = 2'000'000'000;

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

[[noreturn]] void fail(std::string_view what) {
  throw FormatError(message(Forest::class_name, ": ", what, "; the file is damaged"));
}

/// A whole number in [low, high), or the end of the file.
Index whole(double value, Index low, Index high, std::string_view what) {
  const bool inside = value >= static_cast<double>(low) && value < static_cast<double>(high);
  if (!inside || value != std::floor(value)) {
    fail(message(what, " is ", value, ", expected a whole number from ", low, " to ", high - 1));
  }
  return static_cast<Index>(value);
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
  state.groups.resize(n_inputs);
  state.positions.resize(0, 0);
  for (std::size_t g = 0; g < data.inputs.size(); ++g) {
    const BinnedInput& input = data.inputs[g];
    for (const Index row : input.rows) state.groups[row] = static_cast<double>(g);
    if (!input.categorical()) continue;
    if (state.positions.size() == 0) state.positions = Matrix::Zero(n_inputs, trees);
    for (std::size_t t = 0; t < grown.size(); ++t) {
      for (std::size_t k = 0; k < input.rows.size(); ++k) {
        state.positions(input.rows[k], static_cast<Index>(t)) = grown[t].positions[g][k + 1];
      }
    }
  }
}

Trees::Trees(const ForestState& state, const Standardizer& x_scale)
    : n_atoms_(state.atoms.cols()), positions_(state.positions), x_mean_(x_scale.mean()), x_scale_(x_scale.scale()) {
  const Index n_inputs = x_scale.dimension();
  if (state.groups.size() != n_inputs) fail("groups are not those of the inputs");
  for (Index row = 0; row < n_inputs; ++row) {
    const Index group = whole(state.groups[row], 0, row + 1, "a group");
    rows_of_input_.resize(std::max(rows_of_input_.size(), static_cast<std::size_t>(group + 1)));
    rows_of_input_[static_cast<std::size_t>(group)].push_back(row);
  }
  for (const std::vector<Index>& rows : rows_of_input_) {
    if (rows.empty()) fail("groups leave one out");
    if (rows.size() > 1 && positions_.cols() != state.roots.size()) fail("a category has no positions");
  }
  if (positions_.size() > 0 && positions_.cols() != state.roots.size()) fail("positions are not those of the trees");
  if (state.nodes.rows() != 3 || state.nodes.cols() > most_nodes) fail("nodes have not three parts");
  if (state.leaves.size() < 2 || state.entry_atoms.size() != state.entry_weights.size()) fail("leaves are missing");
  const Index n_nodes = state.nodes.cols();
  const Index n_leaves = state.leaves.size() - 1;
  for (const double root : state.roots) {
    roots_.push_back(static_cast<std::int32_t>(whole(root, 0, n_nodes, "a root")));
  }
  nodes_.reserve(static_cast<std::size_t>(n_nodes));
  for (Index k = 0; k < n_nodes; ++k) {
    const auto input = static_cast<std::int32_t>(whole(state.nodes(0, k), -1, std::ssize(rows_of_input_), "an input"));
    // Children come later than their parent, so every way ends.
    const Index next = input < 0 ? whole(state.nodes(2, k), 0, n_leaves, "a leaf")
                                 : whole(state.nodes(2, k), k + 1, n_nodes - 1, "a child");
    nodes_.push_back({input, static_cast<std::int32_t>(next), state.nodes(1, k)});
  }
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

Trees::Input::Input(const Trees& trees, const VectorView& x) : x_(x.data()) {
  indicators_.resize(trees.rows_of_input_.size());
  for (std::size_t g = 0; g < indicators_.size(); ++g) {
    const std::vector<Index>& rows = trees.rows_of_input_[g];
    if (rows.size() == 1) continue;
    for (const Index row : rows) {
      const double value = trees.x_mean_[row] + trees.x_scale_[row] * x[row];
      if (std::abs(value) > 1e-9) indicators_[g].emplace_back(row, value);
    }
  }
}

double Trees::value(Index t, const Node& node, const Input& x) const {
  const auto input = static_cast<std::size_t>(node.input);
  if (rows_of_input_[input].size() == 1) return x.x_[rows_of_input_[input].front()];
  double out = 0;
  for (const auto& [row, indicator] : x.indicators_[input]) out += positions_(row, t) * indicator;
  return out;
}

void Trees::add(Index t, const Input& x, Vector& shares) const {
  const Node* node = &nodes_[static_cast<std::size_t>(roots_[static_cast<std::size_t>(t)])];
  while (node->input >= 0) {
    const bool right = value(t, *node, x) > node->threshold;
    node = &nodes_[static_cast<std::size_t>(node->next + (right ? 1 : 0))];
  }
  const auto leaf = static_cast<std::size_t>(node->next);
  for (Index k = leaves_[leaf]; k < leaves_[leaf + 1]; ++k) {
    shares[entry_atoms_[static_cast<std::size_t>(k)]] +=
        static_cast<double>(entry_weights_[static_cast<std::size_t>(k)]);
  }
}

}  // namespace condens::forest
