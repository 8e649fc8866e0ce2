#include "width.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "condens/core/errors.hpp"
#include "condens/data/standardizer.hpp"
#include "core/flush_subnormals.hpp"
#include "kernels/gaussian_kernel.hpp"
#include "model/preparation.hpp"
#include "pair_sums.hpp"

namespace condens {

namespace {

constexpr double widest = 20;            // in standard deviations
constexpr Index rows_of_bracket = 4000;  // as many find where the search starts
constexpr double widest_of_bracket = 8;  // in standard deviations, and from there
constexpr int steps_of_bracket = 22;     // steps of sqrt(2)
constexpr double usual_evaluations = 10;

double pairs(Index n) { return static_cast<double>(n) * static_cast<double>(n); }

/// Standard deviations; `common`: their geometric mean for all.
Vector spreads(const MatrixView& z, const VectorView& weights, bool common) {
  const Vector scale = Standardizer::fit(z, weights).scale();
  return common ? Vector::Constant(scale.size(), std::exp(scale.array().log().mean())) : scale;
}

class Search {
 public:
  Search(const MatrixView& z, const VectorView& weights, const std::vector<Index>& fold, const ParzenSearch& search,
         Task& task)
      : search_(search),
        criterion_(search.scoring, z, weights, fold, search.defensive),
        common_(search.shape == ParzenShape::isotropic),
        spread_(spreads(z, criterion_.weights(), common_)),
        groups_(search.groups),
        task_(task) {
    if (common_ || groups_.empty()) {
      groups_.assign(static_cast<std::size_t>(common_ ? 1 : z.rows()), {});
      for (Index k = 0; k < z.rows(); ++k) groups_[static_cast<std::size_t>(common_ ? 0 : k)].push_back(k);
    }
    start_ = bracket(z);
  }

  ParzenSearchResult run() {
    const Index count = std::ssize(groups_);
    const Vector start = Vector::Constant(count, std::log(start_));
    const auto objective = [&](const Vector& at, Vector& gradient) {
      const ParzenLoss loss = evaluate(at);
      gradient = loss.gradient;
      return loss.value;
    };
    const Vector lower = Vector::Constant(count, std::log(search_.floor));
    const Vector upper = Vector::Constant(count, std::log(std::max(widest, search_.floor)));
    const LbfgsSettings settings{.unit = search_.scoring == Scoring::nll ? 1.0 : 0.0,
                                 .gradient_tolerance = 1e-6,
                                 .value_tolerance = 1e-11,
                                 .first_step = 0.1};
    const LbfgsResult found = minimize(objective, start, lower, upper, settings, [&] { task_.poll(); });
    return {.widths = widths(found.x),
            .loss = evaluate(found.x),
            .at_floor = (found.x.array() <= lower.array()).any(),
            .status = found.status,
            .iterations = found.iterations,
            .projected_gradient = found.projected_gradient};
  }

 private:
  Vector widths(const Vector& logs) const {
    Vector out = spread_;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      for (const Index k : groups_[g]) out[k] *= std::exp(logs[static_cast<Index>(g)]);
    }
    return out;
  }

  /// With the gradient by the logarithms of the groups' widths; the last result is kept.
  const ParzenLoss& evaluate(const Vector& logs) {
    if (logs.size() == last_at_.size() && logs == last_at_) return last_;
    const auto poll = [&] { task_.poll(); };
    const Vector all = widths(logs);
    ParzenLoss loss =
        common_ ? criterion_.of_width(all[0], task_.threads(), poll) : criterion_.of_widths(all, task_.threads(), poll);
    if (!common_) {
      Vector gradient(logs.size());
      for (std::size_t g = 0; g < groups_.size(); ++g)
        gradient[static_cast<Index>(g)] = loss.gradient(groups_[g]).sum();
      loss.gradient = gradient;
    }
    task_.advance(pairs(criterion_.size()));
    last_at_ = logs;
    last_ = std::move(loss);
    return last_;
  }

  /// The best of a grid, in standard deviations: by leaving one out of at most rows_of_bracket points, each
  /// one of as many neighbours in the order of the rows, and carried to n points by the rate of the reference rule.
  double bracket(const MatrixView& z) {
    const Index step = (z.cols() + rows_of_bracket - 1) / rows_of_bracket;
    const auto some = Eigen::seqN(0, (z.cols() + step - 1) / step, step);
    const Matrix scaled = spread_.cwiseInverse().asDiagonal() * z(Eigen::all, some);
    const Vector weights = criterion_.weights()(some);
    const double rate = reference_width(criterion_.weights(), z.rows()) / reference_width(weights, z.rows());
    std::vector<double> grid;
    for (int k = 0; k < steps_of_bracket; ++k) {
      const double width = widest_of_bracket * std::pow(2.0, -0.5 * k);
      if (width * rate >= search_.floor) grid.push_back(width);
    }
    if (grid.empty() || scaled.cols() < 2) return std::max(std::min(rate, widest), search_.floor);
    const ParzenCriterion criterion(search_.scoring, scaled, weights, {}, defensive_of(scaled, weights));
    const std::vector<ParzenLoss> found = criterion.of_candidates(grid, task_.threads(), [&] { task_.poll(); });
    const auto best = std::min_element(found.begin(), found.end(),
                                       [](const ParzenLoss& a, const ParzenLoss& b) { return a.value < b.value; });
    return std::max(grid[static_cast<std::size_t>(best - found.begin())] * rate, search_.floor);
  }

  Defensive defensive_of(const Matrix& scaled, const Vector& weights) const {
    return Defensive::fit(search_.defensive.weight, {.x = Matrix(0, scaled.cols()), .y = scaled, .weights = weights});
  }

  const ParzenSearch& search_;
  ParzenCriterion criterion_;
  bool common_;
  Vector spread_;
  std::vector<std::vector<Index>> groups_;
  Task& task_;
  double start_ = 1;
  Vector last_at_;
  ParzenLoss last_;
};

}  // namespace

double reference_width(const VectorView& weights, Index dimension) {
  const auto d = static_cast<double>(dimension);
  const double count = std::pow(weights.sum(), 2) / weights.squaredNorm();
  return std::pow(4 / ((d + 2) * count), 1 / (d + 4));
}

double usual_pairs(Index n) { return usual_evaluations * pairs(n); }

ParzenSearchResult search_parzen_widths(const MatrixView& z, const VectorView& weights, const std::vector<Index>& fold,
                                        const ParzenSearch& search, Task& task) {
  return Search(z, weights, fold, search, task).run();
}

double parzen_likelihood_width(const MatrixView& z, const VectorView& weights, const Run& run) {
  const FlushSubnormals guard;
  const Dataset merged = preparation::merge_copies(
      {.x = Matrix(0, z.cols()), .y = z, .weights = weights, .x_unlabeled = {}, .groups = {}});
  const Vector scale = Standardizer::fit(merged.y, merged.weights).scale();
  std::vector<Index> varying;
  for (Index k = 0; k < scale.size(); ++k) {
    if (scale[k] > 0) varying.push_back(k);
  }
  require(!varying.empty(), "Parzen window: all ", z.cols(), " points are equal, expected at least two that differ");
  Task task(run, "learning the width", usual_pairs(merged.size()));
  return search_parzen_widths(merged.y(varying, Eigen::all), merged.weights, {}, {}, task).widths[0];
}

Vector parzen_density(const MatrixView& z, const VectorView& weights, const VectorView& widths, bool leave_self_out,
                      const Run& run) {
  const Index n = z.cols();
  require(weights.size() == 0 || weights.size() == n, "Parzen window: ", weights.size(), " weights for ", n, " points");
  require(widths.size() == z.rows(), "Parzen window: ", widths.size(), " widths, expected ", z.rows());
  require(widths.allFinite() && (widths.array() > 0).all(), "Parzen window: widths must be finite and > 0");
  require(!leave_self_out || n > 1, "Parzen window: one point, expected at least two where it is left out");
  const Vector own = weights.size() > 0 ? Vector(weights) : Vector(Vector::Ones(n));
  Task task(run, "Parzen window", pairs(n));
  const PairSums::Sums found =
      PairSums(z, own, {}).evaluate(widths, {{.exponent = 0.5}}, PairSums::Moments::none, task.threads(), [&] {
        task.poll();
      });
  const double height = std::exp(-log_kernel_mass(z.rows(), 1.0)) / widths.prod();
  if (leave_self_out) return height * found.kernels.col(0).array() / (own.sum() - own.array());
  return height / own.sum() * (found.kernels.col(0) + own);
}

}  // namespace condens
