#include "humanoid/humanoid.hpp"

#include <Eigen/Cholesky>
#include <cmath>
#include <utility>

#include "common/runge_kutta.hpp"

namespace condens::reproduce {

namespace {

using Eigen::Vector3d;
using Jacobian = Eigen::Matrix<double, 3, n_joints>;

// --- the body ---------------------------------------------------------------------------

constexpr double body_mass = 80;
constexpr double body_height = 1.6;

/// Of a rigid body without products of inertia.
struct Solid {
  double mass;
  Vector3d centre;
  Vector3d inertia;  ///< about the centre
};

Solid ball(double mass, double radius, const Vector3d& centre) {
  return {mass, centre, Vector3d::Constant(0.4 * mass * radius * radius)};
}

Solid box(double mass, const Vector3d& sides, const Vector3d& centre) {
  const Vector3d squares = sides.array().square();
  return {mass, centre, mass / 12 * (Vector3d::Constant(squares.sum()) - squares)};
}

/// Hanging from its joint: its centre and its radius of gyration across, as shares of its length; about its own axis a
/// cylinder.
Solid limb(double mass, double length, double centre, double gyration, double radius) {
  const double across = mass * std::pow(gyration * length, 2);
  return {mass, {0, 0, -centre * length}, {across, across, 0.5 * mass * radius * radius}};
}

/// Both together; their centres on one axis of the frame (no products of inertia arise).
Solid together(const Solid& a, const Solid& b) {
  Solid out{a.mass + b.mass, (a.mass * a.centre + b.mass * b.centre) / (a.mass + b.mass), a.inertia + b.inertia};
  for (const Solid& part : {a, b}) {
    const Vector3d squares = (part.centre - out.centre).array().square();
    out.inertia += part.mass * (Vector3d::Constant(squares.sum()) - squares);
  }
  return out;
}

struct Servo {
  double position_gain;
  double rate_gain;
};
constexpr Servo strong{2000, 100};
constexpr Servo weak{200, 10};  // of the elbows

Link make_link(std::string name, Index parent, const Vector3d& axis, const Vector3d& joint, const Solid& solid,
               const Servo& servo, double lowest, double highest) {
  return {std::move(name),     parent,          axis,   joint,  solid.mass, solid.centre, solid.inertia,
          servo.position_gain, servo.rate_gain, lowest, highest};
}

// --- its motion -------------------------------------------------------------------------

/// What the equations of motion need of one link, in the frame of the room.
struct LinkMotion {
  Eigen::Matrix3d rotation;
  Vector3d joint;       ///< place
  Vector3d axis;        ///< of the joint
  Vector3d centre;      ///< place
  Vector3d spin;        ///< w
  Vector3d joint_bias;  ///< acceleration of the joint at q'' = 0
  Vector3d spin_bias;   ///< u
  Jacobian centre_jacobian;
  Jacobian spin_jacobian;
};

using BodyMotion = std::array<LinkMotion, n_joints>;

BodyMotion motion_of(const Humanoid& robot, const Posture& posture) {
  BodyMotion out;
  LinkMotion pelvis{};
  pelvis.rotation.setIdentity();
  for (Vector3d* zero : {&pelvis.joint, &pelvis.spin, &pelvis.joint_bias, &pelvis.spin_bias}) zero->setZero();
  pelvis.spin_jacobian.setZero();
  for (Index i = 0; i < n_joints; ++i) {
    const Link& link = robot.links[static_cast<std::size_t>(i)];
    const LinkMotion& parent = link.parent < 0 ? pelvis : out[static_cast<std::size_t>(link.parent)];
    LinkMotion& own = out[static_cast<std::size_t>(i)];
    const double rate = posture.rate[i];
    const Vector3d arm = parent.rotation * link.joint;
    own.joint = parent.joint + arm;
    own.joint_bias = parent.joint_bias + parent.spin_bias.cross(arm) + parent.spin.cross(parent.spin.cross(arm));
    own.axis = parent.rotation * link.axis;
    own.rotation = parent.rotation * Eigen::AngleAxisd(posture.angle[i], link.axis).toRotationMatrix();
    own.centre = own.joint + own.rotation * link.centre;
    own.spin = parent.spin + rate * own.axis;
    own.spin_bias = parent.spin_bias + rate * parent.spin.cross(own.axis);
    own.spin_jacobian = parent.spin_jacobian;
    own.spin_jacobian.col(i) = own.axis;
    own.centre_jacobian.setZero();
    for (Index k = i; k >= 0; k = robot.links[static_cast<std::size_t>(k)].parent) {
      const LinkMotion& above = out[static_cast<std::size_t>(k)];
      own.centre_jacobian.col(k) = above.axis.cross(own.centre - above.joint);
    }
  }
  return out;
}

JointMatrix mass_matrix_of(const Humanoid& robot, const BodyMotion& motion) {
  JointMatrix out = JointMatrix::Zero();
  for (std::size_t i = 0; i < motion.size(); ++i) {
    const Link& link = robot.links[i];
    const Jacobian turned = motion[i].rotation.transpose() * motion[i].spin_jacobian;
    out.noalias() += link.mass * motion[i].centre_jacobian.transpose() * motion[i].centre_jacobian;
    out.noalias() += turned.transpose() * link.inertia.asDiagonal() * turned;
  }
  return out;
}

/// c: what the servos would have to give for q'' = 0.
JointVector bias_of(const Humanoid& robot, const BodyMotion& motion) {
  const Vector3d gravity(0, 0, -robot.gravity);
  JointVector out = JointVector::Zero();
  for (std::size_t i = 0; i < motion.size(); ++i) {
    const Link& link = robot.links[i];
    const LinkMotion& own = motion[i];
    const Vector3d arm = own.centre - own.joint;
    const Vector3d centre_bias = own.joint_bias + own.spin_bias.cross(arm) + own.spin.cross(own.spin.cross(arm));
    const auto moment = [&](const Vector3d& turning) -> Vector3d {
      return own.rotation * link.inertia.cwiseProduct(own.rotation.transpose() * turning);
    };
    out.noalias() += own.centre_jacobian.transpose() * (link.mass * (centre_bias - gravity));
    out.noalias() += own.spin_jacobian.transpose() * (moment(own.spin_bias) + own.spin.cross(moment(own.spin)));
  }
  return out;
}

/// The time derivative of a posture has its shape.
Posture along(const Posture& posture, const Posture& slope, double seconds) {
  return {posture.angle + seconds * slope.angle, posture.rate + seconds * slope.rate};
}

}  // namespace

JointMatrix Humanoid::mass_matrix(const JointVector& angle) const {
  return mass_matrix_of(*this, motion_of(*this, {angle, JointVector::Zero()}));
}

JointVector Humanoid::torque(const Posture& posture, const JointVector& target) const {
  JointVector out;
  for (Index i = 0; i < n_joints; ++i) {
    const Link& link = links[static_cast<std::size_t>(i)];
    out[i] = link.position_gain * (target[i] - posture.angle[i]) - link.rate_gain * posture.rate[i];
  }
  return out;
}

JointVector Humanoid::acceleration(const Posture& posture, const JointVector& torque) const {
  const BodyMotion motion = motion_of(*this, posture);
  return mass_matrix_of(*this, motion).llt().solve(torque - bias_of(*this, motion));
}

Posture Humanoid::integrate(Posture posture, const JointVector& target, Index steps, double h) const {
  const auto slope = [&](const Posture& at) -> Posture { return {at.rate, acceleration(at, torque(at, target))}; };
  return runge_kutta(posture, steps, h, slope, along);
}

Posture Humanoid::advance(const Posture& posture, const JointVector& target) const {
  return integrate(posture, target, std::lround(period / step), step);
}

double Humanoid::energy(const Posture& posture) const {
  const BodyMotion motion = motion_of(*this, posture);
  double out = 0.5 * posture.rate.dot(mass_matrix_of(*this, motion) * posture.rate);
  for (std::size_t i = 0; i < motion.size(); ++i) out += links[i].mass * gravity * motion[i].centre.z();
  return out;
}

Humanoid make_humanoid() {
  // Shares of mass and height: README.md.
  const double shoulder = 0.218 * body_height;  // above the waist
  const double half_breadth = 0.129 * body_height;
  const Solid waist = ball(2, 0.08, {0, 0, 0});
  const Solid housing = ball(1, 0.05, {0, 0, 0});
  const Solid trunk = together(box(0.355 * body_mass, {0.2, 2 * half_breadth, shoulder}, {0, 0, 0.5 * shoulder}),
                               ball(0.081 * body_mass, 0.06 * body_height, {0, 0, 0.336 * body_height}));
  const Solid upper_arm = limb(0.028 * body_mass, 0.186 * body_height, 0.436, 0.322, 0.05);
  const Solid forearm = limb(0.022 * body_mass, 0.146 * body_height, 0.682, 0.468, 0.04);
  const Vector3d elbow(0, 0, -0.186 * body_height);
  const Vector3d here(0, 0, 0);

  Humanoid out;
  std::size_t next = 0;
  const auto add = [&](const Link& link) { out.links[next++] = link; };
  add(make_link("waist yaw", -1, {0, 0, 1}, here, waist, strong, -0.8, 0.8));
  add(make_link("torso roll", waist_yaw, {1, 0, 0}, here, waist, strong, -0.4, 0.4));
  add(make_link("torso pitch", torso_roll, {0, 1, 0}, here, trunk, strong, -0.3, 0.8));
  for (const double side : {-1.0, 1.0}) {
    const std::string name = side < 0 ? "right " : "left ";
    const Index first = side < 0 ? right_shoulder_pitch : left_shoulder_pitch;
    add(make_link(name + "shoulder pitch", torso_pitch, {0, -1, 0}, {0, side * half_breadth, shoulder}, housing, strong,
                  -0.5, 2.0));
    add(make_link(name + "shoulder roll", first, {side, 0, 0}, here, upper_arm, strong, 0.0, 0.8));
    add(make_link(name + "elbow pitch", first + 1, {0, -1, 0}, elbow, forearm, weak, 0.0, 2.2));
  }
  return out;
}

Humanoid limp(Humanoid robot) {
  for (Link& link : robot.links) link.position_gain = link.rate_gain = 0;
  return robot;
}

}  // namespace condens::reproduce
