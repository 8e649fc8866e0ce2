#pragma once
// Tables in Parquet and Arrow files as the text of a CSV file. A Python with pyarrow, which knows these formats, writes
// it to a pipe: batch after batch, so that little of the table is in memory.

#include <memory>
#include <string>

#include "child_process.hpp"
#include "files.hpp"

namespace condens {

/// Whether this is a Parquet or an Arrow file, by the end of its name or its first bytes, or a folder that has such
/// files, at any depth.
bool is_columnar(const std::string& path);

/// The text: names of columns, then a line for each row, with commas. Of a folder it is the rows of its files in the
/// order of their paths; folders in it that are named as COLUMN=VALUE, which Hive, Spark and Dask write, are columns.
/// `python` is the program, by its path or a name in PATH. Throws std::runtime_error that names the file and the
/// reason.
class ColumnarText final : public ByteSource {
 public:
  ColumnarText(std::string path, std::string python);

  /// `size` bytes, or all that are left. The end is one only after the program has said that it has written all rows.
  bool read(std::string& out, std::size_t size) override;

 private:
  [[noreturn]] void fail_without(const std::string& what) const;

  std::string path_;
  std::string python_;
  std::unique_ptr<ChildProcess> program_;
};

}  // namespace condens
