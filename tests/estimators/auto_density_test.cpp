// auto: which models belong to the pool, and that the fit is the pool of them. The race: race_test.cpp.

#include "condens/estimators/auto.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "condens/core/random.hpp"
#include "condens/estimators/pool.hpp"
#include "condens/registry.hpp"
#include "support/complaint.hpp"
#include "support/normals.hpp"

namespace condens::auto_density_test {
namespace {

Dataset line(Index n, Index d_x) {
  const Matrix x = normals(d_x, n, 1);
  Matrix y = normals(1, n, 2);
  if (d_x > 0) y += x.topRows(1);
  return {.x = x, .y = y};
}

TEST(Auto, NamesModelsThatThereAre) {
  for (const bool inputs : {true, false}) {
    for (const std::string& name : auto_models(inputs)) {
      EXPECT_EQ(find_model(name).name, name);
      EXPECT_FALSE(find_model(name).can("takes_one_target")) << name;
    }
  }
}

TEST(Auto, OfFewRowsIsThePoolOfAllThatItsBudgetAllows) {
  for (const Index d_x : {0, 2}) {
    const Dataset data = line(60, d_x);
    const Document options = Document::Object{{"budget", 1000}, {"cv", 3}, {"seed", 7}};
    const auto found = find_model("auto").fit(data, "recommended", options, {});
    Document same = Document::Object{{"cv", 3}, {"seed", 7}};
    same.set("models", Document(auto_models(d_x > 0)));
    const auto pool = find_model("pool").fit(data, "recommended", same, {});
    EXPECT_EQ(found->log_density(data.x, data.y), pool->log_density(data.x, data.y));
    EXPECT_EQ(dynamic_cast<const AutoDensity&>(*found).member_weights(),
              dynamic_cast<const Pool&>(*pool).member_weights());
  }
}

TEST(Auto, TakesTheFirstModelAlwaysAndTellsWhatTheBudgetLeavesOut) {
  const auto found =
      find_model("auto").fit(line(80, 1), "recommended", Document::Object{{"budget", 1e-9}, {"cv", 2}}, {});
  const auto names = dynamic_cast<const AutoDensity&>(*found).member_names();
  EXPECT_EQ(names, (std::vector<std::string>{auto_models(true).front(), "broad"}));
  const std::vector<std::string>& warnings = found->report().warnings;
  ASSERT_FALSE(warnings.empty());
  // One sentence for all of them.
  EXPECT_EQ(std::count_if(warnings.begin(), warnings.end(),
                          [](const std::string& text) { return text.find("budget") != std::string::npos; }),
            1);
  for (const std::string& name : auto_models(true)) {
    EXPECT_EQ(warnings.front().find(name) != std::string::npos, name != auto_models(true).front()) << name;
  }
}

TEST(Auto, OfMoreRowsHoldsARaceOfRealModels) {
  const Dataset data = line(2050, 1);
  const Document options =
      Document::Object{{"budget", 0.5}, {"model_preset", "paper"}};  // it takes a third of the time
  const auto found = find_model("auto").fit(data, "recommended", options, {});
  const std::vector<Contender> race = found->report().race();
  ASSERT_EQ(race.size(), auto_models(true).size());
  for (const Contender& own : race) {
    ASSERT_FALSE(own.laps.empty()) << own.name << ": " << own.fate;
    EXPECT_EQ(own.laps.front().n_rows, 250);
    EXPECT_GT(own.laps.front().seconds, 1e-4);
  }
  // The entropy of the noise, 1.42 nats, on the standardised scale, sqrt(2), is 1.07.
  EXPECT_NEAR(found->report().score()->value, 1.07, 0.1);
}

TEST(Auto, NamesWhatItCannotTake) {
  const auto message_of = [](const Document& options) {
    return complaint([&] { find_model("auto").fit(line(30, 1), "recommended", options, {}); });
  };
  EXPECT_NE(message_of(Document::Object{{"budget", -1}}).find("AutoCDE: budget = -1, expected a number >= 0"),
            std::string::npos);
  EXPECT_NE(message_of(Document::Object{{"models", "nw"}}).find("unknown option 'models'"), std::string::npos);
  EXPECT_NE(message_of(Document::Object{{"cv", Document::Array{}}}).find("cv is empty"), std::string::npos);
}

}  // namespace
}  // namespace condens::auto_density_test
