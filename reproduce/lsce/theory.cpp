#include "theory.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <vector>

#include "common/differences.hpp"
#include "common/markdown.hpp"
#include "condens/core/random.hpp"
#include "condens/core/types.hpp"
#include "condens/estimators/lsce/projection_objective.hpp"

namespace condens::reproduce {

namespace {

constexpr double spread = 0.5;  ///< of y given x
constexpr double degree = std::numbers::pi / 180;

double normal_density(double at, double mean, double deviation) {
  const double t = (at - mean) / deviation;
  return std::exp(-0.5 * t * t) / (std::sqrt(2 * std::numbers::pi) * deviation);
}

/// The mean of y given x, which matters in its first entry only: x ~ N(0, I_2).
double location(double relevant) { return 2 * std::sin(relevant); }

struct TheoremSides {
  double of_z;  ///< SCE-tilde(Y|Z)
  double of_x;  ///< SCE-tilde(Y|X)
  double right;
};

/// z is at an angle to the entry that matters. Sums over grids: of functions that vanish at the ends, they converge
/// faster than any power of the step.
TheoremSides theorem_sides(double angle) {
  constexpr double step = 0.1;
  constexpr Index half = 65;     // of z and of z_perp, up to 6.5
  constexpr double lowest = -7;  // of y
  constexpr Index n_y = 141;
  TheoremSides out{0, -1 / (4 * std::sqrt(std::numbers::pi) * spread), 0};
  for (Index i = -half; i <= half; ++i) {
    const double z = step * static_cast<double>(i);
    const double weight_z = step * normal_density(z, 0, 1);
    for (Index j = 0; j < n_y; ++j) {
      const double y = lowest + step * static_cast<double>(j);
      std::vector<double> given_x;  // p(y|x)
      std::vector<double> weight;   // p(z_perp|z), the same for every z
      double given_z = 0;
      for (Index k = -half; k <= half; ++k) {
        const double other = step * static_cast<double>(k);
        given_x.push_back(normal_density(y, location(std::cos(angle) * z - std::sin(angle) * other), spread));
        weight.push_back(step * normal_density(other, 0, 1));
        given_z += weight.back() * given_x.back();
      }
      out.of_z -= 0.5 * step * weight_z * given_z * given_z;
      if (given_z == 0) continue;
      // p(z_perp, y|z) / (p(z_perp|z) p(y|z)) = p(y|x) / p(y|z)
      for (std::size_t k = 0; k < given_x.size(); ++k)
        out.right += 0.5 * step * weight_z * weight[k] * std::pow((given_x[k] / given_z - 1) * given_z, 2);
    }
  }
  return out;
}

/// SCE-hat of 4,000 samples along the direction at that angle.
double estimated_sce(double angle) {
  constexpr Index n = 4000;
  constexpr Index n_centers = 400;
  constexpr double width = 0.3;
  constexpr double regularization = 1e-4;
  RandomStream random(8);
  Matrix x(2, n);
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) {
    for (double& entry : x.col(i)) entry = random.normal();
    y(0, i) = location(x(0, i)) + spread * random.normal();
  }
  const Matrix centers_y = y.leftCols(n_centers);
  const ProjectionObjective objective(x, Vector(), x.leftCols(n_centers), sce_kernels(y, centers_y, width), width,
                                      regularization, ProjectionCriterion::plug_in);
  Matrix w(1, 2);
  w << std::cos(angle), std::sin(angle);
  return objective.value(w);
}

void check_theorem_1(std::ostream& out) {
  MarkdownTable table({"angle of z to the input that matters (degrees)", "SCE~(Y given Z)", "SCE~(Y given X)",
                       "difference", "right side", "SCE-hat of 4,000 samples"});
  Differences differences;
  double last = -std::numeric_limits<double>::infinity();
  for (const double degrees : {0.0, 15.0, 30.0, 60.0, 90.0}) {
    const TheoremSides sides = theorem_sides(degrees * degree);
    differences.add("Theorem 1 at " + fixed(degrees, 0) + " degrees: left against right side",
                    std::abs(sides.of_z - sides.of_x - sides.right), 1e-9);
    if (!(sides.of_z > last)) throw std::runtime_error("SCE does not grow with the angle");
    last = sides.of_z;
    table.add({fixed(degrees, 0), fixed(sides.of_z, 5), fixed(sides.of_x, 5), fixed(sides.of_z - sides.of_x, 5),
               fixed(sides.right, 5), fixed(estimated_sce(degrees * degree), 3)});
  }
  out << "y = 2 sin(x1) + N(0, 0.5^2) with two standard normal inputs; z is one direction of them.\n\n";
  table.print(out);
  differences.print(out);
}

struct Informations {
  double smi;
  double from_sce;  ///< -V SCE-tilde - 1/2, V the length of the range of y
};

/// Of z uniform on [0, 1] and y = V h(u), h from [0, 1] onto itself, where p(u|z) = 1 + r cos(2 pi (z - u)), so that u
/// is uniform.
Informations informations(double volume, double strength, const std::function<double(double)>& slope) {
  constexpr Index n = 2000;
  Informations out{0, -0.5};
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      const double z = (static_cast<double>(i) + 0.5) / double{n};
      const double u = (static_cast<double>(j) + 0.5) / double{n};
      const double ratio = 1 + strength * std::cos(2 * std::numbers::pi * (z - u));  // p(z, y) / (p(z) p(y))
      const double density = ratio / (volume * slope(u));                            // p(y|z)
      const double cell_y = volume * slope(u) / double{n};
      out.smi += 0.5 * (ratio - 1) * (ratio - 1) / double{n} / double{n};
      out.from_sce += volume * 0.5 * density * density * cell_y / double{n};
    }
  return out;
}

void check_smi(std::ostream& out) {
  constexpr double volume = 3;
  constexpr double strength = 0.8;
  const double growth = std::exp(2.0) - 1;
  const Informations uniform = informations(volume, strength, [](double) { return 1; });
  const Informations skewed = informations(volume, strength, [&](double u) { return 2 * std::exp(2 * u) / growth; });
  Differences differences;
  differences.add("SMI = -V SCE~ - 1/2 where y is uniform", std::abs(uniform.smi - uniform.from_sce), 1e-11);
  differences.add("that SMI against r^2/4", std::abs(uniform.smi - strength * strength / 4), 1e-11);
  differences.add("SMI of y and of a monotone function of it", std::abs(uniform.smi - skewed.smi), 1e-11);
  out << "One dependence of y on z, with y uniform on [0, 3] and y = 3 (exp(2u) - 1)/(exp(2) - 1), u uniform:\n\n";
  MarkdownTable table({"y", "SMI", "-V SCE~ - 1/2"});
  table.add({"uniform", fixed(uniform.smi, 4), fixed(uniform.from_sce, 4)});
  table.add({"skewed", fixed(skewed.smi, 4), fixed(skewed.from_sce, 4)});
  table.print(out);
  differences.print(out);
}

}  // namespace

void check_theory(std::ostream& out) {
  out << "### Theorem 1\n\n";
  check_theorem_1(out);
  out << "### SCE and SMI (section 2.8)\n\n";
  check_smi(out);
}

}  // namespace condens::reproduce
