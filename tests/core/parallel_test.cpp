#include "condens/core/parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "condens/core/errors.hpp"

namespace condens::parallel_test {
namespace {

/// What the observer saw, as (task, fraction).
using Sightings = std::vector<std::pair<std::string, double>>;

Observer record(Sightings& seen, bool go_on = true) {
  return [&seen, go_on](std::string_view task, double fraction) {
    seen.emplace_back(task, fraction);
    return go_on;
  };
}

void wait_for_the_next_report() { std::this_thread::sleep_for(std::chrono::milliseconds(60)); }

TEST(ParallelFor, VisitsEachBlockOnce) {
  for (const int threads : {1, 2, 7, 40}) {
    for (const Index blocks : {0, 1, 2, 7, 33}) {
      std::vector<std::atomic<int>> visits(static_cast<std::size_t>(blocks));
      parallel_for(blocks, threads, [&](Index block) { ++visits.at(static_cast<std::size_t>(block)); });
      for (const auto& visit : visits) EXPECT_EQ(visit, 1) << threads << " threads, " << blocks << " blocks";
    }
  }
}

TEST(ParallelFor, RunsBlocksAtTheSameTime) {
  // Each of two blocks waits for the other one to begin: with one thread only, that would never happen.
  std::atomic<int> begun{0};
  std::atomic<int> met{0};
  parallel_for(2, 2, [&](Index) {
    ++begun;
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (begun < 2 && std::chrono::steady_clock::now() < give_up) std::this_thread::yield();
    if (begun == 2) ++met;
  });
  EXPECT_EQ(met, 2);
}

TEST(ParallelFor, RethrowsTheExceptionAndStartsNoFurtherBlock) {
  constexpr Index blocks = 1'000'000;
  for (const int threads : {1, 2, 7}) {
    std::atomic<Index> finished{0};
    std::string caught;
    try {
      parallel_for(blocks, threads, [&](Index block) {
        if (block == 3) throw NumericalError("block three");
        // The others wait until block 3 has surely been taken, so that the count below is not a matter of luck.
        if (block > 3) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        ++finished;
      });
    } catch (const NumericalError& error) {
      caught = error.what();
    }
    EXPECT_EQ(caught, "block three") << threads;
    EXPECT_LT(finished, blocks / 10) << threads;
  }
}

TEST(ParallelFor, OneOfManyExceptionsArrives) {
  EXPECT_THROW(parallel_for(50, 7, [](Index) { throw std::out_of_range("each"); }), std::out_of_range);
}

TEST(ParallelFor, PollsOnTheCallingThreadOnly) {
  const auto caller = std::this_thread::get_id();
  for (const int threads : {1, 2, 7}) {
    std::atomic<int> elsewhere{0};
    std::atomic<int> own_blocks{0};
    std::atomic<int> polls{0};
    parallel_for(
        200, threads,
        [&](Index) {
          std::this_thread::sleep_for(std::chrono::microseconds(50));
          if (std::this_thread::get_id() == caller) ++own_blocks;
        },
        [&] {
          ++polls;
          if (std::this_thread::get_id() != caller) ++elsewhere;
        });
    EXPECT_EQ(elsewhere, 0);
    EXPECT_GE(polls, own_blocks + 1) << "at the start, after each block of the calling thread, and while it waits";
  }
}

TEST(ParallelFor, PollsBeforeTheFirstBlock) {
  for (const int threads : {1, 2, 7}) {
    std::atomic<bool> ran = false;
    EXPECT_THROW(parallel_for(
                     100, threads, [&](Index) { ran = true; }, [] { throw Cancelled(); }),
                 Cancelled);
    EXPECT_FALSE(ran);
  }
}

TEST(ParallelFor, AnExceptionOfPollStopsTheBlocks) {
  std::atomic<Index> finished{0};
  EXPECT_THROW(parallel_for(
                   1'000'000, 2,
                   [&](Index) {
                     std::this_thread::sleep_for(std::chrono::milliseconds(1));
                     ++finished;
                   },
                   [] { throw Cancelled(); }),
               Cancelled);
  EXPECT_LT(finished, 100'000);
}

/// Works until it is told to end, or gives up.
void work_on() {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (std::chrono::steady_clock::now() < give_up) check_cancelled();
}

TEST(ParallelFor, AsksWhileTheHelpersWork) {
  const auto caller = std::this_thread::get_id();
  int asked = 0;
  const Observer observer = [&](std::string_view, double) { return ++asked < 4; };
  const condens::Run run{.threads = 2, .observer = observer};
  const Task task(run, "fit", 1.0);
  std::atomic<bool> at_work{false};
  // The calling thread has nothing to do but to wait, and only the helper looks whether to go on.
  const auto body = [&](Index) {
    if (std::this_thread::get_id() != caller) {
      at_work = true;
      return work_on();
    }
    while (!at_work) std::this_thread::yield();
  };
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THROW(parallel_for(2, 2, body), Cancelled);
  EXPECT_EQ(asked, 4);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(25));
}

TEST(CheckCancelled, IsHeardAtAnyDepth) {
  for (const int threads : {1, 2, 7}) {
    int asked = 0;
    const Observer observer = [&](std::string_view, double) { return ++asked < 3; };
    const condens::Run run{.threads = threads, .observer = observer};
    const Task task(run, "fit", 1.0);
    std::atomic<int> heard{0};
    const auto inner = [&](Index) {
      try {
        work_on();
      } catch (const Cancelled&) {
        ++heard;
        throw;
      }
    };
    EXPECT_THROW(parallel_for(2, threads, [&](Index) { parallel_for(2, threads, inner); }), Cancelled);
    EXPECT_EQ(asked, 3);
    EXPECT_GE(heard, 1);
  }
}

TEST(CheckCancelled, DoesNothingWhereNobodyWaits) {
  EXPECT_NO_THROW(check_cancelled());
  const condens::Run nobody;
  const Task task(nobody, "fit", 1.0);
  EXPECT_NO_THROW(check_cancelled());
}

TEST(CheckCancelled, AsksTheInnermostAndHearsAll) {
  Sightings outer;
  Sightings inner;
  const condens::Run outside{.observer = record(outer, false)};
  const condens::Run inside{.observer = record(inner)};
  Task all(outside, "all", 1.0);
  {
    const Task part(inside, "part", 1.0);
    EXPECT_NO_THROW(check_cancelled());
    EXPECT_EQ(inner.size(), 1U);
    EXPECT_TRUE(outer.empty());
    EXPECT_THROW(all.poll(), Cancelled);
    EXPECT_THROW(check_cancelled(), Cancelled);
  }
  EXPECT_THROW(check_cancelled(), Cancelled) << "once said, it stays";
  EXPECT_EQ(outer.size(), 1U);
}

TEST(CheckCancelled, WhatAnObserverCallsIsItsOwnWork) {
  int asked = 0;
  const Observer observer = [&](std::string_view, double) {
    ++asked;
    wait_for_the_next_report();
    check_cancelled();  // else this would ask again, for ever
    const condens::Run run{.threads = 1, .observer = [](std::string_view, double) { return false; }};
    const Task own(run, "of the observer", 1.0);
    EXPECT_THROW(check_cancelled(), Cancelled);
    return true;
  };
  const condens::Run run{.threads = 1, .observer = observer};
  const Task task(run, "fit", 1.0);
  EXPECT_NO_THROW(check_cancelled());
  EXPECT_EQ(asked, 1);
}

TEST(CheckCancelled, ThatIsUninterruptedDoesNothing) {
  Sightings seen;
  const condens::Run run{.threads = 2, .observer = record(seen, false)};
  const Task task(run, "fit", 1.0);
  {
    const Uninterrupted guard;
    EXPECT_NO_THROW(check_cancelled());
    EXPECT_NO_THROW(parallel_for(10, 2, [](Index) { check_cancelled(); }));
    EXPECT_TRUE(seen.empty());
  }
  EXPECT_THROW(check_cancelled(), Cancelled);
}

TEST(BlockRange, CutsAllItemsIntoPieces) {
  for (Index n = 0; n < 40; ++n) {
    for (Index size = 1; size < 12; ++size) {
      Index next = 0;
      for (Index block = 0; block < block_count(n, size); ++block) {
        const Range range = block_range(n, size, block);
        EXPECT_EQ(range.begin, next);
        EXPECT_GT(range.size(), 0);
        EXPECT_LE(range.size(), size);
        next = range.end;
      }
      EXPECT_EQ(next, n);
    }
  }
}

TEST(ResolveThreads, GivesAtLeastOneAndWhatWasAskedFor) {
  EXPECT_GE(resolve_threads(0), 1);
  for (const int asked : {1, 2, 7, 1000}) EXPECT_EQ(resolve_threads(asked), asked);
}

TEST(ResolveThreads, RefusesANegativeNumber) {
  std::string complaint;
  try {
    resolve_threads(-2);
  } catch (const std::invalid_argument& error) {
    complaint = error.what();
  }
  EXPECT_EQ(complaint, "Run: threads = -2, expected 0 (all cores) or more");
  EXPECT_THROW(Task(condens::Run{.threads = -1, .observer = {}}, "fit", 1.0), std::invalid_argument);
}

TEST(Task, TellsTheFractionOfTheWork) {
  Sightings seen;
  const condens::Run run{.threads = 3, .observer = record(seen)};
  Task task(run, "fit", 8.0);
  EXPECT_EQ(task.threads(), 3);
  task.advance(2.0);
  task.poll();
  task.advance(1.0);
  task.advance(3.0);
  wait_for_the_next_report();
  task.poll();
  task.advance(100.0);  // more than was announced
  wait_for_the_next_report();
  task.poll();
  EXPECT_EQ(seen, (Sightings{{"fit", 0.25}, {"fit", 0.75}, {"fit", 1.0}}));
}

TEST(Task, WithoutWorkIsDone) {
  Sightings seen;
  const condens::Run run{.observer = record(seen)};
  Task(run, "nothing", 0.0).poll();
  EXPECT_EQ(seen, (Sightings{{"nothing", 1.0}}));
}

TEST(Task, ReportsAreRare) {
  Sightings seen;
  const condens::Run run{.observer = record(seen)};
  Task task(run, "fit", 1.0);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 10000; ++i) task.poll();
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  EXPECT_GE(seen.size(), 1U);
  EXPECT_LE(static_cast<double>(seen.size()), 1.0 + taken.count() / 0.05);
}

TEST(Task, CountsWorkFromAllThreads) {
  Sightings seen;
  const condens::Run run{.observer = record(seen)};
  Task task(run, "fit", 4000.0);
  parallel_for(1000, 7, [&](Index) { task.advance(2.0); });
  wait_for_the_next_report();
  task.poll();
  ASSERT_FALSE(seen.empty());
  EXPECT_EQ(seen.back(), (std::pair<std::string, double>("fit", 0.5)));
}

TEST(Task, CancelsWhenTheObserverSaysSo) {
  Sightings seen;
  const condens::Run run{.observer = record(seen, false)};
  Task task(run, "fit", 1.0);
  EXPECT_THROW(task.poll(), Cancelled);
  EXPECT_STREQ(Cancelled().what(), "cancelled by the caller");
}

TEST(Task, NeedsNoObserver) {
  const condens::Run run;
  Task task(run, "fit", 1.0);
  task.advance(1.0);
  EXPECT_NO_THROW(task.poll());
  EXPECT_GE(task.threads(), 1);
}

}  // namespace
}  // namespace condens::parallel_test
