#include "condens/estimators/rsde.hpp"

#include <cmath>
#include <utility>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "condens/optim/simplex_qp.hpp"
#include "estimators/kernels_at_points/kernel_sums.hpp"
#include "estimators/kernels_at_points/width_choice.hpp"
#include "kernels/gaussian_kernel.hpp"
#include "model/preparation.hpp"

namespace condens {

namespace {

constexpr std::string_view owner = Rsde::class_name;
constexpr Index most_rows_of_matrix = 10000;  // 800 MB

void check_options(const RsdeOptions& o) {
  validate_options(o, owner);
  require(o.target_bandwidth.size() <= 1, owner, ": target_bandwidth has ", o.target_bandwidth.size(),
          " numbers, expected none or one");
}

/// The programme for one width, in units of the kernel's top (sqrt(2 pi) gamma)^-d.
class Programme {
 public:
  /// `points` in units of the width, n x d.
  Programme(Matrix points, const Vector& weights, double target_width, TargetDensity target, int threads,
            const std::function<void()>& poll)
      : points_(std::move(points)), top_(std::pow(0.5, 0.5 * dimension())), threads_(threads), poll_(poll) {
    // eq. 17; against a Parzen window the kernel's width is that of the two together (errata D4).
    const double width = std::hypot(1.0, target_width);
    linear_ = parzen_log_sums(points_, width, weights / weights.sum(), target == TargetDensity::loo, threads, poll);
    linear_ = (linear_.array() - dimension() * std::log(width)).exp();
  }

  MixingWeights solve(const RsdeOptions& options) const {
    if (options.solver == RsdeSolver::multiplicative) return solve_by_updates(options);
    SimplexQp found = solve_simplex_qp(columns(), linear_, {.threads = threads_, .poll = poll_});
    return {std::move(found.solution),
            Document::Object{{"objective", found.objective}, {"gap", found.gap}, {"iterations", found.iterations}}};
  }

 private:
  double dimension() const { return static_cast<double>(points_.cols()); }

  /// eq. 14.
  QpColumns columns() const {
    return {Vector::Constant(points_.rows(), top_), [this](Index j, Eigen::Ref<Vector> column) {
              kernel_column(points_, 0.25, j, column);
              column *= top_;
            }};
  }

  MixingWeights solve_by_updates(const RsdeOptions& options) const {
    Matrix all(points_.rows(), points_.rows());
    const QpColumns each = columns();
    for (Index j = 0; j < all.cols(); ++j) each.column(j, all.col(j));
    return mixing_weights(all, linear_, WeightSolver::mnqp, options.iterations, options.pruning, poll_);
  }

  Matrix points_;
  double top_;
  int threads_;
  const std::function<void()>& poll_;
  Vector linear_;
};

struct Found {
  KernelSet kernels;
  Document certificate;
};

Found fit_kernels(const Matrix& points, const Vector& weights, double width, const RsdeOptions& options, int threads,
                  const std::function<void()>& poll) {
  const double target_width = options.target_bandwidth.empty() ? 0.0 : options.target_bandwidth.front() / width;
  const Programme programme(points / width, weights, target_width, options.target, threads, poll);
  MixingWeights solved = programme.solve(options);
  Found out{{}, std::move(solved.certificate)};
  for (Index i = 0; i < points.rows(); ++i) {
    if (solved.weights[i] > 0) out.kernels.points.push_back(i);
  }
  out.kernels.weights = solved.weights(out.kernels.points);
  return out;
}

/// On the standardised scale the objective is that of densities.
Document on_scale_of_densities(const Document& certificate, double width, Index d) {
  const double top = std::exp(-log_kernel_mass(d, width));
  return Document::Object{{"objective", top * certificate.at("objective").as_number()},
                          {"gap", top * certificate.at("gap").as_number()},
                          {"iterations", certificate.at("iterations")}};
}

double choose_bandwidth(const Matrix& points, const Dataset& rows, const Dataset& given, const RsdeOptions& options,
                        const Run& run, FitReport& report) {
  if (options.bandwidth.size() == 1) return options.bandwidth.front();
  WidthSearch search{.candidates = options.bandwidth,
                     .warn = !options.bandwidth.empty(),
                     .refine = options.refine,
                     .fold = folds_of_rows(rows, given, options.cv, options.seed),
                     .scoring = options.scoring,
                     .defensive_weight = options.defensive_weight};
  if (search.candidates.empty()) {
    const double width = likelihood_width(points, rows.weights, run);
    search.candidates = preparation::log_spaced(0.5 * width, 4 * width, 7);
  }
  const FitKernels fit = [&](const Matrix& inside, const Vector& weights, double width) {
    return fit_kernels(inside, weights, width, options, 1, {}).kernels;
  };
  return choose_width(points, rows.weights, search, fit, run, report);
}

}  // namespace

RsdeOptions RsdeOptions::paper() {
  return {.target = TargetDensity::paper, .refine = false, .merge_copies = false, .defensive_weight = 0.0};
}

Rsde::Rsde(RsdeOptions options, RsdeState state, Parameters p, Standardizer x_scale, Standardizer y_scale,
           FitReport report)
    : FittedJointDensity(std::move(options), state, std::move(p), std::move(x_scale), std::move(y_scale),
                         std::move(report)) {}

Rsde Rsde::fit(const Dataset& data, const RsdeOptions& options, const Run& run) {
  check_options(options);
  const preparation::Start start(owner, data, options.standardize);
  const Dataset& given = start.rows();
  const preparation::Standardized& standardized = start.standardized();
  FitReport report = start.report();
  const Dataset rows = rows_of_density(standardized.data, options.cv, options.merge_copies);
  require(options.solver == RsdeSolver::exact || rows.size() <= most_rows_of_matrix, owner,
          ": solver = multiplicative with ", rows.size(), " rows, expected at most ", most_rows_of_matrix,
          ": it needs the matrix of all pairs");
  const Matrix points = stack(rows).transpose();
  report.details.set("n_rows", given.size());
  const double bandwidth = choose_bandwidth(points, rows, data, options, run, report);

  Task task(run, "mixing weights", 1);
  const Found found = fit_kernels(points, rows.weights, bandwidth, options, task.threads(), [&] { task.poll(); });
  report.details.set("certificate", on_scale_of_densities(found.certificate, bandwidth, points.cols()));
  report.details.set("bandwidth", bandwidth);
  report.details.set("n_kernels", found.kernels.weights.size());
  Matrix means = points(found.kernels.points, Eigen::all).transpose();
  Matrix scales = Matrix::Constant(means.rows(), means.cols(), bandwidth);
  return {options,
          {bandwidth},
          parameters(found.kernels.weights, std::move(means), std::move(scales),
                     Defensive::fit(options.defensive_weight, standardized.data)),
          standardized.x,
          standardized.y,
          std::move(report)};
}

}  // namespace condens
