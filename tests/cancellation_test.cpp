// Whoever waits for a fit or a score can end it: what is measured is the longest time between two calls of the
// observer, from the start of the call to its end. A new model is held to it by being registered.

#include <gtest/gtest.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "condens/core/random.hpp"
#include "condens/distributions/gaussian_mixture.hpp"
#include "condens/io/csv.hpp"
#include "condens/io/document_format.hpp"
#include "condens/registry.hpp"
#include "support/normals.hpp"
#include "support/registered_models.hpp"
#include "support/sanitized.hpp"

namespace condens::cancellation_test {
namespace {

constexpr double slowness = sanitized ? 10 : 1;

// The promise is 0.2 s. Processors that are shared, and the last level of cache with them, take twice as long now
// and then; what nobody can interrupt takes seconds at this size.
constexpr double longest_gap = 0.5 * slowness;
constexpr double patience = 0.15;  // seconds of work, then the observer says no

/// Of all threads of this process: another process that takes the processor away does not count.
double processor_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::ptrdiff_t threads_alive() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), std::filesystem::directory_iterator());
}

/// The system lists a thread that has been joined for a moment longer.
bool threads_come_down_to(std::ptrdiff_t count) {
  for (int tries = 0; tries < 500 && threads_alive() > count; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return threads_alive() <= count;
}

struct Watched {
  bool cancelled = false;
  int calls = 0;
  double longest = 0;  // between two calls, in processor seconds
};

/// Ends `work(run)` after some seconds of work, or with the first call.
template <class Work>
Watched watch(int threads, double seconds, const Work& work) {
  Watched out;
  const double start = processor_seconds();
  double last = start;
  const auto look = [&] {
    const double now = processor_seconds();
    out.longest = std::max(out.longest, now - last);
    last = now;
    return now - start < seconds * threads;
  };
  const Observer observer = [&](std::string_view, double) {
    ++out.calls;
    return look() && seconds > 0;
  };
  try {
    work(Run{.threads = threads, .observer = observer});
  } catch (const Cancelled&) {
    out.cancelled = true;
  }
  look();
  return out;
}

Dataset wide_data(Index n, Index d_x) {
  RandomStream random(1);
  const Matrix x = normals(d_x, n, 2);
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) {
    y(0, i) = (random.uniform() < 0.5 ? -1.0 : 1.0) + 0.5 * x(0, i) + 0.3 * std::exp(0.3 * x(0, i)) * random.normal();
  }
  return {.x = x, .y = y};
}

class Cancellation : public ::testing::TestWithParam<registered::Case> {
 protected:
  static Watched watch_fit(Index n, int threads, double seconds) {
    const Dataset data = wide_data(n, 8);
    return watch(threads, seconds, [&](const condens::Run& run) {
      static_cast<void>(find_model(GetParam().model).fit(data, GetParam().preset, {}, run));
    });
  }
};

TEST_P(Cancellation, OfAFitIsAnswered) {
  const std::ptrdiff_t before = threads_alive();
  for (const int threads : {1, 2}) {
    Watched found;
    // Rows enough to work for longer than anyone has patience; a quick model needs more of them.
    for (Index n = 3000; n <= 200'000 && !found.cancelled; n *= 4) found = watch_fit(n, threads, patience);
    EXPECT_GT(found.calls, 0) << threads;
    EXPECT_LT(found.longest, threads * longest_gap) << threads;
    EXPECT_TRUE(threads_come_down_to(before));
  }
}

TEST_P(Cancellation, OfAFitThatHasJustBegunIsAnswered) {
  const Watched found = watch_fit(3000, 2, 0.0);
  EXPECT_TRUE(found.cancelled);
  EXPECT_EQ(found.calls, 1) << "who has said no is not asked again";
  EXPECT_LT(found.longest, 2 * longest_gap);
}

INSTANTIATE_TEST_SUITE_P(EveryModel, Cancellation, ::testing::ValuesIn(registered::all_cases()));

/// Laws of many components with means and scales of their own: no law can use what another has summed up.
GaussianMixtures many_components(Index laws, Index m) {
  const Matrix scales = 0.1 + 0.1 * normals(1, m * laws, 2).array().square();
  return GaussianMixtures::separate(normals(1, m * laws, 1), scales, Matrix::Zero(m, laws));
}

TEST(CancellationOfLaws, OfAScoreIsAnswered) {
  const GaussianMixtures laws = many_components(40, 8000);
  const Vector y = Vector::Zero(40);
  for (const int threads : {1, 2}) {
    const Watched crps =
        watch(threads, patience, [&](const condens::Run& run) { static_cast<void>(laws.crps(y, run)); });
    EXPECT_TRUE(crps.cancelled);
    EXPECT_LT(crps.longest, threads * longest_gap) << threads;
    const Watched loss = watch(
        threads, patience, [&](const condens::Run& run) { static_cast<void>(laws.squared_loss(y.transpose(), run)); });
    EXPECT_TRUE(loss.cancelled);
    EXPECT_LT(loss.longest, threads * longest_gap) << threads;
  }
}

TEST(CancellationOfCalibratedPredictions, IsAnswered) {
  const Dataset data = wide_data(400, 1);
  const TargetModel model = fit_target(find_model("parzen"), {.pit_share = 0.25}, data, "", {},
                                       [](Index row) { return std::to_string(row); }, {});
  const Observer observer = [](std::string_view task, double) { return task != "calibrating"; };
  for (const int threads : {1, 2}) {
    EXPECT_THROW(static_cast<void>(model.density->predict(data.x, {.threads = threads, .observer = observer})),
                 Cancelled);
  }
}

TEST(CancellationOfFiles, IsAnswered) {
  const Document document(Document::Object{{"numbers", Matrix(Matrix::Random(200, 100))}});
  const std::string json = document_to_json(document);
  std::string csv = "x,y\n";
  for (int i = 0; i < 5000; ++i) csv += "1,2\n";
  const condens::Run run{.threads = 1, .observer = [](std::string_view, double) { return false; }};
  const Task task(run, "files", 1);
  EXPECT_THROW(document_to_json(document), Cancelled);
  EXPECT_THROW(document_from_json(json), Cancelled);
  EXPECT_THROW(parse_csv(csv, "text"), Cancelled);
}

}  // namespace
}  // namespace condens::cancellation_test
