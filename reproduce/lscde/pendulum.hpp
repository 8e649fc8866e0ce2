#pragma once
// A robot of section 4.3: a body on four driven wheels, with a pendulum hinged to it. The paper's simulator was not
// published; this one is our own. Angles are in radians, everything else in SI units.
//
// s is the place of the body (mass M, wheels included; these are light, their inertia is neglected), theta the angle of
// the pendulum (a bob of mass m on a massless rod of length l) from upright, in the direction of s. Lagrange's
// equations:
//
//     (M + m) s'' + m l (theta'' cos theta - theta'^2 sin theta) = F
//     m l (s'' cos theta + l theta'') = m g l sin theta - b theta' - c tanh(theta' / theta'_0)
//
// - Torque: tau on the wheels of radius r, constant for one period, pushes with F = tau / r as long as they grip.
// - Slip: they do up to |F| = mu (M + m) g. Beyond that they slide, and F = kappa mu (M + m) g sign(tau). The grip mu
//   of the floor is log-normal, drawn anew for every period.
// - Friction: b is viscous; c, drawn from U(0, 2 c_0) for every period, is dry, smoothed over |theta'| < theta'_0.
// - Measurement: what is recorded of a state has independent Gaussian errors, sd(theta) = e_0 and
//   sd(theta') = e_1 + e_2 |theta'|: a rate is the difference of two readings of the angle, blurred by its change.
//
// Integration: the classical Runge-Kutta method of order 4.

#include <string>

#include "condens/core/random.hpp"
#include "condens/data/dataset.hpp"

namespace condens::reproduce {

struct PendulumState {
  double place;
  double speed;
  double angle;
  double rate;
};

/// What is constant for one period.
struct PendulumForces {
  double push;          ///< F
  double viscous;       ///< b
  double dry_friction;  ///< c
};

struct Pendulum {
  std::string name;
  double torque_range;  ///< tau is uniform in [-torque_range, torque_range]

  double body_mass = 2.0;          ///< M
  double bob_mass = 0.3;           ///< m
  double length = 0.3;             ///< l
  double wheel_radius = 0.05;      ///< r
  double gravity = 9.81;           ///< g
  double viscous_friction = 5e-3;  ///< b
  double dry_friction = 0.05;      ///< c_0
  double smoothing = 0.05;         ///< theta'_0
  double grip_median = 0.5;        ///< of mu
  double grip_spread = 0.3;        ///< standard deviation of log mu
  double sliding_share = 0.6;      ///< kappa
  double period = 0.1;             ///< between two recorded states
  double step = 1e-3;              ///< of the integration
  double angle_error = 0.01;       ///< e_0
  double rate_error = 0.05;        ///< e_1
  double rate_error_share = 0.03;  ///< e_2

  /// The push for a torque at a given grip.
  double push(double torque, double grip) const;

  /// The forces of one period.
  PendulumForces draw_forces(double torque, RandomStream& random) const;

  /// `seconds` later, in equal steps of at most `longest`.
  PendulumState integrate(PendulumState state, const PendulumForces& forces, double seconds, double longest) const;

  /// One period later.
  PendulumState advance(const PendulumState& state, double torque, RandomStream& random) const;

  double draw_torque(RandomStream& random) const;

  /// Energy of motion and height, and momentum along s.
  double energy(const PendulumState& state) const;
  double momentum(const PendulumState& state) const;

  /// Angle and rate, as measured.
  Vector measure(const PendulumState& state, RandomStream& random) const;

  /// n independent transitions: x = angle, rate and torque, y = angle and rate, of the recorded states before and after
  /// one period. The pendulum starts at rest at a uniform angle, and random torques move the robot for 0 to 19 periods
  /// before. The first angle is in (-pi, pi]; the second goes on from there and is not wrapped. Row i depends on `seed`
  /// and i only.
  Dataset sample(Index n, std::uint64_t seed) const;
};

/// The two settings: torques that the floor mostly bears, and torques that often make the wheels slide.
Pendulum pendulum_1();
Pendulum pendulum_2();

/// The same robot, measured with ten times the errors.
Pendulum badly_measured(Pendulum robot);

}  // namespace condens::reproduce
