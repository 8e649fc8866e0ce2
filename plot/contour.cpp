#include "condens/plot/contour.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <unordered_map>

namespace condens::plot {

namespace {

/// Where a line crosses an edge of the grid; the edge's number joins the cells on its two sides.
struct Crossing {
  Index edge;
  Point at;
};

using Segment = std::array<Crossing, 2>;

/// The segments of the cell whose lowest corner is (row i, column j).
void cell_segments(const MatrixView& values, double level, Index i, Index j, std::vector<Segment>& out) {
  // The corners in a circle; edge a leads from corner a to the next.
  const std::array<Index, 4> row{i, i, i + 1, i + 1};
  const std::array<Index, 4> column{j, j + 1, j + 1, j};
  const Index cell = i * values.cols() + j;
  const std::array<Index, 4> edge{2 * cell, 2 * (cell + 1) + 1, 2 * (cell + values.cols()), 2 * cell + 1};
  std::vector<Crossing> crossing;
  double sum = 0.0;
  for (std::size_t a = 0; a < 4; ++a) {
    const std::size_t b = (a + 1) % 4;
    const double here = values(row[a], column[a]);
    const double next = values(row[b], column[b]);
    sum += here;
    if ((here > level) == (next > level)) continue;
    const double share = (level - here) / (next - here);
    crossing.push_back({edge[a],
                        {static_cast<double>(column[a]) + share * static_cast<double>(column[b] - column[a]),
                         static_cast<double>(row[a]) + share * static_cast<double>(row[b] - row[a])}});
  }
  if (crossing.size() == 2) out.push_back({crossing[0], crossing[1]});
  if (crossing.size() == 4) {
    // A centre on the side of corner 0 joins it to corner 2: the lines cut off corners 1 and 3.
    const std::size_t first = (sum / 4.0 > level) == (values(i, j) > level) ? 0 : 1;
    out.push_back({crossing[first], crossing[first + 1]});
    out.push_back({crossing[first + 2], crossing[(first + 3) % 4]});
  }
}

}  // namespace

std::vector<std::vector<Point>> contour(const MatrixView& values, double level) {
  std::vector<Segment> segments;
  for (Index j = 0; j + 1 < values.cols(); ++j)
    for (Index i = 0; i + 1 < values.rows(); ++i) cell_segments(values, level, i, j, segments);

  // An edge inside the grid ends two segments, one on each side.
  std::unordered_map<Index, std::vector<std::size_t>> at_edge;
  for (std::size_t k = 0; k < segments.size(); ++k)
    for (const Crossing& end : segments[k]) at_edge[end.edge].push_back(k);
  std::vector<bool> used(segments.size(), false);

  // Walks from segment k through its end `side` until the line ends or closes.
  const auto walk = [&](std::size_t k, std::size_t side, std::vector<Point>& line) {
    while (true) {
      used[k] = true;
      const Crossing& end = segments[k][side];
      line.push_back(end.at);
      const std::vector<std::size_t>& meeting = at_edge[end.edge];
      const auto next = std::find_if(meeting.begin(), meeting.end(), [&](std::size_t other) { return !used[other]; });
      if (next == meeting.end()) return;
      k = *next;
      side = segments[k][0].edge == end.edge ? 1 : 0;
    }
  };
  std::vector<std::vector<Point>> out;
  for (std::size_t k = 0; k < segments.size(); ++k) {
    if (used[k]) continue;
    std::vector<Point> line;
    walk(k, 0, line);
    std::reverse(line.begin(), line.end());
    walk(k, 1, line);  // of a closed line only the point where it began is left
    out.push_back(std::move(line));
  }
  return out;
}

double region_level(const MatrixView& density, double mass) {
  Vector values = density.reshaped();
  std::sort(values.begin(), values.end(), std::greater<>());
  double total = 0.0;
  for (const double v : values) total += v;
  double sum = 0.0;
  for (const double v : values) {
    sum += v;
    if (sum >= mass * total) return v;
  }
  return 0.0;
}

}  // namespace condens::plot
