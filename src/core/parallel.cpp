#include "condens/core/parallel.hpp"

#include <sched.h>

#include <chrono>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "condens/core/errors.hpp"

namespace condens {

namespace {

double seconds_now() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

}  // namespace

int resolve_threads(int requested) {
  require(requested >= 0, "Run: threads = ", requested, ", expected 0 (all cores) or more");
  if (requested > 0) return requested;
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1U, std::thread::hardware_concurrency());
}

Task::Task(const Run& run, std::string name, double total_work)
    : run_(run), name_(std::move(name)), total_(total_work), threads_(resolve_threads(run.threads)) {}

void Task::advance(double work) { done_.fetch_add(work, std::memory_order_relaxed); }

void Task::poll() {
  if (!run_.observer || std::this_thread::get_id() != owner_) return;
  const double now = seconds_now();
  if (now - last_call_ < 0.05) return;
  last_call_ = now;
  const double fraction = total_ > 0 ? std::min(1.0, done_.load(std::memory_order_relaxed) / total_) : 1.0;
  if (!run_.observer(name_, fraction)) throw Cancelled();
}

void parallel_for(Index blocks, int threads, const std::function<void(Index)>& body,
                  const std::function<void()>& poll) {
  if (poll) poll();  // the helpers may leave no block to the calling thread
  const Index helpers = std::min<Index>(threads, blocks) - 1;
  if (helpers <= 0) {
    for (Index block = 0; block < blocks; ++block) {
      body(block);
      if (poll) poll();
    }
    return;
  }
  std::atomic<Index> next{0};
  std::exception_ptr failure;
  std::mutex failure_mutex;

  const auto work = [&](bool polling) {
    try {
      for (Index block = next++; block < blocks; block = next++) {
        body(block);
        if (polling && poll) poll();
      }
    } catch (...) {
      const std::scoped_lock lock(failure_mutex);
      if (!failure) failure = std::current_exception();
      next = blocks;
    }
  };

  {
    std::vector<std::jthread> pool;
    pool.reserve(static_cast<std::size_t>(helpers));
    for (Index i = 0; i < helpers; ++i) pool.emplace_back(work, false);
    work(true);
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace condens
