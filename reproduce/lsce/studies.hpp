#pragma once
// The studies of sections 3.2 to 3.5: which methods on which data, how often; and what a trial
// gives.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/command.hpp"
#include "common/record_book.hpp"
#include "methods.hpp"
#include "toys.hpp"

namespace condens::reproduce {

struct Problem {
  Dataset train;
  Dataset test;
  std::optional<Toy> toy = {};            ///< where the truth is known
  std::optional<Matrix> components = {};  ///< W*, where that alone is known
  Vector target_range = {};               ///< largest - smallest of every target over all rows, where these are given
};

/// A data set of a study, with several numbers of training rows.
struct Case {
  std::string name;  ///< without commas
  std::vector<Index> levels;
  std::function<Problem(Index level, Index repetition)> problem;
};

struct Study {
  std::vector<Case> cases;
  std::vector<Method> methods;
  Index repetitions;
};

/// What a record holds, in its order. Scores are of y standardised by the training rows, but for one.
enum class Number {
  squared,     ///< Error_CDE on the test rows
  ranged,      ///< the same of y divided by its range
  truth,       ///< that of the true density
  nll,         ///< with 2.2e-16 added to every density (errata L8)
  subspace,    ///< Error_DR
  components,  ///< d_z
  seconds      ///< of one core: choice of everything and fit
};
const std::vector<std::string>& number_names();

/// Section 3.2: datasets (a) and (b), 1,000 test rows, 20 runs.
Study artificial_study(Scale scale);

/// Section 3.3: the public sets of Table 1 that are in `directory`, n as printed, 10 runs.
Study benchmark_study(Scale scale, const std::string& directory);

/// Section 3.4: transitions of the humanoid robot with 2, 4 and 9 joints, n as printed, 10 runs.
Study robot_study(Scale scale);

Dataset sumie_data();
/// Section 3.5: 722 transitions of our brush (brush.hpp), n as printed, 10 runs.
Study sumie_study(Scale scale);
/// One of its methods. Throws std::invalid_argument for a label that is not there.
Method sumie_method(const std::string& label);

/// A case of n random rows of `data` for training, another split for every repetition.
Case split_case(const std::string& name, Index n, const Dataset& data);

/// Fits and scores what the book does not hold yet, until `minutes` are over.
void run_study(const Study& study, RecordBook& book, double minutes);

}  // namespace condens::reproduce
