#pragma once
// What of a distribution is explained: a number for each.
//
//   mean, std, median
//   quantile:p    the p-quantile, 0 < p < 1
//   width:p       length of the central interval of probability p
//   asymmetry     (q.9 + q.1 - 2 q.5) / (q.9 - q.1), in [-1, 1]: of the quantiles .1, .5, .9; 0 where they are equal
//                 (T. L. Kelley, Fundamentals of Statistics, 1947)
//   above:v       P(Y > v)
//   log-score     log p(y), of the y of the row

#include <string>
#include <string_view>
#include <vector>

#include "condens/core/run.hpp"
#include "condens/core/types.hpp"
#include "condens/data/dataset.hpp"
#include "condens/distributions/target_distributions.hpp"
#include "condens/model/conditional_density.hpp"
#include "condens/model/target_kind.hpp"

namespace condens {

class Functional {
 public:
  /// Throws std::invalid_argument, with what there is, for another text.
  static Functional parse(std::string_view text);
  static Functional quantile(double p);

  const std::string& text() const { return text_; }
  bool needs_target() const { return kind_ == Kind::log_score; }

  /// A number for each; `y` has the target of each where it is needed.
  Vector of(const TargetDistributions& laws, const VectorView& y, const Run& run) const;

 private:
  enum class Kind { mean, std, median, quantile, width, asymmetry, above, log_score };
  Functional(Kind kind, double number, std::string text) : kind_(kind), number_(number), text_(std::move(text)) {}

  Kind kind_;
  double number_;
  std::string text_;
};

/// "mean,quantile:0.9" -> both. Throws as Functional::parse, and for none.
std::vector<Functional> parse_functionals(std::string_view text);

/// A model as it is asked for the distributions of one of its targets. It borrows both.
struct Inspected {
  const ConditionalDensity& density;
  const TargetDecoder* kind = nullptr;  ///< where the target is not any real number
  Index target = 0;

  TargetDistributions predict(const MatrixView& x, const Run& run) const;
  /// Throws std::invalid_argument, which begins with `owner`, for rows of another number of inputs or a target that
  /// there is not.
  void check(std::string_view owner, const MatrixView& x) const;
};

}  // namespace condens
