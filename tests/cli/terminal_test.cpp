// The command beside a person: on a terminal, interrupted, and with files of all kinds as its output.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "command.hpp"

namespace condens::tests::terminal_test {
namespace {

class Terminal : public CommandTest {
 protected:
  /// m.json, of t.csv.
  void fit(int rows) const {
    write("t.csv", small_table(rows));
    const Outcome outcome = run("fit t.csv --target y --set n_centers=10 --quiet -o m.json" + quick);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
};

TEST_F(Terminal, PredictionsStandAlone) {
  fit(50);
  const Outcome piped = run("predict m.json t.csv --mean");
  EXPECT_EQ(piped.err, "");
  EXPECT_EQ(on_terminal("predict m.json t.csv --mean").out, piped.out);
  const std::string bar = on_terminal("predict m.json t.csv --mean -o p.csv").out;
  EXPECT_NE(bar.find("% predicting"), std::string::npos) << bar;
  EXPECT_TRUE(bar.ends_with("\033[K")) << "the bar stays";
}

TEST_F(Terminal, ALeaderboardIsATable) {
  write("t.csv", small_table(40));
  const std::string call = "compare t.csv --target y --models ekde,nw --repeats 2";
  const Outcome piped = run(call);
  EXPECT_TRUE(piped.out.starts_with("data,model,nll,nll_se")) << piped.out;
  EXPECT_NE(piped.err.find("40 rows, 2 splits"), std::string::npos) << piped.err;
  const std::string seen = on_terminal(call).out;
  EXPECT_NE(seen.find("40 rows, 2 splits"), std::string::npos) << seen;
  EXPECT_EQ(seen.find("nll_se"), std::string::npos) << seen;
  EXPECT_NE(on_terminal(call + " --quiet").out.find("nll_se"), std::string::npos);
}

TEST_F(Terminal, WhatAnInterruptedPredictionHasWrittenIsTold) {
  fit(5000);
  // The writer fills the pipe and waits, so that the signal comes in its midst.
  const Outcome outcome = shell(
      "mkfifo pipe; \"$CONDENS\" predict m.json t.csv --sample 20 -o pipe & predict=$!; exec 3<pipe; "
      "dd bs=1000 count=10 <&3 >part 2>dd; kill -INT $predict; cat <&3 >>part; wait $predict");
  EXPECT_EQ(outcome.code, 130);
  const std::string part = read("part");
  const auto rows = std::count(part.begin(), part.end(), '\n') - 1;
  EXPECT_GT(rows, 0);
  EXPECT_LT(rows, 5000);
  EXPECT_TRUE(part.ends_with('\n'));
  EXPECT_EQ(outcome.err, "condens predict: interrupted; what is written ends after " + std::to_string(rows) +
                             " of 5000 predictions\n");
}

TEST_F(Terminal, AnInterruptionEndsByItsSignal) {
  write("t.csv", small_table(4000));
  std::string many = "0.1";  // minutes of work, of which the signal leaves a moment
  for (int i = 2; i < 60; ++i) many += "," + std::to_string(0.1 * i);
  for (const auto& [signal, code] : {std::pair{"INT", 130}, {"TERM", 143}}) {
    const Outcome outcome =
        shell("\"$CONDENS\" fit t.csv --target y --threads 1 --set n_centers=1000 --set bandwidth=" + many +
              " --set bandwidth_y=" + many + " -o m.json & fit=$!; sleep 0.6; kill -" + signal + " $fit; wait $fit");
    EXPECT_EQ(outcome.code, code);
    EXPECT_NE(outcome.err.find("interrupted; nothing written"), std::string::npos) << outcome.err;
    EXPECT_EQ(files(), std::vector<std::string>{"t.csv"});
  }
}

TEST_F(Terminal, ResultsGoThroughLinksAndPipes) {
  fit(20);
  const std::string expected = run("predict m.json t.csv --mean").out;
  std::filesystem::create_symlink("target.csv", folder / "dangling.csv");
  EXPECT_EQ(run("predict m.json t.csv --mean -o dangling.csv").code, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "dangling.csv"));
  EXPECT_EQ(read("target.csv"), expected);
  EXPECT_EQ(run("predict m.json t.csv --mean -o /dev/stdout").out, expected);
  EXPECT_EQ(shell("mkfifo pipe; cat pipe & \"$CONDENS\" predict m.json t.csv --mean -o pipe; wait").out, expected);
  std::filesystem::create_symlink("a", folder / "b");
  std::filesystem::create_symlink("b", folder / "a");
  const Outcome loop = run("predict m.json t.csv --mean -o a");
  EXPECT_EQ(loop.code, 1);
  EXPECT_NE(loop.err.find("a: cannot be written: Too many levels of symbolic links"), std::string::npos) << loop.err;
}

TEST_F(Terminal, ClosedStreams) {
  fit(20);
  const std::string model = read("m.json");
  const std::string fit = "fit t.csv --target y --set n_centers=10 -o n.json" + quick;
  EXPECT_EQ(shell("\"$CONDENS\" " + fit + " 2>&- >&- <&-").code, 0);
  EXPECT_EQ(read("n.json"), model);  // and no message in it
  const Outcome outcome = run("predict m.json t.csv >&-");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("cannot be written: Bad file descriptor"), std::string::npos) << outcome.err;
  EXPECT_EQ(run("predict m.json - <&-").code, 2);
}

TEST_F(Terminal, HelpIsAVerbToo) {
  EXPECT_EQ(run("help").out, run("--help").out);
  EXPECT_EQ(run("help predict").out, run("predict --help").out);
  EXPECT_EQ(run("help predict").code, 0);
}

}  // namespace
}  // namespace condens::tests::terminal_test
