#include "tables.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <numeric>

#include "common/data_files.hpp"
#include "common/markdown.hpp"
#include "common/repetitions.hpp"
#include "condens/plot/line_chart.hpp"
#include "printed.hpp"

namespace condens::reproduce {

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr double two_sided = 2.0;  ///< standard errors of a difference that counts as one

/// The finite values of the repetitions that are there.
Repetitions values_of(const Report& report, const Case& from, Index level, const std::string& method, Number number) {
  return repetitions_of(report.book, from.name, level, method, report.study.repetitions,
                        static_cast<std::size_t>(number));
}

/// Error_CDE of the truth, over the repetitions of the method that has most of them.
double truth_at(const Report& report, const Case& from, Index level) {
  Repetitions most;
  for (const Method& method : report.study.methods) {
    Repetitions own = values_of(report, from, level, method.label, Number::truth);
    if (own.values.size() > most.values.size()) most = std::move(own);
  }
  return most.values.empty() ? none : mean(most.values);
}

std::string file_name(std::string text) {
  std::erase_if(text, [](char c) { return c == '(' || c == ')'; });
  std::replace(text.begin(), text.end(), ' ', '-');
  return text + ".svg";
}

void print_levels(const Report& report, const Case& from, Number number, const std::string& name, int digits,
                  const std::function<bool(const Method&)>& listed, std::ostream& out) {
  std::vector<std::string> header = {name};
  for (const Index level : from.levels) header.push_back("n = " + std::to_string(level));
  MarkdownTable table(header);
  for (const Method& method : report.study.methods) {
    if (!listed(method)) continue;
    std::vector<std::string> row = {method.label};
    for (const Index level : from.levels)
      row.push_back(
          mean_cell(values_of(report, from, level, method.label, number).values, report.study.repetitions, digits));
    table.add(row);
  }
  if (number == Number::squared) {
    std::vector<std::string> row = {"true density"};
    for (const Index level : from.levels) row.push_back(fixed(truth_at(report, from, level), digits));
    table.add(row);
  }
  table.print(out);
}

/// One curve for each method, whose bars are standard errors.
void draw_levels(const Report& report, const Case& from, Number number, const std::string& name,
                 const std::string& stem, const std::function<bool(const Method&)>& listed, std::ostream& out) {
  plot::LineChart chart{.title = from.name, .x_label = "n", .y_label = name};
  const Index n = std::ssize(from.levels);
  const Vector x = Eigen::Map<const Eigen::Matrix<Index, Eigen::Dynamic, 1>>(from.levels.data(), n).cast<double>();
  for (const Method& method : report.study.methods) {
    if (!listed(method)) continue;
    plot::LineSeries series{
        .name = method.label, .x = x, .y = Vector(n), .error = Vector(n), .color = method.color, .kind = method.line};
    for (Index k = 0; k < n; ++k) {
      const std::vector<double> values =
          values_of(report, from, from.levels[static_cast<std::size_t>(k)], method.label, number).values;
      series.y[k] = values.empty() ? none : mean(values);
      series.error[k] = standard_error(values);
    }
    if (series.y.array().isFinite().any()) chart.series.push_back(std::move(series));
  }
  if (chart.series.empty()) return;
  if (number == Number::squared) {
    plot::LineSeries truth{.name = "true density", .x = x, .y = Vector(n), .color = 6, .markers = false};
    for (Index k = 0; k < n; ++k) truth.y[k] = truth_at(report, from, from.levels[static_cast<std::size_t>(k)]);
    chart.series.push_back(std::move(truth));
  }
  const std::string file = file_name(from.name + "-" + stem);
  write_text(std::filesystem::path(report.pictures) / file, plot::line_chart(chart));
  out << "![" << name << "](pictures/" << file << ")\n\n";
}

bool searches(const Method& method) {
  return method.scheme != Scheme::none && method.scheme != Scheme::truth && method.estimator == "lscde";
}

std::string emphasized(const std::string& text, bool bold) { return bold ? "**" + text + "**" : text; }

struct Comparison {
  std::vector<Repetitions> columns;  ///< of the methods
  std::size_t best = 0;
};

Comparison compare(const Report& report, const Case& from, const std::vector<Method>& methods, Number number) {
  Comparison out;
  double least = std::numeric_limits<double>::infinity();
  for (const Method& method : methods) {
    out.columns.push_back(values_of(report, from, from.levels[0], method.label, number));
    const std::vector<double>& values = out.columns.back().values;
    if (values.empty() || mean(values) >= least) continue;
    least = mean(values);
    out.best = out.columns.size() - 1;
  }
  return out;
}

/// The cells of a row: the best, and what a paired t-test does not tell from it, are bold.
std::vector<std::string> bold_cells(const Comparison& comparison, Index planned) {
  std::vector<std::string> out;
  for (const Repetitions& own : comparison.columns) {
    const std::string text = mean_cell(own.values, planned, 2);
    const bool bold = !own.values.empty() && !differ(paired(own, comparison.columns[comparison.best]));
    out.push_back(emphasized(text, bold));
  }
  return out;
}

std::vector<double> ranks(const Comparison& comparison) {
  std::vector<double> means;
  for (const Repetitions& own : comparison.columns)
    means.push_back(own.values.empty() ? std::numeric_limits<double>::infinity() : mean(own.values));
  std::vector<double> out;
  for (const double m : means)
    out.push_back(1.0 +
                  static_cast<double>(std::count_if(means.begin(), means.end(), [&](double o) { return o < m; })));
  return out;
}

std::vector<std::string> labels(const std::string& first, const std::vector<Method>& methods) {
  std::vector<std::string> out = {first};
  for (const Method& method : methods) out.push_back(method.label);
  return out;
}

const Case* case_of(const Report& report, const PrintedRow& row) {
  for (const Case& from : report.study.cases)
    if (from.name == row.name) return &from;
  return nullptr;
}

std::string title(const PrintedRow& row) {
  return std::string(row.name) + " (" + std::to_string(row.inputs) + ", " + std::to_string(row.targets) +
         "), n = " + std::to_string(row.n);
}

/// Rows of the study; of the public sets those that are not available, too.
bool is_listed(const Report& report, const PrintedRow& row) {
  const auto is_public = [](const PrintedRow& own) { return own.file[0] != '\0'; };
  if (case_of(report, row) != nullptr) return true;
  return is_public(row) && std::any_of(printed_rows.begin(), printed_rows.end(), [&](const PrintedRow& own) {
           return is_public(own) && case_of(report, own) != nullptr;
         });
}

/// The rows of a printed table below ours; `printed` of a row in the order of `methods`.
void print_beside(const Report& report, const std::vector<Method>& methods, Number number, int digits,
                  const std::function<std::vector<Printed>(const PrintedRow&)>& printed, std::ostream& out) {
  MarkdownTable table(labels("(d_x, d_y), n", methods));
  for (const PrintedRow& row : printed_rows) {
    if (!is_listed(report, row)) continue;
    std::vector<std::string> ours = {title(row)};
    const Case* from = case_of(report, row);
    if (from == nullptr) {
      ours.insert(ours.end(), methods.size(), "not available");
    } else if (number != Number::components) {
      for (std::string& text : bold_cells(compare(report, *from, methods, number), report.study.repetitions))
        ours.push_back(std::move(text));
    } else {
      for (const Repetitions& own : compare(report, *from, methods, number).columns)
        ours.push_back(mean_cell(own.values, report.study.repetitions, digits));
    }
    std::vector<std::string> theirs = {"printed"};
    for (const Printed& value : printed(row)) theirs.push_back(plus_minus(value.mean, value.error, digits));
    table.add(ours);
    table.add(theirs);
  }
  table.print(out);
}

std::vector<Printed> printed_errors(const PrintedRow& row) {
  std::vector<Printed> out;
  for (const Printed& value : row.error) out.push_back({row.scale * value.mean, row.scale * value.error});
  return out;
}

/// Ours - printed where they are further apart than two standard errors of the difference.
void print_differences(const Report& report, std::ostream& out) {
  const std::vector<Method> methods = paper_methods();
  MarkdownTable table(labels("ours - printed", methods));
  std::vector<Index> better(methods.size(), 0);
  std::vector<Index> worse(methods.size(), 0);
  for (const PrintedRow& row : printed_rows) {
    const Case* from = case_of(report, row);
    if (from == nullptr) continue;
    std::vector<std::string> cells = {row.name};
    const std::vector<Printed> printed = printed_errors(row);
    for (std::size_t m = 0; m < methods.size(); ++m) {
      const std::vector<double> own =
          values_of(report, *from, from->levels[0], methods[m].label, Number::ranged).values;
      if (own.size() < 2) {
        cells.emplace_back("-");
        continue;
      }
      const double difference = mean(own) - printed[m].mean;
      const double error = std::hypot(standard_error(own), printed[m].error);
      const bool apart = std::abs(difference) > two_sided * error;
      if (apart) ++(difference < 0 ? better : worse)[m];
      const std::string text = plus_minus(difference, error);
      cells.push_back(emphasized(text, apart));
    }
    table.add(cells);
  }
  std::vector<std::string> summary = {"better / worse"};
  for (std::size_t m = 0; m < methods.size(); ++m)
    summary.push_back(std::to_string(better[m]) + " / " + std::to_string(worse[m]));
  table.add(summary);
  table.print(out);
}

void print_all_methods(const Report& report, Number number, const std::string& name, std::ostream& out) {
  const std::vector<Method>& methods = report.study.methods;
  MarkdownTable table(labels(name, methods));
  std::vector<double> rank_sums(methods.size(), 0.0);
  for (const Case& from : report.study.cases) {
    const Comparison comparison = compare(report, from, methods, number);
    const std::vector<double> own_ranks = ranks(comparison);
    std::vector<std::string> row = {from.name};
    for (std::string& text : bold_cells(comparison, report.study.repetitions)) row.push_back(std::move(text));
    for (std::size_t m = 0; m < methods.size(); ++m) rank_sums[m] += own_ranks[m];
    table.add(row);
  }
  std::vector<std::string> rank_row = {"mean rank"};
  for (const double sum : rank_sums) rank_row.push_back(fixed(sum / static_cast<double>(report.study.cases.size()), 1));
  table.add(rank_row);
  table.print(out);
}

void print_plain(const Report& report, Number number, const std::string& name, int digits,
                 const std::vector<Method>& methods, std::ostream& out) {
  MarkdownTable table(labels(name, methods));
  for (const Case& from : report.study.cases) {
    std::vector<std::string> row = {from.name};
    for (const Method& method : methods)
      row.push_back(mean_cell(values_of(report, from, from.levels[0], method.label, number).values,
                              report.study.repetitions, digits));
    table.add(row);
  }
  table.print(out);
}

using PrintedOf = std::function<std::vector<Printed>(const PrintedRow&)>;

/// How many pairs of methods come in the order of the printed numbers, by their means.
void print_orders(const Report& report, const std::vector<Method>& methods, Number number, const PrintedOf& printed,
                  std::ostream& out) {
  const auto in_order = [&](const std::vector<double>& means) {
    std::vector<std::size_t> order(methods.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return means[a] < means[b]; });
    std::string text;
    for (const std::size_t m : order) text += (text.empty() ? "" : ", ") + methods[m].label;
    return text;
  };
  MarkdownTable table(
      {"best first", "ours", "printed", "pairs in the printed order"});  // of sets where none is missing
  for (const PrintedRow& row : printed_rows) {
    const Case* from = case_of(report, row);
    if (from == nullptr) continue;
    std::vector<double> ours;
    std::vector<double> theirs;
    for (const Repetitions& own : compare(report, *from, methods, number).columns)
      ours.push_back(own.values.empty() ? std::numeric_limits<double>::infinity() : mean(own.values));
    if (*std::max_element(ours.begin(), ours.end()) == std::numeric_limits<double>::infinity()) continue;
    for (const Printed& own : printed(row)) theirs.push_back(own.mean);
    Index same = 0;
    Index all = 0;
    for (std::size_t a = 0; a < methods.size(); ++a)
      for (std::size_t b = 0; b < a; ++b, ++all) same += (ours[a] < ours[b]) == (theirs[a] < theirs[b]) ? 1 : 0;
    table.add({row.name, in_order(ours), in_order(theirs), std::to_string(same) + " of " + std::to_string(all)});
  }
  table.print(out);
}

/// Of the methods of simulator_reading_study.
std::vector<Printed> four_errors(const PrintedRow& row) {
  const std::vector<Printed> all = printed_errors(row);
  return {all[0], all[2], all[4], all[5]};
}

/// Table 1 with x and y in [0, 1].
void print_reading_table(const Report& reading, std::ostream& out) {
  out << "With x and y in [0, 1], the grid of the authors' program, held-out centres masked:\n\n";
  print_beside(reading, reading.study.methods, Number::ranged, 2, four_errors, out);
}

std::vector<Method> reducing_methods() {
  std::vector<Method> out = paper_methods();
  std::erase_if(out, [](const Method& method) { return method.scheme == Scheme::none; });
  return out;
}

/// Beside the printed ones; then LSCE - LSMI, ours paired by the split, the printed with the errors as if independent.
void print_dimensions(const Report& report, std::ostream& out) {
  print_beside(
      report, reducing_methods(), Number::components, 1,
      [](const PrintedRow& row) { return std::vector<Printed>(row.dimension.begin(), row.dimension.end()); }, out);
  out << "By how many components LSMI reduces further than LSCE; bold: a two-sided paired t-test at 5 % tells it from "
         "zero,\nor in print more than two standard errors.\n\n";
  MarkdownTable table({"LSCE - LSMI", "LSCDE", "printed", "eKDE", "printed"});
  for (const PrintedRow& row : printed_rows) {
    const Case* from = case_of(report, row);
    if (from == nullptr) continue;
    std::vector<std::string> cells = {row.name};
    std::size_t place = 0;
    for (const std::string estimator : {"LSCDE", "eKDE"}) {
      const auto of = [&](const std::string& scheme) {
        return values_of(report, *from, from->levels[0], scheme + "/" + estimator, Number::components);
      };
      const std::vector<double> own = paired(of("LSCE"), of("LSMI"));
      const Printed& lsce = row.dimension[place];
      const Printed& lsmi = row.dimension[place + 2];
      const double difference = lsce.mean - lsmi.mean;
      const double error = std::hypot(lsce.error, lsmi.error);
      cells.push_back(emphasized(mean_cell(own, report.study.repetitions, 1), differ(own)));
      cells.push_back(emphasized(plus_minus(difference, error, 1), std::abs(difference) > two_sided * error));
      ++place;
    }
    table.add(cells);
  }
  table.print(out);
}

}  // namespace

void print_by_size(const Report& report, std::ostream& out) {
  std::filesystem::create_directories(report.pictures);
  const auto every = [](const Method&) { return true; };
  const auto with_lscde = [](const Method& method) { return method.estimator == "lscde"; };
  const auto with_ekde = [](const Method& method) { return method.estimator == "ekde"; };
  for (const Case& from : report.study.cases) {
    out << "### Figure 3, " << from.name << " (" << report.study.repetitions << " runs)\n\n";
    print_levels(report, from, Number::subspace, "Error_DR", 3, searches, out);
    draw_levels(report, from, Number::subspace, "Error_DR", "subspace", searches, out);
    print_levels(report, from, Number::squared, "Error_CDE", 3, every, out);
    draw_levels(report, from, Number::squared, "Error_CDE", "density-lscde", with_lscde, out);
    draw_levels(report, from, Number::squared, "Error_CDE", "density-ekde", with_ekde, out);
    print_levels(report, from, Number::nll, "NLL", 3, every, out);
    print_levels(report, from, Number::seconds, "seconds of one core", 2, every, out);
  }
}

void print_pairs(const Report& report, Number number, const std::string& name, const Pairs& pairs, std::ostream& out) {
  for (const Case& from : report.study.cases) {
    std::vector<std::string> header = {name + ", " + from.name};
    for (const Index level : from.levels) header.push_back("n = " + std::to_string(level));
    MarkdownTable table(header);
    for (const auto& [first, second] : pairs) {
      std::vector<std::string> row = {first + " - " + second};
      for (const Index level : from.levels) {
        const std::vector<double> difference =
            paired(values_of(report, from, level, first, number), values_of(report, from, level, second, number));
        const std::string text = mean_cell(difference, report.study.repetitions, 3);
        row.push_back(emphasized(text, differ(difference)));
      }
      table.add(row);
    }
    table.print(out);
  }
}

void print_table_1(const Report& report, std::ostream& out) {
  out << "### Table 1: Error_CDE of y divided by its range (" << report.study.repetitions << " runs)\n\n";
  print_beside(report, paper_methods(), Number::ranged, 2, printed_errors, out);
  print_beside(
      report, masked_methods(), Number::ranged, 2,
      [](const PrintedRow& row) {
        const std::vector<Printed> all = printed_errors(row);
        return std::vector<Printed>{all[0], all[2], all[4]};
      },
      out);
  out << "Ours - printed ± the standard error of the difference; bold: more than two of them.\n\n";
  print_differences(report, out);
  out << "### All methods, y at unit variance\n\n";
  print_all_methods(report, Number::squared, "Error_CDE", out);
  print_all_methods(report, Number::nll, "NLL", out);
  print_plain(report, Number::seconds, "seconds of one core", 1, report.study.methods, out);
}

void print_sumie(const Report& report, const Report& reading, std::ostream& out) {
  out << "### Table 1, Sumi-e: Error_CDE, y at unit variance (" << report.study.repetitions << " runs)\n\n";
  print_beside(report, paper_methods(), Number::squared, 2, printed_errors, out);
  print_orders(report, paper_methods(), Number::squared, printed_errors, out);
  print_reading_table(reading, out);
  print_orders(reading, reading.study.methods, Number::ranged, four_errors, out);
  out << "All methods, y at unit variance:\n\n";
  Study both = report.study;
  both.methods.insert(both.methods.end(), reading.study.methods.begin(), reading.study.methods.end());
  const Report all{both, report.book, report.pictures};
  print_all_methods(all, Number::squared, "Error_CDE", out);
  print_all_methods(all, Number::nll, "NLL", out);
  print_plain(all, Number::components, "d_z", 1, both.methods, out);
  print_plain(all, Number::seconds, "seconds of one core", 1, both.methods, out);
  out << "### Table 2, Sumi-e: chosen number of components\n\n";
  print_dimensions(report, out);
}

void print_reading(const Report& reading, std::ostream& out) {
  print_reading_table(reading, out);
  print_plain(reading, Number::nll, "NLL", 2, reading.study.methods, out);
  print_plain(reading, Number::components, "d_z", 1, reading.study.methods, out);
}

void print_table_2(const Report& report, std::ostream& out) {
  out << "### Table 2: chosen number of components (" << report.study.repetitions << " runs)\n\n";
  print_dimensions(report, out);
  const std::vector<Method> methods = reducing_methods();
  std::vector<Method> others = report.study.methods;
  std::erase_if(others, [&](const Method& method) {
    return method.scheme == Scheme::none ||
           std::any_of(methods.begin(), methods.end(), [&](const Method& m) { return m.label == method.label; });
  });
  print_plain(report, Number::components, "not in the paper", 1, others, out);
}

}  // namespace condens::reproduce
