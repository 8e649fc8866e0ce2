// Targets that are not any real number, through the command: fit, describe, predict, score, plot.

#include <gtest/gtest.h>

#include <cmath>

#include "command.hpp"
#include "condens/core/random.hpp"

namespace condens::tests::target_kind_command_test {
namespace {

class TargetKindCommand : public CommandTest {};

/// x and counts, claims that are often 0, shares, grades.
std::string table() {
  RandomStream random(3);
  std::string out = "x,count,claim,share,grade\n";
  for (int i = 0; i < 120; ++i) {
    const double x = random.normal();
    const double z = 0.7 * x + 0.4 * random.normal();
    const double claim = random.uniform() < 0.6 ? 0.0 : std::exp(z);
    out += std::to_string(x) + "," + std::to_string(static_cast<int>(std::exp(1.0 + z))) + "," + std::to_string(claim) +
           "," + std::to_string(1.0 / (1.0 + std::exp(-z))) + "," +
           std::to_string(z < -0.3  ? 1
                          : z < 0.5 ? 2
                                    : 4) +
           "\n";
  }
  return out;
}

std::string fit_of(const std::string& target, const std::string& kind) {
  return "fit t.csv --target " + target + " --inputs x --model gp --target-kind " + kind + " -o m.json";
}

TEST_F(TargetKindCommand, GoesThroughEveryVerb) {
  write("t.csv", table());
  const std::vector<std::vector<std::string>> cases = {
      {"count", "count", "count"},     {"claim", "with-atoms", "with-atoms"}, {"share", "bounded:0,1", "bounded:0,1"},
      {"grade", "ordinal", "ordinal"}, {"claim", "auto", "with-atoms"},       {"share", "auto", "bounded:0,1"},
      {"grade", "auto", "ordinal"},    {"share", "positive", "positive"}};
  for (const auto& own : cases) {
    expect_in(good(fit_of(own[0], own[1])).err, {"the target is of kind " + own[2] + " ("});
    expect_in(good("describe m.json").out, {"Kind of the target: " + own[2], "those of x = "});
    expect_in(good("describe m.json --json").out, {"\"kind\": \"" + own[2] + "\""});
    const std::string scores = good("score m.json t.csv").out;
    expect_in(scores, {"nll," + own[0], "crps," + own[0], "hdr_coverage_0.9,"});
    EXPECT_EQ(scores.find("squared_loss"), std::string::npos);
    EXPECT_EQ(scores.find("inf"), std::string::npos);
    const std::string predicted =
        good("predict m.json t.csv --mean --std --mode --quantiles .1,.9 --interval .8 --cdf --log-density --sample 2")
            .out;
    expect_in(predicted, {"mean,std,mode,q0.1,q0.9,lower,upper,cdf,log_density,sample1,sample2"});
    good("plot m.json -o density.svg --figure density");
    good("plot m.json t.csv -o all.html");
  }
}

TEST_F(TargetKindCommand, PrintsTheProbabilitiesOfValues) {
  write("t.csv", table());
  expect_in(good(fit_of("claim", "with-atoms")).err,
            {"fitted gp to 120 rows", "nats a row for the probabilities of atoms, on 120 rows left out"});
  expect_in(good("describe m.json").out,
            {"Fitted on 120 rows, the density to the ", " that are no atoms\n", "\n  atoms: left out of a fit ",
             "\n  beside them: of the fit ", "  atoms, with probabilities of their own: 0\n", "  these are by "});
  const std::string predicted = good("predict m.json t.csv --mass-at 0,1.5").out;
  expect_in(predicted, {"mass_at_0,mass_at_1.5\n", ",0\n"});
}

TEST_F(TargetKindCommand, GivesIntervalsWithAGuarantee) {
  write("t.csv", table());
  for (const std::string kind : {"real", "positive"}) {
    expect_in(
        good("fit t.csv --target share --inputs x --model gp --target-kind " + kind + " --conformal -o m.json").err,
        {"left out 30 rows for intervals with a guarantee: those of 90 % take a mass of "});
    expect_in(good("describe m.json").out, {"Intervals with a guarantee, by 30 rows that the fit has not seen"});
    expect_in(good("describe m.json --json").out, {"\"conformal\": {"});
    expect_in(good("score m.json t.csv").out, {"conformal_coverage_0.9,share,", "conformal_width_0.9,share,"});
    expect_in(good("score m.json t.csv --json").out, {"\"conformal\": ["});
    expect_in(good("predict m.json t.csv --interval .9").out, {"lower,upper\n"});
    // Of 30 rows none tells where 99 % end.
    expect_in(good("predict m.json t.csv --interval .99").out, {kind == "real" ? "-inf,inf" : "0,inf"});
  }
  expect_in(run("fit t.csv --target share --inputs x --conformal --conformal-share 2 -o m.json").err,
            {"conformal: share = 2, expected a number in (0, 1)"});
}

TEST_F(TargetKindCommand, GivesIntervalsByFoldsAndWithinGroups) {
  RandomStream random(5);
  std::string rows = "x,city,y\n";
  for (int i = 0; i < 120; ++i) {
    const double x = random.normal();
    rows += std::to_string(x) + "," + (i % 2 == 0 ? "Bern" : "Rome") + "," +
            std::to_string(x + (i % 2 == 0 ? 0.2 : 2.0) * random.normal()) + "\n";
  }
  write("t.csv", rows);
  const std::string fit = "fit t.csv --target y --model gp -o m.cbor --conformal ";
  expect_in(good(fit + "cv+ --conformal-folds 3").err,
            {"fitted 3 models more, each without a fold, for intervals with a guarantee: those of 90 % take a mass of "
             "about "});
  expect_in(good("describe m.cbor").out, {"Intervals with a guarantee, by 120 rows each scored by one of 3 models that "
                                          "has not seen it: about the mass that each takes"});
  EXPECT_EQ(good("describe m.cbor --json").out.find("\"models\""), std::string::npos);
  const std::string one = good("predict m.cbor t.csv --interval .9 --threads 1").out;
  EXPECT_EQ(one, good("predict m.cbor t.csv --interval .9 --threads 7").out);
  expect_in(good("score m.cbor t.csv").out, {"conformal_coverage_0.9,y,"});
  good("explain m.cbor t.csv --effect x");
  expect_in(good(fit + "split --conformal-share 0.5 --conformal-groups city").err,
            {"left out 60 rows for intervals with a guarantee within each of the groups by 'city'",
             "calibration rows of each group: Bern ", ", Rome ", ", (other) 0"});
  expect_in(good("describe m.cbor").out, {"group by 'city'", "Bern, ", "(other), 0 rows"});
  good("predict m.cbor t.csv --interval .9");
  write("small.csv", "x,y\n0.1,0\n2,1\n3,2.5\n4,2\n5,4\n6,5\n");
  good("fit small.csv --target y --model gp -o m.cbor --conformal jackknife+");
  good("fit --conformal small.csv --target y --model gp -o m.cbor");  // the word behind it is the table

  const auto refused = [&](const std::string& more, const std::string& words) {
    const Outcome outcome = run(fit + more);
    EXPECT_EQ(outcome.code, 2) << more;
    expect_in(outcome.err, {words});
  };
  refused("cv", "--conformal = 'cv', expected split, cv+, jackknife+ or nothing; did you mean 'cv+'?");
  refused("cv+ --conformal-share 0.2",
          "--conformal-share with --conformal cv+, which leaves no rows out; expected "
          "--conformal split");
  refused("jackknife+ --conformal-folds 3", "--conformal-folds with --conformal jackknife+, expected --conformal cv+");
  refused("cv+ --conformal-folds 200", "conformal: folds = 200 of 120 rows, expected at least 2, at most a row each");
  refused("--conformal-groups town", "--conformal-groups = 'town', expected one of the inputs x, city");
  refused("--conformal-share 0", "--conformal-share = 0, expected a number in (0, 1)");
  expect_in(run("fit t.csv --target y --conformal-folds 3 -o m.cbor").err, {"--conformal-folds requires --conformal"});
  expect_in(run("fit --target y --conformal -o m.cbor").err, {"TRAIN.csv is missing"});
}

TEST_F(TargetKindCommand, CalibratesWeighsAndLooksAtSlices) {
  const auto rows = [](int n, double shift, std::uint64_t seed) {
    RandomStream random(seed);
    std::string out = "x,w,city,y\n";
    for (int i = 0; i < n; ++i) {
      const double x = shift + random.normal();
      out += std::to_string(x) + "," + std::to_string(std::exp(x)) + "," + (i % 2 == 0 ? "Bern" : "Rome") + "," +
             std::to_string(x + (i % 2 == 0 ? 0.3 : 2.0) * random.normal()) + "\n";
    }
    return out;
  };
  write("t.csv", rows(200, 0.0, 5));
  write("new.csv", rows(80, 1.0, 6));
  const std::string fit = "fit t.csv --target y --inputs x,city --model gp -o m.cbor ";
  expect_in(good(fit + "--calibrate --conformal").err,
            {"left out 50 rows for intervals", "distributions are calibrated by 38 rows left out"});
  expect_in(good("describe m.cbor").out, {"Calibrated distributions, by the PIT values of 38 rows left out"});
  expect_in(good("describe m.cbor --json").out, {"\"calibration\": {"});
  const Outcome scored = good("score m.cbor new.csv --slices");
  expect_in(scored.out, {"conformal_coverage_0.9 city = Rome,y,", "conformal_coverage_0.9 x = [", "0.9 width = ["});
  expect_in(scored.err, {"least coverage for its size: ", " where ", " standard errors below"});
  expect_in(good("score m.cbor new.csv --slices --json").out,
            {"\"slices\": {", "\"worst\": {", "\"guaranteed\": true"});
  EXPECT_EQ(good("score m.cbor new.csv").out.find("city"), std::string::npos);

  const std::string predict = "predict m.cbor new.csv --interval .8 ";
  const Outcome estimated = good(predict + "--shift");
  expect_in(estimated.err, {"weights for covariate shift: 50 calibration rows count as "});
  EXPECT_EQ(estimated.out, good(predict + "--shift --threads 7").out);
  const Outcome given = good(predict + "--shift-weights w --shift-rows t.csv");
  EXPECT_NE(given.out, good(predict).out);

  const auto refused = [&](const std::string& call, const std::string& words) {
    const Outcome outcome = run(call);
    EXPECT_EQ(outcome.code, 2) << call;
    expect_in(outcome.err, {words});
  };
  refused("predict m.cbor new.csv --shift --mean", "--shift is for intervals, expected --interval p beside it");
  refused(predict + "--shift-weights w",
          "--shift-weights COLUMN and --shift-rows TRAIN.csv go together, expected both");
  refused(predict + "--shift --shift-weights w --shift-rows t.csv",
          "--shift and --shift-weights, expected one of them");
  refused(predict + "--shift-weights v --shift-rows t.csv", "--shift-weights = 'v': t.csv has no such column");
  refused(predict + "--shift-weights x --shift-rows t.csv", "expected a weight >= 0");
  refused(predict + "--shift-weights city --shift-rows t.csv", "'city' is no number, expected a weight >= 0");
  refused(predict + "--shift-weights w --shift-rows new.csv",
          "new.csv has 80 rows, the fit had 200; expected the same");
  refused(fit + "--calibrate --calibrate-share 1", "--calibrate-share = 1, expected a number in (0, 1)");
  refused(fit + "--calibrate --calibrate-share 0.01", "calibrate: share = 0.01 of 200 rows leaves 2 for calibration");
  good("fit t.csv --target y --inputs x --model gp -o plain.cbor");
  refused("predict plain.cbor new.csv --interval .8 --shift",
          "--shift: plain.cbor has no intervals with a guarantee, expected a model from fit --conformal");
  refused("explain m.cbor new.csv --training-rows 1 --training t.csv", "calibrated distributions are no weighted");
}

TEST_F(TargetKindCommand, MarksMissingInputs) {
  std::string gappy = "x,city,y\n";
  RandomStream random(1);
  for (int i = 0; i < 60; ++i) {
    gappy += (i % 5 == 0 ? "" : std::to_string(random.normal())) + "," +
             (i % 7 == 0   ? ""
              : i % 2 == 0 ? "Bern"
                           : "Rome") +
             "," + std::to_string(random.normal()) + "\n";
  }
  write("gappy.csv", gappy);
  EXPECT_EQ(run("fit gappy.csv --target y --model gp -o m.json").code, 2);
  expect_in(good("fit gappy.csv --target y --model gp --missing indicator -o m.json").err,
            {"missing values are marked of city and x", "60 rows"});
  expect_in(good("describe m.json").out, {"x missing", "(missing)"});
  good("predict m.json gappy.csv --mean");
  good("score m.json gappy.csv");
  good("plot m.json gappy.csv -o m.svg --figure density");
  write("full.csv", "x,city,y\n1,Bern,2\n2,Rome,1\n3,Bern,0\n4,Rome,5\n5,Bern,3\n");
  good("fit full.csv --target y --model gp --missing indicator -o full.json");
  expect_in(
      good("predict full.json gappy.csv --mean").err,
      {"condens predict: warning: gappy.csv:2: 'x' is missing, which it never was in training; its median stands in"});
  expect_in(run("fit full.csv --target y --missing never -o m.json").err,
            {"--missing = 'never', expected error, indicator or model"});
}

TEST_F(TargetKindCommand, LeavesMissingInputsToTheModel) {
  std::string gappy = "x,city,y\n";
  RandomStream random(1);
  for (int i = 0; i < 80; ++i) {
    const double x = random.normal();
    gappy += (i % 5 == 0 ? "" : std::to_string(x)) + "," +
             (i % 7 == 0 ? ""
              : x > 0    ? "Bern"
                         : "Rome") +
             "," + std::to_string(x + random.normal()) + "\n";
  }
  write("gappy.csv", gappy);
  write("whole.csv", "x,y\n1,2\n2,3\n3,5\n4,4\n5,7\n");
  EXPECT_EQ(good("fit whole.csv --target y --model parzen --missing model -o m.cbor").err.find("missing"),
            std::string::npos);
  for (const std::string model : {"gp", "parzen", "boost"}) {
    const std::string how = model == "parzen" ? "do without" : "average over";
    expect_in(good("fit gappy.csv --target y --model " + model + " --missing model -o m.cbor").err,
              {"25 rows have missing inputs, which predictions " + how});
    good("describe m.cbor");
    expect_in(good("predict m.cbor gappy.csv --mean --interval .9").out, {"mean,lower,upper"});
    good("score m.cbor gappy.csv");
    good("plot m.cbor gappy.csv -o m.svg --figure density");
    good("plot m.cbor -o m.svg --figure density");
  }
  expect_in(run("compare gappy.csv --target y --models gp,parzen --missing model").err,
            {"--missing model, expected error or indicator: models that are compared see the same inputs"});
}

TEST_F(TargetKindCommand, TellsWhatARealTargetLooksLike) {
  write("t.csv", table());
  const std::string said = good("fit t.csv --target grade --inputs x --model gp -o m.json").err;
  expect_in(said, {"note: the target looks like --target-kind ordinal (only 3 different values), and was taken for any "
                   "real number"});
  expect_in(run("predict m.json t.csv --mass-at 1").err, {"--mass-at: the target was fitted as any real number"});
}

TEST_F(TargetKindCommand, SaysWhereAValueIsNotOfTheKind) {
  write("t.csv", "x,y\n1,2\n3,0.5\n4,1\n2,-3\n");
  const auto refused = [&](const std::string& arguments, const std::string& words) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    expect_in(outcome.err, {words});
  };
  const std::string fit = "fit t.csv --target y --model gp -o m.json --target-kind ";
  refused(fit + "positive", "target_kind = 'positive': t.csv:5: the target is -3, expected a number > 0");
  refused(fit + "count", "target_kind = 'count': t.csv:3: the target is 0.5, expected a whole number >= 0");
  refused(fit + "bounded:-5,1.5", "t.csv:2: the target is 2, expected a number < 1.5");
  refused(fit + "bounded:3", "expected two numbers, the lower one first, as in bounded:0,1");
  refused(fit + "counts", "target_kind = 'counts', expected one of auto, real, positive");
  refused("fit t.csv --target x,y --inputs \"\" --model gmm -o m.json --target-kind positive",
          "there are 2 targets, and only a single one can be of another kind");
  EXPECT_EQ(files(), std::vector<std::string>{"t.csv"});

  write("missing.csv", "x,y\n1,2\n3,\n4,1.5\n2,-3\n5,1\n");
  refused("fit missing.csv --target y --drop-missing --model gp -o m.json --target-kind positive",
          "missing.csv:5: the target is -3");
  write("t.csv", table());
  good(fit_of("grade", "ordinal"));
  write("new.csv", "x,grade\n0.5,2\n1,3\n");
  refused("score m.json new.csv", "new.csv:3: the target is 3, expected one of the values of the fit: 1, 2, 4");
}

}  // namespace
}  // namespace condens::tests::target_kind_command_test
