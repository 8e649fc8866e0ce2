#include "logistic_classes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "condens/optim/lbfgs.hpp"
#include "data/splits.hpp"

namespace condens {

namespace {

constexpr std::array<double, 6> ridges{1e4, 1e3, 1e2, 10, 1, 0.1};  // in rows; falling, so that each starts the next
constexpr Index logistic_rows_together = 1024;
constexpr Index most_rows_of_fold = 50'000;
constexpr std::uint64_t stream_of_logistic_folds = 2'100;

/// Standardised inputs of some rows below a line of ones.
Matrix design(const Dataset& rows, const Standardizer& scaling, const Index* numbers, Index count) {
  Matrix out(rows.x.rows() + 1, count);
  out.row(0).setOnes();
  Matrix x(rows.x.rows(), count);
  for (Index i = 0; i < count; ++i) x.col(i) = rows.x.col(numbers[i]);
  out.bottomRows(rows.x.rows()) = scaling.transform(x);
  return out;
}

/// Calls `use` with the log probabilities of blocks of rows, their design and their numbers.
template <class Use>
void over_blocks(const ClassRows& data, const Standardizer& scaling, const std::vector<Index>& numbers,
                 const Matrix& coefficients, const Use& use) {
  const Index n_scores = coefficients.rows();
  for (Index begin = 0; begin < std::ssize(numbers); begin += logistic_rows_together) {
    const Index count = std::min(logistic_rows_together, std::ssize(numbers) - begin);
    const Index* own = numbers.data() + begin;
    const Matrix z = design(data.rows, scaling, own, count);
    const Matrix score = coefficients * z;
    Matrix log_p(n_scores + 1, count);
    for (Index i = 0; i < count; ++i) class_log_probabilities(score.col(i).data(), n_scores, log_p.col(i).data());
    use(log_p, z, own);
  }
}

/// The coefficients for a ridge, from others.
Matrix solve(const ClassRows& data, const Standardizer& scaling, const std::vector<Index>& numbers, double ridge,
             const Matrix& from, const std::function<void()>& poll) {
  const Index k = from.rows();
  const Index d = from.cols();
  const auto objective = [&](const Vector& at, Vector& gradient) {
    const Eigen::Map<const Matrix> coefficients(at.data(), k, d);
    Matrix slope = ridge * coefficients;
    slope.col(0).setZero();
    double value = 0.5 * ridge * coefficients.rightCols(d - 1).squaredNorm();
    over_blocks(data, scaling, numbers, coefficients, [&](const Matrix& log_p, const Matrix& z, const Index* own) {
      Matrix residual = log_p.bottomRows(k).array().exp();
      for (Index i = 0; i < z.cols(); ++i) {
        const double weight = data.rows.weights[own[i]];
        const Index hit = data.class_of(own[i]);
        value -= weight * log_p(hit, i);
        if (hit > 0) residual(hit - 1, i) -= 1.0;
        residual.col(i) *= weight;
      }
      slope.noalias() += residual * z.transpose();
    });
    gradient = slope.reshaped();
    return value;
  };
  const Vector start = from.reshaped();
  const Vector most = Vector::Constant(start.size(), std::numeric_limits<double>::infinity());
  const LbfgsSettings settings{.unit = data.rows.weights.sum()};
  return minimize(objective, start, -most, most, settings, poll).x.reshaped(k, d);
}

}  // namespace

FittedClasses LogisticClasses::fit(const ClassRows& data, std::uint64_t seed, const Run& run) {
  const Dataset& rows = data.rows;
  const Standardizer scaling = Standardizer::fit(rows.x, rows.weights);
  Matrix start = Matrix::Zero(data.start.size(), rows.x.rows() + 1);
  start.col(0) = data.start;
  Task task(run, "fitting the probabilities of the classes", static_cast<double>(data.n_folds + 1));

  // Of every row left out and every ridge log p of its class.
  Matrix log_score = Matrix::Zero(std::ssize(ridges), rows.size());
  parallel_for(
      data.fold.empty() ? 0 : data.n_folds, task.threads(),
      [&](Index f) {
        auto [own, left_out] = data.rows_of(f);
        if (std::ssize(own) > most_rows_of_fold) {
          const RandomStream random(seed, stream_of_logistic_folds + static_cast<std::uint64_t>(f));
          own = random_rows(own, most_rows_of_fold, random);
        }
        Matrix coefficients = start;
        for (std::size_t r = 0; r < ridges.size(); ++r) {
          coefficients = solve(data, scaling, own, ridges[r], coefficients, check_cancelled);
          over_blocks(data, scaling, left_out, coefficients,
                      [&](const Matrix& log_p, const Matrix& z, const Index* numbers) {
                        for (Index i = 0; i < z.cols(); ++i) {
                          log_score(static_cast<Index>(r), numbers[i]) = log_p(data.class_of(numbers[i]), i);
                        }
                      });
        }
      },
      [&] { task.poll(); });
  task.advance(static_cast<double>(data.n_folds));
  Index best = 0;
  (log_score * rows.weights).maxCoeff(&best);
  const double ridge = ridges[static_cast<std::size_t>(best)];

  std::vector<Index> all(static_cast<std::size_t>(rows.size()));
  std::iota(all.begin(), all.end(), Index{0});
  Matrix coefficients = solve(data, scaling, all, ridge, start, [&] { task.poll(); });
  FittedClasses out;
  out.model = std::shared_ptr<const LogisticClasses>(new LogisticClasses(
      scaling, rows.x.rowwise().minCoeff(), rows.x.rowwise().maxCoeff(), std::move(coefficients), ridge));
  if (!data.fold.empty()) out.log_score = log_score.row(best).transpose();
  return out;
}

LogisticClasses::LogisticClasses(Standardizer scaling, Vector low, Vector high, Matrix coefficients, double ridge)
    : scaling_(std::move(scaling)),
      low_(std::move(low)),
      high_(std::move(high)),
      coefficients_(std::move(coefficients)),
      ridge_(ridge) {
  const Index d = scaling_.dimension();
  if (low_.size() != d || high_.size() != d || coefficients_.cols() != d + 1 || coefficients_.rows() < 1 ||
      !low_.allFinite() || !high_.allFinite() || (low_.array() > high_.array()).any() || !coefficients_.allFinite() ||
      !(ridge_ > 0)) {
    throw FormatError("LogisticClasses: its parts do not fit together; the file is damaged");
  }
}

Matrix LogisticClasses::log_probabilities(const MatrixView& x, const Run& run) const {
  Matrix out(coefficients_.rows() + 1, x.cols());
  Task task(run, "predicting", static_cast<double>(x.cols()));
  parallel_for(
      block_count(x.cols(), logistic_rows_together), task.threads(),
      [&](Index block) {
        const Range range = block_range(x.cols(), logistic_rows_together, block);
        const Matrix within = x.middleCols(range.begin, range.size())
                                  .cwiseMax(low_.replicate(1, range.size()))
                                  .cwiseMin(high_.replicate(1, range.size()));
        const Matrix score =
            (coefficients_.rightCols(n_inputs()) * scaling_.transform(within)).colwise() + coefficients_.col(0);
        for (Index i = 0; i < range.size(); ++i) {
          class_log_probabilities(score.col(i).data(), score.rows(), out.col(range.begin + i).data());
        }
      },
      [&] { task.poll(); });
  return out;
}

Document LogisticClasses::to_document() const {
  Document out;
  out.set("model", "logistic").set("scaling", scaling_.to_document()).set("low", low_).set("high", high_);
  return out.set("coefficients", coefficients_).set("ridge", ridge_);
}

std::shared_ptr<const LogisticClasses> LogisticClasses::from_document(const Document& document) {
  return std::shared_ptr<const LogisticClasses>(new LogisticClasses(
      Standardizer::from_document(document.at("scaling")), document.at("low").as_vector(),
      document.at("high").as_vector(), document.at("coefficients").as_matrix(), document.at("ridge").as_number()));
}

}  // namespace condens
