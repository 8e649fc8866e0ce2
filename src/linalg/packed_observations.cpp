#include "condens/linalg/packed_observations.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "lanes.hpp"

namespace condens {

namespace {

constexpr int panel_width = static_cast<int>(PackedObservations::panel);

constexpr Index steps_of_tile = 128;  // widened at a time: to 16 KiB
constexpr Index tile_bytes = steps_of_tile * panel_width;

constexpr Index most_levels = 256;
// A space between levels is found by Euclid's algorithm; less than this share of the range is rounding.
constexpr double least_space = 1.0 / 512;

#ifdef __AVX512F__

// Sums that stay in registers: some vectors of a panel times some columns.
constexpr int vectors = 2;
constexpr int most_columns = 12;

/// sums[c][m] += panel[t][m] factors[t][c] over the steps t, for C columns from `factors` on.
template <int C>
void add_steps(const double* panel, const double* factors, Index stride, Index steps, double* sums) {
  for (int first = 0; first < panel_width; first += lanes * vectors) {
    Lanes own[C][vectors];
    for (int c = 0; c < C; ++c) {
      for (int v = 0; v < vectors; ++v) load(sums + c * panel_width + first + v * lanes, own[c][v]);
    }
    for (Index t = 0; t < steps; ++t) {
      Lanes numbers[vectors];
      for (int v = 0; v < vectors; ++v) load(panel + t * panel_width + first + v * lanes, numbers[v]);
      for (int c = 0; c < C; ++c) {
        for (int v = 0; v < vectors; ++v) own[c][v] += numbers[v] * factors[t * stride + c];
      }
    }
    for (int c = 0; c < C; ++c) {
      for (int v = 0; v < vectors; ++v) {
        std::memcpy(sums + c * panel_width + first + v * lanes, &own[c][v], sizeof(Lanes));
      }
    }
  }
}

using AddSteps = void (*)(const double*, const double*, Index, Index, double*);
constexpr auto add_steps_of = []<int... C>(std::integer_sequence<int, C...>) {
  return std::array<AddSteps, most_columns>{add_steps<C + 1>...};
}
(std::make_integer_sequence<int, most_columns>{});

/// sums (panel x J) += tile (panel x steps) times the transpose of factors (J x steps).
void add_tile(const double* tile, const double* factors, Index columns, Index steps, Matrix& sums) {
  for (Index column = 0; column < columns; column += most_columns) {
    const Index width = std::min<Index>(most_columns, columns - column);
    add_steps_of[static_cast<std::size_t>(width - 1)](tile, factors + column, columns, steps, sums.col(column).data());
  }
}

#else

// With fewer registers Eigen's product is the faster.
void add_tile(const double* tile, const double* factors, Index columns, Index steps, Matrix& sums) {
  sums.noalias() += Eigen::Map<const Matrix>(tile, panel_width, steps) *
                    Eigen::Map<const Matrix>(factors, columns, steps).transpose();
}

#endif

/// sums (panel x J) = sum over steps of a panel of bytes times the columns of factors (J x steps).
void multiply_panel(const std::uint8_t* bytes, const double* factors, Index columns, Index steps, Matrix& sums) {
  alignas(64) std::array<double, steps_of_tile * panel_width> tile;
  sums.setZero(panel_width, columns);
  for (Index begin = 0; begin < steps; begin += steps_of_tile) {
    const Index count = std::min(steps_of_tile, steps - begin);
    const std::uint8_t* from = bytes + begin * panel_width;
    for (Index k = 0; k < count * panel_width; ++k) tile[static_cast<std::size_t>(k)] = from[k];
    // The next tile is read from memory while this one is multiplied.
    for (Index line = 0; line < tile_bytes; line += 64) __builtin_prefetch(from + tile_bytes + line);
    add_tile(tile.data(), factors + begin * columns, columns, count, sums);
  }
}

struct Levels {
  double offset = 0;
  double step = 0;  // 0: constant
  bool found = false;
};

/// The different values of a coordinate, as long as they are few.
class DifferentValues {
 public:
  void add(double value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(bits));
    double& seen = recent_[static_cast<std::size_t>((bits * 0x9E3779B97F4A7C15U) >> 55U)];
    if (seen == value) return;
    seen = value;
    const auto at = std::lower_bound(sorted_.begin(), sorted_.end(), value);
    if (at == sorted_.end() || *at != value) sorted_.insert(at, value);
  }
  bool few() const { return std::ssize(sorted_) <= most_levels; }

  Levels levels() const {
    Levels out{.offset = sorted_.front(), .step = 0, .found = true};
    const double range = sorted_.back() - out.offset;
    if (range == 0) return out;
    double space = range;
    for (const double value : sorted_) {
      double rest = value - out.offset;
      while (rest > least_space * range) {
        space = std::exchange(rest, std::abs(space - rest * std::round(space / rest)));
      }
    }
    const double last = std::round(range / space);
    out.step = range / last;
    const double rounding = 8 * std::numeric_limits<double>::epsilon() * std::max(std::abs(out.offset), range);
    out.found = last < static_cast<double>(most_levels);
    for (const double value : sorted_) {
      const double code = std::round((value - out.offset) / out.step);
      out.found = out.found && std::abs(out.offset + out.step * code - value) <= rounding;
    }
    return out;
  }

 private:
  std::vector<double> recent_ = std::vector<double>(512, std::numeric_limits<double>::quiet_NaN());
  std::vector<double> sorted_ = {};
};

}  // namespace

std::shared_ptr<const PackedObservations> PackedObservations::pack(const MatrixView& x, int threads) {
  const Index p = x.rows();
  const Index n = x.cols();
  if (p == 0 || n == 0) return nullptr;
  PackedObservations out;
  out.n_ = n;
  out.offset_.resize(p);
  out.step_.resize(p);
  std::atomic<bool> packable = true;
  parallel_for(block_count(p, panel), threads, [&](Index block) {
    const auto [begin, end] = block_range(p, panel, block);
    std::vector<DifferentValues> values(static_cast<std::size_t>(end - begin));
    for (Index i = 0; i < n && packable; ++i) {
      for (Index k = begin; k < end; ++k) {
        DifferentValues& own = values[static_cast<std::size_t>(k - begin)];
        own.add(x(k, i));
        if (!own.few()) packable = false;
      }
    }
    for (Index k = begin; k < end && packable; ++k) {
      const Levels levels = values[static_cast<std::size_t>(k - begin)].levels();
      out.offset_[k] = levels.offset;
      out.step_[k] = levels.step;
      if (!levels.found) packable = false;
    }
  });
  if (!packable) return nullptr;
  for (Index k = 0; k < p; ++k) {
    if (out.step_[k] > 0) out.varying_.push_back(k);
  }
  out.observation_panels_.resize(static_cast<std::size_t>(block_count(n, panel) * panel * out.n_varying()));
  out.coordinate_panels_.resize(static_cast<std::size_t>(block_count(out.n_varying(), panel) * panel * n));
  parallel_for(block_count(out.n_varying(), panel), threads, [&](Index group) { out.fill(x, group); });
  return std::make_shared<const PackedObservations>(std::move(out));
}

/// The bytes of a panel of coordinates.
void PackedObservations::fill(const MatrixView& x, Index group) {
  const auto [begin, end] = block_range(n_varying(), panel, group);
  std::uint8_t* by_coordinate = coordinate_panels_.data() + group * panel * n_;
  for (Index i = 0; i < n_; ++i) {
    std::uint8_t* by_observation = observation_panels_.data() + (i / panel) * panel * n_varying() + i % panel;
    for (Index v = begin; v < end; ++v) {
      const Index k = varying_[static_cast<std::size_t>(v)];
      const auto code = static_cast<std::uint8_t>(std::lround((x(k, i) - offset_[k]) / step_[k]));
      by_coordinate[i * panel + v - begin] = code;
      by_observation[v * panel] = code;
    }
  }
}

void PackedObservations::add_transposed_product(const MatrixView& b, Range rows, Eigen::Ref<Matrix> out) const {
  const Vector constant = b.transpose() * offset_;
  const Matrix factors = (b(varying_, Eigen::all).array().colwise() * step_(varying_).array()).transpose();
  Matrix sums;
  for (Index begin = rows.begin; begin < rows.end; begin += panel) {
    const std::uint8_t* bytes = observation_panels_.data() + begin * n_varying();
    multiply_panel(bytes, factors.data(), factors.rows(), n_varying(), sums);
    const Index count = std::min(panel, rows.end - begin);
    out.middleCols(begin - rows.begin, count) += sums.topRows(count).transpose().colwise() + constant;
  }
}

void PackedObservations::add_product_with_transpose(Range rows, const MatrixView& g, Eigen::Ref<Matrix> out) const {
  out += offset_ * g.rowwise().sum().transpose();
  const Matrix factors = g;  // without a stride
  Matrix sums;
  for (Index begin = 0; begin < n_varying(); begin += panel) {
    const std::uint8_t* bytes = coordinate_panels_.data() + begin * n_ + rows.begin * panel;
    multiply_panel(bytes, factors.data(), factors.rows(), rows.size(), sums);
    for (Index v = begin; v < std::min(begin + panel, n_varying()); ++v) {
      const Index k = varying_[static_cast<std::size_t>(v)];
      out.row(k) += step_[k] * sums.row(v - begin);
    }
  }
}

}  // namespace condens
