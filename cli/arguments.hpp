#pragma once
// From the words of a call to values: lists, files and model options.

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "condens/core/document.hpp"
#include "condens/data/encoder.hpp"
#include "condens/data/table.hpp"
#include "condens/io/csv.hpp"
#include "condens/io/csv_blocks.hpp"
#include "condens/io/model_file.hpp"
#include "condens/model/bands.hpp"
#include "condens/registry.hpp"

namespace condens::cli {

/// "a, b" -> {"a", "b"}; nothing for an empty text.
std::vector<std::string> split_names(const std::string& text);

/// ".05,.5" -> {0.05, 0.5}. Throws std::invalid_argument that names `flag` unless every
/// number is in (0, 1).
std::vector<double> split_probabilities(const std::string& flag, const std::string& text);

/// "a=1" -> {"a", "1"}. Throws std::invalid_argument without "=".
std::pair<std::string, std::string> split_assignment(const std::string& flag, const std::string& text);

/// "500M", "2 GiB" or "1000000" in bytes. Throws std::invalid_argument that names `flag`.
std::size_t bytes_of(const std::string& flag, const std::string& text);

/// How CSV files are written: --delimiter and --comment.
struct CsvFlags {
  std::string delimiter;
  std::string comment;

  void add_to(CLI::App& verb);
  CsvOptions options() const;
  Table read(const std::string& path) const;                           ///< a file that cannot be read is a wrong call
  CsvBlocks blocks(const std::string& path, std::size_t bytes) const;  ///< the same, in parts of so much text

  /// A random sample of `--sample` rows, stratified by a column, which alone is kept in memory; some 64 MiB of text are
  /// read at a time, or what `memory` says (bytes_of_block).
  SampledTable sample(const std::string& path, const std::string& column, Index rows, Index seed, const Run& run,
                      const std::string& memory = "") const;
};

/// Which columns play which part: --target, --inputs, --exclude, --weight, --categorical, --missing, --drop-missing,
/// --many-levels, --rare-levels, --unseen.
struct ColumnFlags {
  std::string target;
  std::string inputs;
  bool inputs_given = false;
  std::string excluded;
  std::string weight;
  std::string categorical;
  std::string missing = "error";
  bool drop_missing = false;
  std::string many_levels = "statistics";
  std::optional<Index> rare_levels;
  std::string unseen = "automatic";

  void add_to(CLI::App& verb);
  EncoderOptions options() const;
};

/// Reads the model of a call. `table` is the argument beside it, if any: messages say when the two are swapped.
Model read_model(const std::string& path, const std::string& table = "");

/// Throws std::invalid_argument where the model in the file has no replicates, or too few of them.
void check_bands(const std::string& path, const Model& model, double level, BandMethod method,
                 const std::string& dashes = "--");

/// Hears what is to be known of rows.
using Tell = std::function<void(const std::string&)>;

/// What a model can use of a table, from blocks of it in their order, and what is to be said of that.
class RowSurvey {
 public:
  RowSurvey(const Encoder& encoder, bool with_targets) : encoder_(encoder), with_targets_(with_targets) {}

  /// Returns the rows that can be used.
  std::vector<Index> add(const Table& block);

  Index rows() const { return rows_; }
  Index unusable() const { return rows_ - usable_; }
  Index usable() const { return usable_; }
  /// What is wrong with the others, with places.
  std::string trouble() const;
  /// Missing values and levels that something stands in for.
  void tell_of_levels(const Tell& tell) const;

 private:
  const Encoder& encoder_;
  bool with_targets_;
  Index rows_ = 0;
  Index usable_ = 0;
  Index blocks_with_others_ = 0;
  std::string trouble_;        // of the first of these blocks
  std::string first_trouble_;  // of its first such row
  std::vector<StandIns> stand_ins_;
};

/// What becomes of rows that a model cannot use, of missing values or levels that its training data did not have.
struct RowFlags {
  static constexpr const char* usual_advice = "--drop-missing leaves such rows out";

  bool drop = false;

  void add_to(CLI::App& verb, const std::string& group = "Options");

  /// The rows that can be used. Throws std::invalid_argument where that is not all, unless they may be dropped, which
  /// is said.
  std::vector<Index> read(const std::string& verb, const Encoder& encoder, const Table& table, bool with_targets,
                          const std::string& advice = usual_advice) const;
  std::vector<Index> read(const Encoder& encoder, const Table& table, bool with_targets, const std::string& advice,
                          const Tell& tell) const;
  /// The same of rows that were looked at.
  void check(const RowSurvey& survey, const std::string& advice, const Tell& tell) const;
};

/// Of a table of which blocks are in memory: of how many bytes of text a block is, in the memory that the user grants.
std::size_t bytes_of_block(const std::string& memory);

/// Where the rows of a table stand that were taken from it; none: all of them.
PlaceOfRow places_of(const Table& table, const std::vector<Index>& rows);

/// The texts of --set option=value as values of the model's options; options of a model inside
/// are set as options.name=value.
Document parse_settings(const ModelInfo& model, const std::vector<std::string>& settings);

/// Refuses an output that is one of the inputs, a directory or in no directory, and throws
/// std::runtime_error when the file cannot be made; before any work is done.
void check_output(const std::string& output, const std::vector<std::string>& inputs, const std::string& flag = "-o");

/// Whether a picture is to be a page (.html) and not an .svg; refuses other names.
bool is_page(const std::string& output, const std::string& flag = "-o");

/// Writes a whole result: standard output for "-" or no name.
void write_result(const std::string& output, const std::string& text);

/// What the parser says of a wrong option of the verb, with what was expected.
std::string words_for(const CLI::ParseError& error, const CLI::App& verb);

/// The document as JSON; numbers that JSON does not know (NaN, infinity) become null.
std::string to_json_text(const Document& document);

/// An option with a short name for its value in the help page.
template <class T>
CLI::Option* add_option(CLI::App& verb, const std::string& flags, T& value, const std::string& kind,
                        const std::string& text, const std::string& group = "Options") {
  return verb.add_option(flags, value, text)->type_name(kind)->group(group);
}

}  // namespace condens::cli
