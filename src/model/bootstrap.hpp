#pragma once
// The bootstrap over rows: draws the rows' copies and fits again (condens/model/replicates.hpp has the formula).

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "condens/data/dataset.hpp"
#include "condens/model/replicates.hpp"
#include "input_gain.hpp"

namespace condens {

/// How often each of n rows is drawn, of n draws with the same chance, in replicate r.
Vector bootstrap_copies(Index n, std::uint64_t seed, Index r);

/// What is fitted again.
struct Refits {
  const Dataset* rows;      ///< those of the density
  std::vector<Index> rest;  ///< their places among all rows; empty: they are all rows
  Refit refit;              ///< of the density, with what was chosen; not called where the density Reweighs
  /// Of a target with atoms: all rows with the number of their atom, and the model of these.
  const Dataset* classes = nullptr;
  std::function<std::shared_ptr<const ClassModel>(const Dataset&, const Run&)> refit_classes = {};
  ReplicateMethod method = ReplicateMethod::refit;
  /// In the place of `refit`, of rows that are more than a Dataset says: of the places that were drawn, and which draw
  /// this is.
  std::function<std::unique_ptr<ConditionalDensity>(const std::vector<Index>& places, const Dataset& rows,
                                                    std::uint64_t draw, const Run&)>
      refit_places = {};
};

/// `count` replicates of `density`. A draw that leaves no density, or not every atom, is drawn again, up to twenty
/// times. Cost: `count` fits without their tuning. Throws std::invalid_argument for a count outside 1 ...
/// most_replicates, NumericalError where drawing again does not help, Cancelled.
Replicates bootstrap(const ConditionalDensity& density, const Refits& refits, Index count, std::uint64_t seed,
                     const Run& run);

}  // namespace condens
