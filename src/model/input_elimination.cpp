#include "input_elimination.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "condens/core/errors.hpp"
#include "linalg/decompositions.hpp"
#include "optim/grassmann.hpp"
#include "preparation.hpp"

namespace condens::reduction {

namespace {

constexpr Index inputs_at_a_time = 10;  // of as many inputs one leaves

std::vector<Index> loaded_inputs(const Matrix& w) {
  std::vector<Index> out;
  for (Index j = 0; j < w.cols(); ++j) {
    if ((w.col(j).array() != 0).any()) out.push_back(j);
  }
  return out;
}

/// The places of the `count` longest columns of w, rising; of equals the first.
std::vector<Index> longest_columns(const Matrix& w, Index count) {
  const Vector length = w.colwise().norm();
  std::vector<Index> out(static_cast<std::size_t>(w.cols()));
  std::iota(out.begin(), out.end(), Index{0});
  std::stable_sort(out.begin(), out.end(), [&](Index a, Index b) { return length[a] > length[b]; });
  out.resize(static_cast<std::size_t>(count));
  std::sort(out.begin(), out.end());
  return out;
}

/// W of a part for every size, the largest first.
std::vector<Matrix> path_of(const EliminationParts& parts, Index part, Matrix w, const std::vector<Index>& sizes,
                            const Run& run) {
  const Index d_x = w.cols();
  std::vector<Matrix> out{w};
  std::vector<Index> kept = loaded_inputs(w);
  w = Matrix(w(Eigen::all, kept));
  for (auto size = sizes.rbegin() + 1; size < sizes.rend(); ++size) {
    if (*size < std::ssize(kept)) {
      const std::vector<Index> longest = longest_columns(w, *size);
      std::vector<Index> rest;
      for (const Index place : longest) rest.push_back(kept[static_cast<std::size_t>(place)]);
      Matrix start = orthonormal_rows(w(Eigen::all, longest));
      if (!start.allFinite()) start = orthonormal_columns(w(Eigen::all, longest).transpose()).transpose();
      kept = std::move(rest);
      w = start.rows() < start.cols() ? parts.search(part, kept, start, run) : start;
    }
    out.push_back(embedded(w, kept, d_x));
  }
  return out;
}

}  // namespace

std::vector<Index> elimination_sizes(Index n_inputs, Index n_components) {
  std::vector<Index> out;
  for (Index size = n_inputs; size > n_components; size -= std::max<Index>(1, size / inputs_at_a_time)) {
    out.push_back(size);
  }
  out.push_back(std::min(n_inputs, n_components));
  std::sort(out.begin(), out.end());
  return out;
}

Matrix eliminate_inputs(const EliminationParts& parts, SelectionRule rule, const Run& run, Task& task,
                        FitReport& report) {
  Matrix whole;
  std::vector<Index> sizes;
  std::vector<Matrix> found;
  fit_side_by_side(1, run, task, [&](Index, const Run& own) {
    whole = parts.first(0, own);
    sizes = elimination_sizes(std::ssize(loaded_inputs(whole)), whole.rows());
    found = path_of(parts, 0, whole, sizes, own);
  });
  const Index count = std::ssize(sizes);
  Matrix scores(parts.folds, count);  // the largest number of inputs first
  fit_side_by_side(parts.folds, run, task, [&](Index k, const Run& own) {
    const std::vector<Matrix> path = path_of(parts, k + 1, parts.first(k + 1, own), sizes, own);
    for (Index s = 0; s < count; ++s) scores(k, s) = parts.score(k, path[static_cast<std::size_t>(s)], own);
  });
  Vector mean(count);
  for (Index s = 0; s < count; ++s) mean[s] = scores.col(s).allFinite() ? fold_score(scores.col(s)).mean : infinity;
  Index best = 0;
  for (Index s = 1; s < count; ++s) {
    if (mean[s] <= mean[best]) best = s;
  }
  Index chosen = best;
  for (Index s = count - 1; rule == SelectionRule::one_standard_error && s > best; --s) {
    const Vector difference = scores.col(s) - scores.col(best);
    if (!difference.allFinite()) continue;
    const FoldScore worse = fold_score(difference);
    if (!(worse.mean <= worse.standard_error)) continue;
    chosen = s;
    break;
  }
  struct Row {
    double inputs;
    FoldScore score;
  };
  std::vector<Row> rows;
  for (Index s = 0; s < count; ++s) {
    const FoldScore own = std::isfinite(mean[s]) ? fold_score(scores.col(s)) : FoldScore{infinity, 0.0};
    rows.push_back({static_cast<double>(sizes[static_cast<std::size_t>(count - 1 - s)]), own});
  }
  const auto column = [&](const auto& value) { return preparation::column(rows, value); };
  report.details.set(
      "elimination",
      Document::Object{{"n_inputs", column([](const Row& row) { return row.inputs; })},
                       {"score", column([](const Row& row) { return row.score.mean; })},
                       {"standard_error", column([](const Row& row) { return row.score.standard_error; })}});
  const Matrix& out = found[static_cast<std::size_t>(chosen)];
  report.details.set("n_inputs_used", std::ssize(loaded_inputs(out)));
  return out;
}

Matrix embedded(const Matrix& w, const std::vector<Index>& varying, Index n) {
  Matrix out = Matrix::Zero(w.rows(), n);
  out(Eigen::all, varying) = w;
  return out;
}

}  // namespace condens::reduction
