#pragma once
// Inputs as small whole numbers: the bin of a number, the level of a category.

#include <cstdint>
#include <vector>

#include "condens/data/dataset.hpp"
#include "condens/data/standardizer.hpp"

namespace condens::trees {

using Code = std::uint16_t;

struct BinnedInput {
  std::vector<Index> rows;    ///< of x; several: indicators, each of a level
  std::vector<double> edges;  ///< of a number, rising: code k lies in (edges[k - 1], edges[k]]
  Index n_codes;              ///< of a category: level 0, none of the rows, and one for each row
  std::vector<Code> codes;    ///< of every row of the data

  bool categorical() const { return rows.size() > 1; }
};

/// At most `max_bins` bins of about as many rows each; edges lie half-way between neighbouring values. A group whose
/// rows are no indicators, at most one of them 1 at a time, is several numbers.
std::vector<BinnedInput> bin_inputs(const Dataset& data, Index max_bins, int threads);

/// The same in two steps, which may see different rows: the bins, without codes, and the codes of rows.
std::vector<BinnedInput> find_bins(const Dataset& data, Index max_bins, int threads);
void code_rows(std::vector<BinnedInput>& inputs, const Dataset& data, int threads);

/// The edges on the standardised scale, where data were binned in the units of the user, in which indicators are 0
/// and 1.
void standardize_edges(std::vector<BinnedInput>& inputs, const Standardizer& x_scale);

/// The levels of a category in the rising order of `key`, equal ones in their own order, so that the best of all splits
/// in two is between neighbours (W. D. Fisher, On grouping for maximum homogeneity, JASA 53, 1958): the place of each.
std::vector<Code> places_by(const std::vector<double>& key);

}  // namespace condens::trees
