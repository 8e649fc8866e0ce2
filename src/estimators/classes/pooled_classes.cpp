#include "pooled_classes.hpp"

#include <cmath>
#include <numeric>
#include <stdexcept>
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

namespace {

constexpr double tolerance_of_weights = 1e-8;

/// Of the members that have weight.
std::shared_ptr<const ClassModel> pool_of(const std::vector<std::shared_ptr<const ClassModel>>& members,
                                          const Vector& weights) {
  std::vector<std::shared_ptr<const ClassModel>> kept;
  std::vector<double> kept_weights;
  for (Index m = 0; m < weights.size(); ++m) {
    if (weights[m] == 0.0) continue;
    kept.push_back(members[static_cast<std::size_t>(m)]);
    kept_weights.push_back(weights[m]);
  }
  if (kept.size() == 1) return kept.front();
  return std::make_shared<const PooledClasses>(std::move(kept),
                                               Eigen::Map<const Vector>(kept_weights.data(), std::ssize(kept_weights)));
}

/// log p of the class of every row by a density that has not seen it; nothing where it cannot be fitted, and where the
/// rows of the first fold have no use for it beside the other members.
Vector log_score_of_density(const ClassRows& rows, const Matrix& others, std::uint64_t seed,
                            const DensityClasses::Fit& density, const Run& run) {
  Vector out(rows.rows.size());
  try {
    for (Index k = 0; k < rows.n_folds; ++k) {
      const auto [train, test] = rows.rows_of(k);
      const Matrix log_p = DensityClasses::fit(rows, train, seed, density, run)
                               ->log_probabilities(Matrix(rows.rows.x(Eigen::all, test)), run);
      Index i = 0;
      for (const Index row : test) out[row] = log_p(rows.class_of(row), i++);
      if (k > 0) continue;
      Matrix of_fold(others.rows() + 1, std::ssize(test));
      of_fold << others(Eigen::all, test), out(test).transpose();
      const Vector weights = mixture_proportions(of_fold, rows.rows.weights(test), tolerance_of_weights).weights;
      if (weights[others.rows()] == 0.0) return {};
    }
  } catch (const std::invalid_argument&) {
    return {};
  } catch (const NumericalError&) {
    return {};
  }
  return out;
}

}  // namespace

std::shared_ptr<const ClassModel> fit_classes(const Dataset& data, std::uint64_t seed, const Run& run,
                                              const DensityClasses::Fit& density) {
  const ClassRows rows(data, seed);
  const FittedClasses trees = BoostedClasses::fit(rows, seed, run);
  if (rows.fold.empty() || rows.rows.x.rows() == 0) return trees.model;  // nothing to choose by, or to tell rows apart
  const FittedClasses logistic = LogisticClasses::fit(rows, seed, run);
  std::vector<std::shared_ptr<const ClassModel>> members{trees.model, logistic.model};
  Matrix log_score(2, rows.rows.size());
  log_score << trees.log_score.transpose(), logistic.log_score.transpose();
  const auto best_weights = [&] {
    return mixture_proportions(log_score, rows.rows.weights, tolerance_of_weights).weights;
  };
  Vector weights = best_weights();
  const Vector own = density ? log_score_of_density(rows, log_score, seed, density, run) : Vector();
  if (own.size() == 0) return pool_of(members, weights);
  log_score.conservativeResize(3, Eigen::NoChange);
  log_score.row(2) = own.transpose();
  weights = best_weights();
  std::vector<Index> all(static_cast<std::size_t>(rows.rows.size()));
  std::iota(all.begin(), all.end(), Index{0});
  members.push_back(weights[2] == 0.0 ? nullptr : DensityClasses::fit(rows, std::move(all), seed, density, run));
  return pool_of(members, weights);
}

std::shared_ptr<const ClassModel> load_classes(const Document& document, const InnerLoader& load_density) {
  const Document* model = document.find("model");  // which files of older versions lack
  const std::string kind = model == nullptr ? "trees" : model->as_string();
  if (kind == "trees") return BoostedClasses::from_document(document);
  if (kind == "logistic") return LogisticClasses::from_document(document);
  if (kind == "density") return DensityClasses::from_document(document, load_density);
  if (kind != "pool") throw FormatError(message("probabilities of classes by '", kind, "', which this version lacks"));
  std::vector<std::shared_ptr<const ClassModel>> members;
  for (const Document& member : document.at("members").as_array()) {
    members.push_back(load_classes(member, load_density));
  }
  return std::make_shared<const PooledClasses>(std::move(members), document.at("weights").as_vector());
}

}  // namespace condens
