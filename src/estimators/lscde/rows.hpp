#pragma once
// The rows of an LSCDE fit as its steps ask for them: in memory, or elsewhere (condens/model/row_sums.hpp). Of large
// tables folds and the sample that centers and metric are chosen from follow from the places of rows, so that both
// give the same fit.

#include <optional>
#include <vector>

#include "model/preparation.hpp"
#include "model/table_passes.hpp"
#include "problem.hpp"

namespace condens::lscde {

/// Which fold each row is in.
struct Folds {
  std::vector<Index> given;  ///< of every row in memory; empty: by place
  Index count = 1;
  Index seed = 0;
  bool first_against = false;  ///< two folds: the first one, and all others

  Index of(Index place) const;
};

/// Rows on the standardised scale, and their places in the table, rising.
struct SampledRows {
  preparation::Standardized rows;
  std::vector<Index> places;
};

class Rows {
 public:
  virtual ~Rows() = default;
  virtual Index size() const = 0;
  virtual SampledRows sample(Index count) const = 0;

  /// All rows in one fold, their inputs divided by `widths`: a problem without centers and settings.
  virtual Problem problem(const Vector& widths) const = 0;

  /// The same rows in these folds.
  virtual void sort(Problem& problem, const Folds& folds) const = 0;
};

/// Standardised rows in memory, which outlive this.
class RowsInMemory final : public Rows {
 public:
  RowsInMemory(const preparation::Standardized& rows, Index seed) : rows_(rows), seed_(seed) {}
  Index size() const override { return rows_.data.size(); }
  SampledRows sample(Index count) const override;
  Problem problem(const Vector& widths) const override;
  void sort(Problem& problem, const Folds& folds) const override;

 private:
  const preparation::Standardized& rows_;
  Index seed_;
};

/// A table that is elsewhere.
class RowsInTable final : public Rows {
 public:
  RowsInTable(RowSums& table, const table_passes::Scale& scale, Index size, Index seed);
  Index size() const override { return size_; }
  SampledRows sample(Index count) const override;
  Problem problem(const Vector& widths) const override;
  void sort(Problem& problem, const Folds& folds) const override;

 private:
  RowSums& table_;
  const table_passes::Scale& scale_;
  Index size_;
  Index seed_;
  mutable std::optional<SampledRows> largest_;  // what has been fetched
};

}  // namespace condens::lscde
