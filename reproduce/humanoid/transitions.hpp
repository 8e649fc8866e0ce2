#pragma once
// Transitions of the humanoid robot: x = angles and rates of some joints and the actions, y = angles and rates one
// period later, as in the papers of SA-CDE (section 3.7) and LSCE (section 3.4).

#include <cstdint>
#include <vector>

#include "condens/data/dataset.hpp"
#include "condens/distributions/gaussian_mixture.hpp"
#include "humanoid/humanoid.hpp"

namespace condens::reproduce {

/// The joints of the studies with 2, 4 and 9 of them. Throws std::invalid_argument for another number.
std::vector<Joint> studied_joints(Index count);

/// What is added to every action: N(0, deviation^2) with probability 0.6, else N(-0.087, deviation^2).
struct ActionNoise {
  double deviation;

  double draw(RandomStream& random) const;
  GaussianMixture law() const;
};
inline constexpr ActionNoise sacde_noise{0.052};
inline constexpr ActionNoise lsce_noise{0.034};

/// n transitions, from trajectories of 100 that begin at rest at a uniform posture. An action is uniform within 0.087
/// of the angle, brought into the range of the joint; x holds it, and what the servo gets is the action with noise. The
/// joints that are not among `joints` are told to keep their place, zero. x: all angles, all rates, all actions.
/// Trajectory k depends on `seed` and k only.
Dataset sample_transitions(const Humanoid& robot, const std::vector<Joint>& joints, const ActionNoise& noise, Index n,
                           std::uint64_t seed);

}  // namespace condens::reproduce
