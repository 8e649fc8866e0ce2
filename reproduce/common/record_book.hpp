#pragma once
// What the trials of a study gave, kept in a file, so that an interrupted study goes on where it
// stopped. A trial is one method, fitted to one random problem; its record is a row of numbers.

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "condens/core/types.hpp"

namespace condens::reproduce {

struct TrialKey {
  std::string data;  ///< without commas, as `method`
  Index level;       ///< of the data: its number of rows
  std::string method;
  Index repetition;
  auto operator<=>(const TrialKey&) const = default;
};

/// NaN where there is no such number.
using TrialRecord = std::vector<double>;

/// The records of one file, read at the start and appended to.
class RecordBook {
 public:
  /// `numbers`: the names of what a record holds. Throws std::invalid_argument for a file of other numbers.
  RecordBook(std::filesystem::path file, const std::vector<std::string>& numbers);

  /// nullptr where there is none.
  const TrialRecord* find(const TrialKey& key) const;
  void add(const TrialKey& key, const TrialRecord& record);

 private:
  std::filesystem::path file_;
  std::size_t n_numbers_;
  std::map<TrialKey, TrialRecord> records_;
};

struct Trial {
  TrialKey key;
  std::function<TrialRecord()> run;
};

/// Runs the trials that the book does not hold yet, several at once, each on one thread: all of one
/// repetition before the next, low levels first. After `minutes` no further trial begins.
void run_trials(std::vector<Trial> trials, RecordBook& book, double minutes);

}  // namespace condens::reproduce
