// Ten trainings of one mixture density network by L-BFGS, for mdn_rivals.py, which writes the file and does the same
// in NumPy and SciPy.
//
// usage: mdn_benchmark FILE
// FILE: rows, inputs, hidden units, components, starts, steps, decay, floor; x row by row; y; the starts' parameters.
// Prints the loss and the norm of its gradient at the first start; for 1 thread and for all the seconds; then of every
// start the last loss and the evaluations.

#include <fstream>

#include "condens/estimators/mixture_density_network/network.hpp"
#include "measure.hpp"
#include "optim/owlqn.hpp"

using namespace condens;
using namespace condens::benchmarks;

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: mdn_benchmark FILE\n");
    return 2;
  }
  std::ifstream file(argv[1]);
  Index n = 0;
  Index starts = 0;
  Index steps = 0;
  double decay = 0;
  mdn::Shape shape{.skip = true};
  file >> n >> shape.n_inputs >> shape.hidden >> shape.n_components >> starts >> steps >> decay >> shape.scale_floor;
  Matrix x(shape.n_inputs, n);
  Matrix y(1, n);
  Matrix from(shape.n_parameters(), starts);
  for (Matrix* const part : {&x, &y, &from}) {
    for (double& value : part->reshaped()) file >> value;
  }
  if (!file) {
    std::fprintf(stderr, "mdn_benchmark: %s does not hold what its first line says\n", argv[1]);
    return 1;
  }
  keep_freed_memory();

  Vector gradient;
  mdn::NetworkLoss first(shape, x, y, Vector::Ones(n), decay);
  const double value = first(from.col(0), gradient, 1);
  std::printf("%.17g %.17g\n", value, gradient.norm());

  std::vector<LbfgsResult> found(static_cast<std::size_t>(starts));
  const LbfgsSettings settings{.max_iterations = steps, .gradient_tolerance = 0, .value_tolerance = 0};
  for (const int threads : {1, resolve_threads(0)}) {
    const double seconds = best_seconds(3, [&] {
      parallel_for(starts, threads, [&](Index s) {
        mdn::NetworkLoss loss(shape, x, y, Vector::Ones(n), decay);
        const auto objective = [&](const Vector& at, Vector& slope) { return loss(at, slope, 1); };
        found[static_cast<std::size_t>(s)] = minimize_l1(objective, from.col(s), Vector::Zero(from.rows()), settings);
      });
    });
    std::printf("%d %.6f\n", threads, seconds);
  }
  for (const LbfgsResult& one : found) std::printf("%.17g %td\n", one.value, one.evaluations);
}
