#include "tables.hpp"

#include <algorithm>
#include <cmath>

namespace condens::reproduce {

namespace {

/// A row of the paper's table, its numbers and ours.
struct Column {
  const char* title;
  Number number;
  Printed PrintedEstimator::*printed;
  double PrintedTable::*unit;
};

constexpr Column l1_column{"L1 test error", Number::l1, &PrintedEstimator::l1, &PrintedTable::l1_unit};
constexpr Column divergence_column{"Kullback-Leibler divergence", Number::inner, &PrintedEstimator::divergence,
                                   &PrintedTable::divergence_unit};

/// That of the estimator that a label begins with; nullptr: none.
const PrintedEstimator* printed_row(const PrintedTable& table, const std::string& method) {
  const std::string label = method.substr(0, method.find(' '));
  const auto found = std::find_if(table.estimators.begin(), table.estimators.end(),
                                  [&](const PrintedEstimator& row) { return label == row.label; });
  return found == table.estimators.end() ? nullptr : &*found;
}

std::vector<double> scaled(std::vector<double> values, double unit) {
  for (double& value : values) value /= unit;
  return values;
}

double deviation(const std::vector<double>& values) {
  return values.size() < 2 ? not_printed : summarize(values).standard_deviation;
}

double mean_or_nan(const std::vector<double>& values) { return values.empty() ? not_printed : mean(values); }

std::string number_or_dash(double value, int digits) { return std::isfinite(value) ? fixed(value, digits) : "-"; }

/// " × 10^2" for 0.01, nothing for 1.
std::string times(double unit) { return unit == 1 ? "" : " × 10^" + std::to_string(std::lround(-std::log10(unit))); }

std::string heading(const PrintedTable& table) {
  return densities()[table.density].name + ", N = " + std::to_string(table.n);
}

/// How far our mean is from the paper's, in standard errors of the difference.
double distance(const std::vector<double>& ours, const Printed& printed, double printed_error) {
  if (ours.size() < 2) return not_printed;
  return (mean(ours) - printed.mean) / std::hypot(standard_error(ours), printed_error);
}

std::string bold_if(bool bold, const std::string& text) { return bold ? "**" + text + "**" : text; }

Index paper_runs(const PrintedTable& table) {
  for (const PrintedTable& printed : printed_tables)
    if (printed.density == table.density) return printed.runs;
  return table.runs;
}

void print_column(const RecordBook& book, const Study& study, const Column& column, std::ostream& out) {
  const PrintedTable& table = study.table;
  const double unit = table.*column.unit;
  const bool has_whole = column.number == Number::inner;
  std::vector<std::string> header = {std::string(column.title) + times(unit),
                                     "paper",
                                     "ours",
                                     "paper's deviation",
                                     "our deviation",
                                     "(ours - paper)/error"};
  if (has_whole) header.push_back("ours over everything");
  MarkdownTable rows(header);
  for (const Method& method : study.methods) {
    const std::vector<double> ours = scaled(numbers_of(book, study, method.label, column.number).values, unit);
    if (ours.empty()) continue;
    const PrintedEstimator* row = printed_row(table, method.label);
    const Printed printed = row == nullptr ? Printed{} : row->*column.printed;
    const double printed_error = printed.deviation / std::sqrt(static_cast<double>(paper_runs(table)));
    const double far = distance(ours, printed, printed_error);
    std::vector<std::string> cells = {method.label,
                                      std::isfinite(printed.mean) ? plus_minus(printed.mean, printed_error, 3) : "-",
                                      mean_cell(ours, table.runs, 3),
                                      number_or_dash(printed.deviation, 2),
                                      number_or_dash(deviation(ours), 2),
                                      bold_if(std::abs(far) > 3, number_or_dash(far, 1))};
    if (has_whole)
      cells.push_back(
          mean_cell(scaled(numbers_of(book, study, method.label, Number::whole).values, unit), table.runs, 3));
    rows.add(cells);
  }
  if (!rows.empty()) rows.print(out);
}

void print_kernels(const RecordBook& book, const Study& study, std::ostream& out) {
  MarkdownTable rows(
      {"number of kernels", "paper", "fewest", "most", "ours", "fewest", "most", "chosen, before weights", "runs"});
  for (const Method& method : study.methods) {
    const std::vector<double> ours = numbers_of(book, study, method.label, Number::kernels).values;
    if (ours.empty()) continue;
    const PrintedEstimator* row = printed_row(study.table, method.label);
    const auto [least, most] = std::minmax_element(ours.begin(), ours.end());
    const double spread = ours.size() < 2 ? 0 : deviation(ours);
    rows.add({method.label, row == nullptr ? "-" : plus_minus(row->kernels.mean, row->kernels.deviation, 1),
              row == nullptr ? "-" : std::to_string(row->fewest), row == nullptr ? "-" : std::to_string(row->most),
              plus_minus(mean(ours), spread, 1), fixed(*least, 0), fixed(*most, 0),
              number_or_dash(mean_or_nan(numbers_of(book, study, method.label, Number::selected).values), 1),
              std::to_string(ours.size())});
  }
  if (!rows.empty()) rows.print(out);
}

void print_more(const RecordBook& book, const Study& study, std::ostream& out) {
  MarkdownTable rows({"more", "E log p/estimate (nats)", "seconds of a fit"});
  for (const Method& method : study.methods) {
    const std::vector<double> excess = numbers_of(book, study, method.label, Number::excess).values;
    if (excess.empty()) continue;
    rows.add({method.label, mean_cell(excess, study.table.runs, 4),
              significant(mean(numbers_of(book, study, method.label, Number::seconds).values))});
  }
  if (!rows.empty()) rows.print(out);
}

/// What the paper's table says of a - b.
double printed_difference(const Study& study, const std::string& a, const std::string& b, const Column& column) {
  const PrintedEstimator* first = printed_row(study.table, a);
  const PrintedEstimator* second = printed_row(study.table, b);
  if (first == nullptr || second == nullptr) return not_printed;
  return (first->*column.printed).mean - (second->*column.printed).mean;
}

/// The columns that the paper has for a table.
std::vector<Column> columns_of(const Study& study) {
  if (densities()[study.table.density].grid.whole.empty()) return {l1_column};
  return {l1_column, divergence_column};
}

void add_pairs(const RecordBook& book, const Study& study, const std::string& one, const std::vector<Method>& others,
               MarkdownTable& rows) {
  for (const Method& other : others) {
    if (other.label == one) continue;
    std::vector<std::string> cells = {one + " - " + other.label};
    for (const Column& column : columns_of(study)) {
      const double unit = study.table.*column.unit;
      const std::vector<double> difference = scaled(
          paired(numbers_of(book, study, one, column.number), numbers_of(book, study, other.label, column.number)),
          unit);
      cells.push_back(number_or_dash(printed_difference(study, one, other.label, column), 3));
      cells.push_back(bold_if(differ(difference), mean_cell(difference, study.table.runs, 3)));
    }
    if (std::any_of(cells.begin() + 1, cells.end(),
                    [](const std::string& text) { return text.find("±") != text.npos; }))
      rows.add(cells);
  }
}

void print_pairs(const RecordBook& book, const Study& study, std::ostream& out) {
  std::vector<std::string> header = {"difference, same runs"};
  for (const Column& column : columns_of(study)) {
    header.push_back(std::string(column.title) + times(study.table.*column.unit) + ", paper");
    header.push_back("ours");
  }
  MarkdownTable rows(header);
  add_pairs(book, study, "GSKD", paper_methods(), rows);
  add_pairs(book, study, "our GSKD", recommended_methods(), rows);
  for (std::size_t i = 0; i < paper_methods().size(); ++i)
    add_pairs(book, study, recommended_methods()[i].label, {paper_methods()[i]}, rows);
  if (!rows.empty()) rows.print(out);
}

/// N_K N_G (P_S + 2 M_I), the approximation that the paper's tables follow.
double boosting_count(const PrintedTable& table, double kernels) {
  return kernels * static_cast<double>(table.generations * (table.population + 2 * table.iterations));
}

std::string count_text(double value) { return std::isfinite(value) ? std::to_string(std::lround(value)) : "-"; }

}  // namespace

void print_tables(const RecordBook& book, const std::vector<Study>& studies, std::ostream& out) {
  for (const Study& study : studies) {
    out << "## " << study.table.name << ": " << heading(study.table) << " (" << study.table.runs << " runs)\n\n";
    for (const Column& column : columns_of(study)) print_column(book, study, column, out);
    print_kernels(book, study, out);
    print_pairs(book, study, out);
    print_more(book, study, out);
  }
}

void print_counts(const RecordBook& book, const std::vector<Study>& studies, std::ostream& out) {
  MarkdownTable rows({"evaluations", "SKD, paper", "N_K N", "counted", "GSKD, paper", "N_K N_G (P_S + 2 M_I)",
                      "counted", "by gradients", "our GSKD"});
  for (const Study& study : studies) {
    const PrintedTable& table = study.table;
    const auto mean_of = [&](const std::string& label, Number number) {
      return mean_or_nan(numbers_of(book, study, label, number).values);
    };
    const std::string name = std::string(table.counts_name).empty() ? "" : std::string(table.counts_name) + ", ";
    rows.add({name + heading(table), count_text(table.skd_evaluations),
              count_text(mean_of("SKD", Number::kernels) * static_cast<double>(table.n)),
              count_text(mean_of("SKD", Number::evaluations)), count_text(table.gskd_evaluations),
              count_text(boosting_count(table, mean_of("GSKD", Number::kernels))),
              count_text(mean_of("GSKD", Number::evaluations)),
              count_text(mean_of(gradient_method().label, Number::evaluations)),
              count_text(mean_of("our GSKD", Number::evaluations))});
  }
  rows.print(out);
}

void print_count_reasons(const RecordBook& book, const std::vector<Study>& studies, std::ostream& out) {
  MarkdownTable rows({"kernels and evaluations of GSKD", "kernels, paper", "left", "chosen", "counted / printed",
                      "(chosen + 1) / kernels of the paper", "chosen, stop at 5 %", "counted / printed"});
  for (const Study& study : studies) {
    const PrintedEstimator* row = printed_row(study.table, "GSKD");
    const auto mean_of = [&](const std::string& label, Number number) {
      return mean_or_nan(numbers_of(book, study, label, number).values);
    };
    const std::string stopped = "GSKD stop at 5 %";
    const double chosen = mean_of("GSKD", Number::selected);
    if (!std::isfinite(chosen) || !std::isfinite(study.table.gskd_evaluations)) continue;
    const double printed = study.table.gskd_evaluations;
    rows.add({heading(study.table), fixed(row->kernels.mean, 1), fixed(mean_of("GSKD", Number::kernels), 1),
              fixed(chosen, 1), fixed(mean_of("GSKD", Number::evaluations) / printed, 1),
              fixed((chosen + 1) / row->kernels.mean, 1), number_or_dash(mean_of(stopped, Number::selected), 1),
              number_or_dash(mean_of(stopped, Number::evaluations) / printed, 1)});
  }
  if (!rows.empty()) rows.print(out);
}

void print_standing(const RecordBook& book, const std::vector<Study>& studies, std::ostream& out) {
  const std::string own = "our GSKD";
  MarkdownTable rows(
      {"column", "measure", "best of our five", "its mean", "our GSKD", "difference, same runs", "verdict"});
  for (const Study& study : studies) {
    for (const Number number : {Number::l1, Number::excess}) {
      const double unit = number == Number::l1 ? study.table.l1_unit : 1.0;
      std::string best;
      double least = std::numeric_limits<double>::infinity();
      for (const Method& method : recommended_methods()) {
        const double found = mean_or_nan(numbers_of(book, study, method.label, number).values);
        if (found < least) {
          least = found;
          best = method.label;
        }
      }
      const Repetitions ours = numbers_of(book, study, own, number);
      if (best.empty() || ours.values.empty()) continue;
      const std::vector<double> difference = scaled(paired(ours, numbers_of(book, study, best, number)), unit);
      const double behind = mean_or_nan(difference) / standard_error(difference);
      rows.add({heading(study.table), number == Number::l1 ? "L1 test error" + times(unit) : "E log p/estimate (nats)",
                best, fixed(least / unit, 3), mean_cell(scaled(ours.values, unit), study.table.runs, 3),
                best == own ? "" : mean_cell(difference, study.table.runs, 3),
                best == own     ? "best"
                : behind <= 1.0 ? "within one standard error"
                                : fixed(behind, 1) + " standard errors behind"});
    }
  }
  if (!rows.empty()) rows.print(out);
}

void print_readings(const RecordBook& book, const std::vector<Study>& studies, std::ostream& out) {
  for (const Study& study : studies) {
    std::vector<std::string> header = {heading(study.table)};
    for (const Column& column : columns_of(study)) {
      header.push_back(std::string(column.title) + times(study.table.*column.unit) + ", paper");
      header.push_back("ours");
    }
    for (const char* title : {"E log p/estimate (nats)", "kernels, paper", "ours", "chosen, before weights"})
      header.push_back(title);
    MarkdownTable rows(header);
    for (const Method& method : study.methods) {
      const auto numbers = [&](Number number) { return numbers_of(book, study, method.label, number).values; };
      if (numbers(Number::l1).empty()) continue;
      const PrintedEstimator* row = printed_row(study.table, method.label);
      std::vector<std::string> cells = {method.label};
      for (const Column& column : columns_of(study)) {
        cells.push_back(row == nullptr ? "" : fixed((row->*column.printed).mean, 3));
        cells.push_back(mean_cell(scaled(numbers(column.number), study.table.*column.unit), study.table.runs, 3));
      }
      cells.push_back(mean_cell(numbers(Number::excess), study.table.runs, 3));
      cells.push_back(row == nullptr ? "" : fixed(row->kernels.mean, 1));
      cells.push_back(number_or_dash(mean_or_nan(numbers(Number::kernels)), 1));
      cells.push_back(number_or_dash(mean_or_nan(numbers(Number::selected)), 1));
      rows.add(cells);
    }
    if (!rows.empty()) rows.print(out);
  }
}

void print_searches(const RecordBook& book, const std::vector<Study>& studies, std::ostream& out) {
  const std::string& gradients = gradient_method().label;
  MarkdownTable rows({"by gradients / by boosting", "evaluations", "criterion J", "lower J in runs", "L1 test error"});
  for (const Study& study : studies) {
    const auto numbers = [&](const std::string& label, Number number) {
      return numbers_of(book, study, label, number);
    };
    const auto ratio = [&](Number number) {
      return mean_or_nan(numbers(gradients, number).values) / mean_or_nan(numbers("GSKD", number).values);
    };
    const std::vector<double> difference =
        paired(numbers(gradients, Number::criterion), numbers("GSKD", Number::criterion));
    if (difference.empty()) continue;
    const auto lower = std::count_if(difference.begin(), difference.end(), [](double value) { return value < 0; });
    rows.add({heading(study.table), significant(ratio(Number::evaluations)), significant(ratio(Number::criterion)),
              std::to_string(lower) + " of " + std::to_string(difference.size()), significant(ratio(Number::l1))});
  }
  if (!rows.empty()) rows.print(out);
}

}  // namespace condens::reproduce
