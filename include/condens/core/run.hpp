#pragma once
// How a computation runs, which must not change its result by one bit: the
// number of threads, and an observer that sees progress and may cancel.

#include <functional>
#include <string_view>

namespace condens {

/// Called on the calling thread, a few times a second at most. `fraction` is in
/// [0, 1]. Return false to cancel: the computation then throws Cancelled.
using Observer = std::function<bool(std::string_view task, double fraction)>;

struct Run {
  int threads = 0;  ///< 0: one per core that this process may use
  Observer observer;
};

}  // namespace condens
