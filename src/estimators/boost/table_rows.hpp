#pragma once
// Rows of boosted models that are elsewhere (condens/model/row_sums.hpp): what a worker adds to a pass.
//
// A pass tells all that has happened since some event - trees that were grown, offsets of log s - and what is asked:
//
//   histograms  sums of derivatives over the bins of every input, of the rows in some nodes of trees in the making
//   rows        m and log s of rows at some places, by the model that left them out
//   look        the losses of the rows left out
//   score       the same of the finished model; after that what is kept is dropped
//
// m and log s of all rows follow from the trees. So that they need not be computed anew for every pass, the process
// keeps them, with the codes of the inputs: some 20 + 16 n_targets n_models bytes a row and two for every input; and of
// a round what every row asks for, by the nodes of the trees: 36 n_models bytes a row. Where they are not there -
// another process does the work of one that died, or they had to make room - they are made again from all events; a
// pass that does not tell these gets the answer `unknown`, and is sent once more with all of them
// (models_of_table.hpp). Whatever is kept, the answer is the same, bit for bit.

#include "condens/core/document.hpp"
#include "condens/core/run.hpp"
#include "condens/data/dataset.hpp"

namespace condens::boosting {

/// The state of a pass "boost". Throws FormatError for what is none.
Document accumulate(const Document& pass, const Dataset& block, Index first_row, int threads);

/// Drops what this process keeps of a fit.
void forget_rows(Index fit);

}  // namespace condens::boosting
