#include "condens/estimators/parzen.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "condens/data/folds.hpp"
#include "data/splits.hpp"
#include "model/kernel_rows.hpp"
#include "model/preparation.hpp"
#include "model/weights_at_points.hpp"
#include "width.hpp"

namespace condens {

using preparation::Standardized;

ParzenOptions ParzenOptions::paper() {
  return {.shape = ParzenShapeChoice::isotropic, .width_rows = 0, .merge_copies = false, .defensive_weight = 0.0};
}

namespace {

constexpr std::string_view owner = Parzen::class_name;

constexpr Index many_kernels = 2048;     // from here on sums over those within reach are faster
constexpr double far_from_all = -500.0;  // log p(x) below which differences of logarithms lose digits

constexpr double least_gain = 1e-9;  // what is less is rounding: of copies of a column both shapes are one
constexpr Index rows_of_comparison = 1000;
constexpr Index most_rows_of_comparison = 4000;
constexpr Index folds_of_comparison = 5;

void check_options(const ParzenOptions& o, const Dataset& data) {
  validate_options(o, owner);
  const Index columns = data.x.rows() + data.y.rows();
  const Index count = std::ssize(o.bandwidth);
  if (o.shape == ParzenShapeChoice::diagonal) {
    require(count <= 1 || count == columns, owner, ": bandwidth has ", count,
            " numbers, expected none (learned), one, or one for each of the ", columns, " columns");
  } else {
    require_distinct(owner, "bandwidth", o.bandwidth);
  }
}

/// What the widths are judged by: rows as columns z (those that vary), their weights and folds.
struct Compared {
  Dataset rows;
  std::vector<Index> fold;
  double rate = 1;  ///< from the widths of these rows to those of all
};

Compared rows_to_compare(const Standardized& standardized, const Dataset& merged, const Dataset& given,
                         const ParzenOptions& options) {
  const bool leave_one_out = options.cv == std::vector<double>{0};
  Compared out{leave_one_out ? merged : standardized.data, {}, 1};
  if (!leave_one_out) out.fold = preparation::folds_of(options.cv, given, options.seed);
  const Index n = out.rows.size();
  if (options.width_rows == 0 || n <= options.width_rows) return out;
  const std::vector<Index> kept =
      random_rows(n, options.width_rows, RandomStream(static_cast<std::uint64_t>(options.seed)));
  out.rows = out.rows.subset(kept);
  if (!leave_one_out) {
    std::vector<double> fold;
    for (const Index i : kept) fold.push_back(static_cast<double>(out.fold[static_cast<std::size_t>(i)]));
    out.fold = check_folds(fold, std::ssize(kept));
  }
  const auto d = static_cast<double>(given.x.rows() + given.y.rows());
  out.rate = std::pow(static_cast<double>(options.width_rows) / static_cast<double>(n), 1 / (d + 4));
  return out;
}

/// The rows of z that vary; the groups of inputs in their numbers.
struct Columns {
  std::vector<Index> varying;
  std::vector<std::vector<Index>> groups;
};

Columns columns_of(const Dataset& rows, const Matrix& z) {
  Columns out;
  std::vector<Index> place(static_cast<std::size_t>(z.rows()), -1);
  for (Index k = 0; k < z.rows(); ++k) {
    if ((z.row(k).array() == z(k, 0)).all()) continue;
    place[static_cast<std::size_t>(k)] = std::ssize(out.varying);
    out.varying.push_back(k);
  }
  std::vector<std::vector<Index>> groups = rows.inputs();
  for (Index k = rows.x.rows(); k < z.rows(); ++k) groups.push_back({k});
  for (const std::vector<Index>& group : groups) {
    std::vector<Index> kept;
    for (const Index k : group) {
      if (place[static_cast<std::size_t>(k)] >= 0) kept.push_back(place[static_cast<std::size_t>(k)]);
    }
    if (!kept.empty()) out.groups.push_back(std::move(kept));
  }
  return out;
}

/// Everything that chooses widths of z.
class Selection {
 public:
  Selection(const Compared& compared, const Matrix& z, const ParzenOptions& options, const Run& run, FitReport& report)
      : compared_(compared),
        options_(options),
        run_(run),
        report_(report),
        columns_(columns_of(compared.rows, z)),
        z_(z(columns_.varying, Eigen::all)),
        dimension_(z.rows()) {}

  Vector widths() {
    if (options_.bandwidth.size() == 1) return Vector::Constant(dimension_, options_.bandwidth.front());
    if (options_.bandwidth.empty()) return learned();
    if (options_.shape == ParzenShapeChoice::diagonal) {
      return Eigen::Map<const Vector>(options_.bandwidth.data(), dimension_);
    }
    return Vector::Constant(dimension_, chosen());
  }

 private:
  const Vector& weights() const { return compared_.rows.weights; }

  Defensive defensive(const Matrix& z, const Vector& weights) const {
    if (options_.scoring == Scoring::squared) return {};
    return Defensive::fit(options_.defensive_weight, {.x = Matrix(0, z.cols()), .y = z, .weights = weights});
  }

  void report_score(const ParzenLoss& loss) {
    report_.details.set("n_rows_compared", z_.cols());
    report_.details.set("score", loss.value);
    report_.details.set("score_standard_error", loss.standard_error);
  }

  double chosen() {
    const std::vector<double>& grid = options_.bandwidth;
    const auto n = static_cast<double>(z_.cols());
    Task task(run_, "choosing bandwidth", n * n);
    const ParzenCriterion criterion(options_.scoring, z_, weights(), compared_.fold, defensive(z_, weights()));
    const std::vector<ParzenLoss> found = criterion.of_candidates(grid, task.threads(), [&] { task.poll(); });
    const auto best = std::min_element(found.begin(), found.end(),
                                       [](const ParzenLoss& a, const ParzenLoss& b) { return a.value < b.value; });
    const double width = grid[static_cast<std::size_t>(best - found.begin())];
    report_score(*best);
    const auto column = [&](const auto& get) { return preparation::column(found, get); };
    report_.details.set(
        "candidates",
        Document::Object{{"bandwidth", preparation::column(grid, [](double g) { return g; })},
                         {"score", column([](const ParzenLoss& loss) { return loss.value; })},
                         {"standard_error", column([](const ParzenLoss& loss) { return loss.standard_error; })}});
    preparation::warn_at_edge(grid, width, "bandwidth", report_);
    return width;
  }

  ParzenSearchResult search(const Matrix& z, const Vector& weights, const std::vector<Index>& fold, ParzenShape shape,
                            Task& task) const {
    return search_parzen_widths(z, weights, fold,
                                {.scoring = options_.scoring,
                                 .shape = shape,
                                 .groups = columns_.groups,
                                 .floor = options_.bandwidth_floor,
                                 .defensive = defensive(z, weights)},
                                task);
  }

  Vector learned() {
    const ParzenShape shape = settled_shape();
    Task task(run_, "learning the widths", usual_pairs(z_.cols()));
    const ParzenSearchResult found = search(z_, weights(), compared_.fold, shape, task);
    report_score(found.loss);
    report_.details.set("certificate", Document::Object{{"search", to_string(found.status)},
                                                        {"iterations", found.iterations},
                                                        {"projected_gradient", found.projected_gradient}});
    if (found.status == LbfgsStatus::iteration_limit) report_.status = to_string(found.status);
    if (found.at_floor) {
      report_.warnings.push_back(message("a learned width stands at its floor, ", options_.bandwidth_floor,
                                         " standard deviations; with ties the log score says little"));
    }
    // What is constant has the typical width: it plays no part.
    Vector out = Vector::Constant(dimension_, std::exp(found.widths.array().log().mean()));
    out(columns_.varying) = found.widths;
    return compared_.rate * out;
  }

  ParzenShape settled_shape() {
    if (options_.shape == ParzenShapeChoice::diagonal) return ParzenShape::diagonal;
    if (options_.shape == ParzenShapeChoice::isotropic || columns_.groups.size() < 2) return ParzenShape::isotropic;
    if (z_.cols() < 2 * folds_of_comparison) return ParzenShape::isotropic;
    Gain found = gain_of_diagonal(rows_of_comparison);
    // A width for each column overfits few rows: what a thousand do not show, more may.
    if (!found.is_worth_it() && found.rows < z_.cols()) found = gain_of_diagonal(most_rows_of_comparison);
    report_.details.set("gain_of_diagonal", found.mean);
    report_.details.set("gain_of_diagonal_standard_error", found.standard_error);
    report_.details.set("gain_of_diagonal_rows", found.rows);
    return found.is_worth_it() ? ParzenShape::diagonal : ParzenShape::isotropic;
  }

  struct Gain {
    double mean;
    double standard_error;
    Index rows;

    bool is_worth_it() const { return mean > std::max(standard_error, least_gain); }
  };

  /// Of held-out rows (five folds of at most `most`): the mean of log p(y|x) with a width for each column
  /// less that with one for all, and its standard error.
  Gain gain_of_diagonal(Index most) const {
    const auto seed = static_cast<std::uint64_t>(options_.seed);
    const std::vector<Index> rows = random_rows(z_.cols(), most, RandomStream(seed));
    const std::vector<Index> fold = assign_folds(std::ssize(rows), folds_of_comparison, seed);
    Task task(run_, "comparing shapes", 2 * folds_of_comparison * usual_pairs(std::ssize(rows)));
    Vector gain(std::ssize(rows));
    for (Index k = 0; k < folds_of_comparison; ++k) {
      std::vector<Index> train;
      std::vector<Index> test;
      std::vector<Index> place;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        (fold[i] == k ? test : train).push_back(rows[i]);
        if (fold[i] == k) place.push_back(static_cast<Index>(i));
      }
      const Matrix own = z_(Eigen::all, train);
      // A column may be constant in what is left.
      if (((own.colwise() - Vector(own.col(0))).array() == 0).rowwise().all().any()) {
        gain(place).setZero();
        continue;
      }
      gain(place) = held_out(own, weights()(train), ParzenShape::diagonal, z_(Eigen::all, test), task) -
                    held_out(own, weights()(train), ParzenShape::isotropic, z_(Eigen::all, test), task);
    }
    const Vector share = weights()(rows) / weights()(rows).sum();
    const double mean = share.dot(gain);
    return {mean, std::sqrt((share.array() * (gain.array() - mean)).square().sum()), std::ssize(rows)};
  }

  /// log p(y|x) at held-out points, by the window that a search on `own` finds.
  Vector held_out(const Matrix& own, const Vector& weights, ParzenShape shape, const Matrix& points, Task& task) const {
    const Vector widths = search(own, weights, {}, shape, task).widths;
    const Index d_x = std::count_if(columns_.varying.begin(), columns_.varying.end(),
                                    [&](Index k) { return k < compared_.rows.x.rows(); });
    const Index d_y = own.rows() - d_x;
    const Run here{.threads = task.threads(), .observer = {}};
    Vector out = ParzenWindow(own, weights, widths).log_density(points, here);
    if (d_x > 0) {
      out -= ParzenWindow(own.topRows(d_x), weights, widths.head(d_x)).log_density(points.topRows(d_x), here);
    }
    return with_defensive(std::move(out), points.bottomRows(d_y), own.bottomRows(d_y), weights);
  }

  Vector with_defensive(Vector log_density, const Matrix& y, const Matrix& own, const Vector& weights) const {
    const Defensive broad =
        Defensive::fit(options_.defensive_weight, {.x = Matrix(0, own.cols()), .y = own, .weights = weights});
    if (broad.weight == 0) return log_density;
    const Vector other = broad.log_density(y);
    for (Index i = 0; i < y.cols(); ++i) log_density[i] = broad.log_mixed(log_density[i], other[i]);
    return log_density;
  }

  const Compared& compared_;
  const ParzenOptions& options_;
  const Run& run_;
  FitReport& report_;
  Columns columns_;
  Matrix z_;
  Index dimension_;
};

}  // namespace

Parzen::Parzen(ParzenOptions options, NoState state, Parameters p, Standardizer x_scale, Standardizer y_scale,
               FitReport report)
    : FittedJointDensity(std::move(options), state, p, std::move(x_scale), std::move(y_scale), std::move(report)),
      widths_(p.kernels.scales.col(0)) {
  if ((p.kernels.scales.colwise() - widths_).cwiseAbs().maxCoeff() != 0) {
    throw FormatError("Parzen: the kernels have no common width");
  }
  if (n_kernels() < many_kernels) return;
  const Matrix& z = p.kernels.means;
  const Index d_x = n_inputs();
  of_z_.emplace(z, kernel_weights(), widths_);
  if (d_x > 0) of_x_.emplace(z.topRows(d_x), kernel_weights(), widths_.head(d_x));
}

Vector Parzen::log_densities(const MatrixView& x, const MatrixView& y) const {
  if (!of_z_) return JointDensity::log_densities(x, y);
  const Run here{.threads = 1, .observer = {}};
  Matrix z(x.rows() + y.rows(), y.cols());
  z.topRows(x.rows()) = x;
  z.bottomRows(y.rows()) = y;
  const Vector of_x = of_x_ ? of_x_->log_density(x, here) : Vector::Zero(y.cols());
  Vector out = of_z_->log_density(z, here) - of_x;
  if (defensive().weight > 0) {
    const Vector other = defensive().log_density(y);
    for (Index i = 0; i < out.size(); ++i) out[i] = defensive().log_mixed(out[i], other[i]);
  }
  for (Index i = 0; i < out.size(); ++i) {
    if (of_x_ && !(of_x[i] > far_from_all)) out[i] = JointDensity::log_densities(x.col(i), y.col(i))[0];
  }
  return out;
}

std::vector<RowWeights> Parzen::row_weights(const MatrixView& x, const Dataset& training, Index most,
                                            const Run& run) const {
  const FittedRows fitted(owner, training, options_.standardize, x_scale(), y_scale());
  const KernelRows rows(owner, kernels().means, stacked(fitted.standardized()), fitted);
  const Matrix standardized = x_scale().transform(x);
  return rows.weigh(x.cols(), most, run, [&](Index i) { return log_kernel_weights(standardized.col(i)); });
}

Vector Parzen::reweighted(const Dataset& rows, const Run&) const {
  Dataset storage;
  const Dataset& counted = rows_that_count(rows, storage);
  const Dataset standardized{.x = x_scale().transform(counted.x), .y = y_scale().transform(counted.y)};
  return weights_at_points(joint().means(), stack(standardized),
                           counted.weights.size() > 0 ? counted.weights : Vector::Ones(counted.size()));
}

std::unique_ptr<ConditionalDensity> Parzen::with_numbers(const VectorView& numbers) const {
  const std::vector<Index> kept = weighted_kernels(class_name, numbers, n_kernels());
  return std::unique_ptr<ConditionalDensity>(new Parzen(
      options_, {},
      parameters(numbers(kept), joint().means()(Eigen::all, kept), joint().scales()(Eigen::all, kept), defensive()),
      x_scale(), y_scale(), report()));
}

Parzen Parzen::fit(const Dataset& data, const ParzenOptions& options, const Run& run) {
  check_options(options, data);
  const preparation::Start start(owner, data, options.standardize);
  const Dataset& rows = start.rows();
  const preparation::Standardized& standardized = start.standardized();
  FitReport report = start.report();
  const Dataset merged = preparation::ordered_rows(standardized.data, options.merge_copies);
  report.details.set("n_rows", rows.size());
  report.details.set("n_kernels", merged.size());
  const Compared compared = rows_to_compare(standardized, merged, data, options);
  const Vector widths = Selection(compared, stack(compared.rows), options, run, report).widths();
  return Parzen(options, {},
                parameters(merged.weights, stack(merged), widths.replicate(1, merged.size()),
                           Defensive::fit(options.defensive_weight, standardized.data)),
                standardized.x, standardized.y, std::move(report));
}

}  // namespace condens
