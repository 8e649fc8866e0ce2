#include "condens/plot/comparison_figure.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "support/complaint.hpp"
#include "support/xml.hpp"

namespace condens::plot::comparison_figure_test {
namespace {

using condens::tests::xml_problem;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::vector<Trial> trials(const std::vector<double>& nll, double seconds = 1.0) {
  std::vector<Trial> out;
  for (const double value : nll) {
    out.push_back({.nll = value, .squared_loss = -1.0, .crps = 0.5, .coverage = 0.88, .seconds = seconds});
    if (std::isnan(value)) out.back() = {.failure = "it cannot"};
  }
  return out;
}

constexpr double failed = std::numeric_limits<double>::quiet_NaN();

TEST(ComparisonFigure, ShowsEveryModelWithItsMarks) {
  const std::vector<Standing> board =
      leaderboard({.options = {},
                   .labels = {"lscde", "a<b", "far", "cut", "none"},
                   .trials = {trials({1.0, 1.2, 1.1}), trials({1.3, 1.4, 1.6}, 90.0), trials({1717.0, 1717.3, 1717.1}),
                              trials({1.0, failed, 1.1}), trials({failed, failed, failed})}});
  const std::string svg = comparison_figure(board, "boston & co, 3 splits");
  EXPECT_EQ(xml_problem(svg), "");
  for (const char* part : {"boston &amp; co", "lscde", "a&lt;b", "cut (1 failed)", "none (failed)", "paired t-test",
                           "NLL behind the best", "CRPS", "coverage of 90 %", "seconds per fit", "one split", "1717"}) {
    EXPECT_TRUE(has(svg, part)) << part;
  }
}

TEST(ComparisonFigure, OneModelOrOneSplitOrNoFiniteScore) {
  const Comparison alone{.options = {}, .labels = {"a"}, .trials = {trials({1.0})}};
  const std::string svg = comparison_figure(leaderboard(alone), "t");
  EXPECT_EQ(xml_problem(svg), "");
  EXPECT_FALSE(has(svg, "t-test"));
  EXPECT_FALSE(has(svg, "behind"));
  const double infinity = std::numeric_limits<double>::infinity();
  const Comparison infinite{.options = {}, .labels = {"a", "b"}, .trials = {trials({infinity}), trials({infinity})}};
  EXPECT_EQ(xml_problem(comparison_figure(leaderboard(infinite), "t")), "");
  EXPECT_EQ(complaint([] { comparison_figure({}, "t"); }),
            "comparison_figure: there are no standings, expected at least one");
}

}  // namespace
}  // namespace condens::plot::comparison_figure_test
