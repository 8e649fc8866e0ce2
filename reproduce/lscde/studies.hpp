#pragma once
// The studies of sections 4.2 and 4.3: all methods on random halves of the benchmark sets, and on drawn transitions of
// the robots. Problems do not depend on the method, so that methods are compared on the same rows.

#include <functional>
#include <string>
#include <vector>

#include "benchmark_sets.hpp"
#include "common/command.hpp"
#include "common/record_book.hpp"
#include "methods.hpp"

namespace condens::reproduce {

struct Problem {
  Dataset train;
  Dataset test;
};

struct Case {
  std::string name;  ///< without commas
  Index n;           ///< of the training rows
  Index inputs;
  std::array<Printed, 5> printed;
  std::function<Problem(Index repetition)> problem;
};

struct Study {
  std::vector<Case> cases;
  std::vector<Method> methods;
  Index repetitions;
  std::array<double, 5> printed_times;  ///< NaN: none
  bool same_data;                       ///< as the paper's, so that the levels of scores can be compared
};

/// What a record holds, in its order; all but the seconds NaN where the fit failed.
enum class Number {
  exact,   ///< NLL of the test rows, of y standardised by the training rows
  capped,  ///< with 2.2e-16 added to every density (errata L8)
  seconds  ///< of one core: choice of hyper-parameters, and fit
};
const std::vector<std::string>& number_names();

/// The sets of Table 1 that are in `directory`: the halves of halves.hpp.
Study benchmark_study(Scale scale, const std::string& directory);

/// The same with weakened rivals.
Study weakened_study(Scale scale, const std::string& directory);

/// Table 2: 100 rows for training, 900 for the test, 10 runs.
Study robot_study(Scale scale);

/// The same for pendulums that are measured with ten times the errors.
Study badly_measured_study(Scale scale);

/// Fits and scores what the book does not hold yet, until `minutes` are over.
void run_study(const Study& study, RecordBook& book, double minutes);

}  // namespace condens::reproduce
