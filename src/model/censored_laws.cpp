#include "censored_laws.hpp"

#include <algorithm>
#include <cmath>

namespace condens {

namespace {

// Below it a probability has lost digits.
constexpr double least_probability = 1e-290;

/// Numbers with something finite in the place of infinities, whose results are not used.
Vector finite_or_zero(const VectorView& y) { return y.array().isFinite().select(y, 0.0); }

/// log(exp(a) - exp(b)), a >= b.
double log_difference(double a, double b) { return a > b ? a + std::log1p(-std::exp(b - a)) : -infinity; }

}  // namespace

Vector log_likelihood(const GaussianMixtures& laws, const Censoring& rows, const Run& run) {
  const Index n = rows.size();
  Vector low(n);
  for (Index i = 0; i < n; ++i) low[i] = rows.known_low(i);
  const Vector& high = rows.high;
  const Vector a = finite_or_zero(low);
  const Vector b = finite_or_zero(high);
  const Vector density = laws.log_pdf(a.transpose(), run);
  const Vector above_low = laws.log_sf(a, run);
  const Vector above_high = laws.log_sf(b, run);
  const Vector up_to_low = laws.log_cdf(a, run);
  const Vector up_to_high = laws.log_cdf(b, run);
  const Vector between = laws.probability(a, b, run);
  Vector out(n);
  for (Index i = 0; i < n; ++i) {
    if (rows.is_exact(i))
      out[i] = std::isfinite(low[i]) ? density[i] : -infinity;
    else if (low[i] == -infinity)
      out[i] = high[i] == infinity ? 0.0 : up_to_high[i];
    else if (high[i] == infinity)
      out[i] = above_low[i];
    else if (between[i] > least_probability)
      out[i] = std::log(between[i]);
    else
      out[i] = above_low[i] < up_to_high[i] ? log_difference(above_low[i], above_high[i])
                                            : log_difference(up_to_high[i], up_to_low[i]);
    // So short an interval that its ends have one tail: the density times its length.
    if (out[i] == -infinity && std::isfinite(low[i]) && low[i] < high[i])
      out[i] = density[i] + std::log(high[i] - low[i]);
  }
  if (rows.entry.size() == 0) return out;
  const Vector seen = laws.log_sf(finite_or_zero(rows.entry), run);
  for (Index i = 0; i < n; ++i) {
    if (std::isfinite(rows.entry[i])) out[i] -= seen[i];
  }
  return out;
}

Vector quantile_between(const GaussianMixtures& laws, const VectorView& low, const VectorView& high,
                        const VectorView& u, const Run& run) {
  const Index n = low.size();
  const Vector a = finite_or_zero(low);
  const Vector b = finite_or_zero(high);
  const Vector up_to_low = laws.cdf(a, run);
  const Vector up_to_high = laws.cdf(b, run);
  const Vector above_low = laws.sf(a, run);
  const Vector above_high = laws.sf(b, run);
  // Levels from the tail in which the interval lies; a half stands where none is needed.
  Vector lower_level = Vector::Constant(n, 0.5);
  Vector upper_level = Vector::Constant(n, 0.5);
  enum class Way { lower, upper, none };
  std::vector<Way> ways(static_cast<std::size_t>(n), Way::none);
  for (Index i = 0; i < n; ++i) {
    const bool open_below = low[i] == -infinity;
    const bool open_above = high[i] == infinity;
    const double below = open_below ? 0.0 : up_to_low[i];
    const double above = open_above ? 0.0 : above_high[i];
    const bool from_below = below < 0.5;
    const double mass = from_below ? (open_above ? 1.0 : up_to_high[i]) - below : above_low[i] - above;
    const double level = from_below ? below + u[i] * mass : above + (1.0 - u[i]) * mass;
    if (!(mass > least_probability) || !(level > 0.0) || !(level < 1.0)) continue;
    (from_below ? lower_level : upper_level)[i] = level;
    ways[static_cast<std::size_t>(i)] = from_below ? Way::lower : Way::upper;
  }
  const Vector from_lower = laws.quantile_each(lower_level, run);
  const Vector from_upper = laws.upper_quantile_each(upper_level, run);
  const Vector density_low = laws.log_pdf(a.transpose(), run);
  const Vector density_high = laws.log_pdf(b.transpose(), run);
  const Vector tail_low = laws.log_sf(a, run);
  const Vector tail_high = laws.log_cdf(b, run);
  Vector out(n);
  for (Index i = 0; i < n; ++i) {
    const Way way = ways[static_cast<std::size_t>(i)];
    if (way == Way::lower)
      out[i] = from_lower[i];
    else if (way == Way::upper)
      out[i] = from_upper[i];
    else if (std::isfinite(low[i]) && std::isfinite(high[i]))
      out[i] = low[i] + u[i] * (high[i] - low[i]);
    else if (std::isfinite(low[i]))
      out[i] = low[i] - std::log1p(-u[i]) * std::exp(tail_low[i] - density_low[i]);
    else
      out[i] = high[i] + std::log(u[i]) * std::exp(tail_high[i] - density_high[i]);
    out[i] = std::clamp(out[i], low[i], high[i]);
  }
  return out;
}

}  // namespace condens
