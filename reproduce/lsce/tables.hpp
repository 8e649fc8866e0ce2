#pragma once
// What the records of the studies say: tables in Markdown, and pictures like the paper's.

#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "studies.hpp"

namespace condens::reproduce {

struct Report {
  const Study& study;
  const RecordBook& book;
  std::string pictures;  ///< their directory
};

using Pairs = std::vector<std::pair<std::string, std::string>>;

/// Figure 3: for every data set Error_CDE, Error_DR, NLL and seconds by method and n, and curves of the first two.
void print_by_size(const Report& report, std::ostream& out);

/// Paired differences of a number between methods, at every level of every data set. Bold: a two-sided t-test at 5 %
/// tells them from zero.
void print_pairs(const Report& report, Number number, const std::string& name, const Pairs& pairs, std::ostream& out);

/// Table 1, each row above that which the paper prints, and how they differ; then all methods on all data sets by
/// Error_CDE and NLL, and seconds. Bold: the best mean and those that a paired t-test at 5 % does not tell from it.
void print_table_1(const Report& report, std::ostream& out);

/// The same two tables of the brush of section 3.5, and how its methods come by mean Error_CDE, here and in print.
/// `reading`: of LSCE/LSCDE, LSMI/LSCDE, None/LSCDE and None/eKDE as simulator_reading_study has them.
void print_sumie(const Report& report, const Report& reading, std::ostream& out);

/// Table 1 of a study as simulator_reading_study has it, and d_z.
void print_reading(const Report& reading, std::ostream& out);

/// Table 2: the numbers of components that were chosen, and how those of LSCE and LSMI differ.
void print_table_2(const Report& report, std::ostream& out);

}  // namespace condens::reproduce
