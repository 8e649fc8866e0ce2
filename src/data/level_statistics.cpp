#include "level_statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "condens/core/cancellation.hpp"
#include "condens/core/errors.hpp"
#include "condens/data/folds.hpp"

namespace condens {

namespace {

constexpr std::array quantile_levels = {0.1, 0.9};
constexpr Index per_target = 2 + static_cast<Index>(quantile_levels.size());
constexpr Index most_folds = 10;
constexpr double least_spread = 1e-3;  // of that of all rows
constexpr double rounding = 1e-12;

/// Which rows count for the levels' own part; their number and sum of z by level.
using Kept = std::vector<char>;

struct Sums {
  Vector n, z;
};

Sums sums_by_level(const LevelRows& rows, const Vector& z, const Kept& kept) {
  Sums out{Vector::Zero(rows.n_levels), Vector::Zero(rows.n_levels)};
  for (Index i = 0; i < z.size(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (kept[k] == 0) continue;
    out.n[rows.level[k]] += rows.weights[i];
    out.z[rows.level[k]] += rows.weights[i] * z[i];
  }
  return out;
}

/// m = sigma^2 / tau^2; infinite where levels do not differ, or have one row each.
double prior_rows(const LevelRows& rows, const Vector& z, const Kept& kept) {
  const Sums sums = sums_by_level(rows, z, kept);
  const double total = sums.n.sum();
  const double mean = sums.z.sum() / total;
  double within = 0.0;
  for (Index i = 0; i < z.size(); ++i) {
    const Index level = rows.level[static_cast<std::size_t>(i)];
    if (kept[static_cast<std::size_t>(i)] != 0 && rows.weights[i] > 0)
      within += rows.weights[i] * std::pow(z[i] - sums.z[level] / sums.n[level], 2);
  }
  double between = 0.0;
  double levels = 0.0;
  for (Index l = 0; l < rows.n_levels; ++l) {
    if (!(sums.n[l] > 0)) continue;
    between += sums.n[l] * std::pow(sums.z[l] / sums.n[l] - mean, 2);
    ++levels;
  }
  if (!(total > levels) || levels < 2) return std::numeric_limits<double>::infinity();
  const double sigma2 = within / (total - levels);
  const double tau2 = (between - (levels - 1) * sigma2) / (total - sums.n.squaredNorm() / total);
  return tau2 > 0 ? sigma2 / tau2 : std::numeric_limits<double>::infinity();
}

double drawn(double n, double sum, double m, double overall) {
  if (!(n > 0) || std::isinf(m)) return overall;
  return (sum + m * overall) / (n + m);
}

/// Of one target: statistics and order of all rows, the same for every row, and m of the rows that count.
struct Prior {
  double mean, m_mean, spread, m_spread;
  std::array<double, quantile_levels.size()> quantile, m_quantile;
  std::vector<Index> order;  // of the rows by y
  Vector cumulated;          // weights in that order
};

Vector mean_codes(const LevelRows& rows, const Vector& y, const Prior& prior, const Kept& kept) {
  const Sums sums = sums_by_level(rows, y, kept);
  Vector out(rows.n_levels + 1);
  for (Index l = 0; l < rows.n_levels; ++l) out[l] = drawn(sums.n[l], sums.z[l], prior.m_mean, prior.mean);
  out[rows.n_levels] = prior.mean;
  return out;
}

Vector deviations(const LevelRows& rows, const Vector& y, const Vector& means) {
  Vector out(y.size());
  for (Index i = 0; i < y.size(); ++i) out[i] = std::abs(y[i] - means[rows.level[static_cast<std::size_t>(i)]]);
  return out;
}

Prior prior_of(const LevelRows& rows, const Vector& y, const Kept& all) {
  Prior out{};
  const double total = rows.weights.sum();
  out.mean = rows.weights.dot(y) / total;
  out.m_mean = prior_rows(rows, y, all);
  const Vector spread = deviations(rows, y, mean_codes(rows, y, out, all));
  out.spread = rows.weights.dot(spread) / total;
  out.order.resize(static_cast<std::size_t>(y.size()));
  std::iota(out.order.begin(), out.order.end(), Index{0});
  std::stable_sort(out.order.begin(), out.order.end(), [&](Index a, Index b) { return y[a] < y[b]; });
  out.cumulated = rows.weights(out.order);
  std::partial_sum(out.cumulated.begin(), out.cumulated.end(), out.cumulated.begin());
  for (std::size_t q = 0; q < quantile_levels.size(); ++q) {
    const double wanted = quantile_levels[q] * total * (1 - rounding);
    const auto found = std::lower_bound(out.cumulated.begin(), out.cumulated.end(), wanted);
    out.quantile[q] = y[out.order[static_cast<std::size_t>(found - out.cumulated.begin())]];
  }
  return out;
}

/// With m of the rows that count: from all rows, m would be near zero where the row's own target agrees with its level.
void set_prior_rows(const LevelRows& rows, const Vector& y, const Kept& kept, Prior& prior) {
  prior.m_mean = prior_rows(rows, y, kept);
  prior.m_spread = prior_rows(rows, deviations(rows, y, mean_codes(rows, y, prior, kept)), kept);
  for (std::size_t q = 0; q < quantile_levels.size(); ++q) {
    prior.m_quantile[q] = prior_rows(rows, (y.array() <= prior.quantile[q]).cast<double>(), kept);
  }
}

/// Of one level: its values in order, and the weights up to each.
struct OwnRows {
  std::vector<double> y, cumulated;

  double at_most(double value) const {
    const auto end = std::upper_bound(y.begin(), y.end(), value);
    return end == y.begin() ? 0.0 : cumulated[static_cast<std::size_t>(end - y.begin()) - 1];
  }
};

/// The least y of all rows where (n F_level + m F) / (n + m) reaches p.
double quantile_of(const OwnRows& own, const Prior& prior, const Vector& y, double p, double m, double overall) {
  if (own.y.empty() || !(own.cumulated.back() > 0) || std::isinf(m)) return overall;
  const double n = own.cumulated.back();
  const double total = prior.cumulated[prior.cumulated.size() - 1];
  Index low = 0;
  Index high = y.size() - 1;
  while (low < high) {
    const Index middle = (low + high) / 2;
    const double value = y[prior.order[static_cast<std::size_t>(middle)]];
    const double reached = own.at_most(value) + m * prior.cumulated[middle] / total;
    if (reached >= p * (n + m) * (1 - rounding))
      high = middle;
    else
      low = middle + 1;
  }
  return y[prior.order[static_cast<std::size_t>(low)]];
}

/// The unit in which sums of a target are numbers: 1, or of huge values a power of two near the largest.
double unit_of(const LevelRows& rows, Index target) {
  const double largest = rows.y.row(target).cwiseAbs().maxCoeff();
  return largest > 1e100 ? std::ldexp(1.0, std::ilogb(largest)) : 1.0;
}

std::vector<Prior> priors_of(const LevelRows& rows) {
  const Kept all(rows.level.size(), 1);
  std::vector<Prior> out;
  for (Index t = 0; t < rows.y.rows(); ++t)
    out.push_back(prior_of(rows, rows.y.row(t).transpose() / unit_of(rows, t), all));
  return out;
}

Matrix codes_of(const LevelRows& rows, const std::vector<Prior>& priors, const Kept& kept) {
  const Kept all(rows.level.size(), 1);
  Matrix out = Matrix::Zero(1 + per_target * rows.y.rows(), rows.n_levels + 1);
  out.row(0).head(rows.n_levels) = sums_by_level(rows, rows.y.row(0).transpose(), all).n.array().log1p().transpose();
  for (Index t = 0; t < rows.y.rows(); ++t) {
    check_cancelled();
    const double unit = unit_of(rows, t);
    const Vector y = rows.y.row(t).transpose() / unit;
    Prior prior = priors[static_cast<std::size_t>(t)];
    set_prior_rows(rows, y, kept, prior);
    auto block = out.middleRows(1 + per_target * t, per_target);
    const Vector means = mean_codes(rows, y, prior, kept);
    block.row(0) = unit * means.transpose();
    const Sums spread = sums_by_level(rows, deviations(rows, y, means), kept);
    std::vector<OwnRows> own(static_cast<std::size_t>(rows.n_levels));
    for (const Index i : prior.order) {
      const auto k = static_cast<std::size_t>(i);
      if (kept[k] == 0) continue;
      OwnRows& level = own[static_cast<std::size_t>(rows.level[k])];
      level.y.push_back(y[i]);
      level.cumulated.push_back((level.cumulated.empty() ? 0.0 : level.cumulated.back()) + rows.weights[i]);
    }
    for (Index l = 0; l <= rows.n_levels; ++l) {
      const bool there = l < rows.n_levels;
      const double code = there ? drawn(spread.n[l], spread.z[l], prior.m_spread, prior.spread) : prior.spread;
      block(1, l) = prior.spread > 0 ? std::log(std::max(code, least_spread * prior.spread)) + std::log(unit) : 0.0;
      for (std::size_t q = 0; q < quantile_levels.size(); ++q) {
        block(2 + static_cast<Index>(q), l) =
            unit * (there ? quantile_of(own[static_cast<std::size_t>(l)], prior, y, quantile_levels[q],
                                        prior.m_quantile[q], prior.quantile[q])
                          : prior.quantile[q]);
      }
    }
  }
  return out;
}

}  // namespace

std::vector<std::string> statistic_names(const std::vector<std::string>& targets) {
  std::vector<std::string> out{"log rows"};
  for (const std::string& target : targets) {
    out.push_back("mean of " + target);
    out.push_back("log spread of " + target);
    for (const double p : quantile_levels) out.push_back(message(100.0 * p, " % quantile of ", target));
  }
  return out;
}

Matrix level_codes(const LevelRows& rows) { return codes_of(rows, priors_of(rows), Kept(rows.level.size(), 1)); }

std::vector<Matrix> level_codes_by_fold(const LevelRows& rows, std::uint64_t seed) {
  const Index n = rows.y.cols();
  if (n < 2) return {level_codes(rows).col(rows.n_levels).replicate(1, rows.n_levels + 1)};
  const std::vector<Prior> priors = priors_of(rows);
  const std::vector<Index> fold = folds_of_codes(n, 0, n, seed);
  std::vector<Matrix> out;
  for (Index k = 0; k < std::min(most_folds, n); ++k) {
    Kept kept(fold.size());
    for (std::size_t i = 0; i < fold.size(); ++i) kept[i] = fold[i] == k ? 0 : 1;
    out.push_back(codes_of(rows, priors, kept));
  }
  return out;
}

std::vector<Index> folds_of_codes(Index n, Index first, Index count, std::uint64_t seed) {
  if (n < 2) return std::vector<Index>(static_cast<std::size_t>(count), 0);
  if (n > most_rows_at_once) return folds_of_places(first, count, most_folds, seed);
  const std::vector<Index> all = assign_folds(n, std::min(most_folds, n), seed);
  return {all.begin() + first, all.begin() + first + count};
}

Matrix codes_out_of_fold(const LevelRows& rows, std::uint64_t seed) {
  const Index n = rows.y.cols();
  Matrix out(1 + per_target * rows.y.rows(), n);
  const std::vector<Matrix> codes = level_codes_by_fold(rows, seed);
  const std::vector<Index> fold = folds_of_codes(n, 0, n, seed);
  for (std::size_t i = 0; i < fold.size(); ++i) {
    out.col(static_cast<Index>(i)) = codes[static_cast<std::size_t>(fold[i])].col(rows.level[i]);
  }
  return out;
}

}  // namespace condens
