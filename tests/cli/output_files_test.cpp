// Files that the command writes when the disk is full, the folder refuses, the reader of a pipe leaves, or the process
// is killed: what was there stays, nothing is half written, nothing is left behind.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "command.hpp"

namespace condens::tests::output_files_test {
namespace {

class OutputFiles : public CommandTest {
 protected:
  void SetUp() override {
    write("t.csv", small_table(300));
    good("fit t.csv --target y -o m.json" + quick);
  }

  std::set<std::string> names() const {
    const std::vector<std::string> all = files();
    return {all.begin(), all.end()};
  }
};

/// Calls that write more than the KiB which `full` leaves, and what they write.
const std::vector<std::pair<std::string, std::string>> writers = {
    {"fit t.csv --target y -o new.json" + quick, "new.json"},
    {"fit t.csv --target y -o new.cbor" + quick, "new.cbor"},
    {"predict m.json t.csv -o new.csv", "new.csv"},
    {"predict m.json t.csv --json -o new.js", "new.js"},
    {"plot m.json t.csv -o new.svg", "new.svg"},
    {"plot m.json t.csv -o new.html", "new.html"},
    {"explain m.json t.csv --effect x -o new.svg", "new.svg"},
    {"compare t.csv --target y --models nw,ekde --repeats 2 --plot new.html", "new.html"},
};
const std::string full = "ulimit -f 2; ";  // in units of 512 bytes

TEST_F(OutputFiles, AFullDiskIsToldAndLeavesWhatWasThere) {
  for (const auto& [call, file] : writers) {
    for (const bool exists_before : {false, true}) {
      if (exists_before) write(file, "precious");
      const auto before = names();
      const Outcome outcome = shell(full + "\"$CONDENS\" " + call);
      EXPECT_EQ(outcome.code, 1) << call << "\n" << outcome.err;
      EXPECT_NE(outcome.err.find(file + ": cannot be written: File too large\n"), std::string::npos) << outcome.err;
      EXPECT_EQ(names(), before) << call;
      EXPECT_TRUE(!exists_before || read(file) == "precious") << call;
      std::filesystem::remove(folder / file);
    }
  }
}

TEST_F(OutputFiles, RecordsOfAFullDiskAreWholeLines) {
  const std::string call = "compare t.csv --target y --models nw,ekde --repeats 9 --resume r.jsonl";
  const Outcome outcome = shell(full + "\"$CONDENS\" " + call);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("r.jsonl: cannot be written: File too large\n"), std::string::npos) << outcome.err;
  const std::string records = read("r.jsonl");
  EXPECT_GT(std::count(records.begin(), records.end(), '\n'), 1);
  EXPECT_TRUE(records.ends_with("}\n"));
  good(call);
  const std::string whole = read("r.jsonl");
  EXPECT_TRUE(whole.starts_with(records));
  EXPECT_EQ(std::count(whole.begin(), whole.end(), '\n'), 1 + 2 * 9);
}

TEST_F(OutputFiles, AFolderThatTakesNoFilesIsToldBeforeTheWork) {
  for (const auto& [call, file] : writers) {
    std::string elsewhere = call;
    elsewhere.replace(call.find(file), file.size(), "/sys/" + file);  // where nobody makes files, not even root
    const Outcome outcome = run(elsewhere);
    EXPECT_EQ(outcome.code, 1) << call;
    EXPECT_NE(outcome.err.find("/sys/" + file + ": cannot be written: "), std::string::npos) << outcome.err;
  }
}

TEST_F(OutputFiles, AReaderThatHasSeenEnoughEndsTheCommandQuietly) {
  write("many.csv", small_table(20000));
  for (const std::string ignored : {"", "trap '' PIPE; "}) {
    const Outcome outcome =
        shell(ignored + "{ \"$CONDENS\" predict m.json many.csv --mean; echo $? >code; } | head -n 1");
    EXPECT_EQ(outcome.out, "mean\n");
    EXPECT_EQ(outcome.err, "");
    EXPECT_EQ(read("code"), "141\n");  // ended by SIGPIPE
  }
}

TEST_F(OutputFiles, AKilledFitLeavesTheOldOrTheNewModel) {
  const std::string other =
      "fit t.csv --target y -o other.json --set bandwidth=0.6 --set bandwidth_y=0.3 "
      "--set regularization=0.1 --quiet";
  good(other);
  const std::set<std::string> models = {read("m.json"), read("other.json")};
  ASSERT_EQ(models.size(), 2U);
  for (int i = 0; i < 30; ++i) {
    const std::string seconds = "0.0" + std::to_string(10 + 3 * i);
    shell("timeout -s KILL " + seconds + " \"$CONDENS\" " + other);
    EXPECT_EQ(models.count(read("other.json")), 1U) << seconds;
    shell("cp m.json other.json");
  }
  for (const std::string& name : names()) {
    EXPECT_TRUE(name == "t.csv" || name == "m.json" || name == "other.json" || name.starts_with(".condens.")) << name;
  }
}

}  // namespace
}  // namespace condens::tests::output_files_test
