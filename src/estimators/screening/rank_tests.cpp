#include "rank_tests.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "condens/core/parallel.hpp"
#include "data/mid_ranks.hpp"

namespace condens::screening {

namespace {

Vector weights_of(const Dataset& data) { return data.weights.size() > 0 ? data.weights : Vector::Ones(data.size()); }

/// Orthonormal columns that grow one by one; the first is that of the mean.
class Directions {
 public:
  explicit Directions(const Vector& root_weights) : columns_(root_weights.size(), 1), roots_(root_weights) {
    columns_.col(0) = root_weights.normalized();
  }

  /// What is left of values outside of the columns, of length one; empty where that is rounding.
  Vector rest(const VectorView& values) const {
    constexpr double rounding = 1e-7;
    Vector out = roots_.cwiseProduct(values);
    const double before = out.norm();
    for (int pass = 0; pass < 2; ++pass) out -= columns_ * (columns_.transpose() * out);
    const double left = out.norm();
    return left > rounding * before ? Vector(out / left) : Vector();
  }

  void add(const Vector& direction) {
    columns_.conservativeResize(Eigen::NoChange, columns_.cols() + 1);
    columns_.rightCols(1) = direction;
  }

  Index count() const { return columns_.cols(); }

 private:
  Matrix columns_;
  const Vector& roots_;
};

/// Of the rows of x of one input.
std::vector<Vector> scores_of_input(const Dataset& data, const std::vector<Index>& rows, const Vector& weights) {
  std::vector<Vector> out;
  if (rows.size() > 1) {
    for (const Index row : rows) out.emplace_back(data.x.row(row).transpose());
    return out;
  }
  out.push_back(mid_ranks(data.x.row(rows.front()).transpose(), weights).of_rows);
  out.emplace_back((out.front().array() - 0.5).square());
  return out;
}

}  // namespace

Matrix marginal_scores(const Dataset& data) {
  Matrix out(data.size(), 2 * data.y.rows());
  const Vector weights = weights_of(data);
  for (Index k = 0; k < data.y.rows(); ++k) {
    out.col(2 * k) = mid_ranks(data.y.row(k).transpose(), weights).of_rows;
    out.col(2 * k + 1) = (2.0 * out.col(2 * k).array() - 1.0).square();
  }
  return out;
}

double RankTest::p_value() const {
  return pairs == 0 ? 1.0 : std::min(1.0, static_cast<double>(pairs) * std::erfc(z / std::numbers::sqrt2));
}

std::vector<RankTest> rank_tests(const Dataset& data, const Matrix& scores, const std::vector<Index>& known,
                                 int threads) {
  const Vector weights = weights_of(data);
  const Vector roots = weights.cwiseSqrt();
  const auto inputs = data.inputs();
  const auto is_known = [&](const std::vector<Index>& rows) {
    return std::find(known.begin(), known.end(), rows.front()) != known.end();
  };
  Directions given(roots);
  for (const auto& rows : inputs) {
    if (!is_known(rows)) continue;
    for (const Vector& score : scores_of_input(data, rows, weights)) {
      if (const Vector direction = given.rest(score); direction.size() > 0) given.add(direction);
    }
  }
  Matrix targets(data.size(), 0);
  for (Index k = 0; k < scores.cols(); ++k) {
    const Vector rest = given.rest(scores.col(k));
    if (rest.size() == 0) continue;
    targets.conservativeResize(Eigen::NoChange, targets.cols() + 1);
    targets.rightCols(1) = rest;
  }
  std::vector<RankTest> out(inputs.size());
  const double degrees = weights.sum() - static_cast<double>(given.count());
  if (!(degrees > 0) || targets.cols() == 0) return out;
  parallel_for(std::ssize(inputs), threads, [&](Index d) {
    const auto& rows = inputs[static_cast<std::size_t>(d)];
    if (is_known(rows)) return;
    RankTest& test = out[static_cast<std::size_t>(d)];
    Directions own = given;
    for (const Vector& score : scores_of_input(data, rows, weights)) {
      const Vector direction = own.rest(score);
      if (direction.size() == 0) continue;
      own.add(direction);
      test.z = std::max(test.z, std::sqrt(degrees) * (targets.transpose() * direction).cwiseAbs().maxCoeff());
      test.pairs += targets.cols();
    }
  });
  return out;
}

std::vector<Index> most_dependent(const std::vector<RankTest>& tests, Index count) {
  std::vector<Index> out(tests.size());
  std::iota(out.begin(), out.end(), Index{0});
  if (count >= std::ssize(out)) return out;
  // Where p underflows, z still tells.
  std::stable_sort(out.begin(), out.end(), [&](Index i, Index j) {
    const RankTest& a = tests[static_cast<std::size_t>(i)];
    const RankTest& b = tests[static_cast<std::size_t>(j)];
    const double p_a = a.p_value();
    const double p_b = b.p_value();
    return p_a != p_b ? p_a < p_b : a.z > b.z;
  });
  out.resize(static_cast<std::size_t>(count));
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace condens::screening
