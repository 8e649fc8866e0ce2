#include "input_scores.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "linalg/normal_quantile.hpp"

namespace condens::mdn {

namespace {

constexpr Index most_knots = 64;

/// The different values of an input, and of each the share of the weight below it and of half of its own.
struct Ranks {
  std::vector<double> values;
  std::vector<double> levels;
};

Ranks ranks_of(const Vector& input, const VectorView& weights) {
  std::vector<Index> order(static_cast<std::size_t>(input.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return input[a] < input[b]; });
  Ranks out;
  double below = 0;
  const double total = weights.sum();
  for (std::size_t i = 0; i < order.size();) {
    double own = 0;
    const double value = input[order[i]];
    for (; i < order.size() && input[order[i]] == value; ++i) own += weights[order[i]];
    out.values.push_back(value);
    out.levels.push_back((below + 0.5 * own) / total);
    below += own;
  }
  return out;
}

/// Which values are knots: the first, the last, and those nearest above equal steps of the level between them.
std::vector<std::size_t> knots_of(const Ranks& ranks) {
  const std::size_t last = ranks.values.size() - 1;
  std::vector<std::size_t> out;
  for (Index k = 0; k < most_knots; ++k) {
    const double share = static_cast<double>(k) / static_cast<double>(most_knots - 1);
    const double level = ranks.levels.front() + share * (ranks.levels.back() - ranks.levels.front());
    const auto above = std::lower_bound(ranks.levels.begin(), ranks.levels.end(), level);
    const std::size_t place = std::min(static_cast<std::size_t>(above - ranks.levels.begin()), last);
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
    const Ranks ranks = ranks_of(x.row(j).transpose(), weights);
    if (ranks.values.size() <= 2) continue;
    const std::vector<std::size_t> places = knots_of(ranks);
    Vector at(most_knots);
    Vector score(most_knots);
    for (Index k = 0; k < most_knots; ++k) {
      const std::size_t place = places[std::min(static_cast<std::size_t>(k), places.size() - 1)];
      at[k] = ranks.values[place];
      score[k] = normal_quantile(ranks.levels[place]);
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
