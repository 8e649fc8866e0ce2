#pragma once
// A CSV file, or a Parquet or Arrow file, in blocks of rows, for what does not fit into memory.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "condens/data/table_blocks.hpp"
#include "condens/io/csv.hpp"

namespace condens {

/// The table that read_csv makes of a file, in blocks of whole rows of about so many bytes of text. Columns are of
/// numbers or texts by what each block holds.
class CsvBlocks final : public TableBlocks {
 public:
  /// Reads the header. Throws as read_csv does, and std::runtime_error for what is no file, such as standard input: a
  /// fit reads its rows several times.
  CsvBlocks(std::string path, const CsvOptions& options, std::size_t bytes);

  Table header() const override;
  void read(const std::function<void(const Table& block)>& visit) override;

  /// The same before fields are read as numbers: those of all records of a block, one after the other, and the lines
  /// where records begin, or the numbers of the rows of a file without lines.
  using Visit = std::function<void(const std::vector<std::string_view>& fields, const std::vector<Index>& lines)>;
  void read_fields(const Visit& visit);

  /// The table of such records.
  Table table_of(const std::vector<std::string_view>& fields, std::vector<Index> lines) const;

 private:
  /// Until `visit` says false, in blocks of so many bytes.
  void scan(const std::function<bool(const std::vector<std::string_view>&, const std::vector<Index>&)>& visit,
            std::size_t bytes);

  std::string path_;
  bool columnar_;
  CsvOptions options_;
  std::size_t bytes_;
  std::vector<std::string> names_;
};

/// Rows of a larger table.
struct SampledTable {
  Table table;
  Index rows;  ///< of the larger one
};

/// `count` rows of a file, in their order, all of them where there are no more: a random sample that is stratified by
/// the numbers of a column. In the order of their first 16 bits, every (n / count)-th row, from a random one on, is of
/// the sample, so that each value has its share to less than one row (Madow and Madow, Annals of Mathematical
/// Statistics 15, 1944); which ones of as many rows of a value is random, too. Each row is as likely. The same rows
/// for a seed, whatever the size of the blocks. Reads the file twice, and keeps the sample alone in memory. Throws
/// std::invalid_argument where there is no such column.
SampledTable sample_csv(CsvBlocks& file, std::string_view column, Index count, std::uint64_t seed);

}  // namespace condens
