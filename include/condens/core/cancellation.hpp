#pragma once
// Whoever waits for a computation may end it, however deep in it the work is.
//
// A Task (parallel.hpp) with an observer is what its thread works on for as long as it lives;
// parallel_for hands it to its helpers. So a solver needs no parameter to be stopped:
// it calls check_cancelled() now and then, on whatever thread it runs.

namespace condens {

/// Throws Cancelled when the computation that this thread works on is to end. On the thread of the
/// observer it asks it, at most every 50 ms; on helpers it reads what the observer said. Costs what a
/// look at the clock does, some 30 ns: call it after every few microseconds of work, at the latest
/// after 50 ms. Without an observer it does nothing.
void check_cancelled();

/// While it lives, check_cancelled() does nothing on this thread and on the helpers that it starts:
/// for the short work that makes an answer of what a cancelled search has reached.
class Uninterrupted {
 public:
  Uninterrupted();
  ~Uninterrupted();
  Uninterrupted(const Uninterrupted&) = delete;
  Uninterrupted& operator=(const Uninterrupted&) = delete;
};

}  // namespace condens
