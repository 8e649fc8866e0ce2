#include "assignment.hpp"

#include <utility>

#include "condens/core/errors.hpp"

namespace condens {

namespace {

constexpr Index nobody = -1;

/// The augmenting path of one row more: it enters, and rows that had a column move on along the path.
void assign_row(const Matrix& cost, Index row, Vector& u, Vector& v, std::vector<Index>& row_of) {
  const Index n = cost.rows();
  Vector least = Vector::Constant(n, infinity);  // reduced cost of the shortest path to every column
  std::vector<Index> before(static_cast<std::size_t>(n), nobody);
  std::vector<bool> done(static_cast<std::size_t>(n), false);
  std::vector<Index> visited;
  Index column = nobody;
  Index at = row;
  while (at != nobody) {
    if (column != nobody) {
      done[static_cast<std::size_t>(column)] = true;
      visited.push_back(column);
    }
    Index next = nobody;
    for (Index j = 0; j < n; ++j) {
      if (done[static_cast<std::size_t>(j)]) continue;
      const double reduced = cost(at, j) - u[at] - v[j];
      if (reduced < least[j]) {
        least[j] = reduced;
        before[static_cast<std::size_t>(j)] = column;
      }
      if (next == nobody || least[j] < least[next]) next = j;
    }
    const double rise = least[next];
    u[row] += rise;
    for (const Index j : visited) {
      u[row_of[static_cast<std::size_t>(j)]] += rise;
      v[j] -= rise;
    }
    for (Index j = 0; j < n; ++j) {
      if (!done[static_cast<std::size_t>(j)]) least[j] -= rise;
    }
    column = next;
    at = row_of[static_cast<std::size_t>(column)];
  }
  for (Index from = column; from != nobody;) {
    const Index previous = before[static_cast<std::size_t>(from)];
    row_of[static_cast<std::size_t>(from)] = previous == nobody ? row : row_of[static_cast<std::size_t>(previous)];
    from = previous;
  }
}

}  // namespace

std::vector<Index> least_assignment(const Matrix& cost) {
  require(cost.rows() == cost.cols() && cost.allFinite(), "least_assignment: costs of ", cost.rows(), " rows and ",
          cost.cols(), " columns, expected a square matrix of finite numbers");
  const Index n = cost.rows();
  Vector u = Vector::Zero(n);
  Vector v = Vector::Zero(n);
  std::vector<Index> row_of(static_cast<std::size_t>(n), nobody);
  for (Index row = 0; row < n; ++row) assign_row(cost, row, u, v, row_of);
  std::vector<Index> out(static_cast<std::size_t>(n));
  for (Index j = 0; j < n; ++j) out[static_cast<std::size_t>(row_of[static_cast<std::size_t>(j)])] = j;
  return out;
}

}  // namespace condens
