#include "condens/core/parallel.hpp"

#include <sched.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "condens/core/errors.hpp"
#include "core/work.hpp"

namespace condens {

namespace {

double seconds_now() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

/// What this thread works on; null: nothing that anyone watches.
thread_local Task* current = nullptr;
thread_local int uninterrupted = 0;

/// What an observer calls is no part of the work that it watches.
class Aside {
 public:
  ~Aside() {
    current = work_;
    uninterrupted = depth_;
  }

 private:
  Task* work_ = std::exchange(current, nullptr);
  int depth_ = std::exchange(uninterrupted, 0);
};

/// The blocks of one parallel_for, shared out over its threads.
class Blocks {
 public:
  Blocks(Index count, const std::function<void(Index)>& body, const std::function<void()>& poll)
      : count_(count), body_(body), poll_(poll) {}

  void run(Index helpers) {
    ask();  // the helpers may leave no block to the calling thread
    Task* const watched = uninterrupted > 0 ? nullptr : current;
    WorkMeter* const meter = WorkOfHelper::meter();
    running_ = helpers;
    {
      std::vector<std::jthread> pool;
      pool.reserve(static_cast<std::size_t>(helpers));
      for (Index i = 0; i < helpers; ++i) {
        pool.emplace_back([this, watched, meter] {
          current = watched;
          const WorkOfHelper counted(meter);
          guard([this] { work([] { check_cancelled(); }); });
          leave();
        });
      }
      guard([this] { work([this] { ask(); }); });
      while (!wait()) guard([this] { ask(); });
    }
    if (failure_) std::rethrow_exception(failure_);
  }

  /// On the calling thread alone.
  void run() {
    ask();
    work([this] { ask(); });
  }

 private:
  /// Blocks as long as there are any, with a look after each whether to go on.
  template <class Ask>
  void work(const Ask& go_on) {
    for (Index block = next_++; block < count_; block = next_++) {
      body_(block);
      go_on();
    }
  }

  void ask() {
    if (poll_) poll_();
    check_cancelled();
  }

  /// The first exception ends the work of all.
  template <class Work>
  void guard(const Work& own) {
    try {
      own();
    } catch (...) {
      const std::scoped_lock lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      next_ = count_;
    }
  }

  void leave() {
    const std::scoped_lock lock(mutex_);
    if (--running_ == 0) all_left_.notify_one();
  }

  /// True when the helpers have left, false after a while.
  bool wait() {
    std::unique_lock lock(mutex_);
    return all_left_.wait_for(lock, std::chrono::milliseconds(20), [this] { return running_ == 0; });
  }

  const Index count_;
  const std::function<void(Index)>& body_;
  const std::function<void()>& poll_;
  std::atomic<Index> next_{0};
  std::mutex mutex_;
  std::condition_variable all_left_;
  Index running_ = 0;
  std::exception_ptr failure_;
};

}  // namespace

int resolve_threads(int requested) {
  require(requested >= 0, "Run: threads = ", requested, ", expected 0 (all cores) or more");
  if (requested > 0) return requested;
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1U, std::thread::hardware_concurrency());
}

Task::Task(const Run& run, std::string name, double total_work)
    : observer_(run.observer),
      name_(std::move(name)),
      total_(total_work),
      threads_(resolve_threads(run.threads)),
      watched_(run.observer) {
  if (!watched_) return;
  outer_ = current;
  current = this;
}

Task::~Task() {
  if (watched_) current = outer_;
}

void Task::advance(double work) { done_.fetch_add(work, std::memory_order_relaxed); }

void Task::poll() {
  if (cancelled_.load(std::memory_order_relaxed)) throw Cancelled();
  if (!watched_ || std::this_thread::get_id() != owner_) return;
  const double now = seconds_now();
  if (now - last_call_ < 0.05) return;
  last_call_ = now;
  const double fraction = total_ > 0 ? std::min(1.0, done_.load(std::memory_order_relaxed) / total_) : 1.0;
  const Aside aside;
  if (observer_(name_, fraction)) return;
  cancelled_ = true;
  throw Cancelled();
}

void check_cancelled() {
  if (current == nullptr || uninterrupted > 0) return;
  current->poll();
  // The observers of inner tasks ask those of the outer ones; what was said already is heard at once.
  for (const Task* task = current->outer_; task != nullptr; task = task->outer_) {
    if (task->cancelled_.load(std::memory_order_relaxed)) throw Cancelled();
  }
}

Uninterrupted::Uninterrupted() { ++uninterrupted; }

Uninterrupted::~Uninterrupted() { --uninterrupted; }

void parallel_for(Index blocks, int threads, const std::function<void(Index)>& body,
                  const std::function<void()>& poll) {
  Blocks work(blocks, body, poll);
  const Index helpers = std::min<Index>(threads, blocks) - 1;
  if (helpers > 0) {
    work.run(helpers);
  } else {
    work.run();
  }
}

}  // namespace condens
