#pragma once
// What is known of the values of one target: of row i that it lies in [low_i, high_i], and, where rows were seen late,
// that the row is there only because its value lies above entry_i.
//
//   low = high          exact
//   high infinite       right censored: more than low
//   low -infinite       left censored: at most high
//   else                interval censored: low < y <= high
//   entry > -infinity   left truncated (delayed entry): what is modelled is p(y | x), what is seen p(y | x, y > entry)

#include <string>
#include <string_view>
#include <vector>

#include "condens/core/types.hpp"
#include "condens/data/dataset.hpp"

namespace condens {

struct Censoring {
  Vector low;         ///< n, or empty: every value is exact, and no row was seen late
  Vector high;        ///< n
  Vector entry = {};  ///< n, or empty: no row was seen late

  Index size() const { return low.size(); }
  bool empty() const { return low.size() == 0; }
  bool is_exact(Index i) const { return low[i] == high[i]; }
  bool is_truncated(Index i) const { return entry.size() > 0 && entry[i] > -infinity; }
  /// The lower end of what is known: of a row seen late not below its entry.
  double known_low(Index i) const;

  Index n_exact() const;
  Index n_right() const;
  Index n_left() const;
  Index n_interval() const;
  Index n_truncated() const;
  /// Whether every value is exact and no row was seen late.
  bool is_trivial() const { return n_exact() == size() && n_truncated() == 0; }

  /// A number for every row: the lower end, or the upper one where there is none.
  Vector representatives() const;

  /// The rows `rows`, in that order.
  Censoring subset(const std::vector<Index>& rows) const;

  /// Throws std::invalid_argument, with the place of the row, for NaN, ends that are swapped or both infinite, a value
  /// not above its entry; and for lengths that are not n, and no exact value.
  void check(std::string_view owner, Index n, const PlaceOfRow& place) const;
};

}  // namespace condens
