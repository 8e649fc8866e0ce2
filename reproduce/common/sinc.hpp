#pragma once
// sinc(c pi x) of the papers' artificial data, which do not define it (errata G1).

#include <cmath>
#include <numbers>

namespace condens::reproduce {

enum class Sinc {
  plain,      ///< sin(t) / t
  normalised  ///< sin(pi t) / (pi t)
};

inline double sinc(double t, Sinc reading) {
  if (reading == Sinc::normalised) t *= std::numbers::pi;
  return t == 0 ? 1.0 : std::sin(t) / t;
}

}  // namespace condens::reproduce
