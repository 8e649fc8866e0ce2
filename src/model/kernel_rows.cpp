#include "kernel_rows.hpp"

#include <algorithm>
#include <numeric>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"

namespace condens {

namespace {

template <class A, class B>
bool comes_before(const A& a, const B& b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
}

bool same_scale(const Standardizer& a, const Standardizer& b) {
  return a.dimension() == b.dimension() && a.mean() == b.mean() && a.scale() == b.scale();
}

}  // namespace

RowWeights largest_weights(const VectorView& weights, Index most) {
  std::vector<Index> order;
  for (Index i = 0; i < weights.size(); ++i)
    if (weights[i] > 0) order.push_back(i);
  const auto heavier = [&](Index a, Index b) { return std::pair(-weights[a], a) < std::pair(-weights[b], b); };
  const auto end = order.begin() + std::min<std::ptrdiff_t>(std::ssize(order), most);
  std::partial_sort(order.begin(), end, order.end(), heavier);
  double others = 0;
  for (auto i = end; i != order.end(); ++i) others += weights[*i];
  order.erase(end, order.end());
  return {order, weights(order), others};
}

Matrix stacked(const Dataset& data) {
  Matrix out(data.x.rows() + data.y.rows(), data.size());
  if (data.x.rows() > 0) out.topRows(data.x.rows()) = data.x;
  out.bottomRows(data.y.rows()) = data.y;
  return out;
}

FittedRows::FittedRows(std::string_view owner, const Dataset& training, bool standardize, const Standardizer& x_scale,
                       const Standardizer& y_scale)
    : start_(owner, training, standardize), n_training_(training.size()) {
  require(same_scale(start_.standardized().x, x_scale) && same_scale(start_.standardized().y, y_scale), owner, ": the ",
          training.size(), " rows of the training data have another mean or spread than those of the fit, ",
          "expected the data of the fit, unchanged");
  const Vector weights = counted_weights(training.weights);
  for (Index i = 0; i < n_training_; ++i)
    if (weights.size() == 0 || weights[i] > 0) numbers_.push_back(i);
}

KernelRows::KernelRows(std::string_view owner, const Matrix& kernels, const Matrix& rows, const FittedRows& fitted)
    : n_rows_(fitted.n_training()), rows_of_kernel_(static_cast<std::size_t>(kernels.cols())) {
  const Vector& weights = fitted.rows().weights;
  std::vector<Index> order(fitted.numbers().size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return comes_before(rows.col(a), rows.col(b)); });
  for (Index k = 0; k < kernels.cols(); ++k) {
    const auto kernel = kernels.col(k);
    auto at = std::lower_bound(order.begin(), order.end(), k,
                               [&](Index row, Index) { return comes_before(rows.col(row), kernel); });
    auto& own = rows_of_kernel_[static_cast<std::size_t>(k)];
    double total = 0;
    for (; at != order.end() && rows.col(*at) == kernel; ++at) {
      const double weight = weights.size() == 0 ? 1.0 : weights[*at];
      own.emplace_back(fitted.numbers()[static_cast<std::size_t>(*at)], weight);
      total += weight;
    }
    require(!own.empty(), owner, ": kernel ", k + 1, " of ", kernels.cols(),
            " stands at no row of the training data, expected the data of the fit, unchanged");
    for (auto& [row, share] : own) share /= total;
  }
}

RowWeights KernelRows::weigh(const VectorView& weights, Index most) const {
  Vector of_rows = Vector::Zero(n_rows_);
  for (std::size_t k = 0; k < rows_of_kernel_.size(); ++k) {
    for (const auto& [row, share] : rows_of_kernel_[k]) of_rows[row] += share * weights[static_cast<Index>(k)];
  }
  return largest_weights(of_rows, most);
}

std::vector<RowWeights> KernelRows::weigh(Index n, Index most, const Run& run,
                                          const std::function<Vector(Index)>& log_weights) const {
  std::vector<RowWeights> out(static_cast<std::size_t>(n));
  Task task(run, "weighing rows", static_cast<double>(n));
  parallel_for(
      n, task.threads(),
      [&](Index i) {
        Vector weights = log_weights(i);
        weights = (weights.array() - weights.maxCoeff()).exp();
        weights /= weights.sum();
        out[static_cast<std::size_t>(i)] = weigh(weights, most);
        task.advance(1);
      },
      [&] { task.poll(); });
  return out;
}

}  // namespace condens
