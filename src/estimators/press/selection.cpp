#include "selection.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "model/preparation.hpp"

namespace condens::press {

namespace {

std::vector<double> ascending(std::vector<double> values, double instead) {
  if (values.empty()) values.push_back(instead);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

struct Candidate {
  Index states;
  double ridge;
  double lasso;
  double score = 0;
  double standard_error = 0;
  Vector folds = {};  ///< score of each fold
};

std::vector<Candidate> candidates_of(const Grid& grid) {
  std::vector<Candidate> out;
  for (const double ridge : grid.ridges) {
    for (const Index states : grid.states) {
      for (const double lasso : grid.lassos) out.push_back({states, ridge, lasso});
    }
  }
  return out;
}

/// log p(y|x) of the rows `test` by a fit on `train`.
Vector held_out_log_density(const Fitted& fitted, const Dataset& train, const Dataset& test, const Setting& setting) {
  const Matrix w = fitted.map.weights(fitted.theta, train.x);
  const PressStates states = press_states(w, train.y, train.weights);
  const Matrix shifts =
      setting.options.corrected_levels ? Matrix(states.levels - states.means) : Matrix::Zero(train.y.rows(), w.rows());
  const Components components = make_components(w, train, fitted.widths, setting.rules, shifts);
  return laws_at(fitted.map.weights(fitted.theta, test.x), components.shares,
                 kernel_components(components.centers, components.widths, setting.defensive), setting.defensive)
      .log_pdf(test.y, {.threads = 1, .observer = {}});
}

/// Mean negative log density of rows held out in turn.
void score_by_folds(std::vector<Candidate>& candidates, const Grid& grid, const Dataset& rows,
                    const std::vector<Index>& fold, const Setting& setting, Task& task) {
  const Index folds = *std::max_element(fold.begin(), fold.end()) + 1;
  const Index per_fold = std::ssize(candidates);
  Matrix log_density(rows.size(), per_fold);
  const int inner = std::max(1, task.threads() / static_cast<int>(folds));
  parallel_for(
      folds, task.threads(),
      [&](Index k) {
        std::vector<Index> test_rows;
        for (Index i = 0; i < rows.size(); ++i) {
          if (fold[static_cast<std::size_t>(i)] == k) test_rows.push_back(i);
        }
        const auto [train, test] = preparation::without_fold(rows, fold, k);
        const Search search(
            train, setting.options, setting.rules, setting.defensive, inner, [&] { task.poll(); }, Precision::score);
        Index at = 0;
        for (const double ridge : grid.ridges) {
          for (Fitted& fitted : search.path(grid, ridge)) {
            search.learn_widths(fitted);
            log_density(test_rows, at++) = held_out_log_density(fitted, train, test, setting);
            task.advance(1);
          }
        }
      },
      [&] { task.poll(); });
  const Vector share = rows.weights / rows.weights.sum();
  for (Index c = 0; c < per_fold; ++c) {
    Candidate& candidate = candidates[static_cast<std::size_t>(c)];
    candidate.score = -share.dot(log_density.col(c));
    candidate.folds = preparation::means_of_folds(-log_density.col(c), rows.weights, fold);
    candidate.standard_error =
        std::sqrt((share.array() * (log_density.col(c).array() + candidate.score)).square().sum());
  }
}

void score_by_aic(std::vector<Candidate>& candidates, std::vector<Fitted>& fits, const Grid& grid, const Dataset& rows,
                  const Search& search, const Setting& setting, Task& task) {
  for (const double ridge : grid.ridges) {
    for (Fitted& fitted : search.path(grid, ridge)) {
      candidates[fits.size()].score = aic(fitted, rows, setting.options, setting.rules, setting.defensive);
      fits.push_back(std::move(fitted));
      task.advance(1);
    }
  }
}

void report_candidates(const std::vector<Candidate>& candidates, const Candidate& best, const Grid& grid,
                       FitReport& report) {
  preparation::Columns<Candidate> columns;
  if (grid.states.size() > 1) columns.emplace_back("n_states", &Candidate::states);
  if (grid.ridges.size() > 1) columns.emplace_back("regularization", &Candidate::ridge);
  if (grid.lassos.size() > 1) columns.emplace_back("lasso", &Candidate::lasso);
  preparation::report_candidates(candidates, columns, report);
  preparation::warn_at_edge(grid.ridges, best.ridge, "regularization", report);
}

/// What AIC compared, with the degrees of freedom that the paper advises to watch beside J.
void report_path(const std::vector<Fitted>& fits, const Dataset& rows, FitReport& report) {
  Matrix columns(std::ssize(fits), 4);
  for (Index k = 0; k < columns.rows(); ++k) {
    const Fitted& own = fits[static_cast<std::size_t>(k)];
    const Matrix w = own.map.weights(own.theta, rows.x);
    const PressStates states = press_states(w, rows.y, rows.weights);
    const double mse = (rows.y - states.means * w).colwise().squaredNorm().dot(rows.weights) / rows.weights.sum();
    columns.row(k) << static_cast<double>(own.map.n_states()), states.freedom(), mse,
        static_cast<double>(own.iterations);
  }
  report.details.set("path", Document::Object{{"n_states", Vector(columns.col(0))},
                                              {"degrees_of_freedom", Vector(columns.col(1))},
                                              {"mse", Vector(columns.col(2))},
                                              {"iterations", Vector(columns.col(3))}});
}

}  // namespace

Grid list_candidates(const PressOptions& options, Index n, FitReport& report) {
  Grid out{{}, ascending(options.regularization, 0), ascending(options.lasso, 0)};
  Index most = 0;
  for (const double states : ascending(options.n_states, 1)) {
    most = static_cast<Index>(states);
    if (most <= n) out.states.push_back(most);
  }
  if (most > n) {
    report.warnings.push_back(message("n_states above the ", n, " rows were not tried"));
  }
  return out;
}

Fitted choose(const Grid& grid, const Dataset& rows, const std::vector<Index>& fold, const Setting& setting,
              const Run& run, FitReport& report) {
  std::vector<Candidate> candidates = candidates_of(grid);
  const bool by_folds = candidates.size() > 1 && !fold.empty();
  Task task(run, "fitting states", static_cast<double>(candidates.size()) * (by_folds ? 6.0 : 1.0));
  const Search search(rows, setting.options, setting.rules, setting.defensive, task.threads(), [&] { task.poll(); });
  std::vector<Fitted> fits;
  if (by_folds) {
    score_by_folds(candidates, grid, rows, fold, setting, task);
  } else if (candidates.size() > 1) {
    score_by_aic(candidates, fits, grid, rows, search, setting, task);
    report_path(fits, rows, report);
  }
  const auto best = std::min_element(candidates.begin(), candidates.end(),
                                     [](const Candidate& a, const Candidate& b) { return a.score < b.score; });
  if (candidates.size() > 1) report_candidates(candidates, *best, grid, report);
  if (!fits.empty()) {
    Fitted& found = fits[static_cast<std::size_t>(best - candidates.begin())];
    search.learn_widths(found);
    return found;
  }
  Grid rest = grid;
  std::erase_if(rest.states, [&](Index states) { return states > best->states; });
  std::erase_if(rest.lassos, [&](double lasso) { return lasso > best->lasso; });
  Fitted found = search.last_of_path(rest, best->ridge);
  search.learn_widths(found);
  return found;
}

}  // namespace condens::press
