#include "theory.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "common/markdown.hpp"
#include "common/repetitions.hpp"
#include "condens/core/parallel.hpp"
#include "condens/core/random.hpp"
#include "condens/estimators/epsilon_kde.hpp"
#include "condens/estimators/lscde.hpp"
#include "toys.hpp"

namespace condens::reproduce {

namespace {

const Run one_thread{.threads = 1, .observer = {}};

/// The integral over y of the product of two densities of one target.
double inner_product(const GaussianMixture& a, const GaussianMixture& b) {
  double out = 0;
  for (Index k = 0; k < a.n_components(); ++k)
    for (Index l = 0; l < b.n_components(); ++l) {
      const double variance = std::pow(a.scales()(0, k), 2) + std::pow(b.scales()(0, l), 2);
      const double distance = a.means()(0, k) - b.means()(0, l);
      out += a.weights()[k] * b.weights()[l] * std::exp(-0.5 * distance * distance / variance) /
             std::sqrt(2 * std::numbers::pi * variance);
    }
  return out;
}

/// Data whose law is known; x ~ U(-1, 1).
struct Source {
  std::string name;
  std::function<Dataset(Index n, std::uint64_t seed)> sample;
  std::function<GaussianMixtures(const MatrixView& x)> truth;
};

Source source_of(const Toy& toy) {
  return {toy.name, [toy](Index n, std::uint64_t seed) { return toy.sample(n, seed); },
          [toy](const MatrixView& x) { return toy.truth(x); }};
}

constexpr double deviation_of_smooth = 0.5;

/// y = x / 2 + N(0, 1/4): smoother than kernels of width 0.3, so that sums of these come as near to it as one likes.
Source smooth_source() {
  return {"smooth",
          [](Index n, std::uint64_t seed) -> Dataset {
            RandomStream random(seed);
            Matrix x(1, n);
            Matrix y(1, n);
            for (Index i = 0; i < n; ++i) {
              x(0, i) = 2 * random.uniform() - 1;
              y(0, i) = 0.5 * x(0, i) + deviation_of_smooth * random.normal();
            }
            return {.x = std::move(x), .y = std::move(y)};
          },
          [](const MatrixView& x) {
            return GaussianMixtures::separate(0.5 * x, Matrix::Constant(1, x.cols(), deviation_of_smooth),
                                              Matrix::Zero(1, x.cols()));
          }};
}

/// Evenly spread over (-1, 1), 1 x count.
Matrix places_of(Index count) {
  const auto n = static_cast<double>(count);
  return (2 * (Vector::LinSpaced(count, 0, n - 1).array() + 0.5) / n - 1).matrix().transpose();
}

/// What an estimate is off by, over x ~ U(-1, 1): exact in y.
struct Errors {
  double norm = 0;       ///< of p^ - p in L2(p_x x dy), Theorem 1
  double squared = 0;    ///< SQ - C of section 2.5: half the mean integral of p^^2, minus that of p^ p
  double log_score = 0;  ///< -E log p^(y|x) over test rows
};

Errors errors_of(const ConditionalDensity& model, const Source& source, Index repetition) {
  constexpr Index places = 200;
  constexpr Index test_rows = 2000;
  const Matrix x = places_of(places);
  const GaussianMixtures laws = model.predict(x, one_thread);
  const GaussianMixtures truth = source.truth(x);
  Errors out;
  for (Index i = 0; i < places; ++i) {
    const double own = laws[i].squared_l2_norm();
    const double product = inner_product(laws[i], truth[i]);
    out.norm += (own - 2 * product + truth[i].squared_l2_norm()) / places;
    out.squared += (0.5 * own - product) / places;
  }
  out.norm = std::sqrt(std::max(0.0, out.norm));
  const Dataset test = source.sample(test_rows, 10'000'000 + static_cast<std::uint64_t>(repetition));
  out.log_score = -model.log_density(test.x, test.y, one_thread).mean();
  return out;
}

/// The norm of r^ - p for the ratio r^ = alpha' phi of (6) itself, neither clipped nor normalised, with the penalty
/// lambda alpha' K alpha of its norm in the space of the kernels: what Theorem 1 is about. In plain matrix code.
double error_of_ratio(const Dataset& data, const Source& source, double width, double lambda) {
  constexpr Index most_centers = 400;
  constexpr Index places = 200;
  const Index b = std::min(most_centers, data.size());
  const Vector u = data.x.row(0).head(b).transpose();
  const Vector v = data.y.row(0).head(b).transpose();
  const auto kernels = [&](const Vector& centers, const Vector& at, double variance) -> Matrix {
    return (-0.5 / variance *
            (centers.replicate(1, at.size()) - at.transpose().replicate(centers.size(), 1)).array().square())
        .exp();
  };
  const double variance = width * width;
  const Matrix phi = kernels(u, data.x.row(0).transpose(), variance);
  const Matrix overlaps = std::sqrt(std::numbers::pi) * width * kernels(v, v, 2 * variance);
  const auto n = static_cast<double>(data.size());
  const Matrix norm = kernels(u, u, variance).cwiseProduct(kernels(v, v, variance));
  const Vector h = phi.cwiseProduct(kernels(v, data.y.row(0).transpose(), variance)).rowwise().sum() / n;
  Matrix system = (phi * phi.transpose()).cwiseProduct(overlaps) / n + lambda * norm;
  system.diagonal().array() += 1e-12 * system.diagonal().maxCoeff();
  const Vector alpha = system.ldlt().solve(h);

  const Matrix x = places_of(places);
  const Matrix weighted = alpha.asDiagonal() * kernels(u, x.row(0).transpose(), variance);
  const GaussianMixtures truth = source.truth(x);
  double out = 0;
  for (Index i = 0; i < places; ++i) {
    const GaussianMixture law = truth[i];
    Vector products = Vector::Zero(b);  // integrals of psi_l and p
    for (Index k = 0; k < law.n_components(); ++k) {
      const double both = variance + std::pow(law.scales()(0, k), 2);
      products += law.weights()[k] * width / std::sqrt(both) *
                  (-0.5 / both * (v.array() - law.means()(0, k)).square()).exp().matrix();
    }
    out +=
        (weighted.col(i).dot(overlaps * weighted.col(i)) - 2 * weighted.col(i).dot(products) + law.squared_l2_norm()) /
        static_cast<double>(places);
  }
  return std::sqrt(std::max(0.0, out));
}

/// value(repetition) of every repetition, several at once.
std::vector<double> repeat(Index repetitions, const std::function<double(Index)>& value) {
  std::vector<double> out(static_cast<std::size_t>(repetitions));
  parallel_for(repetitions, resolve_threads(0), [&](Index r) { out[static_cast<std::size_t>(r)] = value(r); });
  return out;
}

std::uint64_t seed_of(Index n, Index repetition) { return static_cast<std::uint64_t>(1000 * n + repetition); }

/// The slope of the least-squares line.
double slope(const std::vector<double>& x, const std::vector<double>& y) {
  double above = 0;
  double below = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    above += (x[i] - mean(x)) * (y[i] - mean(y));
    below += (x[i] - mean(x)) * (x[i] - mean(x));
  }
  return above / below;
}

struct Estimate {
  std::string label;
  std::function<std::unique_ptr<ConditionalDensity>(const Dataset& data)> fit;  ///< none: the ratio of Theorem 1
};

template <class Model, class Options>
std::unique_ptr<ConditionalDensity> fitted(const Dataset& data, const Options& options) {
  return std::make_unique<Model>(Model::fit(data, options, one_thread));
}

// A width that does not change, and lambda_n = n^-0.9, which Theorem 1 allows of the Gaussian kernel.
constexpr double width_of_theorem = 0.3;
double lambda_of_theorem(Index n) { return std::pow(static_cast<double>(n), -0.9); }

LscdeOptions as_in_theorem(Index n, LscdePenalty penalty) {
  LscdeOptions out = LscdeOptions::paper();
  out.bandwidth = {width_of_theorem};
  out.standardize = false;
  out.regularization = {lambda_of_theorem(n)};
  out.n_centers = 400;
  out.penalty = penalty;
  return out;
}

std::vector<Estimate> estimates() {
  const auto theorem = [](LscdePenalty penalty) {
    return [penalty](const Dataset& data) { return fitted<Lscde>(data, as_in_theorem(data.size(), penalty)); };
  };
  LscdeOptions of_function = LscdeOptions::paper();
  of_function.penalty = LscdePenalty::function;
  return {{"width 0.3, λ = n^-0.9, the ratio itself", {}},
          {"width 0.3, λ = n^-0.9, penalty of the function", theorem(LscdePenalty::function)},
          {"width 0.3, λ = n^-0.9, penalty of the coefficients", theorem(LscdePenalty::coefficients)},
          {"paper", [](const Dataset& data) { return fitted<Lscde>(data, LscdeOptions::paper()); }},
          {"paper, penalty of the function",
           [of_function](const Dataset& data) { return fitted<Lscde>(data, of_function); }},
          {"recommended", [](const Dataset& data) { return fitted<Lscde>(data, LscdeOptions{}); }},
          {"ε-KDE", [](const Dataset& data) { return fitted<EpsilonKde>(data, EpsilonKdeOptions::paper()); }}};
}

}  // namespace

void print_rate(Scale scale, std::ostream& out) {
  const bool quick = scale == Scale::quick;
  const std::vector<Index> sizes =
      quick ? std::vector<Index>{50, 100} : std::vector<Index>{50, 100, 200, 400, 800, 1600};
  const Index repetitions = quick ? 2 : 10;
  out << "## Theorem 1 in numbers\n\nThe error is the norm of p^ - p in L2(p_x × dy), exact in y, its mean over "
      << repetitions
      << " samples ± standard error. Theorem 1 bounds it by λ_n^(1/2), here n^-0.45, for the ratio before it is "
         "clipped and normalised, with a penalty on its norm, and if the true density is in the space, which of these "
         "data "
         "the smooth ones nearly are; ε-KDE has "
         "n^-0.33 "
         "in the paper. The slope is that of log error over log n, of the larger half of the sizes.\n\n";
  std::vector<std::string> header = {"data, estimate"};
  for (const Index n : sizes) header.push_back("n = " + std::to_string(n));
  header.push_back("slope");
  MarkdownTable table(header);
  for (const Source& source : {smooth_source(), source_of(toys().front())})
    for (const Estimate& estimate : estimates()) {
      std::vector<std::string> cells = {source.name + ", " + estimate.label};
      std::vector<double> log_n;
      std::vector<double> log_error;
      for (const Index n : sizes) {
        const std::vector<double> errors = repeat(repetitions, [&](Index r) {
          const Dataset data = source.sample(n, seed_of(n, r));
          return estimate.fit ? errors_of(*estimate.fit(data), source, r).norm
                              : error_of_ratio(data, source, width_of_theorem, lambda_of_theorem(n));
        });
        cells.push_back(mean_cell(errors, repetitions, 3));
        log_n.push_back(std::log(static_cast<double>(n)));
        log_error.push_back(std::log(mean(errors)));
      }
      const auto half = static_cast<std::ptrdiff_t>(sizes.size() / 2);
      cells.push_back(
          quick ? "-" : fixed(slope({log_n.begin() + half, log_n.end()}, {log_error.begin() + half, log_error.end()})));
      table.add(cells);
    }
  table.print(out);
}

void print_cross_validation(Scale scale, std::ostream& out) {
  const Index repetitions = scale == Scale::quick ? 4 : 400;
  constexpr Index n = 100;
  constexpr Index of_fold = 80;
  constexpr double lambda = 0.1;
  out << "## Cross-validation is almost unbiased\n\nBimodal data, n = " << n
      << ", five folds, one width for x and y and λ = " << fixed(lambda, 1) << ", all rows as centres, " << repetitions
      << " samples: the mean score of cross-validation, with the held-out rows among the centres as in the paper and "
         "without them, beside the true cost of fits to "
      << of_fold << " and to " << n
      << " rows. Where the expectations are equal, so are the first ones but for chance.\n\n";
  MarkdownTable table(
      {"score, width", "centres shared by the folds", "held-out rows left out", "true, n = 80", "true, n = 100"});
  const Source source = source_of(toys()[1]);
  for (const Scoring scoring : {Scoring::squared, Scoring::nll})
    for (const double width : {0.1, 0.2, 0.5}) {
      const auto options = [&](bool mask) {
        LscdeOptions own = LscdeOptions::paper();
        own.bandwidth = {width};
        own.regularization = {lambda, 10 * lambda};  // two, so that there is a cross-validation; the first is read
        own.mask_centers = mask;
        own.scoring = scoring;
        own.standardize = false;
        return own;
      };
      const auto estimated = [&](bool mask) {
        return mean_cell(repeat(repetitions,
                                [&](Index r) {
                                  LscdeOptions own = options(mask);
                                  own.seed = r;
                                  const Lscde model = Lscde::fit(source.sample(n, seed_of(n, r)), own, one_thread);
                                  return model.report().details.at("candidates").at("score").as_vector()[0];
                                }),
                         repetitions, 4);
      };
      const auto truth = [&](Index rows) {
        return mean_cell(repeat(repetitions,
                                [&](Index r) {
                                  LscdeOptions own = options(true);
                                  own.regularization = {lambda};
                                  const Errors errors = errors_of(
                                      Lscde::fit(source.sample(rows, seed_of(rows, r)), own, one_thread), source, r);
                                  return scoring == Scoring::squared ? errors.squared : errors.log_score;
                                }),
                         repetitions, 4);
      };
      table.add({std::string(scoring == Scoring::squared ? "SQ" : "KL") + ", " + fixed(width, 1), estimated(false),
                 estimated(true), truth(of_fold), truth(n)});
    }
  table.print(out);
}

void print_unlabeled(Scale scale, std::ostream& out) {
  const bool quick = scale == Scale::quick;
  const Index repetitions = quick ? 2 : 40;
  out << "## Unlabelled inputs\n\nPreset `paper`, n labelled rows and n' more inputs, which enter H only (section "
         "2.7), "
         "of the distribution of the labelled ones or, in the last column, of its upper half. The first number is the "
         "norm of p^ - p without them, the others are what they change of it on the same samples, ± standard error "
         "over "
      << repetitions << " samples: below zero they help.\n\n";
  MarkdownTable table({"data, n, λ", "without", "n' = 100", "n' = 1000", "n' = 1000, other inputs"});
  for (const Toy& drawn : toys()) {
    const Source source = source_of(drawn);
    for (const Index n : {Index{25}, Index{100}, Index{400}})
      for (const bool chosen : {true, false}) {
        const auto error = [&](Index unlabeled, bool shifted) {
          return repeat(repetitions, [&, unlabeled, shifted](Index r) {
            Dataset data = source.sample(n, seed_of(n, r));
            if (unlabeled > 0) {
              Matrix x = source.sample(unlabeled, seed_of(n, r) + 500).x;
              if (shifted) x = Matrix(0.5 * (1 + x.array()));
              data.x_unlabeled = x;
            }
            LscdeOptions options = LscdeOptions::paper();
            if (!chosen) {
              options.bandwidth = {0.2};
              options.regularization = {1e-3};
            }
            return errors_of(Lscde::fit(data, options, one_thread), source, r).norm;
          });
        };
        const std::vector<double> without = error(0, false);
        const auto change = [&](Index unlabeled, bool shifted) {
          return mean_cell(differences(error(unlabeled, shifted), without), repetitions, 4);
        };
        table.add({source.name + ", " + std::to_string(n) + (chosen ? ", by cross-validation" : ", 0.001 at width 0.2"),
                   mean_cell(without, repetitions, 3), change(100, false), change(1000, false), change(1000, true)});
      }
  }
  table.print(out);
}

}  // namespace condens::reproduce
