#include "saved_trees.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "condens/core/errors.hpp"

namespace condens::trees {

namespace {

constexpr Index most_nodes = 2'000'000'000;
constexpr Index lanes = 8;  // columns that walk together: while one waits for memory, others go on

}  // namespace

void refuse_file(std::string_view owner, std::string_view what) {
  throw FormatError(message(owner, ": ", what, "; the file is damaged"));
}

Index whole_part(std::string_view owner, double value, Index low, Index high, std::string_view what) {
  const bool inside = value >= static_cast<double>(low) && value < static_cast<double>(high);
  if (!inside || value != std::floor(value)) {
    refuse_file(owner, message(what, " is ", value, ", expected a whole number from ", low, " to ", high - 1));
  }
  return static_cast<Index>(value);
}

Vector groups_of(const std::vector<BinnedInput>& inputs, Index n_inputs) {
  Vector out(n_inputs);
  for (std::size_t g = 0; g < inputs.size(); ++g) {
    for (const Index row : inputs[g].rows) out[row] = static_cast<double>(g);
  }
  return out;
}

Matrix positions_of(const std::vector<BinnedInput>& inputs, const std::vector<const Positions*>& trees,
                    Index n_inputs) {
  Matrix out;
  for (std::size_t g = 0; g < inputs.size(); ++g) {
    const BinnedInput& input = inputs[g];
    if (!input.categorical()) continue;
    if (out.size() == 0) out = Matrix::Zero(n_inputs, std::ssize(trees));
    for (std::size_t t = 0; t < trees.size(); ++t) {
      for (std::size_t k = 0; k < input.rows.size(); ++k) {
        out(input.rows[k], static_cast<Index>(t)) = (*trees[t])[g][k + 1];
      }
    }
  }
  return out;
}

void SavedTrees::read_inputs(std::string_view owner, const Parts& parts, Index n_inputs) {
  const Index n_trees = parts.roots.size();
  if (parts.groups.size() != n_inputs) refuse_file(owner, "groups are not those of the inputs");
  for (Index row = 0; row < n_inputs; ++row) {
    const Index group = whole_part(owner, parts.groups[row], 0, row + 1, "a group");
    rows_of_input_.resize(std::max(rows_of_input_.size(), static_cast<std::size_t>(group + 1)));
    rows_of_input_[static_cast<std::size_t>(group)].push_back(row);
  }
  for (const std::vector<Index>& rows : rows_of_input_) {
    if (rows.empty()) refuse_file(owner, "groups leave one out");
    const bool category = rows.size() > 1;
    if (category && positions_.cols() != n_trees) refuse_file(owner, "a category has no positions");
    category_of_input_.push_back(category ? std::ssize(categories_) : -1);
    if (category) categories_.push_back(std::ssize(category_of_input_) - 1);
  }
  if (positions_.size() > 0 && (positions_.cols() != n_trees || positions_.rows() != n_inputs)) {
    refuse_file(owner, "positions are not those of the trees");
  }
  reads_.assign(categories_.size(), std::vector<bool>(static_cast<std::size_t>(n_trees), false));
}

SavedTrees::SavedTrees(std::string_view owner, const Parts& parts, Index n_leaves, const Standardizer& x_scale)
    : positions_(parts.positions), x_mean_(x_scale.mean()), x_scale_(x_scale.scale()) {
  read_inputs(owner, parts, x_scale.dimension());
  if (parts.nodes.rows() != 3 || parts.nodes.cols() > most_nodes) refuse_file(owner, "nodes have not three parts");
  const Index n_nodes = parts.nodes.cols();
  for (const double root : parts.roots) {
    roots_.push_back(static_cast<std::int32_t>(whole_part(owner, root, 0, n_nodes, "a root")));
  }
  nodes_.reserve(static_cast<std::size_t>(n_nodes));
  for (Index k = 0; k < n_nodes; ++k) {
    const Index input = whole_part(owner, parts.nodes(0, k), -1, std::ssize(rows_of_input_), "an input");
    if (input < 0) {
      const Index leaf = whole_part(owner, parts.nodes(2, k), 0, n_leaves, "a leaf");
      nodes_.push_back({0, static_cast<std::int32_t>(k), infinity});
      leaf_of_node_.push_back(static_cast<std::int32_t>(leaf));
    } else {
      // Children come later than their parent, so every way ends.
      const Index next = whole_part(owner, parts.nodes(2, k), k + 1, n_nodes - 1, "a child");
      nodes_.push_back({static_cast<std::int32_t>(input), static_cast<std::int32_t>(next), parts.nodes(1, k)});
      leaf_of_node_.push_back(-1);
    }
  }
  std::vector<std::int32_t> height(nodes_.size(), 0);
  for (Index k = n_nodes - 1; k >= 0; --k) {
    const auto at = static_cast<std::size_t>(k);
    if (leaf_of_node_[at] >= 0) continue;
    const auto child = static_cast<std::size_t>(nodes_[at].next);
    height[at] = 1 + std::max(height[child], height[child + 1]);
  }
  for (const std::int32_t root : roots_) heights_.push_back(height[static_cast<std::size_t>(root)]);
  if (categories_.empty()) return;
  for (std::size_t t = 0; t < roots_.size(); ++t) {  // a tree's nodes follow its root
    const Index end = t + 1 < roots_.size() ? roots_[t + 1] : n_nodes;
    for (Index k = roots_[t]; k < end; ++k) {
      if (leaf_of_node_[static_cast<std::size_t>(k)] >= 0) continue;
      const auto input = static_cast<std::size_t>(nodes_[static_cast<std::size_t>(k)].input);
      if (category_of_input_[input] >= 0) reads_[static_cast<std::size_t>(category_of_input_[input])][t] = true;
    }
  }
}

SavedTrees::Inputs::Inputs(const SavedTrees& trees, const MatrixView& x)
    : values_(Matrix::Zero(std::max<Index>(1, std::ssize(trees.rows_of_input_)), x.cols())) {
  for (std::size_t g = 0; g < trees.rows_of_input_.size(); ++g) {
    if (trees.category_of_input_[g] < 0) values_.row(static_cast<Index>(g)) = x.row(trees.rows_of_input_[g].front());
  }
  indicators_.resize(trees.categories_.size() * static_cast<std::size_t>(x.cols()));
  std::size_t at = 0;
  for (const Index g : trees.categories_) {
    for (Index i = 0; i < x.cols(); ++i, ++at) {
      for (const Index row : trees.rows_of_input_[static_cast<std::size_t>(g)]) {
        const double value = trees.x_mean_[row] + trees.x_scale_[row] * x(row, i);
        if (std::abs(value) > 1e-9) indicators_[at].emplace_back(row, value);
      }
    }
  }
}

double SavedTrees::category(Index t, std::size_t k, const Inputs& x, Index column) const {
  double out = 0;
  for (const auto& [row, indicator] :
       x.indicators_[k * static_cast<std::size_t>(x.size()) + static_cast<std::size_t>(column)]) {
    out += positions_(row, t) * indicator;
  }
  return out;
}

Index SavedTrees::leaf(Index t, const Inputs& x, Index column) const {
  std::int32_t at = roots_[static_cast<std::size_t>(t)];
  while (true) {
    const Node& node = nodes_[static_cast<std::size_t>(at)];
    if (node.next == at) return leaf_of_node_[static_cast<std::size_t>(at)];
    const Index k = category_of_input_[static_cast<std::size_t>(node.input)];
    const double value = k < 0 ? x.values_(node.input, column) : category(t, static_cast<std::size_t>(k), x, column);
    at = node.next + (value > node.threshold ? 1 : 0);
  }
}

void SavedTrees::leaves(Index t, Inputs& x, std::vector<std::int32_t>& out) const {
  const Index n = x.size();
  for (std::size_t k = 0; k < categories_.size(); ++k) {
    if (!reads_[k][static_cast<std::size_t>(t)]) continue;
    for (Index i = 0; i < n; ++i) x.values_(categories_[k], i) = category(t, k, x, i);
  }
  out.resize(static_cast<std::size_t>(n));
  const std::int32_t root = roots_[static_cast<std::size_t>(t)];
  const std::int32_t height = heights_[static_cast<std::size_t>(t)];
  const Node* const nodes = nodes_.data();
  const auto step = [&](std::int32_t at, const double* values) {
    const Node& node = nodes[at];
    return node.next + (values[node.input] > node.threshold ? 1 : 0);
  };
  for (Index begin = 0; begin < n; begin += lanes) {
    const auto column = [&](Index l) { return x.values_.col(std::min(begin + l, n - 1)).data(); };
    const double *u = column(0), *v = column(1), *w = column(2), *z = column(3);
    const double *p = column(4), *q = column(5), *r = column(6), *s = column(7);
    // Names, not an array: compilers would gather an array into vectors and take it apart again.
    std::int32_t a = root, b = root, c = root, d = root, e = root, f = root, g = root, h = root;
    for (std::int32_t k = 0; k < height; ++k) {
      a = step(a, u);
      b = step(b, v);
      c = step(c, w);
      d = step(d, z);
      e = step(e, p);
      f = step(f, q);
      g = step(g, r);
      h = step(h, s);
    }
    const std::array<std::int32_t, lanes> found{a, b, c, d, e, f, g, h};
    for (Index l = 0; l < std::min(lanes, n - begin); ++l) {
      out[static_cast<std::size_t>(begin + l)] =
          leaf_of_node_[static_cast<std::size_t>(found[static_cast<std::size_t>(l)])];
    }
  }
}

}  // namespace condens::trees
