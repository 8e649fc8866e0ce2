#include "pendulum.hpp"

#include <cmath>
#include <numbers>
#include <utility>

#include "common/runge_kutta.hpp"

namespace condens::reproduce {

namespace {

constexpr Index most_periods_before = 20;

/// The time derivative of a state has its shape.
PendulumState along(const PendulumState& state, const PendulumState& slope, double seconds) {
  return {.place = state.place + seconds * slope.place,
          .speed = state.speed + seconds * slope.speed,
          .angle = state.angle + seconds * slope.angle,
          .rate = state.rate + seconds * slope.rate};
}

/// The two equations of motion, solved for the accelerations.
PendulumState derivative(const Pendulum& robot, const PendulumForces& forces, const PendulumState& state) {
  const double lever = robot.bob_mass * robot.length;
  const double mass = robot.body_mass + robot.bob_mass;
  const double inertia = lever * robot.length;
  const double coupling = lever * std::cos(state.angle);
  const double force = forces.push + lever * state.rate * state.rate * std::sin(state.angle);
  const double moment = lever * robot.gravity * std::sin(state.angle) - forces.viscous * state.rate -
                        forces.dry_friction * std::tanh(state.rate / robot.smoothing);
  const double determinant = mass * inertia - coupling * coupling;
  return {.place = state.speed,
          .speed = (inertia * force - coupling * moment) / determinant,
          .angle = state.rate,
          .rate = (mass * moment - coupling * force) / determinant};
}

double wrapped(double angle) {
  const double turn = 2 * std::numbers::pi;
  return angle - turn * std::ceil((angle - std::numbers::pi) / turn);
}

}  // namespace

double Pendulum::push(double torque, double grip) const {
  const double wanted = torque / wheel_radius;
  const double limit = grip * (body_mass + bob_mass) * gravity;
  return std::abs(wanted) <= limit ? wanted : std::copysign(sliding_share * limit, wanted);
}

PendulumForces Pendulum::draw_forces(double torque, RandomStream& random) const {
  const double grip = grip_median * std::exp(grip_spread * random.normal());
  return {.push = push(torque, grip), .viscous = viscous_friction, .dry_friction = 2 * dry_friction * random.uniform()};
}

PendulumState Pendulum::integrate(PendulumState state, const PendulumForces& forces, double seconds,
                                  double longest) const {
  const double steps = std::ceil(seconds / longest * (1 - 1e-12));
  const auto slope = [&](const PendulumState& at) { return derivative(*this, forces, at); };
  return runge_kutta(state, static_cast<Index>(steps), seconds / steps, slope, along);
}

PendulumState Pendulum::advance(const PendulumState& state, double torque, RandomStream& random) const {
  return integrate(state, draw_forces(torque, random), period, step);
}

double Pendulum::draw_torque(RandomStream& random) const { return torque_range * (2 * random.uniform() - 1); }

double Pendulum::energy(const PendulumState& state) const {
  const double v_x = state.speed + length * state.rate * std::cos(state.angle);
  const double v_y = -length * state.rate * std::sin(state.angle);
  return body_mass * state.speed * state.speed / 2 + bob_mass * (v_x * v_x + v_y * v_y) / 2 +
         bob_mass * gravity * length * std::cos(state.angle);
}

double Pendulum::momentum(const PendulumState& state) const {
  return body_mass * state.speed + bob_mass * (state.speed + length * state.rate * std::cos(state.angle));
}

Vector Pendulum::measure(const PendulumState& state, RandomStream& random) const {
  Vector out(2);
  out[0] = state.angle + angle_error * random.normal();
  out[1] = state.rate + (rate_error + rate_error_share * std::abs(state.rate)) * random.normal();
  return out;
}

Dataset Pendulum::sample(Index n, std::uint64_t seed) const {
  Matrix x(3, n);
  Matrix y(2, n);
  for (Index i = 0; i < n; ++i) {
    RandomStream random(seed, static_cast<std::uint64_t>(i));
    PendulumState state{.place = 0, .speed = 0, .angle = std::numbers::pi * (2 * random.uniform() - 1), .rate = 0};
    for (Index k = random.below(most_periods_before); k > 0; --k) state = advance(state, draw_torque(random), random);
    state.angle = wrapped(state.angle);
    const double torque = draw_torque(random);
    x.col(i) << measure(state, random), torque;
    y.col(i) = measure(advance(state, torque, random), random);
  }
  return {.x = std::move(x), .y = std::move(y)};
}

Pendulum pendulum_1() { return {.name = "Pendulum1", .torque_range = 0.4}; }

Pendulum pendulum_2() { return {.name = "Pendulum2", .torque_range = 1.2}; }

Pendulum badly_measured(Pendulum robot) {
  robot.name += " badly measured";
  for (double* error : {&robot.angle_error, &robot.rate_error, &robot.rate_error_share}) *error *= 10;
  return robot;
}

}  // namespace condens::reproduce
