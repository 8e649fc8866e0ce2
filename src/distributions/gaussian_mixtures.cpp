// Many laws: fixed blocks of laws over threads, each law by the code of a single one.

#include <algorithm>
#include <cmath>
#include <string>

#include "condens/core/cancellation.hpp"
#include "condens/core/parallel.hpp"
#include "condens/distributions/gaussian_mixture.hpp"
#include "density_cells.hpp"
#include "law_blocks.hpp"
#include "linalg/log_sum_exp.hpp"
#include "linalg/vector_math.hpp"
#include "mixture_checks.hpp"
#include "mixture_view.hpp"

namespace condens {

using namespace detail;

namespace {

template <class Value>
Vector numbers(const GaussianMixtures& laws, const Run& run, std::string name, const Value& value) {
  Vector out(laws.size());
  for_each_law(laws, run, std::move(name), [&](Index i, const MixtureView& p) { out[i] = value(i, p); });
  return out;
}

template <class Value>
Matrix columns(const GaussianMixtures& laws, const Run& run, std::string name, Index rows, const Value& value) {
  Matrix out(rows, laws.size());
  for_each_law(laws, run, std::move(name), [&](Index i, const MixtureView& p) { out.col(i) = value(i, p); });
  return out;
}

/// A table of pairs stays in the cache up to about this many components. Laws of more have most weights near zero.
constexpr Index most_components_of_table = 1000;

/// Laws that share between so many components, and so many of them, take the products w'Tw together: their sums are in
/// another order than those of a single law.
constexpr Index fewest_components_of_product = 64;
constexpr Index most_components_of_product = 512;
constexpr Index fewest_laws_of_product = 16;

/// w'Tw for the weights w of every law; the upper triangle of T is given.
Vector pair_products(const GaussianMixtures& laws, const Run& run, std::string name, Matrix table) {
  table.triangularView<Eigen::StrictlyLower>() = table.transpose();
  Vector out(laws.size());
  over_blocks(run, std::move(name), laws.size(), [&](Range range) {
    Matrix weights = laws.log_weights().middleCols(range.begin, range.size());
    exp_in_place(weights);
    const Matrix product = table * weights;
    for (Index i = 0; i < range.size(); ++i) {
      out[range.begin + i] = dot(weights.col(i).data(), product.col(i).data(), weights.rows());
    }
  });
  return out;
}

/// A mean over pairs of components of every law; a table of shared components is computed once.
template <class Mean>
Vector pair_terms(const GaussianMixtures& laws, const Run& run, std::string name, const Mean& mean,
                  Matrix (*table_of)(const MixtureView&)) {
  if (laws.size() == 0) return Vector(0);
  if (!laws.has_shared_components() || laws.n_components() > most_components_of_table) {
    return numbers(laws, run, std::move(name), [&](Index, const MixtureView& p) { return mean(p); });
  }
  Vector weights;
  Matrix table = table_of(law_view(laws, 0, weights));
  const Index m = laws.n_components();
  if (m >= fewest_components_of_product && m <= most_components_of_product && laws.size() >= fewest_laws_of_product) {
    return pair_products(laws, run, std::move(name), std::move(table));
  }
  return numbers(laws, run, std::move(name), [&](Index, const MixtureView& p) { return mean(p, table); });
}

/// Points for each law, when `count` numbers or columns are given.
Index points_per_law(const GaussianMixtures& laws, Index count, std::string_view where, std::string_view name) {
  const Index n = laws.size();
  require(n == 0 ? count == 0 : count % n == 0, where, ": ", name, " has ", count, " points for ", n,
          " distributions; expected as many for each distribution");
  return n == 0 ? 0 : count / n;
}

Index require_points(const GaussianMixtures& laws, const MatrixView& y, std::string_view where) {
  require_shape(y, laws.dimension(), y.cols(), where, "y");
  require_numbers(y, where, "y");
  return points_per_law(laws, y.cols(), where, "y");
}

Index require_line_points(const GaussianMixtures& laws, const VectorView& y, std::string_view where,
                          std::string_view instead = kUseMarginal) {
  require_univariate(laws.dimension(), where, instead);
  require_numbers(y, where, "y");
  return points_per_law(laws, y.size(), where, "y");
}

Index require_tail_levels(const GaussianMixtures& laws, const VectorView& levels, std::string_view where) {
  require_univariate(laws.dimension(), where, kUseMarginal);
  for (const double level : levels) {
    require(level > 0.0 && level <= 1.0, where, ": level = ", level, ", expected a number in (0, 1]");
  }
  return points_per_law(laws, levels.size(), where, "levels");
}

/// value(law i, j) for the k points j of every law i, which are consecutive.
template <class Value>
Vector at_points(const GaussianMixtures& laws, const Run& run, std::string name, Index k, const Value& value) {
  Vector out(k * laws.size());
  for_each_law(laws, run, std::move(name), [&](Index i, const MixtureView& p) {
    for (Index j = i * k; j < (i + 1) * k; ++j) out[j] = value(p, j);
  });
  return out;
}

/// log p_i at the `points` columns of y that `first(i)` begins: points x n.
Matrix log_densities(const GaussianMixtures& laws, const Matrix& y, Index points, bool own_points, const Run& run) {
  const Index m = laws.n_components();
  const auto table_of = [&](Index first) { return DensityTable(view_of(laws.components(), first, m)); };
  Matrix out(points, laws.size());
  if (out.size() == 0) return out;
  const Index points_between_looks = 1 + 10'000 / m;  // one law may have a million components, and all the points
  const DensityTable common = table_of(0);
  over_blocks(run, "log density", laws.size(), [&](Range range) {
    Vector work(m);
    for (Index i = range.begin; i < range.end; ++i) {
      const double* log_weights = laws.log_weights().data() + i * m;
      const Index first = own_points ? i * points : 0;
      const auto fill = [&](const DensityTable& table) {
        for (Index q = 0; q < points; ++q) {
          if (q % points_between_looks == points_between_looks - 1) check_cancelled();
          out(q, i) = table.log_pdf(log_weights, y.col(first + q).data(), work.data());
        }
      };
      if (laws.has_shared_components()) {
        fill(common);
      } else {
        fill(table_of(i * m));
      }
    }
  });
  return out;
}

/// The masses of k points y of every law, whose components are shared.
Vector highest_density_masses(const GaussianMixtures& laws, const VectorView& y, Index k, const DensityCells& cells,
                              const Run& run) {
  Vector out(y.size());
  over_blocks(run, "highest-density mass", laws.size(), [&](Range range) {
    Matrix weights = laws.log_weights().middleCols(range.begin, range.size());
    exp_in_place(weights);
    const DensityCells::Heights heights = cells.heights(weights);
    for (Index i = range.begin; i < range.end; ++i) {
      const Index column = i - range.begin;
      const MixtureView p = view_of(laws.components(), 0, laws.n_components(), laws.log_weights().col(i).data(),
                                    weights.col(column).data());
      for (Index j = i * k; j < (i + 1) * k; ++j) {
        out[j] = detail::highest_density_mass(p, y[j], cells, heights.density.col(column).data(),
                                              heights.bend.col(column).data());
      }
    }
  });
  return out;
}

}  // namespace

Vector GaussianMixtures::log_pdf(const MatrixView& y, const Run& run) const {
  const Index k = require_points(*this, y, "GaussianMixtures::log_pdf");
  return log_densities(*this, y, k, true, run).reshaped();
}

Vector GaussianMixtures::pdf(const MatrixView& y, const Run& run) const {
  const Index k = require_points(*this, y, "GaussianMixtures::pdf");
  Vector out = log_densities(*this, y, k, true, run).reshaped();
  for (double& value : out) value = std::exp(value);
  return out;
}

Matrix GaussianMixtures::log_pdf_grid(const MatrixView& y, const Run& run) const {
  require_shape(y, dimension(), y.cols(), "GaussianMixtures::log_pdf_grid", "y");
  require_numbers(y, "GaussianMixtures::log_pdf_grid", "y");
  return log_densities(*this, y, y.cols(), false, run);
}

Vector GaussianMixtures::cdf(const VectorView& y, const Run& run) const {
  const Index k = require_line_points(*this, y, "GaussianMixtures::cdf");
  return at_points(*this, run, "cdf", k, [&](const MixtureView& p, Index j) { return detail::cdf(p, y[j]); });
}

Vector GaussianMixtures::sf(const VectorView& y, const Run& run) const {
  const Index k = require_line_points(*this, y, "GaussianMixtures::sf");
  return at_points(*this, run, "sf", k, [&](const MixtureView& p, Index j) { return detail::sf(p, y[j]); });
}

Vector GaussianMixtures::probability(const VectorView& lower, const VectorView& upper, const Run& run) const {
  const std::string_view where = "GaussianMixtures::probability";
  const Index k = require_line_points(*this, lower, where);
  require_line_points(*this, upper, where);
  require(lower.size() == upper.size(), where, ": lower has ", lower.size(), " numbers and upper ", upper.size(),
          "; expected as many");
  return at_points(*this, run, "probability", k, [&](const MixtureView& p, Index j) {
    return lower[j] < upper[j] ? detail::probability(p, lower[j], upper[j]) : 0.0;
  });
}

Vector GaussianMixtures::lower_tail_mean(const VectorView& levels, const Run& run) const {
  const Index k = require_tail_levels(*this, levels, "GaussianMixtures::lower_tail_mean");
  return at_points(*this, run, "expected shortfall", k,
                   [&](const MixtureView& p, Index j) { return detail::lower_tail_mean(p, levels[j]); });
}

Vector GaussianMixtures::upper_tail_mean(const VectorView& levels, const Run& run) const {
  const Index k = require_tail_levels(*this, levels, "GaussianMixtures::upper_tail_mean");
  return at_points(*this, run, "expected shortfall", k,
                   [&](const MixtureView& p, Index j) { return detail::upper_tail_mean(p, levels[j]); });
}

Vector GaussianMixtures::log_cdf(const VectorView& y, const Run& run) const {
  const Index k = require_line_points(*this, y, "GaussianMixtures::log_cdf");
  return at_points(*this, run, "log cdf", k, [&](const MixtureView& p, Index j) { return detail::log_cdf(p, y[j]); });
}

Vector GaussianMixtures::log_sf(const VectorView& y, const Run& run) const {
  const Index k = require_line_points(*this, y, "GaussianMixtures::log_sf");
  return at_points(*this, run, "log sf", k, [&](const MixtureView& p, Index j) { return detail::log_sf(p, y[j]); });
}

Vector GaussianMixtures::quantile_each(const VectorView& levels, const Run& run) const {
  require_univariate(dimension(), "GaussianMixtures::quantile_each", kUseMarginal);
  const Index k = points_per_law(*this, levels.size(), "GaussianMixtures::quantile_each", "levels");
  for (const double level : levels) require_level(level, "GaussianMixtures::quantile_each");
  return at_points(*this, run, "quantile", k,
                   [&](const MixtureView& p, Index j) { return detail::quantile(p, levels[j]); });
}

Vector GaussianMixtures::upper_quantile_each(const VectorView& levels, const Run& run) const {
  require_univariate(dimension(), "GaussianMixtures::upper_quantile_each", kUseMarginal);
  const Index k = points_per_law(*this, levels.size(), "GaussianMixtures::upper_quantile_each", "levels");
  for (const double level : levels) require_level(level, "GaussianMixtures::upper_quantile_each");
  return at_points(*this, run, "upper quantile", k,
                   [&](const MixtureView& p, Index j) { return detail::upper_quantile(p, levels[j]); });
}

Matrix GaussianMixtures::quantile(const VectorView& levels, const Run& run) const {
  require_univariate(dimension(), "GaussianMixtures::quantile", kUseMarginal);
  for (Index k = 0; k < levels.size(); ++k) require_level(levels[k], "GaussianMixtures::quantile");
  return columns(*this, run, "quantile", levels.size(),
                 [&](Index, const MixtureView& p) { return detail::quantiles(p, levels); });
}

Vector GaussianMixtures::median(const Run& run) const {
  require_univariate(dimension(), "GaussianMixtures::median", kUseMarginal);
  return numbers(*this, run, "median", [](Index, const MixtureView& p) { return detail::quantile(p, 0.5); });
}

Matrix GaussianMixtures::interval(double mass, const Run& run) const {
  require_univariate(dimension(), "GaussianMixtures::interval", kUseMarginal);
  require_mass(mass, "GaussianMixtures::interval");
  const double rest = 0.5 * (1.0 - mass);
  return columns(*this, run, "interval", 2, [rest](Index, const MixtureView& p) {
    const Interval ends = quantile_pair(p, rest);
    return Vector{{ends.lower, ends.upper}};
  });
}

std::vector<std::vector<Interval>> GaussianMixtures::highest_density_region(double mass, const Run& run) const {
  require_univariate(dimension(), "GaussianMixtures::highest_density_region", kUseMarginal);
  require_mass(mass, "GaussianMixtures::highest_density_region");
  std::vector<std::vector<Interval>> out(static_cast<std::size_t>(size()));
  for_each_law(*this, run, "highest-density region", [&](Index i, const MixtureView& p) {
    out[static_cast<std::size_t>(i)] = detail::highest_density_region(p, mass);
  });
  return out;
}

Vector GaussianMixtures::highest_density_mass(const VectorView& y, const Run& run) const {
  const Index k = require_line_points(*this, y, "GaussianMixtures::highest_density_mass");
  if (has_shared_components()) {
    const auto cells = DensityCells::of(view_of(components(), 0, n_components()), size());
    if (cells) return highest_density_masses(*this, y, k, *cells, run);
  }
  return at_points(*this, run, "highest-density mass", k,
                   [&](const MixtureView& p, Index j) { return detail::highest_density_mass(p, y[j]); });
}

Matrix GaussianMixtures::mean(const Run& run) const {
  return columns(*this, run, "mean", dimension(), [](Index, const MixtureView& p) { return detail::mean(p); });
}

Matrix GaussianMixtures::variance(const Run& run) const {
  return columns(*this, run, "variance", dimension(), [](Index, const MixtureView& p) { return detail::variance(p); });
}

Matrix GaussianMixtures::covariance(const Run& run) const {
  return columns(*this, run, "covariance", dimension() * dimension(),
                 [](Index, const MixtureView& p) { return Vector(detail::covariance(p).reshaped()); });
}

Vector GaussianMixtures::skewness(const Run& run) const {
  require_univariate(dimension(), "GaussianMixtures::skewness", kUseMarginal);
  return numbers(*this, run, "skewness", [](Index, const MixtureView& p) { return detail::skewness(p); });
}

Vector GaussianMixtures::kurtosis(const Run& run) const {
  require_univariate(dimension(), "GaussianMixtures::kurtosis", kUseMarginal);
  return numbers(*this, run, "kurtosis", [](Index, const MixtureView& p) { return detail::kurtosis(p); });
}

Vector GaussianMixtures::raw_moment(Index order, const Run& run) const {
  require_univariate(dimension(), "GaussianMixtures::raw_moment", kUseMarginal);
  require(order >= 0, "GaussianMixtures::raw_moment: order is ", order, "; expected >= 0");
  return numbers(*this, run, "moment", [order](Index, const MixtureView& p) { return detail::raw_moment(p, order); });
}

Matrix GaussianMixtures::mode(const Run& run) const {
  return columns(*this, run, "mode", dimension(), [](Index, const MixtureView& p) { return detail::mode(p); });
}

std::vector<Matrix> GaussianMixtures::modes(const Run& run) const {
  std::vector<Matrix> out(static_cast<std::size_t>(size()));
  for_each_law(*this, run, "modes",
               [&](Index i, const MixtureView& p) { out[static_cast<std::size_t>(i)] = detail::modes(p); });
  return out;
}

Vector GaussianMixtures::entropy(const Run& run) const {
  require_univariate(dimension(), "GaussianMixtures::entropy", kUseMarginal);
  return numbers(*this, run, "entropy", [](Index, const MixtureView& p) { return detail::entropy(p); });
}

Vector GaussianMixtures::squared_l2_norm(const Run& run) const {
  const auto mean = [](const auto&... given) { return detail::mean_overlap(given...); };
  return pair_terms(*this, run, "squared L2 norm", mean, overlap_table);
}

Vector GaussianMixtures::energy(const Run& run) const {
  const auto mean = [](const auto&... given) { return detail::mean_pair_distance(given...); };
  return pair_terms(*this, run, "energy", mean, distance_table);
}

Vector GaussianMixtures::mean_distance(const MatrixView& y, const Run& run) const {
  const Index k = require_points(*this, y, "GaussianMixtures::mean_distance");
  const Matrix points = y;
  Vector out(points.cols());
  for_each_law(*this, run, "mean distance", [&](Index i, const MixtureView& p) {
    detail::mean_distances(p, points.middleCols(i * k, k), out.segment(i * k, k));
  });
  return out;
}

Vector GaussianMixtures::energy_score(const MatrixView& y, const Run& run) const {
  const Index k = require_points(*this, y, "GaussianMixtures::energy_score");
  const Vector spread = energy(run);
  Vector out = mean_distance(y, run);
  for (Index j = 0; j < out.size(); ++j) out[j] -= 0.5 * spread[j / k];
  return out;
}

Vector GaussianMixtures::crps(const VectorView& y, const Run& run) const {
  require_line_points(*this, y, "GaussianMixtures::crps", "use energy_score, or marginal(j)");
  return energy_score(Eigen::Map<const Matrix>(y.data(), 1, y.size()), run);
}

Vector GaussianMixtures::squared_loss(const MatrixView& y, const Run& run) const {
  const Index k = require_points(*this, y, "GaussianMixtures::squared_loss");
  const Vector norm = squared_l2_norm(run);
  Vector out = pdf(y, run);
  for (Index j = 0; j < out.size(); ++j) out[j] = 0.5 * norm[j / k] - out[j];
  return out;
}

Matrix GaussianMixtures::sample(Index per_law, std::uint64_t seed, const Run& run) const {
  require(per_law >= 0, "GaussianMixtures::sample: per_law is ", per_law, "; expected >= 0");
  Matrix out(dimension(), per_law * size());
  for_each_law(*this, run, "sample", [&](Index i, const MixtureView& p) {
    RandomStream random(seed, static_cast<std::uint64_t>(i));
    out.middleCols(i * per_law, per_law) = detail::sample(p, per_law, random);
  });
  return out;
}

}  // namespace condens
