// Tables that need not fit into memory: fit --memory, fit --sample, predict --memory, score --memory.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "command.hpp"
#include "condens/core/random.hpp"
#include "condens/io/csv.hpp"
#include "support/sanitized.hpp"

namespace condens::tests::large_tables_test {
namespace {

constexpr int n_rows = 16'000;  // more than fits by sums are for

class LargeTables : public CommandTest {
 protected:
  /// Numbers with gaps, levels, many levels, dates, weights.
  LargeTables() {
    RandomStream random(5);
    std::ostringstream out;
    out << "size,colour,street,sold,weight,y\n";
    for (int i = 0; i < n_rows; ++i) {
      const double size = random.normal();
      const Index colour = random.below(3);
      const Index street = random.below(30);
      if (i % 11 != 0) out << size;
      out << ','
          << (colour == 0   ? "red"
              : colour == 1 ? "green"
                            : "\"blue, pale\"")
          << ",street " << street << ",2024-0" << 1 + random.below(9) << "-05," << i % 3 << ','
          << size + 0.3 * static_cast<double>(colour) + 0.02 * static_cast<double>(street) + 0.5 * random.normal()
          << '\n';
    }
    write("t.csv", out.str());
    shell("head -n 200 t.csv > few.csv");
  }

  /// log densities of the first rows
  std::vector<double> densities(const std::string& model) const {
    const Outcome outcome = good("predict " + model + " few.csv --log-density");
    return parse_csv(outcome.out, "predicted").at("log_density", "").numbers();
  }

  /// A verb's call, which prints nothing but why.
  void expect_refused(const std::string& call, const std::vector<std::string>& words) const {
    const Outcome outcome = run(call);
    EXPECT_EQ(outcome.code, 2) << call;
    EXPECT_EQ(outcome.out, "") << call;
    expect_in(outcome.err, words);
  }

  void expect_close(const std::string& a, const std::string& b, double tolerance) const {
    const std::vector<double> of_a = densities(a);
    const std::vector<double> of_b = densities(b);
    ASSERT_EQ(of_a.size(), of_b.size());
    for (std::size_t i = 0; i < of_a.size(); ++i) EXPECT_NEAR(of_a[i], of_b[i], tolerance) << i;
  }
};

/// The same words, and numbers that differ by rounding: a row of a block of another size is computed with other
/// neighbours.
testing::AssertionResult same_answers(const std::string& a, const std::string& b) {
  const std::string between = ",:\n[]{}\" ";
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    const std::size_t end_of_a = std::min(a.find_first_of(between, i), a.size() - 1) + 1;
    const std::size_t end_of_b = std::min(b.find_first_of(between, j), b.size() - 1) + 1;
    const std::string of_a = a.substr(i, end_of_a - i);
    const std::string of_b = b.substr(j, end_of_b - j);
    const auto number_of = [](const std::string& text) { return parse_number(text.substr(0, text.size() - 1)); };
    const auto x = number_of(of_a);
    const auto y = number_of(of_b);
    const bool near = x && y && of_a.back() == of_b.back() && std::abs(*x - *y) <= 1e-13 * std::max(1.0, std::abs(*x));
    if (of_a != of_b && !near) return testing::AssertionFailure() << '\'' << of_a << "' and '" << of_b << '\'';
    i = end_of_a;
    j = end_of_b;
  }
  if (i < a.size() || j < b.size()) return testing::AssertionFailure() << "one of them goes on";
  return testing::AssertionSuccess();
}

const std::string columns = " --target y --weight weight --missing indicator --quiet";
const std::string small_gmm = " --model gmm --set n_components=2 --set covariance=full --set max_iterations=5";

TEST_F(LargeTables, AreFittedInPartsAsInMemory) {
  good("fit t.csv -o whole.cbor" + columns + small_gmm);
  for (const std::string memory : {"1M", "2 MiB", "1GB"}) {
    const Outcome fit = good("fit t.csv -o parts.cbor --memory '" + memory + "'" + columns + small_gmm);
    EXPECT_EQ(fit.err, "");
    expect_close("parts.cbor", "whole.cbor", 1e-9);  // sums are added up in another order, five steps long
  }
  good("fit t.csv -o one.cbor --threads 1 --memory 1M" + columns + small_gmm);
  good("fit t.csv -o seven.cbor --threads 7 --memory 1M" + columns + small_gmm);
  EXPECT_EQ(read_text(folder / "one.cbor"), read_text(folder / "seven.cbor"));
}

TEST_F(LargeTables, SayWhatTheyWereFittedTo) {
  const Outcome fit =
      good("fit t.csv --target y --inputs size,colour --drop-missing --memory 1M -o m.cbor" + small_gmm);
  expect_in(fit.err, {"left out 1455 rows with missing values", "fitted gmm to 14545 rows: y given size and colour"});
  expect_in(good("describe m.cbor").out, {"14545 rows", "size", "colour"});
}

TEST_F(LargeTables, ThatAreSmallAreFittedAsInMemory) {
  good("fit few.csv -o whole.cbor" + columns + small_gmm);
  good("fit few.csv -o parts.cbor --memory 1M" + columns + small_gmm);
  EXPECT_EQ(densities("parts.cbor"), densities("whole.cbor"));
}

TEST_F(LargeTables, AreSampled) {
  const Outcome fit = good(
      "fit t.csv --target y --inputs colour,street --model gmm --set n_components=1 --sample 500 --seed 3 -o m.cbor");
  expect_in(fit.err, {"warning: fits to a random sample of 500 of 16000 rows", "given colour and street"});
  good(
      "fit t.csv --target y --inputs colour,street --model gmm --set n_components=1 --sample 500 --seed 3 --memory 1M "
      "-o "
      "again.cbor");
  EXPECT_EQ(densities("again.cbor"), densities("m.cbor"));  // the same rows, however they are read
  good(
      "fit t.csv --target y --inputs colour,street --model gmm --set n_components=1 --sample 500 --seed 4 -o "
      "other.cbor");
  EXPECT_NE(densities("other.cbor"), densities("m.cbor"));
  expect_in(good("fit t.csv --target y --inputs colour --model gmm --set n_components=1 --conformal split --sample 900 "
                 "-o c.cbor")
                .err,
            {"900 of 16000 rows"});
}

TEST_F(LargeTables, ArePredictedInParts) {
  good("fit few.csv --target y --inputs size,colour --drop-missing -o m.cbor" + small_gmm);
  for (const std::string what :
       {"--na --mean --quantiles .1,.9", "--drop-missing --log-density --cdf", "--na --keep --sample 2 --seed 7 --json",
        "--drop-missing --distribution --json", "--na --keep --cdf-at 0,1 --threads 1"}) {
    const Outcome whole = good("predict m.cbor t.csv " + what);
    for (const std::string memory : {"1M", "3M", "1GB"}) {
      if (sanitized && memory != "1M") continue;  // in most parts
      const Outcome parts = good("predict m.cbor t.csv --memory " + memory + ' ' + what);
      EXPECT_TRUE(same_answers(parts.out, whole.out)) << what << ' ' << memory;
    }
    expect_in(whole.err, {"1455 of 16000 rows: t.csv: 1455 rows have missing values: line 2, 13, 24, 35, 46, ..."});
    expect_in(good("predict m.cbor t.csv --memory 1M " + what).err,
              {"1455 of 16000 rows: t.csv: 1 row has missing values: line 2 (the first in column 'size'); 1454 more "
               "such rows"});
  }
}

TEST_F(LargeTables, InPartsSayOnceWhatStandsInForLevels) {
  shell("head -n 40 t.csv > some.csv");
  good("fit some.csv --target y --inputs street --many-levels indicators --unseen other -o m.cbor" + small_gmm);
  const Outcome whole = good("predict m.cbor t.csv --mean");
  const Outcome parts = good("predict m.cbor t.csv --mean --memory 1M");
  expect_in(whole.err, {"a level that the training data did not have", "rows in all"});
  EXPECT_EQ(parts.err, whole.err);
  EXPECT_TRUE(same_answers(parts.out, whole.out));
}

TEST_F(LargeTables, InPartsAreRefusedBeforeAnythingIsWritten) {
  good("fit few.csv --target y --inputs size,colour --drop-missing -o m.cbor" + small_gmm);
  const auto refused = [&](const std::string& arguments, const std::vector<std::string>& words) {
    expect_refused("predict m.cbor " + arguments, words);
  };
  refused("t.csv --memory 1M", {"t.csv: 1 row has missing values: line 2", "1454 more such rows", "--na prints NA"});
  refused("t.csv --memory 10K", {"--memory = '10K', expected 1 MiB or more"});
  refused("- --memory 1M", {"standard input"});
  refused("t.csv --memory 1M --drop-missing --shift --interval .9", {"--memory and --shift: expected one of them"});
  shell("sed 's/,[^,]*$//' few.csv > no_y.csv");
  refused("no_y.csv --memory 1M --log-density --na", {"--log-density needs the target column 'y'"});
  shell("(head -n 1 t.csv; grep '^,' t.csv) > gaps.csv");
  refused("gaps.csv --memory 1M --drop-missing --mean", {"no row is left"});
  shell("(cat t.csv; echo 'wide,red,street 1,2024-01-05,1,0') > text.csv");
  refused("text.csv --memory 1M --na --mean", {"text.csv", "'size'", "wide"});
}

/// The scores of parts, and those of all rows: the same measures, means up to rounding, tests of uniformity up to the
/// cells that PIT values are counted in.
void expect_same_scores(const std::string& a, const std::string& b) {
  const Table parts = parse_csv(a, "parts");
  const Table whole = parse_csv(b, "whole");
  ASSERT_EQ(parts.rows(), whole.rows());
  for (const char* column : {"measure", "target"}) {
    EXPECT_TRUE(parts.at(column, "").texts() == whole.at(column, "").texts());
  }
  for (Index i = 0; i < whole.rows(); ++i) {
    const auto row = static_cast<std::size_t>(i);
    const std::string& measure = whole.at("measure", "").texts()[row];
    const bool counted = measure.find("_ks") != std::string::npos || measure.find("_cvm") != std::string::npos;
    // A p-value moves by up to 1.7 sqrt(n) times as much as its statistic: for 3,000 rows 90 times.
    const double of_cells = measure.find("p_value") != std::string::npos ? 5e-3 : 1e-3;
    for (const char* column : {"value", "standard_error"}) {
      const double x = parts.at(column, "").numbers()[row];
      const double y = whole.at(column, "").numbers()[row];
      EXPECT_EQ(std::isfinite(x), std::isfinite(y)) << measure;
      if (!std::isfinite(y)) continue;
      EXPECT_NEAR(x, y, counted ? of_cells : 1e-12 * std::max(1.0, std::abs(y))) << measure;
    }
  }
}

TEST_F(LargeTables, AreScoredInParts) {
  const std::string from = "fit few.csv --target y --inputs size,colour --drop-missing";
  good(from + " -o m.cbor" + small_gmm);
  good(from + " --conformal split -o guaranteed.cbor" + small_gmm);
  good(from + " --weight weight -o weighted.cbor" + small_gmm);
  shell(
      "(head -n 1 t.csv; awk -F, 'BEGIN {OFS = FS} NR > 1 && NR < 5000 {$(NF - 1) = NR < 2500 ? 0 : 2; print}' t.csv)"
      " > weighted.csv");
  shell(
      "awk -F, 'BEGIN {OFS = FS} NR > 1 {$NF = int(2 * ($NF + 3)) < 0 ? 0 : int(2 * ($NF + 3))} {print}' t.csv > "
      "n.csv");
  good("fit n.csv --sample 200 --target y --target-kind count --inputs colour -o counts.cbor" + small_gmm);
  shell("head -n 3000 t.csv > some.csv; head -n 3000 n.csv > some_counts.csv");
  for (const std::string call :
       {"m.cbor some.csv", "guaranteed.cbor some.csv", "counts.cbor some_counts.csv", "weighted.cbor weighted.csv"}) {
    const std::string all = "score " + call + " --drop-missing";
    const Outcome whole = good(all);
    for (const char* memory : {"1M", "1GB"}) expect_same_scores(good(all + " --memory " + memory).out, whole.out);
    EXPECT_EQ(good(all + " --memory 1M --threads 1").out, good(all + " --memory 1M --threads 7").out);
  }
  expect_in(good("score guaranteed.cbor some.csv --memory 1M --drop-missing").out, {"conformal_coverage_0.9,y,"});
  expect_in(good("score guaranteed.cbor some.csv --memory 1M --drop-missing --json").out, {"\"conformal\"", "\"nll\""});
  expect_in(good("score m.cbor t.csv --memory 1M --drop-missing").err, {"left out 1455 of 16000 rows"});
}

TEST_F(LargeTables, AreScoredInPartsOrRefused) {
  good("fit few.csv --target y --inputs size,colour --drop-missing -o m.cbor" + small_gmm);
  const auto refused = [&](const std::string& arguments, const std::vector<std::string>& words) {
    expect_refused("score m.cbor " + arguments, words);
  };
  refused("t.csv --memory 1M", {"t.csv: 1 row has missing values: line 2", "1454 more such rows", "--drop-missing"});
  refused("t.csv --memory 1M --slices --drop-missing", {"--memory and --slices: expected one of them"});
  refused("t.csv --memory 1M --censored weight", {"--memory and --censored, --target-upper or --entry: expected one"});
  refused("t.csv --memory 10K", {"--memory = '10K', expected 1 MiB or more"});
  refused("- --memory 1M", {"standard input"});
  shell("(head -n 1 t.csv; grep '^,' t.csv) > gaps.csv");
  refused("gaps.csv --memory 1M --drop-missing", {"no row is left"});
  good("fit few.csv --target y --inputs colour --weight weight -o m.cbor" + small_gmm);
  shell("awk -F, 'BEGIN {OFS = FS} NR > 1 {$(NF - 1) = 0} {print}' few.csv > zero.csv");
  refused("zero.csv --memory 1M", {"zero.csv: no row has a weight > 0, expected one or more"});
  good("fit few.csv --target y --target-kind bounded:-9,9 --inputs colour -o m.cbor" + small_gmm);
  shell("(cat t.csv; echo '1,red,street 1,2024-01-05,1,11') > wide.csv");
  refused("wide.csv --memory 1M", {"wide.csv", "16002", "11"});
}

TEST_F(LargeTables, RefuseWhatNeedsAllRows) {
  const auto refused = [&](const std::string& more, const std::vector<std::string>& words) {
    const Outcome outcome = run("fit t.csv --target y -o m.cbor " + more);
    EXPECT_EQ(outcome.code, 2) << more;
    expect_in(outcome.err, words);
    EXPECT_FALSE(std::filesystem::exists(folder / "m.cbor"));
  };
  const std::string advice = "; --sample ROWS fits to a random sample, with all options";
  refused("--memory 1M --model forest", {"--memory: forest needs all rows at once, expected one of", "gmm", advice});
  refused("--memory 1M --target-kind positive", {"--memory and --target-kind: expected one of them" + advice});
  refused("--memory 1M --conformal split", {"--memory and --conformal"});
  refused("--memory 1M --calibrate", {"--memory and --calibrate"});
  refused("--memory 1M --bootstrap 5", {"--memory and --bootstrap"});
  refused("--memory 1M --missing model", {"--memory and --missing model"});
  refused("--memory 1M --cv time", {"--memory and --cv time"});
  refused("--memory 1M --censored weight", {"--memory and --censored, --target-upper or --entry"});
  refused("--memory much", {"--memory = 'much', expected a number of bytes, such as 500M or 2 GiB"});
  refused("--memory 1000", {"--memory = '1000', expected 1 MiB or more"});
  refused("--memory 1M", {"rows have missing values", "line 2", "--drop-missing"});
  refused("--sample 1", {"--sample = 1, expected a number of rows >= 2"});
  expect_in(run("fit t.csv --target colour --memory 1M -o m.cbor --inputs street").err,
            {"t.csv:2", "expected a number"});
  EXPECT_EQ(run("fit - --target y --memory 1M -o m.cbor <t.csv").code, 2);
  expect_in(run("fit - --target y --memory 1M -o m.cbor <t.csv").err, {"standard input can be read once only"});
  expect_in(run("fit none.csv --target y --memory 1M -o m.cbor").err, {"none.csv: cannot be read"});
}

}  // namespace
}  // namespace condens::tests::large_tables_test
