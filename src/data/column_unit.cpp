#include "column_unit.hpp"

#include <cmath>
#include <limits>

#include "condens/core/errors.hpp"

namespace condens {

double coarseness(double value, double standard_deviation) {
  const double size = std::abs(value);
  return (std::nextafter(size, std::numeric_limits<double>::infinity()) - size) / standard_deviation;
}

std::string unit_problem(const VectorView& values, double standard_deviation) {
  if (values.size() == 0 || !(standard_deviation > 0)) return "";
  const double largest = values.cwiseAbs().maxCoeff();
  if (largest > largest_value) {
    return message("has values up to ", largest, " in absolute value, expected at most ", largest_value,
                   ": change the unit, or mend the outlier");
  }
  if (standard_deviation < smallest_spread) {
    return message("has a standard deviation of ", standard_deviation, ", expected at least ", smallest_spread,
                   ": change the unit");
  }
  return "";
}

std::string target_problem(const VectorView& values, double standard_deviation) {
  constexpr double coarsest = 0.25;
  std::string out = unit_problem(values, standard_deviation);
  if (!out.empty() || values.size() == 0 || !(standard_deviation > 0)) return out;
  if (coarseness(values.cwiseAbs().maxCoeff(), standard_deviation) <= coarsest) return "";
  return message("is constant but for rounding: its standard deviation is ", standard_deviation, " about ", values[0],
                 "; subtract a constant where the column is made");
}

}  // namespace condens
