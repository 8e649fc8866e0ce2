#pragma once
// Coverage of intervals within slices of the rows: a promise that is kept on average may be broken where it matters.
//
// Slices are the fifths of every numeric input, the levels of every category, and the fifths of the intervals' own
// widths; a number of five values or fewer is cut by its values. The worst slice is that whose coverage c_s is furthest
// below the level c in binomial standard errors, (c_s - c) / sqrt(c (1 - c) / n_s), n_s its effective number of rows.

#include <optional>
#include <string>
#include <vector>

#include "condens/core/document.hpp"
#include "condens/core/run.hpp"
#include "condens/core/types.hpp"
#include "condens/data/dataset.hpp"
#include "condens/data/encoder.hpp"
#include "condens/metrics/scores.hpp"
#include "condens/model/conformal.hpp"

namespace condens {

struct CoverageSlice {
  std::string input;  ///< its name as it is encoded, or "width"
  std::string part;   ///< a level, a value, or "[0.5, 1.25]"; "missing"
  Index rows;
  Score coverage;  ///< share of rows inside; the standard error is that of a binomial share
  double width;    ///< mean; infinite where an interval is
  double z;        ///< how far below the level, in standard errors of a slice that keeps it
};

struct CoverageSlices {
  double level;
  bool guaranteed;  ///< the intervals are conformal ones
  Score coverage;   ///< of all rows
  std::vector<CoverageSlice> slices;
  std::optional<std::size_t> worst;  ///< of those below the level
};

/// Of any intervals (2 x n) that were to hold y with probability `level`. Throws std::invalid_argument for lengths that
/// differ.
CoverageSlices coverage_slices(const Encoder& encoder, const Dataset& data, const Vector& y,
                               const MatrixView& intervals, double level, bool guaranteed);

/// Of the intervals of a model with one target: those with a guarantee where it has them, else central ones.
CoverageSlices coverage_slices(const ConditionalDensity& density, const std::optional<TargetDecoder>& target,
                               const std::optional<Conformal>& conformal, const Encoder& encoder, const Dataset& data,
                               double level, const Run& run);

Document to_document(const CoverageSlices& slices);

}  // namespace condens
