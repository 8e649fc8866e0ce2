#pragma once
// Work that Ctrl-C ends, and that shows how far it is.

#include <R_ext/Print.h>
#include <R_ext/Utils.h>

#include <cmath>
#include <cpp11/protect.hpp>
#include <string>

#include "condens/core/run.hpp"

namespace condens::r {

inline void look_for_interrupt(void*) { R_CheckUserInterrupt(); }

/// Whether the user has pressed Ctrl-C. R would jump out of here; it is kept from that.
inline bool is_interrupted() { return R_ToplevelExec(look_for_interrupt, nullptr) == FALSE; }

/// work(run), with a line that tells the progress where that is asked for. Throws Cancelled after Ctrl-C.
template <class Work>
auto running(int threads, bool progress, const Work& work) {
  std::size_t width = 0;
  const auto observe = [&](std::string_view task, double fraction) {
    if (progress) {
      std::string line(task);
      line += " " + std::to_string(static_cast<int>(std::floor(100.0 * fraction))) + " %";
      REprintf("\r%s%s", line.c_str(), std::string(width > line.size() ? width - line.size() : 0, ' ').c_str());
      width = line.size();
    }
    return !is_interrupted();
  };
  const auto clear = [&] {
    if (width > 0) REprintf("\r%s\r", std::string(width, ' ').c_str());
  };
  try {
    auto out = work(Run{.threads = threads, .observer = observe});
    clear();
    return out;
  } catch (...) {
    clear();
    throw;
  }
}

}  // namespace condens::r
