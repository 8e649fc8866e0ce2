// Wrong calls and wrong data: the exit code, the essential words of the message, nothing on
// standard output, and no file.

#include <gtest/gtest.h>

#include <algorithm>

#include "command.hpp"

namespace condens::tests::bad_input_test {
namespace {

class BadInput : public CommandTest {
 protected:
  /// The call must end with `code`, say all of `words`, print nothing and leave no new file.
  void expect_refusal(const std::string& arguments, int code, const std::vector<std::string>& words) const {
    std::vector<std::string> before = files();
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, code) << arguments << "\n" << outcome.err;
    EXPECT_EQ(outcome.out, "") << arguments;
    for (const std::string& word : words) {
      EXPECT_NE(outcome.err.find(word), std::string::npos) << arguments << ": no '" << word << "' in\n" << outcome.err;
    }
    std::vector<std::string> after = files();
    std::sort(before.begin(), before.end());
    std::sort(after.begin(), after.end());
    EXPECT_EQ(before, after) << arguments;
  }

  void expect_bad_table(const std::string& table, const std::vector<std::string>& words,
                        const std::string& more = "") const {
    write("t.csv", table);
    std::vector<std::string> all = words;
    all.insert(all.end(), {"condens fit: ", "t.csv"});
    expect_refusal("fit t.csv --target y -o m.json " + more, 2, all);
  }
};

TEST_F(BadInput, Tables) {
  expect_bad_table("", {"empty"});
  expect_bad_table("x,y\n", {"no rows"});
  expect_bad_table("x,y\n1,2\n", {"'y'", "2", "only row"});
  expect_bad_table("x,y\n1,2\n3\n4,5\n", {"t.csv:3"});
  expect_bad_table("x,y\n1,2\n3,four\n4,5\n", {"t.csv:3", "'y'", "'four'", "number"});
  expect_bad_table("x,y\n1,2\nthree,4\n4,5\n", {"t.csv:3", "'x'", "'three'", "number"});
  expect_bad_table("x,y\n1,2\n3,NaN\n4,5\n", {"missing", "line 3", "'y'"});
  expect_bad_table("x,y\n1,2\n3,inf\n4,5\n", {"t.csv:3", "'y'", "inf", "finite"});
  expect_bad_table("y,y\n1,2\n3,4\n", {"'y'"});
  expect_bad_table("x,z\n1,2\n3,4\n", {"target", "'y'", "x, z"});
  expect_bad_table("x,y\n2,5\n2,5\n2,5\n", {"'y'", "5 in every row"});
  expect_bad_table("x,y\n1,5\n2,5\n3,5\n", {"'y'", "5 in every row"});
  expect_bad_table("x,y,w\n1,2,1\n3,4,-1\n4,5,1\n", {"t.csv:3", "'w'", "-1", ">= 0"}, "--weight w");
  expect_bad_table("x,y,w\n1,2,0\n3,4,0\n", {"'w'", "all zero"}, "--weight w");
  expect_bad_table("x,y\n1,NA\n3,NA\n", {"none is left"}, "--drop-missing");
}

TEST_F(BadInput, ArgumentsThatNobodyKnows) {
  write("t.csv", small_table(30));
  expect_refusal("fit t.csv --target y --exclud x -o m.json", 2,
                 {"condens fit: unknown option '--exclud'; did you mean '--exclude'?", "See condens fit --help"});
  expect_refusal("fit t.csv --target y --thread=2 -o m.json", 2,
                 {"unknown option '--thread'; did you mean '--threads'?"});
  expect_refusal("fit t.csv --target y -z 3 -o m.json", 2, {"unknown option '-z'\n"});
  expect_refusal("fit t.csv u.csv --target y -o m.json", 2, {"'u.csv' is one argument too many, expected TRAIN.csv"});
  expect_refusal("fit t.csv --target y --quiet=x -o m.json", 2, {"--quiet takes no value, but 'x' is given"});
}

TEST_F(BadInput, OptionsOfTheModelInside) {
  write("t.csv", small_table(30));
  const auto refused = [&](const std::string& settings, const std::vector<std::string>& words) {
    expect_refusal("fit t.csv --target y --model forward -o m.json " + settings, 2, words);
  };
  refused("--set model=lscdee", {"'lscdee'", "did you mean 'lscde'?"});
  refused("--set options.n_center=5", {"lscde: unknown option 'n_center'", "did you mean 'n_centers'?"});
  refused("--set options.n_centers=0", {"LSCDE: n_centers = 0", ">= 1"});
  refused("--set options.n_centers=many", {"n_centers = 'many'", "a whole number"});
  refused("--set options.cv=3", {"'cv' is an option of ForwardSelection itself"});
  refused("--set options=3", {"'options' holds options", "--set options.option=value"});
  refused("--set option.cv=3", {"unknown option 'option'", "did you mean 'options'?"});
  refused("--set cv.folds=3", {"option 'cv' of forward holds no options"});
  refused("--set model=lscdee --set options.n_centers=5", {"'lscdee'", "did you mean 'lscde'?"});
  refused("--set model_preset=papr", {"'papr'", "recommended or paper"});
  expect_refusal("fit t.csv --target y --model salscde -o m.json --set selection.tolerence=1", 2,
                 {"salscde: selection: unknown option 'tolerence'", "did you mean 'tolerance'?"});
  expect_refusal("fit t.csv --target y --model salscde -o m.json --set options.n_centers=0", 2,
                 {"SALSCDE: options: n_centers = 0", ">= 1"});
}

TEST_F(BadInput, Calls) {
  write("t.csv", small_table(30));
  expect_refusal("fit t.csv -o m.json", 2, {"target", "x, y"});
  expect_refusal("fit t.csv --target z -o m.json", 2, {"'z'", "x, y"});
  expect_refusal("fit t.csv --target y --inputs x,y -o m.json", 2, {"'y'", "target and input"});
  expect_refusal("fit t.csv --target y", 2, {"-o"});
  expect_refusal("fit t.csv --target y --model lscdee -o m.json", 2, {"'lscdee'", "lscde"});
  expect_refusal("fit t.csv --target y --preset papr -o m.json", 2, {"'papr'", "recommended or paper"});
  expect_refusal("fit t.csv --target y --set bandwith=1 -o m.json", 2, {"'bandwith'", "did you mean 'bandwidth'?"});
  expect_refusal("fit t.csv --target y --set bandwidth=-1 -o m.json", 2, {"bandwidth", "-1", "> 0"});
  expect_refusal("fit t.csv --target y --set n_centers=0 -o m.json", 2, {"n_centers", "0", ">= 1"});
  expect_refusal("fit t.csv --target y --set n_centers -o m.json", 2, {"'n_centers'", "name=value"});
  expect_refusal("fit t.csv --target y --set cv=31 -o m.json", 2, {"31 folds", "30"});
  expect_refusal("fit t.csv --target y --seed -1 -o m.json", 2, {"seed"});
  expect_refusal("fit t.csv --target y --seed 1.5 -o m.json", 2, {"--seed = '1.5', expected a whole number"});
  expect_refusal("fit t.csv --target y --target x -o m.json", 2, {"--target is given more than once", "y[,y2]"});
  expect_refusal("fit t.csv --target y --set cv=3 --set cv=5 -o m.json", 2, {"'cv' is set twice"});
  expect_refusal("fit --target y -o m.json", 2, {"TRAIN.csv is missing", "condens fit --help"});
  expect_refusal("compare t.csv --target y --models", 2, {"--models has no value, expected --models a,b,c"});
  expect_refusal("compare t.csv --target y --test-fraction half", 2, {"--test-fraction = 'half', expected a number"});
  expect_refusal("fit t.csv --target y --threads -1 -o m.json", 2, {"threads", "-1"});
  expect_refusal("fit t.csv --target y --delimiter ,, -o m.json", 2, {"--delimiter", "one character"});
  expect_refusal("fit none.csv --target y -o m.json", 2, {"none.csv", "No such file"});
  expect_refusal("fit t.csv --target y -o t.csv", 2, {"t.csv", "input"});
  expect_refusal("fit t.csv --target y -o none/m.json", 2, {"no directory none"});
  expect_refusal("fit t.csv --target y -o .", 2, {"is a directory"});
  expect_refusal("fit t.csv --target y --outpt m.json", 2, {"--outpt", "condens fit --help"});
  expect_refusal("fti t.csv", 2, {"'fti'", "did you mean 'fit'?"});
  expect_refusal("", 2, {"Usage"});
}

TEST_F(BadInput, Predictions) {
  write("t.csv", small_table(30));
  write("x.csv", "x\n1\n2\n");
  ASSERT_EQ(run("fit t.csv --target y -o m.json" + quick).code, 0);
  expect_refusal("predict m.json x.csv --log-density", 2, {"x.csv", "--log-density", "'y'"});
  expect_refusal("predict m.json x.csv --cdf -o out.csv", 2, {"x.csv", "--cdf", "'y'"});
  expect_refusal("predict m.json x.csv --quantiles 0.5,1.5", 2, {"--quantiles", "'1.5'"});
  expect_refusal("predict m.json x.csv --quantiles 0.5,.5", 2, {"--quantiles has '.5' twice"});
  expect_refusal("predict m.json x.csv --delimiter '\"'", 2, {"--delimiter", "not a quote"});
  expect_refusal("predict m.json x.csv --exact-quantiles", 2,
                 {"--exact-quantiles", "lscde", "only kqr", "--quantiles"});
  expect_refusal("predict m.json x.csv --interval 90", 2, {"--interval", "'90'", "for 90 % give 0.9"});
  expect_refusal("score m.json x.csv", 2, {"x.csv", "'y'"});
  expect_refusal("predict m.json m.json", 2, {"m.json"});
  expect_refusal("plot m.json t.csv -o p.png", 2, {"p.png", ".svg"});
  expect_refusal("plot m.json t.csv --x z -o p.svg", 2, {"'z'", "x"});
  expect_refusal("plot m.json t.csv --at z=1 -o p.svg", 2, {"'z'"});
  expect_refusal("plot m.json t.csv --figure pit -o p.svg", 2, {"--test"});
  expect_refusal("plot m.json t.csv --figure summary -o p.svg", 2, {"lscde has no components"});
  expect_refusal("plot m.json t.csv --figure dimensions -o p.svg", 2, {"compared no numbers of components"});
  expect_refusal("plot m.json t.csv --figure members -o p.svg", 2, {"lscde is no mixture of models"});
  expect_refusal("plot m.json t.csv --figure race -o p.svg", 2, {"there was no race", "more than 2,000 rows"});
  expect_refusal("plot m.json t.csv --figure states -o p.svg", 2, {"lscde has no states"});
  expect_refusal("compare t.csv --target y --models lscde:best", 2, {"'best'"});
  expect_refusal("compare t.csv --target y --test-fraction 1", 2, {"test_fraction", "(0, 1)"});
  expect_refusal("compare t.csv --target y --repeats 0", 2, {"repeats = 0"});
  expect_refusal("compare t.csv --target y --target-kind counts", 2, {"counts", "count"});
  expect_refusal("compare t.csv --target y --target-kind bounded:0,1", 2, {"t.csv:", "the target is"});
  expect_refusal("fit t.csv --target y --bootstrap 9 --bootstrap-method exact -o x.json", 2,
                 {"'exact'", "refit", "delta"});
  expect_refusal("compare t.csv --target y --cv place", 2, {"--cv = 'place'", "random", "time"});
  expect_refusal("compare t.csv --target y --cv time --test-fraction 0.1 --repeats 30", 2, {"blocks", "fewer repeats"});
  expect_refusal("fit t.csv --target y --model nw --cv time -o x.json", 2, {"nw", "'cv'"});
  expect_refusal("fit t.csv --target y --cv 3 --set cv=4 -o x.json", 2, {"--cv and --set cv", "one of them"});
  expect_refusal("fit t.csv --target y --cv weeks -o x.json", 2, {"cv", "'weeks'"});
  expect_refusal("compare t.csv --target y --models nw,lscde,nw", 2, {"--models has 'nw' twice", "label=nw"});
  expect_refusal("compare t.csv --target y --models =nw", 2, {"'=nw'", "label=name"});
  expect_refusal("compare t.csv --target y --models nw --set cv=3", 2, {"'cv=3'", "model.option=value", "nw"});
  expect_refusal("compare t.csv --target y --models nw --set lscde.cv=3", 2, {"'lscde.cv=3'", "nw"});
  expect_refusal("compare t.csv --target y --models nw --set nw.bandwith=3", 2, {"'bandwith'", "'bandwidth'"});
  expect_refusal("compare t.csv --target y --models nw --plot p.png", 2, {"p.png", ".svg"});
  expect_refusal("compare t.csv x.csv --target y --models nw --plot p.svg", 2, {"2 tables", ".html"});
  expect_refusal("compare t.csv --target y --models nw --resume t.csv", 2, {"t.csv", "not a file of records"});
  expect_refusal("compare t.csv x.csv --target y --models nw", 2, {"x.csv", "'y'"});
  ASSERT_EQ(run("fit t.csv --target y --model sliced --set model=ekde -o s.json").code, 0);
  expect_refusal("plot s.json --figure summary -o p.svg", 2, {"give DATA.csv"});
  write("bad.csv", "x,y\n1,2\nabc,3\n");
  expect_refusal("predict m.json bad.csv -o out.csv", 2, {"bad.csv:3", "'x'", "'abc'"});
}

TEST_F(BadInput, ModelFiles) {
  write("t.csv", small_table(30));
  write("other.json", "{\"learner\": {\"version\": [1, 7]}}");
  write("text.json", "hello");
  ASSERT_EQ(run("fit t.csv --target y -o m.json" + quick).code, 0);
  ASSERT_EQ(run("fit t.csv --target y -o m.cbor" + quick).code, 0);
  write("half.json", read("m.json").substr(0, 1000));
  write("half.cbor", read("m.cbor").substr(0, 1000));
  expect_refusal("describe other.json", 2, {"other.json", "not a condens model"});
  expect_refusal("describe text.json", 2, {"text.json"});
  expect_refusal("predict half.json t.csv", 2, {"half.json"});
  expect_refusal("score half.cbor t.csv", 2, {"half.cbor"});
  expect_refusal("describe none.json", 2, {"none.json", "No such file"});
}

TEST_F(BadInput, OutputThatCannotBeWritten) {
  write("t.csv", small_table(30));
  ASSERT_EQ(run("fit t.csv --target y -o m.json" + quick).code, 0);
  const std::string full = "No space left";
  expect_refusal("fit t.csv --target y -o /dev/full" + quick, 1, {"/dev/full", full});
  expect_refusal("predict m.json t.csv -o /dev/full", 1, {"/dev/full", full});
  expect_refusal("predict m.json t.csv >/dev/full", 1, {full});
  expect_refusal("score m.json t.csv >/dev/full", 1, {full});
  expect_refusal("models >/dev/full", 1, {full});
  if (::geteuid() != 0) {  // nothing is forbidden to root
    std::filesystem::create_directory(folder / "locked");
    std::filesystem::permissions(folder / "locked", std::filesystem::perms::owner_read);
    expect_refusal("fit t.csv --target y -o locked/m.json" + quick, 1, {"locked/m.json", "ermission"});
  }
}

TEST_F(BadInput, AnExistingFileSurvivesAFailure) {
  write("t.csv", "x,y\n1,2\n3,2\n");
  write("m.json", "precious");
  EXPECT_EQ(run("fit t.csv --target y -o m.json").code, 2);  // a constant target
  EXPECT_EQ(read("m.json"), "precious");
}

TEST_F(BadInput, InterruptedFit) {
  write("t.csv", small_table(4000));
  // Thousands of candidates: minutes of work, of which the signal leaves a moment.
  std::string many = "0.1";
  for (int i = 2; i < 60; ++i) many += "," + std::to_string(0.1 * i);
  const Outcome outcome =
      shell("\"$CONDENS\" fit t.csv --target y --threads 1 --set n_centers=1000 --set bandwidth=" + many +
            " --set bandwidth_y=" + many + " -o m.json & fit=$!; sleep 0.6; kill -INT $fit; wait $fit");
  EXPECT_EQ(outcome.code, 130);  // ended by SIGINT: loops of a shell stop
  EXPECT_NE(outcome.err.find("interrupted; nothing written"), std::string::npos) << outcome.err;
  EXPECT_EQ(files(), std::vector<std::string>{"t.csv"});
}

TEST_F(BadInput, OptionsOfPools) {
  write("t.csv", "x,y\n1,2\n2,3\n3,5\n4,4\n");
  const std::string fit = "fit t.csv --target y -o m.json ";
  const std::vector<std::pair<std::string, std::vector<std::string>>> wrong = {
      {"--model pool --set options.nw=3", {"names no member", "--set options.model.option=value"}},
      {"--model pool --set options.nosuch.cv=3", {"nosuch", "expected one of"}},
      {"--model pool --set options.nw.bandwith=3", {"nw: unknown option 'bandwith'", "did you mean 'bandwidth'"}},
      {"--model pool --set models=nw --set options.gp.n_starts=2", {"options has 'gp'"}},
      {"--model pool --set models=nw,nw", {"models has 'nw' twice"}},
      {"--model pool --set models=", {"models is empty"}},
      {"--model auto --budget 5x", {"--budget 5x", "90s, 5m or 1h"}},
      {"--model auto --budget -5s", {"--budget -5s"}},
      {"--model auto --budget s", {"--budget s"}},
      {"--model lscde --budget 60s", {"unknown option 'budget'"}},
  };
  for (const auto& [arguments, words] : wrong) expect_refusal(fit + arguments, 2, words);
}

TEST_F(BadInput, UnitsThatNoLawHolds) {
  write("t.csv", "x,big,small\n1,1e110,1e-110\n2,3e110,3e-110\n3,2e110,2e-110\n4,5e110,4e-110\n5,4e110,6e-110\n");
  expect_refusal("fit t.csv --target big --inputs x -o m.json", 2, {"t.csv: target 'big' has values up to 5e+110"});
  expect_refusal("fit t.csv --target small --inputs x -o m.json", 2, {"target 'small' has a standard deviation of"});
  expect_refusal("fit t.csv --target x --inputs big -o m.json", 2, {"input 'big' has values up to 5e+110"});
  write("r.csv", "x,y\n1,1\n2,1.0000000000000002\n3,1\n4,1\n5,1.0000000000000002\n");
  expect_refusal("fit r.csv --target y -o m.json", 2, {"target 'y' is constant but for rounding"});
}

}  // namespace
}  // namespace condens::tests::bad_input_test
