#include "tables.hpp"

#include <algorithm>
#include <cmath>

#include "common/data_files.hpp"
#include "common/markdown.hpp"
#include "common/statistics.hpp"

namespace condens::reproduce {

namespace {

using Halves = std::vector<Half>;

std::string text(const Summary& s) { return plus_minus(s.mean, s.standard_error); }

Summary summary(const Halves& halves, double Half::*member) { return summarize(values(halves, member)); }

double standardized_difference(const Summary& ours, const BenchmarkSet& set) {
  return standardized_difference(ours.mean, ours.standard_error, set.lscde());
}

std::string flagged(double z) { return (std::abs(z) > 2 ? "**" + fixed(z, 1) + "**" : fixed(z, 1)); }

std::vector<std::string> not_available(const BenchmarkSet& set, std::size_t columns) {
  std::vector<std::string> row(columns);
  row[0] = set.name;
  row[1] = "not available";
  return row;
}

std::string median_text(const Halves& halves, double Half::*member) {
  return significant(summary(halves, member).median);
}

/// exp of the mean logarithm of the ratios of what is printed after ± and our own figure; a
/// printed 0.00 counts as 0.005.
struct PrintedRatios {
  double deviation = 0;
  double error = 0;
  double variance = 0;
  int sets = 0;

  void add(const BenchmarkSet& set, const Summary& ours) {
    const double printed = std::log(std::max(set.lscde().deviation, 0.005));
    deviation += printed - std::log(ours.standard_deviation);
    error += printed - std::log(ours.standard_error);
    variance += printed - 2 * std::log(ours.standard_deviation);
    ++sets;
  }

  void print(std::ostream& out) const {
    if (sets == 0) return;
    out << "What the paper prints after ± is " << significant(std::exp(deviation / sets))
        << " of our standard deviation over the ten halves (the authors' program; geometric mean of " << sets
        << " sets), " << significant(std::exp(error / sets)) << " of our standard error, "
        << significant(std::exp(variance / sets)) << " of our variance.\n\n";
  }
};

void print_fits(const std::vector<SetResults>& results, std::size_t variant, std::ostream& out) {
  std::vector<std::string> header = {"data set",   "exact",      "capped", "median, exact", "median, capped",
                                     "width of x", "width of y", "lambda", "seconds"};
  if (variant > 0) header.push_back("capped - paper preset");
  MarkdownTable table(header);
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!results[i]) {
      table.add(not_available(benchmark_sets[i], header.size()));
      continue;
    }
    const Halves& own = (*results[i])[variant];
    const Summary exact = summary(own, &Half::exact);
    const Summary capped = summary(own, &Half::capped);
    std::vector<std::string> row = {benchmark_sets[i].name,
                                    text(exact),
                                    text(capped),
                                    fixed(exact.median),
                                    fixed(capped.median),
                                    median_text(own, &Half::bandwidth),
                                    median_text(own, &Half::bandwidth_y),
                                    median_text(own, &Half::regularization),
                                    significant(summary(own, &Half::seconds).mean)};
    if (variant > 0) {
      const auto gain = differences(values(own, &Half::capped), values((*results[i])[0], &Half::capped));
      row.push_back(text(summarize(gain)));
    }
    table.add(std::move(row));
  }
  table.print(out);
}

void print_comparison(const std::vector<SetResults>& results, const std::vector<std::vector<double>>& authors,
                      std::ostream& out) {
  MarkdownTable table({"data set", "n", "d_x", "paper", "exact", "z", "capped", "z", "authors' program", "z"});
  PrintedRatios ratios;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const BenchmarkSet& set = benchmark_sets[i];
    if (!results[i]) {
      table.add(not_available(set, 10));
      continue;
    }
    const Summary exact = summary((*results[i])[0], &Half::exact);
    const Summary capped = summary((*results[i])[0], &Half::capped);
    const Summary program = summarize(authors[i]);
    ratios.add(set, program);
    table.add({set.name, std::to_string(data_file(set.name).rows / 2), std::to_string(data_file(set.name).inputs),
               plus_minus(set.lscde().mean, set.lscde().deviation), text(exact),
               flagged(standardized_difference(exact, set)), text(capped),
               flagged(standardized_difference(capped, set)), text(program),
               flagged(standardized_difference(program, set))});
  }
  table.print(out);
  ratios.print(out);
}

/// One ablation, over all data sets.
struct Effect {
  double mean = 0;      ///< sum over sets of the mean scores
  double median = 0;    ///< sum over sets of the median scores
  double loss = 0;      ///< sum over sets of the mean paired differences
  double variance = 0;  ///< of that sum
  double capped = 0;
  double capped_variance = 0;
  double seconds = 0;
  int worse = 0;
  int better = 0;
  int sets = 0;

  void add(const Halves& own, const Halves& full) {
    const Summary exact = summary(own, &Half::exact);
    const Summary lost = summarize(differences(values(own, &Half::exact), values(full, &Half::exact)));
    const Summary lost_capped = summarize(differences(values(own, &Half::capped), values(full, &Half::capped)));
    mean += exact.mean;
    median += exact.median;
    loss += lost.mean;
    variance += lost.standard_error * lost.standard_error;
    capped += lost_capped.mean;
    capped_variance += lost_capped.standard_error * lost_capped.standard_error;
    seconds += summary(own, &Half::seconds).mean;
    worse += lost.mean > 2 * lost.standard_error && lost.mean > 0;
    better += lost.mean < -2 * lost.standard_error && lost.mean < 0;
    ++sets;
  }

  std::vector<std::string> row(const std::string& name) const {
    const double n = sets;
    return {name,
            fixed(mean / n, 3),
            fixed(median / n, 3),
            plus_minus(loss / n, std::sqrt(variance) / n, 3),
            plus_minus(capped / n, std::sqrt(capped_variance) / n, 3),
            std::to_string(worse),
            std::to_string(better),
            fixed(seconds, 2)};
  }
};

void print_effects(const std::vector<Variant>& variants, std::size_t full, const std::vector<SetResults>& results,
                   std::ostream& out) {
  MarkdownTable table({"variant", "mean", "median", "loss", "loss, capped", "worse", "better", "seconds"});
  for (std::size_t v = full; v < variants.size(); ++v) {
    Effect effect;
    for (const SetResults& result : results) {
      if (result) effect.add((*result)[v], (*result)[full]);
    }
    if (effect.sets > 0) table.add(effect.row(variants[v].name));
  }
  table.print(out);
}

/// `cell` says what stands in the table for a variant's halves and those of the recommendation.
template <class Cell>
void print_by_set(const std::vector<Variant>& variants, std::size_t full, const std::vector<SetResults>& results,
                  const Cell& cell, std::ostream& out) {
  std::vector<std::string> header = {"data set"};
  for (std::size_t v = full; v < variants.size(); ++v) header.push_back(variants[v].name);
  MarkdownTable table(header);
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!results[i]) {
      table.add(not_available(benchmark_sets[i], header.size()));
      continue;
    }
    std::vector<std::string> row = {benchmark_sets[i].name};
    for (std::size_t v = full; v < variants.size(); ++v) row.push_back(cell((*results[i])[v], (*results[i])[full]));
    table.add(std::move(row));
  }
  table.print(out);
}

}  // namespace

void print_lscde_column(const std::vector<SetResults>& results, const std::vector<std::vector<double>>& authors,
                        std::ostream& out) {
  out << "## Table 1, column LS-CDE in three readings\n\n"
         "Mean ± standard error over ten random halves, standardised y. *exact* and *capped*: the preset `paper`. z "
         "is\n"
         "the difference to the paper in standard errors; bold beyond two. README.md says how to read all of this.\n\n";
  print_comparison(results, authors, out);
  out << "The preset `paper` in detail (medians over the halves for what was chosen; seconds of one core per fit):\n\n";
  print_fits(results, 0, out);
  out << "The preset `recommended` on the same halves, and its paired difference to `paper`:\n\n";
  print_fits(results, 1, out);
}

void print_presets(const std::vector<Variant>& variants, const std::vector<SetResults>& results, std::ostream& out) {
  std::size_t full = 0;
  while (variants[full].name != recommended_variant.name) ++full;
  out << "## The preset `recommended`, one part at a time\n\n"
         "Means over the data sets of the mean and the median score (exact) over the halves; the loss against\n"
         "`recommended` on the same halves ± its standard error, exact and capped; on how many sets the variant is\n"
         "worse or better by more than two standard errors (exact); seconds for one fit of every set.\n\n";
  print_effects(variants, full, results, out);
  out << "Paired loss by data set, exact (first column: the mean score itself):\n\n";
  const auto loss = [](const Halves& own, const Halves& base) {
    if (&own == &base) return text(summary(own, &Half::exact));
    return text(summarize(differences(values(own, &Half::exact), values(base, &Half::exact))));
  };
  print_by_set(variants, full, results, loss, out);
  out << "Median score by data set, exact:\n\n";
  const auto middle = [](const Halves& own, const Halves&) { return fixed(summary(own, &Half::exact).median); };
  print_by_set(variants, full, results, middle, out);
}

}  // namespace condens::reproduce
