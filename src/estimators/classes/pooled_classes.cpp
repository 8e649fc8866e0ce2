#include "pooled_classes.hpp"

#include <cmath>
#include <utility>

#include "boosted_classes.hpp"
#include "condens/core/errors.hpp"
#include "linalg/log_sum_exp.hpp"
#include "logistic_classes.hpp"
#include "optim/mixture_proportions.hpp"

namespace condens {

PooledClasses::PooledClasses(std::vector<std::shared_ptr<const ClassModel>> members, Vector weights)
    : members_(std::move(members)), weights_(std::move(weights)) {
  bool fits = !members_.empty() && weights_.size() == std::ssize(members_) && (weights_.array() > 0).all() &&
              std::abs(weights_.sum() - 1.0) < 1e-9;
  const auto classes_of = [](const ClassModel& model) {
    return model.log_probabilities(Matrix::Zero(model.n_inputs(), 1), {}).rows();
  };
  for (const auto& member : members_) {
    fits = fits && member->n_inputs() == n_inputs() && classes_of(*member) == classes_of(*members_.front());
  }
  if (!fits) throw FormatError("PooledClasses: its parts do not fit together; the file is damaged");
}

Matrix PooledClasses::log_probabilities(const MatrixView& x, const Run& run) const {
  std::vector<Matrix> each;
  for (const auto& member : members_) each.push_back(member->log_probabilities(x, run));
  Matrix out(each.front().rows(), x.cols());
  Vector terms(weights_.size());
  for (Index i = 0; i < out.cols(); ++i) {
    for (Index k = 0; k < out.rows(); ++k) {
      for (Index m = 0; m < terms.size(); ++m) {
        terms[m] = std::log(weights_[m]) + each[static_cast<std::size_t>(m)](k, i);
      }
      out(k, i) = log_sum_exp(terms);
    }
  }
  return out;
}

Document PooledClasses::to_document() const {
  Document::Array members;
  for (const auto& member : members_) members.push_back(member->to_document());
  Document out;
  return out.set("model", "pool").set("members", std::move(members)).set("weights", weights_);
}

std::string PooledClasses::description() const {
  std::string out;
  for (Index m = 0; m < weights_.size(); ++m) {
    const auto percent = std::lround(100 * weights_[m]);
    out += message(m == 0 ? "" : ", ", percent, " % ", members_[static_cast<std::size_t>(m)]->description());
  }
  return out;
}

std::shared_ptr<const ClassModel> fit_classes(const Dataset& data, std::uint64_t seed, const Run& run) {
  const ClassRows rows(data, seed);
  const FittedClasses trees = BoostedClasses::fit(rows, seed, run);
  if (rows.fold.empty() || rows.rows.x.rows() == 0) return trees.model;  // nothing to choose by, or to tell rows apart
  const FittedClasses logistic = LogisticClasses::fit(rows, seed, run);
  Matrix log_score(2, rows.rows.size());
  log_score << trees.log_score.transpose(), logistic.log_score.transpose();
  const Vector weights = mixture_proportions(log_score, rows.rows.weights, 1e-8).weights;
  if (weights[0] == 0.0) return logistic.model;
  if (weights[1] == 0.0) return trees.model;
  return std::make_shared<const PooledClasses>(std::vector{trees.model, logistic.model}, weights);
}

std::shared_ptr<const ClassModel> load_classes(const Document& document) {
  const Document* model = document.find("model");  // which files of older versions lack
  const std::string kind = model == nullptr ? "trees" : model->as_string();
  if (kind == "trees") return BoostedClasses::from_document(document);
  if (kind == "logistic") return LogisticClasses::from_document(document);
  if (kind != "pool") throw FormatError(message("probabilities of classes by '", kind, "', which this version lacks"));
  std::vector<std::shared_ptr<const ClassModel>> members;
  for (const Document& member : document.at("members").as_array()) members.push_back(load_classes(member));
  return std::make_shared<const PooledClasses>(std::move(members), document.at("weights").as_vector());
}

}  // namespace condens
