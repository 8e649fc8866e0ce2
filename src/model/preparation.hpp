#pragma once
// What every model of kernels does before and after its own work: standardise, choose
// centres and folds, and say what cross-validation compared.

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "condens/core/document.hpp"
#include "condens/core/options.hpp"
#include "condens/data/dataset.hpp"
#include "condens/data/standardizer.hpp"
#include "condens/kernels/centers.hpp"
#include "condens/model/conditional_density.hpp"
#include "core/flush_subnormals.hpp"

namespace condens::preparation {

/// Data as a model works on them, and the way back.
struct Standardized {
  Standardizer x;
  Standardizer y;
  Dataset data;  ///< weights are there for every row, x and x_unlabeled have their rows, be they empty
};

/// Without `wanted` the data stay as they are. Throws std::invalid_argument for a constant target and for columns in
/// units that no law can hold (data/column_unit.hpp).
Standardized standardize(std::string_view owner, const Dataset& rows, bool wanted);

/// The numbers of the inputs that vary, rising.
std::vector<Index> varying_inputs(const Dataset& data);

/// A warning where counted weights leave rows out that have a weight.
void warn_of_lost_weights(const Dataset& given, FitReport& report);

/// The same, a warning for every input that standardisation made zero, and one for every target so far from zero that
/// numbers of its size are coarse beside its spread.
void warn_of_data(const Dataset& given, const Standardized& standardized, FitReport& report);

/// How a fit begins: the rows that count, on the standardised scale, and what there is to warn of.
class Start {
 public:
  /// Throws what Dataset::check and `standardize` throw.
  Start(std::string_view owner, const Dataset& data, bool wanted);
  Start(const Start&) = delete;
  Start& operator=(const Start&) = delete;

  const Dataset& rows() const { return rows_; }  ///< those with a weight, on the user's scale
  const Standardized& standardized() const { return standardized_; }
  const FitReport& report() const { return report_; }

 private:
  FlushSubnormals guard_;  // for as long as the fit takes
  Dataset storage_;
  const Dataset& rows_;
  Standardized standardized_;
  FitReport report_;
};

/// `count` rows (or all) of standardised data as centres; x and y count alike, whatever their dimensions. The report
/// says where there are fewer different rows than were asked for.
std::vector<Index> choose_center_rows(const Dataset& data, CenterSelection how, Index count, Index seed, int threads,
                                      FitReport& report);

/// Rows with their weights in lexicographic order: the same numbers, to the bit, for any order of the rows; where
/// `merge_copies`, those equal in x and y as one of their common weight, so for copies of a row and for its weight,
/// too.
Dataset ordered_rows(const Dataset& data, bool merge_copies);
inline Dataset merge_copies(const Dataset& data) { return ordered_rows(data, true); }

/// Throws std::invalid_argument unless given centres [x, y], as columns, fit the data.
void check_centers(std::string_view owner, const Matrix& centers, Index d_x, Index d_y);

/// The option `cv` with a number of folds no larger than that of the rows; the folds of rows as they are.
std::vector<double> at_most_rows(std::vector<double> cv, Index rows);

/// The fold of every row that counts, from the option `cv`: a number of folds, or the fold of
/// every row of `given` (rows of weight 0 among them). Of fewer than five rows each is a fold where five are asked for.
std::vector<Index> folds_of(const std::vector<double>& cv, const Dataset& given, Index seed);

/// The rows sorted by fold: fold k holds order[begin[k]], ..., order[begin[k + 1] - 1].
struct FoldOrder {
  std::vector<Index> order;
  std::vector<Index> begin;
};
FoldOrder sort_by_fold(const std::vector<Index>& fold);

/// The rows of all folds but k, and those of k.
struct HeldOut {
  Dataset train;
  Dataset test;
};
HeldOut without_fold(const Dataset& data, const std::vector<Index>& fold, Index k);

/// `count` candidates from `low` to `high` at equal steps of the logarithm.
std::vector<double> log_spaced(double low, double high, int count);

/// The candidates half-way (geometrically) between the best and its neighbours, and the best.
std::vector<double> between_neighbours(std::vector<double> grid, double best);

/// Warns when the best of several candidates is the smallest or the largest.
void warn_at_edge(const std::vector<double>& grid, double chosen, std::string_view name, FitReport& report);

/// The same for a width of the kernels at `y`. Where more than a tenth of its columns are equal to another one,
/// narrower kernels score ever better, which says nothing: the warning tells of that instead.
void warn_at_edge_of_y(const std::vector<double>& grid, double chosen, const MatrixView& y, FitReport& report);

/// A column of the table of candidates. Documents hold finite numbers: a candidate without a
/// density has the largest score there is.
template <class Candidates, class Get>
Document column(const Candidates& candidates, const Get& get) {
  Vector out(std::ssize(candidates));
  std::transform(candidates.begin(), candidates.end(), out.begin(), [&](const auto& candidate) {
    return std::clamp<double>(get(candidate), std::numeric_limits<double>::lowest(),
                              std::numeric_limits<double>::max());
  });
  return Document(out);
}

/// Means of the rows of every fold, by weight; NaN where a fold has no row.
Vector means_of_folds(const VectorView& values, const VectorView& weights, const std::vector<Index>& fold);

constexpr Index most_folds_reported = 20;  // a report of leaving one row out in turn would outgrow its model

/// The scores of every candidate in each fold as "fold_scores", folds x candidates, beside the table of candidates.
template <class Candidates, class Get>
void report_folds(const Candidates& candidates, const Get& get, FitReport& report) {
  Index folds = 0;
  for (const auto& candidate : candidates) folds = std::max<Index>(folds, get(candidate).size());
  if (folds == 0 || folds > most_folds_reported) return;
  Matrix out(folds, std::ssize(candidates));
  Index at = 0;
  for (const auto& candidate : candidates) {
    const Vector scores = get(candidate);
    for (Index k = 0; k < folds; ++k) {
      const bool known = k < scores.size() && std::isfinite(scores[k]);  // without a density there are none
      out(k, at) = known ? scores[k] : std::numeric_limits<double>::max();
    }
    ++at;
  }
  report.details.set("fold_scores", std::move(out));
}

/// The table of candidates: what each is, by name, then its score and standard error; and its score in each fold, where
/// candidates have those.
template <class Candidate>
using Columns = std::vector<std::pair<std::string_view, std::function<double(const Candidate&)>>>;
template <class Candidate>
void report_candidates(const std::vector<Candidate>& candidates,
                       const std::type_identity_t<Columns<Candidate>>& columns, FitReport& report) {
  Document table(Document::Object{});
  for (const auto& [name, number] : columns) table.set(name, column(candidates, number));
  table.set("score", column(candidates, [](const Candidate& own) { return own.score; }));
  table.set("standard_error", column(candidates, [](const Candidate& own) { return own.standard_error; }));
  report.details.set("candidates", std::move(table));
  if constexpr (requires(const Candidate& own) { own.folds; }) {
    report_folds(
        candidates, [](const Candidate& own) { return own.folds; }, report);
  }
}

/// The mean of numbers by weight, and its standard error.
struct Mean {
  double value;
  double standard_error;
};
Mean mean_of(const VectorView& values, const VectorView& weights);

}  // namespace condens::preparation
