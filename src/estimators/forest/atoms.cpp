#include "atoms.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>
#include <tuple>

namespace condens::forest {

namespace {

struct Cell {
  Index begin;
  Index end;
  Vector mean;
  Vector squares;  // sums of squares around the mean

  bool operator<(const Cell& other) const {  // the one to cut is the largest; the first of equals
    return std::tuple(squares.sum(), -begin) < std::tuple(other.squares.sum(), -other.begin);
  }
};

Cell make_cell(const Matrix& y, const Vector& weights, const std::vector<Index>& order, Index begin, Index end) {
  Cell out{begin, end, Vector::Zero(y.rows()), Vector::Zero(y.rows())};
  double weight = 0;
  const Vector first = y.col(order[static_cast<std::size_t>(begin)]);
  for (Index k = begin; k < end; ++k) {
    const Index i = order[static_cast<std::size_t>(k)];
    weight += weights[i];
    out.mean += weights[i] * (y.col(i) - first);
  }
  out.mean = first + out.mean / weight;
  for (Index k = begin; k < end; ++k) {
    const Index i = order[static_cast<std::size_t>(k)];
    out.squares += weights[i] * (y.col(i) - out.mean).cwiseAbs2();
  }
  return out;
}

}  // namespace

Atoms make_atoms(const Matrix& y, const Vector& weights, Index most) {
  std::vector<Index> order(static_cast<std::size_t>(y.cols()));
  std::iota(order.begin(), order.end(), Index{0});
  std::priority_queue<Cell> open;
  std::vector<Cell> done;
  open.push(make_cell(y, weights, order, 0, y.cols()));
  while (!open.empty()) {
    Cell cell = open.top();
    open.pop();
    Index widest = 0;
    cell.squares.maxCoeff(&widest);
    const auto begin = order.begin() + cell.begin;
    const auto end = order.begin() + cell.end;
    const double middle = cell.mean[widest];
    const bool full = std::ssize(done) + std::ssize(open) + 2 > most;
    const auto cut = full ? begin : std::stable_partition(begin, end, [&](Index i) { return y(widest, i) <= middle; });
    if (cut == begin || cut == end) {  // enough cells, or all of its rows are equal
      done.push_back(std::move(cell));
      continue;
    }
    open.push(make_cell(y, weights, order, cell.begin, cut - order.begin()));
    open.push(make_cell(y, weights, order, cut - order.begin(), cell.end));
  }
  std::sort(done.begin(), done.end(), [](const Cell& a, const Cell& b) {
    return std::lexicographical_compare(a.mean.begin(), a.mean.end(), b.mean.begin(), b.mean.end());
  });
  Atoms out{Matrix(y.rows(), std::ssize(done)), Matrix(y.rows(), std::ssize(done)), {}};
  out.row.resize(order.size());
  for (Index c = 0; c < std::ssize(done); ++c) {
    const Cell& cell = done[static_cast<std::size_t>(c)];
    double weight = 0;
    for (Index k = cell.begin; k < cell.end; ++k) {
      const Index i = order[static_cast<std::size_t>(k)];
      weight += weights[i];
      out.row[static_cast<std::size_t>(i)] = c;
    }
    out.means.col(c) = cell.mean;
    out.spreads.col(c) = (cell.squares / weight).cwiseSqrt();
  }
  return out;
}

}  // namespace condens::forest
