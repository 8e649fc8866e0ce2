// condens explain: what moved the answer, through the command.

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <sstream>

#include "command.hpp"
#include "condens/core/random.hpp"
#include "condens/io/csv.hpp"

namespace condens::tests::explain_command_test {
namespace {

class ExplainCommand : public CommandTest {
 protected:
  ExplainCommand() {
    RandomStream random(2);
    std::string text = "a,b,c,y\n";
    for (int i = 0; i < 80; ++i) {
      const double a = random.normal();
      const double b = random.normal();
      const char* c = random.uniform() < 0.4 ? "u" : "v";
      const double y = 2 * a + (*c == 'u' ? 1.0 : 0.0) + 0.3 * random.normal();
      text += std::to_string(a) + "," + std::to_string(b) + "," + c + "," + std::to_string(y) + "\n";
    }
    write("t.csv", text);
  }

  std::string good(const std::string& arguments) const {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 0) << arguments << "\n" << outcome.err;
    return outcome.out;
  }
  void refused(const std::string& arguments, const std::string& words) const {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_NE(outcome.err.find(words), std::string::npos) << words << " not in\n" << outcome.err;
  }
  void fit(const std::string& model) const { good("fit t.csv --target y -o m.cbor --model " + model); }

  /// Sums of the values of "of,input,value,standard_error", and the difference that they explain.
  static void expect_sums(const std::string& csv) {
    std::map<std::string, double> sums;
    std::map<std::string, double> differences;
    std::istringstream lines(csv);
    std::string line;
    std::getline(lines, line);
    EXPECT_EQ(line, "of,input,value,standard_error");
    while (std::getline(lines, line)) {
      std::vector<std::string> cells;
      std::istringstream cut(line);
      for (std::string cell; std::getline(cut, cell, ',');) cells.push_back(cell);
      const double value = std::stod(cells[2]);
      if (cells[1] == "(base)")
        differences[cells[0]] -= value;
      else if (cells[1] == "(prediction)")
        differences[cells[0]] += value;
      else
        sums[cells[0]] += value;
    }
    EXPECT_FALSE(sums.empty());
    for (const auto& [of, sum] : sums) EXPECT_NEAR(sum, differences[of], 1e-9) << of;
  }
};

TEST_F(ExplainCommand, SaysWhatMatters) {
  fit("gp");
  const std::string csv = good("explain m.cbor t.csv");
  EXPECT_EQ(csv.substr(0, csv.find('\n')), "input,measure,loss,standard_error,shuffle_error");
  EXPECT_EQ(csv.find("\na,nll,"), csv.find('\n'));  // the first
  EXPECT_EQ(csv, good("explain m.cbor t.csv --importance --threads 2"));
  EXPECT_NE(csv, good("explain m.cbor t.csv --seed 1"));
  EXPECT_NE(good("explain m.cbor t.csv --json").find("\"measure\": \"crps\""), std::string::npos);
  good("explain m.cbor t.csv -o importance.svg");
  EXPECT_NE(read("importance.svg").find("What the scores lose without an input"), std::string::npos);
  EXPECT_NE(read("importance.svg").find("Each input shuffled 5 times among 80 rows."), std::string::npos);
}

TEST_F(ExplainCommand, FollowsOneInput) {
  fit("gp");
  const std::string local = good("explain m.cbor t.csv --effect a --points 4");
  EXPECT_EQ(local.substr(0, local.find('\n')), "a,of,effect,standard_error");
  EXPECT_NE(local.find(",quantile:0.9,"), std::string::npos);
  const std::string partial = good("explain m.cbor t.csv --effect a --partial --of mean");
  EXPECT_EQ(partial.substr(0, partial.find('\n')), "a,of,effect,standard_error,value");
  const std::string levels = good("explain m.cbor t.csv --effect c --of mean,std");
  EXPECT_NE(levels.find("\nu,mean,"), std::string::npos);
  EXPECT_NE(levels.find("\nv,std,"), std::string::npos);
  good("explain m.cbor t.csv --effect a -o a.svg");
  EXPECT_NE(read("a.svg").find("Local effect of a"), std::string::npos);
  good("explain m.cbor t.csv --effect a --partial -o p.svg");
  EXPECT_NE(read("p.svg").find("Partial dependence on a"), std::string::npos);
  good("explain m.cbor t.csv --effect c -o c.svg");
  EXPECT_NE(read("c.svg").find("Less the mean over the rows."), std::string::npos);
}

TEST_F(ExplainCommand, ExplainsARowAndADifference) {
  fit("gp");
  expect_sums(good("explain m.cbor t.csv --row 17 --of mean,quantile:.9,above:1,asymmetry,log-score"));
  expect_sums(good("explain m.cbor t.csv --row 17 --background 5"));
  const std::string compared = good("explain m.cbor t.csv --compare 17,42 --of width:.8");
  expect_sums(compared);
  EXPECT_NE(compared.find("kolmogorov,(prediction),"), std::string::npos);
  good("explain m.cbor t.csv --row 17 -o r.svg");
  EXPECT_NE(read("r.svg").find("Against the mean of 80 rows, exact."), std::string::npos);
  good("explain m.cbor t.csv --compare 17,42 -o d.svg");
  EXPECT_NE(read("d.svg").find("From row 42 to row 17"), std::string::npos);
}

TEST_F(ExplainCommand, NamesTrainingRows) {
  for (const std::string model : {"nw", "forest --set n_trees=20"}) {
    fit(model);
    const std::string csv = good("explain m.cbor t.csv --training-rows 3 --training t.csv --most 4");
    EXPECT_EQ(csv.substr(0, csv.find('\n')), "row,weight,a,b,c,y");
    EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 6);
    EXPECT_NE(csv.find("\n(others),"), std::string::npos);
    double sum = 0;
    std::istringstream lines(csv);
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line)) sum += std::stod(line.substr(line.find(',') + 1));
    EXPECT_NEAR(sum, 1, 1e-9);
  }
  fit("nw");
  EXPECT_NE(good("explain m.cbor t.csv --training-rows 3 --training t.csv").find("\n3,"), std::string::npos);
}

TEST_F(ExplainCommand, NamesTrainingRowsWhereLevelsAreStatistics) {
  RandomStream random(8);
  std::string rows = "city,y\n";
  for (int i = 0; i < 150; ++i) {
    rows += "c" + std::to_string(i % 30) + "," + std::to_string(i % 30 / 10.0 + random.normal()) + "\n";
  }
  write("t.csv", rows);
  good("fit t.csv --target y --model nw --seed 3 -o m.json");
  EXPECT_NE(good("explain m.json t.csv --training-rows 5 --training t.csv").find("\n(others),"), std::string::npos);
}

TEST_F(ExplainCommand, EffectsAreOverTheWeightsOfTheRows) {
  RandomStream random(9);
  std::string twice = "x,z,w,y\n";
  std::string copied = "x,z,w,y\n";
  for (int i = 0; i < 60; ++i) {
    const double x = i % 4;  // the values of the grid, with any weights
    const double z = random.normal();
    const int weight = i % 3;
    const std::string cells = std::to_string(x) + "," + std::to_string(z) + ",";
    const std::string target = "," + std::to_string(x * z + 0.1 * random.normal()) + "\n";
    twice += cells + std::to_string(weight) + target;
    for (int k = 0; k < weight; ++k) copied += cells + "1" + target;
  }
  write("t.csv", twice);
  write("u.csv", copied);
  good("fit t.csv --target y --weight w --model nw -o m.json");
  const std::string call = " --effect x --partial --of mean --points 4";
  const Table weighted = parse_csv(good("explain m.json t.csv" + call), "t");
  const Table copies = parse_csv(good("explain m.json u.csv" + call), "u");
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(weighted.at("effect", "").numbers()[i], copies.at("effect", "").numbers()[i], 1e-9);
  }
}

TEST_F(ExplainCommand, TakesEveryKindOfTargetAndSeveral) {
  RandomStream random(3);
  std::string text = "x,z,count,claim\n";
  for (int i = 0; i < 40; ++i) {
    const double x = random.normal();
    const double y = std::exp(0.7 * x + 0.3 * random.normal());
    text += std::to_string(x) + "," + std::to_string(random.normal()) + "," + std::to_string(static_cast<int>(2 * y)) +
            "," + std::to_string(random.uniform() < 0.5 ? 0.0 : y) + "\n";
  }
  write("k.csv", text);
  for (const auto& [target, kind] : {std::pair{"count", "count"}, {"claim", "with-atoms"}}) {
    const std::string columns = std::string(" --inputs x,z --target ") + target;
    good("fit k.csv" + columns + " --target-kind " + kind + " --model parzen --conformal -o k.cbor");
    EXPECT_EQ(good("explain k.cbor k.csv --max-rows 20").find("\nx,nll,"),
              std::string("input,measure,loss,standard_error,shuffle_error").size());
    good("explain k.cbor k.csv --effect x --of mean,above:0");
    expect_sums(good("explain k.cbor k.csv --row 5"));
    expect_sums(good("explain k.cbor k.csv --compare 5,6"));
    good("explain k.cbor k.csv --training-rows 5 --training k.csv");
  }
  good("fit k.csv --inputs x,z --target count,claim --model gp -o two.cbor");
  good("explain two.cbor k.csv");
  EXPECT_NE(good("explain two.cbor k.csv --row 5 --target claim"), good("explain two.cbor k.csv --row 5"));
  refused("explain two.cbor k.csv --row 5 --target x", "--target = 'x', expected one of");
}

TEST_F(ExplainCommand, TakesASampleOfALargeTable) {
  fit("gmm --set n_components=1");
  const std::string drawn = good("explain m.cbor t.csv --sample 40 --seed 3");
  EXPECT_EQ(good("explain m.cbor t.csv --sample 40 --seed 3"), drawn);
  EXPECT_NE(good("explain m.cbor t.csv --sample 40 --seed 4"), drawn);
  EXPECT_NE(good("explain m.cbor t.csv"), drawn);
  EXPECT_EQ(good("explain m.cbor t.csv --sample 80"), good("explain m.cbor t.csv"));  // all there are
  EXPECT_NE(good("explain m.cbor t.csv --sample 40 --effect a"), good("explain m.cbor t.csv --effect a"));
  write("inputs.csv", "a,b,c\n1,2,u\n3,4,v\n");
  refused("explain m.cbor inputs.csv --sample 40 --effect a", "inputs.csv: there is no target column 'y'");
}

TEST_F(ExplainCommand, MovesANumberWithItsMark) {
  std::string text = "a,b,y\n";
  for (int i = 0; i < 40; ++i) {
    text += (i % 5 == 0 ? std::string("NA") : std::to_string(i % 7)) + "," + std::to_string(i % 3) + "," +
            std::to_string((i * i) % 11 + i % 7) + "\n";
  }
  write("gaps.csv", text);
  good("fit gaps.csv --target y --missing indicator --model forest --set n_trees=20 -o g.cbor");
  const std::string csv = good("explain g.cbor gaps.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 5);  // a with its mark, and b: two scores each
  good("explain g.cbor gaps.csv --effect a --partial");
}

TEST_F(ExplainCommand, RefusesWrongCalls) {
  fit("gp");
  const std::string call = "explain m.cbor t.csv ";
  refused(call + "--importance --row 3", "several explanations are asked for, expected one of --importance");
  refused(call + "--effect d", "--effect = 'd', expected one of a, b, c");
  refused(call + "--row 0", "--row = '0', expected the number of a row of the table, counting from 1");
  refused(call + "--row x", "--row = 'x', expected the number of a row of the table, counting from 1");
  refused(call + "--row 81", "--row = 81, expected one of the 80 rows of the table that can be used");
  refused(call + "--compare 4", "--compare = '4', expected two rows, as 17,42");
  refused(call + "--of mode", "--of = 'mode', expected one of mean, std");
  refused(call + "--compare 1,2 --of log-score", "needs the target of one row, and there are two");
  refused(call + "--training-rows 2", "--training-rows needs --training TRAIN.csv, the table of the fit");
  refused(call + "--training t.csv", "--training is for --training-rows N, which is not asked for");
  refused(call + "--training-rows 2 --training t.csv", "gp is not made of training rows");
  refused(call + "--training-rows 2 --training t.csv -o r.svg", "training rows are a table");
  refused(call + "--partial", "--partial is for --effect, which is not asked for");
  refused(call + "--repeats 0", "--repeats = 0, expected a whole number >= 1");
  refused(call + "--effect a --points 1", "--points = 1, expected a whole number >= 2");
  refused(call + "--max-rows -1", "--max-rows = -1, expected a whole number >= 0");
  refused(call + "--sample 1", "--sample = 1, expected a number of rows >= 2");
  refused(call + "--sample 20 --row 3", "--sample: --row, --compare and --training-rows ask for rows by their number");
  refused(call + "--background -1", "--background = -1, expected a whole number >= 0");
  refused(call + "--seed -1", "--seed = -1, expected a whole number >= 0");
  write("inputs.csv", "a,b,c\n1,2,u\n0,1,v\n");
  refused("explain m.cbor inputs.csv", "inputs.csv: --importance needs the target column 'y'");
  refused("explain m.cbor inputs.csv --row 1 --of log-score", "inputs.csv: --of log-score needs the target column 'y'");
  good("explain m.cbor inputs.csv --row 1");
  write("same.csv", "a,b,c\n1,2,u\n1,1,v\n");
  refused("explain m.cbor same.csv --effect a", "effect: input 'a' is always 1, expected at least two values");
  good("fit t.csv --target y --inputs '' --model gmm -o d.cbor");
  refused("explain d.cbor t.csv", "the model has no inputs, expected at least one that could move it");
}

}  // namespace
}  // namespace condens::tests::explain_command_test
