// Targets that are censored or truncated, through the command: fit, score, plot, and every refusal.

#include <gtest/gtest.h>

#include <cmath>

#include "command.hpp"
#include "condens/core/random.hpp"

namespace condens::tests::censoring_command_test {
namespace {

class CensoringCommand : public CommandTest {
 protected:
  void refused(const std::string& table, const std::string& arguments, const std::string& text) const {
    write("bad.csv", table);
    const Outcome outcome = run("fit bad.csv --target y --model nw -o bad.json " + arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    expect_in(outcome.err, {text});
    EXPECT_FALSE(exists("bad.json"));
  }
};

/// Waits of people of an age, some of them still waiting, some seen only from an entry on.
std::string waits() {
  RandomStream random(3);
  std::string out = "age,days,waiting,upper,entry\n";
  for (int i = 0; i < 150; ++i) {
    const double age = random.uniform();
    const double wait = std::exp(0.5 + age + 0.5 * random.normal());
    const double end = -9.0 * std::log(1.0 - random.uniform());
    const bool waiting = wait > end;
    const double days = waiting ? end : wait;
    out += std::to_string(age) + "," + std::to_string(days) + "," + (waiting ? "yes" : "no") + "," +
           (waiting ? "" : std::to_string(days)) + "," + (i % 5 == 0 ? std::to_string(0.3 * days) : "NA") + "\n";
  }
  return out;
}

const std::string fit_waits = "fit w.csv --target days --inputs age --model boost --target-kind positive ";

TEST_F(CensoringCommand, GoesThroughEveryVerb) {
  write("w.csv", waits());
  const Outcome fitted = good(fit_waits + "--censored waiting -o w.json");
  expect_in(fitted.err, {"the target is exact in ", " rows, right censored in ",
                         "log likelihood of what is known, a row: ", " after 10 rounds; the last changed it by "});
  const Outcome scored = good("score w.json w.csv --censored waiting");
  expect_in(scored.out, {"nll,days,", "crps_of_exact,days,", "concordance,days,0."});
  expect_in(scored.err, {"note: crps_of_exact is a mean over the ", " exact of 150 rows"});
  expect_in(good("score w.json w.csv --censored waiting --json").out,
            {"\"rows\": 150", "\"n_exact\"", "\"concordance\"", "\"n_pairs\""});
  good("predict w.json w.csv --mean --quantiles .1,.9");
  expect_in(good("describe w.json").out, {"  the target is exact in ", "  log likelihood of what is known, a row: "});
  good("score w.json w.csv");
  good("plot w.json w.csv --censored waiting --survival -o w.svg");
  for (const std::string call : {"score w.json w.csv", "plot w.json w.csv --survival -o w.svg"}) {
    expect_in(good(call).err, {"fitted to a target that is known by limits; here all rows count as exact"});
    EXPECT_EQ(good(call + " --censored waiting").err.find("known by limits"), std::string::npos);
  }
  expect_in(read("w.svg"), {"Survival of days", "Kaplan-Meier", "mean over the rows", "P(days &gt; t)"});
  good("plot w.json w.csv --censored waiting --figure survival --at age=0.5 -o at.svg");
  expect_in(read("at.svg"), {"age = 0.5"});
  good("plot w.json w.csv --censored waiting -o w.html");
  expect_in(read("w.html"), {"Survival of days"});
  good("plot w.json w.csv -o plain.html");
  EXPECT_EQ(read("plain.html").find("Kaplan-Meier"), std::string::npos);
}

// Two ways to say the same: a mark, and an upper end that is missing.
TEST_F(CensoringCommand, AnOpenUpperEndIsACensoredRow) {
  write("w.csv", waits());
  good(fit_waits + "--censored waiting -o a.json");
  good(fit_waits + "--target-upper upper -o b.json");
  EXPECT_EQ(read("a.json"), read("b.json"));
  EXPECT_EQ(good("score a.json w.csv --censored waiting").out, good("score b.json w.csv --target-upper upper").out);
}

TEST_F(CensoringCommand, TakesEntriesAndIntervals) {
  write("w.csv", waits());
  const Outcome fitted = good(fit_waits + "--censored waiting --entry entry -o e.json");
  expect_in(fitted.err, {"truncated in 30", " after 25 rounds"});
  good("score e.json w.csv --censored waiting --entry entry");
  write(
      "i.csv", "x,y,u\n" + [] {
        RandomStream random(4);
        std::string rows;
        for (int i = 0; i < 90; ++i) {
          const double y = random.normal();
          const std::string low = i % 9 == 0 ? "" : std::to_string(y);
          rows +=
              std::to_string(random.normal()) + "," + low + "," + std::to_string(y + (i % 3 == 0 ? 0.5 : 0.0)) + "\n";
        }
        return rows;
      }());
  const Outcome intervals = good("fit i.csv --target y --target-upper u --model nw -o i.json");
  expect_in(intervals.err, {"exact in 60 rows, left censored in 10, in an interval in 20"});
  const std::string scores = good("score i.json i.csv --target-upper u").out;
  EXPECT_EQ(scores.find("concordance"), std::string::npos);
  good("plot i.json i.csv --target-upper u --survival -o i.svg");
  expect_in(read("i.svg"), {"Turnbull"});
}

// A row without inputs is left out with what is known of its target.
TEST_F(CensoringCommand, RowsWithMissingValuesAreLeftOut) {
  std::string table = waits();
  write("w.csv", table + ",3.0,no,3.0,NA\n0.5,,no,,NA\n");
  const Outcome fitted = good(fit_waits + "--censored waiting --drop-missing -o w.json");
  expect_in(fitted.err, {"left out 2 rows with missing values"});
  write("v.csv", table);
  good("fit v.csv --target days --inputs age --model boost --target-kind positive --censored waiting -o v.json");
  EXPECT_EQ(read("v.json"), read("w.json"));
}

TEST_F(CensoringCommand, RefusesWhatCannotBe) {
  const std::string head = "x,y,c,u,e\n";
  const std::string rows = "1,2,0,2,0\n2,3,1,,1\n3,5,0,5,2\n4,6,0,6,2\n5,7,0,7,2\n";
  refused(head + rows + "6,9,maybe,9,1\n", "--inputs x --censored c",
          "bad.csv:7: column 'c' is 'maybe', expected 0, no or exact where the target is exact");
  refused(head + rows + "6,9,0,8,1\n", "--inputs x --target-upper u",
          "bad.csv:7: column 'u' is 8, below the lower end 9 in column 'y'; expected the upper end of the target");
  refused(head + rows + "6,9,0,high,1\n", "--inputs x --target-upper u",
          "bad.csv:7: column 'u' is 'high', expected a number");
  refused(
      head + rows + "6,9,0,9,9\n", "--inputs x --entry e",
      "bad.csv:7: column 'e' is 9, and the target in column 'y' at most 9, so that the row could not have been seen");
  refused(head + rows + "6,9,0,9,inf\n", "--inputs x --entry e", "bad.csv:7: column 'e' is infinite");
  refused(head + "1,2,1,,0\n2,3,1,,0\n3,4,1,,0\n", "--inputs x --censored c", "every one of the 3 rows is censored");
  refused(head + rows, "--censored c --target-upper u", "--censored c and --target-upper u both say how the target is");
  refused(head + rows, "--censored z", "column 'z'");
  refused(head + rows, "--censored y", "column 'y' is the target, and says how that is known");
  refused(head + rows, "--inputs x,c --censored c", "column 'c' says how the target is known, and is an input");
  refused(head + rows, "--inputs x --censored c --conformal", "the guarantee counts values");
  refused(head + rows, "--inputs x --censored c --target-kind count", "expected real, positive or bounded");
  write("w.csv", waits());
  good(fit_waits + "--censored waiting -o w.json");
  const Outcome no_data = run("plot w.json --censored waiting --survival -o w.svg");
  EXPECT_EQ(no_data.code, 2);
  expect_in(no_data.err, {"give DATA.csv"});
  const Outcome both = run("plot w.json w.csv --survival --figure tuning -o w.svg");
  EXPECT_EQ(both.code, 2);
  expect_in(both.err, {"--survival and --figure tuning, expected one of them"});
}

}  // namespace
}  // namespace condens::tests::censoring_command_test
