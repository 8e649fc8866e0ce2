#pragma once
// Fits that are sums over rows, wherever the rows are: in memory, in a file, on a cluster. Such a fit asks for passes
// over the table, one after the other; each is a document, and so is what a block of rows adds to it, its state:
//
//   state = accumulate(pass, block, place of its first row)     (registry.hpp)
//   state = merge_states(state, state)                          of neighbouring blocks, in their order
//
// so that an engine carries both as bytes (io/document_format.hpp) and knows no method. Results are the same numbers
// for any cut of the table up to the rounding of sums, some 1e-12, and the same bits for one cut and one order of
// merging.
//
// The parts of a state, each an object of numbers and matrices, and how they merge:
//
//   sum        added
//   low, high  the smaller, the larger of two
//   columns    put side by side
//   moments    {weight (1 x 1), others (2 x k)}: means, and sums of squares around them, of rows of this weight
//   smallest   {limit, keys (1 x k), columns (d x k)}: the columns of the `limit` smallest keys, the first of equals
//   cells      {limit, level, keys (d x k), weights (k x 1), means (d x k), squares (k x 1)}: points gathered in cubic
//              cells of a lattice, whose edge is 2^level of the finest, with the mean of each and the squares around
//              it; merged by key, and every 2^d neighbours as one where there are more than the limit (model/cells.hpp)
//   each       of the pass "several", which has a list of passes: the list of their states, merged one by one
//
// A state without parts is that of a block of which no row takes part in the pass: merged with another it is that one.

#include <utility>
#include <vector>

#include "condens/core/document.hpp"
#include "condens/core/types.hpp"

namespace condens {

/// The rows of a fit: n_inputs numbers of x and n_targets of y each, as blocks of a Dataset hold them.
class RowSums {
 public:
  RowSums(Index n_inputs, Index n_targets, std::vector<Index> groups = {});
  virtual ~RowSums() = default;

  Index n_inputs() const { return n_inputs_; }
  Index n_targets() const { return n_targets_; }
  const std::vector<Index>& groups() const { return groups_; }  ///< Dataset::groups

  /// The state of all blocks, merged in their order.
  virtual Document total(const Document& pass) = 0;

  /// The same, asked for once and remembered: what several steps of a fit want to know of the table.
  Document total_once(const Document& pass);

 private:
  Index n_inputs_;
  Index n_targets_;
  std::vector<Index> groups_;
  std::vector<std::pair<Document, Document>> known_;  // passes and their totals
};

/// Of `a`, and of `b`, whose rows follow. Throws FormatError for states that are not of one pass.
Document merge_states(const Document& a, const Document& b);

/// The same with every sum times `factor`. Throws FormatError for a state that has other parts.
Document scaled_state(const Document& state, double factor);

}  // namespace condens
