#include "growing.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "condens/core/cancellation.hpp"
#include "condens/core/parallel.hpp"
#include "core/work.hpp"

namespace condens::forest {

using trees::BinnedInput;
using trees::Code;

namespace {

constexpr Index series_terms = 10;      // of the density of each target
constexpr Index fourier_features = 10;  // of a tree
constexpr double equal = 1e-9;          // gains that rounding tells apart: the first one is taken
constexpr Index distances = 200;        // pairs of rows for the scale of the Fourier features

/// f(y) of the rows of a tree, q x rows: the terms of an orthogonal series between the extremes of each target.
Matrix cosine_series(const Matrix& y) {
  Matrix out(y.rows() * series_terms, y.cols());
  for (Index k = 0; k < y.rows(); ++k) {
    const double low = y.row(k).minCoeff();
    const double range = y.row(k).maxCoeff() - low;
    const double unit = range > 0 ? std::numbers::pi / range : 0.0;
    for (Index i = 0; i < y.cols(); ++i) {
      const double angle = unit * (y(k, i) - low);
      for (Index j = 0; j < series_terms; ++j) {
        out(k * series_terms + j, i) = std::cos(static_cast<double>(j + 1) * angle);
      }
    }
  }
  return out;
}

/// cos(u'y / h + b), u standard normal, b uniform, h the median distance of two rows.
Matrix fourier(const Matrix& y, RandomStream& random) {
  std::vector<double> between;
  for (Index k = 0; k < distances; ++k) {
    between.push_back((y.col(random.below(y.cols())) - y.col(random.below(y.cols()))).norm());
  }
  std::nth_element(between.begin(), between.begin() + distances / 2, between.end());
  const double median = between[distances / 2];
  const double inverse = median > 0 ? 1 / median : 1.0;
  Matrix frequencies(fourier_features, y.rows());
  for (double& value : frequencies.reshaped()) value = inverse * random.normal();
  Matrix out = frequencies * y;
  for (Index j = 0; j < fourier_features; ++j) {
    const double phase = 2 * std::numbers::pi * random.uniform();
    out.row(j) = (out.row(j).array() + phase).cos();
  }
  return out;
}

class Grower {
 public:
  Grower(const GrowingData& data, const GrowingSettings& settings, RandomStream& random)
      : data_(data),
        settings_(settings),
        least_weight_((1 - 1e-9) * settings.min_samples_leaf),  // sums of weights are rounded
        random_(random) {
    tree_.rows = rows_of_tree(data.y.cols(), settings.rows, random);
    tree_.in_bag.assign(static_cast<std::size_t>(data.y.cols()), false);
    for (const Index i : tree_.rows) tree_.in_bag[static_cast<std::size_t>(i)] = true;
    const Matrix y = data.y(Eigen::all, tree_.rows);
    responses_ = settings.criterion == ForestCriterion::variance  ? y
                 : settings.criterion == ForestCriterion::density ? cosine_series(y)
                                                                  : fourier(y, random);
    responses_.colwise() -= Vector(responses_.rowwise().mean());  // small sums, small rounding
    weights_ = data.weights(tree_.rows);
    for (Index i = 0; i < responses_.cols(); ++i) responses_.col(i) *= weights_[i];
    local_.resize(tree_.rows.size());
    std::iota(local_.begin(), local_.end(), Index{0});
    scratch_.resize(tree_.rows.size());
    Index most_codes = 1;
    for (const BinnedInput& input : data.inputs) {
      codes_.emplace_back();
      order_levels(input);
      most_codes = std::max(most_codes, input.n_codes);
    }
    sums_.resize(1 + responses_.rows(), most_codes);
    tried_.resize(data.inputs.size());
    std::iota(tried_.begin(), tried_.end(), Index{0});
  }

  GrownTree grow() {
    tree_.nodes.push_back({-1, 0, 0, 0, std::ssize(local_)});
    std::vector<Index> open = {0};
    Index leaves = 0;
    while (!open.empty()) {
      const Index at = open.back();
      open.pop_back();
      check_cancelled();
      const Split split = best_split(at);
      GrownTree::Node& node = tree_.nodes[static_cast<std::size_t>(at)];
      if (split.input < 0) {
        node.left = leaves++;
        continue;
      }
      const Index middle = partition(node, split);
      node.input = split.input;
      node.threshold = threshold(split);
      node.left = std::ssize(tree_.nodes);
      const auto [begin, end] = std::pair{node.begin, node.end};
      open.push_back(node.left + 1);
      open.push_back(node.left);
      tree_.nodes.push_back({-1, 0, 0, begin, middle});
      tree_.nodes.push_back({-1, 0, 0, middle, end});
    }
    count_work(nanoseconds_);
    std::vector<Index> rows(local_.size());
    for (std::size_t k = 0; k < rows.size(); ++k) rows[k] = tree_.rows[static_cast<std::size_t>(local_[k])];
    tree_.rows = std::move(rows);
    return std::move(tree_);
  }

 private:
  struct Split {
    Index input = -1;
    Index code = 0;  // the last one on the left
    double gain = 0;
  };

  /// Levels by the mean of their first response; those that the tree has not seen are in the middle.
  void order_levels(const BinnedInput& input) {
    std::vector<Code>& codes = codes_.back();
    codes.resize(tree_.rows.size());
    for (std::size_t k = 0; k < codes.size(); ++k) codes[k] = input.codes[static_cast<std::size_t>(tree_.rows[k])];
    tree_.positions.emplace_back();
    if (!input.categorical()) return;
    const auto levels = static_cast<std::size_t>(input.n_codes);
    std::vector<double> weight(levels, 0.0);
    std::vector<double> mean(levels, 0.0);
    for (std::size_t k = 0; k < codes.size(); ++k) {
      weight[codes[k]] += weights_[static_cast<Index>(k)];
      mean[codes[k]] += responses_(0, static_cast<Index>(k));
    }
    for (std::size_t c = 0; c < levels; ++c) mean[c] = weight[c] > 0 ? mean[c] / weight[c] : 0.0;
    const std::vector<Code> place = trees::places_by(mean);
    for (Code& code : codes) code = place[code];
    for (std::size_t c = 0; c < levels; ++c) {
      tree_.positions.back().push_back(static_cast<double>(place[c]) - static_cast<double>(place[0]));
    }
    first_place_.resize(tree_.positions.size(), 0.0);
    first_place_.back() = static_cast<double>(place[0]);
  }

  double threshold(const Split& split) const {
    const BinnedInput& input = data_.inputs[static_cast<std::size_t>(split.input)];
    if (!input.categorical()) return input.edges[static_cast<std::size_t>(split.code)];
    return static_cast<double>(split.code) + 0.5 - first_place_[static_cast<std::size_t>(split.input)];
  }

  /// Of a random part of the inputs, or, while none of them splits, of more.
  Split best_split(Index at) {
    const auto [input, threshold, left, begin, end] = tree_.nodes[static_cast<std::size_t>(at)];
    double weight = 0;
    Vector response = Vector::Zero(responses_.rows());
    for (Index k = begin; k < end; ++k) {
      const Index i = local_[static_cast<std::size_t>(k)];
      weight += weights_[i];
      response += responses_.col(i);
    }
    Split best;
    if (weight < 2 * least_weight_) return best;
    const Index n = std::ssize(tried_);
    const auto wanted = static_cast<Index>(std::lround(settings_.max_features * static_cast<double>(n)));
    for (Index k = 0; k < n && (k < std::max<Index>(1, wanted) || best.input < 0); ++k) {
      std::swap(tried_[static_cast<std::size_t>(k)], tried_[static_cast<std::size_t>(k + random_.below(n - k))]);
      try_input(tried_[static_cast<std::size_t>(k)], {begin, end}, weight, response, best);
    }
    return best;
  }

  /// Sums of the weights and responses of each code that the rows have, in order; false where they have one only.
  bool sum_codes(Index input, Range range) {
    const std::vector<Code>& codes = codes_[static_cast<std::size_t>(input)];
    const Index q = responses_.rows();
    const auto code_of = [&](Index k) { return codes[static_cast<std::size_t>(local_[static_cast<std::size_t>(k)])]; };
    Code low = code_of(range.begin);
    Code high = low;
    for (Index k = range.begin; k < range.end; ++k) {
      low = std::min(low, code_of(k));
      high = std::max(high, code_of(k));
    }
    nanoseconds_ += 1.2 * static_cast<double>(range.size() * (2 + q));
    if (low == high) return false;
    bins_.clear();
    const auto add = [&](Index slot, Index i) {
      double* sum = sums_.col(slot).data();
      const double* own = responses_.col(i).data();
      sum[0] += weights_[i];
      for (Index j = 0; j < q; ++j) sum[1 + j] += own[j];
    };
    if (2 * range.size() > high - low) {  // a slot for each code
      sums_.leftCols(high - low + 1).setZero();
      for (Index k = range.begin; k < range.end; ++k) add(code_of(k) - low, local_[static_cast<std::size_t>(k)]);
      for (Index slot = 0; slot <= high - low; ++slot) {
        if (sums_(0, slot) > 0) bins_.push_back({static_cast<Code>(low + slot), slot});
      }
    } else {  // few rows: a slot for each code that is there
      sorted_.clear();
      for (Index k = range.begin; k < range.end; ++k)
        sorted_.emplace_back(code_of(k), local_[static_cast<std::size_t>(k)]);
      std::sort(sorted_.begin(), sorted_.end());
      for (const auto& [code, i] : sorted_) {
        if (bins_.empty() || bins_.back().code != code) {
          bins_.push_back({code, std::ssize(bins_)});
          sums_.col(bins_.back().slot).setZero();
        }
        add(bins_.back().slot, i);
      }
    }
    return true;
  }

  /// A split between two codes leaves |R_l|^2 / W_l + |R_r|^2 / W_r of the sum of squares explained.
  void try_input(Index input, Range range, double weight, const Vector& response, Split& best) {
    if (!sum_codes(input, range)) return;
    const Index q = responses_.rows();
    const double before = response.squaredNorm() / weight;
    double weight_left = 0;
    left_.setZero(q);
    for (std::size_t k = 0; k + 1 < bins_.size(); ++k) {
      const double* sum = sums_.col(bins_[k].slot).data();
      weight_left += sum[0];
      double square_left = 0;
      double square_right = 0;
      for (Index j = 0; j < q; ++j) {
        left_[j] += sum[1 + j];
        square_left += left_[j] * left_[j];
        square_right += (response[j] - left_[j]) * (response[j] - left_[j]);
      }
      const double weight_right = weight - weight_left;
      if (weight_left < least_weight_) continue;
      if (weight_right < least_weight_) break;
      const double gain = square_left / weight_left + square_right / weight_right - before;
      if (gain > (1 + equal) * best.gain && gain > 1e-12 * before) best = {input, bins_[k].code, gain};
    }
  }

  /// Rows of the left child first, each side in its order.
  Index partition(const GrownTree::Node& node, const Split& split) {
    const std::vector<Code>& codes = codes_[static_cast<std::size_t>(split.input)];
    Index left = node.begin;
    Index right = 0;
    for (Index k = node.begin; k < node.end; ++k) {
      const Index i = local_[static_cast<std::size_t>(k)];
      if (codes[static_cast<std::size_t>(i)] <= split.code) {
        local_[static_cast<std::size_t>(left++)] = i;
      } else {
        scratch_[static_cast<std::size_t>(right++)] = i;
      }
    }
    std::copy_n(scratch_.begin(), right, local_.begin() + left);
    return left;
  }

  const GrowingData& data_;
  const GrowingSettings& settings_;
  double least_weight_;
  RandomStream& random_;
  GrownTree tree_;
  Matrix responses_;  // q x rows of the tree, times their weights
  Vector weights_;
  std::vector<std::vector<Code>> codes_;  // of the rows of the tree, for every input; levels in their order
  std::vector<double> first_place_;       // of level 0 among them
  std::vector<Index> local_;              // rows of the tree by their number in it, by node
  std::vector<Index> scratch_;
  std::vector<Index> tried_;
  struct Bin {
    Code code;
    Index slot;
  };
  std::vector<Bin> bins_;  // of the rows of a node, rising
  Matrix sums_;            // a slot: weight and responses
  std::vector<std::pair<Code, Index>> sorted_;
  Vector left_;
  double nanoseconds_ = 0;  // of work
};

}  // namespace

/// `count` of 0, ..., n - 1, rising: each row is taken with the chance that makes every set as likely.
std::vector<Index> rows_of_tree(Index n, Index count, RandomStream& random) {
  std::vector<Index> out;
  for (Index i = 0; i < n; ++i) {
    const auto left = static_cast<double>(count - std::ssize(out));
    if (random.uniform() * static_cast<double>(n - i) < left) out.push_back(i);
  }
  return out;
}

GrownTree grow_tree(const GrowingData& data, const GrowingSettings& settings, RandomStream random) {
  return Grower(data, settings, random).grow();
}

}  // namespace condens::forest
