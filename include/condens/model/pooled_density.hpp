#pragma once
// A convex combination of fitted models, and of a broad Gaussian that keeps one far point from
// ruining a log score:
//
//   p(y|x) = e N(y; mean, scale^2) + sum_m w_m p_m(y|x),   e >= 0, w_m > 0, e + sum_m w_m = 1.
//
// A mixture of mixtures: the law at x holds the components of all laws. What chose the weights is for
// the classes derived from it to say. A member without inputs is a marginal law of y.

#include <memory>
#include <string>
#include <vector>

#include "condens/model/conditional_density.hpp"
#include "condens/model/inner_model.hpp"
#include "condens/model/kernel_mixture.hpp"
#include "condens/model/results.hpp"

namespace condens {

struct PoolMember {
  std::shared_ptr<const ConditionalDensity> model;
  double weight;
};

/// What a pool is made of.
struct PoolParts {
  Index dimension = 0;  ///< of x
  std::vector<PoolMember> members = {};
  Defensive defensive = {};  ///< its weight is its share

  Index n_inputs() const { return dimension; }
  Index n_targets() const { return members.empty() ? defensive.mean.size() : members.front().model->n_targets(); }
};

class PooledDensity : public ConditionalDensity {
 public:
  /// The members with a weight.
  const std::vector<PoolMember>& members() const { return parts_.members; }

  /// The broad Gaussian and its weight, on the scale of the data.
  const Defensive& defensive() const { return parts_.defensive; }

  /// A candidate, of weight zero too, or "broad", the broad Gaussian.
  struct Account {
    std::string name;
    double weight;
    double score;  ///< on rows left out; less is better
    double standard_error;
    bool failed;  ///< no density: score and standard error mean nothing
  };
  /// Every candidate, in the order in which they were named, those of weight zero among them, and "broad", last,
  /// where there is a broad Gaussian.
  std::vector<Account> accounts() const;

  // The same, as columns.
  std::vector<std::string> member_names() const;
  Vector member_weights() const;
  Vector member_scores() const;

 protected:
  using Parts = PoolParts;
  /// Throws FormatError unless every member has n_inputs inputs or none and the same targets, every
  /// weight is > 0 and they sum to one with that of `defensive`. The report has "members" among its details: a
  /// list of objects with "name", "weight", "score" and "standard_error".
  PooledDensity(PoolParts parts, FitReport report);

  GaussianMixtures laws(const MatrixView& x) const override;
  /// Member by member, so that those whose distributions share their components keep them.
  GaussianMixtures laws_of_incomplete(const MatrixView& x, const InputImputer& imputer) const override;
  Vector log_densities(const MatrixView& x, const MatrixView& y) const override;

  /// "n_inputs", "members", "weights" and the broad Gaussian of a model's document, and back.
  void write(Document& document) const;
  static PoolParts read(const Document& document, const InnerLoader& load);

 private:
  GaussianMixtures mixed(std::vector<GaussianMixtures> parts, Index n) const;

  PoolParts parts_;

  // Derived.
  Vector log_weights_;                                           // of the members, then of the broad Gaussian
  std::shared_ptr<const GaussianComponents> shared_components_;  // of all laws, where every member's share theirs
};

/// What the classes derived from it found.
inline constexpr auto pool_results = Fields{
    ResultField{"members", &PooledDensity::member_names,
                "Names of the models that could be fitted, and broad, the broad Gaussian, last.", line("n_members")},
    ResultField{"weights", &PooledDensity::member_weights, "Weight of every member in the pool.", line("n_members")},
    ResultField{"member_scores", &PooledDensity::member_scores,
                "Negative log-likelihood of every member on the rows left out, for y in standard deviations.",
                line("n_members")},
};

}  // namespace condens
