#include "candidates.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <mutex>

#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "condens/data/folds.hpp"
#include "condens/kernels/centers.hpp"
#include "model/input_gain.hpp"
#include "model/preparation.hpp"

namespace condens::pooling {

namespace {

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

/// At most 1,000 rows, drawn at random.
std::vector<bool> some_of(Index n, Index seed) {
  constexpr Index most = 1000;
  std::vector<bool> out(static_cast<std::size_t>(n), n <= most);
  if (n <= most) return out;
  const std::vector<Index> rows = RandomStream(static_cast<std::uint64_t>(seed), 17).permutation(n);
  for (Index k = 0; k < most; ++k) out[static_cast<std::size_t>(rows[static_cast<std::size_t>(k)])] = true;
  return out;
}

}  // namespace

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

std::vector<Index> folds_of(const std::vector<double>& cv, const Dataset& data, const Dataset& rows, Index seed) {
  if (cv.size() > 1) return preparation::folds_of(cv, data, seed);
  const auto folds = static_cast<Index>(preparation::at_most_rows(cv, rows.size()).front());
  if (rows.size() > most_rows_at_once) return assign_folds(rows.size(), folds, static_cast<std::uint64_t>(seed));
  return folds_of_copies(rows, folds, seed);
}

std::vector<Index> folds_of_copies(const Dataset& rows, Index folds, Index seed) {
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
  const auto at_most = preparation::at_most_rows({static_cast<double>(folds)}, distinct + 1).front();
  const std::vector<Index> fold =
      assign_folds(distinct + 1, static_cast<Index>(at_most), static_cast<std::uint64_t>(seed));
  for (Index& own : number) own = fold[static_cast<std::size_t>(own)];
  return number;
}

ScoringRows scoring_rows(std::string_view owner, const Dataset& rows, const Dataset& all, std::vector<Index> fold,
                         Index seed) {
  const Standardizer scale = preparation::standardize(owner, rows, true).y;
  return {.rows = rows,
          .weights = rows.weights.size() > 0 ? rows.weights : Vector::Ones(rows.size()),
          .fold = std::move(fold),
          .told = some_of(rows.size(), seed),
          .log_scale = scale.scale().array().log().sum(),
          .cells = TargetCells::of(all)};
}

FoldScore ScoringRows::score(const Vector& log_density) const {
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

Vector held_out_density(const ConditionalDensity& model, const Dataset& rows, const TargetCells& cells,
                        const Run& run) {
  Vector out = cells.log_density(model, rows, run);
  if (out.hasNaN() || out.maxCoeff() == infinity) throw NumericalError("it has no density at a row left out");
  return out;
}

Vector held_out_average(const ConditionalDensity& model, const Dataset& train, const Dataset& rows,
                        const std::vector<bool>& told, const Vector& log_density, const TargetCells& cells,
                        const Run& run) {
  Vector out = log_density;
  if (model.n_inputs() == 0) return out;
  std::vector<Index> some;
  for (Index i = 0; i < rows.size(); ++i) {
    if (told[static_cast<std::size_t>(i)]) some.push_back(i);
  }
  if (!some.empty()) out(some) = cells.log_density(average_of_some(model, train, run), rows.y(Eigen::all, some), run);
  return out;
}

void fit_members(Index count, const Run& run, const std::function<Candidate&(Index)>& candidate_of,
                 const std::function<void(Index, const Run&)>& body, Index at_once) {
  UnderWay under_way;
  const auto watch = [&](std::string_view, double fraction) { return run.observer(under_way.text(), fraction); };
  const Run named{.threads = run.threads, .observer = run.observer ? Observer(watch) : Observer{}};
  Task task(named, "fitting the members", static_cast<double>(count));
  std::vector<std::string> failures(static_cast<std::size_t>(count));
  const auto attempt = [&](Index i, const Run& own) {
    const std::string& name = candidate_of(i).name;
    std::string& failure = failures[static_cast<std::size_t>(i)];
    under_way.begin(name);
    try {
      body(i, own);
    } catch (const std::invalid_argument& error) {
      failure = error.what();
    } catch (const NumericalError& error) {
      failure = error.what();
    }
    under_way.end(name);
  };
  fit_side_by_side(count, named, task, attempt, at_once);
  for (Index i = 0; i < count; ++i) {
    Candidate& candidate = candidate_of(i);
    if (candidate.failure.empty()) candidate.failure = failures[static_cast<std::size_t>(i)];
  }
}

std::vector<Candidate> fitted(std::vector<Candidate> candidates, std::string_view owner, FitReport& report) {
  std::string reasons;
  std::vector<Candidate> out;
  for (Candidate& candidate : candidates) {
    if (candidate.failure.empty()) {
      out.push_back(std::move(candidate));
    } else {
      report.warnings.push_back(candidate.name + " is left out: " + candidate.failure);
      reasons += (reasons.empty() ? "" : "; ") + candidate.failure;
    }
  }
  if (out.empty()) throw NumericalError(message(owner, ": no member could be fitted: ", reasons));
  return out;
}

}  // namespace condens::pooling
