// What shells offer while a call is typed, and the pages of man.

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "command.hpp"
#include "condens/registry.hpp"

namespace condens::tests::completion_test {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// The first words of the lines below the heading of a group, of options or verbs, or below all headings.
std::vector<std::string> names_in_help(const std::string& help, char first) {
  std::vector<std::string> names;
  for (const std::string& line : lines_of(help)) {
    if (line.starts_with("  ") && line.size() > 2 && line[2] == first)
      names.push_back(line.substr(2, line.find(' ', 2) - 2));
  }
  return names;
}

class Completion : public CommandTest {
 protected:
  /// What is offered for the last word of a call.
  std::vector<std::string> offered(const std::string& words) const {
    std::vector<std::string> out;
    for (const std::string& line : lines_of(good("completion fish -- condens " + words).out))
      out.push_back(line.substr(0, line.find('\t')));
    return out;
  }
  std::string offered_text(const std::string& words) const {
    std::string text;
    for (const std::string& word : offered(words)) text += (text.empty() ? "" : " ") + word;
    return text;
  }

  /// The verbs of the help page.
  std::vector<std::string> verbs() const {
    const std::string help = good("--help").out;
    std::vector<std::string> names;
    const std::size_t begin = help.find("Subcommands:\n");
    for (const std::string& line : lines_of(help.substr(begin, help.find("\n\n", begin) - begin))) {
      if (line.starts_with("  ") && line[2] != ' ') names.push_back(line.substr(2, line.find(' ', 2) - 2));
    }
    EXPECT_GE(names.size(), 10U);
    return names;
  }
};

TEST_F(Completion, VerbsAndAllTheirOptions) {
  for (const std::string& verb : verbs()) {
    EXPECT_EQ(offered(verb), std::vector<std::string>{verb});
    const std::vector<std::string> options = offered(verb + " -");
    EXPECT_EQ(offered("help " + verb), std::vector<std::string>{verb});
    for (const std::string& name : names_in_help(good(verb + " --help").out, '-')) {
      const std::string whole = name.find(',') == std::string::npos ? name : name.substr(name.find(',') + 1);
      EXPECT_NE(std::find(options.begin(), options.end(), whole), options.end()) << verb << " " << name;
    }
  }
  EXPECT_EQ(offered_text("predi"), "predict");
  EXPECT_EQ(offered_text("--v"), "--version");
}

TEST_F(Completion, ValuesAreThoseOfTheOption) {
  EXPECT_EQ(offered_text("fit --missing ''"), "error model indicator");
  EXPECT_EQ(offered_text("fit --missing=i"), "--missing=indicator");
  EXPECT_EQ(offered_text("fit --target-kind b"), "bounded:");
  EXPECT_EQ(offered_text("fit --preset p"), "paper");
  EXPECT_EQ(offered_text("fit --bootstrap-method ''"), "refit delta");
  EXPECT_EQ(offered_text("fit --conformal j"), "jackknife+");
  EXPECT_EQ(offered_text("fit --conformal --calibrate-s"), "--calibrate-share");
  EXPECT_EQ(offered_text("predict --bands-method b"), "basic");
  EXPECT_EQ(offered_text("compare --cv t"), "time");
  EXPECT_EQ(offered_text("plot --figure dens"), "density");
  EXPECT_EQ(offered_text("explain --of mean,st"), "mean,std");
  EXPECT_EQ(offered_text("completion f"), "fish");
  const auto shipped = std::count_if(models().begin(), models().end(), [](const ModelInfo& m) { return m.shipped; });
  EXPECT_EQ(offered("fit --model ''").size(), static_cast<std::size_t>(shipped));
  EXPECT_EQ(offered("models ''").size(), static_cast<std::size_t>(shipped));
  EXPECT_EQ(offered_text("compare --models gmm,lscd"), "gmm,lscde");
}

TEST_F(Completion, OptionsOfTheModelThatIsNamed) {
  EXPECT_EQ(offered_text("fit --model gmm --set cov"), "covariance=full covariance=diagonal covariance=auto");
  EXPECT_EQ(offered_text("fit --set bandwidth_"), "bandwidth_y=");
  EXPECT_EQ(offered_text("compare --models lscde,mix=gmm:recommended --set mix.cov"),
            "mix.covariance=full mix.covariance=diagonal mix.covariance=auto");
  EXPECT_EQ(offered_text("fit --model nothing --set cov"), "");
}

TEST_F(Completion, ColumnsOfTheTable) {
  write("t.csv", "age,\"blood pressure\",y\n1,2,3\n4,5,6\n");
  EXPECT_EQ(offered_text("fit t.csv --target ''"), "age blood pressure y");
  EXPECT_EQ(offered_text("fit t.csv --inputs age,b"), "age,blood pressure");
  EXPECT_EQ(offered_text("fit t.csv --weight=a"), "--weight=age");
  EXPECT_EQ(offered_text("explain m.json t.csv --effect a"), "age");
  EXPECT_EQ(offered_text("fit missing.csv --target ''"), "");
  write("no_table.csv", "a,a\n\"1,2\n");
  EXPECT_EQ(offered_text("fit no_table.csv --target ''"), "");
}

TEST_F(Completion, FilesWhereFilesAreMeant) {
  EXPECT_EQ(offered_text("fit ''"), "");
  EXPECT_EQ(offered_text("predict -o ''"), "");
  EXPECT_EQ(offered_text("nonsense --x ''"), "");
  EXPECT_EQ(offered_text("fit --nonsense=a"), "");
}

TEST_F(Completion, RefusesOtherShells) {
  const Outcome outcome = run("completion tcsh");
  EXPECT_EQ(outcome.code, 2);
  expect_in(outcome.err, {"SHELL is 'tcsh', expected one of bash, zsh, fish"});
}

TEST_F(Completion, InBash) {
  write("t.csv", "age,blood pressure,y\n1,2,3\n");
  const std::string ask =
      "PATH=\"$(dirname \"$CONDENS\"):$PATH\" bash -c 'source <(condens completion bash); "
      "ask() { COMP_WORDS=(condens \"$@\"); COMP_CWORD=$#; compopt() { printf \"nospace \"; }; "
      "_condens; printf \"%s|\" \"${COMPREPLY[@]}\"; }; ";
  EXPECT_EQ(shell(ask + "ask fit --targ'").out, "--target|--target-upper|--target-kind|");
  EXPECT_EQ(shell(ask + "ask fit t.csv --target b'").out, "blood\\ pressure|");
  // bash takes words apart at = and :, and replaces the last part only.
  EXPECT_EQ(shell(ask + "ask fit t.csv --target = a'").out, "age|");
  EXPECT_EQ(shell(ask + "ask fit --model gmm --set covariance ='").out, "full|diagonal|auto|");
  EXPECT_EQ(shell(ask + "ask fit --set bandwidth_'").out, "nospace bandwidth_y=|");
  EXPECT_EQ(shell(ask + "ask fit ./t'").out, "|");
  expect_in(shell(ask + "complete -p condens'").out, {"-o default", "-F _condens"});
}

TEST_F(Completion, InFish) {
  write("t.csv", "age,pressure,y\n1,2,3\n");
  const std::string ask =
      "PATH=\"$(dirname \"$CONDENS\"):$PATH\" HOME=. fish --no-config -c 'condens completion fish | source; "
      "for line in (complete -C \"condens $argv\"); string split -f 1 \\t $line; end' -- ";
  EXPECT_EQ(shell(ask + "describ").out, "describe\n");
  EXPECT_EQ(shell(ask + "'fit t.csv --weight p'").out, "pressure\n");
  EXPECT_EQ(shell(ask + "'fit t.c'").out, "t.csv\n");
}

TEST_F(Completion, InZsh) {
  write("t.csv", "age,pressure,y\n1,2,3\n");
  const std::string ask =
      "PATH=\"$(dirname \"$CONDENS\"):$PATH\" zsh -f -c 'compdef() { print -r \"$1 for $2\" }; _files() { print files "
      "}; "
      "_describe() { print -rl -- $closed; print -rl -- open $open }; source <(condens completion zsh); "
      "words=(condens \"$@\") CURRENT=$(($# + 1)); _condens' zsh ";
  EXPECT_EQ(shell(ask + "describ").out,
            "_condens for condens\n"
            "describe:Tell what was fitted, on what, which inputs matter, how tuning went\nopen\n");
  EXPECT_EQ(shell(ask + "fit t.csv --weight p").out, "_condens for condens\npressure\nopen\n");
  EXPECT_EQ(shell(ask + "fit --set bandwidth_").out, "_condens for condens\n\nopen\nbandwidth_y=\n");
  EXPECT_EQ(shell(ask + "fit --target-kind b").out, "_condens for condens\n\nopen\nbounded\\:\n");
  EXPECT_EQ(shell(ask + "fit t").out, "_condens for condens\nfiles\n");
}

class Manual : public Completion {};

TEST_F(Manual, EveryOptionOfEveryVerbIsInItsPage) {
  std::filesystem::create_directory(folder / "man");
  good("manual man");
  const std::vector<std::string> all = verbs();
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder / "man"), {}), all.size() + 1);
  for (const std::string& verb : all) {
    const std::string page = "man/condens-" + verb + ".1";
    const Outcome text = shell("LC_ALL=C.UTF-8 groff -man -ww -Kutf8 -Tutf8 " + page + " | col -bx");
    EXPECT_EQ(text.err, "") << page;
    expect_in(text.out, {"CONDENS-", "NAME", "SYNOPSIS", "DESCRIPTION", "EXIT STATUS", "SEE ALSO", "condens(1)"});
    const std::string help = good(verb + " --help").out;
    const std::vector<std::string> options = names_in_help(help, '-');
    EXPECT_FALSE(options.empty());
    for (const std::string& name : options) expect_in(text.out, {name.substr(name.find(',') + 1)});
    expect_in(read("man/condens.1"), {"\\fB" + verb + "\\fR"});
  }
  expect_in(read("man/condens.1"), {".SH MODELS", "Least\\-squares", "\\fB\\-\\-version\\fR"});
  expect_in(read("man/condens-fit.1"), {"condens fit geyser.csv \\-\\-target waiting \\-o geyser.json"});
  expect_in(read("man/condens-score.1"), {".SH NOTES", "lower is better"});
}

TEST_F(Manual, IsAccepted) {
  good("manual .");
  // A date would make every build another one.
  const Outcome outcome = shell("mandoc -Tlint -W warning *.1 | grep -v 'missing date'");
  EXPECT_EQ(outcome.out + outcome.err, "");
}

TEST_F(Manual, NeedsAFolder) {
  const Outcome outcome = run("manual there");
  EXPECT_EQ(outcome.code, 2);
  expect_in(outcome.err, {"FOLDER is 'there', expected a folder that exists"});
}

}  // namespace
}  // namespace condens::tests::completion_test
