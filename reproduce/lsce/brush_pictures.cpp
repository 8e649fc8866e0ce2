#include "brush_pictures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include "brush.hpp"
#include "common/data_files.hpp"
#include "common/differences.hpp"
#include "common/statistics.hpp"
#include "methods.hpp"
#include "studies.hpp"

namespace condens::reproduce {

namespace {

constexpr double stroke_width = 150;   ///< of the part of a canvas that is shown: all of its width,
constexpr double lowest_shown = 0.13;  ///< and this part of its height
constexpr double highest_shown = 0.83;
constexpr double stroke_height = (highest_shown - lowest_shown) * stroke_width;
constexpr double label_width = 92;
constexpr double label_height = 26;
constexpr std::array<Habit, 2> habits = {Habit::upright, Habit::oblique};
const plot::Style ink{.fill = "#16161d", .opacity = 0.28};
const plot::Style outline{.stroke = "#b03a2e", .width = 0.8, .dash = "3 3"};

/// A drop: the arc of the disc between the two tangents through the tip, and the tip.
std::vector<plot::Point> drop(const Footprint& print) {
  constexpr int n_points = 9;
  constexpr double from = std::numbers::pi / 3;  // where tangents from two radii away touch
  std::vector<plot::Point> out = {print.tip()};
  for (int k = 0; k <= n_points; ++k) {
    const double angle = print.heading + from + (2 * std::numbers::pi - 2 * from) * k / n_points;
    out.push_back({print.centre.x + print.radius * std::cos(angle), print.centre.y + print.radius * std::sin(angle)});
  }
  return out;
}

/// The share t of the way from one footprint to the next.
Footprint blend(const Footprint& a, const Footprint& b, double t) {
  const auto between = [t](double from, double to) { return from + t * (to - from); };
  return {.centre = {between(a.centre.x, b.centre.x), between(a.centre.y, b.centre.y)},
          .radius = between(a.radius, b.radius),
          .heading = a.heading + t * std::remainder(b.heading - a.heading, 2 * std::numbers::pi),
          .direction = b.direction};
}

/// The canvas of the brush, a unit square whose y grows upwards, with its shown part at `corner`.
class Paper {
 public:
  Paper(plot::Canvas& canvas, const plot::Point& corner) : canvas_(canvas), corner_(corner) {}

  void draw(const BrushShape& shape) const {
    std::vector<plot::Point> edge;
    constexpr std::size_t every = 10;
    for (std::size_t k = 0; k < shape.axis.size(); k += every)
      edge.push_back(shape.axis[k].beside(shape.axis[k].half_width));
    for (std::size_t k = shape.axis.size(); k > 0; k -= std::min(k, every))
      edge.push_back(shape.axis[k - 1].beside(-shape.axis[k - 1].half_width));
    edge.push_back(edge.front());
    canvas_.polyline(placed(edge), outline);
  }

  void draw(const Stroke& stroke) const {
    constexpr int n_between = 2;
    canvas_.begin_clip(corner_, stroke_width, stroke_height);
    for (std::size_t k = 0; k + 1 < stroke.prints.size(); ++k)
      for (int j = 0; j < n_between; ++j)
        canvas_.polygon(placed(drop(blend(stroke.prints[k], stroke.prints[k + 1], j / double{n_between}))), ink);
    canvas_.end_clip();
  }

 private:
  std::vector<plot::Point> placed(std::vector<plot::Point> points) const {
    for (plot::Point& point : points)
      point = {corner_.x + stroke_width * point.x, corner_.y + stroke_width * (highest_shown - point.y)};
    return points;
  }

  plot::Canvas& canvas_;
  plot::Point corner_;
};

/// Draws of a learned distribution of the next state. `fitted` and `random` must live as long.
Transition learned(const Brush& brush, const Fitted& fitted, const BrushShape& shape, RandomStream& random) {
  return [&](const Footprint& from, const Vector& state, const Vector& action) {
    Matrix x(state.size() + action.size(), 1);
    x << state, action;
    const Vector next = fitted.laws(x).sample(1, random()).col(0);
    return Landing{brush.placed(next, from, action, shape), next};
  };
}

/// By how much the heading that follows (state, action) differs between the habits, and the spread within one.
std::pair<double, double> hidden_gap(const Brush& brush) {
  constexpr Index n_draws = 4000;
  const Footprint from{.centre = {0, 0}, .radius = 0.05, .heading = std::numbers::pi - 0.8, .direction = 0};
  std::array<std::vector<double>, 2> headings;
  for (std::size_t h = 0; h < habits.size(); ++h) {
    RandomStream random(3, h);
    for (Index i = 0; i < n_draws; ++i)
      headings[h].push_back(brush.advance(from, Vector::Zero(3), habits[h], random).heading);
  }
  return {summarize(headings[0]).mean - summarize(headings[1]).mean,
          std::max(summarize(headings[0]).standard_deviation, summarize(headings[1]).standard_deviation)};
}

}  // namespace

void check_brush(std::ostream& out) {
  Differences differences;
  const Brush brush;
  Brush exact = brush;
  exact.turn_error = exact.size_error = exact.rotation_error = 0;
  double foot = 0;
  double offset = 0;
  double place = 0;
  double heading = 0;
  double straight = 0;
  RandomStream random(5);
  for (const BrushShape& shape : brush_shapes()) {
    for (int i = 0; i < 200; ++i) {
      const double u = shape.length * (0.05 + 0.9 * random.uniform());
      const double side = shape.point(u).half_width * (2 * random.uniform() - 1);
      const plot::Point at = shape.point(u).beside(side);
      // Brute force: the least distance of very many points of the axis.
      double least = std::numeric_limits<double>::infinity();
      for (int k = 0; k <= 20000; ++k) {
        const plot::Point other = shape.point(shape.length * k / 20000.0).at;
        least = std::min(least, std::hypot(at.x - other.x, at.y - other.y));
      }
      const plot::Point nearest = shape.point(shape.nearest(at)).at;
      foot = std::max(foot, std::hypot(at.x - nearest.x, at.y - nearest.y) - least);
      const Footprint print{.centre = at, .radius = 0.03, .heading = 1, .direction = shape.point(u).angle};
      offset = std::max(offset, std::abs(std::abs(brush.state(print, shape)[2]) - least / 0.03));
      // The pose of the next state is the footprint itself, but for the curvature between the two.
      const Vector action{{0.2, 0.1, 0.3}};
      const Footprint next = exact.advance(print, action, Habit::upright, random);
      const Footprint again = exact.placed(exact.state(next, shape), print, action, shape);
      place = std::max(place, std::hypot(next.centre.x - again.centre.x, next.centre.y - again.centre.y));
      heading = std::max(heading, std::abs(std::remainder(next.heading - again.heading, 2 * std::numbers::pi)));
    }
    const double end = shape.length;
    const Footprint behind{.centre = shape.point(end + 0.1).beside(0.02), .radius = 0.04, .heading = 0, .direction = 0};
    straight = std::max({straight, std::abs(shape.nearest(behind.centre) - end - 0.1),
                         std::abs(brush.state(behind, shape)[2] - 0.5), std::abs(brush.state(behind, shape)[3])});
  }
  differences.add("distance of the foot on the axis, against the least of 20,001 points", foot, 1e-5);
  differences.add("offset d, against that least distance over r", offset, 1e-3);
  differences.add("footprint from its state, against itself: place, in canvases", place, 0.1 * brush.stride);
  differences.add("and heading", heading, 0.05);
  differences.add("behind the end of the axis: u, d and curvature against a straight line", straight, 1e-12);
  differences.print(out);

  const auto [gap, spread] = hidden_gap(brush);
  out << "After one state and action (heading 0.8 from the way back, all actions zero) the next heading is "
      << fixed(gap) << " rad further with the brush upright than\noblique; its standard deviation is at most "
      << fixed(spread) << " rad within a habit.\n\n";
}

void draw_strokes(const std::string& pictures, std::ostream& out) {
  std::filesystem::create_directories(pictures);
  const Brush brush;
  const std::vector<BrushShape> shapes = brush_shapes();
  const Case from = sumie_study(Scale::full).cases.back();
  const Dataset train = from.problem(from.levels[0], 0).train;
  std::vector<Method> painters;
  for (const char* label : {"LSCE/LSCDE", "None/LSCDE", "our LSCE"}) painters.push_back(sumie_method(label));

  const double rows = static_cast<double>(1 + painters.size());
  const double columns = static_cast<double>(shapes.size() * habits.size());
  plot::Canvas canvas(label_width + columns * stroke_width, label_height + rows * stroke_height,
                      "Strokes of the brush");
  const plot::TextStyle column_style{.size = 12.5, .fill = "#222222", .anchor = plot::Anchor::middle, .bold = true};
  const plot::TextStyle row_style{.size = 12.5, .fill = "#222222", .bold = true};
  for (std::size_t row = 0; row <= painters.size(); ++row) {
    std::optional<Fitted> fitted;
    if (row > 0) fitted = fit(painters[row - 1], train, std::nullopt, 0);
    const double top = label_height + stroke_height * static_cast<double>(row);
    canvas.text({6, top + stroke_height / 2}, row == 0 ? "the artist" : painters[row - 1].label, row_style);
    std::size_t column = 0;
    for (const Habit habit : habits)
      for (const BrushShape& shape : shapes) {
        const plot::Point corner{label_width + stroke_width * static_cast<double>(column), top};
        if (row == 0)
          canvas.text({corner.x + stroke_width / 2, 16},
                      shape.name + (habit == Habit::upright ? ", upright" : ", oblique"), column_style);
        const Artist artist{.habit = habit, .hides_tip = column % 2 == 1};
        const std::uint64_t seed = 100 + column;
        RandomStream random(seed, row);
        const Stroke stroke = row == 0 ? paint(brush, artist, shape, seed)
                                       : paint(brush, artist, shape, seed, learned(brush, *fitted, shape, random));
        const Paper paper(canvas, corner);
        paper.draw(stroke);
        paper.draw(shape);
        ++column;
      }
  }
  write_text(std::filesystem::path(pictures) / "strokes.svg", canvas.str());
  out << "Strokes of the artist, and of the same artist where the next state is a draw from the distribution that was "
         "learned "
         "from "
      << train.size() << "\ntransitions. Dashed: the shape to be painted.\n\n![strokes](pictures/strokes.svg)\n\n";
}

}  // namespace condens::reproduce
