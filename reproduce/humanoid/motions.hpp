#pragma once
// The robot and some of its motions as numbers, for mujoco_check.py.

#include "condens/core/document.hpp"
#include "humanoid/humanoid.hpp"

namespace condens::reproduce {

/// Of every link what a simulator needs; of every motion, with and without servos, where it starts, the targets of each
/// period, and the posture (angles, rates) after each step of the integration.
Document describe_motions(const Humanoid& robot);

}  // namespace condens::reproduce
