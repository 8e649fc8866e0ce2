#include "condens/plot/relevance_figures.hpp"

#include <gtest/gtest.h>

#include "support/complaint.hpp"
#include "support/xml.hpp"

namespace condens::plot::relevance_figures_test {
namespace {

using condens::tests::count;
using condens::tests::xml_problem;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(RelevanceFigures, BarsNameTheirInputs) {
  const std::string svg = importance_bars({{"age <x>", 0.7}, {"weight", 0.3}, {"zip", 0.0, false}});
  EXPECT_EQ(xml_problem(svg), "");
  EXPECT_TRUE(has(svg, "age &lt;x&gt;"));
  EXPECT_TRUE(has(svg, "zip"));
  EXPECT_TRUE(has(svg, "not selected"));
  EXPECT_FALSE(has(svg, "half-samples"));
}

TEST(RelevanceFigures, BarsShowStabilityWhereThereIsSome) {
  const std::string svg = importance_bars({{"a", 0.7, true, 0.9}, {"b", 0.3, true, 0.5}});
  EXPECT_TRUE(has(svg, "half-samples"));
  EXPECT_EQ(count(svg, "<circle"), 3U);  // two points and the legend
  EXPECT_EQ(xml_problem(importance_bars({{"a", 0.0}})), "");
}

TEST(RelevanceFigures, ContributionsStandSideBySide) {
  const Surface flat{"a", {0, 1}, Matrix::Constant(5, 4, 0.0)};
  const Surface steep{"b", {0, 2}, Matrix::Constant(5, 4, 3.0)};
  for (const std::vector<Surface>& surfaces : {std::vector{flat}, {flat, steep}, {flat, steep, steep}}) {
    const std::string svg = contribution_maps(surfaces, "y", {-1, 1});
    EXPECT_EQ(xml_problem(svg), "");
    EXPECT_EQ(count(svg, "data:image/png;base64,"), surfaces.size() + 1);  // and the colour bar
  }
}

TEST(RelevanceFigures, SayWhatIsMissing) {
  EXPECT_TRUE(has(complaint([] { importance_bars({}); }), "no bars"));
  EXPECT_TRUE(has(complaint([] { importance_bars({{"a", -1}}); }), "a has importance -1"));
  EXPECT_TRUE(has(complaint([] { contribution_maps({}, "y", {0, 1}); }), "no surfaces"));
}

}  // namespace
}  // namespace condens::plot::relevance_figures_test
