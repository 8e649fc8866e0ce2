#pragma once
// Intervals and regions with a guarantee, whatever the model: rows that a fit has not seen say which mass they need.
//
// Of calibration row i the score R_i is the mass of the smallest central interval, or of the smallest highest-density
// region, that holds y_i by a model that has not seen the row. All rows in random order from one source:
//
//   split     The rows were left out of the fit. With n of them, the interval of mass R_(k), the k-th smallest score,
//             k = ceil(c (n + 1)), holds the y of a new row with probability at least c and, without ties, at most
//             c + 1 / (n + 1).
//   CV+       Every row was fitted to; K more models each leave a fold out, and row i is scored by the one without it,
//             k(i). A value y of a new row at x has the p-value
//
//               p(y) = (1 + #{i: R_i >= s_k(i)(x, y)}) / (n + 1),   s_k(x, y) the score by model k,
//
//             and the region is {y: p(y) > 1 - c} (cross-conformal). The interval is that of CV+: with L_i and U_i the
//             ends of the central interval of mass R_i by model k(i) at x, and m = floor((1 - c) (n + 1)), it goes from
//             the m-th smallest L_i to the m-th largest U_i, and holds {y: p(y) > 1 - c}. Both hold y with probability
//             at least 1 - 2 (1 - c) - min{2 (1 - 1/K) / (n/K + 1), (1 - K/n) / (K + 1)}, and about c unless the
//             models of the folds differ much; with K = n, jackknife+, at least 1 - 2 (1 - c).
//   groups    Only rows of the new row's group count (Mondrian): the promise is kept within every group.
//   shift     New rows come from elsewhere, x of density q, and x of the calibration rows of density p: with weights
//             w(x) = q(x) / p(x), the mass is the least r for which the rows with R_i <= r have a share c of all
//             weights, that of the new row included. Of split calibration.
//
// A probability over new rows and over calibrations, not at every x.
//
// Sources: V. Vovk, A. Gammerman, G. Shafer, Algorithmic learning in a random world, 2005 (split, Mondrian); V.
// Chernozhukov, K. Wuethrich, Y. Zhu, Distributional conformal prediction, PNAS 118, 2021 (central intervals by the
// distribution function); R. Izbicki, G. Shimizu, R. Stern, CD-split and HPD-split, JMLR 23, 2022 (highest-density
// regions); V. Vovk, Cross-conformal predictors, Ann. Math. Artif. Intell. 74, 2015; R. F. Barber, E. J. Candes, A.
// Ramdas, R. J. Tibshirani, Predictive inference with the jackknife+, Ann. Statist. 49, 2021; R. J. Tibshirani, R. F.
// Barber, E. J. Candes, A. Ramdas, Conformal prediction under covariate shift, NeurIPS 32, 2019.

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "condens/core/document.hpp"
#include "condens/core/run.hpp"
#include "condens/core/types.hpp"
#include "condens/data/row_groups.hpp"
#include "condens/model/conditional_density.hpp"
#include "condens/model/target_kind.hpp"

namespace condens {

/// What the rows that a fit has not seen came to.
struct ScoredRows {
  Vector central;                  ///< scores in [0, 1], one a row
  Vector highest;                  ///< as many
  std::vector<Index> rows = {};    ///< their numbers among the rows of the fit; empty: not known
  std::vector<Index> folds = {};   ///< of each, the model that has not seen it; empty: the model itself has not (split)
  std::vector<Index> groups = {};  ///< of each, where there are groups
  Matrix x = {};                   ///< their inputs, for shift; empty: not kept
  Index of = 0;                    ///< how many rows the fit was given; 0: not known
};

/// A model that has not seen a fold.
struct FoldModel {
  std::shared_ptr<const ConditionalDensity> density;
  std::optional<TargetDecoder> target = std::nullopt;
};

/// Likelihood ratios w(x) >= 0 of new rows against those of the fit, up to a factor.
struct ShiftWeights {
  Vector calibration;  ///< of the calibration rows, in their order
  Vector rows;         ///< of the new rows
};

enum class RegionKind { central, highest };

class Conformal {
 public:
  /// Split, of as many scores of both kinds, at least one, in [0, 1]. Throws std::invalid_argument otherwise.
  Conformal(Vector central, Vector highest);
  /// With the models of the folds, if any, and the groups. Throws std::invalid_argument for what does not fit together.
  explicit Conformal(ScoredRows rows, std::vector<FoldModel> models = {},
                     std::optional<RowGroups> groups = std::nullopt);

  Index n_rows() const { return scored_.central.size(); }
  const ScoredRows& scored() const { return scored_; }
  bool is_split() const { return models_.empty(); }
  const std::vector<FoldModel>& models() const { return models_; }
  /// Rows that the model has not been fitted to: all of them, or none where there are folds.
  Index n_left_out() const { return is_split() ? n_rows() : 0; }
  const std::optional<RowGroups>& groups() const { return groups_; }
  /// Rows of a group; all, where there are no groups.
  Index n_rows_of_group(Index group) const;

  /// The mass whose region holds y with probability `level`, in (0, 1), by the scores of a group; 1, all that y can be,
  /// where it has fewer than level / (1 - level) rows. With folds it is about the mass that intervals take.
  double mass(RegionKind kind, double level, Index group = 0) const;
  /// The same where one mass is that of all intervals. Throws std::invalid_argument with groups or folds.
  double central_mass(double level) const { return only_mass(RegionKind::central, level); }
  double highest_mass(double level) const { return only_mass(RegionKind::highest, level); }

  /// The mass of every new row, columns of x, of split calibration. Throws std::invalid_argument with folds, and for
  /// weights that do not fit or are negative.
  Vector masses(RegionKind kind, double level, const MatrixView& x,
                const std::optional<ShiftWeights>& shift = std::nullopt) const;

  /// Of folds: the intervals (2 x n), and the regions, that hold the y of every new row. Cost: a prediction by every
  /// model and, for a row, a few quantiles or regions of each.
  Matrix cross_intervals(double level, const MatrixView& x, const Run& run) const;
  std::vector<std::vector<Interval>> cross_regions(double level, const MatrixView& x, const Run& run) const;

  using SaveFold = std::function<Document(const FoldModel&)>;
  using LoadFold = std::function<FoldModel(const Document&)>;
  /// Without `save` the models of folds are left out.
  Document to_document(const SaveFold& save = {}) const;
  /// Of a model with so many inputs. Throws FormatError for what does not fit together.
  static Conformal from_document(const Document& document, Index n_inputs = 0, const LoadFold& load = {});

 private:
  /// Scores of the rows of a group and a fold, ascending.
  struct Cell {
    Vector central;
    Vector highest;
    const Vector& of(RegionKind kind) const { return kind == RegionKind::central ? central : highest; }
  };

  double only_mass(RegionKind kind, double level) const;
  void sort_into_cells();
  Index n_folds() const { return is_split() ? 1 : std::ssize(models_); }
  Index n_groups() const { return groups_ ? groups_->size() : 1; }
  /// The cells of a group, one a fold.
  const Cell* cells_of(Index group) const { return cells_.data() + group * n_folds(); }
  std::vector<Index> groups_of(const MatrixView& x) const;
  template <class Body>
  void for_each_row(const MatrixView& x, const Run& run, const Body& body) const;

  ScoredRows scored_;
  std::vector<FoldModel> models_;
  std::optional<RowGroups> groups_;
  std::vector<Cell> cells_;
  std::vector<Cell> pooled_;  // of every group, all folds together
};

/// The central intervals of a mass in (0, 1], for every distribution its own, 2 x n; of mass 1 all that y can be.
template <class Laws>
Matrix intervals_of_masses(const Laws& laws, const Vector& masses, const Run& run) {
  const Vector rest = 0.5 * (1.0 - masses.array());
  Matrix out(2, laws.size());
  out.row(0) = laws.quantile_each(rest, run).transpose();
  out.row(1) = laws.upper_quantile_each(rest, run).transpose();
  return out;
}
template <class Laws>
Matrix intervals_of_mass(const Laws& laws, double mass, const Run& run) {
  return intervals_of_masses(laws, Vector::Constant(laws.size(), mass), run);
}

/// The same of highest-density regions.
template <class Laws>
std::vector<std::vector<Interval>> regions_of_masses(const Laws& laws, const Vector& masses, const Run& run) {
  if (masses.size() > 0 && masses.minCoeff() == masses.maxCoeff() && masses[0] < 1.0) {
    return laws.highest_density_region(masses[0], run);
  }
  const Run alone{.threads = 1, .observer = {}};
  std::vector<std::vector<Interval>> out;
  for (Index i = 0; i < masses.size(); ++i) {
    const Laws own = laws.slice(i, 1);
    if (masses[i] < 1.0) {
      out.push_back(own.highest_density_region(masses[i], alone).front());
    } else {
      const Matrix ends = intervals_of_mass(own, 1.0, alone);
      out.push_back({{ends(0, 0), ends(1, 0)}});
    }
  }
  return out;
}

/// The intervals that hold y with probability `level`, whatever the calibration; `laws` those of the model at x.
template <class Laws>
Matrix conformal_intervals(const Conformal& conformal, const Laws& laws, double level, const MatrixView& x,
                           const std::optional<ShiftWeights>& shift, const Run& run) {
  if (!conformal.is_split() && !shift) return conformal.cross_intervals(level, x, run);
  return intervals_of_masses(laws, conformal.masses(RegionKind::central, level, x, shift), run);
}

/// The regions that do.
template <class Laws>
std::vector<std::vector<Interval>> conformal_regions(const Conformal& conformal, const Laws& laws, double level,
                                                     const MatrixView& x, const std::optional<ShiftWeights>& shift,
                                                     const Run& run) {
  if (!conformal.is_split() && !shift) return conformal.cross_regions(level, x, run);
  return regions_of_masses(laws, conformal.masses(RegionKind::highest, level, x, shift), run);
}

/// The mass of the smallest central interval that holds each y, which has probabilities `at_most` of values up to y and
/// `at_least` of values from y on.
Vector central_scores(const VectorView& at_most, const VectorView& at_least);

/// The scores of rows by a model that has not seen them: central and highest alone.
ScoredRows score_rows(const ConditionalDensity& density, const std::optional<TargetDecoder>& target,
                      const Dataset& rows, const Run& run);

}  // namespace condens
