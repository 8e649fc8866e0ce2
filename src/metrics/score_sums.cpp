#include "condens/metrics/score_sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "condens/core/errors.hpp"
#include "model/table_passes.hpp"
#include "per_row_scores.hpp"

namespace condens {

namespace {

/// Weighted means of the rows of `values`, and sums of squares around them: 2 x scores.
Matrix moments_of(const MatrixView& values, const Vector& weights) {
  Matrix out(2, values.rows());
  for (Index k = 0; k < values.rows(); ++k) {
    const double mean = values.row(k).dot(weights) / weights.sum();
    out.col(k) << mean, (values.row(k).transpose().array() - mean).square().matrix().dot(weights);
  }
  return out;
}

/// CRPS and PIT; for every level whether the central interval holds y, its width, and whether the region of the highest
/// density does, where asked for: scores x rows.
Matrix values_of(const PerRowScores::OfTarget& rows, const ScoreOptions& options) {
  const Index levels = std::ssize(options.levels);
  const Index regions = options.highest_density ? levels : 0;
  Matrix out(2 + 2 * levels + regions, rows.crps.size());
  out << rows.crps.transpose(), rows.pit.transpose(), rows.inside, rows.width, Matrix(regions, rows.crps.size());
  for (Index k = 0; k < regions; ++k) {
    out.row(2 + 2 * levels + k) =
        (rows.region.array() <= options.levels[static_cast<std::size_t>(k)]).cast<double>().transpose();
  }
  return out;
}

Vector pit_counts(const Vector& pit, const Vector& weights) {
  Vector out = Vector::Zero(pit_cells);
  for (Index i = 0; i < pit.size(); ++i) {
    out[std::min(pit_cells - 1, static_cast<Index>(std::max(0.0, pit[i] * pit_cells)))] += weights[i];
  }
  return out;
}

std::string target_name(const char* what, std::size_t j) { return what + std::to_string(j + 1); }

/// The rows that scores are means over: column k of their moments is one.
struct CountedRows {
  double weight;
  double size;  // Kish's effective size

  /// Throws FormatError for what is no state of rows.
  static CountedRows of(const Document& state) {
    const double squares = table_passes::number_of(state, "squares");
    const double weight = table_passes::matrix_of(state.at("moments"), "weight", 1, 1)(0, 0);
    const bool fit = squares > 0 && weight > 0;
    if (!fit) {
      throw FormatError(message("scores of blocks: 'weight' is ", weight, " and 'squares' ", squares,
                                ", expected sums of weights > 0"));
    }
    return {weight, weight / squares * weight};
  }

  Score mean(const Matrix& moments, Index k) const {
    const double variance = moments(1, k) / weight;
    return {moments(0, k), size > 1.0 ? std::sqrt(variance / (size - 1.0)) : std::numeric_limits<double>::quiet_NaN()};
  }
};

TargetScores target_scores(const Matrix& moments, const Vector& counts, const CountedRows& rows,
                           const ScoreOptions& options) {
  TargetScores out{.crps = rows.mean(moments, 0),
                   .pit = Vector(),
                   .kolmogorov_smirnov = {},
                   .cramer_von_mises = {},
                   .coverage = {},
                   .pit_mean = rows.mean(moments, 1),
                   .pit_std = std::sqrt(moments(1, 1) / rows.weight)};
  out.kolmogorov_smirnov = kolmogorov_smirnov_test_of_cells(counts, rows.size);
  out.cramer_von_mises = cramer_von_mises_test_of_cells(counts, rows.size);
  const Index levels = std::ssize(options.levels);
  for (Index k = 0; k < levels; ++k) {
    Coverage coverage{
        options.levels[static_cast<std::size_t>(k)], rows.mean(moments, 2 + k), rows.mean(moments, 2 + levels + k), {}};
    if (options.highest_density) coverage.highest_density = rows.mean(moments, 2 + 2 * levels + k);
    out.coverage.push_back(coverage);
  }
  return out;
}

}  // namespace

Document means_state(const MatrixView& values, const Vector& weights) {
  Document out(Document::Object{});
  out.set("sum", Document::Object{{"squares", Matrix(Matrix::Constant(1, 1, weights.squaredNorm()))}});
  out.set("moments", Document::Object{{"weight", Matrix(Matrix::Constant(1, 1, weights.sum()))},
                                      {"means", moments_of(values, weights)}});
  return out;
}

std::vector<Score> merged_means(const Document& state) {
  const CountedRows rows = CountedRows::of(state);
  const Matrix& moments = table_passes::matrix_of(state.at("moments"), "means", 2, table_passes::any_size);
  std::vector<Score> out;
  for (Index k = 0; k < moments.cols(); ++k) out.push_back(rows.mean(moments, k));
  return out;
}

Document score_state(const ConditionalDensity& model, const std::optional<TargetDecoder>& target, const Dataset& block,
                     Index first_row, const ScoreOptions& options, const Run& run) {
  check_scored(model, block, options);
  std::vector<Index> places;  // of the rows that count
  for (Index i = 0; i < block.size(); ++i) {
    if (block.weights.size() == 0 || block.weights[i] > 0.0) places.push_back(i);
  }
  const Dataset test = block.subset(places);
  const Vector weights = test.weights.size() > 0 ? test.weights : Vector(Vector::Ones(test.size()));
  table_passes::check_weights(weights, "score");
  const PerRowScores rows = per_row_scores(model, target, test, first_row, options, run);

  Document sum(Document::Object{});
  sum.set("rows", Matrix(Matrix::Constant(1, 1, static_cast<double>(test.size()))));
  sum.set("squares", Matrix(Matrix::Constant(1, 1, weights.squaredNorm())));
  Document moments(Document::Object{});
  moments.set("weight", Matrix(Matrix::Constant(1, 1, weights.sum())));
  moments.set("nll", moments_of(rows.nll.transpose(), weights));
  if (rows.squared_loss.size() > 0) moments.set("squared_loss", moments_of(rows.squared_loss.transpose(), weights));
  if (rows.energy_score.size() > 0) moments.set("energy_score", moments_of(rows.energy_score.transpose(), weights));
  for (std::size_t j = 0; j < rows.targets.size(); ++j) {
    moments.set(target_name("target ", j), moments_of(values_of(rows.targets[j], options), weights));
    sum.set(target_name("pit ", j), pit_counts(rows.targets[j].pit, weights));
  }
  return Document::Object{{"sum", std::move(sum)}, {"moments", std::move(moments)}};
}

Scores merged_scores(const Document& state, const ScoreOptions& options) {
  validate_options(options, "score");
  const Document& sum = state.at("sum");
  const Document& moments = state.at("moments");
  const double count = table_passes::number_of(state, "rows");
  const bool is_count = count >= 1 && count <= largest_count;
  if (!is_count) throw FormatError(message("scores of blocks: 'rows' is ", count, ", expected a number of rows"));
  const CountedRows rows = CountedRows::of(state);
  const auto mean = [&](std::string_view name) { return rows.mean(table_passes::matrix_of(moments, name, 2, 1), 0); };
  Scores out{static_cast<Index>(count), rows.size, Vector(), mean("nll"), {}, {}, {}};
  if (moments.find("squared_loss") != nullptr) out.squared_loss = mean("squared_loss");
  const Index values = 2 + (options.highest_density ? 3 : 2) * std::ssize(options.levels);
  for (std::size_t j = 0; moments.find(target_name("target ", j)) != nullptr; ++j) {
    out.targets.push_back(target_scores(table_passes::matrix_of(moments, target_name("target ", j), 2, values),
                                        table_passes::vector_of(sum, target_name("pit ", j), pit_cells), rows,
                                        options));
  }
  if (moments.find("energy_score") != nullptr)
    out.energy_score = mean("energy_score");
  else if (options.energy_score && out.targets.size() == 1)
    out.energy_score = out.targets.front().crps;
  return out;
}

}  // namespace condens
