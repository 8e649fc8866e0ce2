#include "condens/metrics/coverage_slices.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"

namespace condens {

namespace {

constexpr Index n_fifths = 5;

/// Rows of a slice, by the part of the input that it is.
struct SliceRows {
  std::string part;
  std::vector<Index> rows;
};

/// By values where there are few, else fifths of about as many rows; equal values stay together.
std::vector<SliceRows> cut_by_number(const Vector& values) {
  std::vector<Index> known;
  SliceRows missing{"missing", {}};
  for (Index i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i]))
      missing.rows.push_back(i);
    else
      known.push_back(i);
  }
  std::stable_sort(known.begin(), known.end(), [&](Index a, Index b) { return values[a] < values[b]; });
  std::vector<std::size_t> begins;  // of different values
  for (std::size_t k = 0; k < known.size(); ++k) {
    if (k == 0 || values[known[k]] > values[known[k - 1]]) begins.push_back(k);
  }
  const bool few = std::ssize(begins) <= n_fifths;
  std::vector<SliceRows> out;
  std::size_t begin = 0;
  for (std::size_t b = 0; b < begins.size(); ++b) {
    const std::size_t end = b + 1 < begins.size() ? begins[b + 1] : known.size();
    const std::size_t wanted = known.size() * (out.size() + 1) / static_cast<std::size_t>(n_fifths);
    if (!few && end < std::max(wanted, begin + 1) && end < known.size()) continue;
    const double low = values[known[begin]];
    const double high = values[known[end - 1]];
    SliceRows slice{low == high ? message(low) : message("[", low, ", ", high, "]"), {}};
    slice.rows.assign(known.begin() + static_cast<std::ptrdiff_t>(begin),
                      known.begin() + static_cast<std::ptrdiff_t>(end));
    std::sort(slice.rows.begin(), slice.rows.end());
    out.push_back(std::move(slice));
    begin = end;
  }
  if (!missing.rows.empty()) out.push_back(std::move(missing));
  return out;
}

/// By levels, which the numbers that stand for them tell; "(other)" for none of them.
std::vector<SliceRows> cut_by_level(const EncodedColumn& column, const MatrixView& codes) {
  const Matrix keys = column.values();
  std::vector<SliceRows> all;
  for (const std::string& level : column.levels) all.push_back({level, {}});
  all.push_back({"(other)", {}});
  for (Index i = 0; i < codes.cols(); ++i) {
    std::size_t at = 0;
    while (at < column.levels.size() && !(keys.col(static_cast<Index>(at)) == codes.col(i))) ++at;
    all[at].rows.push_back(i);
  }
  std::erase_if(all, [](const SliceRows& own) { return own.rows.empty(); });
  return all;
}

Vector of_rows(const Vector& values, const std::vector<Index>& rows) {
  return values.size() == 0 ? Vector() : Vector(values(rows));
}

/// A share of rows with its binomial standard error, and the number of rows that this is of.
std::pair<Score, double> share_of(const Vector& inside, const Vector& weights) {
  const double share = mean_score(inside, weights).value;
  const double size =
      weights.size() == 0 ? static_cast<double>(inside.size()) : weights.sum() * weights.sum() / weights.squaredNorm();
  return {{share, std::sqrt(share * (1.0 - share) / size)}, size};
}

}  // namespace

CoverageSlices coverage_slices(const Encoder& encoder, const Dataset& data, const Vector& y,
                               const MatrixView& intervals, double level, bool guaranteed) {
  const Index n = data.size();
  require(level > 0.0 && level < 1.0, "coverage_slices: level = ", level, ", expected a probability in (0, 1)");
  require(n > 0 && y.size() == n && intervals.cols() == n && intervals.rows() == 2 && data.x.cols() == n,
          "coverage_slices: ", n, " rows, ", y.size(), " targets and ", intervals.cols(),
          " intervals, expected as many of each, at least one");
  const Vector width = (intervals.row(1) - intervals.row(0)).transpose();
  const Vector inside =
      ((y.array() >= intervals.row(0).transpose().array()) && (y.array() <= intervals.row(1).transpose().array()))
          .cast<double>();
  CoverageSlices out{level, guaranteed, share_of(inside, data.weights).first, {}, std::nullopt};
  const auto add = [&](const std::string& input, const std::vector<SliceRows>& parts) {
    for (const SliceRows& own : parts) {
      const Vector weights = of_rows(data.weights, own.rows);
      if (weights.size() > 0 && !(weights.maxCoeff() > 0.0)) continue;
      const auto [coverage, size] = share_of(inside(own.rows), weights);
      const double z = (coverage.value - level) / std::sqrt(level * (1.0 - level) / size);
      const Vector own_width = width(own.rows);
      const double mean = own_width.allFinite() ? mean_score(own_width, weights).value : infinity;
      out.slices.push_back({input, own.part, std::ssize(own.rows), coverage, mean, z});
    }
  };
  const auto& columns = encoder.input_columns();
  const std::vector<std::vector<Index>> rows_of = encoder.groups();
  const std::vector<std::string> names = encoder.encoded_names();
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].is_categorical()) {
      add(columns[c].name, cut_by_level(columns[c], Matrix(data.x(rows_of[c], Eigen::all))));
      continue;
    }
    for (const Index row : rows_of[c]) {
      add(names[static_cast<std::size_t>(row)], cut_by_number(data.x.row(row).transpose()));
    }
  }
  add("width", cut_by_number(width));
  for (std::size_t k = 0; k < out.slices.size(); ++k) {
    const double z = out.slices[k].z;
    if (z < 0.0 && (!out.worst || z < out.slices[*out.worst].z)) out.worst = k;
  }
  return out;
}

CoverageSlices coverage_slices(const ConditionalDensity& density, const std::optional<TargetDecoder>& target,
                               const std::optional<Conformal>& conformal, const Encoder& encoder, const Dataset& data,
                               double level, const Run& run) {
  constexpr Index rows_together = 1024;
  require(data.y.rows() == 1, "coverage_slices: there are ", data.y.rows(), " targets, expected one");
  Matrix ends(2, data.size());
  for (Index block = 0; block < block_count(data.size(), rows_together); ++block) {
    const Range range = block_range(data.size(), rows_together, block);
    const auto x = data.x.middleCols(range.begin, range.size());
    const auto of_laws = [&](const auto& laws) -> Matrix {
      return conformal ? conformal_intervals(*conformal, laws, level, x, std::nullopt, run) : laws.interval(level, run);
    };
    ends.middleCols(range.begin, range.size()) =
        target ? of_laws(target->predict(density, x, run)) : of_laws(density.predict(x, run));
  }
  return coverage_slices(encoder, data, data.y.row(0).transpose(), ends, level, conformal.has_value());
}

Document to_document(const CoverageSlices& slices) {
  const auto finite = [](double value) { return std::isfinite(value) ? Document(value) : Document(); };
  Document::Array parts;
  for (const CoverageSlice& own : slices.slices) {
    parts.emplace_back(Document::Object{{"input", own.input},
                                        {"part", own.part},
                                        {"rows", own.rows},
                                        {"coverage", own.coverage.value},
                                        {"standard_error", own.coverage.standard_error},
                                        {"width", finite(own.width)},
                                        {"z", own.z}});
  }
  Document out(Document::Object{{"level", slices.level},
                                {"guaranteed", slices.guaranteed},
                                {"coverage", slices.coverage.value},
                                {"standard_error", slices.coverage.standard_error}});
  out.set("slices", parts);
  return out.set("worst", slices.worst ? parts[*slices.worst] : Document());
}

}  // namespace condens
