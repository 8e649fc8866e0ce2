#pragma once
// The trees of a forest as they are asked: which leaf is x in, and what distribution of atoms do all of them give.

#include <cstdint>
#include <functional>
#include <vector>

#include "condens/data/standardizer.hpp"
#include "condens/estimators/forest.hpp"
#include "growing.hpp"

namespace condens::forest {

/// The parts of a state that are trees, of those that were grown; `row_atom` is the atom of every row. Cost: the rows
/// of all trees.
void write_trees(const GrowingData& data, const std::vector<GrownTree>& grown, const std::vector<Index>& row_atom,
                 Index n_inputs, int threads, ForestState& state);

class Trees {
 public:
  /// Throws FormatError where the state's nodes are no trees over its inputs, or its leaves hold no atoms.
  Trees(const ForestState& state, const Standardizer& x_scale);

  Index size() const { return std::ssize(roots_); }
  Index n_atoms() const { return n_atoms_; }

  /// What the trees read of an x (standardised column): its numbers, and what is not zero of its indicators.
  class Input {
   public:
    Input(const Trees& trees, const VectorView& x);

   private:
    friend Trees;
    const double* x_;
    std::vector<std::vector<std::pair<Index, double>>> indicators_;  // of each input that is a category
  };

  /// Adds the shares of the atoms in x's leaf of tree t, whose sum is 1.
  void add(Index t, const Input& x, Vector& shares) const;

 private:
  struct Node {
    std::int32_t input;  // -1: a leaf
    std::int32_t next;   // left child, or leaf
    double threshold;
  };
  double value(Index t, const Node& node, const Input& x) const;

  Index n_atoms_;
  std::vector<Node> nodes_;
  std::vector<std::int32_t> roots_;
  std::vector<Index> leaves_;
  std::vector<std::uint16_t> entry_atoms_;
  std::vector<float> entry_weights_;
  std::vector<std::vector<Index>> rows_of_input_;
  Matrix positions_;
  Vector x_mean_;
  Vector x_scale_;
};

}  // namespace condens::forest
