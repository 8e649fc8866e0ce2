// Many at once: every registered model fitted and used by eight threads beside each other, in forked children, and in
// a child of a process whose threads work on. All give the bits that one gives alone. The thread sanitizer watches.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

#include "condens/core/random.hpp"
#include "condens/distributions/gaussian_mixture.hpp"
#include "condens/registry.hpp"
#include "support/registered_models.hpp"
#include "support/sanitized.hpp"

namespace condens::threads_test {
namespace {

using registered::Case;
using registered::sample_data;

constexpr int many = addresses_are_watched ? 3 : 8;  // of memory three show as much, in a third of the time

/// A model and what it says of rows that it has not seen, for equality to the bit.
struct Answers {
  Document model;
  Vector log_density;
  Matrix quantiles;
  Matrix draws;

  bool operator==(const Answers&) const = default;
};

Answers answers_of(const ConditionalDensity& model, int threads) {
  const Run run{.threads = threads, .observer = {}};
  const Dataset test = sample_data(40, 2, 1, 9);
  const GaussianMixtures laws = model.predict(test.x, run);
  return {save_density(model), model.log_density(test.x, test.y, run),
          laws.quantile(Eigen::Vector3d(0.05, 0.5, 0.95), run), laws.sample(3, 7, run)};
}

std::unique_ptr<ConditionalDensity> fit(const Case& c, int table, int threads) {
  return find_model(c.model).fit(sample_data(60, 2, 1, 1 + static_cast<std::uint64_t>(table)), c.preset,
                                 registered::quick_options(c), {.threads = threads, .observer = {}});
}

/// Whether a child, forked here, finds `work()` true. A child that hangs is ended by its alarm.
template <class Work>
bool holds_in_a_child(const Work& work) {
  std::fflush(nullptr);  // or the child may write it once more
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(120);
    bool holds = false;
    try {
      holds = work();
    } catch (...) {
    }
    ::_exit(holds ? 0 : 1);
  }
  int status = -1;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

class ManyAtOnce : public ::testing::TestWithParam<Case> {};

TEST_P(ManyAtOnce, GiveWhatOneGivesAlone) {
  const Case& c = GetParam();
  constexpr int tables = 2;
  std::vector<std::unique_ptr<ConditionalDensity>> shared;
  std::vector<Answers> alone;
  for (int i = 0; i < tables; ++i) {
    shared.push_back(fit(c, i, 1));
    alone.push_back(answers_of(*shared.back(), 1));
  }
  std::vector<std::atomic<bool>> fitted(many), used(many);
  {
    std::vector<std::jthread> pool;
    for (int i = 0; i < many; ++i) {
      pool.emplace_back([&, i, table = static_cast<std::size_t>(i % tables)] {
        const int threads = 1 + i % 3;
        fitted[static_cast<std::size_t>(i)] = answers_of(*fit(c, i % tables, threads), threads) == alone[table];
        used[static_cast<std::size_t>(i)] = answers_of(*shared[table], threads) == alone[table];
      });
    }
  }
  for (std::size_t i = 0; i < many; ++i) {
    EXPECT_TRUE(fitted[i]) << "a fit of its own, thread " << i;
    EXPECT_TRUE(used[i]) << "one model for all, thread " << i;
  }
  EXPECT_TRUE(holds_in_a_child([&] { return answers_of(*fit(c, 0, 2), 2) == alone[0]; })) << "a fit in a fork";
  EXPECT_TRUE(holds_in_a_child([&] { return answers_of(*shared[1], 2) == alone[1]; })) << "a model from before it";
}

INSTANTIATE_TEST_SUITE_P(EveryModel, ManyAtOnce, ::testing::ValuesIn(registered::all_cases()));

TEST(Forks, OfAProcessWhoseThreadsWorkOn) {
  if constexpr (sanitized)
    GTEST_SKIP() << "the sanitizer of threads starts none in such a child, and that of addresses leaves its allocator "
                    "there as another thread had locked it";
  const Case c{"lscde", "recommended"};
  const Answers alone = answers_of(*fit(c, 0, 1), 1);
  std::atomic<bool> stop{false};
  std::vector<std::jthread> busy;
  for (int i = 0; i < 3; ++i) {
    busy.emplace_back([&] {
      while (!stop) static_cast<void>(answers_of(*fit(c, 1, 2), 2));
    });
  }
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(holds_in_a_child([&] { return answers_of(*fit(c, 0, 2), 2) == alone; })) << i;
  }
  stop = true;
}

}  // namespace
}  // namespace condens::threads_test
