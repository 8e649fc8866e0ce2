#pragma once
// Targets that are known by their limits, as columns of a table: --censored, --target-upper, --entry.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "condens/data/censoring.hpp"
#include "condens/data/table.hpp"
#include "condens/model/fit_report.hpp"

namespace condens::cli {

struct CensoredTable {
  Table table;     ///< without these columns; where the target is not exact it is one of its ends
  Censoring rows;  ///< of every row; empty where no column was named
};

struct CensoringFlags {
  std::string censored;
  std::string upper;
  std::string entry;

  void add_to(CLI::App& verb, const std::string& group);
  bool given() const { return !censored.empty() || !upper.empty() || !entry.empty(); }

  /// Says so where a model of a censored target meets rows of which no column tells how they are known.
  void remind(const std::string& verb, const FitReport& told) const;

  /// Throws std::invalid_argument, with file, line, column and value, for what cannot be read or be true. `others` play
  /// other parts: targets, inputs, the weight.
  CensoredTable read(Table table, const std::vector<std::string>& targets,
                     const std::vector<std::string>& others = {}) const;
};

}  // namespace condens::cli
