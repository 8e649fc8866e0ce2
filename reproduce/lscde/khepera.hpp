#pragma once
// A robot of section 4.3: Khepera, a small round robot with two wheels and two infrared sensors, in a room. The paper's
// simulator was not published; this one is our own. Lengths are in metres, speeds in m/s, angles in radians.
//
// - Room: the inside of a polygon, with round pillars in it. At the place p with heading phi the clearance is the
//   distance of the robot's centre to the nearest wall or pillar; it is never below the robot's radius R.
// - Motion: wheels at a distance w from each other turn for one period with speeds v_L and v_R, each times 1 + a N(0,
// 1)
//   drawn for the period (slip). The centre moves with (v_L + v_R) / 2 along phi, and phi turns by (v_R - v_L) / w,
//   along arcs of short steps. A step that would end closer than R to something only turns.
// - Sensors: on the rim at +45 degrees (left) and -45 degrees (right) from the heading, looking away from the centre.
// The
//   distance along that ray to the first wall or pillar, at most the range D, is measured with a Gaussian error of
//   standard deviation e_0 + e_1 d^2: infrared light that comes back falls with the square of the distance, so that the
//   same error of its intensity is a larger one of a far distance.
//
// A state of two distances does not tell where the robot is: what comes next has as many modes as there are kinds of
// places that look alike, and a pillar may come into sight (occlusion).

#include <numbers>
#include <string>
#include <vector>

#include "condens/core/random.hpp"
#include "condens/data/dataset.hpp"

namespace condens::reproduce {

struct Place {
  double x;
  double y;
};

struct Pillar {
  Place centre;
  double radius;
};

struct Room {
  std::vector<Place> corners;  ///< of the polygon, in order
  std::vector<Pillar> pillars;

  /// In the polygon, and in no pillar.
  bool is_free(const Place& at) const;

  /// From a free place to the nearest wall or pillar.
  double clearance(const Place& at) const;

  /// From a free place along a direction (cosine, sine) to the first wall or pillar.
  double ray(const Place& from, const Place& direction) const;
};

struct Pose {
  Place at;
  double heading;
};

struct Khepera {
  std::string name;
  Room room;

  double radius = 0.0275;         ///< R
  double wheel_distance = 0.053;  ///< w
  double largest_speed = 0.1;     ///< v_L and v_R are uniform in [-largest_speed, largest_speed]
  double slip = 0.1;              ///< a
  double period = 0.3;            ///< between two recorded states
  Index steps = 30;               ///< of a period
  double sensor_angle = std::numbers::pi / 4;
  double sensor_range = 0.25;        ///< D
  double sensor_error = 0.002;       ///< e_0
  double sensor_error_growth = 0.3;  ///< e_1, per metre

  /// The true distances of the left and the right sensor, at most the range.
  Vector distances(const Pose& pose) const;
  Vector sensor_deviation(const Vector& distances) const;
  Vector measure(const Pose& pose, RandomStream& random) const;

  /// One period later, with the wheels' true speeds; `path` gets the pose after every step.
  Pose roll(Pose pose, double left, double right, std::vector<Pose>* path = nullptr) const;
  /// The same with slip.
  Pose advance(const Pose& pose, double left, double right, RandomStream& random) const;

  /// Uniform over the poses that keep the distance R.
  Pose draw_pose(RandomStream& random) const;
  double draw_speed(RandomStream& random) const;

  /// n independent transitions from uniform poses: x = (d_L, d_R, v_L, v_R), y the distances after one period, both as
  /// measured. Row i depends on `seed` and i only.
  Dataset sample(Index n, std::uint64_t seed) const;
};

/// A rectangle with one pillar.
Khepera khepera_1();
/// An L of two corridors, with a pillar in each.
Khepera khepera_2();

}  // namespace condens::reproduce
