#pragma once
// What the trials of a study gave, kept in a file, so that an interrupted study goes on where it
// stopped. A trial is one method, fitted to one random problem; its record is a row of numbers.
//
// A record stands as long as what it depends on: the method with its options, how the data are made, the seeds, the
// scores. All of these show in the numbers of a small trial: the same on few rows, in a second. It is run at the start
// of every study, and its numbers are a row of the file, of repetition -1. Where they are no longer those of the file
// (but for the seconds, to 1e-4, which nearly all searches keep on another machine), it becomes a new row, and what
// the method gave before on these data is older than the last change of it: run again, and until then shown with a
// note.

#include <filesystem>
#include <functional>
#include <map>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "condens/core/types.hpp"
#include "condens/data/dataset.hpp"

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

  /// nullptr where there is none; one older than the last change of its method only where no repetition is newer.
  const TrialRecord* find(const TrialKey& key) const;
  /// Whether `find` gives one that still stands.
  bool is_current(const TrialKey& key) const;
  void add(const TrialKey& key, const TrialRecord& record);
  /// Makes older what the method gave on these data at this level, unless its small trial gave the same before.
  void add_small(const TrialKey& key, const TrialRecord& record);

  /// Of the trials that were run: the methods whose numbers are older than their last change, and on which data.
  void print_older(std::ostream& out) const;

 private:
  struct Cell {
    TrialRecord small;                     // empty: none yet
    bool is_run = false;                   // by this program
    std::map<Index, TrialRecord> current;  // by repetition
    std::map<Index, TrialRecord> older;
  };

  bool same(const TrialRecord& a, const TrialRecord& b) const;
  void take(const TrialKey& key, const TrialRecord& record);
  void write(const TrialKey& key, const TrialRecord& record);

  std::filesystem::path file_;
  std::vector<std::string> numbers_;
  std::map<TrialKey, Cell> cells_;  // of all repetitions
};

struct Trial {
  TrialKey key;
  std::function<TrialRecord()> run;
  std::function<TrialRecord()> small;  ///< the same on few rows; the first given for a method, data and level is used
};

/// As many rows as a small trial has.
inline constexpr Index small_rows = 40;
Dataset first_rows(const Dataset& data, Index most = small_rows);

/// A problem with its first rows only.
template <class Problem>
Problem small_part(Problem problem) {
  problem.train = first_rows(problem.train);
  problem.test = first_rows(problem.test);
  return problem;
}

/// Runs the small trials, and then the trials that the book does not hold yet, several at once, each on one thread: all
/// of one repetition before the next, low levels first. After `minutes` no further trial begins.
void run_trials(std::vector<Trial> trials, RecordBook& book, double minutes);

}  // namespace condens::reproduce
