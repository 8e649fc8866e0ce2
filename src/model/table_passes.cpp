#include "table_passes.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "condens/core/errors.hpp"
#include "condens/core/options.hpp"
#include "condens/data/folds.hpp"
#include "data/column_unit.hpp"
#include "kernel_rows.hpp"

namespace condens::table_passes {

namespace {

constexpr std::string_view owner_of_blocks = "fit";
constexpr Index first_rows_of_extent = 3;

Matrix single(double value) { return Matrix::Constant(1, 1, value); }

Vector weights_of(const Dataset& block) {
  return block.weights.size() > 0 ? block.weights : Vector(Vector::Ones(block.size()));
}

/// Inputs, targets and weight of every row.
Matrix weighted_columns(const Dataset& block) {
  Matrix out(block.x.rows() + block.y.rows() + 1, block.size());
  out << stacked(block), weights_of(block).transpose();
  return out;
}

Dataset cut_apart(const RowSums& table, const Matrix& columns) {
  return {.x = Matrix(columns.topRows(table.n_inputs())),
          .y = Matrix(columns.middleRows(table.n_inputs(), table.n_targets())),
          .weights = columns.bottomRows(1).transpose(),
          .groups = table.groups()};
}

Document pass_of(std::string_view name) { return Document::Object{{"pass", name}}; }

Document extent_state(const Dataset& block, Index first_row) {
  block.check(owner_of_blocks);
  const Matrix z = stacked(block);
  const Vector weights = weights_of(block);
  check_weights(weights, owner_of_blocks);
  const Index few = std::min(z.cols(), first_rows_of_extent);
  const auto place = static_cast<double>(first_row);
  const Vector places = Vector::LinSpaced(few, place, place + static_cast<double>(few - 1));
  return Document::Object{{"sum", Document::Object{{"rows", single(static_cast<double>(z.cols()))},
                                                   {"weight", single(weights.sum())},
                                                   {"squares", single(weights.squaredNorm())}}},
                          {"low", Document::Object{{"values", Vector(z.rowwise().minCoeff())}}},
                          {"high", Document::Object{{"values", Vector(z.rowwise().maxCoeff())}}},
                          {"smallest", Document::Object{{"limit", first_rows_of_extent},
                                                        {"keys", Matrix(places.transpose())},
                                                        {"columns", Matrix(z.leftCols(few))}}}};
}

/// Middle and half width of each column's range.
struct Ranges {
  Vector centre;
  Vector half;

  static Ranges of(const VectorView& low, const VectorView& high) {
    Ranges out{Vector(low.size()), high / 2 - low / 2};
    for (Index i = 0; i < low.size(); ++i) out.centre[i] = std::midpoint(low[i], high[i]);
    return out;
  }
  double deviation(double value, Index i) const { return half[i] > 0 ? (value - centre[i]) / half[i] : 0.0; }
};

/// Sums of deviations, or of their squared differences from `first`.
Document moment_state(const Document& pass, const Dataset& block) {
  const Matrix z = stacked(block);
  const Ranges ranges = Ranges::of(vector_of(pass, "low", z.rows()), vector_of(pass, "high", z.rows()));
  const bool first = pass.find("first") == nullptr;
  const Vector mean = first ? Vector::Zero(z.rows()) : vector_of(pass, "first", z.rows());
  const Vector weights = weights_of(block);
  Vector sum = Vector::Zero(z.rows());
  for (Index j = 0; j < z.cols(); ++j) {
    for (Index i = 0; i < z.rows(); ++i) {
      const double deviation = ranges.deviation(z(i, j), i);
      sum[i] += weights[j] * (first ? deviation : (deviation - mean[i]) * (deviation - mean[i]));
    }
  }
  return Document::Object{{"sum", Document::Object{{"values", std::move(sum)}}}};
}

Document sample_state(const Document& pass, const Dataset& block, Index first_row) {
  const Index limit = count_of(pass, "count", 1, most_sampled);
  const std::vector<double> key =
      keys_of_places(first_row, block.size(), static_cast<std::uint64_t>(pass.at("seed").as_integer()));
  std::vector<Index> order(key.size());
  std::iota(order.begin(), order.end(), Index{0});
  const auto less = [&](Index a, Index b) {
    return key[static_cast<std::size_t>(a)] < key[static_cast<std::size_t>(b)];
  };
  std::stable_sort(order.begin(), order.end(), less);
  order.resize(std::min(order.size(), static_cast<std::size_t>(limit)));
  std::sort(order.begin(), order.end());
  const Dataset chosen = block.subset(order);
  Matrix columns(2 + block.x.rows() + block.y.rows(), chosen.size());
  Matrix keys(1, chosen.size());
  for (Index k = 0; k < chosen.size(); ++k) {
    columns(0, k) = static_cast<double>(first_row + order[static_cast<std::size_t>(k)]);
    keys(0, k) = key[static_cast<std::size_t>(order[static_cast<std::size_t>(k)])];
  }
  columns.bottomRows(columns.rows() - 1) = weighted_columns(chosen);
  return Document::Object{
      {"smallest", Document::Object{{"limit", limit}, {"keys", std::move(keys)}, {"columns", std::move(columns)}}}};
}

Standardizer standardizer(const Vector& mean, const Vector& scale) {
  return Standardizer::from_document(Document::Object{{"mean", mean}, {"scale", scale}});
}

/// `from` with scales of `bits` binary digits, and means that are as coarse beside them.
Standardizer rounded(const Standardizer& from, int bits) {
  Vector mean = from.mean();
  Vector scale = from.scale();
  for (Index i = 0; i < scale.size(); ++i) {
    if (scale[i] == 0) continue;
    const double unit = std::ldexp(1.0, std::ilogb(scale[i]) - bits);
    scale[i] = std::nearbyint(scale[i] / unit) * unit;
    mean[i] = std::nearbyint(mean[i] / unit) * unit;
  }
  return standardizer(mean, scale);
}

Matrix transformed(const Standardizer& scale, const Vector& origin, const MatrixView& rows) {
  return rows.rows() == 0 ? Matrix(rows) : scale.transform(rows.colwise() - origin);
}

}  // namespace

void check_weights(const Vector& weights, std::string_view owner) {
  constexpr double least = 1e-100;
  constexpr double most = 1e12;
  for (Index i = 0; i < weights.size(); ++i) {
    require(weights[i] >= least && weights[i] <= most, owner, ": weights: row ", i + 1, " (counting from 1) is ",
            weights[i], ", expected ", least, " to ", most, " where rows are elsewhere");
  }
}

void check_cv(std::string_view owner, const std::vector<double>& cv) {
  require(cv.size() == 1, owner, ": cv has ", cv.size(),
          " numbers, expected a number of folds: rows that are not in memory get theirs by their places");
}

Index number_of_folds(std::string_view owner, const std::vector<double>& cv, Index rows) {
  const auto count = static_cast<Index>(cv.front());
  const Index most = std::min(rows, most_folds);
  require(count >= 2 && count <= most, owner, ": cv = ", count, ", expected 2 to ", most, " folds");
  return count;
}

std::vector<Index> inputs_of(const Document& written, Index n_inputs) {
  std::vector<Index> out;
  for (const double row : written.as_vector()) {
    if (!(row >= 0) || row >= static_cast<double>(n_inputs) || row != std::floor(row)) {
      throw FormatError(message("a pass over the rows: the input ", row, ", expected 0 to ", n_inputs - 1));
    }
    out.push_back(static_cast<Index>(row));
  }
  return out;
}

Document document_of(const std::vector<Index>& inputs) {
  Vector out(std::ssize(inputs));
  for (Index i = 0; i < out.size(); ++i) out[i] = static_cast<double>(inputs[static_cast<std::size_t>(i)]);
  return out;
}

std::vector<Index> folds_of_block(const Document& pass, const Dataset& block, Index first_row) {
  const Index folds = count_of(pass, "folds", 1, most_folds);
  if (folds == 1) return std::vector<Index>(static_cast<std::size_t>(block.size()), 0);
  return folds_of_places(first_row, block.size(), folds, static_cast<std::uint64_t>(pass.at("seed").as_integer()));
}

Matrix side_by_side(const std::vector<Matrix>& parts, std::size_t count) {
  const Index each = parts.front().cols();
  Matrix out(parts.front().rows(), each * static_cast<Index>(count));
  for (std::size_t k = 0; k < count; ++k) out.middleCols(static_cast<Index>(k) * each, each) = parts[k];
  return out;
}

std::vector<Matrix> apart(const Matrix& joined, Index count) {
  const Index each = joined.cols() / count;
  std::vector<Matrix> out;
  for (Index k = 0; k < count; ++k) out.emplace_back(joined.middleCols(k * each, each));
  return out;
}

Dataset neighbours(const Dataset& block, Range rows) {
  const auto part = [&](const Observations& of) {
    return Observations::borrow(of.data() + rows.begin * of.rows(), of.rows(), rows.size());
  };
  return {.x = block.x.rows() > 0 ? part(block.x) : Observations(Matrix(0, rows.size())),
          .y = part(block.y),
          .weights = block.weights.size() > 0 ? Vector(block.weights.segment(rows.begin, rows.size())) : Vector(),
          .groups = block.groups};
}

double number_of(const Document& state, std::string_view name) { return matrix_of(state.at("sum"), name, 1, 1)(0, 0); }

const Matrix& matrix_of(const Document& document, std::string_view name, Index rows, Index cols) {
  const Matrix& out = document.at(name).as_matrix();
  const auto fits = [](Index found, Index expected) { return expected == any_size ? found > 0 : found == expected; };
  const auto text = [](Index expected) { return expected == any_size ? std::string("some") : message(expected); };
  if (!fits(out.rows(), rows) || !fits(out.cols(), cols)) {
    throw FormatError(message("a pass over the rows: '", name, "' is ", out.rows(), " x ", out.cols(), ", expected ",
                              text(rows), " x ", text(cols)));
  }
  return out;
}

Vector vector_of(const Document& document, std::string_view name, Index size) {
  return matrix_of(document, name, size, 1).col(0);
}

Index count_of(const Document& document, std::string_view name, Index low, Index high) {
  const Index out = document.at(name).as_integer();
  if (out < low || out > high) {
    throw FormatError(message("a pass over the rows: '", name, "' is ", out, ", expected ", low, " to ", high));
  }
  return out;
}

Defensive defensive_of(const Document& pass, Index n_targets) {
  const Document& written = pass.at("defensive");
  return Defensive::read(written, written.at("weight").as_number(), n_targets);
}

Document document_of(const Defensive& defensive) {
  Document out(Document::Object{{"weight", defensive.weight}});
  defensive.write(out);
  return out;
}

double width_of(const Document& document, std::string_view name) {
  const double out = document.at(name).as_number();
  if (!(out > 0)) throw FormatError(message("a pass over the rows: '", name, "' is ", out, ", expected a number > 0"));
  return out;
}

Vector widths_of(const Document& document, std::string_view name, Index size) {
  Vector out = vector_of(document, name, size);
  if ((out.array() <= 0).any()) {
    throw FormatError(message("a pass over the rows: '", name, "' has ", out.minCoeff(), ", expected numbers > 0"));
  }
  return out;
}

std::vector<Document> totals_of(RowSums& table, const std::vector<Document>& passes) {
  if (passes.size() == 1) return {table.total(passes.front())};
  const Document state = table.total(Document::Object{{"pass", "several"}, {"passes", Document::Array(passes)}});
  const Document::Array& each = state.at("each").as_array();
  if (each.size() != passes.size()) {
    throw FormatError(message("a pass over the rows: 'each' has ", each.size(), " states, expected ", passes.size()));
  }
  return each;
}

Extent extent_of(RowSums& table) {
  const Document state = table.total_once(pass_of("extent"));
  const Index d = table.n_inputs() + table.n_targets();
  const double rows = number_of(state, "rows");
  const bool is_count = rows >= 1 && rows <= largest_count;
  if (!is_count) {
    throw FormatError(message("a pass over the rows: 'rows' is ", rows, ", expected the number of rows"));
  }
  const double weight = number_of(state, "weight");
  const double squares = number_of(state, "squares");
  const bool fit = weight > 0 && squares > 0;
  if (!fit) {
    throw FormatError(message("a pass over the rows: 'weight' is ", weight, " and 'squares' ", squares,
                              ", expected sums of weights > 0"));
  }
  return {static_cast<Index>(rows),
          weight,
          squares,
          vector_of(state.at("low"), "values", d),
          vector_of(state.at("high"), "values", d),
          matrix_of(state.at("smallest"), "columns", d, any_size)};
}

double Extent::weight_factor() const {
  const auto n = static_cast<double>(rows);
  return weight < n ? n / weight : 1.0;
}

Dataset Extent::ends(const RowSums& table) const {
  Matrix both(low.size(), 2);
  both << low, high;
  return {.x = Matrix(both.topRows(table.n_inputs())),
          .y = Matrix(both.bottomRows(table.n_targets())),
          .groups = table.groups()};
}

Scale::Scale(Standardizer x, Standardizer y, Vector origin_x, Vector origin_y, Standardizer from_x, Standardizer from_y,
             Standardizer spread, double weight_factor)
    : x_(std::move(x)),
      y_(std::move(y)),
      origin_x_(std::move(origin_x)),
      origin_y_(std::move(origin_y)),
      from_x_(std::move(from_x)),
      from_y_(std::move(from_y)),
      spread_(std::move(spread)),
      weight_factor_(weight_factor) {}

Scale Scale::of(RowSums& table, const Extent& extent, std::string_view owner, bool wanted, FitReport& report) {
  const Index d_x = table.n_inputs();
  const Index d_y = table.n_targets();
  Document pass = pass_of("moments");
  pass.set("low", extent.low).set("high", extent.high);
  const Vector first = vector_of(table.total(pass).at("sum"), "values", d_x + d_y) / extent.weight;
  pass.set("first", first);
  const Vector second = vector_of(table.total(pass).at("sum"), "values", d_x + d_y) / extent.weight;
  const Ranges ranges = Ranges::of(extent.low, extent.high);
  const Vector mean = ranges.centre + ranges.half.cwiseProduct(first);
  // Weights are copies: of the variance as many less one are the divisor, as in Standardizer::fit.
  const double factor = extent.weight_factor();
  const double freedom = 1 - 1 / (factor * extent.weight);
  const Vector scale = ranges.half.cwiseProduct((second / freedom).cwiseSqrt());

  const auto ends = [&](Index i) -> Vector { return Vector{{extent.low[i], extent.high[i]}}; };
  for (Index k = 0; k < d_y; ++k) {
    require(scale[d_x + k] > 0, owner, ": target ", k + 1, " is constant (", extent.low[d_x + k],
            " in every row); a distribution without spread has no density");
    const std::string problem = target_problem(ends(d_x + k), scale[d_x + k]);
    require(problem.empty(), owner, ": target ", k + 1, " ", problem);
  }
  for (Index k = 0; k < d_x; ++k) {
    const std::string problem = unit_problem(ends(k), scale[k]);
    require(problem.empty(), owner, ": input ", k + 1, " ", problem);
  }
  if (!wanted) {
    const Standardizer x = Standardizer::identity(d_x);
    const Standardizer y = Standardizer::identity(d_y);
    return {x, y, Vector::Zero(d_x), Vector::Zero(d_y), x, y, standardizer(mean.tail(d_y), scale.tail(d_y)), factor};
  }
  for (Index k = 0; k < d_x; ++k) {
    if (scale[k] == 0) report.warnings.push_back(message("input ", k + 1, " is constant and plays no part"));
  }
  const Vector origin = extent.first.col(0);
  // The centre itself is rounded where numbers are far from zero; what is between it and the origin is not.
  const Vector shifted_mean = ranges.centre - origin + ranges.half.cwiseProduct(first);
  return {standardizer(mean.head(d_x), scale.head(d_x)),
          standardizer(mean.tail(d_y), scale.tail(d_y)),
          origin.head(d_x),
          origin.tail(d_y),
          standardizer(shifted_mean.head(d_x), scale.head(d_x)),
          standardizer(shifted_mean.tail(d_y), scale.tail(d_y)),
          Standardizer::identity(d_y),
          factor};
}

Scale Scale::of(const Standardizer& x, const Standardizer& y) {
  return {x, y, Vector::Zero(x.dimension()),           Vector::Zero(y.dimension()),
          x, y, Standardizer::identity(y.dimension()), 1.0};
}

Scale Scale::rounded(int bits) const {
  const Standardizer from_x = table_passes::rounded(from_x_, bits);
  const Standardizer from_y = table_passes::rounded(from_y_, bits);
  return {standardizer(origin_x_ + from_x.mean(), from_x.scale()),
          standardizer(origin_y_ + from_y.mean(), from_y.scale()),
          origin_x_,
          origin_y_,
          from_x,
          from_y,
          table_passes::rounded(spread_, bits),
          weight_factor_};
}

Matrix Scale::points_on(const Scale& other, const MatrixView& z) const {
  Matrix out(z.rows(), z.cols());
  const auto carry = [&](const Standardizer& from, const Standardizer& to, Index first) {
    for (Index i = 0; i < from.dimension(); ++i) {
      if (to.scale()[i] == 0) {
        out.row(first + i).setZero();
        continue;
      }
      const double shift = (from.mean()[i] - to.mean()[i]) / to.scale()[i];
      out.row(first + i) = (z.row(first + i).array() * (from.scale()[i] / to.scale()[i]) + shift).matrix();
    }
  };
  carry(from_x_, other.from_x_, 0);
  carry(from_y_, other.from_y_, from_x_.dimension());
  return out;
}

Dataset Scale::standardized(const Dataset& rows) const {
  return {.x = transformed(from_x_, origin_x_, rows.x),
          .y = transformed(from_y_, origin_y_, rows.y),
          .weights = weight_factor_ * weights_of(rows),
          .x_unlabeled = Matrix(rows.x.rows(), 0),
          .groups = rows.groups};
}

Document Scale::to_document() const {
  return Document::Object{{"x", x_.to_document()},           {"y", y_.to_document()},
                          {"origin_x", origin_x_},           {"origin_y", origin_y_},
                          {"from_x", from_x_.to_document()}, {"from_y", from_y_.to_document()},
                          {"spread", spread_.to_document()}, {"weight_factor", weight_factor_}};
}

Scale Scale::from_document(const Document& document, Index n_inputs, Index n_targets) {
  const auto of = [&](std::string_view name, Index dimension) {
    Standardizer out = Standardizer::from_document(document.at(name));
    if (out.dimension() != dimension) {
      throw FormatError(message("a pass over the rows: the scale '", name, "' is of ", out.dimension(),
                                " columns, expected ", dimension));
    }
    return out;
  };
  return {of("x", n_inputs),
          of("y", n_targets),
          vector_of(document, "origin_x", n_inputs),
          vector_of(document, "origin_y", n_targets),
          of("from_x", n_inputs),
          of("from_y", n_targets),
          of("spread", n_targets),
          width_of(document, "weight_factor")};
}

Sample sample_of(RowSums& table, Index count, Index seed) {
  Document pass = pass_of("sample");
  pass.set("count", count).set("seed", seed);
  const Document state = table.total_once(pass);
  const Index d = table.n_inputs() + table.n_targets();
  const Matrix& columns = matrix_of(state.at("smallest"), "columns", 2 + d, any_size);
  Sample out{cut_apart(table, columns.bottomRows(d + 1)), {}};
  for (Index j = 0; j < columns.cols(); ++j) {
    const double place = columns(0, j);
    const bool is_place = place >= 0 && place <= largest_count;
    if (!is_place) throw FormatError(message("a pass over the rows: a sampled row stands at place ", place));
    out.places.push_back(static_cast<Index>(place));
  }
  return out;
}

Dataset first_rows(RowSums& table) {
  const Matrix first = extent_of(table).first;
  Matrix out = Matrix::Ones(first.rows() + 1, first.cols());
  out.topRows(first.rows()) = first;
  return cut_apart(table, out);
}

Dataset typical_rows(RowSums& table) {
  const Extent extent = extent_of(table);
  const Matrix sample = stacked(sample_of(table, most_rows_at_once, 0).rows);
  Matrix out = Matrix::Ones(sample.rows() + 1, sample.cols() + 2);
  out.topRows(sample.rows()) << sample, extent.low, extent.high;
  return cut_apart(table, out);
}

Dataset all_rows(RowSums& table) {
  const Document state = table.total(pass_of("rows"));
  const Index d = table.n_inputs() + table.n_targets();
  Dataset out = cut_apart(table, matrix_of(state.at("columns"), "values", d + 1, any_size));
  if ((out.weights.array() == 1).all()) out.weights = {};
  return out;
}

std::optional<Document> accumulate(const Document& pass, const Dataset& block, Index first_row) {
  const std::string& name = pass.at("pass").as_string();
  if (name == "extent") return extent_state(block, first_row);
  if (name == "moments") return moment_state(pass, block);
  if (name == "sample") return sample_state(pass, block, first_row);
  if (name != "rows") return std::nullopt;
  return Document::Object{{"columns", Document::Object{{"values", weighted_columns(block)}}}};
}

}  // namespace condens::table_passes
