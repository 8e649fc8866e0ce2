#include "condens/estimators/auto.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <span>

#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "condens/data/folds.hpp"
#include "estimators/pool/pooled_fit.hpp"

namespace condens {

namespace {

constexpr std::string_view owner = AutoDensity::class_name;

Index number_of_folds(const std::vector<double>& cv) {
  if (cv.size() == 1) return static_cast<Index>(cv.front());
  return std::ssize(std::set<double>(cv.begin(), cv.end()));
}

/// factor R^power seconds, R the rows in thousands or `most`, where more rows are not read.
struct Term {
  double factor = 0;
  double power = 1;
  double most = std::numeric_limits<double>::infinity();

  double seconds(Index n) const { return factor * std::pow(std::min(static_cast<double>(n) / 1000.0, most), power); }
};

/// What one fit takes on one core, fitted to what `condens fit --threads 1` took (docs/models/auto.md).
struct Cost {
  std::string_view name;
  Term base;
  Term per_column = {};
  Term per_input = {};  // where a category is one, whatever its levels

  double seconds(const DataSize& size) const {
    return base.seconds(size.rows) + static_cast<double>(size.columns) * per_column.seconds(size.rows) +
           static_cast<double>(size.inputs) * per_input.seconds(size.rows);
  }
};

/// The most valuable first.
constexpr std::array with_inputs = {
    Cost{"forest", {0.25, 0.6}, {}, {0.06, 0.6}},          Cost{"mdn", {0.2, 1.0}, {0.01, 1.0}},
    Cost{"location_scale", {1.3, 0.65}, {0.18, 0.6, 1.6}}, Cost{"gp", {0.6, 2.3, 2.0}, {0.13, 2.3, 2.0}},
    Cost{"lscde", {0.37, 0.7}, {0.17, 1.0, 1.6}},          Cost{"nw", {0.02, 1.6}, {0.13, 1.6}},
};
constexpr std::array without_inputs = {
    Cost{"parzen", {0.1, 1.2}, {}},
    Cost{"gmm", {0.1, 1.0}, {}},
    Cost{"lscde", {0.4, 1.0}, {}},
};

std::span<const Cost> costs_of(Index d_x) {
  if (d_x == 0) return without_inputs;
  return with_inputs;
}

}  // namespace

std::vector<AutoChoice> choose_models(const DataSize& size, Index folds, double budget) {
  std::vector<AutoChoice> out;
  for (const Cost& cost : costs_of(size.columns)) {
    out.push_back({std::string(cost.name), static_cast<double>(folds + 1) * cost.seconds(size), false});
  }
  const auto less = [](const AutoChoice& a, const AutoChoice& b) { return a.seconds < b.seconds; };
  const auto cheapest = std::min_element(out.begin(), out.end(), less);
  cheapest->chosen = true;
  budget -= cheapest->seconds;
  for (AutoChoice& own : out) {
    if (own.chosen || own.seconds > budget) continue;
    own.chosen = true;
    budget -= own.seconds;
  }
  return out;
}

Index affordable_rows(const DataSize& size, Index folds, double budget) {
  constexpr Index least = 2000;
  const auto within = [&](Index rows) {
    const std::vector<AutoChoice> all = choose_models({rows, size.columns, size.inputs}, folds, budget);
    return std::any_of(all.begin(), all.end(), [&](const AutoChoice& own) { return own.seconds <= budget; });
  };
  if (size.rows <= least || within(size.rows)) return size.rows;
  Index low = least;
  Index high = size.rows;
  while (high - low > 1) {
    const Index middle = std::midpoint(low, high);
    (within(middle) ? low : high) = middle;
  }
  return low;
}

namespace {

/// Some of the rows, with their folds.
struct Share {
  Dataset data;
  std::vector<double> cv;
};

/// `count` of the rows that count, drawn at random, in their order.
Share share_of(const Dataset& data, const AutoOptions& options, Index count) {
  std::vector<Index> rows;
  const Vector weights = counted_weights(data.weights);
  for (const Index i : RandomStream(static_cast<std::uint64_t>(options.seed)).permutation(data.size())) {
    if (std::ssize(rows) < count && (weights.size() == 0 || weights[i] > 0)) rows.push_back(i);
  }
  std::sort(rows.begin(), rows.end());
  Share out{data.subset(rows), options.cv};
  if (options.cv.size() == 1) return out;
  check_folds(options.cv, data.size());
  out.cv.clear();
  for (const Index i : rows) out.cv.push_back(options.cv[static_cast<std::size_t>(i)]);
  return out;
}

}  // namespace

AutoDensity AutoDensity::fit(const Dataset& data, const AutoOptions& options, const MemberFinder& find,
                             const Run& run) {
  data.check(owner);
  validate_options(options, owner);
  require(!options.cv.empty(), owner, ": cv is empty, expected a number of folds or the fold of every row");
  const Index rows = count_rows(data);
  std::vector<std::string> models;
  std::vector<std::string> warnings;
  std::string left_out;
  const Index folds = number_of_folds(options.cv);
  const DataSize size{rows, data.x.rows(), std::ssize(data.inputs())};
  const Index used = affordable_rows(size, folds, options.budget);
  std::optional<Share> some;
  if (used < rows) {
    some = share_of(data, options, used);
    warnings.push_back(message("fitted to ", used, " of ", rows,
                               " rows, drawn at random: fits to all are expected to take ",
                               "longer than the budget of ", options.budget, " s"));
  }
  for (const AutoChoice& own : choose_models({used, size.columns, size.inputs}, folds, options.budget)) {
    if (own.chosen) {
      models.push_back(own.name);
    } else {
      left_out += message(left_out.empty() ? "" : ", ", own.name, " (", std::ceil(own.seconds), " s)");
    }
  }
  const Document none(Document::Object{});
  pooling::Pooled found = pooling::fit(some ? some->data : data,
                                       {.owner = owner,
                                        .models = models,
                                        .options = none,
                                        .shrinkage = options.shrinkage,
                                        .defensive_weight = options.defensive_weight,
                                        .cv = some ? some->cv : options.cv,
                                        .seed = options.seed},
                                       find, run);
  FitReport& report = found.report;
  if (!left_out.empty()) {
    warnings.push_back(message("the budget of ", options.budget, " s is spent without ", left_out,
                               ", by what their fits are expected to take; a larger budget takes them in"));
  }
  report.warnings.insert(report.warnings.begin(), warnings.begin(), warnings.end());
  return {options, {}, std::move(found.parts), std::move(report)};
}

}  // namespace condens
