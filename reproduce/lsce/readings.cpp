#include "readings.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <limits>
#include <optional>

#include "common/data_files.hpp"
#include "common/markdown.hpp"
#include "common/repetitions.hpp"
#include "printed.hpp"

namespace condens::reproduce {

namespace {

constexpr Index every_row = 1000000;  // more than any n: "all samples when there are fewer"
constexpr double near_errors = 2.0;   // standard errors of a difference

enum class Units { deviation, range };
enum class Grid { paper, program, shiga };

/// A method without reduction and what is read into the paper.
struct Reading {
  std::string estimator;  ///< "lscde" or "ekde"
  Units units;            ///< of x and y: standard deviation 1 in the training rows, or [0, 1] over all rows
  Grid grid;
  Index centers;  ///< of LSCDE, as `masked`
  bool masked;

  std::string grid_name() const {
    return grid == Grid::paper ? "0.01 to 10" : grid == Grid::program ? "10^-1.5 to 10^1.5" : "0.01 to 5";
  }
  std::string units_name() const { return units == Units::deviation ? "unit variance" : "[0; 1]"; }
  std::string label() const {
    return estimator + " " + units_name() + " " + grid_name() + (centers == every_row ? " all centres" : "") +
           (masked ? " masked" : "");
  }
};

Document powers_of_ten(double low, double high, Index count) {
  std::vector<double> out;
  for (Index k = 0; k < count; ++k)
    out.push_back(std::pow(10, low + (high - low) * static_cast<double>(k) / static_cast<double>(count - 1)));
  return Document(out);
}

Document options_of(const Reading& reading) {
  Document out(Document::Object{});
  if (reading.units == Units::range) out.set("standardize", false);
  const bool is_lscde = reading.estimator == "lscde";
  if (reading.grid == Grid::program) {
    out.set(is_lscde ? "bandwidth" : "radius", powers_of_ten(-1.5, 1.5, 9));
    out.set(is_lscde ? "regularization" : "bandwidth_y",
            is_lscde ? powers_of_ten(-3, 1, 9) : powers_of_ten(-1.5, 1.5, 9));
  } else if (reading.grid == Grid::paper && !is_lscde) {
    const Document grid(std::vector<double>{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10});
    out.set("radius", grid).set("bandwidth_y", grid);
  }
  if (is_lscde)
    out.set("n_centers", reading.centers);
  else if (reading.grid != Grid::shiga)
    out.set("radius_of", "distance");
  return out;
}

std::vector<Reading> readings_of(const std::string& estimator) {
  std::vector<Reading> out;
  for (const Units units : {Units::deviation, Units::range}) {
    if (estimator == "ekde") {
      for (const Grid grid : {Grid::shiga, Grid::paper, Grid::program})
        out.push_back({estimator, units, grid, 0, false});
      continue;
    }
    for (const Grid grid : {Grid::paper, Grid::program})
      for (const Index centers : {Index{100}, every_row})
        for (const bool masked : {false, true}) out.push_back({estimator, units, grid, centers, masked});
  }
  return out;
}

Method method_of(const Reading& reading, const std::string& label, Scheme scheme) {
  const std::size_t color = scheme == Scheme::lsce ? 0 : scheme == Scheme::lsmi ? 1 : 2;
  return {label, scheme, reading.estimator, "paper", color, plot::LineKind::solid, reading.masked, options_of(reading)};
}

/// Every column from 0 to 1; one that is constant stays.
Observations on_unit_range(const Observations& values) {
  Matrix out = values;
  for (Index k = 0; k < out.rows(); ++k) {
    const double low = out.row(k).minCoeff();
    const double size = out.row(k).maxCoeff() - low;
    if (size > 0) out.row(k) = (out.row(k).array() - low) / size;
  }
  return out;
}

Dataset on_unit_range(const Dataset& data) { return {.x = on_unit_range(data.x), .y = on_unit_range(data.y)}; }

std::vector<Index> rows_between(Index begin, Index end) {
  std::vector<Index> out;
  for (Index i = begin; i < end; ++i) out.push_back(i);
  return out;
}

/// The same rows, with the ranges over those for training and test together.
Case on_unit_range(const Case& from) {
  return {from.name, from.levels, [from](Index level, Index repetition) {
            const Problem problem = from.problem(level, repetition);
            const Index n = problem.train.size();
            const Index all = n + problem.test.size();
            Matrix x(problem.train.x.rows(), all);
            Matrix y(problem.train.y.rows(), all);
            x << problem.train.x, problem.test.x;
            y << problem.train.y, problem.test.y;
            const Dataset both = on_unit_range(Dataset{.x = std::move(x), .y = std::move(y)});
            return Problem{.train = both.subset(rows_between(0, n)),
                           .test = both.subset(rows_between(n, all)),
                           .target_range = Vector::Ones(both.y.rows())};
          }};
}

/// Both parts with the ranges over all rows.
Problem toy_problem(const Toy& toy, Index n, Index repetition) {
  constexpr Index n_test = 1000;
  const Dataset all = on_unit_range(toy.sample(n + n_test, 2 * static_cast<std::uint64_t>(repetition)));
  return {.train = all.subset(rows_between(0, n)),
          .test = all.subset(rows_between(n, n + n_test)),
          .components = toy.components(),
          .target_range = Vector::Ones(1)};
}

const PrintedRow& printed_row(const std::string& name) {
  return *std::find_if(printed_rows.begin(), printed_rows.end(),
                       [&](const PrintedRow& row) { return row.name == name; });
}

/// None/LSCDE or None/eKDE.
Printed printed_column(const Reading& reading, const std::string& name) {
  const PrintedRow& row = printed_row(name);
  const Printed& value = row.error[reading.estimator == "lscde" ? 4 : 5];
  return {row.scale * value.mean, row.scale * value.error};
}

std::vector<double> values_at(const Report& report, const Case& from, Index level, const std::string& label,
                              Number number) {
  return repetitions_of(report.book, from.name, level, label, report.study.repetitions,
                        static_cast<std::size_t>(number))
      .values;
}

struct Distance {
  Index sets = 0;
  Index near = 0;                 ///< sets within two standard errors of the difference
  std::vector<double> errors;     ///< of every set: |ours - printed| in those
  std::vector<double> log_ratio;  ///< |log(ours / printed)|; infinite where ours is not negative

  bool operator<(const Distance& other) const { return mean(log_ratio) < mean(other.log_ratio); }
};

Distance distance_of(const Report& report, const Reading& reading, Number score) {
  Distance out;
  for (const Case& from : report.study.cases) {
    const std::vector<double> own = values_at(report, from, from.levels[0], reading.label(), score);
    if (own.size() < 2) continue;
    const Printed printed = printed_column(reading, from.name);
    const double ours = mean(own);
    out.errors.push_back(std::abs(ours - printed.mean) / std::hypot(standard_error(own), printed.error));
    out.log_ratio.push_back(ours < 0 ? std::abs(std::log(ours / printed.mean))
                                     : std::numeric_limits<double>::infinity());
    ++out.sets;
    out.near += out.errors.back() <= near_errors ? 1 : 0;
  }
  return out;
}

struct Nearest {
  Reading reading;
  Number score;
  Distance distance;
};

constexpr Number scores[] = {Number::squared, Number::ranged};

std::string score_name(Number score) { return score == Number::squared ? "unit variance" : "[0; 1]"; }

/// Of the least mean of |log ratio|, which every set counts in, and large standard errors do not help.
std::optional<Nearest> nearest_reading(const Report& report, const std::string& estimator) {
  std::optional<Nearest> out;
  for (const Reading& reading : readings_of(estimator))
    for (const Number score : scores) {
      Distance distance = distance_of(report, reading, score);
      if (distance.sets == 0) continue;
      if (!out || distance < out->distance) out = Nearest{reading, score, std::move(distance)};
    }
  return out;
}

void print_crossing(const Report& report, const std::string& estimator, std::ostream& out) {
  const bool is_lscde = estimator == "lscde";
  std::vector<std::string> header = {"x and y", "grid"};
  if (is_lscde) header.insert(header.end(), {"centres", "held-out centres"});
  for (const Number score : scores)
    for (const char* what : {": near", ": errors", ": log ratio"}) header.push_back(score_name(score) + what);
  MarkdownTable table(header);
  for (const Reading& reading : readings_of(estimator)) {
    std::vector<std::string> row = {reading.units_name(), reading.grid_name()};
    if (is_lscde) {
      row.push_back(reading.centers == every_row ? "all" : std::to_string(reading.centers));
      row.push_back(reading.masked ? "masked" : "kept");
    }
    for (const Number score : scores) {
      const Distance distance = distance_of(report, reading, score);
      if (distance.sets == 0) {
        row.insert(row.end(), {"-", "-", "-"});
        continue;
      }
      row.push_back(std::to_string(distance.near) + " of " + std::to_string(distance.sets));
      row.push_back(fixed(median(distance.errors), 1));
      row.push_back(fixed(mean(distance.log_ratio), 2));
    }
    table.add(row);
  }
  table.print(out);
}

/// The column of the nearest reading, set by set.
void print_nearest(const Report& report, const std::string& estimator, std::ostream& out) {
  const std::optional<Nearest> nearest = nearest_reading(report, estimator);
  if (!nearest) return;
  out << "Nearest: " << nearest->reading.label() << ", scored at " << score_name(nearest->score) << ".\n\n";
  MarkdownTable table({"data", "ours", "printed", "difference in standard errors"});
  for (const Case& from : report.study.cases) {
    const std::vector<double> own = values_at(report, from, from.levels[0], nearest->reading.label(), nearest->score);
    if (own.size() < 2) continue;
    const Printed printed = printed_column(nearest->reading, from.name);
    const double difference = (mean(own) - printed.mean) / std::hypot(standard_error(own), printed.error);
    table.add({from.name, mean_cell(own, report.study.repetitions, 2), plus_minus(printed.mean, printed.error),
               fixed(difference, 1)});
  }
  table.print(out);
}

std::vector<Method> nearest_methods(const Report& readings) {
  std::vector<Method> out;
  const std::optional<Nearest> nearest = nearest_reading(readings, "lscde");
  if (!nearest) return out;
  for (const Scheme scheme : {Scheme::lsce, Scheme::lsmi, Scheme::none}) {
    const char* name = scheme == Scheme::lsce ? "LSCE" : scheme == Scheme::lsmi ? "LSMI" : "None";
    out.push_back(method_of(nearest->reading, name + ("/" + nearest->reading.label()), scheme));
  }
  return out;
}

}  // namespace

Study readings_study(Scale scale, const std::string& directory) {
  const bool full = scale == Scale::full;
  Study out{{}, {}, full ? 10 : 2};
  for (const char* estimator : {"lscde", "ekde"})
    for (const Reading& reading : readings_of(estimator))
      out.methods.push_back(method_of(reading, reading.label(), Scheme::none));
  for (const PrintedRow& row : printed_rows) {
    if (row.file[0] == '\0') continue;
    if (const std::optional<Dataset> data = load(directory, row.file))
      out.cases.push_back(split_case(row.name, full ? row.n : std::min<Index>(row.n, 60), on_unit_range(*data)));
    else
      std::cerr << "reproduce_lsce: data set " << row.name << " is not available and left out\n";
  }
  return out;
}

void print_readings(const Report& report, std::ostream& out) {
  out << "Each row is a fit, scored with y on two scales. Near: sets whose mean is within two standard errors of the "
         "difference from\nthe printed one. Errors: by how many of them it differs, median over the sets. Log ratio: "
         "absolute logarithm of ours over\nthe printed one, mean over the sets; infinite where ours is positive. "
         "Nearest "
         "is the least log ratio: every set counts in it,\nand large errors do not help.\n\n";
  out << "### None/LSCDE (" << report.study.repetitions << " runs)\n\n";
  print_crossing(report, "lscde", out);
  print_nearest(report, "lscde", out);
  out << "### None/eKDE\n\n";
  print_crossing(report, "ekde", out);
  print_nearest(report, "ekde", out);
}

Study simulator_reading_study(Study study) {
  for (Case& from : study.cases) from = on_unit_range(from);
  const Reading lscde{"lscde", Units::range, Grid::program, 100, true};
  const Reading ekde{"ekde", Units::range, Grid::program, 0, false};
  study.methods = {
      method_of(lscde, "LSCE/LSCDE [0; 1]", Scheme::lsce), method_of(lscde, "LSMI/LSCDE [0; 1]", Scheme::lsmi),
      method_of(lscde, "None/LSCDE [0; 1]", Scheme::none), method_of(ekde, "None/eKDE [0; 1]", Scheme::none)};
  return study;
}

Study nearest_toy_study(Scale scale, const Report& readings) {
  const bool full = scale == Scale::full;
  const Toy toy = toy_b();
  const std::vector<Index> sizes = full ? std::vector<Index>{50, 100, 200} : std::vector<Index>{50};
  return {{{toy.name, sizes, [toy](Index n, Index repetition) { return toy_problem(toy, n, repetition); }}},
          nearest_methods(readings),
          full ? 20 : 2};
}

Study nearest_table_study(Scale scale, const Report& readings) {
  return {readings.study.cases, nearest_methods(readings), scale == Scale::full ? 10 : 2};
}

void print_nearest_toy(const Report& report, std::ostream& out) {
  const std::vector<Method>& methods = report.study.methods;
  if (methods.empty()) return;
  for (const auto& [number, name] :
       {std::pair{Number::subspace, "Error_DR"}, std::pair{Number::squared, "Error_CDE"}}) {
    const Pairs pairs = {{methods[0].label, methods[1].label}};
    for (const Case& from : report.study.cases) {
      std::vector<std::string> header = {std::string(name) + ", " + from.name};
      for (const Index level : from.levels) header.push_back("n = " + std::to_string(level));
      MarkdownTable table(header);
      for (const Method& method : methods) {
        if (number == Number::subspace && method.scheme == Scheme::none) continue;
        std::vector<std::string> row = {method.label};
        for (const Index level : from.levels)
          row.push_back(mean_cell(values_at(report, from, level, method.label, number), report.study.repetitions, 3));
        table.add(row);
      }
      table.print(out);
    }
    print_pairs(report, number, name, pairs, out);
  }
}

void print_nearest_table(const Report& report, const Report& readings, std::ostream& out) {
  const std::optional<Nearest> nearest = nearest_reading(readings, "lscde");
  if (!nearest) return;
  const Number score = nearest->score;
  MarkdownTable table({"data", "LSCE/LSCDE", "printed", "LSMI/LSCDE", "printed", "LSCE - LSMI", "d_z of LSCE",
                       "printed", "d_z of LSMI", "printed", "seconds of LSCE", "of LSMI"});
  const std::vector<Method>& methods = report.study.methods;
  std::array<Index, 2> sets = {0, 0};   // of two runs or more
  std::array<Index, 2> close = {0, 0};  // to the printed mean
  for (const Case& from : report.study.cases) {
    const PrintedRow& row = printed_row(from.name);
    std::vector<std::string> cells = {from.name};
    const auto of = [&](const Method& method, Number number) {
      return repetitions_of(report.book, from.name, from.levels[0], method.label, report.study.repetitions,
                            static_cast<std::size_t>(number));
    };
    const auto cell = [&](const std::vector<double>& values, int digits) {
      return mean_cell(values, report.study.repetitions, digits);
    };
    for (const std::size_t m : {std::size_t{0}, std::size_t{1}}) {
      const Printed& printed = row.error[2 * m];
      const std::vector<double> own = of(methods[m], score).values;
      cells.push_back(cell(own, 2));
      cells.push_back(plus_minus(row.scale * printed.mean, row.scale * printed.error));
      if (own.size() < 2) continue;
      const double error = std::hypot(standard_error(own), row.scale * printed.error);
      ++sets[m];
      close[m] += std::abs(mean(own) - row.scale * printed.mean) <= near_errors * error ? 1 : 0;
    }
    cells.push_back(cell(paired(of(methods[0], score), of(methods[1], score)), 2));
    for (const std::size_t m : {std::size_t{0}, std::size_t{1}}) {
      const Printed& printed = row.dimension[2 * m];
      cells.push_back(cell(of(methods[m], Number::components).values, 1));
      cells.push_back(plus_minus(printed.mean, printed.error, 1));
    }
    for (const std::size_t m : {std::size_t{0}, std::size_t{1}})
      cells.push_back(cell(of(methods[m], Number::seconds).values, 1));
    table.add(cells);
  }
  table.print(out);
  out << "Within two standard errors of the difference from print: LSCE/LSCDE on " << close[0] << " of " << sets[0]
      << ", LSMI/LSCDE on " << close[1] << " of " << sets[1] << " sets.\n\n";
}

}  // namespace condens::reproduce
