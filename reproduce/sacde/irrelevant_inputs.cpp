#include "irrelevant_inputs.hpp"

#include <vector>

#include "condens/core/random.hpp"
#include "condens/data/standardizer.hpp"

namespace condens::reproduce {

namespace {

constexpr double noise_ratio = 3;

/// `data` with one more input: the row, and noise of three times its standard deviation.
template <class Row>
void add_noisy(Matrix& x, Index place, const Row& row, RandomStream& random) {
  x.row(place) = row;
  const double deviation = Standardizer::fit(x.row(place), Vector()).scale()[0];
  for (Index i = 0; i < x.cols(); ++i) x(place, i) += noise_ratio * deviation * random.normal();
}

Matrix with_room(const Dataset& data, Index count) {
  Matrix x(data.x.rows() + count, data.size());
  x.topRows(data.x.rows()) = Matrix(data.x);
  return x;
}

}  // namespace

Dataset with_noisy_copies(const Dataset& data, Index count, std::uint64_t seed) {
  Matrix x = with_room(data, count);
  for (Index j = 0; j < count; ++j) {
    RandomStream random(seed, static_cast<std::uint64_t>(j));
    add_noisy(x, data.x.rows() + j, Eigen::RowVectorXd(x.row(0)), random);
  }
  return {.x = std::move(x), .y = data.y};
}

Dataset with_noisy_mixtures(const Dataset& data, Index count, std::uint64_t seed) {
  const Standardizer scale = Standardizer::fit(data.x, Vector());
  const Matrix standardized = scale.transform(data.x);
  std::vector<Index> varying;
  for (Index d = 0; d < data.x.rows(); ++d)
    if (!scale.is_constant(d)) varying.push_back(d);
  const Index n_varying = static_cast<Index>(varying.size());
  Matrix x = with_room(data, count);
  for (Index j = 0; j < count; ++j) {
    RandomStream random(seed, static_cast<std::uint64_t>(j));
    const bool copy = random.uniform() < 0.5;
    const std::vector<Index> order = random.permutation(n_varying);
    Eigen::RowVectorXd row = standardized.row(varying[static_cast<std::size_t>(order[0])]);
    if (!copy && n_varying > 1) row += standardized.row(varying[static_cast<std::size_t>(order[1])]);
    add_noisy(x, data.x.rows() + j, row, random);
  }
  return {.x = std::move(x), .y = data.y};
}

}  // namespace condens::reproduce
