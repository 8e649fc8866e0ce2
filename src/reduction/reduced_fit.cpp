#include "reduced_fit.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

#include "../models/preparation.hpp"
#include "condens/core/errors.hpp"
#include "condens/models/projected_density.hpp"

namespace condens::reduction {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The candidates, rising, those of d_x and more as one.
std::vector<Index> candidates_of(const Settings& settings, Index d_x) {
  std::vector<Index> out;
  for (const double value : settings.n_components) {
    require(value >= 1 && value == std::floor(value) && value < 1e9, settings.owner, ": n_components = ", value,
            ", expected whole numbers >= 1");
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

Bases bases_of(const Dataset& data, const Settings& settings, const std::vector<Index>& dimensions,
               const FindBases& find, const Run& run) {
  const Index d_x = data.x.rows();
  std::vector<Index> fewer = dimensions;
  if (fewer.back() == d_x) fewer.pop_back();
  Bases out;
  out.scale = Standardizer::identity(d_x);
  if (!fewer.empty()) {
    const preparation::Standardized standardized = preparation::standardize(settings.owner, data, settings.standardize);
    out.scale = standardized.x;
    out.components = find(standardized.data, fewer, run);
  } else if (settings.standardize && d_x > 0) {
    out.scale = Standardizer::fit(data.x, data.weights);
  }
  if (std::ssize(fewer) < std::ssize(dimensions)) out.components.emplace_back(Matrix::Identity(d_x, d_x));
  return out;
}

/// Rows that span what the rows of `components`, of another scale, span on this one.
Matrix on_scale(const Matrix& components, const Standardizer& own, const Standardizer& scale) {
  Matrix moved = components;
  for (Index j = 0; j < moved.cols(); ++j) moved.col(j) *= own.is_constant(j) ? 0.0 : scale.scale()[j] / own.scale()[j];
  const Eigen::HouseholderQR<Matrix> qr(moved.transpose());
  return (qr.householderQ() * Matrix::Identity(moved.cols(), moved.rows())).transpose();
}

/// The root mean square of the sines of the angles between two subspaces: 0 where they are one,
/// 1 where they are at right angles.
double distance(const Matrix& a, const Matrix& b) {
  const Index most = std::max(a.rows(), b.rows());
  if (most == 0) return 0.0;
  return std::sqrt(std::max(0.0, 1.0 - (a * b.transpose()).squaredNorm() / static_cast<double>(most)));
}

struct Dimension {
  Index n_components;
  double score;
  double standard_error;
  double subspace_change;  ///< mean over folds of the distance from the subspace of all rows
};

/// Fits for every fold and candidate, side by side.
class Choice {
 public:
  Choice(const Dataset& data, const Settings& settings, const InnerFits& fits, const FindBases& find,
         std::vector<Index> dimensions, const Run& run)
      : data_(data), settings_(settings), fits_(fits), find_(find), dimensions_(std::move(dimensions)), run_(run) {
    if (!chooses()) return;
    const std::vector<Index> fold = preparation::folds_of(settings.cv, data, settings.seed);
    Dataset storage;
    const Dataset& rows = rows_that_count(data, storage);
    const Index folds = *std::max_element(fold.begin(), fold.end()) + 1;
    for (Index k = 0; k < folds; ++k) folds_.push_back(preparation::without_fold(rows, fold, k));
  }

  bool chooses() const { return dimensions_.size() > 1; }
  double work() const { return static_cast<double>(folds_.size() * (1 + dimensions_.size()) + 2); }

  /// The directions of all rows, first, and of all but each fold.
  std::vector<Bases> bases(Task& task) const {
    std::vector<Bases> out(1 + folds_.size());
    fit_side_by_side(std::ssize(out), run_, task, [&](Index k, const Run& own) {
      const Dataset& rows = k == 0 ? data_ : folds_[static_cast<std::size_t>(k - 1)].train;
      out[static_cast<std::size_t>(k)] = bases_of(rows, settings_, dimensions_, find_, own);
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
      change(k, d) = distance(on_scale(components, fold.scale, bases.front().scale),
                              bases.front().components[static_cast<std::size_t>(d)]);
    });
    std::vector<Dimension> out;
    for (Index d = 0; d < count; ++d) {
      const bool any = score.col(d).allFinite();
      const FoldScore own = any ? fold_score(score.col(d)) : FoldScore{infinity, 0.0};
      out.push_back({dimensions_[static_cast<std::size_t>(d)], own.mean, own.standard_error, change.col(d).mean()});
    }
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
  const FindBases& find_;
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

Document dimensions_to_document(const std::vector<Dimension>& dimensions) {
  const auto column = [&](const auto& value) { return preparation::column(dimensions, value); };
  return Document::Object{
      {"n_components", column([](const Dimension& d) { return static_cast<double>(d.n_components); })},
      {"score", column([](const Dimension& d) { return d.score; })},
      {"standard_error", column([](const Dimension& d) { return d.standard_error; })},
      {"subspace_change", column([](const Dimension& d) { return d.subspace_change; })}};
}

void warn(Index wanted, Index most, Index d_x, bool chose, Reduction& out) {
  const Index found = out.components.rows();
  if (d_x > 0 && wanted == d_x) {
    out.warnings.push_back(message("n_components = ", d_x, ", as many as inputs: nothing is reduced, the inner model ",
                                   "sees all of them"));
  } else if (found < wanted) {
    out.warnings.push_back(message("n_components = ", wanted, ", of which only ", found, " can be found"));
  } else if (chose && wanted == most) {
    out.warnings.push_back(
        message("the chosen n_components ", wanted, " is the largest candidate; a wider list may score better"));
  }
}

}  // namespace

Reduction fit(const Dataset& data, const Settings& settings, const InnerModel& inner, const FindBases& find,
              const Run& run) {
  const std::string_view owner = settings.owner;
  data.check(owner);
  require(!settings.cv.empty(), owner, ": cv is empty, expected a number of folds or the fold of every row");
  preparation::standardize(owner, data, false);  // refuses a constant target
  const Index d_x = data.x.rows();
  const std::vector<Index> dimensions = candidates_of(settings, d_x);
  const InnerFits fits(owner, inner, settings.options, settings.scoring, settings.seed, data);
  const Choice choice(data, settings, fits, find, dimensions, run);
  Task task(run, "finding directions", choice.work());
  std::vector<Bases> bases = choice.bases(task);

  Reduction out{.components = {}, .scale = bases.front().scale, .inner = nullptr, .warnings = {}, .details = {}};
  std::size_t place = 0;
  if (choice.chooses()) {
    const std::vector<Dimension> scored = choice.scores(bases, task);
    place = chosen(scored, settings);
    out.details.set("dimensions", dimensions_to_document(scored));
    out.details.set("score", scored[place].score).set("score_standard_error", scored[place].standard_error);
  }
  out.components = std::move(bases.front().components[place]);
  out.details.set("n_components", static_cast<std::int64_t>(out.components.rows()));
  warn(dimensions[place], dimensions.back(), d_x, choice.chooses(), out);
  fit_side_by_side(1, run, task, [&](Index, const Run& own) {
    out.inner = choice.fit(data, out.components, out.scale, settings.cv, own);
  });
  return out;
}

FitReport with_reduction(FitReport report, const Reduction& reduction) {
  report.warnings.insert(report.warnings.end(), reduction.warnings.begin(), reduction.warnings.end());
  // The inner model's own score is of directions that have seen the rows it scores.
  Document details(Document::Object{});
  for (const auto& [name, value] : report.details.as_object()) {
    if (name != "score" && name != "score_standard_error") details.set(name, value);
  }
  for (const auto& [name, value] : reduction.details.as_object()) details.set(name, value);
  report.details = std::move(details);
  return report;
}

}  // namespace condens::reduction
