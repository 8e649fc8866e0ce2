// Levels as statistics of the target, rare and unseen levels, and dates.

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>
#include <random>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "condens/data/encoder.hpp"
#include "condens/data/folds.hpp"
#include "data/dates.hpp"
#include "data/level_statistics.hpp"
#include "support/complaint.hpp"
#include "support/error_of.hpp"

namespace condens::many_levels_test {

using Texts = std::vector<std::string>;
using Numbers = std::vector<double>;

/// `n` rows of `levels` levels, whose means of y differ by `between`.
Table shops(Index n, Index levels, double between, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Numbers effects;
  for (Index l = 0; l < levels; ++l) effects.push_back(between * normal(random));
  Texts shop;
  Numbers y;
  for (Index i = 0; i < n; ++i) {
    const auto l = static_cast<std::size_t>(i % levels);
    shop.push_back("s" + std::to_string(1000 + l));
    y.push_back(effects[l] + normal(random));
  }
  Table out("shops.csv");
  out.add({"shop", shop});
  out.add({"y", y});
  return out;
}

const EncoderOptions usual{.targets = {"y"}};

/// m = sigma^2 / tau^2, written out.
double slow_prior(const std::map<std::string, Numbers>& groups) {
  double n = 0;
  double sum = 0;
  double squares = 0;
  for (const auto& [level, values] : groups) {
    n += static_cast<double>(values.size());
    squares += static_cast<double>(values.size() * values.size());
    for (const double v : values) sum += v;
  }
  double within = 0;
  double between = 0;
  for (const auto& [level, values] : groups) {
    double mean = 0;
    for (const double v : values) mean += v / static_cast<double>(values.size());
    for (const double v : values) within += (v - mean) * (v - mean);
    between += static_cast<double>(values.size()) * (mean - sum / n) * (mean - sum / n);
  }
  const auto levels = static_cast<double>(groups.size());
  const double sigma2 = within / (n - levels);
  return sigma2 / ((between - (levels - 1) * sigma2) / (n - squares / n));
}

// Of huge targets sums are no numbers; statistics are, and those of the same targets in another unit.
TEST(ManyLevels, StatisticsOfHugeTargetsAreNumbers) {
  const double unit = std::exp2(1021);
  const Table small = shops(120, 30, 1.0);
  Numbers scaled = small.columns().back().numbers();
  for (double& value : scaled) value *= unit;
  Table large("shops.csv");
  large.add(small.columns().front());
  large.add({"y", scaled});
  const Matrix plain = Encoder::fit(small, usual).encode(small, false).x;
  const Matrix huge = Encoder::fit(large, usual).encode(large, false).x;
  ASSERT_EQ(plain.rows(), 5);
  EXPECT_EQ(Matrix(huge.row(1)), Matrix(unit * plain.row(1)));
  EXPECT_LT((huge.row(2) - plain.row(2)).cwiseAbs().maxCoeff(), std::log(unit) + 1e-9);
  EXPECT_GT((huge.row(2) - plain.row(2)).minCoeff(), std::log(unit) - 1e-9);
  EXPECT_EQ(Matrix(huge.bottomRows(2)), Matrix(unit * plain.bottomRows(2)));
}

TEST(ManyLevels, MeansAreThoseOfMicciBarrecaOutOfFold) {
  const Table table = shops(600, 40, 1.0);
  const Encoder encoder = Encoder::fit(table, usual);
  const EncodedColumn& shop = encoder.input_columns()[0];
  EXPECT_EQ(shop.statistics,
            (Texts{"log rows", "mean of y", "log spread of y", "10 % quantile of y", "90 % quantile of y"}));
  const Texts& levels = table.at("shop", "").texts();
  const Numbers& y = table.at("y", "").numbers();
  std::map<std::string, Numbers> groups;
  double overall = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    groups[levels[i]].push_back(y[i]);
    overall += y[i] / static_cast<double>(y.size());
  }
  const double m = slow_prior(groups);
  ASSERT_GT(m, 0);
  const std::vector<Index> fold = assign_folds(600, 10, 0);
  Numbers m_without;
  for (Index k = 0; k < 10; ++k) {
    std::map<std::string, Numbers> rest;
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (fold[i] != k) rest[levels[i]].push_back(y[i]);
    }
    m_without.push_back(slow_prior(rest));
  }
  const Matrix full = encoder.encode(table).x;
  const Matrix training = encoder.encode_training(table).x;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const auto at = static_cast<Index>(i);
    double n = 0;
    double sum = 0;
    double rest_n = 0;
    double rest_sum = 0;
    for (std::size_t j = 0; j < y.size(); ++j) {
      if (levels[j] != levels[i]) continue;
      n += 1;
      sum += y[j];
      if (fold[j] == fold[i]) continue;
      rest_n += 1;
      rest_sum += y[j];
    }
    EXPECT_NEAR(full(0, at), std::log(1 + n), 1e-12);
    EXPECT_NEAR(full(1, at), (sum + m * overall) / (n + m), 1e-10);
    const double own = m_without[static_cast<std::size_t>(fold[i])];
    EXPECT_NEAR(training(1, at), (rest_sum + own * overall) / (rest_n + own), 1e-10);
  }
}

TEST(ManyLevels, QuantilesAreOfTheMixtureWithAllRows) {
  LevelRows rows{Matrix(1, 400), Vector::Ones(400), {}, 25};
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (Index i = 0; i < 400; ++i) {
    rows.level.push_back(i % 25);
    rows.y(0, i) = 0.3 * static_cast<double>(i % 25) + normal(random);
  }
  const Matrix codes = level_codes(rows);
  Vector sorted = rows.y.row(0).transpose();
  std::sort(sorted.begin(), sorted.end());
  for (const auto& [row, p] : {std::pair<Index, double>{3, 0.1}, {4, 0.9}}) {
    const double overall = sorted[static_cast<Index>(p * 400) - 1];
    EXPECT_EQ(codes(row, 25), overall);
    std::map<std::string, Numbers> groups;
    for (Index i = 0; i < 400; ++i) groups[std::to_string(i % 25)].push_back(rows.y(0, i) <= overall ? 1.0 : 0.0);
    const double m = slow_prior(groups);
    for (Index level = 0; level < 25; ++level) {
      double found = sorted[399];
      for (Index k = 399; k >= 0; --k) {
        double own = 0;
        for (Index i = level; i < 400; i += 25) own += rows.y(0, i) <= sorted[k] ? 1.0 : 0.0;
        if (own + m * static_cast<double>(k + 1) / 400.0 >= p * (16 + m) - 1e-9) found = sorted[k];
      }
      EXPECT_EQ(codes(row, level), found) << level;
    }
  }
}

TEST(ManyLevels, NoRowSeesItsOwnTarget) {
  const Table table = shops(500, 50, 1.0);
  const Matrix before = Encoder::fit(table, usual).encode_training(table).x;
  LevelRows rows{Matrix(1, 500), Vector::Ones(500), {}, 50};
  for (Index i = 0; i < 500; ++i) {
    rows.level.push_back(i % 50);
    rows.y(0, i) = table.at("y", "").numbers()[static_cast<std::size_t>(i)];
  }
  EXPECT_EQ(codes_out_of_fold(rows, 0), before);
  // Two rows of one level and fold: the level's part of neither code holds either target. A level that is in one fold
  // alone is coded as one that was never seen.
  rows.level.assign(500, 1);
  const std::vector<Index> fold = assign_folds(500, 10, 0);
  for (Index i = 0; i < 500; ++i) {
    if (fold[static_cast<std::size_t>(i)] == 4)
      rows.level[static_cast<std::size_t>(i)] = 0;
    else
      rows.level[static_cast<std::size_t>(i)] = 1 + i % 2;
  }
  rows.n_levels = 3;
  const Matrix all = level_codes(rows);
  const Matrix codes = codes_out_of_fold(rows, 0);
  for (Index i = 0; i < 500; ++i) {
    if (fold[static_cast<std::size_t>(i)] != 4) continue;
    EXPECT_EQ(codes.col(i).tail(4), all.col(3).tail(4));
  }
}

TEST(ManyLevels, CodesOfFoldsGiveEveryBlockItsRows) {
  for (const Index n : {Index{1}, Index{7}, Index{500}, most_rows_at_once + 500}) {
    LevelRows rows{Matrix(1, n), Vector::Ones(n), {}, 50};
    for (Index i = 0; i < n; ++i) {
      rows.level.push_back(i % 50);
      rows.y(0, i) = std::sin(static_cast<double>(i)) + static_cast<double>(i % 50);
    }
    const Matrix whole = codes_out_of_fold(rows, 3);
    const std::vector<Matrix> codes = level_codes_by_fold(rows, 3);
    for (const Range part : {Range{0, n / 3}, Range{n / 3, n}}) {
      const std::vector<Index> fold = folds_of_codes(n, part.begin, part.size(), 3);
      for (Index i = part.begin; i < part.end; ++i) {
        const auto k = static_cast<std::size_t>(fold[static_cast<std::size_t>(i - part.begin)]);
        EXPECT_EQ(codes[k].col(i % 50), whole.col(i));
      }
    }
  }
}

TEST(ManyLevels, CodesThatAreMadeElsewhereAreTheSame) {
  const Table table = shops(500, 50, 1.0);
  const Encoder expected = Encoder::fit(table, usual);
  EncoderOptions indicators = usual;
  indicators.many_levels = ManyLevels::indicators;
  indicators.rare_levels = 0;
  Encoder encoder = Encoder::fit(table, indicators);
  const EncodedColumn& input = expected.input_columns().front();
  encoder.set_codes(input.name, input.codes);
  EXPECT_EQ(encoder.to_document(), expected.to_document());
  const auto set = [&](std::string_view name, Matrix codes) {
    return tests::error_of([&] { encoder.set_codes(name, std::move(codes)); });
  };
  EXPECT_EQ(set("y", input.codes), "codes of 'y', expected one of the inputs that have levels");
  EXPECT_EQ(set(input.name, input.codes.leftCols(50)),
            message("codes of '", input.name, "' are 5 x 50, or not finite; expected 5 x 51"));
}

TEST(ManyLevels, NoiseIsNoSignalOutOfFold) {
  double in_fold = 0;
  double out_of_fold = 0;
  const auto correlation = [](const Vector& a, const Vector& b) {
    const Vector u = a.array() - a.mean();
    const Vector v = b.array() - b.mean();
    return u.squaredNorm() > 0 ? u.dot(v) / std::sqrt(u.squaredNorm() * v.squaredNorm()) : 0.0;
  };
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Table table = shops(2000, 500, 0.0, seed);
    const Encoder encoder = Encoder::fit(table, usual);
    const Dataset full = encoder.encode(table);
    const Dataset training = encoder.encode_training(table);
    in_fold += correlation(full.x.row(1), full.y.row(0)) / 20;
    out_of_fold += correlation(training.x.row(1), training.y.row(0)) / 20;
  }
  EXPECT_GT(in_fold, 0.15);
  EXPECT_LT(std::abs(out_of_fold), 3.0 * std::sqrt(2.0 / (20.0 * 2000.0)));  // three errors; pairs count twice
}

TEST(ManyLevels, WeightsAreCopies) {
  const Table table = shops(200, 25, 1.0);
  Table twice("");
  Texts levels = table.at("shop", "").texts();
  Numbers y = table.at("y", "").numbers();
  for (std::size_t i = 0; i < 50; ++i) {
    levels.push_back(std::string(levels[i]));
    y.push_back(double{y[i]});
  }
  twice.add({"shop", levels});
  twice.add({"y", y});
  EncoderOptions weighted = usual;
  weighted.row_weights = Vector::Ones(200);
  weighted.row_weights.head(50).setConstant(2.0);
  const Matrix one = Encoder::fit(table, weighted).input_columns()[0].codes;
  const Matrix other = Encoder::fit(twice, usual).input_columns()[0].codes;
  EXPECT_LT((one - other).cwiseAbs().maxCoeff(), 1e-9);
  weighted.row_weights = Vector::Ones(3);
  EXPECT_EQ(complaint([&] { Encoder::fit(table, weighted); }),
            "row_weights has 3 numbers, expected 200, one for each row");
}

TEST(ManyLevels, UnseenLevelsAreAsAllRows) {
  const Table table = shops(500, 50, 1.0);
  Encoder encoder = Encoder::fit(table, usual);
  Table rows("new.csv");
  rows.add({"shop", Texts{"s1000", "new"}});
  rows.set_lines({2, 3});
  EXPECT_EQ(encoder.encode_inputs(rows).col(1), encoder.input_columns()[0].codes.col(50));
  EXPECT_EQ(encoder.unseen_levels(rows),
            (Texts{"new.csv:3: 'shop' is 'new', a level that the training data did not have; the statistics of all "
                   "rows stand in, as in 1 row in all"}));
  EncoderOptions strict = usual;
  strict.unseen = UnseenLevels::error;
  encoder = Encoder::fit(table, strict);
  EXPECT_TRUE(encoder.unseen_levels(rows).empty());
  EXPECT_NE(complaint([&] { encoder.encode_inputs(rows); }).find("new.csv:3: column 'shop' is 'new'"),
            std::string::npos);
}

/// Twelve levels, of which the last three have one row each.
Table towns() {
  Texts town;
  Numbers y;
  for (int level = 0; level < 12; ++level) {
    for (int k = 0; k < (level < 9 ? 6 : 1); ++k) {
      town.push_back(std::string(1, static_cast<char>('a' + level)));
      y.push_back(level + k);
    }
  }
  Table out("towns.csv");
  out.add({"town", town});
  out.add({"y", y});
  return out;
}

TEST(ManyLevels, RareLevelsAreOne) {
  const Encoder encoder = Encoder::fit(towns(), usual);
  const EncodedColumn& town = encoder.input_columns()[0];
  EXPECT_EQ(town.levels, (Texts{"(other)", "a", "b", "c", "d", "e", "f", "g", "h", "i"}));
  EXPECT_EQ(town.merged, (Texts{"j", "k", "l"}));
  EXPECT_EQ(encoder.notes(), (Texts{"input 'town': 3 levels of few rows are one, (other)"}));
  Table rows("new.csv");
  rows.add({"town", Texts{"k", "z", "z", "a"}});
  const Matrix x = encoder.encode_inputs(rows);
  EXPECT_EQ(x.row(0), (Vector{{1.0, 1.0, 1.0, 0.0}}).transpose());
  ASSERT_EQ(encoder.unseen_levels(rows).size(), 1U);
  EXPECT_NE(encoder.unseen_levels(rows)[0].find("the level (other) stands in, as in 2 rows in all"), std::string::npos);
  EncoderOptions all = usual;
  all.rare_levels = 0;
  EXPECT_EQ(Encoder::fit(towns(), all).input_columns()[0].levels.size(), 12U);
  all.rare_levels = -1;
  EXPECT_EQ(complaint([&] { Encoder::fit(towns(), all); }), "rare_levels = -1, expected a number of rows >= 0");
  EncoderOptions other = usual;
  other.rare_levels = 0;
  other.unseen = UnseenLevels::other;
  const Encoder lenient = Encoder::fit(towns(), other);
  EXPECT_EQ(lenient.encode_inputs(rows)(0, 1), 1.0);  // a, the most frequent
  EXPECT_EQ(Encoder::from_document(lenient.to_document()).encode_inputs(rows), lenient.encode_inputs(rows));
  EXPECT_EQ(complaint([] { unseen_of("--unseen", "no"); }), "--unseen = 'no', expected automatic, error or other");
  EXPECT_EQ(complaint([] { many_levels_of("--many-levels", "no"); }),
            "--many-levels = 'no', expected statistics or indicators");
}

TEST(Dates, AreThoseOfTheCalendar) {
  EXPECT_EQ(parse_date("1970-01-01"), 0.0);
  EXPECT_EQ(parse_date("2000-03-01"), 11017.0);
  EXPECT_EQ(parse_date("2024-02-29T06:00"), 19782.25);
  EXPECT_EQ(parse_date("2024-02-29 06:00:00Z"), 19782.25);
  EXPECT_EQ(parse_date("2024-02-29T00:00:21.600"), 19782.00025);
  for (const char* bad : {"2023-02-29", "1900-02-29", "2024-13-01", "2024-00-10", "2024-1-1", "2024/01/01", "20240101",
                          "2024-01-01T", "2024-01-01T24:00", "2024-01-01T12", "2024-01-01T12:60",
                          "2024-01-01T12:00:", "2024-01-01T12:00:60", "2024-01-01T12:00:00.", "2024-01-01x", "", "x"}) {
    EXPECT_FALSE(parse_date(bad)) << bad;
  }
  EXPECT_EQ(format_date(19782.25), "2024-02-29T06:00:00");
  EXPECT_EQ(format_date(-1.0), "1969-12-31");
  // 2024-01-01 was a Monday; 2024-12-31 is day 366 of a leap year.
  const Matrix x = calendar_of({*parse_date("2024-01-01"), *parse_date("2024-12-31"), *parse_date("2023-12-31T18:00")},
                               {"days", "year", "week", "day"}, *parse_date("2023-12-31"));
  const auto angle = [](double share) { return 2 * std::numbers::pi * share; };
  EXPECT_EQ(x.row(0), (Vector{{1.0, 366.0, 0.75}}).transpose());
  EXPECT_NEAR(x(1, 1), std::sin(angle(365.0 / 366)), 1e-12);
  EXPECT_NEAR(x(2, 2), std::cos(angle(364.0 / 365)), 1e-12);
  EXPECT_NEAR(x(3, 0), 0.0, 1e-12);
  EXPECT_NEAR(x(3, 1), std::sin(angle(1.0 / 7)), 1e-12);  // a Tuesday
  EXPECT_NEAR(x(3, 2), std::sin(angle(6.0 / 7)), 1e-12);  // a Sunday
  EXPECT_NEAR(x(5, 2), -1.0, 1e-12);
}

Table sales(Texts days) {
  Table out("sales.csv");
  Numbers y;
  std::vector<Index> lines;
  for (std::size_t i = 0; i < days.size(); ++i) {
    y.push_back(static_cast<double>(i % 3));
    lines.push_back(static_cast<Index>(i) + 2);
  }
  out.add({"day", std::move(days)});
  out.add({"y", y});
  out.set_lines(lines);
  return out;
}

TEST(Dates, AreOneInputOfSeveralRows) {
  const Encoder encoder = Encoder::fit(sales({"2024-03-01", "2024-03-03", "2024-03-08"}), usual);
  EXPECT_EQ(encoder.encoded_names(),
            (Texts{"day: days", "day: sin of year", "day: cos of year", "day: sin of week", "day: cos of week"}));
  EXPECT_EQ(encoder.groups().size(), 1U);
  EXPECT_EQ(encoder.encode(sales({"2024-03-02"})).x(0, 0), 1.0);
  const Encoder again = Encoder::from_document(encoder.to_document());
  EXPECT_EQ(again.to_document(), encoder.to_document());
  EXPECT_EQ(complaint([&] {
              again.encode(sales({"2024-03-02", "soon"}));
            }),
            "sales.csv:3: column 'day' is 'soon', expected a date such as 2024-03-01 or 2024-03-01T12:30:00");
  // Parts that do not differ are left out.
  EXPECT_EQ(Encoder::fit(sales({"2024-03-01", "2024-03-08", "2024-03-15"}), usual).encoded_names(),
            (Texts{"day: days", "day: sin of year", "day: cos of year"}));
  EXPECT_EQ(Encoder::fit(sales({"2024-03-01", "2024-03-01", "2024-03-01"}), usual).encoded_names(),
            (Texts{"day: days"}));
  Texts days(20, "2024-03-01");
  days[7] = "2024-03-41";
  EXPECT_EQ(complaint([&] { Encoder::fit(sales(days), usual); }),
            "sales.csv:9: column 'day' is '2024-03-41', expected a date as in most rows, such as 2024-03-01 or "
            "2024-03-01T12:30:00; correct it, or name the column as categorical");
  EncoderOptions named = usual;
  named.categorical = {"day"};
  EXPECT_EQ(Encoder::fit(sales(days), named).input_columns()[0].levels.size(), 2U);
}

TEST(Dates, MissingOnesAreMarked) {
  EncoderOptions marked = usual;
  marked.missing = MissingInputs::indicator;
  const Table table = sales({"2024-03-01", "", "2024-03-09", "2024-03-05"});
  const Encoder encoder = Encoder::fit(table, marked);
  const Matrix x = encoder.encode(table).x;
  EXPECT_EQ(x.row(0), (Vector{{0.0, 4.0, 8.0, 4.0}}).transpose());
  EXPECT_EQ(encoder.encoded_names().back(), "day missing=yes");
}

TEST(SameInputs, ArePairs) {
  Table table("t.csv");
  table.add({"code", Numbers{1, 2, 1, 2, 1, 2, 3, 3}});
  table.add({"name", Texts{"a", "b", "a", "b", "a", "b", "c", "c"}});
  table.add({"u", Numbers{1, 2, 3, 4, 5, 6, 7, 8}});
  table.add({"v", Numbers{1, 2, 3, 4, 5, 6, 7, 8}});
  table.add({"w", Numbers{8, 2, 3, 4, 5, 6, 7, 1}});
  table.add({"y", Numbers{1, 2, 3, 4, 5, 6, 7, 9}});
  EXPECT_EQ(Encoder::fit(table, usual).warnings(8),
            (Texts{"inputs 'code' and 'name' are the same up to names: either one tells the other; leave one of them "
                   "out",
                   "inputs 'u' and 'v' are the same in every row; leave one of them out"}));
}

TEST(ManyLevels, FilesAreChecked) {
  const Encoder encoder = Encoder::fit(shops(500, 50, 1.0), usual);
  EXPECT_TRUE(encoder.has_new_parts());
  const Document document = encoder.to_document();
  EXPECT_EQ(Encoder::from_document(document).to_document(), document);
  EXPECT_EQ(Encoder::from_document(document).encode(shops(500, 50, 1.0)).x, encoder.encode(shops(500, 50, 1.0)).x);
  const auto refused = [](Document whole, const std::string& member, Document value) {
    Document input = whole.at("inputs").as_array().at(0);
    input.set(member, std::move(value));
    whole.set("inputs", Document::Array{std::move(input)});
    return complaint<FormatError>([&] { Encoder::from_document(whole); });
  };
  const std::string codes =
      "encoder: column 'shop' needs codes of 5 statistics, finite, for 51 levels with that of others";
  EXPECT_EQ(refused(document, "codes", Matrix(Matrix::Zero(5, 50))), codes);
  EXPECT_EQ(refused(document, "codes", Matrix(Matrix::Constant(5, 51, NAN))), codes);
  EXPECT_NE(refused(document, "statistics", Document(Texts{})), "");
  EXPECT_EQ(refused(document, "merged", Document(Texts{"x"})),
            "encoder: column 'shop' needs sorted merged levels, and the level (other)");
  const Document dates = Encoder::fit(sales({"2024-03-01", "2024-03-03"}), usual).to_document();
  EXPECT_EQ(refused(dates, "calendar", Document(Texts{"moon"})),
            "encoder: column 'day' needs parts of the calendar: days, year, week, day");
  EXPECT_EQ(refused(dates, "high", 1e9), "encoder: column 'day' needs dates of the years 0 to 9999");
  Document bad = document;
  bad.set("unseen", "maybe");
  EXPECT_EQ(complaint<FormatError>([&] { Encoder::from_document(bad); }), "encoder: unseen is none of error, other");
}

}  // namespace condens::many_levels_test
