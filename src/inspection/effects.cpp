#include "condens/inspection/effects.hpp"

#include <algorithm>
#include <cmath>

#include "condens/core/errors.hpp"
#include "condens/metrics/scores.hpp"
#include "data/splits.hpp"
#include "numbers.hpp"

namespace condens {

namespace {

constexpr const char* effect_name = "effect";

/// The rows that take part.
Dataset some_of(const Dataset& data, Index most, Index seed) {
  if (most == 0 || data.x.cols() <= most) return data;
  const std::vector<Index> rows = random_rows(data.x.cols(), most, RandomStream(static_cast<std::uint64_t>(seed)));
  Dataset out{.x = data.x(Eigen::all, rows), .y = Matrix(data.y.rows(), 0)};
  if (data.y.cols() == data.x.cols()) out.y = data.y(Eigen::all, rows);
  if (data.weights.size() > 0) out.weights = data.weights(rows);
  return out;
}

class OneInput {
 public:
  OneInput(const Inspected& model, const std::vector<Functional>& of, const InspectedInput& input, const Dataset& data,
           const EffectOptions& options, const Run& run)
      : model_(model), of_(of), input_(input), data_(data), options_(options), run_(run) {
    if (data.y.cols() == data.x.cols()) y_ = data.y.row(model.target).transpose();
    for (Index i = 0; i < data.x.cols(); ++i) {
      const double value = input.rows.empty() ? 0.0 : data.x(input.rows.front(), i);
      bool known = !std::isnan(value);
      for (const Index mark : input.marks) known = known && data.x(mark, i) == 0.0;
      if (known) known_.push_back(i);
    }
  }

  Effect dependence() const {
    Effect out = start();
    out.kind = EffectKind::dependence;
    const bool levels = !input_.levels.empty();
    if (levels)
      out.levels = input_.levels;
    else
      out.grid = quantiles(options_.points);
    const Index points = levels ? std::ssize(out.levels) : out.grid.size();
    const Index n = data_.x.cols();
    const Matrix found = ask(
        model_, n * points,
        [&](Range range) {
          return columns(
              range, [&](Index i) { return i % n; },
              [&](Index i, Eigen::Ref<Vector>& x) {
                const Index k = i / n;
                if (levels)
                  set_level(k, x);
                else
                  set_number(out.grid[k], x);
              });
        },
        n_measures(), measure_of(of_), "partial dependence", run_);
    for (Index f = 0; f < n_measures(); ++f) {
      const Matrix curve = found.row(f).reshaped(n, points);
      const Vector middle = curve.rowwise().mean();
      for (Index k = 0; k < points; ++k) {
        out.values(f, k) = mean_score(curve.col(k), data_.weights).value - out.base[f];
        // Of differences to a row's own mean: what rows have in common moves the curve as a whole.
        out.standard_errors(f, k) = mean_score(curve.col(k) - middle, data_.weights).standard_error;
      }
    }
    return out;
  }

  Effect local() const {
    Effect out = start();
    out.kind = EffectKind::local;
    out.grid = quantiles(options_.points + 1);
    const Index bins = out.grid.size() - 1;
    const Index n = std::ssize(known_);
    const Index place = input_.rows.front();
    std::vector<std::vector<Index>> rows_of_bin(static_cast<std::size_t>(bins));
    std::vector<Index> bin_of;
    for (Index i = 0; i < n; ++i) {
      const double value = data_.x(place, row(i));
      const auto edge = std::lower_bound(out.grid.begin(), out.grid.end(), value) - out.grid.begin();
      bin_of.push_back(std::clamp<Index>(edge - 1, 0, bins - 1));
      rows_of_bin[static_cast<std::size_t>(bin_of.back())].push_back(i);
    }
    const Matrix found = ask(
        model_, 2 * n,
        [&](Range range) {
          return columns(
              range, [&](Index i) { return row(i % n); },
              [&](Index i, Eigen::Ref<Vector>& x) {
                x[place] = out.grid[bin_of[static_cast<std::size_t>(i % n)] + (i < n ? 0 : 1)];
              });
        },
        n_measures(), measure_of(of_), "local effects", run_);
    const Vector weights = data_.weights.size() > 0 ? Vector(data_.weights(known_)) : Vector();
    for (Index f = 0; f < n_measures(); ++f) {
      const Vector change = (found.row(f).tail(n) - found.row(f).head(n)).transpose();
      out.values(f, 0) = out.standard_errors(f, 0) = 0.0;
      double middle = 0.0;
      double total = 0.0;
      for (Index b = 0; b < bins; ++b) {
        const std::vector<Index>& own = rows_of_bin[static_cast<std::size_t>(b)];
        const Vector own_weights = weights.size() > 0 ? Vector(weights(own)) : Vector();
        const double size = weights.size() > 0 ? own_weights.sum() : static_cast<double>(own.size());
        // Of a bin without weight nothing is known: no change. Of a single row there is no error to be had.
        const Score step = size > 0 ? mean_score(change(own), own_weights) : Score{0.0, 0.0};
        const double error = std::isfinite(step.standard_error) ? step.standard_error : 0.0;
        out.values(f, b + 1) = out.values(f, b) + step.value;
        out.standard_errors(f, b + 1) = std::hypot(out.standard_errors(f, b), error);
        middle += size * 0.5 * (out.values(f, b) + out.values(f, b + 1));
        total += size;
      }
      out.values.row(f).array() -= middle / total;
    }
    return out;
  }

 private:
  Index n_measures() const { return std::ssize(of_); }
  Index row(Index i) const { return known_[static_cast<std::size_t>(i)]; }

  /// What both kinds have.
  Effect start() const {
    Effect out{.input = input_.name,
               .kind = {},
               .levels = {},
               .grid = {},
               .of = of_,
               .base = Vector(n_measures()),
               .values = {},
               .standard_errors = {},
               .n_rows = data_.x.cols()};
    const Matrix own = ask(
        model_, data_.x.cols(),
        [&](Range range) {
          return columns(
              range, [](Index i) { return i; }, [](Index, Eigen::Ref<Vector>&) {});
        },
        n_measures(), measure_of(of_), "predictions", run_);
    for (Index f = 0; f < n_measures(); ++f) {
      out.base[f] = mean_score(own.row(f).transpose(), data_.weights).value;
    }
    const Index points =
        input_.levels.empty() ? quantiles(options_.points + (is_local() ? 1 : 0)).size() : std::ssize(input_.levels);
    out.values = out.standard_errors = Matrix::Zero(n_measures(), points);
    return out;
  }
  bool is_local() const { return options_.kind == EffectKind::local; }

  /// At most `count` values of the input at evenly spaced ranks, from the least to the largest.
  Vector quantiles(Index count) const {
    std::vector<double> sorted;
    for (const Index i : known_) sorted.push_back(data_.x(input_.rows.front(), i));
    std::sort(sorted.begin(), sorted.end());
    std::vector<double> out;
    const auto n = std::ssize(sorted);
    for (Index k = 0; k < count && n > 0; ++k) {
      const Index rank = (k * n + count - 2) / (count - 1);  // k n / (count - 1) rounded up, counting from 1
      out.push_back(sorted[static_cast<std::size_t>(std::max<Index>(0, rank - 1))]);
    }
    out.erase(std::unique(out.begin(), out.end()), out.end());
    require(out.size() > 1, effect_name, ": input '", input_.name, "' ",
            out.empty() ? std::string("is missing in all rows") : "is always " + format_number(out.front()),
            ", expected at least two values");
    return Eigen::Map<const Vector>(out.data(), std::ssize(out));
  }

  void set_number(double value, Eigen::Ref<Vector>& x) const {
    x(input_.rows).setZero();
    x[input_.rows.front()] = value;
  }
  void set_level(Index level, Eigen::Ref<Vector>& x) const {
    if (input_.codes.size() > 0) {
      x(input_.rows) = input_.codes.col(level);
      return;
    }
    if (input_.rows.size() == 1) {  // the indicator of the second of two levels
      x[input_.rows.front()] = static_cast<double>(level);
      return;
    }
    x(input_.rows).setZero();
    x[input_.rows[static_cast<std::size_t>(level)]] = 1.0;
  }

  template <class RowOf, class Change>
  Asked columns(Range range, const RowOf& row_of, const Change& change) const {
    Asked out{Matrix(data_.x.rows(), range.size()), Vector(y_.size() > 0 ? range.size() : 0)};
    for (Index i = 0; i < range.size(); ++i) {
      const Index from = row_of(range.begin + i);
      out.x.col(i) = data_.x.col(from);
      if (y_.size() > 0) out.y[i] = y_[from];
      Eigen::Ref<Vector> x = out.x.col(i);
      change(range.begin + i, x);
    }
    return out;
  }

  const Inspected& model_;
  const std::vector<Functional>& of_;
  const InspectedInput& input_;
  const Dataset& data_;
  const EffectOptions& options_;
  const Run& run_;
  Vector y_;
  std::vector<Index> known_;  // rows in which the input is not missing
};

}  // namespace

Effect effect(const Inspected& model, const std::vector<Functional>& of, const InspectedInput& input,
              const Dataset& data, const EffectOptions& options, const Run& run) {
  model.check(effect_name, data.x);
  check_targets(effect_name, of, data.y.cols(), data.x.cols());
  require(options.points >= 2, effect_name, ": points = ", options.points, ", expected at least 2");
  require(options.max_rows >= 0, effect_name, ": max_rows = ", options.max_rows, ", expected a number >= 0");
  require(input.levels.size() != 1, effect_name, ": input '", input.name, "' is always ",
          input.levels.empty() ? "" : input.levels.front(), ", expected at least two levels");
  require(!input.levels.empty() || input.rows.size() == input.marks.size() + 1, effect_name, ": input '", input.name,
          "' is several numbers, expected one number or a category");
  EffectOptions own = options;
  if (!input.levels.empty()) own.kind = EffectKind::dependence;
  const Dataset rows = some_of(data, options.max_rows, options.seed);
  const OneInput asked(model, of, input, rows, own, run);
  return own.kind == EffectKind::local ? asked.local() : asked.dependence();
}

}  // namespace condens
