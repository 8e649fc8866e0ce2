#pragma once
// The trees of a forest as they are asked: which leaf is x in, and what distribution of atoms do all of them give.

#include <cstdint>
#include <functional>
#include <vector>

#include "condens/data/standardizer.hpp"
#include "condens/estimators/forest.hpp"
#include "estimators/trees/saved_trees.hpp"
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

  Index size() const { return trees_.size(); }
  Index n_atoms() const { return n_atoms_; }

  /// What the trees read of an x (standardised column).
  trees::SavedTrees::Inputs inputs(const VectorView& x) const { return {trees_, x}; }

  /// The same of several, and the leaf of one of them in tree t.
  trees::SavedTrees::Inputs inputs_of(const MatrixView& x) const { return {trees_, x}; }
  Index leaf(Index t, const trees::SavedTrees::Inputs& x, Index column) const { return trees_.leaf(t, x, column); }

  /// Adds the shares of the atoms in x's leaf of tree t, whose sum is 1.
  void add(Index t, const trees::SavedTrees::Inputs& x, Vector& shares) const;

 private:
  trees::SavedTrees trees_;
  Index n_atoms_;
  std::vector<Index> leaves_;
  std::vector<std::uint16_t> entry_atoms_;
  std::vector<float> entry_weights_;
};

}  // namespace condens::forest
