#pragma once
// The artificial data of section 3.2: x of five independent standard normal inputs and
//
//   (a)  y = x_1^2 + x_2^2 + eps,            d_z = 2
//   (b)  y = x_2 + x_2^2 + x_2^3 + eps,      d_z = 1,       eps ~ N(0, 0.25^2).

#include <iosfwd>
#include <string>
#include <vector>

#include "condens/data/dataset.hpp"
#include "condens/distributions/gaussian_mixture.hpp"

namespace condens::reproduce {

struct Toy {
  std::string name;
  std::vector<Index> relevant;        ///< inputs
  double (*location)(const double*);  ///< of y, for the inputs of a row
  double target_deviation;            ///< standard deviation of y, exact

  Index n_components() const { return std::ssize(relevant); }

  /// n independent rows.
  Dataset sample(Index n, std::uint64_t seed) const;

  /// The true law of y at every column of x.
  GaussianMixtures truth(const MatrixView& x) const;

  /// W*, whose rows are unit vectors on any scale of the inputs.
  Matrix components() const;
};

Toy toy_a();
Toy toy_b();

/// Error_CDE of the true density on the scale of the data, -1 / (4 sqrt(pi) 0.25) = -0.5642 (errata R12):
/// the least that any estimate can have.
double least_error();

/// Checks that the toys are what they claim, and prints the lower bounds of Error_CDE on the scale
/// of the data and of y at unit variance. Throws std::runtime_error otherwise.
void check_toys(std::ostream& out);

}  // namespace condens::reproduce
