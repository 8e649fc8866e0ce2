#pragma once
// A study is a list of trials: one method, fitted to one random problem, scored on its test
// rows. Problems do not depend on the method, so methods are compared on the same rows.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/record_book.hpp"
#include "methods.hpp"
#include "toys.hpp"

namespace condens::reproduce {

struct Problem {
  Dataset train;
  Dataset test;
  std::optional<Toy> toy = {};       ///< where the truth is known
  std::vector<Index> relevant = {};  ///< inputs, where they are known
};

/// A data set of a study, at several levels: numbers of rows, or of irrelevant inputs.
struct Case {
  std::string name;  ///< without commas
  std::vector<Index> levels;
  std::function<Problem(Index level, Index repetition)> problem;
};

struct Study {
  std::vector<Case> cases;
  std::vector<Method> methods;
  std::function<Index(Index level)> repetitions;
};

/// What a record holds, in its order; all but `seconds` NaN where the fit failed.
enum class Number {
  exact,       ///< NLL on the test rows, of standardised y
  capped,      ///< the same with 2.2e-16 added to every density
  truth,       ///< NLL of the true density, of the same rows and scale
  integrated,  ///< eq. 7: 1/2 mean_i int (estimate - truth)^2 dy at the first test rows
  averaged,    ///< 1/2 mean_i (estimate - truth)^2 at (x_i, y_i), all test rows (errata S11)
  seconds,     ///< of one core, for the choice of hyper-parameters, the fit and the test rows
  selected,    ///< number of inputs selected
  found        ///< of these, relevant ones
};
const std::vector<std::string>& number_names();

/// Fits and scores what the book does not hold yet, the paper's methods before ours, until `minutes` are over. The
/// numbers, but for the seconds, do not depend on the number of threads.
void run_study(const Study& study, RecordBook& book, double minutes);

}  // namespace condens::reproduce
