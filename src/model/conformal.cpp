#include "condens/model/conformal.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"

namespace condens {

namespace {

constexpr double rounding = 1e-9;  // 0.9 * 10 is 9; and a value with a probability of its own is to be inside

bool are_scores(const Vector& scores) {
  return scores.size() > 0 && (scores.array() >= 0.0).all() && (scores.array() <= 1.0).all();
}

bool are_below(const std::vector<Index>& numbers, Index end) {
  return std::all_of(numbers.begin(), numbers.end(), [&](Index number) { return number >= 0 && number < end; });
}

void check_level(double level) {
  require(level > 0.0 && level < 1.0, "Conformal: level = ", level, ", expected a probability in (0, 1)");
}

/// What must hold of rows, models and groups; empty where it does.
std::string problem_of(const ScoredRows& rows, Index n_models, const std::optional<RowGroups>& groups) {
  const Index n = rows.central.size();
  if (!are_scores(rows.central) || !are_scores(rows.highest) || n != rows.highest.size()) {
    return message(n, " and ", rows.highest.size(), " scores, expected as many of both, at least one, in [0, 1]");
  }
  const auto fits = [&](const std::vector<Index>& numbers, Index end) {
    return std::ssize(numbers) == n && are_below(numbers, end);
  };
  if (!rows.rows.empty() && !fits(rows.rows, std::numeric_limits<Index>::max())) return "the rows' numbers do not fit";
  if (n_models == 0 ? !rows.folds.empty() : !fits(rows.folds, n_models)) return "the folds do not fit their models";
  if (groups ? !fits(rows.groups, groups->size()) : !rows.groups.empty()) return "the rows do not fit the groups";
  if (rows.x.size() > 0 && rows.x.cols() != n) return "the inputs are not those of the rows";
  return "";
}

double mass_of(const Vector& ascending, double level) {
  const double rank = std::ceil(level * static_cast<double>(ascending.size() + 1) - rounding);
  if (rank > static_cast<double>(ascending.size())) return 1.0;
  return std::min(1.0, ascending[static_cast<Index>(std::max(rank, 1.0)) - 1] + rounding);
}

/// Scores ascending, and the sums of weights up to each.
struct WeightedScores {
  Vector scores;
  Vector sums;

  double mass(double level, double own) const {
    const double all = sums.size() == 0 ? own : sums[sums.size() - 1] + own;
    const auto at = std::lower_bound(sums.begin(), sums.end(), level * all * (1.0 - rounding)) - sums.begin();
    return at == sums.size() || all == 0.0 ? 1.0 : std::min(1.0, scores[at] + rounding);
  }
};

WeightedScores weigh(const Vector& scores, const Vector& weights, const std::vector<Index>& rows) {
  std::vector<Index> order = rows;
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return scores[a] < scores[b]; });
  WeightedScores out{scores(order), weights(order)};
  std::partial_sum(out.sums.begin(), out.sums.end(), out.sums.begin());
  return out;
}

std::vector<Index> numbers_of(const Document* document) {
  std::vector<Index> out;
  if (document == nullptr) return out;
  for (const double value : document->as_vector()) {
    const bool is_whole = value >= 0 && value < 1e15 && value == std::floor(value);
    if (!is_whole) {
      throw FormatError(message("calibration rows: ", value, " is no whole number >= 0"));
    }
    out.push_back(static_cast<Index>(value));
  }
  return out;
}

Document of_numbers(const std::vector<Index>& numbers) {
  Vector out(std::ssize(numbers));
  for (Index i = 0; i < out.size(); ++i) out[i] = static_cast<double>(numbers[static_cast<std::size_t>(i)]);
  return out;
}

}  // namespace

Conformal::Conformal(Vector central, Vector highest)
    : Conformal(ScoredRows{.central = std::move(central), .highest = std::move(highest)}) {}

Conformal::Conformal(ScoredRows rows, std::vector<FoldModel> models, std::optional<RowGroups> groups)
    : scored_(std::move(rows)), models_(std::move(models)), groups_(std::move(groups)) {
  const std::string problem = problem_of(scored_, std::ssize(models_), groups_);
  require(problem.empty(), "Conformal: ", problem);
  sort_into_cells();
}

void Conformal::sort_into_cells() {
  const auto sorted = [&](const std::vector<Index>& rows) {
    Cell out{scored_.central(rows), scored_.highest(rows)};
    std::sort(out.central.begin(), out.central.end());
    std::sort(out.highest.begin(), out.highest.end());
    return out;
  };
  std::vector<std::vector<Index>> members(static_cast<std::size_t>(n_groups() * n_folds()));
  std::vector<std::vector<Index>> together(static_cast<std::size_t>(n_groups()));
  for (Index i = 0; i < n_rows(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const Index group = groups_ ? scored_.groups[at] : 0;
    const Index fold = is_split() ? 0 : scored_.folds[at];
    members[static_cast<std::size_t>(group * n_folds() + fold)].push_back(i);
    together[static_cast<std::size_t>(group)].push_back(i);
  }
  for (const auto& rows : members) cells_.push_back(sorted(rows));
  for (const auto& rows : together) pooled_.push_back(sorted(rows));
}

Index Conformal::n_rows_of_group(Index group) const {
  require(group >= 0 && group < n_groups(), "Conformal: group ", group, ", expected 0 to ", n_groups() - 1);
  return pooled_[static_cast<std::size_t>(group)].central.size();
}

double Conformal::mass(RegionKind kind, double level, Index group) const {
  check_level(level);
  n_rows_of_group(group);  // refuses one that there is not
  return mass_of(pooled_[static_cast<std::size_t>(group)].of(kind), level);
}

double Conformal::only_mass(RegionKind kind, double level) const {
  require(is_split() && !groups_, "Conformal: the intervals are by ", is_split() ? "groups" : "folds",
          ", of which each has a mass of its own: expected a model with rows left out and without groups");
  return mass(kind, level);
}

std::vector<Index> Conformal::groups_of(const MatrixView& x) const {
  return groups_ ? groups_->groups_of(x) : std::vector<Index>(static_cast<std::size_t>(x.cols()), 0);
}

Vector Conformal::masses(RegionKind kind, double level, const MatrixView& x,
                         const std::optional<ShiftWeights>& shift) const {
  check_level(level);
  require(is_split(), "Conformal: weights for covariate shift of intervals by ", n_folds(),
          " folds, expected those by rows left out: conformal without a method");
  const std::vector<Index> group = groups_of(x);
  Vector out(x.cols());
  if (!shift) {
    for (Index i = 0; i < x.cols(); ++i) out[i] = mass(kind, level, group[static_cast<std::size_t>(i)]);
    return out;
  }
  const auto check = [](const char* name, const Vector& weights, Index count) {
    require(weights.size() == count, "weights: ", weights.size(), " of ", name, " rows, expected ", count);
    for (Index i = 0; i < count; ++i) {
      require(std::isfinite(weights[i]) && weights[i] >= 0, "weights: ", weights[i], " of ", name, " row ", i + 1,
              " (counting from 1), expected a number >= 0");
    }
  };
  check("calibration", shift->calibration, n_rows());
  check("new", shift->rows, x.cols());
  const Vector& scores = kind == RegionKind::central ? scored_.central : scored_.highest;
  std::vector<std::vector<Index>> members(static_cast<std::size_t>(n_groups()));
  for (Index i = 0; i < n_rows(); ++i) {
    members[static_cast<std::size_t>(groups_ ? scored_.groups[static_cast<std::size_t>(i)] : 0)].push_back(i);
  }
  std::vector<WeightedScores> weighted;
  for (const auto& rows : members) weighted.push_back(weigh(scores, shift->calibration, rows));
  for (Index i = 0; i < x.cols(); ++i) {
    out[i] = weighted[static_cast<std::size_t>(group[static_cast<std::size_t>(i)])].mass(level, shift->rows[i]);
  }
  return out;
}

Document Conformal::to_document(const SaveFold& save) const {
  Document out(Document::Object{{"central", scored_.central}, {"highest", scored_.highest}});
  if (!scored_.rows.empty()) out.set("rows", of_numbers(scored_.rows));
  if (scored_.of > 0) out.set("of", scored_.of);
  if (scored_.x.size() > 0) {  // files hold finite numbers only
    std::vector<Index> missing;
    for (Index k = 0; k < scored_.x.size(); ++k) {
      if (std::isnan(scored_.x.reshaped()[k])) missing.push_back(k);
    }
    out.set("x", Matrix(scored_.x.array().isNaN().select(0.0, scored_.x)));
    if (!missing.empty()) out.set("missing_x", of_numbers(missing));
  }
  if (!scored_.folds.empty()) out.set("folds", of_numbers(scored_.folds));
  if (groups_) out.set("group_of_rows", of_numbers(scored_.groups)).set("groups", groups_->to_document());
  if (is_split() || !save) return out;
  Document::Array models;
  for (const FoldModel& own : models_) models.push_back(save(own));
  return out.set("models", std::move(models));
}

Conformal Conformal::from_document(const Document& document, Index n_inputs, const LoadFold& load) {
  ScoredRows rows{.central = document.at("central").as_vector(),
                  .highest = document.at("highest").as_vector(),
                  .rows = numbers_of(document.find("rows")),
                  .folds = numbers_of(document.find("folds")),
                  .groups = numbers_of(document.find("group_of_rows"))};
  if (!are_scores(rows.central) || !are_scores(rows.highest) || rows.central.size() != rows.highest.size()) {
    throw FormatError("the scores of the calibration rows are not as many numbers in [0, 1] of both kinds");
  }
  if (const Document* of = document.find("of")) rows.of = of->as_integer();
  if (const Document* x = document.find("x")) rows.x = x->as_matrix();
  if (rows.x.size() > 0 && rows.x.rows() != n_inputs) {
    throw FormatError(message("calibration rows of ", rows.x.rows(), " inputs, the density has ", n_inputs));
  }
  for (const Index k : numbers_of(document.find("missing_x"))) {
    if (k >= rows.x.size()) throw FormatError(message("calibration rows: input ", k, " of ", rows.x.size()));
    rows.x.reshaped()[k] = std::numeric_limits<double>::quiet_NaN();
  }
  std::optional<RowGroups> groups;
  if (const Document* own = document.find("groups")) groups = RowGroups::from_document(*own, n_inputs);
  std::vector<FoldModel> models;
  if (const Document* own = document.find("models")) {
    for (const Document& each : own->as_array()) models.push_back(load(each));
  }
  const std::string problem = problem_of(rows, std::ssize(models), groups);
  if (!problem.empty()) throw FormatError("calibration rows: " + problem);
  return Conformal(std::move(rows), std::move(models), std::move(groups));
}

Vector central_scores(const VectorView& at_most, const VectorView& at_least) {
  return (1.0 - 2.0 * at_most.array().min(at_least.array())).max(0.0).min(1.0);
}

ScoredRows score_rows(const ConditionalDensity& density, const std::optional<TargetDecoder>& target,
                      const Dataset& rows, const Run& run) {
  constexpr Index rows_scored_together = 1024;
  ScoredRows out{.central = Vector(rows.size()), .highest = Vector(rows.size())};
  Task task(run, "calibrating", static_cast<double>(rows.size()));
  for (Index block = 0; block < block_count(rows.size(), rows_scored_together); ++block) {
    const Range range = block_range(rows.size(), rows_scored_together, block);
    const Run here{.threads = run.threads, .observer = {}};
    const auto x = rows.x.middleCols(range.begin, range.size());
    const Vector y = rows.y.row(0).segment(range.begin, range.size()).transpose();
    if (target) {
      const TargetDistributions laws = target->predict(density, x, here);
      const Vector at_least = 1.0 - laws.cdf_below(y, here).array();
      out.central.segment(range.begin, range.size()) = central_scores(laws.cdf(y, here), at_least);
      out.highest.segment(range.begin, range.size()) = laws.highest_density_mass(y, here).cwiseMin(1.0);
    } else {
      const GaussianMixtures laws = density.predict(x, here);
      out.central.segment(range.begin, range.size()) = central_scores(laws.cdf(y, here), laws.sf(y, here));
      out.highest.segment(range.begin, range.size()) = laws.highest_density_mass(y, here).cwiseMin(1.0);
    }
    task.advance(static_cast<double>(range.size()));
    task.poll();
  }
  return out;
}

}  // namespace condens
