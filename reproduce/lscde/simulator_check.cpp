#include "simulator_check.hpp"

#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>

#include "common/differences.hpp"
#include "condens/core/errors.hpp"
#include "robots.hpp"

namespace condens::reproduce {

namespace {

constexpr double allowed_errors = 4;  ///< standard errors of what is counted

const PendulumForces no_forces = {.push = 0, .viscous = 0, .dry_friction = 0};

/// The largest relative change of the energy within two seconds, without forces.
double energy_drift(const Pendulum& robot, double step) {
  PendulumState state{.place = 0, .speed = 0.2, .angle = 0.5, .rate = 1};
  const double energy = robot.energy(state);
  double out = 0;
  for (int i = 0; i < 20; ++i) {
    state = robot.integrate(state, no_forces, 0.1, step);
    out = std::max(out, std::abs(robot.energy(state) / energy - 1));
  }
  return out;
}

void check_motion(Differences& differences) {
  const Pendulum robot = pendulum_1();
  differences.add("pendulum: relative change of energy in 2 s without forces, step 1 ms",
                  energy_drift(robot, robot.step), 1e-9);
  const double order = std::log2(energy_drift(robot, 0.02) / energy_drift(robot, 0.01));
  differences.add("pendulum: order of that change, 20 ms against 10 ms, short of 4", std::max(0.0, 4 - order), 0.25);

  const PendulumState start{.place = 0, .speed = 0.1, .angle = 2, .rate = -3};
  const PendulumForces pushed{.push = 5, .viscous = 0.01, .dry_friction = 0.05};
  const double gained = robot.momentum(robot.integrate(start, pushed, 0.5, robot.step)) - robot.momentum(start);
  differences.add("pendulum: momentum against push times time (friction inside of the robot)",
                  std::abs(gained - 5 * 0.5), 1e-10);

  // It swings about pi with w^2 = (g / l) (M + m) / M where the body is free; a whole period brings it back.
  const double frequency =
      std::sqrt(robot.gravity / robot.length * (robot.body_mass + robot.bob_mass) / robot.body_mass);
  const PendulumState hanging{.place = 0, .speed = 0, .angle = std::numbers::pi + 1e-4, .rate = 0};
  const PendulumState back = robot.integrate(hanging, no_forces, 2 * std::numbers::pi / frequency, robot.step);
  differences.add("pendulum: angle after one small swing, relative to the swing",
                  std::abs(back.angle - hanging.angle) / 1e-4, 1e-6);
}

/// How often the wheels slide under a torque, against the law of the grip.
void check_slip(Differences& differences) {
  constexpr Index draws = 20000;
  const Pendulum robot = pendulum_2();
  RandomStream random(1);
  for (const double torque : {0.3, 0.6, -1.0}) {
    Index slides = 0;
    for (Index i = 0; i < draws; ++i) slides += robot.draw_forces(torque, random).push != torque / robot.wheel_radius;
    const double needed = std::abs(torque) / robot.wheel_radius /
                          ((robot.body_mass + robot.bob_mass) * robot.gravity * robot.grip_median);
    const double expected = cdf(boost::math::normal(), std::log(needed) / robot.grip_spread);
    const double error = std::sqrt(expected * (1 - expected) / double{draws});
    differences.add("pendulum: share of sliding wheels at " + fixed(torque, 1) + " N m, in standard errors",
                    std::abs(static_cast<double>(slides) / double{draws} - expected) / error, allowed_errors);
  }
}

/// Walks along the ray until it is no longer free, then halves the last step.
double march(const Room& room, const Place& from, const Place& direction) {
  constexpr double step = 1e-4;
  const auto at = [&](double t) { return Place{from.x + t * direction.x, from.y + t * direction.y}; };
  double free = 0;
  while (room.is_free(at(free + step))) free += step;
  double blocked = free + step;
  for (int i = 0; i < 40; ++i) {
    const double middle = (free + blocked) / 2;
    (room.is_free(at(middle)) ? free : blocked) = middle;
  }
  return free;
}

/// The least distance to points that are not free, on circles around the place.
double nearest_blocked(const Room& room, const Place& from) {
  constexpr int directions = 720;
  double out = std::numeric_limits<double>::infinity();
  for (int i = 0; i < directions; ++i) {
    const double angle = 2 * std::numbers::pi * i / directions;
    out = std::min(out, march(room, from, {std::cos(angle), std::sin(angle)}));
  }
  return out;
}

void check_room(Differences& differences, const Khepera& robot) {
  RandomStream random(2);
  double rays = 0;
  double clearances = 0;
  for (int i = 0; i < 500; ++i) {
    const Pose pose = robot.draw_pose(random);
    const Place direction{std::cos(pose.heading), std::sin(pose.heading)};
    rays = std::max(rays, std::abs(robot.room.ray(pose.at, direction) - march(robot.room, pose.at, direction)));
    if (i >= 20) continue;
    // The nearest ray is at most 0.25 degrees beside the nearest point; beside the inner corner of the L, which it sees
    // at 45 degrees at worst, that makes it longer by 0.44 %.
    const double clearance = robot.room.clearance(pose.at);
    clearances = std::max(clearances, std::abs(clearance - nearest_blocked(robot.room, pose.at)) / clearance);
  }
  differences.add(robot.name + ": rays against marching, metres", rays, 1e-9);
  differences.add(robot.name + ": clearance against marching in 720 directions, relative", clearances, 5e-3);
}

void check_wheels(Differences& differences, const Khepera& robot) {
  Khepera open = robot;
  open.room = {.corners = {{-9, -9}, {9, -9}, {9, 9}, {-9, 9}}, .pillars = {}};
  const Pose start{{0.1, 0.2}, 0.7};
  const Pose ahead = open.roll(start, 0.08, 0.08);
  const double way = 0.08 * open.period;
  differences.add(
      robot.name + ": equal wheels go straight, metres",
      std::hypot(ahead.at.x - start.at.x - way * std::cos(0.7), ahead.at.y - start.at.y - way * std::sin(0.7)), 1e-12);
  const Pose turned = open.roll(start, -0.05, 0.05);
  differences.add(robot.name + ": opposite wheels turn on the spot, metres and radians",
                  std::hypot(turned.at.x - start.at.x, turned.at.y - start.at.y) +
                      std::abs(turned.heading - start.heading - 0.1 / open.wheel_distance * open.period),
                  1e-12);
  // One wheel stands: the centre goes around it on a circle whose radius is half the distance of the wheels.
  const Pose around = open.roll(start, 0, 0.1);
  const auto wheel = [&](const Pose& pose) {
    return Place{pose.at.x - open.wheel_distance / 2 * std::sin(pose.heading),
                 pose.at.y + open.wheel_distance / 2 * std::cos(pose.heading)};
  };
  differences.add(robot.name + ": a standing wheel stays where it is, metres",
                  std::hypot(wheel(around).x - wheel(start).x, wheel(around).y - wheel(start).y), 1e-12);

  RandomStream random(3);
  double intrusion = 0;
  for (int i = 0; i < 200; ++i) {
    std::vector<Pose> path;
    robot.roll(robot.draw_pose(random), robot.draw_speed(random), robot.draw_speed(random), &path);
    for (const Pose& pose : path)
      intrusion = std::max(
          {intrusion, robot.radius - robot.room.clearance(pose.at), robot.room.is_free(pose.at) ? 0.0 : robot.radius});
  }
  differences.add(robot.name + ": how far the robot is ever inside of something, metres", intrusion, 0);
}

void check_sensors(Differences& differences, const Khepera& robot) {
  constexpr Index draws = 20000;
  RandomStream random(4);
  const Pose pose = robot.draw_pose(random);
  const Vector truth = robot.distances(pose);
  Matrix squares = Matrix::Zero(2, 1);
  for (Index i = 0; i < draws; ++i) squares += (robot.measure(pose, random) - truth).array().square().matrix();
  const Vector ratio = squares.array() / double{draws} / robot.sensor_deviation(truth).array().square();
  differences.add(robot.name + ": variance of the sensors, in standard errors",
                  (ratio.array() - 1).abs().maxCoeff() / std::sqrt(2 / double{draws}), allowed_errors);
}

/// A longer sample begins with the shorter one, and another seed gives another.
void check_seeds(Differences& differences) {
  for (const Robot& robot : robots()) {
    const Dataset few = robot.sample(10, 5);
    const Dataset more = robot.sample(30, 5);
    const double same =
        (few.x - more.x.leftCols(10)).cwiseAbs().maxCoeff() + (few.y - more.y.leftCols(10)).cwiseAbs().maxCoeff();
    differences.add(robot.name + ": rows of one seed", same, 0);
    if ((robot.sample(10, 6).x.array() == few.x.array()).any())
      throw std::runtime_error(robot.name + ": two seeds share rows");
  }
}

}  // namespace

void check_simulators(std::ostream& out) {
  Differences differences;
  check_motion(differences);
  check_slip(differences);
  for (const Khepera& robot : {khepera_1(), khepera_2()}) {
    check_room(differences, robot);
    check_wheels(differences, robot);
    check_sensors(differences, robot);
  }
  check_seeds(differences);
  differences.print(out);
}

}  // namespace condens::reproduce
