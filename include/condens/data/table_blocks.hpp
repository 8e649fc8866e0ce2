#pragma once
// A table that is read in blocks of rows, for what does not fit into memory, and its way to numbers: the same columns,
// levels, ranges and statistics of levels as Encoder::fit learns from the whole table, from several readings.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "condens/core/parallel.hpp"
#include "condens/core/run.hpp"
#include "condens/data/dataset.hpp"
#include "condens/data/encoder.hpp"
#include "condens/data/table.hpp"

namespace condens {

/// Blocks of neighbouring rows of a table, in their order, as often as they are asked for.
class TableBlocks {
 public:
  TableBlocks() = default;
  TableBlocks(const TableBlocks&) = delete;
  TableBlocks& operator=(const TableBlocks&) = delete;
  virtual ~TableBlocks() = default;

  /// The columns, without rows.
  virtual Table header() const = 0;

  /// Reads the table from its beginning. Each block is there for as long as `visit` runs. A column may be of numbers in
  /// one block and of texts in another.
  virtual void read(const std::function<void(const Table& block)>& visit) = 0;
};

/// The rows of a table in blocks, as numbers for a fit.
class EncodedBlocks {
 public:
  /// Learns columns, levels, ranges and medians, in four readings and one more where levels are statistics. Then also
  /// the targets and the levels of all rows are in memory, 8 bytes of a row for each. Throws as Encoder::fit does, and
  /// std::invalid_argument for `missing` = model and for a column of more than 100,000 levels. Pairs of inputs that are
  /// the same are not looked for.
  EncodedBlocks(TableBlocks& table, const EncoderOptions& options, const Run& run = {});

  const Encoder& encoder() const { return encoder_; }
  Index size() const { return rows_; }        ///< rows that can be used, those of weight zero included
  Index dropped() const { return dropped_; }  ///< with missing values, where these may be dropped

  /// Block by block what Encoder::encode_training makes of the table, without rows of weight zero. Throws
  /// std::invalid_argument where the table has changed.
  void read(const std::function<void(const Dataset& block)>& visit);

 private:
  std::vector<Index> usable_rows(const Table& block) const;
  void learn_columns(Task& task);
  void learn_statistics(Task& task);
  /// One reading of the table.
  void read_rows(Task& task, const std::function<void(const Table& block, const std::vector<Index>& rows)>& visit);
  void encode_levels(const Table& block, const std::vector<Index>& rows, Index first, Matrix& x) const;

  TableBlocks& table_;
  EncoderOptions options_;
  Encoder encoder_;
  Index rows_ = 0;
  Index dropped_ = 0;
  std::map<std::string, std::vector<Matrix>> codes_of_fold_;  // of inputs whose levels are statistics
};

}  // namespace condens
