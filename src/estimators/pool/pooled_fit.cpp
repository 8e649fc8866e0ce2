#include "pooled_fit.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <mutex>

#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "condens/data/folds.hpp"
#include "condens/kernels/centers.hpp"
#include "core/flush_subnormals.hpp"
#include "linalg/log_sum_exp.hpp"
#include "model/inner_fits.hpp"
#include "model/input_gain.hpp"
#include "model/preparation.hpp"
#include "optim/mixture_proportions.hpp"

namespace condens::pooling {

namespace {

using preparation::HeldOut;

/// A member, with what the user set for it.
struct Candidate {
  std::string name;
  InnerModel inner;
  Document options;

  std::shared_ptr<const ConditionalDensity> model = {};
  std::vector<std::string> failures = {};  // of every fold and of all rows; empty: none
  Vector held_out = {};                    // log density of every row by the fit without its fold
  Vector held_out_average = {};            // the same of the average of its laws, for some rows

  std::string failure() const {
    const auto found = std::find_if(failures.begin(), failures.end(), [](const auto& text) { return !text.empty(); });
    return found == failures.end() ? "" : *found;
  }
};

std::vector<Candidate> candidates_of(const Settings& settings, const MemberFinder& find) {
  require(!settings.models.empty(), settings.owner, ": models is empty, expected the name of at least one model");
  for (const auto& [name, values] : settings.options.as_object()) {
    const bool known = std::find(settings.models.begin(), settings.models.end(), name) != settings.models.end();
    require(known, settings.owner, ": options has '", name, "', expected the name of one of the models");
  }
  std::vector<Candidate> out;
  for (const std::string& name : settings.models) {
    const bool twice = std::any_of(out.begin(), out.end(), [&](const Candidate& other) { return other.name == name; });
    require(!twice, settings.owner, ": models has '", name, "' twice, expected different ones");
    Candidate own{.name = name, .inner = find(name), .options = Document(Document::Object{})};
    for (const OptionInfo& option : own.inner.options) {
      if (option.name == "seed") own.options.set("seed", settings.seed);
    }
    if (const Document* given = settings.options.find(name)) {
      require(std::holds_alternative<Document::Object>(given->value()), settings.owner, ": options of ", name, " is ",
              given->kind(), ", expected options with their values");
      check_options(message(settings.owner, ": ", name), own.inner.options, *given);
      for (const auto& [option, value] : given->as_object()) own.options.set(option, value);
    }
    out.push_back(std::move(own));
  }
  return out;
}

/// The fold of every row that counts. Copies of a row leave together: a model that remembers rows
/// would be scored on what it has seen.
std::vector<Index> folds_of(const Settings& settings, const Dataset& data, const Dataset& rows) {
  if (settings.cv.size() > 1) return preparation::folds_of(settings.cv, data, settings.seed);
  Matrix points(rows.x.rows() + rows.y.rows(), rows.size());
  points.topRows(rows.x.rows()) = rows.x;
  points.bottomRows(rows.y.rows()) = rows.y;
  std::vector<Index> number(static_cast<std::size_t>(rows.size()));
  const std::vector<Index> sorted = sorted_columns(points);
  Index distinct = 0;
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    if (k > 0 && points.col(sorted[k]) != points.col(sorted[k - 1])) ++distinct;
    number[static_cast<std::size_t>(sorted[k])] = distinct;
  }
  const auto folds = static_cast<Index>(preparation::at_most_rows(settings.cv, distinct + 1).front());
  const std::vector<Index> fold = assign_folds(distinct + 1, folds, static_cast<std::uint64_t>(settings.seed));
  for (Index& own : number) own = fold[static_cast<std::size_t>(own)];
  return number;
}

/// The names of the members whose fits are under way, for who watches.
class UnderWay {
 public:
  void begin(const std::string& name) {
    const std::scoped_lock lock(mutex_);
    names_.push_back(name);
  }
  void end(const std::string& name) {
    const std::scoped_lock lock(mutex_);
    names_.erase(std::find(names_.begin(), names_.end(), name));
  }
  std::string text() {
    const std::scoped_lock lock(mutex_);
    std::string out = "fitting the members";
    for (std::size_t i = 0; i < names_.size(); ++i) out += (i == 0 ? ": " : ", ") + names_[i];
    return out;
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> names_;
};

/// Fits a member to the rows without fold k, and scores it on those of the fold; `told` are those whose gain by the
/// inputs is to be known, too.
void fit_without_fold(Candidate& candidate, const Dataset& rows, const std::vector<Index>& fold, Index k,
                      const std::vector<Index>& rows_of_fold, const std::vector<bool>& told, const Run& run) {
  const HeldOut held_out = preparation::without_fold(rows, fold, k);
  const auto model = candidate.inner.fit(held_out.train, candidate.options, run);
  const Vector found = model->log_density(held_out.test.x.topRows(model->n_inputs()), held_out.test.y, run);
  if (found.hasNaN() || found.maxCoeff() == infinity) throw NumericalError("it has no density at a row left out");
  candidate.held_out(rows_of_fold) = found;
  candidate.held_out_average(rows_of_fold) = found;
  if (model->n_inputs() == 0) return;
  std::vector<Index> some;
  std::copy_if(rows_of_fold.begin(), rows_of_fold.end(), std::back_inserter(some),
               [&](Index i) { return told[static_cast<std::size_t>(i)]; });
  if (some.empty()) return;
  candidate.held_out_average(some) = log_average_density(*model, held_out.train, rows.y(Eigen::all, some), run);
}

/// Fits every member to all rows, which takes longest, and to those without each fold.
void fit_all(std::vector<Candidate>& candidates, const Dataset& rows, const std::vector<Index>& fold,
             const std::vector<bool>& told, const Run& run) {
  const Index folds = *std::max_element(fold.begin(), fold.end()) + 1;
  const Index m = std::ssize(candidates);
  std::vector<std::vector<Index>> rows_of(static_cast<std::size_t>(folds));
  for (std::size_t i = 0; i < fold.size(); ++i) {
    rows_of[static_cast<std::size_t>(fold[i])].push_back(static_cast<Index>(i));
  }
  for (Candidate& candidate : candidates) {
    candidate.failures.resize(static_cast<std::size_t>(folds) + 1);
    candidate.held_out.resize(rows.size());
    candidate.held_out_average.resize(rows.size());
  }
  UnderWay under_way;
  const auto watch = [&](std::string_view, double fraction) { return run.observer(under_way.text(), fraction); };
  const Run named{.threads = run.threads, .observer = run.observer ? Observer(watch) : Observer{}};
  Task task(named, "fitting the members", static_cast<double>(m * (folds + 1)));
  fit_side_by_side(m * (folds + 1), named, task, [&](Index i, const Run& own) {
    Candidate& candidate = candidates[static_cast<std::size_t>(i % m)];
    const Index without = i / m - 1;  // -1: no fold
    const auto k = static_cast<std::size_t>(without < 0 ? folds : without);
    under_way.begin(candidate.name);
    try {
      if (without < 0) {
        candidate.model = candidate.inner.fit(rows, candidate.options, own);
      } else {
        fit_without_fold(candidate, rows, fold, without, rows_of[k], told, own);
      }
    } catch (const std::invalid_argument& error) {
      candidate.failures[k] = error.what();
    } catch (const NumericalError& error) {
      candidate.failures[k] = error.what();
    }
    under_way.end(candidate.name);
  });
}

/// Those that could be fitted; the report says which were not.
std::vector<Candidate> fitted(std::vector<Candidate> candidates, const Settings& settings, FitReport& report) {
  std::string reasons;
  std::vector<Candidate> out;
  for (Candidate& candidate : candidates) {
    const std::string failure = candidate.failure();
    if (failure.empty()) {
      out.push_back(std::move(candidate));
    } else {
      report.warnings.push_back(candidate.name + " is left out: " + failure);
      reasons += (reasons.empty() ? "" : "; ") + failure;
    }
  }
  if (out.empty()) throw NumericalError(message(settings.owner, ": no member could be fitted: ", reasons));
  return out;
}

/// The rows' weights, their folds, and the mean over folds of -log_density for y in standard deviations.
struct Scorer {
  Vector weights;
  std::vector<Index> fold;
  double log_scale;

  FoldScore operator()(const Vector& log_density) const {
    Vector sum = Vector::Zero(*std::max_element(fold.begin(), fold.end()) + 1);
    Vector total = sum;
    for (Index i = 0; i < log_density.size(); ++i) {
      const Index k = fold[static_cast<std::size_t>(i)];
      sum[k] -= weights[i] * (log_density[i] + log_scale);
      total[k] += weights[i];
    }
    const FoldScore out = fold_score(sum.cwiseQuotient(total));
    const bool finite = std::isfinite(out.mean) && std::isfinite(out.standard_error);
    return finite ? out : FoldScore{std::numeric_limits<double>::max(), 0.0};
  }
};

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

/// The held-out log density of the pool, its weights found without the fold, too; and of its average law.
struct CrossFitted {
  Vector log_density;
  Vector log_average;
};

CrossFitted cross_fitted(const Matrix& log_density, const Matrix& log_average, const Scorer& scorer, Index members,
                         double each) {
  const std::vector<Index>& fold = scorer.fold;
  CrossFitted out{Vector(log_density.cols()), Vector(log_density.cols())};
  for (Index k = 0; k <= *std::max_element(fold.begin(), fold.end()); ++k) {
    std::vector<Index> train;
    std::vector<Index> test;
    for (Index i = 0; i < log_density.cols(); ++i) {
      (fold[static_cast<std::size_t>(i)] == k ? test : train).push_back(i);
    }
    const Vector w = weights_of(log_density(Eigen::all, train), scorer.weights(train), members, each).weights;
    out.log_density(test) = log_mixture(log_density(Eigen::all, test), w);
    out.log_average(test) = log_mixture(log_average(Eigen::all, test), w);
  }
  return out;
}

/// The columns that weights are sought for: (1 - e) p_m + e p_0, the members with the least share of the
/// broad Gaussian, and p_0 itself, last. Without such a share, the members.
Matrix defended(const std::vector<Candidate>& candidates, Vector Candidate::*of_rows, const Defensive& defensive,
                const MatrixView& y) {
  const Index m = std::ssize(candidates);
  const bool broad = defensive.weight > 0;
  Matrix out(m + (broad ? 1 : 0), y.cols());
  for (Index k = 0; k < m; ++k) out.row(k) = (candidates[static_cast<std::size_t>(k)].*of_rows).transpose();
  if (!broad) return out;
  out.row(m) = defensive.log_density(y).transpose();
  for (Index i = 0; i < y.cols(); ++i) {
    for (Index k = 0; k < m; ++k) out(k, i) = defensive.log_mixed(out(k, i), out(m, i));
  }
  return out;
}

/// At most 1,000 rows, drawn at random.
std::vector<bool> some_of(Index n, Index seed) {
  constexpr Index most = 1000;
  std::vector<bool> out(static_cast<std::size_t>(n), n <= most);
  if (n <= most) return out;
  const std::vector<Index> rows = RandomStream(static_cast<std::uint64_t>(seed), 17).permutation(n);
  for (Index k = 0; k < most; ++k) out[static_cast<std::size_t>(rows[static_cast<std::size_t>(k)])] = true;
  return out;
}

/// What the inputs are worth to the pool on rows left out.
void report_gain(const CrossFitted& found, const Vector& weights, const std::vector<bool>& told, FitReport& report) {
  std::vector<Index> rows;
  for (std::size_t i = 0; i < told.size(); ++i) {
    if (told[i]) rows.push_back(static_cast<Index>(i));
  }
  const InputGain gain = input_gain((found.log_density - found.log_average)(rows), weights(rows));
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

/// The parts of the pool, and the table of candidates, from the weights that were found.
void assemble(const std::vector<Candidate>& candidates, const Vector& found, const Matrix& log_density,
              const Scorer& scorer, Pooled& out) {
  const double least = out.parts.defensive.weight;
  Document::Array table;
  for (const Candidate& candidate : candidates) {
    const double weight = (1.0 - least) * found[std::ssize(table)];
    table.push_back(row_of(candidate.name, weight, scorer(candidate.held_out)));
    if (weight == 0) continue;
    out.parts.members.push_back({candidate.model, weight});
    add_warnings(candidate, out.report);
  }
  if (least > 0) {
    out.parts.defensive.weight += (1.0 - least) * found[std::ssize(candidates)];
    table.push_back(row_of("broad", out.parts.defensive.weight, scorer(log_density.bottomRows(1).transpose())));
  }
  out.report.details.set("members", std::move(table));
}

}  // namespace

Pooled fit(const Dataset& data, const Settings& settings, const MemberFinder& find, const Run& run) {
  data.check(settings.owner);
  require(!settings.cv.empty(), settings.owner, ": cv is empty, expected a number of folds or the fold of every row");
  require(settings.cv.size() > 1 || settings.cv.front() >= 2, settings.owner, ": cv = ", settings.cv.front(),
          ", expected at least 2 folds");
  std::vector<Candidate> candidates = candidates_of(settings, find);
  const FlushSubnormals guard;
  Dataset storage;
  const Dataset& rows = rows_that_count(data, storage);
  const Standardizer scale = preparation::standardize(settings.owner, rows, true).y;
  const Scorer scorer{.weights = rows.weights.size() > 0 ? rows.weights : Vector::Ones(rows.size()),
                      .fold = folds_of(settings, data, rows),
                      .log_scale = scale.scale().array().log().sum()};

  Pooled out{.parts = {.dimension = data.x.rows()}, .report = {}};
  preparation::warn_of_lost_weights(data, out.report);
  const std::vector<bool> told = some_of(rows.size(), settings.seed);
  fit_all(candidates, rows, scorer.fold, told, run);
  candidates = fitted(std::move(candidates), settings, out.report);
  out.parts.defensive = Defensive::fit(settings.defensive_weight, rows);
  const Matrix log_density = defended(candidates, &Candidate::held_out, out.parts.defensive, rows.y);
  const Matrix log_average = defended(candidates, &Candidate::held_out_average, out.parts.defensive, rows.y);
  const Index m = std::ssize(candidates);
  // Small weights are shares of the rows there are, others count copies.
  const double unit = scorer.weights.sum() / std::max(scorer.weights.sum(), static_cast<double>(rows.size()));
  const double each = settings.shrinkage * unit / static_cast<double>(m);
  const MixtureProportions found = weights_of(log_density, scorer.weights, m, each);
  assemble(candidates, found.weights, log_density, scorer, out);

  const CrossFitted held_out = cross_fitted(log_density, log_average, scorer, m, each);
  const FoldScore score = scorer(held_out.log_density);
  if (data.x.rows() > 0) report_gain(held_out, scorer.weights, told, out.report);
  out.report.details.set("n_rows", rows.size());
  out.report.details.set("score", score.mean).set("score_standard_error", score.standard_error);
  out.report.details.set("certificate", Document::Object{{"gap", found.gap}, {"iterations", found.iterations}});
  return out;
}

}  // namespace condens::pooling
