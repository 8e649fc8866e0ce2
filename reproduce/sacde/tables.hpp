#pragma once
// What the records of a study say: tables in Markdown, and pictures like the paper's.

#include <ostream>
#include <string>

#include "trials.hpp"

namespace condens::reproduce {

struct Report {
  const Study& study;
  const RecordBook& book;
  std::string level_name;  ///< "N", the label of an axis
  std::string stem;        ///< of the pictures' names
  std::string pictures;    ///< their directory
  bool log_levels = false;
};

/// For every data set of the study: NLL, squared errors where the truth is known, seconds and
/// selected inputs, by method and level; and curves of the first, second and third.
void print_by_level(const Report& report, std::ostream& out);

/// One column for each data set, at its first level, and one row for each method; a table for each number.
void print_across(const Report& report, std::ostream& out);

/// One column for each method, one row for each data set: NLL ± standard error of the mean. Bold: the
/// best mean, and those that a two-sided paired t-test at 5 % does not tell from it. The last rows are the
/// mean rank and the time relative to the fastest method.
void print_by_data(const Report& report, std::ostream& out);

/// What NLL gains between the first and the last level, method by method.
void print_growth(const Report& report, std::ostream& out);

/// Paired differences of NLL, and ratios of times, of pairs of methods at every level.
void print_pairs(const Report& report, const std::vector<std::pair<std::string, std::string>>& pairs,
                 std::ostream& out);

}  // namespace condens::reproduce
