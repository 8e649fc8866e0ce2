#include "tables.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>

#include "common/data_files.hpp"
#include "common/markdown.hpp"
#include "common/repetitions.hpp"
#include "condens/plot/line_chart.hpp"

namespace condens::reproduce {

namespace {

using Values = std::vector<double>;
using Getter = std::function<double(const TrialRecord&)>;

Getter get(Number number) {
  return [place = static_cast<std::size_t>(number)](const TrialRecord& record) { return record[place]; };
}

struct Metric {
  std::string name;  ///< of the column or axis
  std::string stem;  ///< of the picture; empty: none
  Getter number;
  int digits;
  bool log_scale;
};

const Metric nll{"NLL", "nll", get(Number::capped), 3, false};
const Metric nll_exact{"NLL, exact", "", get(Number::exact), 3, false};
const Metric squared{"squared error, integrated over y", "mse", get(Number::integrated), 4, true};
const Metric averaged{"squared error, averaged over test y", "", get(Number::averaged), 4, false};
const Metric seconds{"seconds of one core", "time", get(Number::seconds), 3, true};
const Metric selected{"inputs selected", "", get(Number::selected), 1, false};
const Metric found{"relevant inputs selected", "", get(Number::found), 1, false};

std::string capitalized(std::string text) {
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

Repetitions column(const Report& report, const Case& from, Index level, const std::string& method,
                   const Getter& number) {
  return repetitions_of(report.book, from.name, level, method, report.study.repetitions(level), number);
}

/// The most repetitions that any method has: fewer than planned as long as the study goes on.
Index reached(const Report& report, const Case& from, Index level) {
  Index out = 0;
  for (const Method& method : report.study.methods)
    out = std::max(
        out, static_cast<Index>(std::ssize(column(report, from, level, method.label, get(Number::capped)).values)));
  return out;
}

bool has_any(const Report& report, const Case& from, const Metric& metric) {
  for (const Method& method : report.study.methods)
    for (const Index level : from.levels)
      if (!column(report, from, level, method.label, metric.number).values.empty()) return true;
  return false;
}

/// Whether the cap is at work anywhere.
bool cap_matters(const Report& report, const Case& from) {
  const Getter gap = [](const TrialRecord& r) { return std::abs(get(Number::exact)(r) - get(Number::capped)(r)); };
  for (const Method& method : report.study.methods)
    for (const Index level : from.levels)
      for (const double value : column(report, from, level, method.label, gap).values)
        if (value > 5e-4) return true;
  return false;
}

/// Mean over the repetitions that any method has of the NLL of the truth; NaN where it is not known.
double truth_at(const Report& report, const Case& from, Index level) {
  for (const Method& method : report.study.methods) {
    const Repetitions truth = column(report, from, level, method.label, get(Number::truth));
    if (std::ssize(truth.values) == reached(report, from, level)) return mean(truth.values);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

void print_metric(const Report& report, const Case& from, const Metric& metric, std::ostream& out) {
  if (!has_any(report, from, metric) || (&metric == &nll_exact && !cap_matters(report, from))) return;
  std::vector<std::string> header = {metric.name};
  std::vector<std::string> repetitions = {"repetitions"};
  for (const Index level : from.levels) {
    header.push_back(report.level_name + " = " + std::to_string(level));
    repetitions.push_back(std::to_string(reached(report, from, level)));
  }
  MarkdownTable table(header);
  for (const Method& method : report.study.methods) {
    std::vector<std::string> row = {method.label};
    for (const Index level : from.levels)
      row.push_back(mean_cell(column(report, from, level, method.label, metric.number).values,
                              reached(report, from, level), metric.digits));
    if (std::any_of(row.begin() + 1, row.end(), [](const std::string& text) { return text != "-"; })) table.add(row);
  }
  if (&metric == &nll && std::isfinite(truth_at(report, from, from.levels[0]))) {
    std::vector<std::string> row = {"true density"};
    for (const Index level : from.levels) {
      const double truth = truth_at(report, from, level);
      row.push_back(std::isfinite(truth) ? fixed(truth, 3) : "-");
    }
    table.add(row);
  }
  table.add(repetitions);
  table.print(out);
}

/// One curve for each method, whose bars are standard errors.
void draw_metric(const Report& report, const Case& from, const Metric& metric, std::ostream& out) {
  if (metric.stem.empty() || from.levels.size() < 2 || !has_any(report, from, metric)) return;
  plot::LineChart chart{.title = capitalized(from.name),
                        .x_label = report.level_name,
                        .y_label = metric.name,
                        .log_x = report.log_levels,
                        .log_y = metric.log_scale};
  const Index n = std::ssize(from.levels);
  const Vector x = Eigen::Map<const Eigen::Matrix<Index, Eigen::Dynamic, 1>>(from.levels.data(), n).cast<double>();
  for (const Method& method : report.study.methods) {
    plot::LineSeries series{
        .name = method.label, .x = x, .y = Vector(n), .error = Vector(n), .color = method.color, .kind = method.line};
    for (Index k = 0; k < n; ++k) {
      const Values values =
          column(report, from, from.levels[static_cast<std::size_t>(k)], method.label, metric.number).values;
      series.y[k] = values.empty() ? std::numeric_limits<double>::quiet_NaN() : mean(values);
      series.error[k] = standard_error(values);
    }
    if (series.y.array().isFinite().any()) chart.series.push_back(std::move(series));
  }
  if (metric.stem == "nll" && std::isfinite(truth_at(report, from, from.levels.front()))) {
    plot::LineSeries truth{.name = "true density", .x = x, .y = Vector(n), .color = 6, .markers = false};
    for (Index k = 0; k < n; ++k) truth.y[k] = truth_at(report, from, from.levels[static_cast<std::size_t>(k)]);
    chart.series.push_back(std::move(truth));
  }
  std::string file = report.stem + "-" + from.name + "-" + metric.stem + ".svg";
  std::replace(file.begin(), file.end(), ' ', '-');
  write_text(std::filesystem::path(report.pictures) / file, plot::line_chart(chart));
  out << "![" << metric.name << "](pictures/" << file << ")\n\n";
}

struct Comparison {
  std::vector<Repetitions> columns;  ///< of the methods
  std::size_t best = 0;
};

Comparison compare(const Report& report, const Case& from) {
  Comparison out;
  double least = std::numeric_limits<double>::infinity();
  for (const Method& method : report.study.methods) {
    out.columns.push_back(column(report, from, from.levels[0], method.label, nll.number));
    const Values& values = out.columns.back().values;
    if (values.empty() || mean(values) >= least) continue;
    least = mean(values);
    out.best = out.columns.size() - 1;
  }
  return out;
}

std::vector<double> ranks(const Comparison& comparison) {
  std::vector<double> means;
  for (const Repetitions& c : comparison.columns)
    means.push_back(c.values.empty() ? std::numeric_limits<double>::infinity() : mean(c.values));
  std::vector<double> out;
  for (const double m : means)
    out.push_back(1.0 +
                  static_cast<double>(std::count_if(means.begin(), means.end(), [&](double o) { return o < m; })));
  return out;
}

}  // namespace

void print_by_level(const Report& report, std::ostream& out) {
  std::filesystem::create_directories(report.pictures);
  for (const Case& from : report.study.cases) {
    out << "### " << capitalized(from.name) << "\n\n";
    for (const Metric* metric : {&nll, &nll_exact, &squared, &averaged, &seconds, &selected, &found}) {
      print_metric(report, from, *metric, out);
      draw_metric(report, from, *metric, out);
    }
  }
}

void print_by_data(const Report& report, std::ostream& out) {
  const std::size_t n_methods = report.study.methods.size();
  std::vector<std::string> header = {"data set"};
  for (const Method& method : report.study.methods) header.push_back(method.label);
  header.emplace_back("repetitions");
  MarkdownTable table(header);
  Values rank_sums(n_methods, 0.0);
  Values log_times(n_methods, 0.0);
  for (const Case& from : report.study.cases) {
    const Comparison comparison = compare(report, from);
    const Values own_ranks = ranks(comparison);
    std::vector<std::string> row = {from.name};
    for (std::size_t m = 0; m < n_methods; ++m) {
      const Repetitions& own = comparison.columns[m];
      const std::string text = mean_cell(own.values, reached(report, from, from.levels[0]), 2);
      const bool bold = !own.values.empty() && !differ(paired(own, comparison.columns[comparison.best]));
      row.push_back(bold ? "**" + text + "**" : text);
      rank_sums[m] += own_ranks[m];
      log_times[m] +=
          std::log(mean(column(report, from, from.levels[0], report.study.methods[m].label, seconds.number).values));
    }
    row.push_back(std::to_string(reached(report, from, from.levels[0])));
    table.add(row);
  }
  const double n = static_cast<double>(report.study.cases.size());
  const double fastest = *std::min_element(log_times.begin(), log_times.end()) / n;
  std::vector<std::string> rank_row = {"mean rank"};
  std::vector<std::string> time_row = {"relative time"};
  for (std::size_t m = 0; m < n_methods; ++m) {
    rank_row.push_back(fixed(rank_sums[m] / n, 1));
    time_row.push_back(significant(std::exp(log_times[m] / n - fastest)));
  }
  for (std::vector<std::string>* row : {&rank_row, &time_row}) row->emplace_back("");
  table.add(rank_row);
  table.add(time_row);
  table.print(out);
}

void print_across(const Report& report, std::ostream& out) {
  const Getter above = [](const TrialRecord& r) { return get(Number::capped)(r) - get(Number::truth)(r); };
  const Metric excess{"NLL - NLL of the truth", "", above, 3, false};
  for (const Metric& metric : {excess, squared, averaged, seconds, selected, found}) {
    std::vector<std::string> header = {metric.name};
    for (const Case& from : report.study.cases) header.push_back(from.name);
    MarkdownTable table(header);
    for (const Method& method : report.study.methods) {
      std::vector<std::string> row = {method.label};
      for (const Case& from : report.study.cases)
        row.push_back(mean_cell(column(report, from, from.levels[0], method.label, metric.number).values,
                                reached(report, from, from.levels[0]), metric.digits));
      if (std::any_of(row.begin() + 1, row.end(), [](const std::string& text) { return text != "-"; })) table.add(row);
    }
    if (!table.empty()) table.print(out);
  }
}

void print_growth(const Report& report, std::ostream& out) {
  std::vector<std::string> header = {"method"};
  for (const Case& from : report.study.cases)
    header.push_back(from.name + ", " + std::to_string(from.levels.front()) + " to " +
                     std::to_string(from.levels.back()));
  MarkdownTable table(header);
  for (const Method& method : report.study.methods) {
    std::vector<std::string> row = {method.label};
    for (const Case& from : report.study.cases) {
      const Repetitions last = column(report, from, from.levels.back(), method.label, nll.number);
      const Values growth = paired(last, column(report, from, from.levels.front(), method.label, nll.number));
      row.push_back(mean_cell(growth, reached(report, from, from.levels.front()), 3));
    }
    table.add(row);
  }
  if (table.empty()) return;
  out << "### NLL at the last " << report.level_name << " - NLL at the first\n\n";
  table.print(out);
}

void print_pairs(const Report& report, const std::vector<std::pair<std::string, std::string>>& pairs,
                 std::ostream& out) {
  MarkdownTable table({"methods", "data", report.level_name, "difference of NLL", "ratio of times"});
  for (const auto& [first, second] : pairs) {
    for (const Case& from : report.study.cases) {
      for (const Index level : from.levels) {
        const auto of = [&](const std::string& method, const Metric& metric) {
          return column(report, from, level, method, metric.number);
        };
        const Values difference = paired(of(first, nll), of(second, nll));
        if (difference.empty()) continue;
        table.add({first + " - " + second, from.name, std::to_string(level),
                   mean_cell(difference, reached(report, from, level), 3),
                   significant(mean(of(first, seconds).values) / mean(of(second, seconds).values))});
      }
    }
  }
  if (table.empty()) return;
  out << "### Pairs of methods\n\n";
  table.print(out);
}

}  // namespace condens::reproduce
