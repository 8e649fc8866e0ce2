#include "condens/estimators/parzen.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "condens/data/folds.hpp"
#include "data/splits.hpp"
#include "model/kernel_rows.hpp"
#include "model/preparation.hpp"
#include "model/rounded_rows.hpp"
#include "model/table_passes.hpp"
#include "model/weights_at_points.hpp"
#include "sketch.hpp"
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

constexpr double large_bound = 0.01;  // on the error of a sketch: what is more is told

constexpr double least_gain = 1e-9;  // what is less is rounding: of copies of a column both shapes are one
constexpr Index rows_of_comparison = 1000;
constexpr Index most_rows_of_comparison = 4000;
constexpr Index folds_of_comparison = 5;

void check_options(const ParzenOptions& o, Index columns) {
  validate_options(o, owner);
  const Index count = std::ssize(o.bandwidth);
  if (o.shape == ParzenShapeChoice::diagonal) {
    require(count <= 1 || count == columns, owner, ": bandwidth has ", count,
            " numbers, expected none (learned), one, or one for each of the ", columns, " columns");
  } else {
    require_distinct(owner, "bandwidth", o.bandwidth);
  }
}

/// Those that need no rows.
std::optional<Vector> given_widths(const ParzenOptions& o, Index columns) {
  if (o.bandwidth.size() == 1) return Vector::Constant(columns, o.bandwidth.front());
  if (o.bandwidth.empty() || o.shape != ParzenShapeChoice::diagonal) return std::nullopt;
  return Eigen::Map<const Vector>(o.bandwidth.data(), columns);
}

bool leaves_one_out(const ParzenOptions& o) { return o.cv == std::vector<double>{0}; }

/// What the widths are judged by: rows as columns z (those that vary), their weights and folds.
struct Compared {
  Dataset rows;
  std::vector<Index> fold;
  double rate = 1;  ///< from the widths of these rows to those of all
};

/// How the widths of so many rows become those of others.
double rate_of(double compared, double all, Index columns) {
  return std::pow(compared / all, 1 / (static_cast<double>(columns) + 4));
}

/// The bits of sums, or as many as tell 16,000 rows in a standard deviation of the sample apart: rows of a table with a
/// few enormous numbers, of which the sample may have none, are close together on the table's scale.
int bits_of_sample(const Matrix& z) {
  constexpr int least_bits = 14;
  constexpr int most_bits = 50;
  const Vector spread = (z.colwise() - Vector(z.rowwise().mean())).rowwise().norm() / std::sqrt(z.cols());
  int bits = preparation::bits_of_sums;
  for (const double own : spread) {
    if (own > 0) bits = std::max(bits, least_bits - std::ilogb(own));
  }
  return std::min(bits, most_bits);
}

/// How many rows of a table differ from all others, as a sample of it shows by those that are alone in it: a further
/// row is new as often as they are (I. J. Good, Biometrika 40, 1953). Without copies that is the number of rows.
double distinct_rows(const Dataset& sample, const Dataset& merged, Index rows) {
  const Matrix z = stacked(preparation::ordered_rows(sample, false));
  const auto repeats = [&](Index i) { return i > 0 && i < z.cols() && z.col(i - 1) == z.col(i); };
  Index alone = 0;
  for (Index i = 0; i < z.cols(); ++i) alone += repeats(i) || repeats(i + 1) ? 0 : 1;
  const double share = static_cast<double>(alone) / static_cast<double>(z.cols());
  return static_cast<double>(merged.size()) + share * static_cast<double>(rows - z.cols());
}

/// Rows drawn by their places from a table of `all` rows, wherever it is: leaving one out leaves out their copies.
Compared compared_places(const Dataset& rows, const std::vector<Index>& fold, Index all, const ParzenOptions& options) {
  const bool one_out = leaves_one_out(options);
  Compared out{one_out ? preparation::ordered_rows(rows, options.merge_copies) : rows, {}, 1};
  const double different =
      one_out && options.merge_copies ? distinct_rows(rows, out.rows, all) : static_cast<double>(all);
  out.rate = rate_of(static_cast<double>(out.rows.size()), different, rows.x.rows() + rows.y.rows());
  if (options.standardize) preparation::round_rows(out.rows, bits_of_sample(stacked(out.rows)));
  preparation::round_weights(out.rows.weights, preparation::bits_of_sums);
  if (!fold.empty()) out.fold = check_folds({fold.begin(), fold.end()}, std::ssize(fold));
  return out;
}

Compared rows_to_compare(const Standardized& standardized, const Dataset& merged, const Dataset& given,
                         const ParzenOptions& options) {
  const bool leave_one_out = leaves_one_out(options);
  const auto seed = static_cast<std::uint64_t>(options.seed);
  Compared out{leave_one_out ? merged : standardized.data, {}, 1};
  if (!leave_one_out) out.fold = preparation::folds_of(options.cv, given, options.seed);
  const Index all = standardized.data.size();
  const bool by_places = all > most_rows_at_once;  // as rows of a table are drawn that is elsewhere
  const Index n = by_places ? all : out.rows.size();
  if (options.width_rows == 0 || n <= options.width_rows) return out;
  const std::vector<Index> kept = by_places ? sample_of_places(all, options.width_rows, seed)
                                            : random_rows(n, options.width_rows, RandomStream(seed));
  std::vector<Index> fold;
  if (!leave_one_out) {
    for (const Index i : kept) fold.push_back(out.fold[static_cast<std::size_t>(i)]);
  }
  if (by_places) return compared_places(standardized.data.subset(kept), fold, all, options);
  out.rows = out.rows.subset(kept);
  if (!fold.empty()) out.fold = check_folds({fold.begin(), fold.end()}, std::ssize(fold));
  out.rate = rate_of(static_cast<double>(out.rows.size()), static_cast<double>(n), given.x.rows() + given.y.rows());
  return out;
}

/// At least the number, in two digits: what bounds still does.
double two_digits_above(double value) {
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 1);
  return std::ceil(value / unit) * unit;
}

Compared rows_of_table(RowSums& table, const table_passes::Extent& extent, const table_passes::Scale& scale,
                       const ParzenOptions& options, FitReport& report) {
  const Index wanted = options.width_rows > 0 ? options.width_rows : most_rows_at_once;
  const table_passes::Sample sample =
      table_passes::sample_of(table, std::min(wanted, table_passes::most_sampled), options.seed);
  const Dataset rows = scale.standardized(sample.rows);
  if (options.width_rows == 0 && rows.size() < extent.rows) {
    report.warnings.push_back(message("width_rows = 0: of a table that is elsewhere ", rows.size(), " of ", extent.rows,
                                      " rows choose the widths; give width_rows for another number of them"));
  }
  std::vector<Index> fold;
  if (!leaves_one_out(options)) {
    fold = folds_at_places(sample.places, table_passes::number_of_folds(owner, options.cv, extent.rows),
                           static_cast<std::uint64_t>(options.seed));
  }
  Compared out = compared_places(rows, fold, extent.rows, options);
  const Matrix z = stacked(out.rows);
  require((z.colwise() - Vector(z.col(0))).cwiseAbs().maxCoeff() > 0, owner, ": all ", rows.size(),
          " rows that choose the widths are equal, expected two that differ; give a larger width_rows, or bandwidth");
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
    if (std::optional<Vector> given = given_widths(options_, dimension_)) return *std::move(given);
    return options_.bandwidth.empty() ? learned() : Vector::Constant(dimension_, chosen());
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
  check_options(options, data.x.rows() + data.y.rows());
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

Parzen Parzen::fit(RowSums& table, const ParzenOptions& options, const Run& run) {
  const Index columns = table.n_inputs() + table.n_targets();
  check_options(options, columns);
  table_passes::check_cv(owner, options.cv);
  const FlushSubnormals guard;
  const table_passes::Extent extent = table_passes::extent_of(table);
  FitReport report;
  const table_passes::Scale scale = table_passes::Scale::of(table, extent, owner, options.standardize, report);
  std::optional<Vector> widths = given_widths(options, columns);
  if (!widths) {
    const Compared compared = rows_of_table(table, extent, scale, options, report);
    widths = Selection(compared, stack(compared.rows), options, run, report).widths();
  }
  ParzenSketch sketch = parzen_sketch(table, extent, scale, *widths, options.sketch_cells);
  const Index kernels = sketch.weights.size();
  report.details.set("n_rows", extent.rows).set("n_kernels", kernels);
  if (extent.rows > options.sketch_cells) {
    report.details.set("sketch_edge", sketch.edge).set("total_variation_bound", sketch.bound_on_error);
  }
  if (sketch.bound_on_error > large_bound) {
    report.warnings.push_back(message(
        "the ", extent.rows, " rows share ", kernels, " kernels, in cells of ", sketch.edge,
        " widths: the density may differ from that of a kernel at every row by ",
        two_digits_above(sketch.bound_on_error),
        " in total variation, of at most 1; more sketch_cells, a larger bandwidth or fewer columns make that less"));
  }
  return Parzen(options, {},
                parameters(sketch.weights, std::move(sketch.means), widths->replicate(1, kernels),
                           scale.defensive(options.defensive_weight)),
                scale.x(), scale.y(), std::move(report));
}

Document Parzen::accumulate(const Document& pass, const Dataset& block, Index, const Run&) {
  return parzen_sketch_state(pass, block);
}

}  // namespace condens
