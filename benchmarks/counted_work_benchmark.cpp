// Work as it is counted (core/work.hpp) beside the time that it takes: fits of the models that auto chooses from, on
// one thread, by rows and inputs. The last column is what budgets are wrong by on this machine.

#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include "condens/estimators/auto.hpp"
#include "condens/registry.hpp"
#include "core/work.hpp"
#include "simulated.hpp"

/// Of this process, so that others do not count.
static double core_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

int main(int argc, char** argv) {
  using namespace condens;
  const std::string only = argc > 1 ? argv[1] : "";
  std::printf("| model | rows | inputs | counted s | measured s | measured / counted |\n|---|---|---|---|---|---|\n");
  for (const Index d : {2, 10}) {
    for (const Index n : {500, 2000, 8000}) {
      const Dataset data = benchmarks::two_branches(n, d, 1);
      for (const std::string& name : auto_models(true)) {
        if (!only.empty() && only != name) continue;
        double counted = 0;
        const double begin = core_seconds();
        {
          const WorkMeter meter;
          find_model(name).fit(data, "", Document(Document::Object{}), {.threads = 1, .observer = {}});
          counted = meter.seconds();
        }
        const double seconds = core_seconds() - begin;
        std::printf("| `%s` | %ld | %ld | %.3f | %.3f | %.2f |\n", name.c_str(), static_cast<long>(n),
                    static_cast<long>(d), counted, seconds, seconds / counted);
        std::fflush(stdout);
      }
    }
  }
}
