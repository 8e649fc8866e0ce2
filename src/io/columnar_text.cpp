#include "columnar_text.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "condens/core/errors.hpp"

namespace condens {

namespace {

namespace fs = std::filesystem;

// Those of condens.disk, in Python.
constexpr std::string_view endings[] = {".parquet", ".pq", ".arrow", ".feather", ".ipc"};
constexpr std::string_view first_bytes[] = {"PAR1", "ARROW1"};

constexpr int without_pyarrow = 3;  // the program's exit status, where it lacks what it needs

// Called with the path and the endings of the files that count in a folder. Of each type it writes what reads back as
// the same value: numbers with all digits, Booleans as 1 and 0, dates by the calendar on the wall, nothing for null.
const std::string program = R"python(
import sys

sys.path = [place for place in sys.path if place]  # not the folder of the call: its files may be named as modules are


def text_of_column(column, alone):
    kind = column.type
    if pa.types.is_dictionary(kind):
        return text_of_column(column.cast(kind.value_type), alone)
    if pa.types.is_boolean(kind):
        column = column.cast(pa.int8())
    elif pa.types.is_floating(kind):
        column = column.cast(pa.float64())
    elif pa.types.is_timestamp(kind) and kind.tz is not None:
        column = pc.local_timestamp(column)
    elif pa.types.is_decimal(kind) or pa.types.is_null(kind):
        column = column.cast(pa.string())
    elif not pa.types.is_integer(kind) and not is_text(kind) and not pa.types.is_date(kind):
        if not pa.types.is_timestamp(kind):
            raise ValueError(f"is of type {kind}, expected numbers, texts or dates; write the table without it")
    if is_text(column.type):
        column = column.cast(pa.large_string())
    return column.cast(pa.large_string()).fill_null("NA") if alone else column  # an empty line may be no row


def is_text(kind):
    return str(kind) in ("string", "large_string", "string_view")


def names_of_files(path, endings):
    if not os.path.isdir(path):
        return [path]
    found = []
    for place, folders, files in os.walk(path):
        folders[:] = [name for name in folders if name[0] not in "._"]  # notes of those who write tables
        found += [os.path.join(place, name) for name in files if name[0] not in "._" and name.lower().endswith(endings)]
    return sorted(found)


def format_of(name):
    with open(name, "rb") as file:
        begin = file.read(6)
    if begin[:4] == b"PAR1":
        gently = ds.ParquetFragmentScanOptions(use_buffered_stream=True, pre_buffer=False)
        return ds.ParquetFileFormat(default_fragment_scan_options=gently)
    if begin == b"ARROW1":
        return ds.IpcFileFormat()
    raise ValueError(f"{name} begins as neither a Parquet nor an Arrow file does")


def write_rows(path, endings):
    path = os.path.abspath(path)
    names = names_of_files(path, endings)
    if not names:
        raise ValueError(f"none of its files ends in {', '.join(endings)}, or their names begin with a dot or _")
    parts = {"partitioning": "hive", "partition_base_dir": path} if os.path.isdir(path) else {}
    table = ds.dataset(names, format=format_of(names[0]), filesystem=LocalFileSystem(), **parts)
    columns = [name for name in table.schema.names if not re.fullmatch(r"__index_level_\d+__", name)]

    def text_of(batch):
        parts = []
        for name in columns:
            try:
                parts.append(text_of_column(batch.column(name), len(columns) == 1))
            except ValueError as error:
                raise ValueError(f"column {name!r} {error}") from None
        return pa.table(parts, names=columns)

    nothing = text_of(table.schema.empty_table())
    batches = table.to_batches(columns=columns, batch_size=1 << 15, batch_readahead=1, fragment_readahead=1)
    with csv.CSVWriter(sys.stdout.buffer, nothing.schema) as writer:
        for batch in batches:
            writer.write_table(text_of(batch))


try:
    import os
    import re

    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.csv as csv
    import pyarrow.dataset as ds
    from pyarrow.fs import LocalFileSystem
except ImportError as error:
    print(error, file=sys.stderr)
    sys.exit(3)
try:
    write_rows(sys.argv[1], tuple(sys.argv[2:]))
    sys.stdout.flush()
except Exception as error:
    print(" ".join(str(error).split()), file=sys.stderr)
    sys.exit(1)
)python";

bool has_ending(const fs::path& path) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return std::find(std::begin(endings), std::end(endings), ending) != std::end(endings);
}

}  // namespace

bool is_columnar(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    const fs::recursive_directory_iterator none;
    for (fs::recursive_directory_iterator file(path, error); !error && file != none; file.increment(error)) {
      if (has_ending(file->path())) return true;
    }
    return false;
  }
  if (!fs::is_regular_file(path, error)) return false;
  if (has_ending(path)) return true;
  std::array<char, 8> begin{};
  std::ifstream(path, std::ios::binary).read(begin.data(), begin.size());
  const std::string_view found(begin.data(), begin.size());
  return std::any_of(std::begin(first_bytes), std::end(first_bytes),
                     [&](std::string_view own) { return found.starts_with(own); });
}

ColumnarText::ColumnarText(std::string path, std::string python) : path_(std::move(path)), python_(std::move(python)) {
  std::vector<std::string> words = {python_, "-c", program, path_};
  words.insert(words.end(), std::begin(endings), std::end(endings));
  try {
    program_ = std::make_unique<ChildProcess>(std::move(words));
  } catch (const std::system_error& error) {
    fail_without(message("and it cannot be started: ", error.what()));
  }
}

bool ColumnarText::read(std::string& out, std::size_t size) {
  if (program_->read(out, size)) return true;
  const int status = program_->wait();
  if (status == 0) return false;
  const std::string said = program_->last_words();
  if (status == without_pyarrow) fail_without(message("and ", python_, " has none: ", said));
  throw std::runtime_error(
      message(path_, ": cannot be read: ", said.empty() ? message(python_, " has ended with status ", status) : said));
}

void ColumnarText::fail_without(const std::string& what) const {
  throw std::runtime_error(
      message(path_, ": Python with pyarrow reads Parquet and Arrow files, ", what,
              "; pip install pyarrow, or name a Python that has it in CONDENS_PYTHON, or write the table as CSV"));
}

}  // namespace condens
