// A pass over the rows takes blocks that stay in the cache, filled up with their last row, of weight zero. Within a
// block every loop runs over rows of one component, z = F^-1 (x - v) a triangular product; sums for the M step are
// taken around the old means and moved to the new ones, so that they lose no digits. Blocks belong to a fixed number of
// parts, added in order.

#include "expectation_maximization.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "core/work.hpp"
#include "linalg/decompositions.hpp"
#include "linalg/lanes.hpp"
#include "linalg/vector_math.hpp"

namespace condens {

namespace {

constexpr Index kBlock = 256;
constexpr Index kRun = 32;  // rows whose numbers stay in registers
constexpr Index kParts = 64;

/// log w + log N(x; v, S) = log_factor - |F^-1 (x - v)|^2 / 2, F F' = S.
struct Kernel {
  double log_factor;
  Matrix whitening;  // F^-1: d x d lower triangular, or its diagonal, d x 1
};

std::vector<Kernel> kernels_of(const EmState& state, bool full) {
  const Index d = state.means.rows();
  std::vector<Kernel> out;
  for (Index l = 0; l < state.weights.size(); ++l) {
    Kernel kernel{std::log(state.weights[l]) - 0.5 * static_cast<double>(d) * std::log(2.0 * std::numbers::pi), {}};
    if (full) {
      const Matrix factor = SmallCholesky(state.covariances.col(l).reshaped(d, d)).lower;
      kernel.whitening = factor.triangularView<Eigen::Lower>().solve(Matrix::Identity(d, d));
      kernel.log_factor += kernel.whitening.diagonal().array().log().sum();
    } else {
      kernel.whitening = state.covariances.col(l).cwiseSqrt().cwiseInverse();
      kernel.log_factor += kernel.whitening.array().log().sum();
    }
    out.push_back(std::move(kernel));
  }
  return out;
}

/// Sums of q (x - center) and q (x - center)^2 over rows, a multiple of kRun.
struct Moments {
  double first;
  double second;
};

Moments moments_around(double center, const double* x, const double* q, Index rows) {
  constexpr int groups = kRun / lanes;
  Lanes first[groups] = {};
  Lanes second[groups] = {};
  for (Index i = 0; i < rows; i += kRun) {
    for (int g = 0; g < groups; ++g) {
      Lanes distance;
      Lanes weighted;
      load(x + i + g * lanes, distance);
      load(q + i + g * lanes, weighted);
      distance -= center;
      weighted *= distance;
      first[g] += weighted;
      second[g] += weighted * distance;
    }
  }
  return {total((first[0] + first[2]) + (first[1] + first[3])),
          total((second[0] + second[2]) + (second[1] + second[3]))};
}

/// One block of rows; buffers are rows x coordinates and rows x components.
class Block {
 public:
  Block(const Matrix& z, const Vector& weights, const Matrix& means)
      : z_of_rows_(z),
        weights_(weights),
        means_(means),
        height_(std::min(kBlock, kRun * block_count(z.rows(), kRun))),
        posterior_(Matrix::Zero(height_, means.cols())) {}

  void set(Range range) {
    range_ = range;
    x_.topRows(range.size()) = z_of_rows_.middleRows(range.begin, range.size());
    x_.bottomRows(height_ - range.size()).rowwise() = z_of_rows_.row(range.end - 1);
  }

  void weigh(const std::vector<Kernel>& kernels, EmSums& sums) {
    const Index n = range_.size();
    for (Index l = 0; l < means_.cols(); ++l) {
      const Kernel& kernel = kernels[static_cast<std::size_t>(l)];
      if (kernel.whitening.cols() > 1) {
        centre(l);
        log_kernel(kernel, posterior_.col(l).data());
      } else {
        diagonal_log_kernel(kernel, means_.col(l).data(), posterior_.col(l).data());
      }
    }
    top_.setConstant(-infinity);
    for (Index l = 0; l < means_.cols(); ++l) top_ = top_.cwiseMax(posterior_.col(l));
    total_.setZero();
    for (Index l = 0; l < means_.cols(); ++l) {
      posterior_.col(l) -= top_;
      exp_in_place(posterior_.col(l).data(), height_);
      total_ += posterior_.col(l);
    }
    for (Index i = 0; i < n; ++i) {
      const double log_density = top_[i] + std::log(total_[i]);
      const double weight = weights_[range_.begin + i];
      sums.score += weight * log_density;
      sums.cross += weight * weight * log_density;
      sums.square += weight * log_density * (weight * log_density);
      if (log_density < sums.least) {
        sums.least = log_density;
        sums.worst = x_.row(i);
      }
      total_[i] = weight / total_[i];
    }
    total_.tail(height_ - n).setZero();
    for (Index l = 0; l < means_.cols(); ++l) posterior_.col(l).array() *= total_.array();
  }

  void assign_to_nearest() {
    posterior_.setZero();
    for (Index i = 0; i < range_.size(); ++i) {
      Index nearest = 0;
      (means_.colwise() - x_.row(i).transpose()).colwise().squaredNorm().minCoeff(&nearest);
      posterior_(i, nearest) = weights_[range_.begin + i];
    }
  }

  void add(bool full, EmSums& sums) {
    const Index d = means_.rows();
    for (Index l = 0; l < means_.cols(); ++l) {
      const double* q = posterior_.col(l).data();
      const double mass = sum(q, height_);
      if (mass == 0.0) continue;
      sums.mass[l] += mass;
      for (Index a = 0; a < d && !full; ++a) {
        const Moments found = moments_around(means_(a, l), x_.col(a).data(), q, height_);
        sums.first(a, l) += found.first;
        sums.second(a, l) += found.second;
      }
      if (!full) continue;
      centre(l);
      for (Index a = 0; a < d; ++a) {
        z_ = posterior_.col(l).cwiseProduct(centred_.col(a));
        sums.first(a, l) += sum(z_.data(), height_);
        for (Index b = 0; b <= a; ++b) sums.second(b * d + a, l) += dot(z_.data(), centred_.col(b).data(), height_);
      }
    }
  }

 private:
  void centre(Index l) { centred_ = x_.rowwise() - means_.col(l).transpose(); }

  /// In runs of rows short enough for z to stay in registers.
  void log_kernel(const Kernel& kernel, double* out) const {
    const Index d = means_.rows();
    for (Index begin = 0; begin < height_; begin += kRun) {
      double square[kRun] = {};
      for (Index a = 0; a < d; ++a) {
        double z[kRun] = {};
        for (Index b = 0; b <= a; ++b) {
          const double entry = kernel.whitening(a, b);
          const double* x = centred_.col(b).data() + begin;
          for (Index i = 0; i < kRun; ++i) z[i] = multiply_add(entry, x[i], z[i]);
        }
        for (Index i = 0; i < kRun; ++i) square[i] = multiply_add(z[i], z[i], square[i]);
      }
      for (Index i = 0; i < kRun; ++i) out[begin + i] = multiply_add(-0.5, square[i], kernel.log_factor);
    }
  }

  void diagonal_log_kernel(const Kernel& kernel, const double* mean, double* out) const {
    for (Index begin = 0; begin < height_; begin += kRun) {
      double square[kRun] = {};
      for (Index a = 0; a < means_.rows(); ++a) {
        const double* x = x_.col(a).data() + begin;
        const double entry = kernel.whitening(a, 0);
        for (Index i = 0; i < kRun; ++i) {
          const double z = (x[i] - mean[a]) * entry;
          square[i] = multiply_add(z, z, square[i]);
        }
      }
      for (Index i = 0; i < kRun; ++i) out[begin + i] = multiply_add(-0.5, square[i], kernel.log_factor);
    }
  }

  const Matrix& z_of_rows_;
  const Vector& weights_;
  const Matrix& means_;
  Index height_;
  Range range_{0, 0};
  Matrix posterior_;
  Matrix x_ = Matrix::Zero(height_, means_.rows());
  Matrix centred_ = x_;
  Vector z_ = Vector::Zero(height_);
  Vector top_ = Vector::Zero(height_);
  Vector total_ = Vector::Zero(height_);
};

/// work(block, sums) for all blocks.
template <class Work>
EmSums over_rows(const Matrix& z, const Vector& weights, const Matrix& means, bool full, Task& task, const Work& work) {
  const Index n = z.rows();
  const Index blocks = block_count(n, kBlock);
  const Index parts = std::min(blocks, kParts);
  const Index d = means.rows();
  const double each = work::exponential + work::distance * static_cast<double>(full ? d * d : d);
  count_work(each * static_cast<double>(n * means.cols()));
  std::vector<EmSums> sums(static_cast<std::size_t>(parts), EmSums(means.rows(), means.cols(), full));
  parallel_for(
      parts, task.threads(),
      [&](Index part) {
        Block block(z, weights, means);
        for (Index b = part * blocks / parts; b < (part + 1) * blocks / parts; ++b) {
          block.set(block_range(n, kBlock, b));
          work(block, sums[static_cast<std::size_t>(part)]);
        }
      },
      [&] { task.poll(); });
  for (Index part = 1; part < parts; ++part) sums.front().add(sums[static_cast<std::size_t>(part)]);
  return std::move(sums.front());
}

/// Eigenvalues in the metric of the floors are at least 1, and 1e-12 of the largest.
Matrix bounded(const Matrix& covariance, const Vector& floors) {
  const Vector root = floors.cwiseSqrt();
  const Matrix scaled = root.cwiseInverse().asDiagonal() * covariance * root.cwiseInverse().asDiagonal();
  const double least = std::max(1.0, 1e-12 * scaled.trace());
  const Index d = floors.size();
  if (SmallCholesky(scaled - least * Matrix::Identity(d, d)).positive_definite) return covariance;
  const SymmetricEigen axes = symmetric_eigen(scaled);
  const Matrix& v = axes.vectors;
  return root.asDiagonal() * (v * axes.values.cwiseMax(least).asDiagonal() * v.transpose()) * root.asDiagonal();
}

void drop(EmState& state, Index l) {
  const Index rest = state.weights.size() - l - 1;
  const auto shift = [&](Matrix& values) {
    values.middleCols(l, rest) = values.rightCols(rest).eval();
    values.conservativeResize(Eigen::NoChange, values.cols() - 1);
  };
  shift(state.means);
  shift(state.covariances);
  state.weights.segment(l, rest) = state.weights.tail(rest).eval();
  state.weights.conservativeResize(state.weights.size() - 1);
  ++state.dropped;
}

// The component that holds least begins again at the row of least density, with the spread of the heaviest.
bool mend_empty(const EmRows& rows, const EmSums& sums, EmState& state, Index allowed) {
  Index l = 0;
  if (state.weights.size() < 2 || sums.mass.minCoeff(&l) >= 0.5 * rows.total() / static_cast<double>(rows.count())) {
    return false;
  }
  if (state.reseeded < allowed) {
    Index heaviest = 0;
    state.weights.maxCoeff(&heaviest);
    state.means.col(l) = sums.worst;
    state.covariances.col(l) = state.covariances.col(heaviest);
    state.weights[l] = 1.0 / static_cast<double>(rows.count());
    ++state.reseeded;
  } else {
    drop(state, l);
  }
  state.weights /= state.weights.sum();
  return true;
}

/// What ends the iterations of a state.
struct Course {
  Index last;          ///< iteration
  Index allowed;       ///< components that may begin again
  bool mended = true;  ///< nothing to compare the score with
  bool ended = false;
};

/// From the sums of a state to the next one, or to the end.
void iterate(const EmRows& rows, const EmSums& sums, const EmSettings& settings, EmState& state, Course& course) {
  const double before = std::exchange(state.score, sums.score / rows.total());
  const double spread = sums.square - 2 * state.score * sums.cross + state.score * state.score * rows.squares();
  state.standard_error = std::sqrt(std::max(spread, 0.0)) / rows.total();
  state.converged = !course.mended && settings.tolerance > 0 && state.score - before < settings.tolerance;
  course.ended = state.converged || state.iterations >= course.last;
  if (course.ended) return;
  em_maximise(sums, settings, state);
  course.mended = mend_empty(rows, sums, state, course.allowed);
  ++state.iterations;
}

}  // namespace

EmSums::EmSums(Index d, Index k, bool full)
    : mass(Vector::Zero(k)), first(Matrix::Zero(d, k)), second(Matrix::Zero(full ? d * d : d, k)) {}

void EmSums::move(const MatrixView& shift) {
  const Index d = first.rows();
  for (Index l = 0; l < mass.size(); ++l) {
    const Vector s = shift.col(l);
    if (second.rows() == d) {
      second.col(l) += mass[l] * s.cwiseAbs2() - 2 * first.col(l).cwiseProduct(s);
    } else {
      const Matrix both = first.col(l) * s.transpose();
      second.col(l) += (mass[l] * s * s.transpose() - both - both.transpose()).reshaped();
    }
    first.col(l) -= mass[l] * s;
  }
}

void EmSums::add(const EmSums& other) {
  mass += other.mass;
  first += other.first;
  second += other.second;
  score += other.score;
  square += other.square;
  cross += other.cross;
  if (other.least < least) {
    least = other.least;
    worst = other.worst;
  }
}

EmRowsInMemory::EmRowsInMemory(const MatrixView& columns, const VectorView& row_weights)
    : EmRows(columns.rows(), columns.cols(), row_weights.sum(), row_weights.squaredNorm()),
      z_(columns.transpose()),
      weights_(row_weights) {}

std::vector<EmSums> EmRowsInMemory::weighed(const std::vector<EmState>& states, bool full, Task& task) const {
  std::vector<EmSums> out;
  for (const EmState& state : states) {
    const std::vector<Kernel> kernels = kernels_of(state, full);
    out.push_back(over_rows(z_, weights_, state.means, full, task, [&](Block& block, EmSums& part) {
      block.weigh(kernels, part);
      block.add(full, part);
    }));
  }
  return out;
}

std::vector<EmSums> EmRowsInMemory::assigned(const std::vector<Matrix>& means, bool full, Task& task) const {
  std::vector<EmSums> out;
  for (const Matrix& own : means) {
    out.push_back(over_rows(z_, weights_, own, full, task, [&](Block& block, EmSums& part) {
      block.assign_to_nearest();
      block.add(full, part);
    }));
  }
  return out;
}

void em_maximise(const EmSums& sums, const EmSettings& settings, EmState& state) {
  const Index d = state.means.rows();
  for (Index l = 0; l < state.weights.size(); ++l) {
    const double mass = sums.mass[l];
    if (!(mass > 0.0)) continue;  // what holds nothing stays
    const Vector shift = sums.first.col(l) / mass;
    if (settings.full) {
      Matrix lower = sums.second.col(l).reshaped(d, d) / mass;
      lower -= shift * shift.transpose();
      const Matrix covariance = lower.selfadjointView<Eigen::Lower>();
      state.covariances.col(l) = bounded(covariance, settings.floors).reshaped();
    } else {
      state.covariances.col(l) = (sums.second.col(l) / mass - shift.cwiseAbs2()).cwiseMax(settings.floors);
    }
    state.means.col(l) += shift;
  }
  state.weights = sums.mass / sums.mass.sum();
}

GaussianComponents EmState::components() const {
  if (covariances.rows() == means.rows()) return {means, covariances.cwiseSqrt()};
  return GaussianComponents::from_covariances(means, covariances);
}

EmState em_start(const MatrixView& means, const VectorView& variances, bool full) {
  const Index k = means.cols();
  EmState out{Vector::Constant(k, 1.0 / static_cast<double>(k)), means, variances.replicate(1, k)};
  if (full && means.rows() > 1) out.covariances = Matrix(variances.asDiagonal()).reshaped().replicate(1, k);
  return out;
}

std::vector<EmState> em_start_of_clusters(const EmRows& rows, const std::vector<Matrix>& means,
                                          const EmSettings& settings, Task& task) {
  EmSettings own = settings;
  own.full = settings.full && rows.dimension() > 1;
  const std::vector<EmSums> sums = rows.assigned(means, own.full, task);
  std::vector<EmState> out;
  for (std::size_t i = 0; i < means.size(); ++i) {
    EmState state = em_start(means[i], settings.floors, settings.full);
    em_maximise(sums[i], own, state);
    state.weights = state.weights.cwiseMax(0.5 / static_cast<double>(rows.count()));
    state.weights /= state.weights.sum();
    out.push_back(std::move(state));
  }
  return out;
}

std::vector<EmState> em_continue(const EmRows& rows, std::vector<EmState> states, const EmSettings& given, Task& task) {
  EmSettings settings = given;
  settings.full = given.full && rows.dimension() > 1;  // one coordinate has a variance only
  std::vector<Course> courses;
  for (EmState& state : states) {
    state.converged = false;
    courses.push_back({.last = state.iterations + settings.max_iterations, .allowed = 2 * state.weights.size()});
  }
  while (true) {
    std::vector<std::size_t> going;
    std::vector<EmState> now;
    for (std::size_t i = 0; i < states.size(); ++i) {
      if (courses[i].ended) continue;
      going.push_back(i);
      now.push_back(states[i]);
    }
    if (going.empty()) return states;
    const std::vector<EmSums> sums = rows.weighed(now, settings.full, task);
    for (std::size_t i = 0; i < going.size(); ++i)
      iterate(rows, sums[i], settings, states[going[i]], courses[going[i]]);
    task.poll();
  }
}

EmState em_continue(const EmRows& rows, EmState state, const EmSettings& given, Task& task) {
  std::vector<EmState> states;
  states.push_back(std::move(state));
  return std::move(em_continue(rows, std::move(states), given, task).front());
}

}  // namespace condens
