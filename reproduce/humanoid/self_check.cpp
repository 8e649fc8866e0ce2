#include "humanoid/self_check.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

#include "common/differences.hpp"
#include "condens/core/random.hpp"
#include "humanoid/transitions.hpp"

namespace condens::reproduce {

namespace {

const JointVector upright = JointVector::Zero();

double uniform_within(RandomStream& random, double lowest, double highest) {
  return lowest + (highest - lowest) * random.uniform();
}

/// Angles within the ranges, rates within 1.
Posture random_posture(const Humanoid& robot, RandomStream& random) {
  Posture out;
  for (Index i = 0; i < n_joints; ++i) {
    const Link& link = robot.links[static_cast<std::size_t>(i)];
    out.angle[i] = uniform_within(random, link.lowest, link.highest);
    out.rate[i] = uniform_within(random, -1, 1);
  }
  return out;
}

/// The largest change of the energy within half a second without servos, of ten random starts, relative to the energy
/// of motion that the fall has made.
double energy_drift(const Humanoid& robot, double step) {
  const Humanoid falling = limp(robot);
  RandomStream random(1);
  double out = 0;
  for (int i = 0; i < 10; ++i) {
    Posture posture = random_posture(robot, random);
    const double energy = falling.energy(posture);
    posture = falling.integrate(posture, upright, std::lround(0.5 / step), step);
    const double motion = 0.5 * posture.rate.dot(falling.mass_matrix(posture.angle) * posture.rate);
    out = std::max(out, std::abs(falling.energy(posture) - energy) / motion);
  }
  return out;
}

void check_conservation(Differences& differences, const Humanoid& robot) {
  differences.add("change of energy in 0.5 s without servos, relative", energy_drift(robot, robot.step), 1e-6);
  const double order = std::log2(energy_drift(robot, 2e-3) / energy_drift(robot, 1e-3));
  differences.add("order of that change, 2 ms against 1 ms, short of 4", std::max(0.0, 4 - order), 0.5);

  // Gravity and the other servos give no moment about the vertical axis of the waist.
  Humanoid free_waist = robot;
  free_waist.links[waist_yaw].position_gain = free_waist.links[waist_yaw].rate_gain = 0;
  RandomStream random(2);
  double momentum_change = 0;
  for (int i = 0; i < 10; ++i) {
    const auto momentum = [&](const Posture& p) { return free_waist.mass_matrix(p.angle).row(waist_yaw).dot(p.rate); };
    const Posture start = random_posture(robot, random);
    const Posture end = free_waist.integrate(start, start.angle, 1000, robot.step / 8);
    momentum_change = std::max(momentum_change, std::abs(momentum(end) - momentum(start)));
  }
  differences.add("angular momentum about the free waist in 0.125 s, kg m^2/s", momentum_change, 1e-6);
}

/// At rest, the servos' torque that holds a posture is the slope of the energy of height.
void check_statics(Differences& differences, const Humanoid& robot) {
  constexpr double h = 1e-5;
  RandomStream random(3);
  double out = 0;
  for (int i = 0; i < 20; ++i) {
    Posture posture = random_posture(robot, random);
    posture.rate.setZero();
    // M q'' = tau - c: what is missing at tau = 0.
    const JointVector missing = -robot.mass_matrix(posture.angle) * robot.acceleration(posture, JointVector::Zero());
    for (Index j = 0; j < n_joints; ++j) {
      Posture more = posture;
      Posture less = posture;
      more.angle[j] += h;
      less.angle[j] -= h;
      out = std::max(out, std::abs(missing[j] - (robot.energy(more) - robot.energy(less)) / (2 * h)));
    }
  }
  differences.add("torque against gravity, slope of the energy of height, N m", out, 1e-6);
}

/// An arm is a pendulum where everything else is held by servos as stiff as walls.
void check_pendulum(Differences& differences, const Humanoid& robot) {
  Humanoid held = limp(robot);
  for (std::size_t i = 0; i < held.links.size(); ++i) {
    if (i == right_elbow_pitch) continue;
    held.links[i].inertia.setConstant(1e6);
  }
  const Link& forearm = robot.links[right_elbow_pitch];
  const double lever = -forearm.centre.z();
  const double inertia = forearm.inertia.y() + forearm.mass * lever * lever;
  const double swing = 2 * std::numbers::pi * std::sqrt(inertia / (forearm.mass * robot.gravity * lever));
  Posture hanging{upright, upright};
  hanging.angle[right_elbow_pitch] = 1e-3;
  const Posture back = held.integrate(hanging, upright, 1000, swing / 1000);
  differences.add("forearm after one small swing, relative to the swing",
                  std::abs(back.angle[right_elbow_pitch] / 1e-3 - 1), 1e-6);
}

void check_integration(Differences& differences, const Humanoid& robot) {
  RandomStream random(4);
  double out = 0;
  double fastest = 0;
  JointMatrix damping = JointMatrix::Zero();
  for (Index i = 0; i < n_joints; ++i) damping(i, i) = robot.links[static_cast<std::size_t>(i)].rate_gain;
  for (int i = 0; i < 100; ++i) {
    const Posture start = random_posture(robot, random);
    const Posture wanted = random_posture(robot, random);
    const JointVector target = start.angle + 0.2 * wanted.rate;
    const Posture coarse = robot.advance(start, target);
    const Posture fine = robot.integrate(start, target, 8 * std::lround(robot.period / robot.step), robot.step / 8);
    out = std::max({out, (coarse.angle - fine.angle).cwiseAbs().maxCoeff(),
                    robot.period * (coarse.rate - fine.rate).cwiseAbs().maxCoeff()});
    const Eigen::GeneralizedSelfAdjointEigenSolver<JointMatrix> modes(damping, robot.mass_matrix(start.angle));
    fastest = std::max(fastest, modes.eigenvalues().maxCoeff());
  }
  differences.add("a period in steps of 0.5 ms against 1/16 ms, radians (rates times the period)", out, 1e-5);
  differences.add("fastest damped mode times the step (Runge-Kutta is stable below 2.78)", fastest * robot.step, 2);
}

/// The next row begins where the one before ends, a longer sample begins with the shorter one, and another seed gives
/// another.
void check_rows(Differences& differences, const Humanoid& robot) {
  const std::vector<Joint> all = studied_joints(9);
  const Dataset more = sample_transitions(robot, all, sacde_noise, 250, 5);
  const Dataset few = sample_transitions(robot, all, sacde_noise, 120, 5);
  const Matrix x = more.x;
  const Matrix y = more.y;
  differences.add("rows of one trajectory, end and next beginning",
                  (x.block(0, 1, 18, 99) - y.leftCols(99)).cwiseAbs().maxCoeff(), 0);
  differences.add("rows of a shorter and a longer sample", (x.leftCols(120) - few.x).cwiseAbs().maxCoeff(), 0);
  if ((sample_transitions(robot, all, sacde_noise, 120, 6).x.array() == few.x.array()).all())
    throw std::runtime_error("two seeds have the same rows");
}

void check_noise(Differences& differences) {
  constexpr Index draws = 1000000;
  std::uint64_t stream = 0;
  for (const ActionNoise& noise : {sacde_noise, lsce_noise}) {
    const GaussianMixture law = noise.law();
    RandomStream random(6, stream++);
    Vector sample(draws);
    for (double& value : sample) value = noise.draw(random);
    const double deviation = std::sqrt(law.variance()[0]);
    differences.add("noise of actions, sd " + fixed(noise.deviation, 3) + ": mean, in standard errors",
                    std::abs(sample.mean() - law.mean()[0]) / deviation * std::sqrt(double{draws}), 4);
  }
}

/// How each joint moves where all nine are recorded.
void describe_transitions(const Humanoid& robot, std::ostream& out) {
  constexpr Index rows = 2000;
  const std::vector<Joint> joints = studied_joints(n_joints);
  const Dataset data = sample_transitions(robot, joints, sacde_noise, rows, 7);
  const Matrix x = data.x;
  const Matrix y = data.y;
  MarkdownTable table({"joint", "actions at the lower limit", "share of an action that a period follows"});
  for (Index j = 0; j < n_joints; ++j) {
    const Link& link = robot.links[static_cast<std::size_t>(joints[static_cast<std::size_t>(j)])];
    const Eigen::ArrayXd action = x.row(2 * n_joints + j) - x.row(j);
    const Eigen::ArrayXd change = y.row(j) - x.row(j);
    const double at_limit = static_cast<double>((x.row(2 * n_joints + j).array() <= link.lowest).count()) / rows;
    const Eigen::ArrayXd centred = action - action.mean();
    table.add({link.name, significant(at_limit), significant((centred * change).sum() / centred.square().sum())});
  }
  out << "Of " << rows << " transitions of all joints; the share is the slope of the change of the angle on the action"
      << " relative to the angle.\n\n";
  table.print(out);
}

}  // namespace

void check_humanoid(std::ostream& out) {
  const Humanoid robot = make_humanoid();
  Differences differences;
  check_conservation(differences, robot);
  check_statics(differences, robot);
  check_pendulum(differences, robot);
  check_integration(differences, robot);
  check_rows(differences, robot);
  check_noise(differences);
  differences.print(out);
  MarkdownTable modes({"noise of actions", "modes as printed"});
  modes.add({"SA-CDE: sd " + fixed(sacde_noise.deviation, 3), std::to_string(sacde_noise.law().modes().cols())});
  modes.add({"LSCE: sd " + fixed(lsce_noise.deviation, 3), std::to_string(lsce_noise.law().modes().cols())});
  modes.print(out);
  describe_transitions(robot, out);
}

}  // namespace condens::reproduce
