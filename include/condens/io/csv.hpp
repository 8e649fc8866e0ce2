#pragma once
// Comma-separated values (RFC 4180): quoted fields with doubled quotes and line breaks,
// any line ending, a byte order mark, and commas, semicolons or tabs. Independent of the locale.

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "condens/data/table.hpp"

namespace condens {

struct CsvOptions {
  char separator = 0;              ///< 0: whichever of comma, semicolon and tab the header has most of
  char comment = 0;                ///< lines that begin with it are skipped; 0: there are none
  std::string python = "python3";  ///< with pyarrow: the program that Parquet and Arrow files are read by, as a child
};

/// Reads a file, or standard input for "-". The first line names the columns. A column is
/// numeric when every value that is not missing is a number; otherwise it is text. Throws
/// std::invalid_argument with file and line for what is no such table, std::runtime_error
/// when the file cannot be read. A Parquet or Arrow file, or a folder of them, is the table
/// whose values CSV would hold as they are: Booleans are 1 and 0, a date is its text.
Table read_csv(const std::string& path, const CsvOptions& options = {});

/// The same from text in memory; `source` names it in messages.
Table parse_csv(std::string_view text, const std::string& source, const CsvOptions& options = {});

/// The column of every `step`-th field, from `first` on: numbers if all are that or missing, otherwise texts.
Column column_of_fields(std::string_view name, const std::vector<std::string_view>& fields, std::size_t first = 0,
                        std::size_t step = 1);

/// Writes row after row. Numbers are the shortest decimals that read back as the same
/// doubles; texts are quoted where they need it.
class CsvWriter {
 public:
  explicit CsvWriter(std::ostream& out, char separator = ',') : out_(out), separator_(separator) {}

  CsvWriter& field(double value);
  CsvWriter& field(Index value);
  CsvWriter& field(std::string_view text);
  void end_row();

  void row(const std::vector<std::string>& fields);

 private:
  void separate();

  std::ostream& out_;
  char separator_;
  bool first_ = true;
};

/// The whole table, with its header.
void write_csv(std::ostream& out, const Table& table, char separator = ',');

}  // namespace condens
