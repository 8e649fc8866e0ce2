// Data and calls as they come: rows that cannot be predicted, arguments in the other order, text that does not belong
// on a terminal.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "command.hpp"
#include "condens/io/csv.hpp"

namespace condens::tests::untidy_data_test {
namespace {

class UntidyData : public CommandTest {
 protected:
  /// m.json: height given sex and age.
  void fit_people() const {
    std::string table = "sex,age,height\n";
    for (int i = 0; i < 30; ++i) {
      table += std::string(1, "MFX"[i % 3]) + "," + std::to_string(i % 9) + "," +
               std::to_string(150 + 10 * (i % 3) + i % 4) + "\n";
    }
    write("people.csv", table);
    ASSERT_EQ(run("fit people.csv --target height --quiet -o m.json" + quick).code, 0);
  }
  void expect_words(const std::string& text, const std::vector<std::string>& words) const {
    for (const std::string& word : words) {
      EXPECT_NE(text.find(word), std::string::npos) << "no '" << word << "' in\n" << text;
    }
  }
  /// The call is wrong, says all of `words` in few bytes, all of which a terminal can show, and prints nothing.
  void expect_refusal(const std::string& arguments, const std::vector<std::string>& words) const {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments << "\n" << outcome.err;
    EXPECT_EQ(outcome.out, "") << arguments;
    EXPECT_LT(outcome.err.size(), 2000U) << arguments;
    expect_words(outcome.err, words);
    expect_printable(outcome.err);
  }
  void expect_printable(const std::string& text) const {
    EXPECT_TRUE(std::none_of(text.begin(), text.end(), [](char c) { return c == '\033' || c == '\a' || c == '\x7f'; }))
        << text;
  }
};

TEST_F(UntidyData, RowsThatCannotBePredictedAreNaOrLeftOut) {
  fit_people();
  write("new.csv", "sex,age,note\nM,3,a\nZ,3,b\n,3,\nF,NA,d\nX,1,e\n");
  write("good.csv", "sex,age,note\nM,3,a\nX,1,e\n");
  expect_refusal("predict m.json new.csv",
                 {"new.csv: 2 rows have missing values: line 4, 5 (the first in column 'sex')",
                  "new.csv:3: column 'sex' is 'Z'", "--na prints NA", "--drop-missing leaves them out"});
  const Outcome good = run("predict m.json good.csv");
  const Outcome dropped = run("predict m.json new.csv --drop-missing");
  EXPECT_EQ(dropped.out, good.out);
  expect_words(dropped.err, {"left out 3 of 5 rows: ", "line 4, 5", "'Z'"});
  const Outcome na = run("predict m.json new.csv --na");
  EXPECT_EQ(na.code, 0);
  expect_words(na.err, {"NA for 3 of 5 rows: ", "line 4, 5", "'Z'"});
  std::string expected = good.out;
  const std::size_t second = expected.find('\n', expected.find('\n') + 1) + 1;
  EXPECT_EQ(na.out, expected.insert(second, "NA,NA,NA,NA,NA\nNA,NA,NA,NA,NA\nNA,NA,NA,NA,NA\n"));

  expect_words(run("predict m.json new.csv --na --keep --mean").out,
               {"sex,age,note,mean\nM,3,a,", "\nZ,3,b,NA\nNA,3,NA,NA\nF,NA,d,NA\nX,1,e,"});
  expect_words(run("predict m.json new.csv --na --mean --json").out, {"{\"mean\": null},\n  {\"mean\": null}"});
  expect_refusal("predict m.json new.csv --na --drop-missing", {"--na", "--drop-missing"});
  write("none.csv", "sex,age\nZ,3\n,3\n");
  EXPECT_EQ(run("predict m.json none.csv --na --mean --interval .5").out, "mean,lower,upper\nNA,NA,NA\nNA,NA,NA\n");
  expect_refusal("predict m.json none.csv --drop-missing", {"no row is left"});
}

TEST_F(UntidyData, DrawsOfARowDoNotDependOnOtherRows) {
  fit_people();
  write("good.csv", "sex,age\nM,3\nF,2\nX,1\n");
  write("bad.csv", "sex,age\nM,3\n,2\nX,1\n");
  const std::string good = run("predict m.json good.csv --sample 2").out;
  const std::string last = good.substr(good.rfind('\n', good.size() - 2));
  for (const std::string flag : {"--na", "--drop-missing"}) {
    EXPECT_TRUE(run("predict m.json bad.csv --sample 2 " + flag).out.ends_with(last)) << flag;
  }
}

TEST_F(UntidyData, ScoresOfTheRowsThatCanBeScored) {
  fit_people();
  write("new.csv", "sex,age,height\nM,3,151\nZ,3,160\n,3,155\nF,2,162\nX,1,NA\nX,2,171\n");
  write("good.csv", "sex,age,height\nM,3,151\nF,2,162\nX,2,171\n");
  expect_refusal("score m.json new.csv", {"2 rows have missing values", "'Z'", "--drop-missing leaves such rows out"});
  const Outcome dropped = run("score m.json new.csv --drop-missing");
  EXPECT_EQ(dropped.out, run("score m.json good.csv").out);
  expect_words(dropped.err, {"left out 3 of 6 rows"});
  expect_words(run("plot m.json new.csv --drop-missing -o p.svg").err, {"left out 3 of 6 rows"});
}

TEST_F(UntidyData, UnlabeledRowsAreRefusedWhereTheyAreOfNoUse) {
  write("t.csv", small_table(30));
  write("more.csv", "x\n1\n2\n\n3\n");
  write("gap.csv", "x,z\n1,1\n,2\n3,1\n");
  const std::string call = "fit t.csv --target y --unlabeled more.csv -o m.json";
  expect_refusal(call + " --model gp", {"--unlabeled: gp learns nothing", "lscde", "auto"});
  expect_refusal(call + " --model forward --set model=gp", {"--unlabeled: forward with this model inside"});
  expect_refusal(call + " --model pool --set models=gp,parzen", {"--unlabeled: pool with this model inside"});
  write("more.csv", "x\n1\n2\n3\n");
  EXPECT_EQ(run(call + quick).code, 0);
  EXPECT_EQ(run(call + " --model pool --set models=ekde,lscde --set options.lscde.n_centers=5").code, 0);
  const std::string gaps = "fit t.csv --target y --unlabeled gap.csv -o m.json" + quick;
  expect_refusal(gaps, {"gap.csv", "line 3"});
  expect_words(run(gaps + "--drop-missing").err, {"left out 1 of 3 rows: gap.csv"});
}

TEST_F(UntidyData, ArgumentsInTheOtherOrder) {
  write("t.csv", small_table(30));
  ASSERT_EQ(run("fit t.csv --target y --quiet -o m.json" + quick).code, 0);
  for (const std::string verb : {"predict", "score"}) {
    expect_refusal(verb + " t.csv m.json", {"t.csv: not a condens model file; m.json is a model file", "comes first"});
    expect_refusal(verb + " m.json m.json", {"m.json is a model file, expected a table"});
    expect_refusal(verb + " - - <t.csv", {"both -"});
  }
  expect_refusal("plot t.csv m.json -o p.svg", {"m.json is a model file: the model comes first"});
  expect_refusal("fit m.json --target y -o n.json", {"m.json is a model file, expected a table"});
  expect_refusal("describe t.csv", {"t.csv: not a condens model file"});
}

TEST_F(UntidyData, LongTextsAreCutInMessages) {
  const std::string longest(300000, 'A');
  write("value.csv", "x,y\n1,2\n3," + longest + "\n4,5\n");
  expect_refusal("fit value.csv --target y -o m.json", {"value.csv:3", "'y'", "AAAA... (300000 bytes)", "a number"});
  write("name.csv", longest + ",y\n1,2\n3,4\n5,3\n6,4\n2,2\n");
  expect_refusal("fit name.csv --target z -o m.json", {"there is no target column 'z'", "(300000 bytes), y"});
  EXPECT_LT(run("fit name.csv --target y -o m.json" + quick).err.size(), 2000U);
  EXPECT_LT(run("describe m.json").out.size(), 10000U);
  write("level.csv", "x,y\n" + longest + ",2\nb,4\n" + longest + ",3\nb,4\nb,2\n");
  ASSERT_EQ(run("fit level.csv --target y -o l.json" + quick).code, 0);
  write("new.csv", "x\nc\n");
  expect_refusal("predict l.json new.csv", {"'c'", "known levels: AAAA", "(300000 bytes), b"});
  write("key.json", "{\"format\":\"condens-model\",\"" + longest + "\":nul}");
  expect_refusal("describe key.json", {"key.json", "JSON"});
  expect_refusal("describe m.json --" + std::string(100000, 'B'), {"--BBBB", " bytes)", "condens describe --help"});
}

TEST_F(UntidyData, MessagesHoldNothingThatMovesACursor) {
  const std::string red = "\033[31mred\a";
  write("value.csv", "x,y\n1,2\n3," + red + "\n4,5\n");
  expect_refusal("fit value.csv --target y -o m.json", {"'\\x1b[31mred\\x07'"});
  write("name.csv", red + ",y\n1,2\n3,4\n5,3\n6,4\n2,2\n");
  expect_refusal("fit name.csv --target z -o m.json", {"\\x1b[31mred"});
  const Outcome fit = run("fit name.csv --target y -o m.json" + quick);
  ASSERT_EQ(fit.code, 0);
  expect_words(fit.err, {"given \\x1b[31mred"});
  expect_printable(fit.err);
  expect_printable(run("describe m.json").out);
  ASSERT_EQ(run("plot m.json name.csv -o p.svg").code, 0);
  expect_printable(read("p.svg"));
  write("new.csv", "y\n1\n");
  expect_refusal("predict m.json new.csv", {"'\\x1b[31mred\\x07'"});
  expect_refusal("predict $(printf '\\033[2J') t.csv", {"\\x1b[2J"});
  expect_refusal("$(printf '\\033[2J')", {"\\x1b[2J"});
  write("latin.csv", "x,y\n1,caf\xE9\n2,3\n");
  expect_refusal("fit latin.csv --target y -o m.json", {"latin.csv:2", "UTF-8"});
}

TEST_F(UntidyData, DatesAndManyLevelsGoThroughEveryVerb) {
  std::string table = "sold,shop,y\n";
  for (int i = 0; i < 120; ++i) {
    table += "2024-0" + std::to_string(1 + i % 9) + "-1" + std::to_string(i % 7) + ",shop" + std::to_string(i % 30) +
             "," + std::to_string(i % 30 + 5 * (i % 9) + (i * 7) % 11) + "\n";
  }
  write("t.csv", table);
  const Outcome fitted = good("fit t.csv --target y --model gp -o m.json");
  expect_words(
      fitted.err,
      {"input 'sold': dates, given by days",
       "input 'shop': 30 levels, each given by mean of y, 10 % quantile of y, 90 % quantile of y (out of fold in the "
       "fit); no more than chance differs in log rows, log spread of y"});
  good("describe m.json");
  good("predict m.json t.csv --mean");
  good("score m.json t.csv");
  good("plot m.json -o m.svg");
  good("plot m.json t.csv -o m.html");
  good("explain m.json t.csv");
  good("explain m.json t.csv --effect shop");
  expect_words(run("explain m.json t.csv --effect sold").err, {"input 'sold' is several numbers"});
  write("bad.csv", "sold,shop\n2024-02-30,shop1\n");
  expect_words(run("predict m.json bad.csv --mean").err,
               {"bad.csv:2", "'2024-02-30', expected a date such as 2024-03-01"});
}

TEST_F(UntidyData, KeptColumnsMayNotBeNamedAsPredictions) {
  write("t.csv", "mean,y\n1,2\n3,4\n5,3\n6,4\n2,2\n");
  ASSERT_EQ(run("fit t.csv --target y --quiet -o m.json" + quick).code, 0);
  expect_refusal("predict m.json t.csv --keep -o p.csv", {"--keep", "t.csv has a column 'mean'", "rename it"});
  EXPECT_EQ(run("predict m.json t.csv --keep --mode").code, 0);
}

}  // namespace
}  // namespace condens::tests::untidy_data_test
