#pragma once
// Fixed blocks over threads. The blocks, not the threads, define the
// arithmetic, so results are the same bits for any number of threads.
//
// Threads live for one call: starting them costs some ten microseconds, and in
// return the library holds no pool, is safe after fork() and needs no runtime.

#include <atomic>
#include <functional>
#include <string>
#include <thread>

#include "condens/core/cancellation.hpp"
#include "condens/core/run.hpp"
#include "condens/core/types.hpp"

namespace condens {

/// Progress of one named computation, measured in units of work of its own choice. With an
/// observer it is, as long as it lives, what check_cancelled() asks on the thread that made it and
/// on all helpers. Tasks of one thread end in the reverse order of their making.
class Task {
 public:
  Task(const Run& run, std::string name, double total_work);
  ~Task();
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  /// Counts finished work. Any thread.
  void advance(double work);

  /// Tells the observer, at most every 50 ms, on the thread that made the task. Throws Cancelled
  /// when the observer says so or has said so; the latter on any thread.
  void poll();

  int threads() const { return threads_; }  ///< resolved: at least 1

 private:
  friend void check_cancelled();

  const Observer observer_;
  std::string name_;
  double total_;
  int threads_;
  std::thread::id owner_ = std::this_thread::get_id();
  std::atomic<double> done_{0.0};
  double last_call_ = 0.0;
  bool watched_;           // there is an observer
  Task* outer_ = nullptr;  // what the thread worked on before
  std::atomic<bool> cancelled_{false};
};

/// The number of threads that `requested` means here (0: all available cores).
int resolve_threads(int requested);

/// Calls body(0), ..., body(blocks - 1), each once, on up to `threads` threads
/// (the calling thread is one of them). All threads call check_cancelled() after each block; the calling
/// thread asks before the first one, too, and goes on asking while it waits for the others, and calls
/// `poll` wherever it asks.
/// The first exception stops the remaining blocks and is rethrown.
void parallel_for(Index blocks, int threads, const std::function<void(Index)>& body,
                  const std::function<void()>& poll = {});

/// The half-open range of block `block` when n items are cut into pieces of `size`.
struct Range {
  Index begin;
  Index end;
  Index size() const { return end - begin; }
};
inline Index block_count(Index n, Index size) { return (n + size - 1) / size; }
inline Range block_range(Index n, Index size, Index block) {
  const Index begin = block * size;
  return {begin, begin + size < n ? begin + size : n};
}

}  // namespace condens
