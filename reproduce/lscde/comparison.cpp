#include "comparison.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "common/markdown.hpp"
#include "common/repetitions.hpp"
#include "condens/plot/axes.hpp"

namespace condens::reproduce {

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();

using Methods = std::vector<Method>;

Methods methods_of(const Report& report, const std::function<bool(const Method&)>& listed) {
  Methods out;
  std::copy_if(report.study.methods.begin(), report.study.methods.end(), std::back_inserter(out), listed);
  return out;
}

Methods methods_of(const Report& report, Origin origin) {
  return methods_of(report, [=](const Method& method) { return method.origin == origin; });
}

/// The finite values of the repetitions that are there.
Repetitions values_of(const Report& report, const Case& from, const std::string& method, Number number) {
  return repetitions_of(report.book, from.name, from.n, method, report.study.repetitions,
                        static_cast<std::size_t>(number));
}

/// Infinite where there is none.
double mean_or_infinite(const Repetitions& own) { return own.values.empty() ? infinite : mean(own.values); }

struct Comparison {
  std::vector<Repetitions> columns;  ///< of the methods
  std::size_t best = 0;              ///< of least mean

  /// The best, or what a paired t-test does not tell from it.
  bool is_good(std::size_t m) const { return !columns[m].values.empty() && !differ(paired(columns[m], columns[best])); }
};

Comparison compare(const Report& report, const Case& from, const Methods& methods, Number number) {
  Comparison out;
  for (const Method& method : methods) out.columns.push_back(values_of(report, from, method.label, number));
  for (std::size_t m = 1; m < out.columns.size(); ++m)
    if (mean_or_infinite(out.columns[m]) < mean_or_infinite(out.columns[out.best])) out.best = m;
  return out;
}

std::vector<std::string> labels(const std::string& first, const Methods& methods) {
  std::vector<std::string> out = {first};
  for (const Method& method : methods) out.push_back(method.label);
  return out;
}

std::string title(const Case& from) {
  return from.name + " (" + std::to_string(from.n) + ", " + std::to_string(from.inputs) + ")";
}

std::string bold_if(bool bold, const std::string& text) { return bold ? "**" + text + "**" : text; }

void append_cells(std::vector<std::string>& row, const Comparison& comparison, Index planned) {
  for (std::size_t m = 0; m < comparison.columns.size(); ++m)
    row.push_back(bold_if(comparison.is_good(m), mean_cell(comparison.columns[m].values, planned, 2)));
}

/// 1 for the least; equal ones share the better rank. NaN for one that is not finite.
std::vector<double> ranks(const std::vector<double>& means) {
  std::vector<double> out;
  for (const double own : means) {
    const auto smaller = std::count_if(means.begin(), means.end(), [&](double other) { return other < own; });
    out.push_back(std::isfinite(own) ? 1.0 + static_cast<double>(smaller) : none);
  }
  return out;
}

std::vector<double> means_of(const Comparison& comparison) {
  std::vector<double> out;
  for (const Repetitions& own : comparison.columns) out.push_back(mean_or_infinite(own));
  return out;
}

std::vector<double> printed_means(const Case& from, const Methods& methods) {
  std::vector<double> out;
  for (const Method& method : methods) out.push_back(from.printed[method.column].mean);
  return out;
}

/// Column by column, the mean over the rows that have a number.
std::vector<std::string> mean_row(const std::string& name, const std::vector<std::vector<double>>& rows) {
  std::vector<std::string> out = {name};
  for (std::size_t m = 0; !rows.empty() && m < rows.front().size(); ++m) {
    std::vector<double> finite;
    for (const std::vector<double>& row : rows)
      if (std::isfinite(row[m])) finite.push_back(row[m]);
    out.push_back(finite.empty() ? "-" : fixed(mean(finite), 1));
  }
  return out;
}

/// On how many data our mean is within two standard errors of the printed one.
std::string agreement(const Report& report, const Method& method) {
  Index agree = 0;
  Index data = 0;
  for (const Case& from : report.study.cases) {
    const Repetitions own = values_of(report, from, method.label, Number::capped);
    const Printed& printed = from.printed[method.column];
    if (own.values.size() < 2 || std::isnan(printed.mean)) continue;
    ++data;
    agree += std::abs(standardized_difference(mean(own.values), standard_error(own.values), printed)) <= 2;
  }
  return std::to_string(agree) + " of " + std::to_string(data);
}

/// Over all data: the sum of the mean seconds of one fit.
double seconds_of(const Report& report, const std::string& method) {
  double out = 0;
  for (const Case& from : report.study.cases) {
    const Repetitions own = values_of(report, from, method, Number::seconds);
    if (!own.values.empty()) out += mean(own.values);
  }
  return out;
}

std::vector<std::string> printed_row(const Case& from, const Methods& methods) {
  const std::vector<double> means = printed_means(from, methods);
  double least = infinite;
  for (const double value : means) least = std::isnan(value) ? least : std::min(least, value);
  std::vector<std::string> out = {"printed"};
  for (const Method& method : methods) {
    const Printed& own = from.printed[method.column];
    out.push_back(std::isnan(own.mean) ? "-" : bold_if(own.mean == least, plus_minus(own.mean, own.deviation)));
  }
  return out;
}

/// Paired differences a - b of the scores, of the repetitions that both have.
std::vector<double> gap(const Report& report, const Case& from, const std::string& a, const std::string& b,
                        Number number) {
  return paired(values_of(report, from, a, number), values_of(report, from, b, number));
}

/// One method over all data.
struct Sums {
  std::vector<double> exact;  ///< means
  std::vector<double> medians;
  std::vector<double> capped;
  std::vector<double> ranks;
  Index good = 0;

  void add(const std::vector<double>& own_exact, const std::vector<double>& own_capped, double rank, bool is_good) {
    exact.push_back(mean(own_exact));
    medians.push_back(median(own_exact));
    capped.push_back(mean(own_capped));
    ranks.push_back(rank);
    good += is_good;
  }

  std::vector<std::string> row(const std::string& name, double seconds) const {
    return {name,
            std::to_string(exact.size()),
            fixed(mean(exact), 3),
            fixed(mean(medians), 3),
            fixed(mean(capped), 3),
            fixed(mean(ranks), 1),
            std::to_string(good),
            significant(seconds)};
  }
};

/// How often one method has the smaller mean, ours and printed.
struct Order {
  Index data = 0;
  Index less = 0;
  Index surely_less = 0;  ///< by a paired t-test
  Index more = 0;
  Index surely_more = 0;
  Index printed_less = 0;
  Index printed_more = 0;
  Index same = 0;  ///< sign

  void add(const std::vector<double>& difference, double printed) {
    if (difference.empty()) return;
    const double own = mean(difference);
    ++data;
    less += own < 0;
    surely_less += own < 0 && differ(difference);
    more += own > 0;
    surely_more += own > 0 && differ(difference);
    printed_less += printed < 0;
    printed_more += printed > 0;
    same += own * printed > 0;
  }

  std::vector<std::string> row(const std::string& name) const {
    std::vector<std::string> out = {name};
    for (const Index count : {data, less, surely_less, more, surely_more, printed_less, printed_more, same})
      out.push_back(std::to_string(count));
    return out;
  }
};

}  // namespace

void print_beside(const Report& report, std::ostream& out) {
  const Methods methods = methods_of(report, Origin::paper);
  MarkdownTable table(labels("(n, d_x)", methods));
  std::vector<std::vector<double>> own_ranks;
  std::vector<std::vector<double>> printed_ranks;
  for (const Case& from : report.study.cases) {
    const Comparison comparison = compare(report, from, methods, Number::capped);
    std::vector<std::string> row = {title(from)};
    append_cells(row, comparison, report.study.repetitions);
    table.add(row);
    table.add(printed_row(from, methods));
    own_ranks.push_back(ranks(means_of(comparison)));
    printed_ranks.push_back(ranks(printed_means(from, methods)));
  }
  table.add(mean_row("mean rank", own_ranks));
  table.add(mean_row("printed", printed_ranks));
  std::vector<std::string> agree = {"agree with the printed"};
  std::vector<std::string> time = {"time"};
  std::vector<std::string> printed = {"printed"};
  for (const Method& method : methods) {
    agree.push_back(agreement(report, method));
    time.push_back(significant(seconds_of(report, method.label) / seconds_of(report, methods.front().label)));
    const double theirs = report.study.printed_times[method.column];
    printed.push_back(std::isnan(theirs) ? "-" : plot::short_number(theirs));
  }
  if (report.study.same_data) table.add(agree);
  table.add(time);
  table.add(printed);
  table.print(out);
}

void print_order(const Report& report, std::ostream& out) {
  const Methods methods = methods_of(report, Origin::paper);
  const Method& first = methods.front();
  MarkdownTable table({first.label + " against", "data", "less", "of these by the test", "more", "of these by the test",
                       "printed: less", "printed: more", "same sign"});
  for (std::size_t m = 1; m < methods.size(); ++m) {
    Order order;
    for (const Case& from : report.study.cases) {
      const double printed = from.printed[first.column].mean - from.printed[methods[m].column].mean;
      order.add(gap(report, from, first.label, methods[m].label, Number::capped), printed);
    }
    table.add(order.row(methods[m].label));
  }
  table.print(out);
}

void print_exact(const Report& report, std::ostream& out) {
  const Methods methods = methods_of(report, [](const Method& method) { return method.origin != Origin::recommended; });
  MarkdownTable table(labels("exact", methods));
  for (const Case& from : report.study.cases) {
    std::vector<std::string> row = {title(from)};
    append_cells(row, compare(report, from, methods, Number::exact), report.study.repetitions);
    table.add(row);
  }
  table.print(out);
}

void print_recommended(const Report& report, std::ostream& out) {
  const Methods papers = methods_of(report, Origin::paper);
  const Methods ours = methods_of(report, Origin::recommended);
  std::vector<std::string> header = labels("capped", ours);
  header.insert(header.begin() + 1, {"best of the paper's", "its NLL"});
  MarkdownTable table(header);
  for (const Case& from : report.study.cases) {
    const Comparison theirs = compare(report, from, papers, Number::capped);
    std::vector<std::string> row = {title(from), papers[theirs.best].label,
                                    mean_cell(theirs.columns[theirs.best].values, report.study.repetitions, 2)};
    append_cells(row, compare(report, from, ours, Number::capped), report.study.repetitions);
    table.add(row);
  }
  table.print(out);
}

void print_pool(const Report& report, std::ostream& out) {
  const Methods members = methods_of(report, [](const Method& method) {
    return std::find(pooled_labels().begin(), pooled_labels().end(), method.label) != pooled_labels().end();
  });
  MarkdownTable table({"exact", "best member", "its NLL", auto_label, "difference", "in standard errors"});
  Index worse = 0;
  Index better = 0;
  std::vector<double> gains;
  for (const Case& from : report.study.cases) {
    const Comparison comparison = compare(report, from, members, Number::exact);
    const std::string& best = members[comparison.best].label;
    const std::vector<double> difference = gap(report, from, auto_label, best, Number::exact);
    if (difference.size() < 2) continue;
    const double error = standard_error(difference);
    worse += mean(difference) > error;
    better += mean(difference) < -error;
    gains.push_back(mean(difference));
    table.add({title(from), best, mean_cell(comparison.columns[comparison.best].values, report.study.repetitions, 2),
               mean_cell(values_of(report, from, auto_label, Number::exact).values, report.study.repetitions, 2),
               plus_minus(mean(difference), error, 3), fixed(mean(difference) / error, 1)});
  }
  if (gains.empty()) return;
  table.print(out);
  out << "The pool is worse than the member that is best in hindsight by more than one standard error on " << worse
      << " of " << gains.size() << " data, better by more than one on " << better << "; mean difference "
      << fixed(mean(gains), 3) << ".\n\n";
}

void print_summary(const Report& report, std::ostream& out) {
  const Methods& methods = report.study.methods;
  std::vector<Sums> sums(methods.size());
  for (const Case& from : report.study.cases) {
    const Comparison exact = compare(report, from, methods, Number::exact);
    const Comparison capped = compare(report, from, methods, Number::capped);
    const std::vector<double> own_ranks = ranks(means_of(capped));
    for (std::size_t m = 0; m < methods.size(); ++m)
      if (!exact.columns[m].values.empty())
        sums[m].add(exact.columns[m].values, capped.columns[m].values, own_ranks[m], capped.is_good(m));
  }
  MarkdownTable table({"method", "data", "mean, exact", "mean of medians, exact", "mean, capped", "mean rank, capped",
                       "best or not worse", "seconds"});
  for (std::size_t m = 0; m < methods.size(); ++m)
    if (!sums[m].exact.empty()) table.add(sums[m].row(methods[m].label, seconds_of(report, methods[m].label)));
  table.print(out);
}

}  // namespace condens::reproduce
