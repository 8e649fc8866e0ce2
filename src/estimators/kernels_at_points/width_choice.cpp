#include "width_choice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "condens/core/parallel.hpp"
#include "condens/data/folds.hpp"
#include "condens/data/standardizer.hpp"
#include "condens/model/kernel_mixture.hpp"
#include "estimators/parzen/width.hpp"
#include "kernels/gaussian_kernel.hpp"
#include "linalg/log_sum_exp.hpp"
#include "model/preparation.hpp"

namespace condens {

namespace {

struct Candidate {
  double width;
  double score = 0;
  double standard_error = 0;
  Vector folds = {};  ///< score of each fold
};

/// A density as it is scored: kernels of one width, and the defensive component.
class ScoredDensity {
 public:
  ScoredDensity(const Matrix& points, const KernelSet& kernels, double width, const Defensive& defensive)
      : centers_(points(kernels.points, Eigen::all)), weights_(kernels.weights), width_(width), defensive_(defensive) {}

  Vector log_density(const Matrix& at) const {
    Matrix terms(centers_.rows(), at.cols());
    squared_distances(centers_, at, terms);
    terms *= -0.5 / (width_ * width_);
    terms.colwise() += Vector(weights_.array().log());
    const Vector broad = defensive_.log_density(at);
    Vector out(at.cols());
    for (Index i = 0; i < at.cols(); ++i) {
      const double own = log_sum_exp(terms.col(i)) - log_kernel_mass(at.rows(), width_);
      out[i] = defensive_.log_mixed(own, broad[i]);
    }
    return out;
  }

  /// The integral of its square.
  double square() const {
    const Matrix at = centers_.transpose();
    const double share = defensive_.weight;
    const double mass = std::exp(-2 * log_kernel_mass(at.rows(), width_));
    const double own = mass * weights_.dot(kernel_overlaps(at, width_) * weights_);
    return (1 - share) * (1 - share) * own + 2 * share * (1 - share) * weights_.dot(defensive_.overlaps(at, width_)) +
           share * share * defensive_.square();
  }

 private:
  Matrix centers_;  // kernels x d
  Vector weights_;
  double width_;
  const Defensive& defensive_;
};

class Comparison {
 public:
  Comparison(const Matrix& points, const Vector& weights, const WidthSearch& search, const FitKernels& fit)
      : points_(points),
        weights_(weights),
        search_(search),
        fit_(fit),
        defensive_(Defensive::fit(search.defensive_weight,
                                  {.x = Matrix(0, points.rows()), .y = points.transpose(), .weights = weights})) {}

  std::vector<Candidate> score(const std::vector<double>& widths, const Run& run) const {
    const Index folds = *std::max_element(search_.fold.begin(), search_.fold.end()) + 1;
    Matrix scores(points_.rows(), std::ssize(widths));
    Task task(run, "choosing bandwidth", static_cast<double>(folds * scores.cols()));
    const auto body = [&](Index block) {
      score_fold(block % folds, widths[static_cast<std::size_t>(block / folds)], scores.col(block / folds));
      task.advance(1);
    };
    parallel_for(folds * scores.cols(), task.threads(), body, [&] { task.poll(); });
    std::vector<Candidate> out;
    for (Index c = 0; c < scores.cols(); ++c) {
      const double mean = weights_.dot(scores.col(c)) / weights_.sum();
      if (!std::isfinite(mean)) {  // no density
        out.push_back({widths[static_cast<std::size_t>(c)], std::numeric_limits<double>::infinity()});
        continue;
      }
      const auto residuals = scores.col(c).array() - mean;
      const double error = std::sqrt((weights_.array() * residuals).square().sum()) / weights_.sum();
      out.push_back({widths[static_cast<std::size_t>(c)], mean, error,
                     preparation::means_of_folds(scores.col(c), weights_, search_.fold)});
    }
    return out;
  }

 private:
  void score_fold(Index fold, double width, Eigen::Ref<Vector> scores) const {
    const auto [train, test] = rows_of_fold(search_.fold, fold);
    const Matrix inside = points_(train, Eigen::all);
    const ScoredDensity density(inside, fit_(inside, weights_(train), width), width, defensive_);
    const Vector log_density = density.log_density(points_(test, Eigen::all).transpose());
    scores(test) = search_.scoring == Scoring::nll
                       ? Vector(-log_density)
                       : Vector((0.5 * density.square() - log_density.array().exp()).matrix());
  }

  const Matrix& points_;
  const Vector& weights_;
  const WidthSearch& search_;
  const FitKernels& fit_;
  Defensive defensive_;
};

}  // namespace

double choose_width(const Matrix& points, const Vector& weights, const WidthSearch& search, const FitKernels& fit,
                    const Run& run, FitReport& report) {
  const Comparison comparison(points, weights, search, fit);
  std::vector<double> widths = search.candidates;
  std::sort(widths.begin(), widths.end());
  widths.erase(std::unique(widths.begin(), widths.end()), widths.end());
  std::vector<Candidate> candidates = comparison.score(widths, run);
  const auto best = [&] {
    return *std::min_element(candidates.begin(), candidates.end(),
                             [](const Candidate& a, const Candidate& b) { return a.score < b.score; });
  };
  if (search.refine && widths.size() > 1) {
    std::vector<double> finer = preparation::between_neighbours(widths, best().width);
    std::erase(finer, best().width);
    for (const Candidate& candidate : comparison.score(finer, run)) candidates.push_back(candidate);
  }
  preparation::report_candidates(candidates, {{"bandwidth", &Candidate::width}}, report);
  report.details.set("score", best().score);
  report.details.set("score_standard_error", best().standard_error);
  if (search.warn) preparation::warn_at_edge(widths, best().width, "bandwidth", report);
  return best().width;
}

Dataset rows_of_density(const Dataset& standardized, const std::vector<double>& cv, bool merge_copies) {
  return cv.size() > 1 ? standardized : preparation::ordered_rows(standardized, merge_copies);
}

std::vector<Index> folds_of_rows(const Dataset& rows, const Dataset& given, const std::vector<double>& cv, Index seed) {
  if (cv.size() > 1) return preparation::folds_of(cv, given, seed);
  return preparation::folds_of(preparation::at_most_rows(cv, rows.size()), rows, seed);
}

double likelihood_width(const Matrix& points, const Vector& weights, const Run& run) {
  const Standardizer spread = Standardizer::fit(points.transpose(), weights);
  const double scale = spread.scale().norm() / std::sqrt(static_cast<double>((spread.scale().array() > 0).count()));
  return scale * parzen_likelihood_width(points.transpose() / scale, weights, run);
}

}  // namespace condens
