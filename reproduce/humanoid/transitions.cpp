#include "humanoid/transitions.hpp"

#include <algorithm>
#include <utility>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "condens/core/random.hpp"

namespace condens::reproduce {

namespace {

constexpr Index trajectory_length = 100;
constexpr double action_range = 0.087;  // around the angle
constexpr double shifted_share = 0.4;   // of the noise
constexpr double noise_shift = -0.087;

double uniform(RandomStream& random, double lowest, double highest) {
  return lowest + (highest - lowest) * random.uniform();
}

Vector recorded(const std::vector<Joint>& joints, const Posture& posture) {
  Vector out(2 * std::ssize(joints));
  out << posture.angle(joints), posture.rate(joints);
  return out;
}

}  // namespace

std::vector<Joint> studied_joints(Index count) {
  require(count == 2 || count == 4 || count == 9, "studied_joints: ", count, " joints, expected 2, 4 or 9");
  if (count == 2) return {right_shoulder_pitch, right_elbow_pitch};
  if (count == 4) return {right_shoulder_pitch, right_elbow_pitch, right_shoulder_roll, waist_yaw};
  return {right_shoulder_pitch, right_shoulder_roll, right_elbow_pitch, left_shoulder_pitch, left_shoulder_roll,
          left_elbow_pitch,     waist_yaw,           torso_roll,        torso_pitch};
}

double ActionNoise::draw(RandomStream& random) const {
  const double centre = random.uniform() < shifted_share ? noise_shift : 0.0;
  return centre + deviation * random.normal();
}

GaussianMixture ActionNoise::law() const {
  return {Eigen::Vector2d(1 - shifted_share, shifted_share), Eigen::RowVector2d(0, noise_shift),
          Eigen::RowVector2d(deviation, deviation)};
}

Dataset sample_transitions(const Humanoid& robot, const std::vector<Joint>& joints, const ActionNoise& noise, Index n,
                           std::uint64_t seed) {
  const Index count = std::ssize(joints);
  Matrix x(3 * count, n);
  Matrix y(2 * count, n);
  const Index trajectories = (n + trajectory_length - 1) / trajectory_length;
  parallel_for(trajectories, resolve_threads(0), [&](Index k) {
    RandomStream random(seed, static_cast<std::uint64_t>(k));
    Posture posture{JointVector::Zero(), JointVector::Zero()};
    for (const Joint j : joints) {
      const Link& link = robot.links[static_cast<std::size_t>(j)];
      posture.angle[j] = uniform(random, link.lowest, link.highest);
    }
    JointVector target = JointVector::Zero();
    for (Index i = trajectory_length * k; i < std::min(n, trajectory_length * (k + 1)); ++i) {
      x.col(i).head(2 * count) = recorded(joints, posture);
      for (Index place = 0; place < count; ++place) {
        const Joint j = joints[static_cast<std::size_t>(place)];
        const Link& link = robot.links[static_cast<std::size_t>(j)];
        const double wanted = posture.angle[j] + uniform(random, -action_range, action_range);
        const double action = std::clamp(wanted, link.lowest, link.highest);
        x(2 * count + place, i) = action;
        target[j] = action + noise.draw(random);
      }
      posture = robot.advance(posture, target);
      y.col(i) = recorded(joints, posture);
    }
  });
  return {.x = std::move(x), .y = std::move(y)};
}

}  // namespace condens::reproduce
