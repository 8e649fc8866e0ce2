#include "pair_sums.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "condens/core/parallel.hpp"
#include "core/flush_subnormals.hpp"
#include "core/work.hpp"
#include "kernels/gaussian_kernel.hpp"
#include "linalg/vector_math.hpp"

namespace condens {

namespace {

constexpr Index block = PointBlocks::block;
constexpr Index strip = PointBlocks::strip;  // points at a time: their kernels stay in the first-level cache
constexpr Index lanes = 32;
constexpr double truncation = 1e-13;
constexpr int longest_chain = 8;
constexpr double vanished = 708;  // exp(-708) is the smallest number that is not subnormal

using Strip = std::array<double, block * strip>;  // one column of `block` numbers for each point of the strip

/// own[r] += f sum_j w_j e_jr, and (unless null) others[j] += f sum_r v_r e_jr.
void add_sums(const Strip& e, double f, const double* w, const double* v, double* own, double* others) {
  for (Index r = 0; r < strip; ++r) {
    const double* term = e.data() + r * block;
    std::array<double, lanes> lane{};
    for (Index j = 0; j < block; j += lanes) {
      for (Index k = 0; k < lanes; ++k) lane[k] = multiply_add(w[j + k], term[j + k], lane[k]);
    }
    own[r] += f * sum(lane.data(), lanes);
  }
  if (others == nullptr) return;
  std::array<double, strip> scaled;
  for (Index r = 0; r < strip; ++r) scaled[r] = f * v[r];
  for (Index j = 0; j < block; j += lanes) {
    std::array<double, lanes> lane;
    for (Index k = 0; k < lanes; ++k) lane[k] = others[j + k];
    for (Index r = 0; r < strip; ++r) {
      const double* term = e.data() + r * block + j;
      for (Index k = 0; k < lanes; ++k) lane[k] = multiply_add(scaled[r], term[k], lane[k]);
    }
    for (Index k = 0; k < lanes; ++k) others[j + k] = lane[k];
  }
}

/// Kernels each of which is the one before or its square.
using Chain = std::vector<std::size_t>;

bool agree(double a, double b) { return std::abs(a - b) <= 1e-15 * a; }

std::vector<Chain> chains_of(const std::vector<PairSums::Kernel>& kernels) {
  std::vector<std::size_t> left(kernels.size());
  std::iota(left.begin(), left.end(), std::size_t{0});
  const auto exponent = [&](std::size_t s) { return kernels[s].exponent; };
  std::stable_sort(left.begin(), left.end(), [&](std::size_t a, std::size_t b) { return exponent(a) < exponent(b); });
  const auto find = [&](double wanted) {
    return std::find_if(left.begin(), left.end(), [&](std::size_t s) { return agree(exponent(s), wanted); });
  };
  std::vector<Chain> out;
  while (!left.empty()) {
    Chain chain{left.front()};
    left.erase(left.begin());
    for (int squares = 0; squares <= longest_chain;) {
      auto next = find(exponent(chain.back()));
      if (next == left.end()) {
        next = find(2 * exponent(chain.back()));
        ++squares;
      }
      if (next == left.end() || squares > longest_chain) break;
      chain.push_back(*next);
      left.erase(next);
    }
    out.push_back(std::move(chain));
  }
  return out;
}

/// The sum of weights without the largest.
double all_but_largest(const Eigen::Ref<const Vector>& weights) {
  Index largest = 0;
  weights.maxCoeff(&largest);
  return weights.head(largest).sum() + weights.tail(weights.size() - largest - 1).sum();
}

}  // namespace

/// One evaluation: everything that its tiles share.
class PairSums::Pass {
 public:
  Pass(const PointBlocks& points, const VectorView& widths, const std::vector<Kernel>& kernels, Moments moments)
      : points_(points),
        kernels_(kernels),
        chains_(chains_of(kernels)),
        moments_(moments),
        u_(points.points * widths.cwiseInverse().asDiagonal()),
        columns_(u_.transpose()),
        blocks_(points.blocks.scaled_by(widths.cwiseInverse())),
        strips_(points.strips.scaled_by(widths.cwiseInverse())),
        width_(1 + (moments == Moments::none    ? 0
                    : moments == Moments::total ? 1
                                                : u_.cols())),
        block_weights_(points.weights.reshaped(block, points.count()).colwise().sum().transpose()),
        limits_(std::ssize(kernels), points.count()),
        sums_(Matrix::Zero(u_.rows(), width_ * std::ssize(kernels))) {}

  void run(int threads, const std::function<void()>& poll) {
    const FlushSubnormals guard;
    const Index count = points_.count();
    parallel_for(
        count, threads, [&](Index i) { set_limits(i); }, poll);
    for (Index phase = 0; phase < count; ++phase) {
      std::vector<std::pair<Index, Index>> tiles;
      for (Index i = 0; i < count; ++i) {
        const Index j = (phase - i + count) % count;
        if (i <= j && counts(i, j)) tiles.emplace_back(i, j);
      }
      const auto body = [&](Index tile) {
        const auto [i, j] = tiles[static_cast<std::size_t>(tile)];
        add_tile(i, j);
      };
      parallel_for(std::ssize(tiles), threads, body, poll);
    }
  }

  Sums result() const {
    Sums out{Matrix(std::ssize(points_.row_of), std::ssize(kernels_)), {}};
    for (Index s = 0; s < std::ssize(kernels_); ++s) {
      const Matrix own = sums_(points_.row_of, Eigen::seqN(s * width_, width_));
      out.kernels.col(s) = own.col(0);
      if (moments_ != Moments::none) out.moments.emplace_back(own.rightCols(width_ - 1));
    }
    return out;
  }

 private:
  double factor(std::size_t kernel, Index i, Index j) const {
    const Matrix& factors = kernels_[kernel].factors;
    if (factors.size() == 0) return 1.0;
    return factors(points_.fold[static_cast<std::size_t>(i)], points_.fold[static_cast<std::size_t>(j)]);
  }

  /// From which c |u_i - u_j|^2 on a pair plays no part in the sums of block i.
  void set_limits(Index i) {
    for (std::size_t s = 0; s < kernels_.size(); ++s) {
      const double c = kernels_[s].exponent;
      double total = 0;
      double least = 0;
      for (Index j = 0; j < points_.count(); ++j) {
        const double f = factor(s, i, j);
        const double others = i == j ? all_but_largest(points_.weights.segment(j * block, block)) : block_weights_[j];
        total += f * block_weights_[j];
        least += f * others * std::exp(-c * Boxes::farthest(blocks_, i, blocks_, j));
      }
      least = std::max(least, factor(s, i, i) * least_within_strips(i, c));
      limits_(static_cast<Index>(s), i) =
          least > 0 ? std::min(vanished, std::log(total) - std::log(truncation) - std::log(least)) : vanished;
    }
  }

  double least_within_strips(Index i, double c) const {
    double out = std::numeric_limits<double>::infinity();
    for (Index t = i * block / strip; t < (i + 1) * block / strip; ++t) {
      const auto w = points_.weights.segment(t * strip, strip);
      if (w.maxCoeff() == 0) break;
      out = std::min(out, all_but_largest(w) * std::exp(-c * Boxes::farthest(strips_, t, strips_, t)));
    }
    return out;
  }

  bool counts(Index i, Index j) const {
    const double nearest = Boxes::nearest(blocks_, i, blocks_, j);
    for (std::size_t s = 0; s < kernels_.size(); ++s) {
      if (factor(s, i, j) != 0 && kernels_[s].exponent * nearest < limit(s, i, j)) return true;
    }
    return false;
  }

  double limit(std::size_t kernel, Index i, Index j) const {
    const auto s = static_cast<Index>(kernel);
    return std::max(limits_(s, i), limits_(s, j));
  }

  void add_tile(Index i, Index j) {
    Matrix distance(block, strip);
    Strip e;
    double nanoseconds = 0;
    for (Index begin = i * block; begin < (i + 1) * block; begin += strip) {
      if (points_.weights.segment(begin, strip).maxCoeff() == 0) break;
      const double nearest = Boxes::nearest(strips_, begin / strip, blocks_, j);
      bool measured = false;
      for (const Chain& chain : chains_) {
        std::size_t last = chain.size();  // of the chain, those up to the narrowest that counts
        while (last > 0 && !(kernels_[chain[last - 1]].exponent * nearest < limit(chain[last - 1], i, j))) --last;
        if (last > 0 && !std::exchange(measured, true)) {
          squared_distances(u_.middleRows(j * block, block), columns_.middleCols(begin, strip), distance);
        }
        for (std::size_t k = 0; k < last; ++k) {
          if (k == 0) {
            first_kernel(kernels_[chain[0]].exponent, distance, e);
            for (Index r = 0; i == j && r < strip; ++r) e[r * block + begin - i * block + r] = 0.0;
          } else if (!agree(kernels_[chain[k]].exponent, kernels_[chain[k - 1]].exponent)) {
            for (double& value : e) value *= value;
          }
          nanoseconds += work::exponential * static_cast<double>(block * strip);
          const double f = factor(chain[k], i, j);
          if (f != 0) add_kernel(e, f, static_cast<Index>(chain[k]) * width_, begin, j * block, distance);
        }
      }
    }
    count_work(nanoseconds);
  }

  static void first_kernel(double c, const Matrix& distance, Strip& e) {
    for (Index k = 0; k < block * strip; ++k) e[k] = -c * distance.data()[k];
    exp_in_place(e.data(), block * strip);
  }

  /// Adds kernels and their moments to the columns from `column` on, for the strip at `begin` and,
  /// unless that is part of it, the block at `other`.
  void add_kernel(const Strip& e, double f, Index column, Index begin, Index other, const Matrix& distance) {
    const double* w = points_.weights.data() + other;
    const double* v = points_.weights.data() + begin;
    const bool both = begin < other || begin >= other + block;
    const auto add = [&](const Strip& terms, Index q) {
      double* sums = sums_.col(column + q).data();
      add_sums(terms, f, w, v, sums + begin, both ? sums + other : nullptr);
    };
    add(e, 0);
    Strip moment;
    if (moments_ == Moments::total) {
      for (Index k = 0; k < block * strip; ++k) moment[k] = e[k] * distance.data()[k];
      add(moment, 1);
    }
    for (Index q = 1; moments_ == Moments::each && q < width_; ++q) {
      const double* coordinate = u_.col(q - 1).data();
      for (Index r = 0; r < strip; ++r) {
        const double own = coordinate[begin + r];
        for (Index k = 0; k < block; ++k) {
          const double difference = coordinate[other + k] - own;
          moment[r * block + k] = e[r * block + k] * difference * difference;
        }
      }
      add(moment, q);
    }
  }

  const PointBlocks& points_;
  const std::vector<Kernel>& kernels_;
  std::vector<Chain> chains_;
  Moments moments_;
  Matrix u_;        // a point a row
  Matrix columns_;  // a point a column
  Boxes blocks_;    // of u
  Boxes strips_;
  Index width_;  // numbers for each kernel
  Vector block_weights_;
  Matrix limits_;  // kernels x blocks
  Matrix sums_;    // rows x (kernels width_)
};

PairSums::Sums PairSums::evaluate(const VectorView& widths, const std::vector<Kernel>& kernels, Moments moments,
                                  int threads, const std::function<void()>& poll) const {
  Pass pass(points_, widths, kernels, moments);
  pass.run(threads, poll);
  return pass.result();
}

}  // namespace condens
