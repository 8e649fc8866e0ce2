#include "passes.hpp"

#include <algorithm>
#include <cmath>

#include "condens/core/cancellation.hpp"
#include "condens/core/errors.hpp"
#include "held_out.hpp"
#include "model/preparation.hpp"
#include "model/table_passes.hpp"

namespace condens::sacde {

namespace {

Vector as_vector(const std::vector<double>& values) {
  return Eigen::Map<const Vector>(values.data(), std::ssize(values));
}

Document pass_of(const Problem& problem, std::string_view step, double width_x) {
  const Elsewhere& rows = *problem.elsewhere;
  Document::Array groups;
  for (const auto& own : rows.rows_of_group) groups.push_back(table_passes::document_of(own));
  return Document::Object{{"pass", "sacde"},
                          {"step", step},
                          {"width_x", width_x},
                          {"scale", rows.scale},
                          {"folds", rows.folds},
                          {"seed", rows.seed},
                          {"groups", std::move(groups)},
                          {"centers_x", rows.centers_x},
                          {"centers_y", problem.centers_y},
                          {"defensive", table_passes::document_of(problem.defensive)}};
}

Document total(const Problem& problem, const Document& pass) {
  check_cancelled();
  Document out = problem.elsewhere->table->total(pass);
  check_cancelled();
  return out;
}

/// Some rows of a block as they are in memory, sorted by fold.
Problem problem_of(const Document& pass, const Dataset& block, Index first_row) {
  const Index d_x = block.x.rows();
  const Index d_y = block.y.rows();
  const Dataset data = table_passes::Scale::from_document(pass.at("scale"), d_x, d_y).standardized(block);
  const Index folds = table_passes::count_of(pass, "folds", 1, table_passes::most_folds);
  preparation::FoldOrder sorted = preparation::sort_by_fold(table_passes::folds_of_block(pass, block, first_row));
  Problem out;
  out.fold_begin = std::move(sorted.begin);
  out.fold_begin.resize(static_cast<std::size_t>(folds) + 1, block.size());
  out.y = data.y(Eigen::all, sorted.order);
  out.weights = data.weights(sorted.order);
  out.centers_y = table_passes::matrix_of(pass, "centers_y", d_y, table_passes::any_size);
  const Matrix& centers_x = table_passes::matrix_of(pass, "centers_x", d_x, out.centers());
  for (const Document& group : pass.at("groups").as_array()) {
    const std::vector<Index> own = table_passes::inputs_of(group, d_x);
    out.features.emplace_back(data.x(own, sorted.order).transpose(), centers_x(own, Eigen::all), own.empty());
  }
  if (out.features.empty()) throw FormatError("a pass over the rows: no 'groups', expected one at least");
  out.defensive = table_passes::defensive_of(pass, d_y);
  return out;
}

/// Calls `visit` with a problem of some neighbouring rows of the block at a time, whose kernels take little room.
template <class Visit>
void in_parts(const Document& pass, const Dataset& block, Index first_row, const Visit& visit) {
  constexpr Index rows_at_once = 16'384;
  for (Index i = 0; i < std::max<Index>(1, block_count(block.size(), rows_at_once)); ++i) {
    const Range rows = block_range(block.size(), rows_at_once, i);
    visit(problem_of(pass, table_passes::neighbours(block, rows), first_row + rows.begin));
    check_cancelled();
  }
}

Document sums_state(const Document& pass, const Dataset& block, Index first_row, int threads) {
  const double width_x = table_passes::width_of(pass, "width_x");
  const Vector given = table_passes::widths_of(pass, "widths_y", table_passes::any_size);
  const std::vector<double> widths_y{given.begin(), given.end()};
  FoldSums sums;
  in_parts(pass, block, first_row, [&](const Problem& problem) {
    if (sums.weight.size() > 0) {
      add_fold_sums(problem, width_x, widths_y, threads, sums);
      return;
    }
    const double order = static_cast<double>(problem.groups() * problem.centers());
    if (!(order * order * static_cast<double>(problem.folds()) <= most_numbers_of_sums)) {
      throw FormatError(message("a pass over the rows: ", problem.groups(), " 'groups' at ", problem.centers(),
                                " centers in ", problem.folds(), " folds, expected less"));
    }
    sums = fold_sums(problem, width_x, widths_y, true, threads);
  });
  return Document::Object{
      {"sum", Document::Object{{"gram", table_passes::side_by_side(sums.gram, sums.gram.size())},
                               {"target", table_passes::side_by_side(sums.target, sums.target.size())},
                               {"weight", sums.weight}}}};
}

/// Solutions of the folds' training rows, fold by fold and point by point: folds x points of them.
std::vector<Terms> solutions_of(const Document& pass, const Problem& problem) {
  const Index coordinates = problem.groups() * problem.centers();
  std::vector<Terms> out;
  for (const Document& own : pass.at("solutions").as_array()) {
    Terms& terms = out.emplace_back();
    terms.value = own.at("values").as_vector();  // of no coefficients none
    for (const double c : table_passes::vector_of(own, "coordinates", terms.size())) {
      const double least = terms.coordinate.empty() ? 0 : static_cast<double>(terms.coordinate.back()) + 1;
      if (!(c >= least) || c >= static_cast<double>(coordinates) || c != std::floor(c)) {
        throw FormatError(message("a pass over the rows: 'coordinates' has ", c, ", expected whole numbers below ",
                                  coordinates, ", rising"));
      }
      terms.coordinate.push_back(static_cast<Index>(c));
    }
    if (terms.size() > 0 && !(terms.value.minCoeff() > 0)) {
      throw FormatError("a pass over the rows: 'values' are not all > 0");
    }
  }
  if (out.empty() || std::ssize(out) % problem.folds() != 0) {
    throw FormatError(message("a pass over the rows: ", out.size(), " 'solutions' for ", problem.folds(), " folds"));
  }
  return out;
}

/// A score that is no number counts as failed: sums of a document are finite.
Document scores_state(const Document& pass, const Dataset& block, Index first_row, int threads) {
  const double width_x = table_passes::width_of(pass, "width_x");
  const double width_y = table_passes::width_of(pass, "width_y");
  const auto scoring =
      static_cast<Scoring>(table_passes::count_of(pass, "scoring", 0, std::ssize(choice_names<Scoring>) - 1));
  Matrix scores;
  in_parts(pass, block, first_row, [&](const Problem& problem) {
    const std::vector<Terms> solutions = solutions_of(pass, problem);
    const HeldOut rows(problem, width_x, width_y, scoring);
    if (scores.size() == 0) scores = Matrix::Zero(problem.folds(), std::ssize(solutions) / problem.folds());
    parallel_for(scores.size(), threads, [&](Index i) {
      scores.data()[i] += rows.sum(solutions[static_cast<std::size_t>(i)], i % problem.folds());
    });
  });
  const Matrix failed = scores.unaryExpr([](double score) { return std::isfinite(score) ? 0.0 : 1.0; });
  scores = (failed.array() > 0).select(0.0, scores);
  return Document::Object{{"sum", Document::Object{{"scores", std::move(scores)}, {"failed", failed}}}};
}

}  // namespace

KernelSums kernel_sums(const Problem& problem, double width_x, const std::vector<double>& widths_y, bool dense,
                       int threads) {
  if (!problem.elsewhere) {
    return training_sums(fold_sums(problem, width_x, widths_y, dense, threads), width_x, widths_y);
  }
  Document pass = pass_of(problem, "sums", width_x);
  pass.set("widths_y", as_vector(widths_y));
  const Document state = total(problem, pass);
  const Document& sums = state.at("sum");
  const Index b = problem.centers();
  const Index order = problem.groups() * b;
  const Index folds = problem.folds();
  FoldSums parts{
      table_passes::apart(table_passes::matrix_of(sums, "gram", order, order * folds), folds),
      table_passes::apart(table_passes::matrix_of(sums, "target", b, problem.groups() * std::ssize(widths_y) * folds),
                          folds),
      table_passes::vector_of(sums, "weight", folds)};
  return training_sums(std::move(parts), width_x, widths_y);
}

Matrix scores_in_table(const Problem& problem, double width_x, double width_y, Scoring scoring,
                       const std::vector<PathPoint>& points) {
  Document pass = pass_of(problem, "scores", width_x);
  pass.set("width_y", width_y).set("scoring", static_cast<Index>(scoring));
  Document::Array solutions;
  for (const PathPoint& point : points) {
    for (Index k = 0; k < problem.folds(); ++k) {
      const Terms& own = point.solutions[static_cast<std::size_t>(k) + 1];
      solutions.emplace_back(
          Document::Object{{"coordinates", table_passes::document_of(own.coordinate)}, {"values", own.value}});
    }
  }
  pass.set("solutions", std::move(solutions));
  const Document state = total(problem, pass);
  const auto part = [&](std::string_view name) -> const Matrix& {
    return table_passes::matrix_of(state.at("sum"), name, problem.folds(), std::ssize(points));
  };
  return (part("failed").array() > 0).select(infinity, part("scores"));
}

Document accumulate(const Document& pass, const Dataset& block, Index first_row, const Run& run) {
  const int threads = resolve_threads(run.threads);
  return pass.at("step").as_string() == "sums" ? sums_state(pass, block, first_row, threads)
                                               : scores_state(pass, block, first_row, threads);
}

}  // namespace condens::sacde
