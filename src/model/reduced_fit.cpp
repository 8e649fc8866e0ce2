#include "reduced_fit.hpp"

#include <algorithm>
#include <cmath>

#include "condens/core/errors.hpp"
#include "condens/model/projected_density.hpp"
#include "condens/model/subspaces.hpp"
#include "preparation.hpp"

namespace condens::reduction {

namespace {

/// The candidates, rising, those of d_x and more as one.
std::vector<Index> candidates_of(const Settings& settings, Index d_x) {
  std::vector<Index> out;
  for (const double value : settings.n_components) {
    out.push_back(std::min(static_cast<Index>(value), d_x));
  }
  for (Index d = 1; settings.n_components.empty() && d <= std::min<Index>(5, d_x); ++d) out.push_back(d);
  if (out.empty()) out.push_back(d_x);  // no inputs
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

/// A scale and W_d for every candidate.
struct Bases {
  Standardizer scale = Standardizer::identity(0);
  std::vector<Matrix> components;
};

/// Rows as a search for directions looks at them. Copies of a row and its weight are to be the same numbers, to the
/// bit: searches amplify rounding.
preparation::Standardized rows_of_search(const Dataset& data, const Settings& settings) {
  Dataset storage;
  const Dataset rows = preparation::merge_copies(rows_that_count(data, storage));
  return preparation::standardize(settings.owner, rows, settings.standardize);
}

/// Of all rows, or where `whole` is given of those of a fold.
Bases bases_of(const Dataset& data, const Settings& settings, const std::vector<Index>& dimensions,
               const Finder& finder, const Bases* whole, const Run& run) {
  const Index d_x = data.x.rows();
  std::vector<Index> fewer = dimensions;
  if (fewer.back() == d_x) fewer.pop_back();
  Bases out;
  out.scale = Standardizer::identity(d_x);
  if (!fewer.empty()) {
    const preparation::Standardized standardized = rows_of_search(data, settings);
    out.scale = standardized.x;
    if (whole == nullptr || !finder.again) {
      out.components = finder.find(standardized.data, fewer, out.scale, run);
    } else {
      for (std::size_t d = 0; d < fewer.size(); ++d) {
        const Matrix start = components_on(whole->components[d], whole->scale, out.scale);
        out.components.push_back(finder.again(standardized.data, start, d, run));
      }
    }
  } else if (settings.standardize && d_x > 0) {
    out.scale = Standardizer::fit(data.x, data.weights);
  }
  if (std::ssize(fewer) < std::ssize(dimensions)) out.components.emplace_back(Matrix::Identity(d_x, d_x));
  return out;
}

struct Dimension {
  Index n_components;
  double score;
  double standard_error;
  Vector folds;            ///< score of each fold
  double subspace_change;  ///< mean over folds of the distance from the subspace of all rows
};

/// Fits for every fold and candidate, side by side.
class Choice {
 public:
  Choice(const Dataset& data, const Settings& settings, const InnerFits& fits, const Finder& finder,
         std::vector<Index> dimensions, const Run& run)
      : data_(data), settings_(settings), fits_(fits), finder_(finder), dimensions_(std::move(dimensions)), run_(run) {
    if (!chooses() && !settings.sparse) return;
    const std::vector<Index> fold = preparation::folds_of(settings.cv, data, settings.seed);
    Dataset storage;
    const Dataset& rows = rows_that_count(data, storage);
    const Index folds = *std::max_element(fold.begin(), fold.end()) + 1;
    for (Index k = 0; k < folds; ++k) folds_.push_back(preparation::without_fold(rows, fold, k));
  }

  bool chooses() const { return dimensions_.size() > 1; }
  double work() const {
    const std::size_t scored = chooses() ? dimensions_.size() : 0;
    const std::size_t eliminated = settings_.sparse ? 1 + folds_.size() : 0;
    return static_cast<double>(folds_.size() * (1 + scored) + eliminated + 2);
  }

  /// The directions of all rows, first, and of all but each fold.
  std::vector<Bases> bases(Task& task) const {
    std::vector<Bases> out(1 + folds_.size());
    fit_side_by_side(1, run_, task, [&](Index, const Run& own) {
      out.front() = bases_of(data_, settings_, dimensions_, finder_, nullptr, own);
    });
    fit_side_by_side(std::ssize(folds_), run_, task, [&](Index k, const Run& own) {
      const Dataset& rows = folds_[static_cast<std::size_t>(k)].train;
      out[static_cast<std::size_t>(k + 1)] = bases_of(rows, settings_, dimensions_, finder_, &out.front(), own);
    });
    return out;
  }

  std::vector<Dimension> scores(const std::vector<Bases>& bases, Task& task) const {
    const Index folds = std::ssize(folds_);
    const Index count = std::ssize(dimensions_);
    Matrix score = Matrix::Constant(folds, count, infinity);
    Matrix change(folds, count);
    fit_side_by_side(folds * count, run_, task, [&](Index i, const Run& own) {
      const Index k = i / count;
      const Index d = i % count;
      const Bases& fold = bases[static_cast<std::size_t>(k + 1)];
      const Matrix& components = fold.components[static_cast<std::size_t>(d)];
      score(k, d) = held_out(folds_[static_cast<std::size_t>(k)], components, fold.scale, own);
      change(k, d) = subspace_change(components_on(components, fold.scale, bases.front().scale),
                                     bases.front().components[static_cast<std::size_t>(d)])
                         .share;
    });
    std::vector<Dimension> out;
    for (Index d = 0; d < count; ++d) {
      const bool any = score.col(d).allFinite();
      const FoldScore own = any ? fold_score(score.col(d)) : FoldScore{infinity, 0.0};
      out.push_back(
          {dimensions_[static_cast<std::size_t>(d)], own.mean, own.standard_error, score.col(d), change.col(d).mean()});
    }
    return out;
  }

  /// The directions in this place with inputs that leave; what is known of the folds goes into it.
  Matrix eliminated(const std::vector<Bases>& bases, std::size_t place, Task& task, FitReport& report) const {
    const auto of_part = [&](Index part) -> const Dataset& {
      return part == 0 ? data_ : folds_[static_cast<std::size_t>(part - 1)].train;
    };
    const EliminationParts parts{
        .folds = std::ssize(folds_),
        .first = [&](Index part, const Run&) { return bases[static_cast<std::size_t>(part)].components[place]; },
        .search =
            [&](Index part, const std::vector<Index>& kept, const Matrix& start, const Run& own) {
              Dataset rows = rows_of_search(of_part(part), settings_).data;
              rows.x = Matrix(rows.x(kept, Eigen::all));
              rows.x_unlabeled = Matrix(0, 0);
              const Standardizer scale = Standardizer::identity(rows.x.rows());
              return finder_.again ? finder_.again(rows, start, place, own)
                                   : finder_.find(rows, {start.rows()}, scale, own).front();
            },
        .score =
            [&](Index fold, const Matrix& w, const Run& own) {
              const auto k = static_cast<std::size_t>(fold);
              return held_out(folds_[k], w, bases[k + 1].scale, own);
            }};
    Matrix out = eliminate_inputs(parts, settings_.selection_rule, run_, task, report);
    if (finder_.settle) out = finder_.settle(rows_of_search(data_, settings_).data, out, place, run_);
    return out;
  }

  std::unique_ptr<ConditionalDensity> fit(const Dataset& data, const Matrix& components, const Standardizer& scale,
                                          const std::vector<double>& cv, const Run& run) const {
    const Index d_x = data.x.rows();
    const auto move = [&](const Matrix& centers) {
      Matrix out(components.rows() + data.y.rows(), centers.cols());
      if (components.rows() > 0) out.topRows(components.rows()) = project(components, scale, centers.topRows(d_x));
      out.bottomRows(data.y.rows()) = centers.bottomRows(data.y.rows());
      return out;
    };
    return fits_.fit(project_inputs(data, components, scale), cv, move, run);
  }

 private:
  double held_out(const preparation::HeldOut& fold, const Matrix& components, const Standardizer& scale,
                  const Run& run) const {
    try {
      const auto model = fit(fold.train, components, scale, {5}, run);
      return fits_.score(*model, project_inputs(fold.test, components, scale), run);
    } catch (const NumericalError&) {
      return infinity;
    }
  }

  const Dataset& data_;
  const Settings& settings_;
  const InnerFits& fits_;
  const Finder& finder_;
  std::vector<Index> dimensions_;
  const Run& run_;
  std::vector<preparation::HeldOut> folds_ = {};
};

/// The place of the least score, or of the fewest directions within one standard error of it.
std::size_t chosen(const std::vector<Dimension>& dimensions, const Settings& settings) {
  const auto best = std::min_element(dimensions.begin(), dimensions.end(),
                                     [](const Dimension& a, const Dimension& b) { return a.score < b.score; });
  if (!std::isfinite(best->score)) {
    throw NumericalError(message(settings.owner, ": the inner model finds no density, whatever n_components"));
  }
  if (settings.selection_rule == SelectionRule::minimum) return static_cast<std::size_t>(best - dimensions.begin());
  const double most = best->score + best->standard_error;
  const auto first =
      std::find_if(dimensions.begin(), dimensions.end(), [&](const Dimension& d) { return d.score <= most; });
  return static_cast<std::size_t>(first - dimensions.begin());
}

/// What was compared, and what came of it.
void report_choice(const std::vector<Dimension>& dimensions, const Dimension& chosen, FitReport& report) {
  const auto column = [&](const auto& value) { return preparation::column(dimensions, value); };
  const Document count = column([](const Dimension& d) { return static_cast<double>(d.n_components); });
  report.details.set("candidates",
                     Document::Object{{"n_components", count},
                                      {"score", column([](const Dimension& d) { return d.score; })},
                                      {"standard_error", column([](const Dimension& d) { return d.standard_error; })}});
  preparation::report_folds(
      dimensions, [](const Dimension& d) { return d.folds; }, report);
  report.details.set("score", chosen.score).set("score_standard_error", chosen.standard_error);
  report.details.set("dimensions", Document::Object{{"n_components", count},
                                                    {"subspace_change",
                                                     column([](const Dimension& d) { return d.subspace_change; })}});
}

/// What the number of components has to say.
void warn(Index wanted, Index found, Index most, Index d_x, FitReport& report) {
  if (d_x > 0 && wanted == d_x) {
    report.warnings.push_back(message("n_components = ", d_x, ", as many as inputs: nothing is reduced, the inner ",
                                      "model sees all of them"));
  } else if (found < wanted) {
    report.warnings.push_back(message("n_components = ", wanted, ", of which only ", found, " can be found"));
  } else if (wanted == most) {
    report.warnings.push_back(
        message("the chosen n_components ", wanted, " is the largest candidate; a wider list may score better"));
  }
}

}  // namespace

Reduction fit(const Dataset& data, const Settings& settings, const InnerModel& inner, const Finder& finder,
              const Run& run) {
  const std::string_view owner = settings.owner;
  data.check(owner);
  require(!settings.cv.empty(), owner, ": cv is empty, expected a number of folds or the fold of every row");
  preparation::standardize(owner, data, false);  // refuses a constant target
  const Index d_x = data.x.rows();
  const std::vector<Index> dimensions = candidates_of(settings, d_x);
  const InnerFits fits(owner, inner, settings.options, settings.scoring, settings.seed, data);
  const Choice choice(data, settings, fits, finder, dimensions, run);
  Task task(run, "finding directions", choice.work());
  std::vector<Bases> bases = choice.bases(task);

  Reduction out{.components = {}, .scale = bases.front().scale, .inner = nullptr, .place = 0, .report = {}};
  if (choice.chooses()) {
    const std::vector<Dimension> scored = choice.scores(bases, task);
    out.place = chosen(scored, settings);
    report_choice(scored, scored[out.place], out.report);
  }
  const bool eliminates = settings.sparse && bases.front().components[out.place].rows() > 0;
  out.components = eliminates ? choice.eliminated(bases, out.place, task, out.report)
                              : std::move(bases.front().components[out.place]);
  const Index wanted = dimensions[out.place];
  const Index largest = choice.chooses() ? dimensions.back() : -1;
  out.report.details.set("n_rows", count_rows(data));
  out.report.details.set("n_components", static_cast<std::int64_t>(out.components.rows()));
  warn(wanted, out.components.rows(), largest, d_x, out.report);
  fit_side_by_side(1, run, task, [&](Index, const Run& own) {
    out.inner = choice.fit(data, out.components, out.scale, settings.cv, own);
  });
  return out;
}

FitReport with_density(FitReport reduction, const FitReport& density) {
  std::vector<std::string> warnings;
  for (const std::string& warning : density.warnings) {
    const bool own = warning.starts_with("input ") || warning.starts_with("component ");
    warnings.push_back(own ? warning : "density of the components: " + warning);
  }
  warnings.insert(warnings.end(), reduction.warnings.begin(), reduction.warnings.end());
  reduction.warnings = std::move(warnings);
  reduction.details.set("density", density.details);
  if (reduction.status == "ok") reduction.status = density.status;
  return reduction;
}

}  // namespace condens::reduction
