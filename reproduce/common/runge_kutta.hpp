#pragma once
// Ordinary differential equations by the classical method of fourth order (Runge and Kutta).

#include "condens/core/types.hpp"

namespace condens::reproduce {

/// The state after `steps` steps of `h` each. slope(state) is its derivative in time, which has its shape, and
/// along(state, slope, h) is state + h slope.
template <class State, class Slope, class Along>
State runge_kutta(State state, Index steps, double h, const Slope& slope, const Along& along) {
  for (Index i = 0; i < steps; ++i) {
    const State k1 = slope(state);
    const State k2 = slope(along(state, k1, h / 2));
    const State k3 = slope(along(state, k2, h / 2));
    const State k4 = slope(along(state, k3, h));
    state = along(along(along(along(state, k1, h / 6), k2, h / 3), k3, h / 3), k4, h / 6);
  }
  return state;
}

}  // namespace condens::reproduce
