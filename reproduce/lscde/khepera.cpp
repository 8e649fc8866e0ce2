#include "khepera.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace condens::reproduce {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

Place operator-(const Place& a, const Place& b) { return {a.x - b.x, a.y - b.y}; }

Place moved(const Place& from, const Place& direction, double length) {
  return {from.x + length * direction.x, from.y + length * direction.y};
}

double dot(const Place& a, const Place& b) { return a.x * b.x + a.y * b.y; }
double cross(const Place& a, const Place& b) { return a.x * b.y - a.y * b.x; }
double norm(const Place& a) { return std::hypot(a.x, a.y); }

Place direction_of(double angle) { return {std::cos(angle), std::sin(angle)}; }

struct Wall {
  Place from;
  Place to;
};

Wall wall_of(const Room& room, std::size_t i) { return {room.corners[i], room.corners[(i + 1) % room.corners.size()]}; }

double distance(const Wall& wall, const Place& at) {
  const Place along = wall.to - wall.from;
  const double share = std::clamp(dot(at - wall.from, along) / dot(along, along), 0.0, 1.0);
  return norm(at - moved(wall.from, along, share));
}

/// Solves from + t direction = wall.from + u (wall.to - wall.from).
double ray_to(const Wall& wall, const Place& from, const Place& direction) {
  const Place along = wall.to - wall.from;
  const double determinant = cross(direction, along);
  if (determinant == 0) return infinite;  // parallel
  const Place offset = wall.from - from;
  const double t = cross(offset, along) / determinant;
  const double u = cross(offset, direction) / determinant;
  return t >= 0 && u >= 0 && u <= 1 ? t : infinite;
}

double ray_to(const Pillar& pillar, const Place& from, const Place& direction) {
  const Place offset = pillar.centre - from;
  const double nearest = dot(offset, direction);
  const double miss = cross(offset, direction);
  const double half_chord = pillar.radius * pillar.radius - miss * miss;
  return nearest >= 0 && half_chord >= 0 ? nearest - std::sqrt(half_chord) : infinite;
}

}  // namespace

bool Room::is_free(const Place& at) const {
  for (const Pillar& pillar : pillars)
    if (norm(at - pillar.centre) < pillar.radius) return false;
  bool inside = false;  // a ray to the right crosses the polygon an odd number of times
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const auto [from, to] = wall_of(*this, i);
    if ((from.y > at.y) == (to.y > at.y)) continue;
    if (at.x < from.x + (at.y - from.y) / (to.y - from.y) * (to.x - from.x)) inside = !inside;
  }
  return inside;
}

double Room::clearance(const Place& at) const {
  double out = infinite;
  for (std::size_t i = 0; i < corners.size(); ++i) out = std::min(out, distance(wall_of(*this, i), at));
  for (const Pillar& pillar : pillars) out = std::min(out, norm(at - pillar.centre) - pillar.radius);
  return out;
}

double Room::ray(const Place& from, const Place& direction) const {
  double out = infinite;
  for (std::size_t i = 0; i < corners.size(); ++i) out = std::min(out, ray_to(wall_of(*this, i), from, direction));
  for (const Pillar& pillar : pillars) out = std::min(out, ray_to(pillar, from, direction));
  return out;
}

Vector Khepera::distances(const Pose& pose) const {
  Vector out(2);
  for (const Index side : {0, 1}) {
    const Place direction = direction_of(pose.heading + (side == 0 ? sensor_angle : -sensor_angle));
    out[side] = std::min(room.ray(pose.at, direction) - radius, sensor_range);
  }
  return out;
}

Vector Khepera::sensor_deviation(const Vector& distances) const {
  return sensor_error + sensor_error_growth * distances.array().square();
}

Vector Khepera::measure(const Pose& pose, RandomStream& random) const {
  Vector out = distances(pose);
  const Vector deviation = sensor_deviation(out);
  for (const Index side : {0, 1}) out[side] += deviation[side] * random.normal();
  return out;
}

Pose Khepera::roll(Pose pose, double left, double right, std::vector<Pose>* path) const {
  const double seconds = period / static_cast<double>(steps);
  const double turn = (right - left) / wheel_distance * seconds;
  const double way = (left + right) / 2 * seconds;
  const double chord = turn == 0 ? way : way * std::sin(turn / 2) / (turn / 2);  // of the arc, in its mean direction
  for (Index k = 0; k < steps; ++k) {
    const Place next = moved(pose.at, direction_of(pose.heading + turn / 2), chord);
    if (room.clearance(next) >= radius) pose.at = next;
    pose.heading += turn;
    if (path != nullptr) path->push_back(pose);
  }
  return pose;
}

Pose Khepera::advance(const Pose& pose, double left, double right, RandomStream& random) const {
  const double left_slip = 1 + slip * random.normal();
  const double right_slip = 1 + slip * random.normal();
  return roll(pose, left * left_slip, right * right_slip);
}

Pose Khepera::draw_pose(RandomStream& random) const {
  Place low = room.corners.front();
  Place high = low;
  for (const Place& corner : room.corners) {
    low = {std::min(low.x, corner.x), std::min(low.y, corner.y)};
    high = {std::max(high.x, corner.x), std::max(high.y, corner.y)};
  }
  const double heading = 2 * std::numbers::pi * random.uniform();
  while (true) {
    const double right = random.uniform();
    const double up = random.uniform();
    const Place at{low.x + right * (high.x - low.x), low.y + up * (high.y - low.y)};
    if (room.is_free(at) && room.clearance(at) >= radius) return {at, heading};
  }
}

double Khepera::draw_speed(RandomStream& random) const { return largest_speed * (2 * random.uniform() - 1); }

Dataset Khepera::sample(Index n, std::uint64_t seed) const {
  Matrix x(4, n);
  Matrix y(2, n);
  for (Index i = 0; i < n; ++i) {
    RandomStream random(seed, static_cast<std::uint64_t>(i));
    const Pose pose = draw_pose(random);
    const double left = draw_speed(random);
    const double right = draw_speed(random);
    x.col(i) << measure(pose, random), left, right;
    y.col(i) = measure(advance(pose, left, right, random), random);
  }
  return {.x = std::move(x), .y = std::move(y)};
}

Khepera khepera_1() {
  return {.name = "Khepera1",
          .room = {.corners = {{0, 0}, {0.5, 0}, {0.5, 0.4}, {0, 0.4}}, .pillars = {{{0.3, 0.22}, 0.03}}}};
}

Khepera khepera_2() {
  return {.name = "Khepera2",
          .room = {.corners = {{0, 0}, {0.6, 0}, {0.6, 0.3}, {0.3, 0.3}, {0.3, 0.6}, {0, 0.6}},
                   .pillars = {{{0.15, 0.4}, 0.025}, {{0.42, 0.14}, 0.025}}}};
}

}  // namespace condens::reproduce
