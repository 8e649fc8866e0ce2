#include "condens/core/options.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/complaint.hpp"

namespace condens {
namespace {

enum class Seeding { uniform, plus_plus };

struct InsideOptions {
  Index rounds = 10;
  std::string name = "first";
};

struct ExampleOptions {
  bool standardize = true;
  Index folds = 5;
  double width = 1.5;
  double shift = 0.0;
  std::vector<double> grid{0.1, 1.0};
  std::vector<double> candidates{0.1, 1.0};
  std::vector<double> offsets;
  std::vector<double> counts = {1};
  Matrix centers;
  Seeding seeding = Seeding::plus_plus;
  std::string label = "plain";
  InsideOptions inside = {};
  Document other = Document(Document::Object{});
  std::vector<std::string> names = {"a", "b"};
};

}  // namespace

template <>
inline constexpr auto choice_names<Seeding> = std::array<std::string_view, 2>{"uniform", "kmeans++"};

template <>
inline constexpr auto option_table<InsideOptions> =
    Fields{OptionField{"rounds", &InsideOptions::rounds, whole(1), "number of rounds"},
           OptionField{"name", &InsideOptions::name, anything(), "a name"}};

template <>
inline constexpr auto option_table<ExampleOptions> =
    Fields{OptionField{"standardize", &ExampleOptions::standardize, anything(), "scale the columns first"},
           OptionField{"folds", &ExampleOptions::folds, whole(2), "number of folds"},
           OptionField{"width", &ExampleOptions::width, positive(), "kernel width"},
           OptionField{"shift", &ExampleOptions::shift, anything(), "any finite number"},
           OptionField{"grid", &ExampleOptions::grid, positive(), "candidates"},
           OptionField{"candidates", &ExampleOptions::candidates, distinct(within(0, 1)), "of which one is taken"},
           OptionField{"offsets", &ExampleOptions::offsets, anything(), "any finite numbers"},
           OptionField{"counts", &ExampleOptions::counts, whole(1, 8), "some whole numbers"},
           OptionField{"centers", &ExampleOptions::centers, anything(), "one centre a row"},
           OptionField{"seeding", &ExampleOptions::seeding, anything(), "how centres are drawn"},
           OptionField{"label", &ExampleOptions::label, anything(), "any text"},
           OptionField{"inside", &ExampleOptions::inside, anything(), "options of a known struct"},
           OptionField{"other", &ExampleOptions::other, anything(), "options of any model"},
           OptionField{"names", &ExampleOptions::names, anything(), "any texts"}};

}  // namespace condens

namespace condens::options_test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

ExampleOptions with(std::string_view name, Document value) {
  ExampleOptions options;
  set_options(options, "example", Document().set(name, std::move(value)));
  return options;
}

/// A table that is known as data only refuses the same.
std::string complaint_about(std::string_view name, const Document& value) {
  const std::string out = complaint([&] { with(name, value); });
  EXPECT_EQ(
      complaint([&] { check_options("example", describe_options<ExampleOptions>(), Document().set(name, value)); }),
      out);
  return out;
}

OptionInfo info(std::string_view name) {
  for (OptionInfo& candidate : describe_options<ExampleOptions>()) {
    if (candidate.name == name) return candidate;
  }
  throw std::logic_error("the test asks for an option that does not exist");
}

Document parse(std::string_view name, std::string_view text) { return parse_option("example", info(name), text); }

std::string parse_complaint(std::string_view name, std::string_view text) {
  return complaint([&] { with(name, parse(name, text)); });
}

TEST(Bounds, ContainTheirIntervalAndNothingInfinite) {
  EXPECT_TRUE(at_least(2).contain(2));
  EXPECT_FALSE(at_least(2).contain(1.999));
  EXPECT_FALSE(positive().contain(0));
  EXPECT_TRUE(positive().contain(1e-100));
  EXPECT_TRUE(within(0, 1).contain(0) && within(0, 1).contain(1));
  EXPECT_FALSE(within(0, 1).contain(-0.001) || within(0, 1).contain(1.001));
  EXPECT_TRUE(below(0, 1).contain(0));
  EXPECT_FALSE(below(0, 1).contain(1));
  EXPECT_TRUE(anything().contain(-1e100));
  for (const double value : {infinity, -infinity, nan}) {
    for (const Bounds& bounds : {at_least(2), positive(), within(0, 1), below(0, 1), anything(), whole(0)}) {
      EXPECT_FALSE(bounds.contain(value)) << to_string(bounds) << " contains " << value;
    }
  }
}

TEST(Bounds, EndWhereSquaresOfSquaresAreNoNumbers) {
  EXPECT_FALSE(positive().contain(1e-101) || positive().contain(1e101));
  EXPECT_FALSE(at_least(0).contain(1e101) || anything().contain(-1e101));
  EXPECT_TRUE(at_least(0).contain(1e-310)) << "next to zero, which it may be";
}

TEST(Bounds, OfWholeNumbersHoldNoOthersAndEnd) {
  EXPECT_TRUE(whole(1).contain(1) && whole(1).contain(1e15) && whole(1, 10).contain(10));
  EXPECT_FALSE(whole(1).contain(0) || whole(1).contain(1.5) || whole(1).contain(1e16) || whole(1).contain(1e19));
  EXPECT_FALSE(whole(1, 10).contain(11));
  EXPECT_EQ(to_string(whole(1)), ">= 1");
  EXPECT_EQ(to_string(whole(1, 10)), "in [1, 10]");
}

TEST(Bounds, AreWrittenAsInAPaper) {
  EXPECT_EQ(to_string(anything()), "");
  EXPECT_EQ(to_string(at_least(2)), ">= 2");
  EXPECT_EQ(to_string(positive()), "> 0");
  EXPECT_EQ(to_string(within(0, 1)), "in [0, 1]");
  EXPECT_EQ(to_string(below(0, 0.5)), "in [0, 0.5)");
  EXPECT_EQ(to_string(Bounds{.low = 0, .high = 1, .low_open = true}), "in (0, 1]");
  EXPECT_EQ(to_string(Bounds{.high = 3}), "<= 3");
  EXPECT_EQ(to_string(Bounds{.high = 3, .high_open = true}), "< 3");
}

TEST(Options, CandidatesDoNotComeTwice) {
  const auto list = [](std::initializer_list<double> values) { return Document(std::vector<double>(values)); };
  EXPECT_EQ(complaint_about("candidates", list({0.5, 0.25, 0.5})),
            "example: candidates has 0.5 twice, expected numbers that differ");
  EXPECT_EQ(with("candidates", list({0.5, 0.25})).candidates, (std::vector<double>{0.5, 0.25}));
  EXPECT_EQ(with("grid", list({0.5, 0.5})).grid.size(), 2U);  // of this one no one says so
  EXPECT_EQ(complaint([] {
              require_distinct("model", "width", {2, 1, 2});
            }),
            "model: width has 2 twice, expected numbers that differ");
}

TEST(Options, AShareLooksLikeNoPercentage) {
  EXPECT_EQ(complaint_about("candidates", Document(90.0)),
            "example: candidates = 90, expected a list of numbers, each in [0, 1]; for 90 % give 0.9");
  EXPECT_EQ(complaint_about("candidates", Document(-1.0)),
            "example: candidates = -1, expected a list of numbers, each in [0, 1]");
}

TEST(Options, AreDescribedInTheOrderOfTheTable) {
  std::string lines;
  for (const OptionInfo& option : describe_options<ExampleOptions>()) {
    lines += option.name + ":" + option.type + ":" + to_string(option.bounds) + ":" + option.text + "\n";
  }
  EXPECT_EQ(lines,
            "standardize:boolean::scale the columns first\n"
            "folds:integer:>= 2:number of folds\n"
            "width:number:> 0:kernel width\n"
            "shift:number::any finite number\n"
            "grid:numbers:> 0:candidates\n"
            "candidates:numbers:in [0, 1]:of which one is taken\n"
            "offsets:numbers::any finite numbers\n"
            "counts:numbers:in [1, 8]:some whole numbers\n"
            "centers:matrix::one centre a row\n"
            "seeding:choice::how centres are drawn\n"
            "label:text::any text\n"
            "inside:options::options of a known struct\n"
            "other:options::options of any model\n"
            "names:texts::any texts\n");
  ASSERT_EQ(info("inside").options.size(), 2U);
  EXPECT_EQ(info("inside").options[0].name, "rounds");
  EXPECT_TRUE(info("other").options.empty()) << "its table is that of a model that the user names";
  EXPECT_EQ(info("seeding").choices, (std::vector<std::string>{"uniform", "kmeans++"}));
  EXPECT_TRUE(info("width").choices.empty());
}

TEST(Options, KeepTheirDefaultsUntilTheyAreNamed) {
  ExampleOptions options;
  set_options(options, "example", Document());
  set_options(options, "example", Document(Document::Object{}));
  EXPECT_EQ(options_to_document(options), options_to_document(ExampleOptions{}));
  set_options(options, "example", Document().set("folds", 7));
  EXPECT_EQ(options.folds, 7);
  options.folds = 5;
  EXPECT_EQ(options_to_document(options), options_to_document(ExampleOptions{})) << "nothing else was touched";
}

TEST(Options, ReadEveryType) {
  EXPECT_EQ(with("standardize", false).standardize, false);
  EXPECT_EQ(with("folds", 3).folds, 3);
  EXPECT_EQ(with("folds", 3.0).folds, 3) << "a whole number may be written 3.0";
  EXPECT_EQ(with("width", 0.25).width, 0.25);
  EXPECT_EQ(with("width", 2).width, 2.0);
  EXPECT_EQ(with("grid", Document(Document::Array{1, 2.5})).grid, (std::vector<double>{1.0, 2.5}));
  EXPECT_EQ(with("grid", 2.5).grid, (std::vector<double>{2.5})) << "one number is a list of one";
  EXPECT_TRUE(with("grid", Document(Document::Array{})).grid.empty());
  EXPECT_EQ(with("centers", Matrix{{1, 2}, {3, 4}}).centers, (Matrix{{1, 2}, {3, 4}}));
  EXPECT_EQ(with("seeding", "uniform").seeding, Seeding::uniform);
  EXPECT_EQ(with("names", Document(Document::Array{"x", ""})).names, (std::vector<std::string>{"x", ""}));
  EXPECT_EQ(with("names", "x").names, (std::vector<std::string>{"x"})) << "one text is a list of one";
  EXPECT_TRUE(with("names", Document(Document::Array{})).names.empty());
}

TEST(Options, SurviveTheWayThroughADocument) {
  ExampleOptions options{.standardize = false,
                         .folds = 9,
                         .width = 0.1,
                         .shift = -0.0,
                         .grid = {0.1, 0.2},
                         .offsets = {-1.0},
                         .counts = {2, 3},
                         .centers = Matrix{{1, 2, 3}},
                         .seeding = Seeding::uniform,
                         .label = "x",
                         .inside = {.rounds = 3, .name = "y"},
                         .other = Document::Object{{"a", 1}, {"b", Document(std::vector<double>{0.1})}},
                         .names = {"c"}};
  const Document document = options_to_document(options);
  EXPECT_EQ(document.at("seeding").as_string(), "uniform");
  EXPECT_EQ(document.at("folds").as_integer(), 9);
  ExampleOptions back;
  set_options(back, "example", document);
  EXPECT_EQ(back.standardize, options.standardize);
  EXPECT_EQ(back.grid, options.grid);
  EXPECT_EQ(back.seeding, options.seeding);
  EXPECT_EQ(options_to_document(back), document) << "to the bit";
}

TEST(Options, InsideOptionsAreOverwrittenOneByOne) {
  const ExampleOptions options = with("inside", Document::Object{{"rounds", 3}});
  EXPECT_EQ(options.inside.rounds, 3);
  EXPECT_EQ(options.inside.name, "first") << "what is not named stays";
  EXPECT_EQ(with("inside", Document()).inside.rounds, 10);
  EXPECT_EQ(with("other", Document()).other, Document(Document::Object{}));
  EXPECT_EQ(with("label", "").label, "");
  EXPECT_EQ(complaint_about("inside", Document::Object{{"round", 3}}),
            "example: inside: unknown option 'round'; the options are rounds, name; did you mean 'rounds'?");
  EXPECT_EQ(complaint_about("inside", Document::Object{{"rounds", 0}}),
            "example: inside: rounds = 0, expected a whole number >= 1");
  ExampleOptions bad;
  bad.inside.rounds = 0;
  EXPECT_EQ(complaint([&] { validate_options(bad, "example"); }),
            "example: inside: rounds = 0, expected a whole number >= 1");
}

TEST(Options, NameTheKnownOnesWhenOneIsUnknown) {
  EXPECT_EQ(complaint_about("widht", 1.0),
            "example: unknown option 'widht'; the options are standardize, folds, width, shift, grid, candidates, "
            "offsets, counts, centers, seeding, label, inside, other, names; did you mean 'width'?");
}

TEST(Options, RefuseAWrongType) {
  EXPECT_EQ(complaint_about("standardize", 1), "example: standardize = 1, expected true or false");
  EXPECT_EQ(complaint_about("folds", "three"), "example: folds = 'three', expected a whole number >= 2");
  EXPECT_EQ(complaint_about("width", true), "example: width = true, expected a number > 0");
  EXPECT_EQ(complaint_about("width", Document()), "example: width = null, expected a number > 0");
  EXPECT_EQ(complaint_about("grid", "all"), "example: grid = 'all', expected a list of numbers, each > 0");
  EXPECT_EQ(complaint_about("grid", Document(Document::Array{1, "b"})),
            "example: grid = 'b', expected a list of numbers, each > 0");
  EXPECT_EQ(complaint_about("centers", 3), "example: centers = 3, expected a matrix of finite numbers");
  EXPECT_EQ(complaint_about("label", 3), "example: label = 3, expected a text");
  EXPECT_EQ(complaint_about("names", 3), "example: names = 3, expected a list of texts");
  EXPECT_EQ(complaint_about("names", Document(Document::Array{"a", 3})),
            "example: names = 3, expected a list of texts");
  EXPECT_EQ(complaint_about("inside", 3), "example: inside = 3, expected options with their values");
  EXPECT_EQ(complaint_about("other", "a"), "example: other = 'a', expected options with their values");
  EXPECT_EQ(complaint_about("seeding", 0), "example: seeding = 0, expected one of uniform, kmeans++");
  EXPECT_EQ(complaint_about("seeding", "grid"), "example: seeding = 'grid', expected one of uniform, kmeans++");
}

TEST(Options, RefuseNumbersOutOfBounds) {
  EXPECT_EQ(complaint_about("folds", 1), "example: folds = 1, expected a whole number >= 2");
  EXPECT_EQ(complaint_about("folds", 2.5), "example: folds = 2.5, expected a whole number >= 2");
  EXPECT_EQ(complaint_about("folds", 1e300), "example: folds = 1e+300, expected a whole number >= 2, at most 1e+15");
  EXPECT_EQ(complaint_about("folds", 1e19), "example: folds = 1e+19, expected a whole number >= 2, at most 1e+15");
  EXPECT_EQ(complaint_about("width", 1e300), "example: width = 1e+300, expected a number > 0, at most 1e+100");
  EXPECT_EQ(complaint_about("width", 1e-310), "example: width = 1e-310, expected a number > 0, at least 1e-100");
  EXPECT_EQ(complaint_about("shift", -1e300), "example: shift = -1e+300, expected a number, at least -1e+100");
  EXPECT_EQ(complaint_about("counts", Document(std::vector<double>{1, 1e19})),
            "example: counts = 1e+19, expected a list of whole numbers, each in [1, 8]");
  EXPECT_EQ(complaint_about("counts", 0.5), "example: counts = 0.5, expected a list of whole numbers, each in [1, 8]");
  EXPECT_EQ(complaint_about("centers", Matrix{{1, 1e300}}),
            "example: centers = a matrix with the entry 1e+300, expected a matrix of finite numbers, at most 1e+100");
  EXPECT_EQ(complaint_about("folds", nan), "example: folds = nan, expected a whole number >= 2");
  EXPECT_EQ(complaint_about("width", 0), "example: width = 0, expected a number > 0");
  EXPECT_EQ(complaint_about("width", nan), "example: width = nan, expected a number > 0");
  EXPECT_EQ(complaint_about("width", infinity), "example: width = inf, expected a number > 0");
  EXPECT_NE(complaint_about("shift", nan), "");
  EXPECT_NE(complaint_about("shift", -infinity), "");
  EXPECT_EQ(complaint_about("grid", Document(std::vector<double>{1.0, -2.0})),
            "example: grid = -2, expected a list of numbers, each > 0");
  EXPECT_EQ(complaint_about("offsets", Document(std::vector<double>{nan})),
            "example: offsets = nan, expected a list of numbers, each finite");
  EXPECT_EQ(complaint_about("centers", Matrix{{1, nan}}),
            "example: centers = a matrix, expected a matrix of finite numbers");
}

TEST(Options, SetInCodeAreChecked) {
  EXPECT_NO_THROW(validate_options(ExampleOptions{}, "example"));
  ExampleOptions options;
  options.width = -1;
  EXPECT_EQ(complaint([&] { validate_options(options, "example"); }), "example: width = -1, expected a number > 0");
}

TEST(ParseOption, ReadsEveryType) {
  for (const char* text : {"true", "1", "yes"}) EXPECT_EQ(parse("standardize", text), Document(true));
  for (const char* text : {"false", "0", "no"}) EXPECT_EQ(parse("standardize", text), Document(false));
  EXPECT_EQ(with("folds", parse("folds", "7")).folds, 7);
  EXPECT_EQ(with("names", parse("names", "lscde, nw")).names, (std::vector<std::string>{"lscde", "nw"}));
  EXPECT_TRUE(with("names", parse("names", "")).names.empty());
  EXPECT_EQ(parse("width", "0.5"), Document(0.5));
  EXPECT_EQ(parse("shift", " -2e-3 "), Document(-2e-3)) << "spaces around a number do not matter";
  EXPECT_EQ(parse("grid", "0.1, 0.2,3"), Document(std::vector<double>{0.1, 0.2, 3}));
  EXPECT_EQ(parse("grid", ""), Document(std::vector<double>{}));
  EXPECT_EQ(parse("seeding", "kmeans++"), Document("kmeans++"));
  EXPECT_EQ(parse("label", "0.5"), Document("0.5")) << "a text, whatever it looks like";
}

TEST(ParseOption, ReadsTheRowsOfAMatrixAsObservations) {
  // Rows on the outside are columns inside, as everywhere in the library.
  EXPECT_EQ(parse("centers", "1,2,3;4,5,6").as_matrix(), (Matrix{{1, 4}, {2, 5}, {3, 6}}));
  EXPECT_EQ(parse("centers", "7").as_matrix(), (Matrix{{7}}));
}

TEST(ParseOption, RefusesBadText) {
  EXPECT_EQ(parse_complaint("standardize", "maybe"), "example: standardize = 'maybe', expected true or false");
  EXPECT_EQ(parse_complaint("folds", "3.5"), "example: folds = 3.5, expected a whole number >= 2");
  EXPECT_EQ(parse_complaint("folds", "three"), "example: folds = 'three', expected a whole number >= 2");
  EXPECT_EQ(parse_complaint("width", "1.5x"), "example: width = '1.5x', expected a number > 0");
  EXPECT_EQ(parse_complaint("width", ""), "example: width = '', expected a number > 0");
  EXPECT_EQ(parse_complaint("width", "1e999"), "example: width = '1e999', expected a number > 0");
  EXPECT_EQ(parse_complaint("width", "nan"), "example: width = nan, expected a number > 0");
  EXPECT_EQ(parse_complaint("grid", "1,,2"), "example: grid = '', expected a list of numbers, each > 0");
  EXPECT_EQ(parse_complaint("grid", "1,b"), "example: grid = 'b', expected a list of numbers, each > 0");
  EXPECT_EQ(parse_complaint("seeding", "grid"), "example: seeding = 'grid', expected one of uniform, kmeans++");
  EXPECT_EQ(parse_complaint("centers", "1,2;3"),
            "example: centers = '3', expected rows of 2 numbers, as the first one has");
  EXPECT_EQ(parse_complaint("centers", "1,two"), "example: centers = 'two', expected a matrix of finite numbers");
}

}  // namespace
}  // namespace condens::options_test
