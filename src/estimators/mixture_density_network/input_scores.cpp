#include "input_scores.hpp"

#include <algorithm>
#include <vector>

#include "data/mid_ranks.hpp"
#include "linalg/normal_quantile.hpp"

namespace condens::mdn {

namespace {

constexpr Index most_knots = 64;

/// Which values are knots: the first, the last, and those nearest above equal steps of the share between them.
std::vector<std::size_t> knots_of(const MidRanks& ranks) {
  const std::size_t last = ranks.values.size() - 1;
  std::vector<std::size_t> out;
  for (Index k = 0; k < most_knots; ++k) {
    const double share = static_cast<double>(k) / static_cast<double>(most_knots - 1);
    const double level = ranks.shares.front() + share * (ranks.shares.back() - ranks.shares.front());
    const auto above = std::lower_bound(ranks.shares.begin(), ranks.shares.end(), level);
    const std::size_t place = std::min(static_cast<std::size_t>(above - ranks.shares.begin()), last);
    if (out.empty() || place > out.back()) out.push_back(place);
  }
  if (out.back() != last) out.push_back(last);
  return out;
}

double interpolate(const Eigen::Ref<const Vector>& knots, const Eigen::Ref<const Vector>& values, double at) {
  const double* const begin = knots.data();
  const double* const end = begin + knots.size();
  const double* const above = std::upper_bound(begin, end, at);
  if (above == begin) return values[0];
  if (above == end) return values[values.size() - 1];
  const Index k = above - begin;
  return values[k - 1] + (values[k] - values[k - 1]) * (at - knots[k - 1]) / (knots[k] - knots[k - 1]);
}

}  // namespace

InputScores InputScores::fit(const MatrixView& x, const VectorView& weights) {
  std::vector<Index> inputs;
  std::vector<Vector> knots;
  std::vector<Vector> values;
  for (Index j = 0; j < x.rows(); ++j) {
    const MidRanks ranks = mid_ranks(x.row(j).transpose(), weights);
    if (ranks.values.size() <= 2) continue;
    const std::vector<std::size_t> places = knots_of(ranks);
    Vector at(most_knots);
    Vector score(most_knots);
    for (Index k = 0; k < most_knots; ++k) {
      const std::size_t place = places[std::min(static_cast<std::size_t>(k), places.size() - 1)];
      at[k] = ranks.values[place];
      score[k] = normal_quantile(ranks.shares[place]);
    }
    inputs.push_back(j);
    knots.push_back(std::move(at));
    values.push_back(std::move(score));
  }
  const Index count = std::ssize(inputs);
  InputScores out{Vector(count), Matrix(most_knots, count), Matrix(most_knots, count)};
  for (Index s = 0; s < count; ++s) {
    const auto place = static_cast<std::size_t>(s);
    out.inputs[s] = static_cast<double>(inputs[place]);
    out.knots.col(s) = knots[place];
    out.values.col(s) = values[place];
  }
  return out;
}

Matrix InputScores::append(const MatrixView& x) const {
  Matrix out(x.rows() + inputs.size(), x.cols());
  out.topRows(x.rows()) = x;
  for (Index i = 0; i < x.cols(); ++i) {
    for (Index s = 0; s < inputs.size(); ++s) {
      out(x.rows() + s, i) = interpolate(knots.col(s), values.col(s), x(static_cast<Index>(inputs[s]), i));
    }
  }
  return out;
}

}  // namespace condens::mdn
