#include "passes.hpp"

#include <array>
#include <cmath>
#include <utility>

#include "condens/data/folds.hpp"
#include "model/preparation.hpp"
#include "model/table_passes.hpp"

namespace condens::lscde {

namespace {

class InMemory final : public Passes {
 public:
  InMemory(const Problem& problem, bool several, int threads)
      : problem_(problem),
        blocks_(cut_into_blocks(problem)),
        distances_(several ? Distances(problem, blocks_, threads) : Distances(problem)) {}

  Statistics statistics(const WidthGroup& widths, Task& task, int threads) const override {
    return accumulate(problem_, distances_, blocks_, widths, task, threads);
  }

  std::vector<Matrix> scores(double width_x, const std::vector<ScoringWidth>& widths, Task& task,
                             int threads) const override {
    const auto idle = find_idle_centers(widths, problem_.scored_folds());
    std::vector<Matrix> of_blocks(blocks_.size());
    const auto score = [&](Index index) {
      const Block& block = blocks_[static_cast<std::size_t>(index)];
      if (block.fold >= problem_.scored_folds()) return;
      of_blocks[static_cast<std::size_t>(index)] = score_block(problem_, distances_, idle, block, width_x, widths);
      task.advance(1.0);
    };
    parallel_for(std::ssize(blocks_), threads, score, [&] { task.poll(); });
    std::vector<Matrix> out(static_cast<std::size_t>(problem_.scored_folds()),
                            Matrix::Zero(widths.front().alpha.front().cols(), std::ssize(widths)));
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      if (blocks_[i].fold < problem_.scored_folds()) out[static_cast<std::size_t>(blocks_[i].fold)] += of_blocks[i];
    }
    return out;
  }

 private:
  const Problem& problem_;
  std::vector<Block> blocks_;
  Distances distances_;
};

/// What every pass over rows elsewhere says.
Document pass_of(const Problem& problem, std::string_view step) {
  const Elsewhere& rows = *problem.elsewhere;
  return Document::Object{{"pass", "lscde"},
                          {"step", step},
                          {"scale", rows.scale},
                          {"input_widths", rows.input_widths},
                          {"folds", rows.folds},
                          {"seed", rows.seed},
                          {"first_against", rows.first_against},
                          {"unscored_folds", problem.unscored_folds},
                          {"centers_x", problem.centers_x},
                          {"centers_y", problem.centers_y},
                          {"scoring", static_cast<Index>(problem.scoring)},
                          {"defensive", table_passes::document_of(problem.defensive)}};
}

/// The rows of a block as they are in memory.
Problem problem_of(const Document& pass, const Dataset& block, Index first_row) {
  const Index d_x = block.x.rows();
  const Index d_y = block.y.rows();
  const Dataset data = table_passes::Scale::from_document(pass.at("scale"), d_x, d_y).standardized(block);
  const Index folds = table_passes::count_of(pass, "folds", 1, table_passes::most_folds);
  std::vector<Index> fold = table_passes::folds_of_block(pass, block, first_row);
  const bool first_against = pass.at("first_against").as_bool();
  for (Index& k : fold) k = first_against && k > 0 ? 1 : k;
  const Index n_folds = first_against ? 2 : folds;

  preparation::FoldOrder sorted = preparation::sort_by_fold(fold);
  Problem out;
  out.x = table_passes::widths_of(pass, "input_widths", d_x).cwiseInverse().asDiagonal() *
          Matrix(data.x(Eigen::all, sorted.order));
  out.y = data.y(Eigen::all, sorted.order);
  out.weights = data.weights(sorted.order);
  out.x_unlabeled = Matrix(d_x, 0);
  out.centers_y = table_passes::matrix_of(pass, "centers_y", d_y, table_passes::any_size);
  out.centers_x = table_passes::matrix_of(pass, "centers_x", d_x, out.centers_y.cols());
  out.fold_begin = std::move(sorted.begin);
  out.fold_begin.resize(static_cast<std::size_t>(n_folds) + 1, block.size());
  out.center_fold.assign(static_cast<std::size_t>(out.centers_y.cols()), -1);
  out.unscored_folds = table_passes::count_of(pass, "unscored_folds", 0, n_folds);
  out.coefficients = LscdeCoefficients::clipped;  // no part of a pass
  out.scoring = static_cast<Scoring>(table_passes::count_of(pass, "scoring", 0, std::ssize(choice_names<Scoring>) - 1));
  out.defensive = table_passes::defensive_of(pass, d_y);
  return out;
}

Document state_of(Document::Object sums) { return Document::Object{{"sum", std::move(sums)}}; }

Document statistics_state(const Document& pass, const Problem& problem, Task& task) {
  const Vector widths_y = table_passes::widths_of(pass, "widths_y", table_passes::any_size);
  const WidthGroup widths{table_passes::width_of(pass, "width_x"), {widths_y.begin(), widths_y.end()}};
  const Statistics sums = InMemory(problem, false, 1).statistics(widths, task, task.threads());
  const auto folds = static_cast<std::size_t>(problem.folds());
  return state_of({{"gram", table_passes::side_by_side(sums.gram, folds)},
                   {"target", table_passes::side_by_side(sums.target, folds)},
                   {"weight", Vector(Eigen::Map<const Vector>(sums.weight.data(), std::ssize(sums.weight)))}});
}

/// A score that is no number counts as failed: sums of a document are finite.
Document scores_state(const Document& pass, const Problem& problem, Task& task) {
  const Index b = problem.centers_y.cols();
  const Index folds = problem.scored_folds();
  const bool squared = problem.scoring == Scoring::squared;
  Index columns = table_passes::any_size;  // of the first width those that there are, of others as many
  std::vector<ScoringWidth> widths;
  for (const Document& own : pass.at("widths").as_array()) {
    ScoringWidth& width = widths.emplace_back();
    width.width = table_passes::width_of(own, "width");
    width.log_mass = own.at("log_mass").as_number();
    const Matrix& alpha = table_passes::matrix_of(own, "alpha", b, columns);
    columns = alpha.cols();
    if (folds < 1 || columns % folds != 0) {
      throw FormatError(message("a pass over the rows: 'alpha' has ", columns, " columns for ", folds, " folds"));
    }
    width.alpha = table_passes::apart(alpha, folds);
    if (!squared) continue;
    width.overlap_factor = table_passes::matrix_of(own, "overlap_factor", b, table_passes::any_size);
    if (problem.defensive.weight > 0) width.defensive_overlap = table_passes::vector_of(own, "defensive_overlap", b);
  }
  if (widths.empty()) throw FormatError("a pass over the rows: no 'widths', expected one at least");
  const std::vector<Matrix> found =
      InMemory(problem, false, 1).scores(table_passes::width_of(pass, "width_x"), widths, task, task.threads());
  Matrix scores = table_passes::side_by_side(found, found.size());
  const Matrix failed = scores.unaryExpr([](double score) { return std::isfinite(score) ? 0.0 : 1.0; });
  scores = (failed.array() > 0).select(0.0, scores);
  return state_of({{"scores", std::move(scores)}, {"failed", failed}});
}

class InTable final : public Passes {
 public:
  explicit InTable(const Problem& problem) : problem_(problem) {}

  Statistics statistics(const WidthGroup& widths, Task& task, int) const override {
    const Document state = total(statistics_pass(problem_, widths), task);
    const Document& sums = state.at("sum");
    const Index b = problem_.centers_y.cols();
    const Index folds = problem_.folds();
    Statistics out{table_passes::apart(table_passes::matrix_of(sums, "gram", b, b * folds), folds),
                   table_passes::apart(table_passes::matrix_of(sums, "target", b, std::ssize(widths.y) * folds), folds),
                   {}};
    out.gram.emplace_back(Matrix::Zero(b, b));  // of unlabelled rows
    const Vector weight = table_passes::vector_of(sums, "weight", folds);
    out.weight.assign(weight.begin(), weight.end());
    return out;
  }

  std::vector<Matrix> scores(double width_x, const std::vector<ScoringWidth>& widths, Task& task, int) const override {
    Document pass = pass_of(problem_, "scores");
    pass.set("width_x", width_x);
    Document::Array own;
    for (const ScoringWidth& width : widths) {
      own.emplace_back(Document::Object{{"width", width.width},
                                        {"log_mass", width.log_mass},
                                        {"alpha", table_passes::side_by_side(width.alpha, width.alpha.size())},
                                        {"overlap_factor", width.overlap_factor},
                                        {"defensive_overlap", width.defensive_overlap}});
    }
    pass.set("widths", std::move(own));
    const Document state = total(pass, task);
    const Document& sums = state.at("sum");
    const Index lambdas = widths.front().alpha.front().cols();
    const Index folds = problem_.scored_folds();
    const auto part = [&](std::string_view name) -> const Matrix& {
      return table_passes::matrix_of(sums, name, lambdas, std::ssize(widths) * folds);
    };
    const Matrix scores = (part("failed").array() > 0).select(infinity, part("scores"));
    return table_passes::apart(scores, folds);
  }

 private:
  Document total(const Document& pass, Task& task) const {
    task.poll();
    Document out = problem_.elsewhere->table->total(pass);
    task.advance(1.0);
    task.poll();
    return out;
  }

  const Problem& problem_;
};

}  // namespace

std::unique_ptr<const Passes> passes_over(const Problem& problem, bool several, int threads) {
  if (problem.elsewhere) return std::make_unique<InTable>(problem);
  return std::make_unique<InMemory>(problem, several, threads);
}

Document statistics_pass(const Problem& problem, const WidthGroup& widths) {
  Document out = pass_of(problem, "statistics");
  out.set("width_x", widths.x);
  return out.set("widths_y", Vector(Eigen::Map<const Vector>(widths.y.data(), std::ssize(widths.y))));
}

double work_of_pass(const Problem& problem) {
  return problem.elsewhere ? 1.0 : static_cast<double>(cut_into_blocks(problem).size());
}

Document accumulate(const Document& pass, const Dataset& block, Index first_row, const Run& run) {
  const Problem problem = problem_of(pass, block, first_row);
  Task task(run, "a block", work_of_pass(problem));
  return pass.at("step").as_string() == "statistics" ? statistics_state(pass, problem, task)
                                                     : scores_state(pass, problem, task);
}

}  // namespace condens::lscde
