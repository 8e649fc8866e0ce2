#pragma once
// Which values a target can take, and the real line that stands for them: distributions are fitted there, as Gaussian
// mixtures, and read here (target_distributions.hpp).
//
// The rising map of (a, b) onto the real line, for one finite end or two:
//
//   x(y) = y + r log((y - a) / r) - r log((b - y) / r)          terms of infinite ends left out
//   x(y) = log(y - a) - log(b - y)                              r infinite
//
// r, the reach of the ends, says how far from them the map bends: nearer it is a logarithm, farther straight. With one
// end its inverse is a + r w((x - a) / r), w the Wright omega function; with two it is the root of a rising function.

#include <string_view>
#include <vector>

#include "condens/core/document.hpp"
#include "condens/core/types.hpp"

namespace condens {

struct TargetMap {
  double lower = -infinity;  ///< a
  double upper = infinity;   ///< b
  double reach = infinity;   ///< r, 1e-105 to 1e105 or infinite, in the unit of y; without ends of no meaning

  bool is_identity() const { return lower == -infinity && upper == infinity; }
  /// Whether it is log(y - a) or -log(b - y).
  bool is_logarithm() const { return reach == infinity && (lower == -infinity) != (upper == infinity); }

  double forward(double y) const;    ///< x(y); infinite at the ends and beyond
  double inverse(double x) const;    ///< y(x), in [a, b]
  double log_slope(double y) const;  ///< log x'(y), a < y < b
};

/// The values that a target takes, where these can be counted: ascending. Of a distribution on the line each has the
/// probability of the interval to the midpoints between it and its neighbours; those of the ends go on to infinity.
class TargetValues {
 public:
  TargetValues() = default;  ///< any number
  /// 0, 1, 2, ...
  static TargetValues counts();
  /// At least two, ascending.
  static TargetValues listed(std::vector<double> values);

  bool any_number() const { return kind_ == Kind::any; }
  bool are_counts() const { return kind_ == Kind::counts; }
  const std::vector<double>& list() const { return list_; }

  bool contain(double y) const;

  // Of a place k = 0, 1, 2, ... in the order of the values:
  double value(double place) const;
  double lower_end(double place) const;  ///< of its interval; -infinity for the first
  double upper_end(double place) const;  ///< infinity for the last, where there is one

  /// The place of the largest value <= y; -1 below all.
  double place_at(double y) const;
  /// The place of the interval that holds a point of the line: lower_end < z <= upper_end.
  double place_of_point(double z) const;
  /// The last place; infinite for counts.
  double last_place() const;

 private:
  enum class Kind { any, counts, listed };
  Kind kind_ = Kind::any;
  std::vector<double> list_;
};

/// All of it: single values that have a probability of their own, atoms, and what there is beside them.
struct TargetSupport {
  TargetMap map = {};
  TargetValues values = {};
  std::vector<double> atoms = {};  ///< ascending

  bool is_plain() const { return map.is_identity() && values.any_number() && atoms.empty(); }
  /// Whether the probability of every value is that of the value alone.
  bool is_discrete() const { return !values.any_number(); }
  /// The place of y among the atoms, or -1.
  Index atom_at(double y) const;

  Document to_document() const;
  /// Throws FormatError for ends, values or atoms out of order, beyond 1e105, or nearer than numbers can tell.
  static TargetSupport from_document(const Document& document);
};

}  // namespace condens
