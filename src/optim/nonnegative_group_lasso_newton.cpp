// The Newton steps of NonnegativeGroupLasso: a quadratic model of the working problem, minimised over z >= 0.

#include <algorithm>
#include <cmath>
#include <optional>

#include "condens/core/cancellation.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/envelope_cholesky.hpp"
#include "nonnegative_group_lasso.hpp"
#include "nonnegative_qp.hpp"
#include "nonzero_columns.hpp"

namespace condens {

namespace {

template <class Flags>
std::vector<Index> indices_of(const Flags& flags) {
  std::vector<Index> out;
  for (Index i = 0; i < flags.size(); ++i) {
    if (flags[i]) out.push_back(i);
  }
  return out;
}

/// part - U U', the lower triangle, for U of mostly zeros.
void subtract_squares(const Matrix& u, Matrix& part) {
  for (Index g = 0; g < u.cols(); ++g) {
    const std::vector<Index> own = indices_of(u.col(g).array() != 0);
    for (auto j = own.begin(); j != own.end(); ++j) {
      for (auto i = j; i != own.end(); ++i) part(*i, *j) -= u(*i, g) * u(*j, g);
    }
  }
}

/// (P - U U')^-1 right by the factor of P and Woodbury's formula,
///
///   (P - U U')^-1 = P^-1 + P^-1 U (I - U'P^-1 U)^-1 U'P^-1;
///
/// none where P, of which the lower triangle is given, has no narrow envelope, or is not definite to rounding.
std::optional<Vector> solve_in_envelope(const Matrix& p, const Matrix& u, const Vector& right) {
  constexpr Index worth_an_envelope = 128;
  constexpr double negligible = 1e-16;
  if (p.rows() < worth_an_envelope) return std::nullopt;
  Envelope envelope = envelope_of(p, negligible);
  if (!(envelope.share < 0.5)) return std::nullopt;
  const EnvelopeCholesky factor(p, std::move(envelope));
  if (!factor.ok()) return std::nullopt;
  Matrix both(u.rows(), u.cols() + 1);
  both << right, u;
  both = factor.solve(std::move(both));
  const Vector first = both.col(0);
  const auto solved = both.rightCols(u.cols());
  const Cholesky inner(Matrix::Identity(u.cols(), u.cols()) - u.transpose().lazyProduct(solved));
  if (!inner.ok()) return std::nullopt;
  return first + solved.lazyProduct(inner.solve(Vector(u.transpose() * first)));
}

}  // namespace

/// One Newton step on the groups that are in: towards the minimiser z over z >= 0 of the quadratic model
/// 0.5 z'(H + C)z - right'z, with C the blocks c (I - u u'), c = lambda w / |x|, u = x / |x|, right = h - lambda w u,
/// as far as that lowers the objective. False: no descent left.
bool NonnegativeGroupLasso::newton(bool to_the_end) {
  const Index n = x_.size();
  Model model{Vector::Zero(n), Vector::Zero(n), h_};
  Flags is_free = Flags::Constant(n, false);
  for (const Block& block : blocks_) {
    const auto x = x_.segment(block.begin, block.size());
    const double norm = x.norm();
    if (norm == 0 && block.penalty > 0) {
      model.right.segment(block.begin, block.size()).setConstant(-infinity);
      continue;
    }
    if (norm > 0) {
      model.unit.segment(block.begin, block.size()) = x / norm;
      model.curvature.segment(block.begin, block.size()).setConstant(block.penalty / norm);
      model.right.segment(block.begin, block.size()) -= block.penalty / norm * x;
    }
    for (Index i = block.begin; i < block.end; ++i) {
      is_free[i] = x[i - block.begin] > 0 || hx_[i] < model.right[i];
    }
  }
  Vector z;
  Vector hz;
  if (!minimise_model(model, is_free, to_the_end, z, hz)) return false;
  const Vector direction = z - x_;
  const Vector h_direction = hz - hx_;
  double slope = 0;
  for (Index i = 0; i < n; ++i) {
    if (direction[i] != 0) slope += (hx_[i] - model.right[i]) * direction[i];
  }
  if (!(slope < 0)) return false;
  const double before = working_objective(x_, hx_);
  for (int halvings = 0; halvings < 34; ++halvings) {
    const double step = std::ldexp(1.0, -halvings);
    const Vector next = step == 1 ? z : Vector(x_ + step * direction);
    const Vector next_h = step == 1 ? hz : Vector(hx_ + step * h_direction);
    if (working_objective(next, next_h) <= before + 1e-4 * step * slope) {
      x_ = next;
      hx_ = next_h;
      return true;
    }
  }
  return false;
}

/// The lower triangle of H + diag(c) on some coordinates, with a trace of a ridge.
Matrix NonnegativeGroupLasso::penalised_part(const Model& model, const std::vector<Index>& free) const {
  const Index size = std::ssize(free);
  Matrix part(size, size);
  double largest = 0;
  for (Index j = 0; j < size; ++j) {
    check_cancelled();
    const Index c = free[static_cast<std::size_t>(j)];
    const double* column = gram_.col(c).data();
    for (Index i = j; i < size; ++i) part(i, j) = column[free[static_cast<std::size_t>(i)]];
    part(j, j) += model.curvature[c];
    largest = std::max(largest, part(j, j));
  }
  part.diagonal().array() += 1e-11 * largest;
  return part;
}

/// U: a column sqrt(c) u for every group with a curvature. The model's quadratic part is H + diag(c) - U U'.
Matrix NonnegativeGroupLasso::scaled_units(const Model& model, const std::vector<Index>& free) const {
  std::vector<Index> column_of(static_cast<std::size_t>(x_.size()), -1);
  Index columns = 0;
  for (const Block& block : blocks_) {
    if (!(model.curvature[block.begin] > 0)) continue;
    std::fill(column_of.begin() + block.begin, column_of.begin() + block.end, columns++);
  }
  Matrix out = Matrix::Zero(std::ssize(free), columns);
  for (Index i = 0; i < out.rows(); ++i) {
    const Index c = free[static_cast<std::size_t>(i)];
    const Index column = column_of[static_cast<std::size_t>(c)];
    if (column >= 0) out(i, column) = std::sqrt(model.curvature[c]) * model.unit[c];
  }
  return out;
}

/// The lower triangle of the model's quadratic part.
Matrix NonnegativeGroupLasso::free_part(const Model& model, const std::vector<Index>& free) const {
  Matrix out = penalised_part(model, free);
  subtract_squares(scaled_units(model, free), out);
  return out;
}

/// Free coordinates with the entries of all groups side by side, by their order.
std::vector<Index> NonnegativeGroupLasso::in_order(std::vector<Index> free) const {
  if (place_in_order_.empty()) return free;
  const auto place = [&](Index i) {
    return place_in_order_[static_cast<std::size_t>(coordinates_[static_cast<std::size_t>(i)] % a_.rows())];
  };
  std::stable_sort(free.begin(), free.end(), [&](Index i, Index j) { return place(i) < place(j); });
  return free;
}

/// z: the minimiser of the model over the free coordinates, whatever its sign, 0 elsewhere; false where there is none.
bool NonnegativeGroupLasso::minimise_free(const Model& model, const std::vector<Index>& unordered, Vector& z) const {
  const std::vector<Index> free = in_order(unordered);
  const Vector right = model.right(free);
  const Matrix units = scaled_units(model, free);
  Matrix part = penalised_part(model, free);
  z = Vector::Zero(x_.size());
  if (!place_in_order_.empty()) {
    if (const std::optional<Vector> values = solve_in_envelope(part, units, right)) {
      z(free) = *values;
      return true;
    }
  }
  subtract_squares(units, part);
  const Cholesky factor(std::move(part));
  if (!factor.ok()) return false;
  z(free) = factor.solve(right);
  return true;
}

/// z >= 0 near the minimiser of the model, and H z; false where there is none. Block principal pivoting (Portugal,
/// Judice and Vicente 1994), from the free coordinates given: all of the wrong sign change sides at once. What is
/// still wrong in the end is cut off at 0; when `to_the_end`, the coordinates that went on changing sides, a nearly
/// singular part of the model, are minimised over by themselves, with the free ones eliminated; those that this makes
/// wrong join them.
bool NonnegativeGroupLasso::minimise_model(const Model& model, Flags& is_free, bool to_the_end, Vector& z,
                                           Vector& hz) const {
  const Index n = x_.size();
  const double rounding = 1e-14 * h_.cwiseAbs().maxCoeff();
  Flags is_open = Flags::Constant(n, false);
  // Coordinates, but for the open ones, that are negative, or 0 and should not be.
  const auto wrong_ones = [&] {
    hz = nonzero_product(gram_, z);
    Flags out = Flags::Constant(n, false);
    for (const Block& block : blocks_) {
      const double along = model.unit.segment(block.begin, block.size()).dot(z.segment(block.begin, block.size()));
      for (Index i = block.begin; i < block.end; ++i) {
        const double slack = hz[i] + model.curvature[i] * (z[i] - model.unit[i] * along) - model.right[i];
        out[i] = !is_open[i] && (is_free[i] ? z[i] < 0 : slack < -rounding);
      }
    }
    return out;
  };
  const int rounds = to_the_end ? 10 : 2;
  Flags oscillating = is_open;
  for (int round = 0; round < rounds; ++round) {
    const std::vector<Index> free = indices_of(is_free);
    if (free.empty()) return false;
    if (!minimise_free(model, free, z)) return false;
    const Flags wrong = wrong_ones();
    if (!wrong.any()) return true;
    is_free = is_free != wrong;
    if (round > 0) oscillating = oscillating || wrong;
  }
  if (to_the_end) {
    // A small model can afford to open all of them.
    is_open = n <= 300 ? Flags(model.right.array() > -infinity) : oscillating;
    Flags wrong = is_open;
    for (int round = 0; round < 20 && wrong.any(); ++round) {
      is_open = is_open || wrong;
      if (!minimise_open(model, is_free, is_open, z)) return false;
      wrong = wrong_ones();
    }
  }
  z = z.cwiseMax(0.0);
  hz = nonzero_product(gram_, z);
  return true;
}

/// z: the open coordinates by an active set, over z >= 0; the free ones follow from them, whatever their sign.
bool NonnegativeGroupLasso::minimise_open(const Model& model, const Flags& is_free, const Flags& is_open,
                                          Vector& z) const {
  const Index n = x_.size();
  const std::vector<Index> free = indices_of(is_free && !is_open);
  const std::vector<Index> open = indices_of(is_open);
  if (free.empty()) {
    z = Vector::Zero(n);
    z(open) = solve_nonnegative_qp(free_part(model, open), Vector(model.right(open)), Vector(x_(open))).solution;
    return true;
  }
  const std::vector<Index> both = indices_of(is_free || is_open);
  std::vector<Index> place(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < both.size(); ++i) place[static_cast<std::size_t>(both[i])] = static_cast<Index>(i);
  const auto places = [&](std::vector<Index> coordinates) {
    for (Index& c : coordinates) c = place[static_cast<std::size_t>(c)];
    return coordinates;
  };
  const Matrix all = free_part(model, both).selfadjointView<Eigen::Lower>();
  const std::vector<Index> at_free = places(free);
  const std::vector<Index> at_open = places(open);
  const Cholesky factor(all(at_free, at_free));
  if (!factor.ok()) return false;
  // min over the free ones: 0.5 o'(Q_oo - Q_of Q_ff^-1 Q_fo) o - (r_o - Q_of Q_ff^-1 r_f)'o.
  const Matrix between = all(at_free, at_open);
  const Matrix eliminated = factor.solve(between);
  const Vector right_free = model.right(free);
  Matrix rest = all(at_open, at_open) - between.transpose() * eliminated;
  rest.diagonal().array() += 1e-11 * all.diagonal().maxCoeff();  // against the rounding of the difference
  const Vector right_rest = Vector(model.right(open)) - eliminated.transpose() * right_free;
  const Vector found = solve_nonnegative_qp(rest, right_rest, Vector(x_(open))).solution;
  const Vector values = factor.solve(right_free) - eliminated * found;
  z = Vector::Zero(n);
  z(open) = found;
  z(free) = values;
  return true;
}

}  // namespace condens
