#pragma once
// The upper body of a humanoid robot: a tree of nine revolute joints on a fixed pelvis, each with a servo. The two
// papers that use one (SA-CDE, section 3.7; LSCE, section 3.4) publish neither the simulator nor masses and lengths;
// this one is our own (README.md). SI units, angles in radians; x forward, y left, z up, and in the posture zero
// (upright, arms hanging) the frames of all links are parallel.
//
// Equations of motion, of angles q and rates q':
//
//     M(q) q'' + c(q, q') = tau,      tau_i = Kp_i (a_i - q_i) - Kd_i q'_i
//
// from Newton's and Euler's equations of every link, projected on the joints: with J and W the Jacobians of its
// centre's velocity and of its angular velocity w, m its mass and I its inertia about the centre,
//
//     M = sum m J'J + W'I W,      c = sum m J'(v - g) + W'(I u + w x I w),
//
// where v and u are the centre's and the angular acceleration at q'' = 0, and g is gravity. Integration: the classical
// Runge-Kutta method of order 4; the targets a are constant for a period, the torque follows the state continuously.

#include <Eigen/Geometry>
#include <array>
#include <string>

#include "condens/core/types.hpp"

namespace condens::reproduce {

inline constexpr Index n_joints = 9;

/// In the order of the tree: a parent before its children.
enum Joint : Index {
  waist_yaw,
  torso_roll,
  torso_pitch,
  right_shoulder_pitch,
  right_shoulder_roll,
  right_elbow_pitch,
  left_shoulder_pitch,
  left_shoulder_roll,
  left_elbow_pitch
};

using JointVector = Eigen::Matrix<double, n_joints, 1>;
using JointMatrix = Eigen::Matrix<double, n_joints, n_joints>;

struct Posture {
  JointVector angle;
  JointVector rate;
};

/// What one joint moves, and its servo.
struct Link {
  std::string name;         ///< of the joint
  Index parent;             ///< a link, or -1: the pelvis
  Eigen::Vector3d axis;     ///< of the joint
  Eigen::Vector3d joint;    ///< its place, from the parent's joint
  double mass;              ///< m
  Eigen::Vector3d centre;   ///< of mass, from the joint
  Eigen::Vector3d inertia;  ///< about the centre and the axes of the frame; no products
  double position_gain;     ///< Kp
  double rate_gain;         ///< Kd
  double lowest;            ///< of the targets
  double highest;
};

struct Humanoid {
  std::array<Link, n_joints> links;
  double gravity = 9.81;
  double period = 0.05;  ///< of the control: between two recorded states
  double step = 5e-4;    ///< of the integration

  JointMatrix mass_matrix(const JointVector& angle) const;

  /// Of the servos, where `target` is wanted.
  JointVector torque(const Posture& posture, const JointVector& target) const;

  JointVector acceleration(const Posture& posture, const JointVector& torque) const;

  /// `steps` Runge-Kutta steps of length `h` later.
  Posture integrate(Posture posture, const JointVector& target, Index steps, double h) const;

  /// One period later.
  Posture advance(const Posture& posture, const JointVector& target) const;

  /// Of motion and height.
  double energy(const Posture& posture) const;
};

/// A body of 80 kg and 1.6 m (README.md).
Humanoid make_humanoid();

/// The same without servos.
Humanoid limp(Humanoid robot);

}  // namespace condens::reproduce
