// auto: which models belong to the pool, and that the fit is the pool of them.

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
        const std::vector<AutoChoice> all = choose_models({n, d_x, d_x}, 5, budget);
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
    const std::size_t members = chosen(choose_models({1000, 3, 3}, 5, budget)).size();
    EXPECT_GE(members, before);
    before = members;
  }
  EXPECT_EQ(before, choose_models({1000, 3, 3}, 5, 60).size());
  EXPECT_GT(chosen(choose_models({300, 3, 3}, 5, 60)).size(), chosen(choose_models({20000, 3, 3}, 5, 60)).size());
}

TEST(Auto, FitsFewerRowsWhereNoModelFitsIntoTheBudget) {
  EXPECT_EQ(affordable_rows({1000, 5, 5}, 5, 1e-6), 1000);  // rows are worth more than time
  EXPECT_EQ(affordable_rows({20000, 5, 5}, 5, 60), 20000);
  for (const Index d_x : {0, 5}) {
    const Index some = affordable_rows({1000000, d_x, d_x}, 5, 20);
    ASSERT_LT(some, 1000000);
    const auto least = [&](Index n) {
      double out = 1e300;
      for (const AutoChoice& own : choose_models({n, d_x, d_x}, 5, 20)) out = std::min(out, own.seconds);
      return out;
    };
    EXPECT_LE(least(some), 20);
    EXPECT_GT(least(some + 1), 20);
  }
  Dataset data = line(2600, 0);
  data.weights = Vector::Ones(2600);
  data.weights.tail(100).setZero();
  std::vector<double> fold(2600);
  for (std::size_t i = 0; i < fold.size(); ++i) fold[i] = static_cast<double>(i % 2);
  const auto model = find_model("auto").fit(data, "", Document::Object{{"budget", 1e-6}, {"cv", Document(fold)}}, {});
  EXPECT_EQ(model->report().details.at("n_rows").as_integer(), 2000);
  EXPECT_NE(model->report().warnings.front().find("fitted to 2000 of 2500 rows"), std::string::npos)
      << model->report().warnings.front();
}

TEST(Auto, NamesModelsThatThereAre) {
  for (const Index d_x : {0, 4}) {
    for (const AutoChoice& own : choose_models({100, d_x, d_x}, 5, 60)) {
      EXPECT_EQ(find_model(own.name).name, own.name);
      EXPECT_FALSE(find_model(own.name).can("takes_one_target")) << own.name;
    }
  }
}

TEST(Auto, IsThePoolOfWhatItChose) {
  for (const Index d_x : {0, 2}) {
    const Dataset data = line(60, d_x);
    const Document options = Document::Object{{"budget", 0.02}, {"cv", 3}, {"seed", 7}};
    const auto found = find_model("auto").fit(data, "recommended", options, {});
    Document same = Document::Object{{"cv", 3}, {"seed", 7}};
    same.set("models", Document(chosen(choose_models({60, d_x, d_x}, 3, 0.02))));
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
  for (const AutoChoice& own : choose_models({80, 1, 1}, 2, 1e-3)) {
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
