#include "combination.hpp"

#include <algorithm>
#include <cmath>

#include "condens/data/folds.hpp"
#include "linalg/log_sum_exp.hpp"
#include "model/input_gain.hpp"
#include "optim/mixture_proportions.hpp"

namespace condens::pooling {

namespace {

/// The weights of the columns of `log_density`, with `each` rows for every one of the first `members` alone.
MixtureProportions weights_of(const Matrix& log_density, const Vector& weights, Index members, double each) {
  if (each == 0) return mixture_proportions(log_density, weights);
  Matrix more = Matrix::Constant(log_density.rows(), log_density.cols() + members, -infinity);
  more.leftCols(log_density.cols()) = log_density;
  more.rightCols(members).diagonal().setZero();
  Vector rows(more.cols());
  rows << weights, Vector::Constant(members, each);
  return mixture_proportions(more, rows);
}

/// log sum_m w_m p_im for every row i.
Vector log_mixture(const Matrix& log_density, const Vector& w) {
  Vector out(log_density.cols());
  for (Index i = 0; i < out.size(); ++i) out[i] = log_sum_exp(log_density.col(i) + w.array().log().matrix());
  return out;
}

GaussianMixture broad_gaussian(const Defensive& defensive) {
  return {Vector::Ones(1), GaussianComponents{defensive.mean, defensive.scale}};
}

/// The columns that weights are sought for: (1 - e) p_m + e p_0, the members with the least share of the
/// broad Gaussian, and p_0 itself, last. Without such a share, the members.
Matrix defended(const std::vector<Candidate>& candidates, Vector Candidate::*of_rows, const Defensive& defensive,
                const ScoringRows& rows) {
  const Index m = std::ssize(candidates);
  const bool broad = defensive.weight > 0;
  const MatrixView y = rows.rows.y;
  Matrix out(m + (broad ? 1 : 0), y.cols());
  for (Index k = 0; k < m; ++k) out.row(k) = (candidates[static_cast<std::size_t>(k)].*of_rows).transpose();
  if (!broad) return out;
  out.row(m) = (rows.cells.empty() ? defensive.log_density(y) : rows.cells.log_density(broad_gaussian(defensive), y))
                   .transpose();
  for (Index i = 0; i < y.cols(); ++i) {
    for (Index k = 0; k < m; ++k) out(k, i) = defensive.log_mixed(out(k, i), out(m, i));
  }
  return out;
}

/// What the inputs are worth to the pool on rows left out.
void report_gain(const Combination& found, const ScoringRows& rows, FitReport& report) {
  std::vector<Index> told;
  for (std::size_t i = 0; i < rows.told.size(); ++i) {
    if (rows.told[i]) told.push_back(static_cast<Index>(i));
  }
  const InputGain gain = input_gain((found.held_out - found.held_out_average)(told), rows.weights(told));
  if (!std::isfinite(gain.mean) || !std::isfinite(gain.standard_error)) return;
  report.details.set("gain_of_inputs", Document::Object{{"held_out", gain.to_document()}});
}

Document row_of(const std::string& name, double weight, const FoldScore& score) {
  return Document::Object{
      {"name", name}, {"weight", weight}, {"score", score.mean}, {"standard_error", score.standard_error}};
}

/// What members say of the data, once; of themselves, with their names.
void add_warnings(const Candidate& candidate, FitReport& report) {
  for (const std::string& text : candidate.model->report().warnings) {
    const std::string own = text.starts_with("input ") ? text : candidate.name + ": " + text;
    if (std::find(report.warnings.begin(), report.warnings.end(), own) == report.warnings.end()) {
      report.warnings.push_back(own);
    }
  }
  const std::string& status = candidate.model->report().status;
  if (status != "ok") report.warnings.push_back(candidate.name + ": " + status);
}

}  // namespace

Combination combine(const std::vector<Candidate>& candidates, const ScoringRows& rows, const Defensive& defensive,
                    double shrinkage) {
  Combination out;
  out.least = defensive.weight;
  out.log_density = defended(candidates, &Candidate::held_out, defensive, rows);
  const Matrix log_average = defended(candidates, &Candidate::held_out_average, defensive, rows);
  const Index m = std::ssize(candidates);
  // Small weights are shares of the rows there are, others count copies.
  const double unit = rows.weights.sum() / std::max(rows.weights.sum(), static_cast<double>(rows.rows.size()));
  const double each = shrinkage * unit / static_cast<double>(m);
  MixtureProportions found = weights_of(out.log_density, rows.weights, m, each);
  out.weights = std::move(found.weights);
  out.gap = found.gap;
  out.iterations = found.iterations;

  out.held_out.resize(rows.rows.size());
  out.held_out_average.resize(rows.rows.size());
  for (Index k = 0; k <= *std::max_element(rows.fold.begin(), rows.fold.end()); ++k) {
    const auto [train, test] = rows_of_fold(rows.fold, k);
    const Vector w = weights_of(out.log_density(Eigen::all, train), rows.weights(train), m, each).weights;
    out.held_out(test) = log_mixture(out.log_density(Eigen::all, test), w);
    out.held_out_average(test) = log_mixture(log_average(Eigen::all, test), w);
  }
  return out;
}

void assemble(const std::vector<Candidate>& candidates, const Combination& found, const ScoringRows& rows,
              Pooled& out) {
  Document::Array table;
  for (const Candidate& candidate : candidates) {
    const double weight = (1.0 - found.least) * found.weights[std::ssize(table)];
    table.push_back(row_of(candidate.name, weight, rows.score(candidate.held_out)));
    if (weight == 0) continue;
    out.parts.members.push_back({candidate.model, weight});
    add_warnings(candidate, out.report);
  }
  if (found.least > 0) {
    out.parts.defensive.weight += (1.0 - found.least) * found.weights[std::ssize(candidates)];
    const Vector broad = found.log_density.bottomRows(1).transpose();
    table.push_back(row_of("broad", out.parts.defensive.weight, rows.score(broad)));
  }
  const FoldScore score = rows.score(found.held_out);
  FitReport& report = out.report;
  report.details.set("members", std::move(table));
  if (out.parts.dimension > 0) report_gain(found, rows, report);
  report.details.set("score", score.mean).set("score_standard_error", score.standard_error);
  if (!rows.cells.empty()) {
    report.details.set("score_note", message("the target has ", rows.cells.size(),
                                             " different values: scores are those of the cells around them"));
  }
  report.details.set("certificate", Document::Object{{"gap", found.gap}, {"iterations", found.iterations}});
}

}  // namespace condens::pooling
