// What share of the machine's matrix products the training of a mixture density network reaches, for one thread: the
// loss and its gradient on a batch of 128 rows, of float as for Adam and of double as for L-BFGS; and a whole fit by
// Adam, with its batches, its steps and the rows that stop it.
//
//   work    6 operations for every parameter and row: 2 forward, 4 backward
//   limit   a matrix product of order 512 of the same numbers, in the same run
//
// usage: mdn_training_benchmark

#include <cstdio>

#include "condens/core/random.hpp"
#include "condens/estimators/mixture_density_network.hpp"
#include "condens/estimators/mixture_density_network/network.hpp"
#include "measure.hpp"

using namespace condens;
using namespace condens::benchmarks;

namespace {

template <class Scalar>
double product_operations() {
  const Index order = 512;
  const mdn::MatrixOf<Scalar> a = mdn::MatrixOf<Scalar>::Constant(order, order, Scalar{1});
  mdn::MatrixOf<Scalar> c = a;
  const double seconds = best_seconds(10, [&] { c.noalias() += a * a; });
  return 2.0 * std::pow(static_cast<double>(order), 3) / seconds;
}

template <class Scalar>
void time_steps(const char* name, const mdn::Shape& shape) {
  constexpr Index rows = 128;
  constexpr Index steps = 200;
  RandomStream random(1);
  mdn::BasicBlock<Scalar> block{mdn::MatrixOf<Scalar>(rows, shape.n_inputs), Matrix(rows, shape.n_targets),
                                Vector::Ones(rows)};
  for (Index i = 0; i < block.x.size(); ++i) block.x.data()[i] = static_cast<Scalar>(random.normal());
  for (Index i = 0; i < block.y.size(); ++i) block.y.data()[i] = random.normal();
  mdn::VectorOf<Scalar> parameters(shape.n_parameters());
  for (Index i = 0; i < parameters.size(); ++i) parameters[i] = static_cast<Scalar>(0.1 * random.normal());
  mdn::VectorOf<Scalar> gradient = mdn::VectorOf<Scalar>::Zero(shape.n_parameters());
  mdn::BasicWorkspace<Scalar> work(shape, rows);
  const double seconds = best_seconds(5, [&] {
    for (Index s = 0; s < steps; ++s) mdn::add_loss(shape, block, parameters, work, gradient);
  });
  const double operations = 6.0 * static_cast<double>(shape.n_parameters() * rows * steps);
  const double limit = product_operations<Scalar>();
  std::printf("| %s | %td x %td, %td inputs, %td components | %.2f | %.1f | %.1f | %.0f %% |\n", name, shape.layers,
              shape.hidden, shape.n_inputs, shape.n_components, 1e6 * seconds / static_cast<double>(rows * steps),
              1e-9 * operations / seconds, 1e-9 * limit, 100.0 * operations / seconds / limit);
}

void time_fit(Index hidden) {
  constexpr Index rows = 20'000;
  RandomStream random(2);
  Matrix x(10, rows);
  for (double& value : x.reshaped()) value = random.normal();
  Matrix y(1, rows);
  for (Index i = 0; i < rows; ++i) y(0, i) = std::sin(2 * x(0, i)) + 0.3 * random.normal();
  const Dataset data{.x = x, .y = y};
  MdnOptions options;
  options.units = {static_cast<double>(hidden)};
  options.n_members = 1;
  options.adam_passes = 20;
  const double seconds = best_seconds(2, [&] { Mdn::fit(data, options, {.threads = 1, .observer = {}}); });
  const mdn::Shape shape{.n_inputs = 10, .hidden = hidden, .layers = 3, .n_components = 5, .skip = true};
  const double operations = 6.0 * static_cast<double>(shape.n_parameters() * options.adam_passes) * 0.9 * rows;
  const double limit = product_operations<float>();
  std::printf("| float, a whole fit | 3 x %td, 10 inputs, 5 components | %.2f | %.1f | %.1f | %.0f %% |\n", hidden,
              1e6 * seconds / (0.9 * static_cast<double>(rows * options.adam_passes)), 1e-9 * operations / seconds,
              1e-9 * limit, 100.0 * operations / seconds / limit);
}

}  // namespace

int main() {
  keep_freed_memory();
  std::printf("| numbers | network | microseconds a row | Gflop/s | limit | share |\n|---|---|---|---|---|---|\n");
  for (const Index hidden : {64, 128, 256}) {
    const mdn::Shape shape{
        .n_inputs = 10, .hidden = hidden, .layers = 3, .n_components = 5, .skip = true, .scale_floor = 0.01};
    time_steps<float>("float", shape);
    time_steps<double>("double", shape);
    time_fit(hidden);
  }
  return 0;
}
