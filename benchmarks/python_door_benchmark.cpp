// The C++ side of python_door.py: seconds that `predict` takes for the laws at ROWS rows of
// standard normal inputs, best of five, for one thread and for all.
//
// usage: python_door_benchmark MODEL ROWS

#include <cstdlib>

#include "condens/core/random.hpp"
#include "condens/io/model_file.hpp"
#include "measure.hpp"

using namespace condens;
using namespace condens::benchmarks;

int main(int count, char** arguments) {
  if (count != 3) return 2;
  keep_freed_memory();
  const Model model = load_model_file(arguments[1]);
  Matrix x(model.density->n_inputs(), std::atoll(arguments[2]));
  RandomStream random(1);
  for (double& value : x.reshaped()) value = random.normal();
  for (const int threads : {1, resolve_threads(0)}) {
    Index components = 0;
    const double seconds = best_seconds(
        5, [&] { components = model.density->predict(x, {.threads = threads, .observer = {}}).n_components(); });
    std::printf("%d %.6f %lld\n", threads, seconds, static_cast<long long>(components));
  }
}
