// Error bars through the command: fit --bootstrap, predict --bands, plot --bands.

#include <gtest/gtest.h>

#include "command.hpp"
#include "condens/core/random.hpp"

namespace condens::tests::bands_command_test {
namespace {

class BandsCommand : public CommandTest {
 protected:
  std::string bad(const std::string& arguments) const {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    return outcome.err;
  }
};

std::string table(int n = 80) {
  RandomStream random(3);
  std::string out = "a,b,y\n";
  for (int i = 0; i < n; ++i) {
    const double a = random.normal();
    const double y = 2.0 + 0.7 * a + 0.4 * random.normal();
    out += std::to_string(a) + "," + std::to_string(random.normal()) + "," + std::to_string(std::max(y, 1.5)) + "\n";
  }
  return out;
}

TEST_F(BandsCommand, ColumnsAndPicturesHaveErrorBars) {
  write("t.csv", table(50));
  write("some.csv", table(8));
  for (const std::string how : {"--inputs a", "--inputs a,b", "--inputs \"\"", "--inputs a --target-kind with-atoms"}) {
    const std::string fit = "fit t.csv --target y --model parzen --seed 4 -o m.json ";
    const Outcome fitted = good(fit + how + " --bootstrap 19");
    expect_in(fitted.err, {"fitted 19 bootstrap replicates, for --bands of predict and plot"});
    const std::string predicted =
        good("predict m.json some.csv --mean --quantiles .5 --cdf --log-density --sample 1 --bands .9").out;
    expect_in(predicted, {"mean,mean_low,mean_high,q0.5,q0.5_low,q0.5_high,cdf,cdf_low,cdf_high,log_density,"
                          "log_density_low,log_density_high,sample1\n"});
    EXPECT_EQ(good("predict m.json some.csv --mean --bands .9 --threads 1").out,
              good("predict m.json some.csv --mean --bands .9 --threads 3").out);
    for (const std::string method : {"basic", "normal"})
      expect_in(good("predict m.json some.csv --std --bands .9 --bands-method " + method).out,
                {"std,std_low,std_high\n"});
    good("plot m.json some.csv --bands .9 -o m.svg");
    expect_in(read("m.svg"), {"90 % band"});
    expect_in(good("describe m.json").out, {"Error bars, from 19 bootstrap replicates"});
    expect_in(good("describe m.json --json").out, {"\"n_replicates\": 19"});
  }
}

TEST_F(BandsCommand, DescribeTellsHowSureDirectionsAndCoefficientsAre) {
  write("t.csv", table());
  const std::string search = " --set bandwidth=0.8 --set bandwidth_y=0.3 --set regularization=0.01 --set n_centers=20";
  good("fit t.csv --target y --model lsce --set n_components=1 --set sparse=true -o w.json --bootstrap 19" + search);
  expect_in(good("describe w.json").out, {"Scores of rows left out as inputs leave the directions; ",
                                          "How sure the directions are, from 19 bootstrap ", "largest angle",
                                          "the diagonal of W'W, with 90 % intervals"});
  expect_in(good("describe w.json --json").out, {"\"subspace_intervals\"", "\"distance_bound\"", "\"loaded\""});
  good("fit t.csv --target y --model press --set n_states=2 --set n_starts=1 -o s.json --bootstrap 39");
  expect_in(good("describe s.json").out, {"95 % intervals of these, from ", " to "});
  expect_in(good("describe s.json --json").out, {"\"bootstrap_standard_errors\"", "\"bootstrap_lower\""});
}

TEST_F(BandsCommand, ExplainTestsTheNumberOfDirections) {
  write("t.csv", table());
  const std::string options = " --set model=ekde --set n_components=1 --set cv=3";
  good("fit t.csv --target y --model sliced -o w.json" + options);
  const std::string tested = good("explain w.json t.csv --dimension --folds 3").out;
  expect_in(tested, {"n_components,log_score,gain,standard_error,p_value,verdict\n0,", "too few", "\n1,"});
  expect_in(good("explain w.json t.csv --dimension --folds 3 --level .01 --json").out, {"\"verdict\": \"too few\""});
  expect_in(bad("explain w.json t.csv --dimension --level 2"), {"level = 2, expected a number in (0, 1)"});
  expect_in(bad("explain w.json t.csv --dimension -o t.svg"), {"-o t.svg: tests are a table, expected a name"});
  expect_in(bad("explain w.json t.csv --dimension --row 1"), {"several explanations are asked for, expected one of"});
  good("fit t.csv --target y --model nw -o nw.json");
  expect_in(bad("explain nw.json t.csv --dimension"), {"nw does not reduce its inputs, expected one of "});
}

TEST_F(BandsCommand, SaysWhatIsWrong) {
  write("t.csv", table());
  good("fit t.csv --target y --model parzen -o none.json");
  good("fit t.csv --target y --model parzen --bootstrap 10 -o ten.json");
  expect_in(
      bad("predict none.json t.csv --bands .9"),
      {"--bands: none.json has no bootstrap replicates to tell error bars from; fit it again with --bootstrap 100"});
  expect_in(bad("plot none.json t.csv --bands .9 -o m.svg"), {"--bands: none.json has no bootstrap replicates"});
  expect_in(bad("predict ten.json t.csv --bands .9"), {"level = 0.9 of 10 replicates, expected at least 19 of them"});
  expect_in(bad("predict ten.json t.csv --bands .5,.6"), {"--bands = '.5,.6', expected one number between 0 and 1"});
  expect_in(bad("plot ten.json t.csv --bands .5,.6 -o m.svg"), {"--bands = '.5,.6', expected one number"});
  expect_in(bad("predict ten.json t.csv --bands 90"), {"--bands: '90', expected a number between 0 and 1"});
  expect_in(bad("predict ten.json t.csv --bands .5 --bands-method t"),
            {"--bands-method = 't', expected one of percentile, basic, normal"});
  expect_in(bad("fit t.csv --target y --bootstrap 20000 -o m.json"),
            {"--bootstrap = 20000, expected a number of replicates, 0 to 10000"});
}

}  // namespace
}  // namespace condens::tests::bands_command_test
