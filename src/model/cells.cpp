#include "cells.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "condens/core/errors.hpp"
#include "condens/kernels/centers.hpp"

namespace condens {

namespace {

constexpr double largest_key = 4503599627370496.0;  // 2^52: from there on a point's place in its cell has no digits
constexpr Index most_levels = 64;                   // by then all keys are 0

/// Cells of one key as one, in their order: T. F. Chan, G. H. Golub and R. J. LeVeque (1983), eq. 2.1, which leaves
/// means that are equal as they are.
Cells gathered(const Cells& parts) {
  const Index d = parts.keys.rows();
  const std::vector<Index> order = sorted_columns(parts.keys);
  Cells out{.limit = parts.limit,
            .level = parts.level,
            .keys = Matrix(d, parts.keys.cols()),
            .weights = Vector(parts.keys.cols()),
            .means = Matrix(d, parts.keys.cols()),
            .squares = Vector(parts.keys.cols())};
  Index last = -1;
  for (const Index i : order) {
    if (last < 0 || out.keys.col(last) != parts.keys.col(i)) {
      ++last;
      out.keys.col(last) = parts.keys.col(i);
      out.weights[last] = parts.weights[i];
      out.means.col(last) = parts.means.col(i);
      out.squares[last] = parts.squares[i];
      continue;
    }
    const double before = out.weights[last];
    out.weights[last] += parts.weights[i];
    const double share = parts.weights[i] / out.weights[last];
    double squared_step = 0;
    for (Index k = 0; k < d; ++k) {
      const double step = parts.means(k, i) - out.means(k, last);
      squared_step += step * step;
      out.means(k, last) += step * share;
    }
    out.squares[last] += parts.squares[i] + squared_step * (before * share);
  }
  out.keys.conservativeResize(d, last + 1);
  out.weights.conservativeResize(last + 1);
  out.means.conservativeResize(d, last + 1);
  out.squares.conservativeResize(last + 1);
  return out;
}

/// The same cells, those of twice the edge, as parts of which several may have one key.
void double_the_edge(Cells& cells) {
  for (Index i = 0; i < cells.keys.size(); ++i) {
    const double half = std::floor(cells.keys.data()[i] / 2);
    cells.means.data()[i] = (cells.means.data()[i] + (cells.keys.data()[i] - 2 * half)) / 2;
    cells.keys.data()[i] = half;
  }
  cells.squares /= 4;
  ++cells.level;
}

Cells within_limit(Cells cells) {
  cells = gathered(cells);
  while (cells.keys.cols() > cells.limit) {
    double_the_edge(cells);
    cells = gathered(cells);
  }
  return cells;
}

[[noreturn]] void refuse_cells(std::string_view what) {
  throw FormatError(message("a pass over the rows: 'cells' ", what));
}

bool rises(const Matrix& keys) {
  for (Index j = 1; j < keys.cols(); ++j) {
    const auto a = keys.col(j - 1);
    const auto b = keys.col(j);
    if (!std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end())) return false;
  }
  return true;
}

}  // namespace

Cells Cells::of(const MatrixView& points, const VectorView& weights, Index limit) {
  if (!((points.array() >= 0).all() && (points.array() <= largest_key).all()))
    refuse_cells("do not cover the rows: expected rows within the ends that the table told before");
  Cells parts{.limit = limit, .keys = points.array().floor(), .weights = weights};
  parts.means = points - parts.keys;
  parts.squares = Vector::Zero(points.cols());
  return within_limit(std::move(parts));
}

Cells Cells::merged(const Cells& a, const Cells& b) {
  Cells left = a;
  Cells right = b;
  while (left.level < right.level) double_the_edge(left);
  while (right.level < left.level) double_the_edge(right);
  Cells parts{.limit = a.limit,
              .level = left.level,
              .keys = Matrix(a.keys.rows(), a.keys.cols() + b.keys.cols()),
              .weights = Vector(a.keys.cols() + b.keys.cols()),
              .means = Matrix(a.keys.rows(), a.keys.cols() + b.keys.cols()),
              .squares = Vector(a.keys.cols() + b.keys.cols())};
  parts.keys << left.keys, right.keys;
  parts.weights << left.weights, right.weights;
  parts.means << left.means, right.means;
  parts.squares << left.squares, right.squares;
  return within_limit(std::move(parts));
}

Matrix Cells::places() const { return (keys + means) * std::ldexp(1.0, static_cast<int>(level)); }

Document Cells::to_document() const {
  return Document::Object{{"limit", limit},     {"level", level}, {"keys", keys},
                          {"weights", weights}, {"means", means}, {"squares", squares}};
}

Cells Cells::from_document(const Document& document) {
  Cells out{.limit = document.at("limit").as_integer(),
            .level = document.at("level").as_integer(),
            .keys = document.at("keys").as_matrix(),
            .means = document.at("means").as_matrix()};
  const Matrix& weights = document.at("weights").as_matrix();
  const Matrix& squares = document.at("squares").as_matrix();
  const Index k = out.keys.cols();
  const auto is_column = [&](const Matrix& part) { return part.rows() == k && part.cols() == 1; };
  const bool fit = out.keys.rows() > 0 && k > 0 && k <= out.limit && out.means.rows() == out.keys.rows() &&
                   out.means.cols() == k && is_column(weights) && is_column(squares);
  if (!fit) refuse_cells("have parts that do not fit together, or are more than their limit");
  if (out.level < 0 || out.level > most_levels) refuse_cells(message("are of level ", out.level, ", expected 0 to 64"));
  const bool whole = (out.keys.array() == out.keys.array().floor()).all() && out.keys.minCoeff() >= 0 &&
                     out.keys.maxCoeff() <= largest_key;
  if (!whole || !rises(out.keys)) refuse_cells("have keys that are no rising whole numbers from 0 to 2^52");
  out.weights = weights.col(0);
  out.squares = squares.col(0);
  constexpr double rounding = 1e-9;
  const bool in_cells = out.means.minCoeff() >= -rounding && out.means.maxCoeff() <= 1 + rounding;
  if (!in_cells || out.weights.minCoeff() <= 0 || out.squares.minCoeff() < 0)
    refuse_cells("have weights, means or squares out of their range");
  return out;
}

}  // namespace condens
