// The verbs one after the other on a real table, and what must not change the numbers.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "command.hpp"
#include "condens/io/csv.hpp"

namespace condens::tests::happy_path_test {
namespace {

const std::string geyser = "'" CONDENS_SOURCE_DIR "/data/geyser.csv'";
const std::string few =
    " --set n_centers=40 --set bandwidth=0.2,0.4 --set bandwidth_y=0.2,0.4 "
    "--set regularization=0.01 --set refine=false ";

class HappyPath : public CommandTest {
 protected:
  std::string output_of(const std::string& arguments) const {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 0) << arguments << "\n" << outcome.err;
    return outcome.out;
  }
  void expect_words(const std::string& text, const std::vector<std::string>& words) const {
    for (const std::string& word : words)
      EXPECT_NE(text.find(word), std::string::npos) << "no '" << word << "' in\n" << text;
  }
};

TEST_F(HappyPath, FromFitToPicture) {
  const Outcome fit = run("fit " + geyser + " --target waiting -o m.json" + few);
  ASSERT_EQ(fit.code, 0) << fit.err;
  EXPECT_EQ(fit.out, "");
  expect_words(fit.err, {"299 rows", "waiting given duration", "bandwidth_y", "cross-validated"});

  write("new.csv", "duration\n2\n4.5\n");
  const Table predicted = parse_csv(output_of("predict m.json new.csv"), "predicted");
  std::vector<std::string> names;
  for (const Column& column : predicted.columns()) names.push_back(column.name);
  EXPECT_EQ(names, (std::vector<std::string>{"mean", "std", "q0.05", "q0.5", "q0.95"}));
  ASSERT_EQ(predicted.rows(), 2);
  // This table has the waiting time before the eruption: long after short ones never fails to show.
  EXPECT_GT(predicted.at("mean", "").numbers()[0], 75);
  EXPECT_LT(predicted.at("mean", "").numbers()[1], 75);

  // Scores cost a search for level sets in every row: a few rows will do.
  shell("head -n 25 " + geyser + " >test.csv");
  expect_words(output_of("score m.json test.csv"), {"measure,target,value,standard_error\n", "nll,waiting,",
                                                    "crps,waiting,", "coverage_0.9,waiting,", "pit_ks_p_value"});
  expect_words(output_of("score m.json test.csv --json"), {"\"nll\"", "\"name\": \"waiting\"", "\"coverage\""});
  expect_words(output_of("describe m.json"),
               {"299 rows", "duration", "chosen by cross-validation from 0.2,0.4", "Tuning"});
  expect_words(output_of("describe m.json --json"), {"\"candidates\"", "\"influences\""});

  const std::vector<std::string> kinds = {"", " --figure tuning", " --test test.csv --figure pit",
                                          " --test test.csv --figure coverage"};
  for (const std::string& more : kinds) {
    output_of("plot m.json " + geyser + " -o p.svg" + more);
    expect_words(read("p.svg"), {"<svg", "</svg>"});
  }
  output_of("plot m.json -o p.svg");
  output_of("plot m.json " + geyser + " --test test.csv -o p.html");
  expect_words(read("p.html"), {"</html>", "PIT values of waiting", "Coverage of waiting", "Tuning"});
  EXPECT_EQ(read("p.html").find("src=\"http"), std::string::npos);
  EXPECT_EQ(read("p.html").find("<script"), std::string::npos);
}

TEST_F(HappyPath, InputsAreSelected) {
  std::string table = "noise,kind,y\n";
  for (int i = 0; i < 60; ++i) {
    const int kind = i % 3;
    table += std::to_string(i * 17 % 23) + "," + "abc"[kind] + "," + std::to_string(10 * kind + i * i % 7) + "\n";
  }
  write("t.csv", table);
  const std::string grid =
      " --set options.bandwidth=0.3,1 --set options.bandwidth_y=0.3 --set options.refine=false"
      " --set options.regularization=0.1,1 --set model=lscde --set max_features=1";
  const Outcome fit = run("fit t.csv --target y --model forward --set options.n_centers=20 -o m.json" + grid);
  ASSERT_EQ(fit.code, 0) << fit.err;
  expect_words(fit.err, {"selected 1 of 2 inputs: kind", "cross-validated score"});
  expect_words(output_of("describe m.json"), {"Selected inputs: 1 of 2", "order in which they entered", "(none)",
                                              "kind", "options.n_centers", "20", "options.bandwidth", "0.3,1"});

  const Outcome two_stages = run(
      "fit t.csv --target y --model salscde --set selection.bandwidth=0.5 --set selection.bandwidth_y=0.4 --set cv=3 "
      "--set selection.regularization=0.6,0.4 --set selection.n_centers=20 --set options.bandwidth=0.3,1 "
      "--set options.bandwidth_y=0.3 --set options.regularization=0.1 --set options.refine=false -o s.json");
  ASSERT_EQ(two_stages.code, 0) << two_stages.err;
  expect_words(two_stages.err, {"fitted salscde", "cross-validated score"});
  expect_words(output_of("describe s.json"),
               {"selection.bandwidth", "0.5", "options.bandwidth", "chosen by cross-validation from 0.3,1", "set"});
  expect_words(output_of("models forward"), {"options (options)", "--set options.option=value"});
}

TEST_F(HappyPath, Leaderboard) {
  write("t.csv", small_table(40));
  const std::string call = "compare t.csv --target y --models lscde,lscde:paper --repeats 2 --seed 3";
  const Table board = parse_csv(output_of(call + " --standardized"), "board");
  ASSERT_EQ(board.rows(), 2);
  EXPECT_LE(board.at("nll", "").numbers()[0], board.at("nll", "").numbers()[1]);
  for (const std::string name :
       {"data", "model", "nll_se", "nll_standardized", "squared_loss", "crps_se", "coverage_0.9", "seconds"}) {
    EXPECT_NE(board.find(name), nullptr) << name;
  }
  const Table again = parse_csv(output_of(call + " --threads 1"), "board");
  EXPECT_EQ(again.at("nll", "").numbers(), board.at("nll", "").numbers());
  expect_words(output_of(call + " --json"), {"\"repeats\": 2", "\"values\"", "\"nll_p\"", "\"best\": true"});
  EXPECT_EQ(board.at("best", "").texts()[0], "true");
  EXPECT_EQ(board.at("nll_behind", "").numbers()[0], 0);
  const double p = board.at("nll_p", "").numbers()[1];
  EXPECT_EQ(board.at("best", "").texts()[1], p >= 0.05 ? "true" : "false");
  EXPECT_EQ(run(call + " --quiet").err, "");
  expect_words(run(call).err, {"t.csv: 40 rows, 2 splits", "lscde:paper", "paired t-test"});
}

TEST_F(HappyPath, LeaderboardGoesOnWhereItStopped) {
  write("t.csv", small_table(40));
  const std::string call = "compare t.csv --target y --models ekde,few=ekde --set few.bandwidth_y=0.9 --repeats 3";
  const std::string whole = output_of(call + " --resume fits.jsonl");
  const std::string kept = read("fits.jsonl");
  EXPECT_EQ(std::count(kept.begin(), kept.end(), '\n'), 7);
  const Outcome again = run(call + " --resume fits.jsonl");
  EXPECT_EQ(again.out, whole);  // the measured seconds, too
  expect_words(again.err, {"took 6 of 6 fits from fits.jsonl"});
  write("fits.jsonl", kept.substr(0, kept.size() - 20));
  const Outcome rest = run(call + " --resume fits.jsonl");
  expect_words(rest.err, {"unfinished last line", "took 5 of 6"});
  EXPECT_EQ(parse_csv(rest.out, "rest").at("nll", "").numbers(), parse_csv(whole, "whole").at("nll", "").numbers());
  EXPECT_NE(parse_csv(whole, "whole").at("nll", "").numbers()[0], parse_csv(whole, "whole").at("nll", "").numbers()[1]);
}

TEST_F(HappyPath, LeaderboardsAsPictures) {
  write("t.csv", small_table(40));
  write("u.csv", small_table(30));
  const std::string call = " --target y --models ekde,gp --repeats 2 --quiet --plot ";
  output_of("compare t.csv" + call + "p.svg");
  expect_words(read("p.svg"), {"<svg", "t.csv, 2 random splits", "ekde", "coverage of 90 %"});
  output_of("compare t.csv u.csv" + call + "p.html");
  expect_words(read("p.html"), {"</html>", "u.csv", "random splits"});
  expect_words(run("compare t.csv u.csv --target y --models ekde,gp --repeats 2").err, {"mean rank over 2 tables: "});
}

TEST_F(HappyPath, TheOrderOfTime) {
  write("t.csv", small_table(40));
  const std::string call = "compare t.csv --target y --models ekde,gp --repeats 3 --test-fraction 0.3 --cv time";
  const std::string whole = output_of(call + " --resume fits.jsonl --plot p.svg --quiet");
  expect_words(read("p.svg"), {"t.csv, 3 blocks in the order of time"});
  EXPECT_NE(whole, output_of("compare t.csv --target y --models ekde,gp --repeats 3 --test-fraction 0.3 --quiet"));
  expect_words(run(call + " --resume fits.jsonl").err, {"took 6 of 6 fits"});
  // Neither random splits nor other blocks are those that the file holds.
  EXPECT_EQ(run("compare t.csv --target y --models ekde --test-fraction 0.3 --resume fits.jsonl").err.find("took"),
            std::string::npos);
  EXPECT_EQ(run("compare t.csv --target y --models ekde --repeats 2 --test-fraction 0.3 --cv time --resume fits.jsonl")
                .err.find("took"),
            std::string::npos);
  output_of("fit t.csv --target y --model lscde --cv time -o a.json");
  output_of("fit t.csv --target y --model lscde -o b.json");
  EXPECT_NE(read("a.json"), read("b.json"));
  output_of("fit t.csv --target y --model lscde --cv 3 -o c.json");
  output_of("fit t.csv --target y --model lscde --set cv=3 -o d.json");
  EXPECT_EQ(read("c.json"), read("d.json"));
}

TEST_F(HappyPath, ALeaderboardOfCounts) {
  std::string rows = "x,y\n";
  for (int i = 0; i < 60; ++i) rows += std::to_string(i % 10) + "," + std::to_string(i % 10 / 3 + i % 3) + "\n";
  write("t.csv", rows);
  const std::string call = "compare t.csv --target y --models boost,gmm --repeats 2 --target-kind ";
  const Outcome told = run(call + "auto");
  expect_words(told.err, {"t.csv: the target is of kind count", "boost", "gmm"});
  EXPECT_EQ(output_of(call + "count --quiet --json").find("\"failed\": 1"), std::string::npos);
  const Table counts = parse_csv(told.out, "board");
  EXPECT_GT(counts.at("nll", "").numbers()[0], 0.0);  // of a probability
}

TEST_F(HappyPath, AModelThatFailsLosesItsRowOnly) {
  write("t.csv", "a,b,x\n1,2,1\n2,1,5\n3,5,2\n4,3,8\n5,5,1\n6,3,3\n7,9,4\n8,8,2\n");
  const Outcome outcome = run("compare t.csv --target a,b --models gmm,kqr --repeats 2 --plot p.svg");
  EXPECT_EQ(outcome.code, 1);
  const Table board = parse_csv(outcome.out, "board");
  EXPECT_EQ(board.at("model", "").texts(), (std::vector<std::string>{"gmm", "kqr"}));
  EXPECT_EQ(board.at("failed", "").numbers(), (std::vector<double>{0, 2}));
  EXPECT_TRUE(std::isnan(board.at("nll", "").numbers()[1]));
  expect_words(outcome.err, {"warning: t.csv: kqr failed on 2 of 2 splits: ", "some fits failed"});
  expect_words(read("p.svg"), {"kqr (failed)"});
  write("u.csv", "a,b,x\n1,1,1\n1,2,2\n1,3,3\n1,4,4\n");
  const Outcome some = run("compare u.csv t.csv --target a,b --models gmm --repeats 2");
  EXPECT_EQ(some.code, 1);
  EXPECT_EQ(parse_csv(some.out, "board").rows(), 1);
  expect_words(some.err, {"warning: u.csv: no fit succeeded: "});
}

TEST_F(HappyPath, ThreadsAndFileFormatsDoNotChangeAByte) {
  const std::string fit = "fit " + geyser + " --target waiting --seed 5" + few;
  output_of(fit + "--threads 1 -o one.json");
  output_of(fit + "--threads 2 -o two.json");
  output_of(fit + "--threads 2 -o two.cbor");
  EXPECT_EQ(read("one.json"), read("two.json"));
  const std::string flags =
      " " + geyser + " --mean --std --mode --quantiles .1,.9 --interval .5 --log-density --cdf --sample 2";
  const std::string from_json = output_of("predict one.json" + flags + " --threads 1");
  EXPECT_EQ(from_json, output_of("predict two.cbor" + flags + " --threads 2"));
  EXPECT_EQ(from_json.substr(0, from_json.find('\n')),
            "mean,std,mode,q0.1,q0.9,lower,upper,cdf,log_density,sample1,sample2");
}

TEST_F(HappyPath, PredictionsDoNotDependOnTheOtherRows) {
  // More rows than a block of predict holds.
  write("t.csv", small_table(2500));
  output_of("fit t.csv --target y -o m.json --set n_centers=10" + quick);
  const std::string all = output_of("predict m.json t.csv --mean --sample 1 --seed 9 --keep");
  write("first.csv", small_table(3));
  const std::string first = output_of("predict m.json first.csv --mean --sample 1 --seed 9 --keep");
  EXPECT_TRUE(all.starts_with(first));
  EXPECT_TRUE(first.starts_with("x,y,mean,sample1\n"));
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 2501);
  EXPECT_EQ(output_of("predict m.json - --mean --keep <first.csv | head -n 2").substr(0, 11), "x,y,mean\n0,");
}

TEST_F(HappyPath, ReaderThatHasSeenEnough) {
  write("t.csv", small_table(5000));
  output_of("fit t.csv --target y -o m.json --set n_centers=10" + quick);
  const Outcome outcome = shell("\"$CONDENS\" predict m.json t.csv --sample 20 | head -n 1");
  EXPECT_EQ(outcome.err, "");
}

TEST_F(HappyPath, SlicesBeginWithTheInputsThatMatterAndNameTheRest) {
  std::string table = "y";
  for (int j = 1; j <= 13; ++j) table += ",x" + std::to_string(j);
  table += "\n";
  for (int i = 1; i <= 60; ++i) {
    std::string row;
    double strongest = 0.0;
    for (int j = 1; j <= 13; ++j) {
      const double value = std::fmod(i * std::sqrt(2.0 + 3.0 * j), 1.0);
      if (j == 13) strongest = value;
      row += "," + std::to_string(value);
    }
    table += std::to_string(5.0 * strongest) + row + "\n";
  }
  write("t.csv", table);
  output_of("fit t.csv --target y -o m.json --set bandwidth=1.5 --set bandwidth_y=0.3 --set regularization=0.1");
  output_of("plot m.json t.csv -o p.svg");
  const std::string svg = read("p.svg");
  EXPECT_LT(svg.find(">x13</text>"), svg.find(">x1</text>"));  // the first panel is not the first column
  expect_words(svg, {"Not drawn, since they move the distribution least: x", "x13 = "});
  for (int j = 1; j <= 13; ++j) expect_words(svg, {"x" + std::to_string(j) + " = "});  // where each stands
}

TEST_F(HappyPath, LevelsAreNeitherLowNorHigh) {
  std::string table = "sex,kind,height\n";
  for (int i = 0; i < 30; ++i) {
    table +=
        std::string(i % 2 == 0 ? "M" : "F") + "," + (i % 3 == 0 ? "a" : "b") + "," + std::to_string(150 + i % 7) + "\n";
  }
  write("t.csv", table);
  output_of("fit t.csv --target height -o m.json" + quick);
  output_of("plot m.json -o p.svg");
  const std::string svg = read("p.svg");
  expect_words(svg, {">M<", ">F<", ">a<", ">b<"});
  EXPECT_EQ(svg.find("Middle"), std::string::npos);
}

TEST_F(HappyPath, LevelsWithoutRoomAboveTheirPanelStandBelow) {
  std::string table = "place,age,height\n";
  for (int i = 0; i < 30; ++i) {
    table += std::string("near the ") + (i % 2 == 0 ? "northern" : "southern") + " coast," + std::to_string(i % 9) +
             "," + std::to_string(150 + i % 7) + "\n";
  }
  write("t.csv", table);
  output_of("fit t.csv --target height -o m.json" + quick);
  output_of("plot m.json t.csv -o p.svg");
  expect_words(read("p.svg"),
               {"The levels of place from left to right: near the northern coast and near the southern"});
}

TEST_F(HappyPath, CategoricalInput) {
  std::string table = "sex,age,height\n";
  for (int i = 0; i < 30; ++i) {
    table += std::string(i % 3 == 0   ? "M"
                         : i % 3 == 1 ? "F"
                                      : "X") +
             "," + std::to_string(i % 9) + "," + std::to_string(150 + 10 * (i % 3) + i % 4) + "\n";
  }
  write("t.csv", table);
  output_of("fit t.csv --target height -o m.json" + quick);
  expect_words(output_of("describe m.json"), {"3 levels: F, M, X"});
  output_of("plot m.json t.csv --at sex=F -o p.svg");
  expect_words(read("p.svg"), {"sex = F", "age = 3.5", ">X<"});  // every level is a curve
  output_of("plot m.json -o p.svg");                             // of 0, ..., 8 with the median 3.5
  expect_words(read("p.svg"), {">low<", ">middle<", ">high<", ">1.75<", ">3.5<", ">5.75<", "Middle is the median"});
  output_of("plot m.json t.csv --x sex -o p.svg");
  expect_words(read("p.svg"), {"Density of height given sex", ">F<", ">M<", ">X<", "At age = 3.5"});
  write("new.csv", "sex,age\nM,3\nZ,3\n");
  const Outcome unseen = run("predict m.json new.csv");
  EXPECT_EQ(unseen.code, 2);
  EXPECT_EQ(unseen.out, "");
  expect_words(unseen.err, {"new.csv:3", "'sex'", "'Z'", "F, M, X"});
}

TEST_F(HappyPath, WeightsEqualRepeatedRows) {
  write("weighted.csv", "x,y,w\n1,2,1\n2,3,3\n3,1,2\n4,5,0\n5,4,1\n");
  write("repeated.csv", "x,y\n1,2\n2,3\n2,3\n2,3\n3,1\n3,1\n5,4\n");
  const std::string given = quick + "--set 'centers=1,2;3,1;5,4'";
  output_of("fit weighted.csv --target y --weight w -o weighted.json" + given);
  output_of("fit repeated.csv --target y -o repeated.json" + given);
  write("new.csv", "x,y\n0,1\n2.5,2\n7,8\n");
  const std::string flags = " new.csv --mean --std --log-density --quantiles .1,.9";
  const Table a = parse_csv(output_of("predict weighted.json" + flags), "a");
  const Table b = parse_csv(output_of("predict repeated.json" + flags), "b");
  for (const Column& column : a.columns()) {
    for (std::size_t i = 0; i < 3; ++i) {
      // Sums in another order: rounding only.
      EXPECT_NEAR(column.numbers()[i], b.at(column.name, "").numbers()[i], 1e-12 * (1 + std::abs(column.numbers()[i])))
          << column.name;
    }
  }
}

TEST_F(HappyPath, DensityWithoutInputs) {
  write("t.csv", small_table(40));
  output_of("fit t.csv --target y --inputs '' -o d.json" + quick);
  const Table predicted = parse_csv(output_of("predict d.json t.csv --mean"), "p");
  ASSERT_EQ(predicted.rows(), 40);
  EXPECT_EQ(predicted.columns()[0].numbers()[0], predicted.columns()[0].numbers()[39]);
  expect_words(output_of("score d.json t.csv"), {"nll,y,"});
  expect_words(output_of("describe d.json"), {"no inputs"});
  output_of("plot d.json t.csv -o p.svg");
}

TEST_F(HappyPath, EveryDensityTellsItsKernels) {
  write("t.csv", small_table(40));
  for (const std::string model : {"parzen", "rsde", "skd", "gskd", "gmm"}) {
    output_of("fit t.csv --target y --model " + model + " -o d.json");
    expect_words(output_of("describe d.json"), {"Kernels: ", "of inputs and targets together", "weight"});
    expect_words(output_of("describe d.json --json"), {"\"kernels\"", "\"weight\"", "\"std\""});
    output_of("fit t.csv --target y --inputs '' --model " + model + " -o d.json");
    expect_words(output_of("describe d.json"), {"Kernels: ", "no inputs"});
  }
  output_of("fit t.csv --target y,x --inputs '' --model gmm --set covariance=full -o d.json");
  expect_words(output_of("describe d.json"), {"correlation"});
  output_of("plot d.json t.csv -o p.svg");
}

TEST_F(HappyPath, SeveralTargets) {
  std::string table = "x,a,b\n";
  for (int i = 0; i < 40; ++i)
    table += std::to_string(i % 5) + "," + std::to_string(i % 7) + "," + std::to_string(i % 3) + "\n";
  write("t.csv", table);
  output_of("fit t.csv --target a,b -o m.json" + quick);
  const std::string predicted = output_of("predict m.json t.csv --mean --cdf --log-density --sample 1");
  EXPECT_EQ(predicted.substr(0, predicted.find('\n')), "a_mean,a_cdf,b_mean,b_cdf,log_density,a_sample1,b_sample1");
  expect_words(output_of("score m.json t.csv"), {"energy_score,all,", "crps,a,", "crps,b,"});
  output_of("plot m.json t.csv -o p.html");
  expect_words(read("p.html"), {"Targets together"});
}

TEST_F(HappyPath, SmallDataSaySo) {
  write("t.csv", "k,x,y\n1,1,2\n1,,3\n1,3,3.5\n1,4,1\n1,2,4\n");
  const Outcome outcome = run("fit t.csv --target y --drop-missing -o m.json" + quick);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  expect_words(outcome.err,
               {"left out 1 row with missing values", "all 4 different samples are centers", "'k' is constant"});
  EXPECT_EQ(run("fit t.csv --target y --drop-missing --quiet -o m.json" + quick).err, "");
}

TEST_F(HappyPath, HelpAndVersion) {
  expect_words(output_of("--version"), {"condens "});
  expect_words(output_of("--help"), {"fit", "predict", "score", "describe", "compare", "plot", "explain", "models"});
  for (const std::string verb : {"fit", "predict", "score", "describe", "compare", "plot", "explain", "models"}) {
    expect_words(output_of(verb + " --help"), {"Usage: condens " + verb, "Example"});
  }
  expect_words(output_of("models"), {"lscde", "bandwidth", "> 0", "Default: "});
  expect_words(output_of("models --json"), {"\"options\"", "\"paper\""});
}

TEST_F(HappyPath, PredictiveStatesAreToldAndDrawn) {
  std::string table = "size,kind,y\n";
  for (int i = 0; i < 90; ++i) {
    const int stage = i % 3;
    table += std::to_string(stage + 0.1 * (i * 7 % 11)) + "," + "ab"[stage == 0 ? 0 : 1] + "," +
             std::to_string(10 * stage + 0.3 * (i * i % 7)) + "\n";
  }
  write("t.csv", table);
  output_of("fit t.csv --target y --model press --set n_states=3 --set regularization=0.001 -o m.json");
  expect_words(output_of("describe m.json"),
               {"States, by rising mean of y", "share of the rows", "y: mean", "mean of size", "share of kind=b",
                "The training row with the largest weight of each state", "weight of the state",
                "What leads to each state", "± robust standard error", "degrees of freedom", "mean entropy"});
  expect_words(output_of("describe m.json --json"),
               {"\"states\"", "\"share\"", "\"coefficients\"", "\"input_variances\"", "\"representative\"",
                "\"robust_standard_errors\""});
  for (const std::string kind : {"states", "weights", "simplex", "transitions", "smoothing"}) {
    output_of("plot m.json t.csv --figure " + kind + " -o p.svg");
    expect_words(read("p.svg"), {"<svg", "</svg>"});
  }
  output_of("plot m.json t.csv -o p.html");
  expect_words(read("p.html"), {"Weights of the states", "Rows among the states", "Smoothing matrix"});
  expect_words(run("plot m.json --figure simplex -o p.svg").err, {"give DATA.csv"});
  expect_words(run("plot m.json t.csv --figure weights --x kind -o p.svg").err, {"kind is categorical"});
}

TEST_F(HappyPath, DescribeSaysWhatChose) {
  write("t.csv", small_table(40));
  output_of("fit t.csv --target y --model press --set n_states=1,2 --set selection=aic -o m.json");
  expect_words(output_of("describe m.json"), {"chosen by AIC from 1,2", "AIC  std error"});
  output_of("plot m.json t.csv -o p.html");
  expect_words(read("p.html"), {", by AIC"});
}

TEST_F(HappyPath, QuantilesThatWereEstimatedAreThere) {
  write("t.csv", "y\n9\n1\n4\n2\n8\n3\n6\n5\n7\n");
  output_of("fit t.csv --target y --model kqr --set quantile_levels=0.25,0.5,0.75 -o m.json");
  expect_words(output_of("describe m.json"), {"Certificate\n", "largest_relative_gap"});
  const Table predicted = parse_csv(output_of("predict m.json t.csv --exact-quantiles"), "predicted");
  ASSERT_EQ(predicted.columns().size(), 3U);
  // Without inputs they are those of the sample.
  EXPECT_NEAR(predicted.at("exact_q0.25", "").numbers()[8], 3, 1e-6);
  EXPECT_NEAR(predicted.at("exact_q0.5", "").numbers()[8], 5, 1e-6);
  EXPECT_NEAR(predicted.at("exact_q0.75", "").numbers()[8], 7, 1e-6);
}

TEST_F(HappyPath, AReductionTellsItsDirections) {
  shell(
      "awk 'BEGIN { srand(3); print \"a,b,c,town,y\"; for (i = 0; i < 90; ++i) { a = rand(); b = rand(); c = rand(); "
      "print a \",\" b \",\" c \",\" (i % 3 == 0 ? \"Bern\" : \"Oslo\") \",\" a - b + 0.1 * rand() } }' >r.csv");
  const Outcome fit = run("fit r.csv --target y --model sliced --set model=ekde --set n_components=1,2 -o r.json");
  ASSERT_EQ(fit.code, 0) << fit.err;
  expect_words(fit.err, {"chose n_components 1", "cross-validated"});
  expect_words(output_of("describe r.json"), {"Components: 1 of 4 directions", "town=Oslo", "How much the directions"});
  expect_words(output_of("describe r.json --json"), {"\"components\"", "\"loadings\"", "\"town=Oslo\""});
  for (const std::string figure : {"summary", "dimensions", "tuning"}) {
    output_of("plot r.json r.csv -o p.svg --figure " + figure);
    EXPECT_TRUE(read("p.svg").starts_with("<svg")) << figure;
  }
  output_of("plot r.json r.csv -o p.html");
  expect_words(read("p.html"), {"Summary of y", "Number of components"});
}

TEST_F(HappyPath, PoolsTellTheirMembers) {
  shell("head -n 60 " + geyser + " >train.csv");
  const Outcome fit = run(
      "fit train.csv --target waiting --model pool --set models=nw,parzen --set cv=2 --set options.nw.bandwidth_y=0.3 "
      "--set options.nw.bandwidth=0.5 -o m.json");
  ASSERT_EQ(fit.code, 0) << fit.err;
  expect_words(fit.err, {"weights: nw ", "parzen ", "broad 0.001"});
  expect_words(output_of("describe m.json"),
               {"member", "weight", "std error", "all together", "options.nw", "bandwidth_y=0.3 bandwidth=0.5", "gap"});
  expect_words(output_of("describe m.json --json"), {"\"members\"", "\"weight\""});
  const std::string told = output_of("describe m.json");
  const std::size_t gap = told.find("\n  gap ");
  EXPECT_LT(told.find('\n', gap + 1) - gap, 28U) << "a number with all its digits";

  const Outcome automatic = run("fit train.csv --target waiting --model auto --budget 0.05s --set cv=2 -o a.json");
  ASSERT_EQ(automatic.code, 0) << automatic.err;
  expect_words(automatic.err, {"weights: ", "is spent without", "budget of 0.05 s"});
  output_of("plot a.json train.csv -o a.html");
  expect_words(read("a.html"), {"Members", "Weights of the members", ">broad<", ", nll "});
  const std::string same = "fit train.csv --target waiting --model auto --set budget=0.05 --set cv=2 -o b.json";
  ASSERT_EQ(run(same).code, 0);
  EXPECT_EQ(shell("cmp a.json b.json").code, 0);
}

TEST_F(HappyPath, ASearchOnSomeOfTheRowsIsToldOf) {
  const std::string fit = "fit " + geyser +
                          " --target waiting --model lsce --set n_centers=10 --set random_starts=1 --set density=same"
                          " --set bandwidth=0.5 --set bandwidth_y=0.2 -o m.json --set max_search_rows=";
  const Outcome some = run(fit + "100");
  ASSERT_EQ(some.code, 0) << some.err;
  expect_words(some.err, {"fitted lsce to 299 rows", "note: directions were searched on 100 of the rows",
                          "--set max_search_rows=0 takes all of them"});
  EXPECT_EQ(run(fit + "0").err.find("were searched"), std::string::npos);
}

TEST_F(HappyPath, MeanAndSpreadAreDescribed) {
  const Outcome fit = run("fit " + geyser + " --target waiting --model location_scale --set model=ekde -o m.json");
  ASSERT_EQ(fit.code, 0) << fit.err;
  expect_words(fit.err, {"fitted location_scale to 299 rows", "used bandwidth ", "regularization "});
  expect_words(output_of("describe m.json"),
               {"Mean and spread", "explained", "waiting", "what is left: ekde", "found from the data", "the best of"});
  expect_words(output_of("describe m.json --json"), {"\"means\"", "\"scales\"", "\"explained\"", "\"density\""});
}

TEST_F(HappyPath, ARaceIsDescribedAndDrawn) {
  std::string text = "x,y\n";
  for (int i = 0; i < 2010; ++i) text += std::to_string(i % 67) + "," + std::to_string(i % 67 + i * 7919 % 101) + "\n";
  write("many.csv", text);
  output_of("fit many.csv --target y --model auto --budget 0.1 --set model_preset=paper -o a.cbor");
  expect_words(output_of("describe a.cbor"), {"The race", "250 rows", "core-seconds", "forest", "the budget is spent"});
  output_of("plot a.cbor -o race.svg --figure race");
  expect_words(read("race.svg"), {"Scores by the number of rows", "forest", "nll on rows left out"});
}

}  // namespace
}  // namespace condens::tests::happy_path_test
