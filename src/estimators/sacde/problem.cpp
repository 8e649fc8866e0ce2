#include "problem.hpp"

#include <algorithm>
#include <numeric>

#include "kernels/gaussian_kernel.hpp"
#include "linalg/vector_math.hpp"

namespace condens::sacde {

Feature::Feature(Matrix points, Matrix centers, bool find_repeats) : centers_(std::move(centers)) {
  const Index n = points.rows();
  if (!find_repeats) {
    values_ = std::move(points);
    return;
  }
  std::vector<int> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  const auto compare = [&](int i, int j) {
    for (Index k = 0; k < points.cols(); ++k) {
      if (points(i, k) != points(j, k)) return points(i, k) < points(j, k) ? -1 : 1;
    }
    return 0;
  };
  std::stable_sort(order.begin(), order.end(), [&](int i, int j) { return compare(i, j) < 0; });
  std::vector<int> value_of_row(order.size());
  std::vector<int> first;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || compare(order[i - 1], order[i]) != 0) first.push_back(order[i]);
    value_of_row[static_cast<std::size_t>(order[i])] = static_cast<int>(first.size()) - 1;
  }
  // Summing the rows of a value first pays where there are fewer values than, say, half the rows.
  if (first.size() > 1 && 2 * static_cast<Index>(first.size()) > n) {
    values_ = std::move(points);
  } else {
    values_ = points(first, Eigen::all);
    value_of_row_ = std::move(value_of_row);
  }
}

void Feature::kernels(double width, Matrix& out) const {
  out.resize(values_.rows(), centers_.cols());
  squared_distances(values_, centers_, out);
  out *= -0.5 / (width * width);
  exp_in_place(out.data(), out.size());
}

void Feature::kernels(double width, Eigen::MatrixXf& out) const {
  out.resize(values_.rows(), centers_.cols());
  Matrix column(values_.rows(), 1);
  for (Index b = 0; b < out.cols(); ++b) {
    squared_distances(values_, centers_.col(b), column);
    out.col(b) = (-0.5 / (width * width) * column).cast<float>();
  }
  out = out.array().exp();
}

void Feature::exponents(double width, Range rows, const std::vector<Index>& centers, Eigen::Ref<Matrix> out) const {
  const Matrix own = centers_(Eigen::all, centers);
  const auto first = value_of_row_.begin() + (has_repeats() ? rows.begin : 0);
  if (!has_repeats() || distinct() > rows.size()) {
    if (has_repeats()) {
      squared_distances(values_(std::vector<int>(first, first + rows.size()), Eigen::all), own, out);
    } else {
      squared_distances(values_.middleRows(rows.begin, rows.size()), own, out);
    }
    out *= -0.5 / (width * width);
    return;
  }
  Matrix table(values_.rows(), own.cols());
  squared_distances(values_, own, table);
  table *= -0.5 / (width * width);
  for (Index j = 0; j < out.cols(); ++j) {
    for (Index i = 0; i < rows.size(); ++i) {
      out(i, j) = table(first[i], j);
    }
  }
}

Vector Problem::row_weights(Index problem) const {
  Vector out = weights;
  if (problem > 0) {
    const Range held_out = fold(problem - 1);
    out.segment(held_out.begin, held_out.size()).setZero();
  }
  return out / out.sum();
}

Terms positive_terms(const Matrix& alpha) {
  Terms out;
  for (Index c = 0; c < alpha.size(); ++c) {
    if (alpha.data()[c] > 0) out.coordinate.push_back(c);
  }
  out.value = alpha.reshaped()(out.coordinate);
  return out;
}

Vector group_norms(const Terms& terms, Index groups, Index centers) {
  Vector out = Vector::Zero(groups);
  for (Index p = 0; p < terms.size(); ++p) {
    out[terms.coordinate[static_cast<std::size_t>(p)] / centers] += terms.value[p] * terms.value[p];
  }
  return out.cwiseSqrt();
}

Index selected_inputs(const Problem& problem, const Terms& terms) {
  const Vector norms = group_norms(terms, problem.groups(), problem.centers());
  return (norms.array() > 0 && problem.penalty_weights.col(0).array() > 0).count();
}

Reweighted reweight(const Problem& problem, const std::vector<Terms>& solutions) {
  // Beyond any |h_g| / lambda: a group of this weight never enters.
  constexpr double excluded = 1e30;
  Matrix norms(problem.groups(), problem.problems());
  for (Index k = 0; k < norms.cols(); ++k) {
    norms.col(k) = group_norms(solutions[static_cast<std::size_t>(k)], problem.groups(), problem.centers());
  }
  Reweighted out{problem, {}};
  out.problem.features.clear();
  if (out.problem.elsewhere) out.problem.elsewhere->rows_of_group.clear();
  for (Index g = 0; g < problem.groups(); ++g) {
    if (norms.row(g).maxCoeff() == 0 && problem.penalty_weights(g, 0) > 0) continue;
    out.group.push_back(g);
    out.problem.features.push_back(problem.features[static_cast<std::size_t>(g)]);
    if (!problem.elsewhere) continue;
    out.problem.elsewhere->rows_of_group.push_back(problem.elsewhere->rows_of_group[static_cast<std::size_t>(g)]);
  }
  const Matrix kept = norms(out.group, Eigen::all);
  out.problem.penalty_weights = problem.penalty_weights(out.group, Eigen::all)
                                    .cwiseProduct((kept.array() > 0).select(kept.cwiseInverse(), excluded).matrix());
  return out;
}

Matrix exponents_of(const Problem& problem, double width, Range rows, const std::vector<Index>& coordinates) {
  Matrix out(rows.size(), std::ssize(coordinates));
  const Index b = problem.centers();
  std::vector<Index> centers;
  for (std::size_t begin = 0; begin < coordinates.size();) {
    const Index group = coordinates[begin] / b;
    centers.clear();
    std::size_t end = begin;
    for (; end < coordinates.size() && coordinates[end] / b == group; ++end) centers.push_back(coordinates[end] % b);
    problem.features[static_cast<std::size_t>(group)].exponents(
        width, rows, centers, out.middleCols(static_cast<Index>(begin), std::ssize(centers)));
    begin = end;
  }
  return out;
}

Matrix kernels_of(const Problem& problem, double width, Range rows, const std::vector<Index>& coordinates) {
  Matrix out = exponents_of(problem, width, rows, coordinates);
  exp_in_place(out.data(), out.size());
  return out;
}

Matrix target_kernels(const Problem& problem, Range rows, double width) {
  Matrix out(problem.centers(), rows.size());
  squared_distances(problem.centers_y.transpose(), problem.y.middleCols(rows.begin, rows.size()), out);
  out *= -0.5 / (width * width);
  exp_in_place(out.data(), out.size());
  return out;
}

}  // namespace condens::sacde
