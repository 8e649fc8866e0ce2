#pragma once
// What is asked of a model for each row of a table, and its answers: the options of `condens predict`, which are the
// parameters of a request to `condens serve`.

#include <CLI/CLI.hpp>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "condens/core/parallel.hpp"
#include "condens/core/run.hpp"

namespace condens::cli {

/// As they were typed.
struct AnswerFlags {
  bool mean = false;
  bool std = false;
  bool mode = false;
  std::string quantiles;
  bool exact_quantiles = false;
  std::string interval;
  bool log_density = false;
  bool cdf = false;
  std::string density_at;
  std::string cdf_at;
  std::string mass_at;
  bool distribution = false;
  std::string bands;
  std::string bands_method = "percentile";
  Index samples = 0;
  Index seed = 0;
  RowFlags unusable;
  bool na = false;
  bool keep = false;
  std::string dashes = "--";  ///< before the names of options in messages

  void add_to(CLI::App& verb);
};

/// As they were meant.
struct Wanted {
  AnswerFlags flags;
  std::vector<double> quantiles = {};
  std::vector<double> interval = {};   ///< no number, or one
  std::vector<double> densities = {};  ///< values of y, as in the next two
  std::vector<double> cdfs = {};
  std::vector<double> masses = {};
  std::vector<double> bands = {};  ///< no level, or one
  BandMethod method = BandMethod::percentile;
  std::optional<ShiftWeights> shift = std::nullopt;  ///< of the rows that are asked for
  Index most_numbers = std::numeric_limits<Index>::max();

  /// Where nothing is asked for, the mean, the standard deviation and three quantiles are. Throws
  /// std::invalid_argument that names the option.
  static Wanted of(const AnswerFlags& flags);

  bool needs_targets() const { return flags.log_density || flags.cdf; }
  /// Throws std::invalid_argument for what the model, of this file, cannot tell.
  void check(const Model& model, const std::string& file) const;
};

/// More numbers would be answered than `most_numbers`.
struct TooManyNumbers : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// The rows of a table, or of a block of one, that are answered, encoded.
struct AskedRows {
  const Table& table;
  std::vector<Index> rows;
  Dataset data;     ///< without targets unless they are needed
  Index first = 0;  ///< rows of the table before the block
};

/// Throws std::invalid_argument where targets that are needed are not among the columns. `source` names the table in
/// messages, here and below.
void check_asked_columns(const Wanted& wanted, const Model& model, const Table& table, const std::string& source);

/// `tell` hears what became of rows that are not usable.
AskedRows asked_rows(const Wanted& wanted, const Model& model, const Table& table, const std::string& source,
                     const Tell& tell);
AskedRows asked_rows(const Wanted& wanted, const Model& model, const Table& block, std::vector<Index> rows,
                     Index first);
/// Refuses, or tells of, rows that are not usable, by the flags.
void check_usable(const Wanted& wanted, const RowSurvey& survey, const Tell& tell);

/// Writes a line or, `json`, an object for each row, of one block after the other. All that it is made of outlives it.
class AnswerWriter {
 public:
  /// `wrote` hears of each number of rows that is written.
  AnswerWriter(const Wanted& wanted, const Model& model, const std::string& source, bool json, std::ostream& out,
               const Run& run, const std::function<void(Index)>& wrote);
  ~AnswerWriter();
  AnswerWriter(const AnswerWriter&) = delete;
  AnswerWriter& operator=(const AnswerWriter&) = delete;

  /// Throws TooManyNumbers before it has computed them.
  void write(const AskedRows& asked, Task& task);
  void end();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// All at once.
void write_answers(const Wanted& wanted, const Model& model, const AskedRows& asked, const std::string& source,
                   bool json, std::ostream& out, const Run& run, const std::function<void(Index)>& wrote);

}  // namespace condens::cli
