#pragma once
// One distribution of a target with a support of its own (target_distributions.hpp): Y is atom k with probability pi_k
// and else y(X), rounded to the values where there are some.

#include <vector>

#include "condens/core/random.hpp"
#include "condens/distributions/target_support.hpp"
#include "mixture_view.hpp"

namespace condens::detail {

class TargetLaw {
 public:
  /// `shares`: 1 + K probabilities, of no atom and of each.
  TargetLaw(const MixtureView& p, const TargetSupport& support, const double* shares);

  double log_pdf(double y) const;
  double log_height(double y) const;
  double cdf(double y) const;
  double cdf_below(double y) const;
  double sf(double y) const;
  double mass_at(double y) const;
  double quantile(double level) const { return quantile(level, 1.0 - level); }
  double upper_quantile(double level) const { return quantile(1.0 - level, level); }
  double mean() const;
  double variance() const;
  double mode() const;
  std::vector<Interval> highest_density_region(double mass) const;
  double highest_density_mass(double y) const;
  double crps(double y) const;
  double draw(RandomStream& random) const;

 private:
  struct Cell {
    double value;
    double mass;
  };
  /// Values from the first likely one on, as many as are summed over, and the x and probability beyond them: none and
  /// all of it where whole numbers are so large that Y is y(X) to rounding.
  struct Head {
    std::vector<Cell> cells;
    double end;
    double beyond;
  };

  double rest() const { return shares_[0]; }
  double atom_share(std::size_t k) const { return shares_[k + 1]; }
  double atoms_up_to(double y) const;
  double atoms_above(double y) const;

  // Of Y that is no atom:
  double x_up_to(double y) const;  ///< where X ends for Y <= y
  double x_below(double y) const;  ///< where X ends for Y < y
  double place_of(double x) const;
  double value_of(double x) const;
  double unit(double level) const;
  double quantile(double level, double above) const;
  Head head() const;
  std::vector<double> panels() const;
  double density_integral(const auto& f, double from) const;
  double mean_beyond(double from) const;
  double square_beyond(double from, double around) const;
  double rest_mean() const;
  double rest_variance(double around) const;
  double continuous_crps(double y, double from) const;

  const MixtureView& p_;
  const TargetSupport& support_;
  const double* shares_;
};

/// The monotone pieces of the density of y(X), by x.
class TargetProfile {
 public:
  TargetProfile(const MixtureView& p, const TargetMap& map);

  double mode() const;  ///< x
  /// Intervals of x where the density exceeds exp(u), from left to right.
  std::vector<Interval> above(double u) const;
  std::vector<Interval> of_mass(double mass) const;
  double mass_above(double u) const;
  double log_density(double x) const;

 private:
  double cut(double low, double high, double u) const;

  const MixtureView& p_;
  const TargetMap& map_;
  std::vector<double> nodes_;    // of x, ascending: the density rises or falls between neighbours
  std::vector<double> heights_;  // its logarithm
};

}  // namespace condens::detail
