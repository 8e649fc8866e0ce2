#include "brush.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

namespace condens::reproduce {

namespace {

using std::numbers::pi;

constexpr Index n_states = 6;
constexpr Index n_actions = 3;
constexpr Index n_segments = 400;  // of an axis
constexpr std::size_t most_prints = 60;
constexpr Index hiding_steps = 3;  // against the axis

/// In [-pi, pi].
double wrapped(double angle) { return std::remainder(angle, 2 * pi); }

plot::Point moved(const plot::Point& from, double angle, double distance) {
  return {from.x + distance * std::cos(angle), from.y + distance * std::sin(angle)};
}

double distance_between(const plot::Point& a, const plot::Point& b) { return std::hypot(a.x - b.x, a.y - b.y); }

/// How far `at` is from the axis point, along its tangent turned by `turn`.
double along(const AxisPoint& point, const plot::Point& at, double turn) {
  const double angle = point.angle + turn;
  return (at.x - point.at.x) * std::cos(angle) + (at.y - point.at.y) * std::sin(angle);
}

/// Positive on the left.
double offset_of(const AxisPoint& point, const plot::Point& at) { return along(point, at, pi / 2); }

/// Curvature and half width as functions of the share of the axis that lies behind.
BrushShape make_shape(const std::string& name, const plot::Point& start, double angle, double length,
                      const std::function<double(double)>& curvature, const std::function<double(double)>& half_width) {
  BrushShape out{name, length, {{start, angle, curvature(0), half_width(0)}}};
  const double step = length / double{n_segments};
  for (Index k = 1; k <= n_segments; ++k) {
    const double share = static_cast<double>(k) / double{n_segments};
    const AxisPoint& last = out.axis.back();
    const double turn = step * curvature(share - 0.5 / double{n_segments});
    out.axis.push_back(
        {moved(last.at, last.angle + turn / 2, step), last.angle + turn, curvature(share), half_width(share)});
  }
  return out;
}

/// From a fifth of `most` at the ends to `most` at the share `broadest`.
std::function<double(double)> bulge(double most, double broadest) {
  return [=](double share) {
    const double t = share < broadest ? share / broadest : (1 - share) / (1 - broadest);
    return most * (0.2 + 0.8 * std::sin(pi / 2 * t));
  };
}

double relative_curvature(double curvature, double scale) {
  return -std::copysign(2 / pi * std::atan(scale * std::sqrt(std::abs(curvature))), curvature);
}

}  // namespace

plot::Point AxisPoint::beside(double offset) const { return moved(at, angle + pi / 2, offset); }

AxisPoint BrushShape::point(double u) const {
  const auto straight_on = [](const AxisPoint& end, double rest) {
    return AxisPoint{moved(end.at, end.angle, rest), end.angle, 0, end.half_width};
  };
  if (u <= 0) return straight_on(axis.front(), u);
  if (u >= length) return straight_on(axis.back(), u - length);
  const double place = u / length * double{n_segments};
  const std::size_t k = std::min(static_cast<std::size_t>(place), axis.size() - 2);
  const double t = place - static_cast<double>(k);
  const auto between = [&](double a, double b) { return a + t * (b - a); };
  const AxisPoint& a = axis[k];
  const AxisPoint& b = axis[k + 1];
  return {{between(a.at.x, b.at.x), between(a.at.y, b.at.y)},
          between(a.angle, b.angle),
          between(a.curvature, b.curvature),
          between(a.half_width, b.half_width)};
}

double BrushShape::nearest(const plot::Point& at) const {
  std::size_t best = 0;
  for (std::size_t k = 1; k < axis.size(); ++k)
    if (distance_between(axis[k].at, at) < distance_between(axis[best].at, at)) best = k;
  const AxisPoint& point = axis[best];
  const double step = length / double{n_segments};
  const double u = static_cast<double>(best) * step;
  const double ahead = along(point, at, 0);
  if ((best == 0 && ahead < 0) || (best == axis.size() - 1 && ahead > 0)) return u + ahead;
  // On the circle that touches the axis there the foot moves by the way of the point over 1 - curvature * offset.
  return u + std::clamp(ahead / (1 - point.curvature * offset_of(point, at)), -step, step);
}

std::vector<BrushShape> brush_shapes() {
  return {make_shape(
              "leaf", {0.06, 0.22}, 0.75, 0.95, [](double) { return -1.3; }, bulge(0.085, 0.45)),
          make_shape(
              "orchid", {0.05, 0.2}, 0.2, 1.0, [](double s) { return 3.2 * std::sin(2 * pi * s); }, bulge(0.055, 0.35)),
          make_shape(
              "hook", {0.06, 0.45}, 0.1, 0.95, [](double s) { return s < 0.55 ? 0.0 : -9 * (s - 0.55) / 0.45; },
              bulge(0.07, 0.3))};
}

plot::Point Footprint::tip() const { return moved(centre, heading, 2 * radius); }

Footprint Brush::advance(const Footprint& from, const Vector& action, Habit habit, RandomStream& random) const {
  Footprint out = from;
  out.direction = wrapped(from.direction + action[0] + turn_error * random.normal());
  out.radius = from.radius * std::exp(action[1] + size_error * random.normal());
  out.heading = wrapped(from.heading + action[2] + rotation_error * random.normal());
  out.centre = moved(from.centre, out.direction, stride);
  if (habit == Habit::upright)
    out.heading = wrapped(out.heading + drag * wrapped(out.direction + pi - out.heading));
  else
    out.centre =
        moved(out.centre, out.direction + pi / 2, -slip * out.radius * std::sin(wrapped(out.heading - out.direction)));
  return out;
}

Vector Brush::state(const Footprint& print, const BrushShape& shape) const {
  const double u = shape.nearest(print.centre);
  const AxisPoint point = shape.point(u);
  const double motion = wrapped(print.direction - point.angle);
  Vector out(n_states);
  out << motion, wrapped(print.heading - point.angle), offset_of(point, print.centre) / print.radius,
      relative_curvature(point.curvature, curvature_scale),
      relative_curvature(shape.point(u + stride).curvature, curvature_scale), std::cos(motion) < 0 ? 1.0 : 0.0;
  return out;
}

Vector Brush::measure(const Footprint& print, const BrushShape& shape, RandomStream& random) const {
  Vector out = state(print, shape);
  for (const Index angle : {0, 1}) out[angle] = wrapped(out[angle] + angle_error * random.normal());
  out[2] += offset_error * random.normal();
  for (const Index curvature : {3, 4}) out[curvature] += curvature_error * random.normal();
  return out;
}

Footprint Brush::placed(const Vector& next, const Footprint& from, const Vector& action,
                        const BrushShape& shape) const {
  const double u = shape.nearest(from.centre);
  const AxisPoint last = shape.point(u);
  const double there = u + stride * std::cos(next[0]) / (1 - last.curvature * offset_of(last, from.centre));
  const AxisPoint point = shape.point(there);
  const double radius = from.radius * std::exp(action[1]);
  return {.centre = point.beside(next[2] * radius),
          .radius = radius,
          .heading = wrapped(point.angle + next[1]),
          .direction = wrapped(point.angle + next[0])};
}

Footprint Artist::begin(const BrushShape& shape, RandomStream& random) const {
  const double back = hides_tip ? pi : 0;
  const AxisPoint start = shape.point(hides_tip ? 0.1 : 0.02);
  return {.centre = start.beside(0.2 * start.half_width * random.normal()),
          .radius = 0.6 * start.half_width,
          .heading = wrapped(start.angle + pi - 0.4 + 0.5 * random.normal()),
          .direction = wrapped(start.angle + back + 0.1 * random.normal())};
}

Vector Artist::act(const Brush& brush, const Footprint& print, Index step, const BrushShape& shape,
                   RandomStream& random) const {
  const bool is_upright = habit == Habit::upright;
  const bool goes_back = hides_tip && step < hiding_steps;
  const double u = shape.nearest(print.centre);
  const AxisPoint ahead = shape.point(goes_back ? u - brush.stride : u + brush.stride);
  // Upright: on the axis, and nearly as broad as the shape. Oblique: from edge to edge, smaller.
  const double swing = is_upright ? 0 : 0.55 * ahead.half_width * std::sin(2 * pi * u / (0.4 * shape.length));
  const double correction = std::atan2(swing - offset_of(shape.point(u), print.centre), 2.5 * brush.stride);
  const double aim = goes_back ? ahead.angle + pi - correction : ahead.angle + correction;
  const double radius = (is_upright ? 0.9 : 0.6) * ahead.half_width;
  const double rotation = is_upright ? 0 : 0.5 * wrapped(ahead.angle + pi - 0.8 - print.heading);
  Vector out(n_actions);
  out << wrapped(aim - print.direction + 0.05 * random.normal()),
      std::clamp(0.6 * std::log(radius / print.radius), -0.4, 0.4) + 0.03 * random.normal(),
      rotation + 0.15 * random.normal();
  return out;
}

Stroke paint(const Brush& brush, const Artist& artist, const BrushShape& shape, std::uint64_t seed) {
  RandomStream random(seed, 1);
  return paint(brush, artist, shape, seed, [&](const Footprint& from, const Vector&, const Vector& action) {
    const Footprint next = brush.advance(from, action, artist.habit, random);
    return Landing{next, brush.measure(next, shape, random)};
  });
}

Stroke paint(const Brush& brush, const Artist& artist, const BrushShape& shape, std::uint64_t seed,
             const Transition& transition) {
  RandomStream random(seed);
  Stroke out;
  out.prints.push_back(artist.begin(shape, random));
  out.states.push_back(brush.measure(out.prints[0], shape, random));
  while (out.prints.size() < most_prints && shape.nearest(out.prints.back().centre) < shape.length) {
    const Vector action = artist.act(brush, out.prints.back(), std::ssize(out.actions), shape, random);
    Landing next = transition(out.prints.back(), out.states.back(), action);
    out.actions.push_back(action);
    out.prints.push_back(next.print);
    out.states.push_back(std::move(next.state));
  }
  return out;
}

Dataset brush_transitions(Index n, std::uint64_t seed) {
  const Brush brush;
  const std::vector<BrushShape> shapes = brush_shapes();
  Matrix x(n_states + n_actions, n);
  Matrix y(n_states, n);
  Index row = 0;
  RandomStream random(seed);
  for (std::uint64_t number = 0; row < n; ++number) {
    const Artist artist{.habit = number % 2 == 0 ? Habit::upright : Habit::oblique,
                        .hides_tip = random.uniform() < 0.5};
    const BrushShape& shape = shapes[static_cast<std::size_t>(number / 2) % shapes.size()];
    const Stroke stroke = paint(brush, artist, shape, random());
    for (std::size_t k = 0; k < stroke.actions.size() && row < n; ++k, ++row) {
      x.col(row) << stroke.states[k], stroke.actions[k];
      y.col(row) = stroke.states[k + 1];
    }
  }
  return {.x = std::move(x), .y = std::move(y)};
}

}  // namespace condens::reproduce
