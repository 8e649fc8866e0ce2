#pragma once
// Training of one network of a mixture density network: a start from a seed, then L-BFGS on all
// rows, or Adam with decoupled weight decay on a few rows at a time (I. Loshchilov and F. Hutter,
// Decoupled weight decay regularization, ICLR 2019). With held-out rows, the parameters with the
// least held-out loss on the way are kept, and training ends when that has not fallen for a while.

#include <cstdint>

#include "condens/core/parallel.hpp"
#include "condens/data/dataset.hpp"
#include "condens/estimators/mixture_density_network/network.hpp"

namespace condens::mdn {

struct Training {
  Shape shape;
  double decay = 0;
  bool adam = false;
  Index max_iterations = 300;  ///< steps of L-BFGS, or passes of Adam over the rows
  Index patience = 20;         ///< steps (passes) without a lower held-out loss that end the training
  Index batch_size = 128;
  double learning_rate = 1e-3;
};

struct Trained {
  Vector parameters;
  double objective = 0;   ///< mean loss and penalty
  double train_loss = 0;  ///< mean loss
  double held_out_loss = 0;
  Index iterations = 0;
  bool finished = true;  ///< before max_iterations
};

/// W ~ N(0, 1 / inputs), V ~ N(0, 0.01 / hidden), means at rows of y spread over its range.
Vector start(const Shape& shape, const Dataset& rows, std::uint64_t seed, std::uint64_t stream);

/// `rows` and `held_out` (no rows: no early stopping) with weights. Advances `task` by rows.
Trained train(const Training& how, const Dataset& rows, const Dataset& held_out, std::uint64_t seed,
              std::uint64_t stream, Task& task, int threads);

/// Steps times rows that `task` may expect of a training.
double expected_work(const Training& how, Index rows);

}  // namespace condens::mdn
