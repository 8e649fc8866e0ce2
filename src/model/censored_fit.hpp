#pragma once
// Fits of any model to values known by their limits: stochastic EM. With f_r(y | x) the model of round r,
//
//   draw      y_i ~ f_r(y | x_i, low_i < y <= high_i) of every censored row; of a row seen only because y > e_i, as
//             many ghosts as were lost for each one seen, P(G = k) = S (1 - S)^k, S = P_r(Y > e_i | x_i), with
//             y ~ f_r(y | x_i, y <= e_i)
//   fit       f_(r+1) to exact values, draws and ghosts
//
// Its fixed point is the model that is consistent with itself: where the fit maximises a likelihood, it maximises, up
// to noise, that of what was seen (the E step by one draw). Hyper-parameters are chosen in the first round and once
// more when the draws follow the inputs; other rounds keep them. The last fit is the model: of one completion, so that
// it is of the class that was asked for and rows keep their weights.
//
// What a kernel or a tree drew far away it finds there again in the next round: such draws stay for very long. So with
// inputs the first five rounds are of the `start`, a regression with short tails. And a model follows its own draws,
// the more the fewer rows there are; a choice of hyper-parameters that sees them finds that it should. So up to 1,000
// rows the draws of a third of the rows are of a fit to the other two (cross-fitting). Without inputs there is neither:
// the values follow the limits of all rows.
//
// Sources: B. Efron, Proc. Fifth Berkeley Symposium 4, 1967 (self-consistency); G. Celeux, J. Diebolt, Computational
// Statistics Quarterly 2, 1985 (stochastic EM); B. Turnbull, JRSS B 38, 1976 (ghosts).

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "condens/data/censoring.hpp"
#include "condens/data/dataset.hpp"
#include "condens/model/conditional_density.hpp"
#include "condens/model/target_kind.hpp"

namespace condens {

/// Rows with a value: those of the data in their order, then ghosts of some of them.
struct CompletedRows {
  Dataset data;
  std::vector<Index> origin;  ///< the row of the data that each is, or is made of
};

struct CensoredFits {
  using Simple = TargetEncoder::Fit;
  using Tune = std::function<std::unique_ptr<ConditionalDensity>(const CompletedRows&, const Run&)>;
  using Again = std::function<std::unique_ptr<ConditionalDensity>(const CompletedRows&, const ConditionalDensity& tuned,
                                                                  const Run&)>;

  Simple simple;  ///< for the map of the target
  Simple start;   ///< of the first rounds, with inputs
  Tune tune;      ///< with the options of the user
  Again again;    ///< with what a fit before chose
  Again last;     ///< the same, for the model that is handed over
};

struct CensoredModel {
  std::unique_ptr<ConditionalDensity> density;
  std::optional<TargetDecoder> target;
  Dataset start;   ///< as it was fitted, and
  Censoring rows;  ///< what is known of it, both on the scale of the fit
};

/// The kind that a censored target has: of `automatic`, positive where all exact values are and reach near to zero, or
/// real. Throws std::invalid_argument for kinds that cannot be censored, expected real, positive or bounded, and for
/// values that the kind cannot take.
TargetKind kind_of_censored(const TargetKind& kind, const Censoring& rows, const PlaceOfRow& place);

/// `data.y` holds a start (metrics/survival.hpp), `rows` what is known, both on the user's scale; not all of it exact.
/// The report tells, under "censoring", how many rows were known how, and the mean log likelihood of every round.
/// `kind` comes from `kind_of_censored`.
CensoredModel fit_censored(const TargetKind& kind, const Dataset& data, const Censoring& rows, const CensoredFits& fits,
                           std::uint64_t seed, const PlaceOfRow& place, const Run& run);

/// A replicate of `whole`: the same rounds of `fits.again`, which begin with draws of the whole model, of rows of
/// `whole.start` in these places, with weights of their own. The draws are others, so that replicates differ by them,
/// too.
std::unique_ptr<ConditionalDensity> refit_censored(const CensoredModel& whole, const std::vector<Index>& places,
                                                   const Dataset& start, const CensoredFits& fits, std::uint64_t seed,
                                                   const Run& run);

}  // namespace condens
