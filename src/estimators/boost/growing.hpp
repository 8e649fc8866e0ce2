#pragma once
// One tree of a boosted model from rows in memory, which lie node by node.

#include <cstdint>
#include <vector>

#include "tree_growth.hpp"

namespace condens::boosting {

/// Grows trees one by one in the same memory. Cost of a tree: rows times inputs times half its depth, and that of
/// TreeGrowth.
class Grower {
 public:
  Grower(const std::vector<trees::BinnedInput>& inputs, const GrowingSettings& settings)
      : inputs_(inputs), growth_(inputs, settings) {}

  /// Of `rows`, whose derivatives are `own`; `second_information` of a row of weight one.
  GrownTree grow(std::vector<std::int32_t> rows, std::vector<Derivatives> own, double second_information,
                 RandomStream& random, int threads);

 private:
  struct Rows {
    std::size_t begin;
    std::size_t end;
    std::size_t size() const { return end - begin; }
  };

  void search(int threads);
  void sum_rows(const Rows& rows, std::size_t input, Derivatives* bins) const;
  std::size_t partition(const Rows& rows, const Split& split);

  const std::vector<trees::BinnedInput>& inputs_;
  TreeGrowth growth_;
  std::vector<std::int32_t> rows_;
  std::vector<Derivatives> own_;  // of rows_
  std::vector<std::int32_t> scratch_rows_;
  std::vector<Derivatives> scratch_own_;
  std::vector<Rows> open_;  // rows of the open nodes
  std::vector<Rows> next_;
};

}  // namespace condens::boosting
