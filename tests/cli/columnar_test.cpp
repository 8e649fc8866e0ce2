// Parquet and Arrow files in the place of CSV. A shell script stands in for Python with pyarrow, and writes what lies
// beside the file as FILE.csv; real files are read in python/tests/test_command_parquet.py.

#include <gtest/gtest.h>

#include <string>

#include "command.hpp"

namespace condens::tests::columnar_test {
namespace {

class Columnar : public CommandTest {
 protected:
  Columnar() {
    write("t.csv", small_table(40));
    write("t.parquet", "PAR1");
    write("t.parquet.csv", small_table(40));
    write("python", "#!/bin/sh\ncat \"$3.csv\"\n");
    shell("chmod +x python");
  }

  Outcome with_python(const std::string& arguments) const { return shell(python_ + " $CONDENS " + arguments); }

  /// The two calls, of which one names a Parquet file, write the same.
  void expect_same(const std::string& verb, const std::string& rest) const {
    const Outcome plain = good(verb + " t.csv" + rest);
    const Outcome found = with_python(verb + " t.parquet" + rest);
    EXPECT_EQ(found.code, 0) << found.err;
    EXPECT_EQ(found.out, plain.out) << verb << rest;
  }

  const std::string python_ = "CONDENS_PYTHON=./python";
};

const std::string one_gaussian = " --model gmm --set n_components=1 ";

TEST_F(Columnar, GivesTheModelOfTheSameRows) {
  for (const std::string how : {"", " --memory 1M", " --sample 20"}) {
    good("fit t.csv --target y -o csv.json" + one_gaussian + how);
    const Outcome fit = with_python("fit t.parquet --target y -o parquet.json" + one_gaussian + how);
    EXPECT_EQ(fit.code, 0) << fit.err;
    EXPECT_EQ(read("parquet.json"), read("csv.json")) << how;
  }
}

TEST_F(Columnar, IsPredictedScoredExplainedAndCompared) {
  good("fit t.csv --target y -o m.json" + one_gaussian);
  for (const std::string memory : {"", " --memory 1M"}) {
    expect_same("predict m.json", " --mean --interval .9 --keep" + memory);
    expect_same("score m.json", memory);
  }
  expect_same("explain m.json", "");
  expect_same("predict m.json", " --mean --delimiter ,");
  const Outcome board = with_python("compare t.parquet --target y --models gmm --repeats 2 --quiet");
  EXPECT_EQ(board.code, 0) << board.err;
  expect_in(board.out, {"t.parquet,gmm"});
}

TEST_F(Columnar, NamesTheRow) {
  write("t.parquet.csv", "x,note,y\n1,\"a\nb\",1\n,b,2\n3,c,3\n1,d,1\n2,c,2\n");
  const Outcome missing = with_python("fit t.parquet --target y --inputs x -o m.json" + one_gaussian);
  EXPECT_EQ(missing.code, 2);
  expect_in(missing.err, {"t.parquet: 1 row has missing values: row 2 (the first in column 'x')"});
  write("t.parquet.csv", "x,note,y\n1,\"a\nb\",1\n2,b,few\n3,c,3\n1,d,1\n2,c,2\n");
  const Outcome wrong = with_python("fit t.parquet --target y --inputs x -o m.json" + one_gaussian);
  EXPECT_EQ(wrong.code, 2);
  expect_in(wrong.err, {"t.parquet, row 2: column 'y' is 'few', expected a number"});
  const Outcome in_parts = with_python("fit t.parquet --target y --inputs x --memory 1M -o m.json" + one_gaussian);
  EXPECT_EQ(in_parts.code, 2);
  expect_in(in_parts.err, {"t.parquet, row 2"});
}

TEST_F(Columnar, SaysWhatItNeeds) {
  for (const std::string how : {"", " --memory 1M"}) {
    const std::string fit = " $CONDENS fit t.parquet --target y -o m.json" + one_gaussian + how;
    const Outcome none = shell("CONDENS_PYTHON=./none" + fit);
    EXPECT_EQ(none.code, 2);
    EXPECT_EQ(none.err,
              "condens fit: t.parquet: Python with pyarrow reads Parquet and Arrow files, and it cannot be started: "
              "./none: No such file or directory; pip install pyarrow, or name a Python that has it in CONDENS_PYTHON, "
              "or write the table as CSV\n");
    const Outcome not_there = shell("CONDENS_PYTHON= PATH=/nowhere" + fit);
    EXPECT_EQ(not_there.code, 2);
    expect_in(not_there.err, {"cannot be started: python3: No such file or directory"});
    EXPECT_FALSE(exists("m.json"));
  }
  write("python", "#!/bin/sh\necho x,y; echo 1,2; echo 'page 3 is damaged' >&2; exit 1\n");
  const Outcome damaged = with_python("fit t.parquet --target y -o m.json" + one_gaussian);
  EXPECT_EQ(damaged.code, 2);
  EXPECT_EQ(damaged.err, "condens fit: t.parquet: cannot be read: page 3 is damaged\n");
  const Outcome piped = shell("$CONDENS fit - --target y -o m.json <t.parquet" + one_gaussian);
  EXPECT_EQ(piped.code, 2);
}

TEST_F(Columnar, EndsWithCtrlCAndLeavesNoProgram) {
  write("python", "#!/bin/sh\necho $$ >child\nsleep 60\n");
  for (const std::string how : {"", " --memory 1M", " --sample 20"}) {
    const Outcome outcome =
        shell("rm -f child; " + python_ + " $CONDENS fit t.parquet --target y -o m.json" + one_gaussian + how +
              "& condens=$!; while [ ! -s child ]; do sleep .01; done; kill -TERM $condens; wait $condens; echo $?; "
              "kill -0 $(cat child) 2>/dev/null && echo there");
    EXPECT_EQ(outcome.out, "143\n") << how;
    expect_in(outcome.err, {"interrupted; nothing written"});
  }
}

}  // namespace
}  // namespace condens::tests::columnar_test
