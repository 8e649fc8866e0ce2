#pragma once
// What the records of the studies say: Tables 1 and 2 beside what the paper prints, and what the library recommends.

#include <ostream>

#include "studies.hpp"

namespace condens::reproduce {

struct Report {
  const Study& study;
  const RecordBook& book;
};

/// The paper's methods: each row (capped) above the printed one. Bold in ours: the best mean, and those that a
/// two-sided paired t-test at 5 % does not tell from it; in the printed rows the best mean, as the text at hand has
/// lost the paper's bold face. Last rows: mean rank, and time relative to LS-CDE.
void print_beside(const Report& report, std::ostream& out);

/// LS-CDE against each other method of the paper: on how many data the mean is less, and how many of these differences
/// a paired t-test finds; the same of the printed means.
void print_order(const Report& report, std::ostream& out);

/// The paper's methods and their other readings without any floor.
void print_exact(const Report& report, std::ostream& out);

/// What the library recommends beside the best of the paper's methods.
void print_recommended(const Report& report, std::ostream& out);

/// The pool of `auto` against the best of its members, chosen with hindsight.
void print_pool(const Report& report, std::ostream& out);

/// All methods, over all data.
void print_summary(const Report& report, std::ostream& out);

}  // namespace condens::reproduce
