#pragma once
// Error bars of what a model says, from the replicates of its fit (replicates.hpp). Of an estimate t with replicates
// t_1, ..., t_R, sorted t_(1) <= ... <= t_(R), and t_(k) between whole k by a straight line, level 1 - 2 a:
//
//   percentile  [t_(a (R + 1)), t_((1 - a)(R + 1))]
//   basic       [2 t - t_((1 - a)(R + 1)), 2 t - t_(a (R + 1))]
//   normal      t -+ z_(1 - a) se,  se^2 = sum (t_r - mean)^2 / (R - 1)
//
// They are for what the estimate is on average over samples: where an estimate of a density is smoothed, its bias is
// not in them.
//
// Sources: B. Efron and R. J. Tibshirani, An Introduction to the Bootstrap, 1993, chapters 12 and 13; P. Hall, The
// Bootstrap and Edgeworth Expansion, 1992, section 4.4.

#include <array>
#include <functional>
#include <string_view>

#include "condens/core/options.hpp"
#include "condens/core/run.hpp"
#include "condens/core/types.hpp"
#include "condens/model/replicates.hpp"

namespace condens {

enum class BandMethod { percentile, basic, normal };
template <>
inline constexpr auto choice_names<BandMethod> = std::array<std::string_view, 3>{"percentile", "basic", "normal"};

struct Bands {
  Vector low;
  Vector high;
  Vector standard_error;
};

/// Throws std::invalid_argument for a level outside (0, 1) and for replicates that are too few for it: of the first two
/// methods at least 2 / (1 - level) - 1, of normal two.
void check_bands(Index replicates, double level, BandMethod method);

/// Of every estimate, whose replicates are a row of `replicates` (n x R).
Bands bands(const VectorView& estimates, const MatrixView& replicates, double level,
            BandMethod method = BandMethod::percentile);

/// What is asked of the distributions at the columns of x: numbers, always as many.
using NumberOf = std::function<Vector(const GaussianMixtures&)>;
using NumberOfTarget = std::function<Vector(const TargetDistributions&)>;

/// Of a functional of the distributions at the columns of x (n_inputs x n). Cost: R + 1 predictions.
Bands bands(const ConditionalDensity& model, const Replicates& replicates, const MatrixView& x,
            const NumberOf& functional, double level, BandMethod method = BandMethod::percentile, const Run& run = {});
Bands bands(const ConditionalDensity& model, const std::optional<TargetDecoder>& target, const Replicates& replicates,
            const MatrixView& x, const NumberOfTarget& functional, double level,
            BandMethod method = BandMethod::percentile, const Run& run = {});

}  // namespace condens
