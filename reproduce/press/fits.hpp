#pragma once
// Fits of predictive states to one sample, for many numbers of states J and seeds, and their scores.

#include <string>
#include <vector>

#include "common/command.hpp"
#include "common/record_book.hpp"
#include "common/repetitions.hpp"
#include "condens/estimators/press.hpp"

namespace condens::reproduce {

struct Sample {
  std::string name;  ///< without commas
  Dataset train;
  Dataset test = {};  ///< may be empty
};

/// What a record holds; NaN where there is no such number.
enum class Number {
  states,   ///< J
  freedom,  ///< nu (35)
  mse,      ///< in the sample
  aic,      ///< (37), with p counting the intercept (errata P8)
  test_mse,
  test_mad,  ///< mean absolute error
  test_nll,
  iterations,
  seconds  ///< of one core
};

/// The names of the enumerators, in their order.
const std::vector<std::string>& number_names();

struct Method {
  std::string label;  ///< without commas
  PressOptions options;
};

/// The preset `paper`: GCV, one random start, a fifth of the rows held out says when to stop.
Method paper_method();
/// The same on all rows, to the minimum.
Method minimum_method();
/// The preset `paper` from the recommended starts, of which the best is continued: ours.
Method informed_method();
/// What the library recommends; it chooses J itself.
Method recommended_method();

/// 1, ..., last.
std::vector<Index> one_to(Index last);

struct Study {
  Sample sample;
  std::vector<Method> methods;
  std::vector<Index> states;  ///< 0: the numbers of states that the options have
  Index repetitions = 1;      ///< seeds 0, 1, ...
};

/// `states` > 0 and `seed` overwrite the options'.
Press fit(const Method& method, const Dataset& train, Index states, Index seed, int threads = 1);

/// yhat (24).
Vector fitted_means(const Press& model, const MatrixView& x);

double mean_square(const Press& model, const Dataset& data);

/// (37) for a fit of `states`, those of which that hold no rows are no longer in the model and count all the same.
double aic_of(const Press& model, Index states, const Dataset& train);

/// Fits what the book does not hold yet; no fit begins after `minutes`.
void run_study(const Study& study, RecordBook& book, double minutes);

/// The finite numbers of a method at J.
Repetitions numbers_of(const RecordBook& book, const Study& study, const std::string& method, Index states,
                       Number number);

/// Of every seed that has all numbers of states: the J of the lowest AIC.
std::vector<Index> chosen_states(const RecordBook& book, const Study& study, const std::string& method);

/// "4 (12), 5 (8)": how often each was chosen.
std::string tally(const std::vector<Index>& chosen);

}  // namespace condens::reproduce
