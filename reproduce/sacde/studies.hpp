#pragma once
// The studies of sections 3.3 to 3.7: which methods on which data, how often.

#include <string>
#include <vector>

#include "common/command.hpp"
#include "trials.hpp"

namespace condens::reproduce {

/// Section 3.3: toy data 1 and 2, N = 200 to 5,000 training rows, 10^4 test rows.
Study sizes_study(Scale scale);

/// Section 3.4: SA-CDE and SA-LSCDE on the same data, with 5, 10 and 20 candidates of each
/// hyper-parameter.
Study candidates_study(Scale scale);

/// The same with other numbers of inputs: toy data 1 with 2, 4 and 11, toy data 2 with 3 and 9, of one and three
/// targets.
Study dimensions_study(Scale scale);

/// Toy data 1 at N = 300 in all readings: both of sinc, both of the irrelevant inputs (errata G1, S13).
Study readings_study(Scale scale);

/// SA-LSCDE in all readings of what SA-CDE selects, on toy data 1 and 2 at N = 500, beside SA-CDE and FW-LSCDE.
Study selection_study(Scale scale);

/// Section 3.5: 0 to 10 irrelevant inputs, added to toy data 1 (150 training rows), and to random
/// halves of geyser and crabs. A set that is not in `directory` is left out.
Study irrelevant_study(Scale scale, const std::string& directory);

/// Section 3.6: random halves of twelve data sets, each with five irrelevant inputs.
Study benchmark_study(Scale scale, const std::string& directory);

/// Section 3.7: the humanoid robot with 2, 4 or 9 joints and 0 to 20 irrelevant inputs, random halves of 10,000
/// transitions.
Study humanoid_study(Scale scale, Index joints);

/// Not in the paper: two joints whose actions have noise of two modes, that of the LSCE paper.
Study bimodal_study(Scale scale);

/// The sets of benchmark_study and their numbers of inputs.
struct BenchmarkChoice {
  const char* name;
  Index inputs;
};
inline constexpr BenchmarkChoice benchmark_choice[] = {
    {"geyser", 1}, {"engel", 1}, {"mcycle", 1},  {"caution", 2}, {"topo", 2},       {"sniffer", 4},
    {"ufc", 4},    {"crabs", 6}, {"birthwt", 7}, {"gilgais", 8}, {"BigMac2003", 9}, {"BostonHousing", 13}};

}  // namespace condens::reproduce
