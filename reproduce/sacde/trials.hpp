#pragma once
// A study is a list of trials: one method, fitted to one random problem, scored on its test
// rows. Problems do not depend on the method, so methods are compared on the same rows. What
// a trial gives is kept in a file and not computed again.

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

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

struct Key {
  std::string data;
  Index level;
  std::string method;
  Index repetition;
  auto operator<=>(const Key&) const = default;
};

/// NaN where there is no such number; all but `seconds` NaN where the fit failed.
struct Record {
  double exact;       ///< NLL on the test rows, of standardised y
  double capped;      ///< the same with 2.2e-16 added to every density
  double truth;       ///< NLL of the true density, of the same rows and scale
  double integrated;  ///< eq. 7: 1/2 mean_i int (estimate - truth)^2 dy at the first test rows
  double averaged;    ///< 1/2 mean_i (estimate - truth)^2 at (x_i, y_i), all test rows (errata S11)
  double seconds;     ///< of one core, for the choice of hyper-parameters, the fit and the test rows
  double selected;    ///< number of inputs selected
  double found;       ///< of these, relevant ones
};

/// The records of one file, read at the start and appended to.
class RecordBook {
 public:
  explicit RecordBook(std::filesystem::path file);

  bool contains(const Key& key) const { return records_.contains(key); }
  const Record* find(const Key& key) const;
  void add(const Key& key, const Record& record);

 private:
  std::filesystem::path file_;
  std::map<Key, Record> records_;
};

/// Runs the trials that the book does not hold yet, several at once, each on one thread; all
/// methods and levels of one repetition before the next, low levels first. After `minutes` no further trial begins.
/// The numbers, but for the seconds, do not depend on the number of threads.
void run_trials(const Study& study, RecordBook& book, double minutes);

}  // namespace condens::reproduce
