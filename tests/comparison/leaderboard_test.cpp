// The test and the order of a leaderboard, by hand.

#include "condens/comparison/leaderboard.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace condens::leaderboard_test {
namespace {

TEST(PairedTTest, EqualsClosedForms) {
  // Student's law of one and of two degrees of freedom: 1 - (2 / pi) atan t and 1 - t / sqrt(2 + t^2).
  EXPECT_NEAR(paired_t_test(Vector{{1.0, 3.0}}), 1.0 - 2.0 / std::numbers::pi * std::atan(2.0), 1e-14);
  EXPECT_NEAR(paired_t_test(Vector{{1.0, 2.0, 3.0}}), 1.0 - std::sqrt(12.0 / 14.0), 1e-14);
  EXPECT_NEAR(paired_t_test(Vector{{-1.0, -2.0, -3.0}}), 1.0 - std::sqrt(12.0 / 14.0), 1e-14);
  // R: t.test(1:5)
  EXPECT_NEAR(paired_t_test(Vector{{1.0, 2.0, 3.0, 4.0, 5.0}}), 0.01324, 5e-6);
}

TEST(PairedTTest, WhereThereIsNoSpread) {
  EXPECT_EQ(paired_t_test(Vector{{0.0, 0.0}}), 1.0);
  EXPECT_EQ(paired_t_test(Vector{{2.0, 2.0, 2.0}}), 0.0);
  EXPECT_TRUE(std::isnan(paired_t_test(Vector{{2.0}})));
  EXPECT_TRUE(std::isnan(paired_t_test(Vector())));
  EXPECT_TRUE(std::isnan(paired_t_test(Vector{{2.0, infinity}})));
}

std::vector<Trial> trials(const std::vector<double>& nll) {
  std::vector<Trial> out;
  for (const double value : nll) {
    Trial trial{.nll = value, .crps = 2.0 * value, .seconds = 1.0};
    if (std::isnan(value)) trial = {.failure = "it cannot"};
    out.push_back(trial);
  }
  return out;
}

std::vector<std::string> labels(const std::vector<Standing>& board) {
  std::vector<std::string> out;
  for (const Standing& standing : board) out.push_back(standing.label);
  return out;
}

TEST(Leaderboard, MarksWhatTheTestDoesNotTellFromTheBest) {
  const std::vector<Standing> board = leaderboard({.options = {},
                                                   .labels = {"worse", "best", "near", "same"},
                                                   .trials = {trials({1.1, 2.2, 3.1}), trials({0.0, 1.0, 2.0}),
                                                              trials({-0.5, 2.0, 2.1}), trials({0.0, 1.0, 2.0})}});
  EXPECT_EQ(labels(board), (std::vector<std::string>{"best", "same", "near", "worse"}));
  EXPECT_TRUE(board[0].best && board[1].best && board[2].best);
  EXPECT_FALSE(board[3].best);
  EXPECT_TRUE(std::isnan(board[0].p_value));
  EXPECT_EQ(board[0].behind.value, 0.0);
  EXPECT_EQ(board[1].p_value, 1.0);
  EXPECT_NEAR(board[2].behind.value, 0.2, 1e-15);
  EXPECT_NEAR(board[3].behind.value, (1.1 + 1.2 + 1.1) / 3, 1e-15);
  EXPECT_NEAR(board[3].behind.standard_error, 1.0 / 30, 1e-12);
  EXPECT_LT(board[3].p_value, 0.001);
  EXPECT_NEAR(board[3].means[0].value, 6.4 / 3, 1e-15);
  EXPECT_NEAR(board[3].means[3].value, 12.8 / 3, 1e-14);
}

TEST(Leaderboard, OneSplitGivesNoTest) {
  const std::vector<Standing> board =
      leaderboard({.options = {}, .labels = {"a", "b"}, .trials = {trials({2.0}), trials({1.0})}});
  EXPECT_EQ(labels(board), (std::vector<std::string>{"b", "a"}));
  EXPECT_TRUE(board[0].best);
  EXPECT_FALSE(board[1].best);
  EXPECT_TRUE(std::isnan(board[1].p_value));
  EXPECT_EQ(board[1].behind.value, 1.0);
}

TEST(Leaderboard, FailuresComeLastAndAreComparedOnWhatIsLeft) {
  constexpr double failed = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Standing> board =
      leaderboard({.options = {},
                   .labels = {"never", "sometimes", "always", "infinite"},
                   .trials = {trials({failed, failed, failed}), trials({0.0, failed, 0.1}), trials({1.0, 1.1, 1.2}),
                              trials({1.0, infinity, 1.0})}});
  EXPECT_EQ(labels(board), (std::vector<std::string>{"always", "infinite", "sometimes", "never"}));
  EXPECT_EQ(board[1].means[0].value, infinity);
  EXPECT_FALSE(board[1].best);
  EXPECT_EQ(board[2].failed, 1);
  EXPECT_EQ(board[2].failure, "it cannot");
  EXPECT_NEAR(board[2].means[0].value, 0.05, 1e-15);
  EXPECT_NEAR(board[2].behind.value, -1.05, 1e-15);
  EXPECT_FALSE(board[2].best);
  EXPECT_EQ(board[3].failed, 3);
  EXPECT_TRUE(std::isnan(board[3].means[0].value));
  EXPECT_TRUE(std::isnan(board[3].behind.value));
}

TEST(Leaderboard, AsADocument) {
  const std::vector<Standing> board =
      leaderboard({.options = {}, .labels = {"a", "b"}, .trials = {trials({2.0, 3.0}), trials({1.0, 2.5})}});
  const Document out = to_document(board[1]);
  EXPECT_EQ(out.at("model").as_string(), "a");
  EXPECT_EQ(out.at("nll").at("mean").as_number(), 2.5);
  EXPECT_EQ(out.at("nll").at("values").as_numbers(), (std::vector<double>{2.0, 3.0}));
  EXPECT_EQ(out.at("failed").as_integer(), 0);
  EXPECT_EQ(out.at("nll_behind").at("mean").as_number(), 0.75);
  EXPECT_NEAR(out.at("nll_p").as_number(), board[1].p_value, 0.0);
  EXPECT_TRUE(out.at("best").as_bool());
}

}  // namespace
}  // namespace condens::leaderboard_test
