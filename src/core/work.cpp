#include "core/work.hpp"

#include <cmath>
#include <utility>

namespace condens {

namespace {

thread_local WorkMeter* counting = nullptr;

}  // namespace

void count_work(double nanoseconds) {
  if (counting == nullptr) return;
  counting->nanoseconds_.fetch_add(static_cast<std::uint64_t>(std::llround(nanoseconds)), std::memory_order_relaxed);
}

WorkMeter::WorkMeter() : outer_(std::exchange(counting, this)) {}

WorkMeter::~WorkMeter() {
  counting = outer_;
  if (outer_ != nullptr) outer_->nanoseconds_.fetch_add(nanoseconds_.load(), std::memory_order_relaxed);
}

double WorkMeter::seconds() const { return 1e-9 * static_cast<double>(nanoseconds_.load()); }

WorkOfHelper::WorkOfHelper(WorkMeter* meter) : before_(std::exchange(counting, meter)) {}

WorkOfHelper::~WorkOfHelper() { counting = before_; }

WorkMeter* WorkOfHelper::meter() { return counting; }

}  // namespace condens
