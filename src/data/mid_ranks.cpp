#include "mid_ranks.hpp"

#include <algorithm>
#include <numeric>

namespace condens {

MidRanks mid_ranks(const VectorView& values, const VectorView& weights) {
  std::vector<Index> order(static_cast<std::size_t>(values.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index i, Index j) { return values[i] < values[j]; });
  MidRanks out{{}, {}, Vector(values.size())};
  double below = 0;
  for (auto begin = order.begin(); begin != order.end();) {
    const auto end = std::find_if(begin, order.end(), [&](Index i) { return values[i] != values[*begin]; });
    double own = 0;
    for (auto i = begin; i != end; ++i) own += weights[*i];
    for (auto i = begin; i != end; ++i) out.of_rows[*i] = below + 0.5 * own;
    out.values.push_back(values[*begin]);
    out.shares.push_back(below + 0.5 * own);
    below += own;
    begin = end;
  }
  for (double& share : out.shares) share /= below;
  out.of_rows /= below;
  return out;
}

}  // namespace condens
