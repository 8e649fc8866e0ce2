#include "condens/model/conformal.hpp"

#include <algorithm>
#include <cmath>

#include "condens/core/errors.hpp"

namespace condens {

namespace {

bool are_scores(const Vector& scores) {
  return scores.size() > 0 && (scores.array() >= 0.0).all() && (scores.array() <= 1.0).all();
}

}  // namespace

Conformal::Conformal(Vector central, Vector highest) : central_(std::move(central)), highest_(std::move(highest)) {
  require(are_scores(central_) && are_scores(highest_) && central_.size() == highest_.size(),
          "Conformal: ", central_.size(), " and ", highest_.size(),
          " scores, expected as many of both, at least one, in [0, 1]");
  std::sort(central_.begin(), central_.end());
  std::sort(highest_.begin(), highest_.end());
}

double Conformal::mass_of(const Vector& scores, double level) {
  require(level > 0.0 && level < 1.0, "Conformal: level = ", level, ", expected a probability in (0, 1)");
  constexpr double rounding = 1e-9;  // 0.9 * 10 is 9; and a value with a probability of its own is to be inside
  const double rank = std::ceil(level * static_cast<double>(scores.size() + 1) - rounding);
  if (rank > static_cast<double>(scores.size())) return 1.0;
  return std::min(1.0, scores[static_cast<Index>(std::max(rank, 1.0)) - 1] + rounding);
}

Document Conformal::to_document() const { return Document::Object{{"central", central_}, {"highest", highest_}}; }

Conformal Conformal::from_document(const Document& document) {
  Vector central = document.at("central").as_vector();
  Vector highest = document.at("highest").as_vector();
  if (!are_scores(central) || !are_scores(highest) || central.size() != highest.size()) {
    throw FormatError("the scores of the calibration rows are not as many numbers in [0, 1] of both kinds");
  }
  return {std::move(central), std::move(highest)};
}

Vector central_scores(const VectorView& at_most, const VectorView& at_least) {
  return (1.0 - 2.0 * at_most.array().min(at_least.array())).max(0.0).min(1.0);
}

}  // namespace condens
