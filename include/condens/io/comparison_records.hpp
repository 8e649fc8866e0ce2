#pragma once
// The trials of comparisons in a file that grows by a line for each:
//
//   {"format": "condens-comparison", "version": 1}
//   {"data": "5d2f...", "test_fraction": 0.5, "seed": 0, "split": 3, "fit": "91c0...", "model": "lscde", "nll": 2.1,
//   ...}
//
// `data` is a hash of all numbers of the data, `fit` of the model with its options, so that one file serves any
// comparisons: those of other data, more splits or more models. `model` is for the reader.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "condens/comparison/comparison.hpp"

namespace condens {

class ComparisonRecords final : public TrialBook {
 public:
  /// Reads the file where there is one. An unfinished last line, of a run that was killed while it wrote, goes.
  /// Throws std::invalid_argument for bad data, FormatError with the line for a file of another kind, and
  /// std::runtime_error for one that cannot be read.
  ComparisonRecords(std::string path, const Dataset& data, const std::vector<Contestant>& models,
                    const ComparisonOptions& options);

  const Trial* find(std::size_t model, Index split) const override;

  /// Writes the line at once. Throws std::runtime_error when it cannot.
  void add(std::size_t model, Index split, const Trial& trial) override;

  /// Trials of this comparison that the file held.
  Index held() const { return held_; }

  /// Whether an unfinished last line was left out.
  bool was_cut_off() const { return was_cut_off_; }

 private:
  void read(const std::string& text);
  void append(const std::string& line) const;
  Document key_of(std::size_t model, Index split) const;

  std::string path_;
  ComparisonOptions options_;
  std::string data_;
  std::vector<std::string> labels_;
  std::vector<std::string> fits_;
  std::map<std::pair<std::size_t, Index>, Trial> trials_ = {};
  Index held_ = 0;
  bool was_cut_off_ = false;
};

}  // namespace condens
