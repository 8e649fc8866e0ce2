#pragma once
// The brush of section 3.5, of our own: footprints in the shape of a drop, three actions and six measurements after
// N. Xie, H. Hachiya and M. Sugiyama, Artist agent (ICML 2012), and a simulated artist of two habits. The artists'
// strokes were not published. Lengths are in units of the canvas, angles in radians.
//
// - Shape to be painted: a medial axis and a half width along it.
// - Footprint: a disc of centre C and radius r, and the tip of the bristles, two radii from C in the direction of the
//   heading h.
// - Action: turn of the direction of motion, logarithm of the change of r (pushing down, lifting), rotation of the
// handle.
//   C moves by one stride in its new direction. All three are carried out with Gaussian errors.
// - Habits, which are not recorded. Upright: the tip trails behind, h turns towards the way back. Oblique: the bristles
//   lie flat, h follows the handle alone, and C slips sideways, away from the tip. So one state and action lead to
//   different states.
// - State: (w, f, d, k1, k2, l). Angles of motion and heading relative to the axis at the point P nearest to C; offset
// of
//   C from P over r, positive on the left; relative curvature 2/pi arctan(a sqrt|k|) at P, negative where the axis
//   bends to the left, and at the point one stride further; l = 1 where the brush is driven backwards, else 0. All but
//   l are read off a video with Gaussian errors, once: the next state of a row is the state of the next one.

#include <functional>
#include <string>
#include <vector>

#include "condens/core/random.hpp"
#include "condens/data/dataset.hpp"
#include "condens/plot/canvas.hpp"

namespace condens::reproduce {

/// A point of a medial axis.
struct AxisPoint {
  plot::Point at;
  double angle;       ///< of the tangent
  double curvature;   ///< > 0: bends to the left
  double half_width;  ///< of the shape

  /// Beside the axis, on the left where `offset` > 0.
  plot::Point beside(double offset) const;
};

struct BrushShape {
  std::string name;
  double length;                ///< of the axis
  std::vector<AxisPoint> axis;  ///< at equal distances from 0 to `length`

  /// At the distance u along the axis, which goes on straight before and behind its ends.
  AxisPoint point(double u) const;
  /// u of the point nearest to `at`.
  double nearest(const plot::Point& at) const;
};

/// A leaf, a blade of an orchid, a hook.
std::vector<BrushShape> brush_shapes();

struct Footprint {
  plot::Point centre;
  double radius;
  double heading;
  double direction;  ///< of the motion that led here

  plot::Point tip() const;
};

enum class Habit { upright, oblique };

struct Brush {
  double stride = 0.035;
  double drag = 0.6;         ///< share of the angle between heading and way back that one stride closes
  double slip = 0.25;        ///< of the radius
  double turn_error = 0.08;  ///< standard deviations: of the actions,
  double size_error = 0.03;
  double rotation_error = 0.08;
  double angle_error = 0.03;  ///< and of what is measured
  double offset_error = 0.03;
  double curvature_error = 0.01;
  double curvature_scale = 0.3;  ///< a

  Footprint advance(const Footprint& from, const Vector& action, Habit habit, RandomStream& random) const;

  /// Without errors of measurement.
  Vector state(const Footprint& print, const BrushShape& shape) const;
  Vector measure(const Footprint& print, const BrushShape& shape, RandomStream& random) const;

  /// The footprint that is in state `next` after an action at `from`.
  Footprint placed(const Vector& next, const Footprint& from, const Vector& action, const BrushShape& shape) const;
};

struct Artist {
  Habit habit;
  bool hides_tip;  ///< begins with some strides against the axis

  Footprint begin(const BrushShape& shape, RandomStream& random) const;
  /// What is done at the `step`-th footprint.
  Vector act(const Brush& brush, const Footprint& print, Index step, const BrushShape& shape,
             RandomStream& random) const;
};

struct Stroke {
  std::vector<Footprint> prints;
  std::vector<Vector> states;   ///< as measured
  std::vector<Vector> actions;  ///< between each footprint and the next
};

/// The next footprint and its state as measured.
struct Landing {
  Footprint print;
  Vector state;
};
using Transition = std::function<Landing(const Footprint& from, const Vector& state, const Vector& action)>;

/// From the beginning of the axis to its end, or to the 60th footprint.
Stroke paint(const Brush& brush, const Artist& artist, const BrushShape& shape, std::uint64_t seed);
/// The same with other dynamics than the brush's own.
Stroke paint(const Brush& brush, const Artist& artist, const BrushShape& shape, std::uint64_t seed,
             const Transition& transition);

/// The first n transitions of strokes of all shapes and habits: x = (state, action), y = the next state.
Dataset brush_transitions(Index n, std::uint64_t seed);

}  // namespace condens::reproduce
