#pragma once
// Timing, peak memory, and the machine's own limits, measured in the same run as
// what they limit.

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>

#include "condens/core/parallel.hpp"
#include "condens/core/types.hpp"
#include "core/freed_memory.hpp"
#include "linalg/vector_math.hpp"

namespace condens::benchmarks {

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The shortest of `repeats` runs, in seconds: the one least disturbed by other processes.
template <class Work>
double best_seconds(int repeats, const Work& work) {
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < repeats; ++i) {
    const double begin = now();
    work();
    best = std::min(best, now() - begin);
  }
  return best;
}

/// The most memory this process has held, in MiB.
inline double peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

/// What this machine can do with `threads` threads.
struct Limits {
  double gemm;     ///< multiplications and additions per second of a matrix product of order 1,024
  double exp;      ///< exponentials per second of our kernel, data in the first-level cache
  double std_exp;  ///< the same by std::exp
};

inline Limits measure_limits(int threads) {
  Limits limits{};
  const Index order = 1024;
  const Index repeats = 4;
  double seconds = best_seconds(3, [&] {
    parallel_for(threads, threads, [&](Index) {
      const Matrix a = Matrix::Constant(order, order, 1.0);
      Matrix c = Matrix::Zero(order, order);
      for (Index i = 0; i < repeats; ++i) c.noalias() += a * a;
    });
  });
  limits.gemm = 2.0 * std::pow(static_cast<double>(order), 3) * static_cast<double>(repeats * threads) / seconds;

  const Index length = 2048;
  const Index rounds = 4000;
  const auto exps = [&](bool ours) {
    return best_seconds(3, [&] {
      parallel_for(threads, threads, [&](Index) {
        Vector x = Vector::LinSpaced(length, -20.0, 0.0);
        for (Index i = 0; i < rounds; ++i) {
          if (ours) {
            exp_in_place(x.data(), length);
          } else {
            for (Index k = 0; k < length; ++k) x[k] = std::exp(x[k]);
          }
          x.array() -= 1.0;  // stays in range: exp of [-21, 0]
        }
      });
    });
  };
  const double count = static_cast<double>(length * rounds * threads);
  limits.exp = count / exps(true);
  limits.std_exp = count / exps(false);
  return limits;
}

inline Limits print_limits(int threads) {
  const Limits limits = measure_limits(threads);
  std::printf("this machine, %d thread(s): GEMM %.1f GFlop/s, exp %.2f ns (std::exp %.2f ns)\n", threads,
              limits.gemm / 1e9, 1e9 * threads / limits.exp, 1e9 * threads / limits.std_exp);
  return limits;
}

}  // namespace condens::benchmarks
