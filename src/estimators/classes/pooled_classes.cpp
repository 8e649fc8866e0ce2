#include "pooled_classes.hpp"

#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "boosted_classes.hpp"
#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "data/splits.hpp"
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

std::vector<Index> places_of(const ClassRows& rows) {
  std::vector<Index> out(static_cast<std::size_t>(rows.rows.size()));
  std::iota(out.begin(), out.end(), Index{0});
  return out;
}

/// By the members' log scores of rows that they have not seen, of which these judge.
InputGain gain_of(const ClassRows& rows, const Matrix& log_score, const std::vector<Index>& judged,
                  const Vector& weights) {
  Vector log_share(rows.start.size() + 1);
  class_log_probabilities(rows.start.data(), rows.start.size(), log_share.data());
  const Vector log_weights = weights.array().log();
  Vector gains(std::ssize(judged));
  Index i = 0;
  for (const Index row : judged) {
    gains[i++] = log_sum_exp(Vector(log_weights + log_score.col(row))) - log_share[rows.class_of(row)];
  }
  return input_gain(gains, rows.rows.weights(judged));
}

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

/// The pool with a density beside the two members, whose log scores are given; nothing where it has no weight by the
/// rows of the first fold, or by those of all.
std::optional<ClassFit> pool_with_density(const ClassRows& rows, std::vector<std::shared_ptr<const ClassModel>> members,
                                          const Matrix& log_score_of_members, std::uint64_t seed,
                                          const DensityClasses::Fit& density, const Run& run) {
  constexpr Index most_rows = 12'500;
  constexpr std::uint64_t stream_of_density_rows = 5'001;
  std::vector<Index> judged = places_of(rows);
  if (std::ssize(judged) > most_rows)
    judged = random_rows(judged, most_rows, RandomStream(seed, stream_of_density_rows));
  const Index last = log_score_of_members.rows();
  Matrix log_score(last + 1, rows.rows.size());
  log_score.topRows(last) = log_score_of_members;
  const auto weights_by = [&](const std::vector<Index>& own) {
    return mixture_proportions(log_score(Eigen::all, own), rows.rows.weights(own), tolerance_of_weights).weights;
  };
  for (Index k = 0; k < rows.n_folds; ++k) {
    RowsOfFold own;
    for (const Index row : judged)
      (rows.fold[static_cast<std::size_t>(row)] == k ? own.test : own.train).push_back(row);
    if (own.test.empty()) continue;
    const auto model = DensityClasses::fit(rows, own.train, seed, density, run);
    const Matrix log_p = model->log_probabilities(Matrix(rows.rows.x(Eigen::all, own.test)), run);
    Index i = 0;
    for (const Index row : own.test) log_score(last, row) = log_p(rows.class_of(row), i++);
    if (k == 0 && weights_by(own.test)[last] == 0.0) return std::nullopt;
  }
  const Vector weights = weights_by(judged);
  if (weights[last] == 0.0) return std::nullopt;
  members.push_back(DensityClasses::fit(rows, judged, seed, density, run));
  return ClassFit{pool_of(members, weights), gain_of(rows, log_score, judged, weights)};
}

}  // namespace

ClassFit fit_classes(const Dataset& data, std::uint64_t seed, const Run& run, const DensityClasses::Fit& density) {
  const ClassRows rows(data, seed);
  const FittedClasses trees = BoostedClasses::fit(rows, seed, run);
  if (rows.fold.empty() || rows.rows.x.rows() == 0)
    return {trees.model, std::nullopt};  // nothing to choose by, or to tell rows apart
  const FittedClasses logistic = LogisticClasses::fit(rows, seed, run);
  const std::vector<std::shared_ptr<const ClassModel>> members{trees.model, logistic.model};
  Matrix log_score(2, rows.rows.size());
  log_score << trees.log_score.transpose(), logistic.log_score.transpose();
  if (density) {
    try {
      if (auto out = pool_with_density(rows, members, log_score, seed, density, run)) return *std::move(out);
    } catch (const std::invalid_argument&) {  // it cannot be fitted to these numbers
    } catch (const NumericalError&) {
    }
  }
  const Vector weights = mixture_proportions(log_score, rows.rows.weights, tolerance_of_weights).weights;
  return {pool_of(members, weights), gain_of(rows, log_score, places_of(rows), weights)};
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
