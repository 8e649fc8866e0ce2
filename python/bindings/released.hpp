#pragma once
// Work without the interpreter lock, that Ctrl-C and the caller's callback can stop.

#include <nanobind/nanobind.h>

#include <optional>
#include <utility>

#include "condens/core/errors.hpp"
#include "condens/core/run.hpp"

namespace condens::python {

namespace nb = nanobind;

/// work(run) with the lock released. `callback` is None or callback(task, fraction), called
/// on this thread; False from it, or a signal whose handler raises, ends the work: with
/// Cancelled, or the exception that Python raised.
template <class Work>
auto released(int threads, const nb::object& callback, const Work& work) {
  std::optional<nb::python_error> raised;
  const auto observe = [&](std::string_view task, double fraction) {
    const nb::gil_scoped_acquire lock;
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      return callback.is_none() || !callback(nb::str(task.data(), task.size()), fraction).is(nb::bool_(false));
    } catch (nb::python_error& error) {
      raised.emplace(std::move(error));
      return false;
    }
  };
  const auto work_unlocked = [&] {
    const nb::gil_scoped_release unlock;
    return work(Run{.threads = threads, .observer = observe});
  };
  try {
    auto result = work_unlocked();
    if (raised) throw std::move(*raised);
    return result;
  } catch (const Cancelled&) {
    if (raised) throw std::move(*raised);
    throw;
  }
}

}  // namespace condens::python
