#include "humanoid/motions.hpp"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "condens/core/random.hpp"

namespace condens::reproduce {

namespace {

constexpr Index n_motions = 5;  // of each kind
constexpr Index n_periods = 20;
constexpr double target_range = 0.2;  // around the angle
constexpr double rate_range = 1;

Document numbers(const VectorView& values) { return Document(std::vector<double>(values.begin(), values.end())); }

Document describe(const Link& link) {
  Document out;
  out.set("name", link.name).set("parent", link.parent).set("axis", numbers(link.axis));
  out.set("joint", numbers(link.joint)).set("mass", link.mass).set("centre", numbers(link.centre));
  out.set("inertia", numbers(link.inertia));
  out.set("position_gain", link.position_gain).set("rate_gain", link.rate_gain);
  return out;
}

Document numbers(const Posture& posture) {
  Vector both(2 * n_joints);
  both << posture.angle, posture.rate;
  return numbers(both);
}

Document move(const Humanoid& robot, bool servos, RandomStream& random) {
  const auto within = [&](double lowest, double highest) { return lowest + (highest - lowest) * random.uniform(); };
  const Humanoid moving = servos ? robot : limp(robot);
  Posture posture;
  for (Index i = 0; i < n_joints; ++i) {
    const Link& link = robot.links[static_cast<std::size_t>(i)];
    posture.angle[i] = within(link.lowest, link.highest);
    posture.rate[i] = within(-rate_range, rate_range);
  }
  Document out;
  out.set("servos", servos).set("start", numbers(posture));
  Document::Array targets;
  Document::Array postures;
  for (Index k = 0; k < n_periods; ++k) {
    JointVector target;
    for (Index i = 0; i < n_joints; ++i) target[i] = posture.angle[i] + within(-target_range, target_range);
    targets.push_back(numbers(target));
    for (Index s = std::lround(robot.period / robot.step); s > 0; --s) {
      posture = moving.integrate(posture, target, 1, robot.step);
      postures.push_back(numbers(posture));
    }
  }
  out.set("targets", std::move(targets)).set("postures", std::move(postures));
  return out;
}

}  // namespace

Document describe_motions(const Humanoid& robot) {
  Document::Array links;
  for (const Link& link : robot.links) links.push_back(describe(link));
  Document::Array motions;
  RandomStream random(3);
  for (const bool servos : {true, false})
    for (Index i = 0; i < n_motions; ++i) motions.push_back(move(robot, servos, random));
  Document out;
  out.set("gravity", robot.gravity).set("step", robot.step).set("links", std::move(links));
  out.set("motions", std::move(motions));
  return out;
}

}  // namespace condens::reproduce
