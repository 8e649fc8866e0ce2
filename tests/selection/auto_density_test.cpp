// auto: which models belong to the pool, and that the fit is the pool of them.

#include "condens/selection/auto_density.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "condens/core/random.hpp"
#include "condens/registry.hpp"
#include "condens/selection/pool.hpp"
#include "support/complaint.hpp"
#include "support/normals.hpp"

namespace condens::auto_density_test {
namespace {

std::vector<std::string> chosen(const std::vector<AutoChoice>& all) {
  std::vector<std::string> out;
  for (const AutoChoice& own : all) {
    if (own.chosen) out.push_back(own.name);
  }
  return out;
}

Dataset line(Index n, Index d_x) {
  const Matrix x = normals(d_x, n, 1);
  Matrix y = normals(1, n, 2);
  if (d_x > 0) y += x.topRows(1);
  return {.x = x, .y = y};
}

TEST(Auto, SpendsNoMoreThanItsBudgetAndTakesTheCheapestAlways) {
  for (const Index n : {50, 1000, 30000, 1000000}) {
    for (const Index d_x : {0, 1, 20}) {
      for (const double budget : {1e-6, 1.0, 60.0, 3600.0}) {
        const std::vector<AutoChoice> all = choose_models(n, d_x, 5, budget);
        double spent = 0;
        double least = all.front().seconds;
        for (const AutoChoice& own : all) {
          spent += own.chosen ? own.seconds : 0;
          least = std::min(least, own.seconds);
        }
        EXPECT_LE(spent, std::max(budget, least) + 1e-9);
        EXPECT_GE(chosen(all).size(), 1U);
        for (const AutoChoice& own : all) {
          EXPECT_TRUE(own.chosen || own.seconds > budget - spent) << own.name << " would have fitted in";
        }
      }
    }
  }
}

TEST(Auto, TakesMoreMembersForALargerBudgetAndFewerForMoreRows) {
  std::size_t before = 0;
  for (const double budget : {0.01, 5.0, 20.0, 1000.0}) {
    const std::size_t members = chosen(choose_models(1000, 3, 5, budget)).size();
    EXPECT_GE(members, before);
    before = members;
  }
  EXPECT_EQ(before, choose_models(1000, 3, 5, 60).size());
  EXPECT_GT(chosen(choose_models(300, 3, 5, 60)).size(), chosen(choose_models(20000, 3, 5, 60)).size());
}

TEST(Auto, NamesModelsThatThereAre) {
  for (const Index d_x : {0, 4}) {
    for (const AutoChoice& own : choose_models(100, d_x, 5, 60)) {
      EXPECT_EQ(find_model(own.name).name, own.name);
      EXPECT_FALSE(find_model(own.name).single_target) << own.name;
    }
  }
}

TEST(Auto, IsThePoolOfWhatItChose) {
  for (const Index d_x : {0, 2}) {
    const Dataset data = line(60, d_x);
    const Document options = Document::Object{{"budget", 0.02}, {"cv", 3}, {"seed", 7}};
    const auto found = find_model("auto").fit(data, "recommended", options, {});
    Document same = Document::Object{{"cv", 3}, {"seed", 7}};
    same.set("models", Document(chosen(choose_models(60, d_x, 3, 0.02))));
    const auto pool = find_model("pool").fit(data, "recommended", same, {});
    EXPECT_EQ(found->log_density(data.x, data.y), pool->log_density(data.x, data.y));
    EXPECT_EQ(dynamic_cast<const AutoDensity&>(*found).member_weights(),
              dynamic_cast<const Pool&>(*pool).member_weights());
  }
}

TEST(Auto, TellsWhatTheBudgetLeavesOut) {
  const auto found =
      find_model("auto").fit(line(80, 1), "recommended", Document::Object{{"budget", 1e-3}, {"cv", 2}}, {});
  const std::vector<std::string>& warnings = found->report().warnings;
  ASSERT_FALSE(warnings.empty());
  EXPECT_NE(warnings.front().find("budget of 0.001 s"), std::string::npos) << warnings.front();
  // One sentence for all of them.
  EXPECT_EQ(std::count_if(warnings.begin(), warnings.end(),
                          [](const std::string& text) { return text.find("budget") != std::string::npos; }),
            1);
  for (const AutoChoice& own : choose_models(80, 1, 2, 1e-3)) {
    EXPECT_EQ(warnings.front().find(own.name + " (") != std::string::npos, !own.chosen) << own.name;
  }
}

TEST(Auto, NamesWhatItCannotTake) {
  const auto message_of = [](const Document& options) {
    return complaint([&] { find_model("auto").fit(line(30, 1), "recommended", options, {}); });
  };
  EXPECT_NE(message_of(Document::Object{{"budget", 0}}).find("AutoCDE: budget = 0, expected a number > 0"),
            std::string::npos);
  EXPECT_NE(message_of(Document::Object{{"models", "nw"}}).find("unknown option 'models'"), std::string::npos);
  EXPECT_NE(message_of(Document::Object{{"cv", Document::Array{}}}).find("cv is empty"), std::string::npos);
}

}  // namespace
}  // namespace condens::auto_density_test
