#pragma once
// One tree of a boosted model from rows in memory, which lie node by node.

#include <cstdint>
#include <utility>
#include <vector>

#include "tree_growth.hpp"

namespace condens::boosting {

/// Rows of which a tree is made, with what they ask for: those of a node lie together, in their order.
class RowsByNode {
 public:
  RowsByNode() = default;
  RowsByNode(std::vector<std::int32_t> rows, std::vector<Derivatives> own)
      : rows_(std::move(rows)), own_(std::move(own)) {}

  const std::vector<std::int32_t>& rows() const { return rows_; }
  const std::vector<Derivatives>& own() const { return own_; }

  /// Brings the rows of a node that go to its left child before the others; returns where they end. `places` are those
  /// of a category's levels, or empty; `last_left` is the last code, or place, on the left.
  std::size_t part(std::size_t begin, std::size_t end, const std::vector<trees::Code>& codes,
                   const std::vector<trees::Code>& places, trees::Code last_left);

 private:
  std::vector<std::int32_t> rows_;
  std::vector<Derivatives> own_;
  std::vector<std::int32_t> right_rows_;  // while they are parted
  std::vector<Derivatives> right_own_;
};

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

  const std::vector<trees::BinnedInput>& inputs_;
  TreeGrowth growth_;
  RowsByNode rows_;
  std::vector<Rows> open_;  // rows of the open nodes
  std::vector<Rows> next_;
};

}  // namespace condens::boosting
