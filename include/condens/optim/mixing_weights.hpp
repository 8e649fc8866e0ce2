#pragma once
// Weights of given kernels that mix them to a density: min 0.5 b'Bb - v'b over b >= 0, 1'b = 1
// (Chen, Hong and Harris 2010, eq. 39), exactly or by multiplicative updates; and the two readings
// of the target that kernels are fitted to.

#include <array>
#include <functional>
#include <string_view>

#include "condens/core/document.hpp"
#include "condens/core/options.hpp"
#include "condens/core/types.hpp"

namespace condens {

/// The Parzen window at its own points, with the kernel that stands there (as the paper's eq. 15 and
/// 24 have it, errata D5), or without.
enum class TargetDensity { paper, loo };
template <>
inline constexpr auto choice_names<TargetDensity> = std::array<std::string_view, 2>{"paper", "loo"};

/// The exact minimiser, or multiplicative updates in their repaired form (errata D1).
enum class WeightSolver { exact, mnqp };
template <>
inline constexpr auto choice_names<WeightSolver> = std::array<std::string_view, 2>{"exact", "mnqp"};

struct MixingWeights {
  Vector weights;        ///< on the simplex; zero: the kernel goes
  Document certificate;  ///< "objective", "gap" (Frank-Wolfe), "iterations"
};

/// B >= 0 with a positive diagonal. After multiplicative updates, weights below `pruning` times the largest one are set
/// to zero and the others brought to one; the certificate is that before pruning.
MixingWeights mixing_weights(const Matrix& b, const VectorView& v, WeightSolver solver, Index iterations,
                             double pruning, const std::function<void()>& poll = {});

}  // namespace condens
