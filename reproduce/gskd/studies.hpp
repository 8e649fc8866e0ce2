#pragma once
// The runs behind Tables I to IX: every method on every table's data, and its scores.

#include <string>
#include <vector>

#include "common/command.hpp"
#include "common/record_book.hpp"
#include "common/repetitions.hpp"
#include "densities.hpp"
#include "methods.hpp"
#include "printed.hpp"

namespace condens::reproduce {

/// What a record holds; NaN where there is no such number.
enum class Number {
  l1,           ///< (47): mean of |p - estimate| at 10,000 points drawn from p (errata D19)
  inner,        ///< (49), (50) over the inner region
  whole,        ///< the same over everything
  excess,       ///< mean of log p - log estimate at the points of (47): a divergence in any dimension
  kernels,      ///< of the fitted density
  selected,     ///< before weights made some kernels vanish
  evaluations,  ///< of the leave-one-out criterion
  criterion,    ///< its value for the kernels chosen
  seconds       ///< of one core, for the fit
};

/// The names of the enumerators, in their order.
const std::vector<std::string>& number_names();

struct Study {
  PrintedTable table;  ///< with the data size and the number of runs of this study
  std::vector<Method> methods;
};

/// One for every data size of a table of the paper.
std::vector<Study> studies(const PrintedGroup& group, Scale scale);

/// One for every data size of all tables, with reading_methods().
std::vector<Study> reading_studies(Scale scale);

/// Training and test samples of a repetition; methods see the same.
struct Problem {
  Matrix train;
  Matrix test;
};
Problem draw(const PrintedTable& table, Index repetition);

/// The law that a fitted density is, without inputs.
GaussianMixtures law_of(const ConditionalDensity& model);

/// Fits what the book does not hold yet; no fit begins after `minutes`.
void run_studies(const std::vector<Study>& studies, RecordBook& book, double minutes);

/// The finite numbers of a method in a study.
Repetitions numbers_of(const RecordBook& book, const Study& study, const std::string& label, Number number);

}  // namespace condens::reproduce
