#include "condens/estimators/press/nodes.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "condens/core/errors.hpp"
#include "condens/kernels/centers.hpp"

namespace condens {

namespace {

constexpr Index most_split_dimensions = 4;  // 2^4 corners of a cell

PressNodes samples_as_nodes(const MatrixView& y) {
  const std::vector<Index> first = first_equal_columns(y);
  PressNodes out;
  out.share = Vector::Ones(y.cols());
  out.node.resize(first.size());
  std::vector<Index> kept;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i] == static_cast<Index>(i)) {
      out.node[i] = std::ssize(kept);
      kept.push_back(first[i]);
    } else {
      out.node[i] = out.node[static_cast<std::size_t>(first[i])];
    }
  }
  out.centers = y(Eigen::all, kept);
  return out;
}

/// Ascending values of a coordinate, at most `spacing` apart unless no sample lies between.
std::vector<double> ticks(const Eigen::Ref<const Eigen::RowVectorXd, 0, Eigen::InnerStride<>>& values, double spacing) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  std::vector<double> out = {sorted.front()};
  for (auto at = sorted.begin(); at + 1 != sorted.end();) {
    const auto beyond = std::upper_bound(at + 1, sorted.end(), *at + spacing);
    at = std::max(at + 1, beyond - 1);
    out.push_back(*at);
  }
  return out;
}

/// Where a value lies: between tick `left` (share 1 - right) and the next one (share right).
struct Place {
  Index left;
  double right;
};

Place place_between(const std::vector<double>& ticks, double value) {
  const auto above = std::upper_bound(ticks.begin(), ticks.end(), value);
  const Index left = above - ticks.begin() - 1;
  if (above == ticks.end()) return {left, 0.0};
  return {left, (value - *(above - 1)) / (*above - *(above - 1))};
}

}  // namespace

void PressNodes::spread(const VectorView& mass, Index begin, Eigen::Ref<Vector> out) const {
  for (Index i = 0; i < mass.size(); ++i) {
    for (Index c = (begin + i) * corners; c < (begin + i + 1) * corners; ++c) {
      out[node[static_cast<std::size_t>(c)]] += mass[i] * share[c];
    }
  }
}

Vector PressNodes::collect(const VectorView& values, Index begin, Index count) const {
  Vector out = Vector::Zero(count);
  for (Index i = 0; i < count; ++i) {
    for (Index c = (begin + i) * corners; c < (begin + i + 1) * corners; ++c) {
      out[i] += share[c] * values[node[static_cast<std::size_t>(c)]];
    }
  }
  return out;
}

PressNodes make_nodes(const MatrixView& y, double spacing) {
  const Index d = y.rows();
  const Index n = y.cols();
  require(n > 0, "make_nodes: y has no rows, expected at least one");
  PressNodes own = samples_as_nodes(y);
  if (!(spacing > 0) || d > most_split_dimensions) return own;
  std::vector<std::vector<double>> lines;
  for (Index k = 0; k < d; ++k) lines.push_back(ticks(y.row(k), spacing));

  PressNodes out;
  out.corners = Index{1} << d;
  out.node.assign(static_cast<std::size_t>(out.corners * n), 0);
  out.share = Vector::Zero(out.corners * n);
  std::map<std::vector<Index>, Index> known;  // corner -> node
  std::vector<Index> corner(static_cast<std::size_t>(d));
  for (Index i = 0; i < n; ++i) {
    for (Index c = 0; c < out.corners; ++c) {
      double share = 1;
      for (Index k = 0; k < d; ++k) {
        const auto axis = static_cast<std::size_t>(k);
        const Place place = place_between(lines[axis], y(k, i));
        const bool right = ((c >> k) & 1) != 0;
        share *= right ? place.right : 1 - place.right;
        corner[axis] = place.left + (right ? 1 : 0);
      }
      if (share == 0) continue;
      const Index node = known.emplace(corner, std::ssize(known)).first->second;
      if (std::ssize(known) >= own.size()) return own;
      out.node[static_cast<std::size_t>(i * out.corners + c)] = node;
      out.share[i * out.corners + c] = share;
    }
  }
  out.centers.resize(d, std::ssize(known));
  for (const auto& [place, node] : known) {
    for (Index k = 0; k < d; ++k) {
      const auto axis = static_cast<std::size_t>(k);
      out.centers(k, node) = lines[axis][static_cast<std::size_t>(place[axis])];
    }
  }
  return out;
}

Vector ticks_of(const VectorView& values, double spacing) {
  // Rows that share the ends of a wide gap look like ties, which narrow kernels fit ever better: the narrowest gaps are
  // filled, which of many values are all but a few between far ones.
  constexpr double most_fills = 4096;
  const Eigen::RowVectorXd line = values.transpose();
  const std::vector<double> found = ticks(line, spacing);
  std::vector<double> steps;
  for (std::size_t k = 1; k < found.size(); ++k) steps.push_back(std::ceil((found[k] - found[k - 1]) / spacing));
  std::vector<double> ascending = steps;
  std::sort(ascending.begin(), ascending.end());
  double most_steps = 1;  // of a gap that is filled
  double fills = 0;
  for (const double own : ascending) {
    fills += own - 1;
    if (fills > most_fills) break;
    most_steps = own;
  }
  std::vector<double> out = {found.front()};
  for (std::size_t k = 1; k < found.size(); ++k) {
    const auto count = static_cast<Index>(steps[k - 1] <= most_steps ? steps[k - 1] : 1.0);
    for (Index s = 1; s < count; ++s) {
      const double share = static_cast<double>(s) / static_cast<double>(count);
      const double tick = found[k - 1] + (found[k] - found[k - 1]) * share;
      if (tick > out.back() && tick < found[k]) out.push_back(tick);
    }
    out.push_back(found[k]);
  }
  return Eigen::Map<const Vector>(out.data(), std::ssize(out));
}

PressNodes nodes_at(const Vector& ticks, const MatrixView& y) {
  const std::vector<double> line(ticks.begin(), ticks.end());
  PressNodes out;
  out.centers = ticks.transpose();
  out.corners = 2;
  out.node.resize(static_cast<std::size_t>(2 * y.cols()));
  out.share.resize(2 * y.cols());
  for (Index i = 0; i < y.cols(); ++i) {
    Place place = place_between(line, std::clamp(y(0, i), line.front(), line.back()));
    if (place.left + 1 == ticks.size()) place = {place.left - 1, 1.0};
    const auto at = static_cast<std::size_t>(2 * i);
    out.node[at] = place.left;
    out.node[at + 1] = place.left + 1;
    out.share[2 * i] = 1 - place.right;
    out.share[2 * i + 1] = place.right;
  }
  return out;
}

double node_spacing(double tolerance, Index d_y, double width) {
  const double phi_of_one = std::exp(-0.5) / std::sqrt(2 * std::numbers::pi);
  return width * std::sqrt(2 * tolerance / (phi_of_one * static_cast<double>(d_y)));
}

}  // namespace condens
