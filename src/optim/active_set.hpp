#pragma once
// The free coordinates of min 0.5 b'Qb - v'b over b >= 0 in a primal active set (Lawson and Hanson 1974, chapter 23):
// their values, in the order in which they came, and the Cholesky factor of their part of Q, which grows and shrinks
// with them. Where to walk, and who comes next, is for the programmes that hold it to say (nonnegative_qp,
// simplex_qp).

#include <algorithm>
#include <utility>
#include <vector>

#include "condens/core/types.hpp"
#include "growing_cholesky.hpp"

namespace condens {

class ActiveSet {
 public:
  /// Of n coordinates, all at zero.
  explicit ActiveSet(Index n) : position_(static_cast<std::size_t>(n), -1) {}

  bool contains(Index i) const { return position_[static_cast<std::size_t>(i)] >= 0; }
  const std::vector<Index>& members() const { return members_; }
  Index size() const { return std::ssize(members_); }
  double value(Index k) const { return values_[k]; }
  const Vector& values() const { return values_; }

  /// Frees coordinate i, for `cross` = Q(members, i). Returns what of the diagonal is left beside the members, of which
  /// the factor takes at least `least` > 0.
  double enter(Index i, double value, const VectorView& cross, double diagonal, double least) {
    const double left = factor_.append(cross, diagonal, least);
    position_[static_cast<std::size_t>(i)] = size();
    members_.push_back(i);
    values_.conservativeResize(size());
    values_[size() - 1] = value;
    return left;
  }

  /// Free from the start; the factor is to follow.
  void set_members(std::vector<Index> members, Vector values) {
    members_ = std::move(members);
    values_ = std::move(values);
    for (Index k = 0; k < size(); ++k) position_[static_cast<std::size_t>(members_[static_cast<std::size_t>(k)])] = k;
  }
  /// Takes another factor of the members' part of Q.
  void set_factor(Matrix lower) { factor_ = GrowingCholesky(std::move(lower)); }
  void set_values(Vector values) { values_ = std::move(values); }

  /// Q^-1 right, of the members' part of Q.
  Vector solve(Vector right) const { return factor_.solve(std::move(right)); }

  struct Step {
    double length;            ///< 1: all of it
    Index blocked;            ///< the first coordinate that would have turned negative, -1 after a full step
    std::vector<Index> left;  ///< those that reached zero, and are no members any more
  };
  /// Walks along `step` as far as no value turns negative.
  Step walk(const Vector& step) {
    Step out{1.0, -1, {}};
    Index blocking = -1;
    for (Index k = 0; k < step.size(); ++k) {
      if (values_[k] + step[k] <= 0 && values_[k] / -step[k] < out.length) {
        out.length = values_[k] / -step[k];
        blocking = k;
      }
    }
    for (Index k = 0; k < step.size(); ++k) {
      values_[k] = k == blocking ? 0.0 : std::max(values_[k] + out.length * step[k], 0.0);
    }
    if (blocking < 0) return out;
    out.blocked = members_[static_cast<std::size_t>(blocking)];
    for (Index k = step.size() - 1; k >= 0; --k) {
      const bool at_zero = values_[k] == 0.0 && step[k] < 0;  // what has just come and rises may stay
      if (k != blocking && !at_zero) continue;
      out.left.push_back(members_[static_cast<std::size_t>(k)]);
      leave(k);
    }
    return out;
  }

  Vector point() const {
    Vector out = Vector::Zero(std::ssize(position_));
    out(members_) = values_;
    return out;
  }

 private:
  void leave(Index k) {
    factor_.remove(k);
    position_[static_cast<std::size_t>(members_[static_cast<std::size_t>(k)])] = -1;
    members_.erase(members_.begin() + k);
    for (std::size_t l = static_cast<std::size_t>(k); l < members_.size(); ++l) {
      position_[static_cast<std::size_t>(members_[l])] = static_cast<Index>(l);
      values_[static_cast<Index>(l)] = values_[static_cast<Index>(l) + 1];
    }
    values_.conservativeResize(size());
  }

  std::vector<Index> position_;  // of every coordinate among the members, or -1
  std::vector<Index> members_;
  Vector values_;
  GrowingCholesky factor_;
};

}  // namespace condens
