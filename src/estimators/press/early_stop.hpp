#pragma once
// The end of a search of PRESS by the squared error of rows held out, as in section 5 of the paper.

#include "condens/core/parallel.hpp"
#include "condens/data/dataset.hpp"
#include "condens/estimators/press/map.hpp"
#include "condens/optim/lbfgs.hpp"
#include "state_sums.hpp"

namespace condens::press {

constexpr Index inputs_for_threads_of_their_own = 200000;  // numbers in x

/// The weights of the states at rows of inputs, J x n.
inline Matrix weights_of(const PressMap& map, const Vector& theta, const Observations& x,
                         const PackedObservations* packed, int threads) {
  if (x.size() < inputs_for_threads_of_their_own) threads = 1;
  Matrix out(map.n_states(), x.cols());
  constexpr Index rows_of_block = 1024;
  parallel_for(block_count(x.cols(), rows_of_block), threads, [&](Index block) {
    const auto [begin, end] = block_range(x.cols(), rows_of_block, block);
    Matrix w = map.scores(theta, PressInputs{x.middleCols(begin, end - begin), packed, begin});
    softmax_columns(w);
    out.middleCols(begin, end - begin) = w;
  });
  return out;
}

/// Stops a search that no longer helps rows held out, and keeps what helped most.
class EarlyStop {
 public:
  EarlyStop(const Dataset& train, const PackedObservations* packed, const Dataset& held_out, const PressMap& map,
            Index patience, int threads)
      : train_(train), packed_(packed), held_out_(held_out), map_(map), patience_(patience), threads_(threads) {}

  /// Watches a search from `start` on, if there are rows to watch.
  bool watch(const Vector& start, LbfgsSettings& settings) {
    if (held_out_.size() == 0) return false;
    helps(start);
    settings.after_step = [this](const Vector& x) { return helps(x); };
    return true;
  }

  const Vector& best() const { return best_; }

 private:
  /// False where the search should end.
  bool helps(const Vector& x) {
    const Vector theta = x.head(map_.n_parameters());
    const Matrix mass = weights_of(map_, theta, train_.x, packed_, threads_) * train_.weights.asDiagonal();
    const Matrix means = train_.y * mass.transpose() * inverse_sizes(mass.rowwise().sum()).asDiagonal();
    const Matrix residuals = held_out_.y - means * weights_of(map_, theta, held_out_.x, nullptr, threads_);
    const double error = residuals.colwise().squaredNorm().dot(held_out_.weights);
    if (best_.size() == 0 || error < best_error_) {
      best_ = x;
      best_error_ = error;
      since_ = 0;
      return true;
    }
    return ++since_ <= patience_;
  }

  const Dataset& train_;
  const PackedObservations* packed_;
  const Dataset& held_out_;
  const PressMap& map_;
  Index patience_;
  int threads_;
  Vector best_;
  double best_error_ = 0;
  Index since_ = 0;
};

}  // namespace condens::press
