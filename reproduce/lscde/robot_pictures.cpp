#include "robot_pictures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <vector>

#include "common/data_files.hpp"
#include "condens/plot/axes.hpp"
#include "condens/plot/colormap.hpp"
#include "condens/plot/contour.hpp"
#include "methods.hpp"
#include "robots.hpp"

namespace condens::reproduce {

namespace {

constexpr double side = 300;  ///< of a panel
constexpr double left = 62;
constexpr double top = 62;
constexpr double gap = 76;
constexpr double bottom = 54;
constexpr std::array<double, 2> masses = {0.5, 0.9};
constexpr Index n_train = 100;
constexpr Index n_draws = 1000;
constexpr Index cells = 160;

const plot::TextStyle title_style{.size = 12.5, .fill = "#222222", .anchor = plot::Anchor::middle, .bold = true};

struct Labels {
  std::string x;
  std::string y;
};

plot::Canvas canvas_of_two(const std::string& label) {
  return {left + 2 * side + gap + 16, top + side + bottom, label};
}

plot::Panel panel_at(plot::Canvas& canvas, int place, const std::string& title, const plot::Extent& x,
                     const plot::Extent& y, const Labels& labels) {
  const plot::Point corner{left + place * (side + gap), top};
  canvas.text({corner.x + side / 2, top - 10}, title, title_style);
  return {canvas,
          {.corner = corner, .width = side, .height = side, .x = x, .y = y, .x_label = labels.x, .y_label = labels.y}};
}

void legend(plot::Canvas& canvas, const std::vector<plot::LegendEntry>& entries) {
  plot::draw_legend(canvas, {left, 14}, canvas.width() - left - 16, entries);
}

void save(const std::string& pictures, const std::string& file, const plot::Canvas& canvas, const std::string& text,
          std::ostream& out) {
  write_text(std::filesystem::path(pictures) / file, canvas.str());
  out << "![" << text << "](pictures/" << file << ")\n\n";
}

/// The state of the pendulum under random torques, a line for each start.
plot::Canvas pendulum_paths() {
  constexpr Index periods = 15;
  constexpr Index parts = 20;  // of a period
  plot::Canvas canvas = canvas_of_two("States of the pendulum under random torques");
  int place = 0;
  for (const Pendulum& robot : {pendulum_1(), pendulum_2()}) {
    const plot::Panel panel =
        panel_at(canvas, place++, robot.name + ": |torque| up to " + plot::short_number(robot.torque_range) + " N m",
                 {-0.6, 7.4}, {-11, 14}, {"angle from upright (rad)", "rate (rad/s)"});
    panel.draw_grid();
    panel.begin();
    std::size_t color = 0;
    for (const double start : {0.05, 1.2, 2.2}) {
      RandomStream random(3, color);
      PendulumState state{.place = 0, .speed = 0, .angle = start, .rate = 0};
      Vector angle(periods * parts);
      Vector rate(periods * parts);
      Vector dots_x(periods);
      Vector dots_y(periods);
      for (Index k = 0; k < periods; ++k) {
        dots_x[k] = state.angle;
        dots_y[k] = state.rate;
        const PendulumForces forces = robot.draw_forces(robot.draw_torque(random), random);
        for (Index part = 0; part < parts; ++part) {
          angle[k * parts + part] = state.angle;
          rate[k * parts + part] = state.rate;
          state = robot.integrate(state, forces, robot.period / double{parts}, robot.step);
        }
      }
      panel.line(angle, rate, {.stroke = plot::line_color(color), .width = 1.5});
      panel.points(dots_x, dots_y, 2.6, {.fill = plot::line_color(color)});
      ++color;
    }
    panel.end();
    panel.draw_frame();
  }
  legend(canvas, {{"from rest at 0.05", plot::Mark::line, {.stroke = plot::line_color(0), .width = 1.5}},
                  {"1.2", plot::Mark::line, {.stroke = plot::line_color(1), .width = 1.5}},
                  {"2.2 rad", plot::Mark::line, {.stroke = plot::line_color(2), .width = 1.5}},
                  {"recorded, every 0.1 s", plot::Mark::point, {.fill = "#555555"}}});
  return canvas;
}

/// Ahead at random speeds; where something is near, a turn on the spot away from it.
Pose wander(const Khepera& robot, const Pose& pose, RandomStream& random, std::vector<Pose>& path) {
  constexpr double near = 0.04;
  const Vector distances = robot.measure(pose, random);
  if (distances.minCoeff() < near) {
    const double turn = distances[0] < distances[1] ? 0.1 : -0.1;
    return robot.roll(pose, turn, -turn, &path);
  }
  const double left_speed = 0.02 + 0.08 * random.uniform();
  const double right_speed = 0.02 + 0.08 * random.uniform();
  return robot.roll(pose, left_speed, right_speed, &path);
}

/// The rooms from above, with a path, and what the sensors see from some places on it.
plot::Canvas khepera_rooms() {
  constexpr Index periods = 80;
  constexpr Index seen_every = 20;
  plot::Canvas canvas = canvas_of_two("The rooms of Khepera");
  const plot::Style wall{.fill = "#f4f4f4", .stroke = "#222222", .width = 2.2};
  const plot::Style pillar{.fill = "#777777", .stroke = "#222222"};
  const plot::Style way{.stroke = plot::line_color(0), .width = 1.5};
  const plot::Style body{.fill = "#ffffff", .stroke = plot::line_color(0), .width = 1.4};
  const plot::Style light{.stroke = plot::line_color(1), .width = 1.4};
  const plot::Style hidden{.stroke = plot::line_color(1), .width = 1.2, .dash = "3 3"};
  int place = 0;
  for (const Khepera& robot : {khepera_1(), khepera_2()}) {
    const plot::Panel panel = panel_at(canvas, place++, robot.name, {-0.03, 0.63}, {-0.03, 0.63}, {"metres", "metres"});
    const double scale = side / 0.66;
    const auto at = [&](const Place& p) { return panel.at(p.x, p.y); };
    std::vector<plot::Point> corners;
    for (const Place& corner : robot.room.corners) corners.push_back(at(corner));
    canvas.polygon(corners, wall);
    for (const Pillar& own : robot.room.pillars) canvas.circle(at(own.centre), scale * own.radius, pillar);

    RandomStream random(21, static_cast<std::uint64_t>(place));
    Pose pose = robot.draw_pose(random);
    std::vector<Pose> path = {pose};
    std::vector<Pose> seen;
    for (Index k = 0; k < periods; ++k) {
      if (k % seen_every == 0) seen.push_back(pose);
      pose = wander(robot, pose, random, path);
    }
    std::vector<plot::Point> points;
    for (const Pose& own : path) points.push_back(at(own.at));
    canvas.polyline(points, way);
    for (const Pose& own : seen) {
      canvas.circle(at(own.at), scale * robot.radius, body);
      const Vector distances = robot.distances(own);
      for (const Index k : {0, 1}) {
        const double angle = own.heading + (k == 0 ? 1 : -1) * robot.sensor_angle;
        const auto along = [&](double length) {
          return at({own.at.x + length * std::cos(angle), own.at.y + length * std::sin(angle)});
        };
        const bool out_of_range = distances[k] >= robot.sensor_range;
        canvas.line(along(robot.radius), along(robot.radius + distances[k]), out_of_range ? hidden : light);
      }
      canvas.line(
          at(own.at),
          at({own.at.x + robot.radius * std::cos(own.heading), own.at.y + robot.radius * std::sin(own.heading)}), body);
    }
    panel.draw_frame();
  }
  legend(canvas, {{"path of 24 s", plot::Mark::line, way},
                  {"sensors", plot::Mark::line, light},
                  {"nothing within their range", plot::Mark::line, hidden}});
  return canvas;
}

/// The central 96 %.
plot::Extent middle_of(Vector values) {
  std::sort(values.begin(), values.end());
  const Index tail = values.size() / 50;
  return {values[tail], values[values.size() - 1 - tail]};
}

/// The regions of probability 50 and 90 % of the learned law, over draws of the true one.
plot::Canvas transition(const std::string& title, const Dataset& train, const Vector& x, const Matrix& draws,
                        const Labels& labels) {
  plot::Canvas canvas = canvas_of_two(title);
  const Method lscde = table_methods().front();
  RandomStream random(9);
  const Matrix learned = fit(lscde, train, 0)->predict(x)[0].sample(n_draws, random);
  const plot::Extent first = plot::hull(plot::extent_of(draws.row(0).transpose(), 0.2), middle_of(learned.row(0)));
  const plot::Extent second = plot::hull(plot::extent_of(draws.row(1).transpose(), 0.2), middle_of(learned.row(1)));
  const plot::Style dots{.fill = "#555555", .opacity = 0.5};
  const std::array<plot::Style, 2> lines = {plot::Style{.stroke = plot::line_color(1), .width = 2},
                                            plot::Style{.stroke = plot::line_color(0), .width = 2}};
  Matrix grid(2, cells * cells);
  for (Index j = 0; j < cells; ++j)
    for (Index i = 0; i < cells; ++i)
      grid.col(j * cells + i) << first.low + first.size() * (static_cast<double>(j) + 0.5) / double{cells},
          second.low + second.size() * (static_cast<double>(i) + 0.5) / double{cells};
  int place = 0;
  for (const Method& method : table_methods()) {
    if (method.label != lscde.label && method.label != auto_label) continue;
    const auto model = fit(method, train, 0);
    const Vector density = model->predict(x).log_pdf_grid(grid).col(0).array().exp();
    const Matrix values = density.reshaped(cells, cells);
    const plot::Panel panel = panel_at(canvas, place++, method.label, first, second, labels);
    panel.draw_grid();
    panel.begin();
    panel.points(draws.row(0).transpose(), draws.row(1).transpose(), 1.5, dots);
    for (std::size_t m = 0; m < masses.size(); ++m)
      for (const auto& chain : plot::contour(values, plot::region_level(values, masses[m]))) {
        std::vector<plot::Point> points;
        for (const plot::Point& own : chain)
          points.push_back(panel.at(first.low + first.size() * (own.x + 0.5) / double{cells},
                                    second.low + second.size() * (own.y + 0.5) / double{cells}));
        canvas.polyline(points, lines[m]);
      }
    panel.end();
    panel.draw_frame();
  }
  legend(canvas, {{"draws of the simulator", plot::Mark::point, dots},
                  {"region of 50 %", plot::Mark::line, lines[0]},
                  {"of 90 %", plot::Mark::line, lines[1]}});
  return canvas;
}

plot::Canvas pendulum_transition() {
  const Pendulum robot = pendulum_2();
  const Vector x{{0.5, 1.0, 0.6}};
  RandomStream random(1);
  Matrix draws(2, n_draws);
  for (Index i = 0; i < n_draws; ++i) {
    const PendulumState state{.place = 0, .speed = 0, .angle = x[0], .rate = x[1]};
    draws.col(i) = robot.measure(robot.advance(state, x[2], random), random);
  }
  return transition("The next state of Pendulum2", robot.sample(n_train, 0), x, draws,
                    {"next angle (rad)", "next rate (rad/s)"});
}

/// Of uniform poses, those whose readings are within 1 cm.
plot::Canvas khepera_transition() {
  const Khepera robot = khepera_2();
  const Vector x{{0.1, 0.2, 0.1, 0.06}};
  RandomStream random(2);
  Matrix draws(2, n_draws);
  for (Index i = 0; i < n_draws;) {
    const Pose pose = robot.draw_pose(random);
    if ((robot.measure(pose, random) - x.head(2)).cwiseAbs().maxCoeff() > 0.01) continue;
    draws.col(i++) = robot.measure(robot.advance(pose, x[2], x[3], random), random);
  }
  return transition("The next readings of Khepera2", robot.sample(n_train, 0), x, draws,
                    {"next left distance (m)", "next right distance (m)"});
}

}  // namespace

void draw_robots(const std::string& pictures, std::ostream& out) {
  std::filesystem::create_directories(pictures);
  save(pictures, "pendulum-paths.svg", pendulum_paths(), "states of the pendulum under random torques", out);
  save(pictures, "khepera-rooms.svg", khepera_rooms(), "rooms of Khepera, with a path", out);
  out << "What may follow one state and action, as LS-CDE and `auto` have learned it from 100 rows. Pendulum2 at angle "
         "0.5, "
         "rate 1\nand torque 0.6 N m: the wheels slide or grip.\n\n";
  save(pictures, "pendulum-transition.svg", pendulum_transition(), "next state of Pendulum2", out);
  out << "Khepera2 where the sensors read 0.10 and 0.20 m, with wheel speeds 0.10 and 0.06 m/s: the draws are from all "
         "places with\nthese readings (± 0.01 m).\n\n";
  save(pictures, "khepera-transition.svg", khepera_transition(), "next readings of Khepera2", out);
}

}  // namespace condens::reproduce
