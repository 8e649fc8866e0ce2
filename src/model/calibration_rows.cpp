#include "calibration_rows.hpp"

#include <algorithm>

#include "condens/core/random.hpp"

namespace condens {

CalibrationRows calibration_rows(Index n, Index count, std::uint64_t seed) {
  constexpr std::uint64_t stream_of_calibration = 3'000;
  std::vector<Index> order = RandomStream(seed, stream_of_calibration).permutation(n);
  std::sort(order.begin(), order.begin() + count);
  std::sort(order.begin() + count, order.end());
  return {{order.begin(), order.begin() + count}, {order.begin() + count, order.end()}};
}

}  // namespace condens
