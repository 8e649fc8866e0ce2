#pragma once
// Work that is counted, not timed: what a computation cost is the same number on every machine and for any number of
// threads, so that a choice may follow from it and a seed still fix every bit.
//
// Inner loops tell count_work() how many operations they have done, in nanoseconds of one core. The rates below were
// measured once (benchmarks/counted_work_benchmark.cpp prints counted beside measured seconds); another machine is
// faster or slower by a factor, which moves budgets and nothing else. Counts are whole numbers: their sum has no order.

#include <atomic>
#include <cstdint>

#include "condens/core/types.hpp"

namespace condens {

/// Nanoseconds of one core for one operation.
namespace work {
inline constexpr double product = 0.06;         ///< multiplication and addition in a product of large matrices
inline constexpr double narrow_product = 0.25;  ///< the same where a matrix has few rows or columns
inline constexpr double exponential = 1.3;
inline constexpr double distance = 0.3;  ///< one coordinate of a squared distance
}  // namespace work

/// Adds to the meter of the computation that this thread works on; without one it does nothing. Costs some nanoseconds:
/// for a microsecond of work or more.
void count_work(double nanoseconds);

/// What is counted on this thread, and on the helpers that it starts, while the meter lives. What an inner meter has
/// counted belongs to the outer one, too, from when it ends.
class WorkMeter {
 public:
  WorkMeter();
  ~WorkMeter();
  WorkMeter(const WorkMeter&) = delete;
  WorkMeter& operator=(const WorkMeter&) = delete;

  double seconds() const;

 private:
  friend void count_work(double nanoseconds);
  friend class WorkOfHelper;

  std::atomic<std::uint64_t> nanoseconds_{0};
  WorkMeter* outer_;
};

/// What the thread `meter` was read on counts, a helper counts as well for as long as this lives.
class WorkOfHelper {
 public:
  explicit WorkOfHelper(WorkMeter* meter);
  ~WorkOfHelper();
  WorkOfHelper(const WorkOfHelper&) = delete;
  WorkOfHelper& operator=(const WorkOfHelper&) = delete;

  static WorkMeter* meter();  ///< of this thread; may be null

 private:
  WorkMeter* before_;
};

}  // namespace condens
