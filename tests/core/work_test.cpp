// Work is counted the same for any number of threads, and belongs to the meters that live.

#include "core/work.hpp"

#include <gtest/gtest.h>

#include "condens/core/parallel.hpp"
#include "condens/estimators/auto.hpp"
#include "condens/registry.hpp"
#include "support/normals.hpp"

namespace condens::work_test {
namespace {

TEST(CountedWork, BelongsToTheMetersThatLive) {
  count_work(1e9);  // no meter: nothing happens
  const WorkMeter outer;
  count_work(1e9);
  {
    const WorkMeter inner;
    parallel_for(7, 3, [](Index block) { count_work(1e9 * static_cast<double>(block)); });
    EXPECT_DOUBLE_EQ(inner.seconds(), 21);
    EXPECT_DOUBLE_EQ(outer.seconds(), 1);  // until the inner one ends
  }
  EXPECT_DOUBLE_EQ(outer.seconds(), 22);
}

TEST(CountedWork, OfFitsIsTheSameForAnyNumberOfThreads) {
  const Matrix x = normals(2, 80, 1);
  const Dataset with_inputs{.x = x, .y = x.topRows(1) + normals(1, 80, 2)};
  const Dataset alone{.x = Matrix(0, 80), .y = x};
  for (const bool inputs : {true, false}) {
    for (const std::string& name : auto_models(inputs)) {
      std::vector<double> seconds;
      for (const int threads : {1, 2, 7}) {
        const WorkMeter meter;
        find_model(name).fit(inputs ? with_inputs : alone, "", Document(Document::Object{}),
                             {.threads = threads, .observer = {}});
        seconds.push_back(meter.seconds());
      }
      EXPECT_GT(seconds[0], 1e-5) << name;
      EXPECT_EQ(seconds[0], seconds[1]) << name;
      EXPECT_EQ(seconds[0], seconds[2]) << name;
    }
  }
}

}  // namespace
}  // namespace condens::work_test
