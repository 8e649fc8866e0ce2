// LSCE, three questions:
//
//   gradient   one value and gradient of SCE-hat, n = 500, b = 200, d_x = 27, d_z = 10, d_y = 18, against the paper's
//              appendix written as loops over the entries (l, l') of W, and against the machine's limit for the
//              products of matrices that are in it
//   search     the recommended search (informed starts, quasi-Newton steps) against the paper's (20 random starts,
//              steepest descent along geodesics), on ten simulated data sets, both at the same widths, regularisation
//              and centres and to their ends: time of the whole fit, and SCE-hat at its W
//   large      d_x = 500 inputs, n = 5,000 rows, three components of twelve inputs: the whole fit, hyper-parameters
//              and the number of components chosen
//
// No argument: gradient and search; "large": the third.

#include <cstring>
#include <numbers>

#include "../tests/support/plain_lsce.hpp"
#include "condens/core/random.hpp"
#include "condens/estimators/lsce.hpp"
#include "condens/estimators/lsce/projection_objective.hpp"
#include "measure.hpp"
#include "optim/grassmann.hpp"

using namespace condens;
using namespace condens::benchmarks;

namespace {

Matrix normals(Index rows, Index cols, RandomStream& random) {
  Matrix out(rows, cols);
  for (double& value : out.reshaped()) value = random.normal();
  return out;
}

bool gradient() {
  const Index n = 500;
  const Index b = 200;
  const Index d_x = 27;
  const Index d_z = 10;
  const Index d_y = 18;
  RandomStream random(1);
  plain::Lsce loops{.x = normals(d_x, n, random),
                    .y = normals(d_y, n, random),
                    .w = Vector::Ones(n),
                    .centers_x = {},
                    .centers_y = {},
                    .sigma = 2.0,
                    .sigma_y = 1.5,
                    .lambda = 0.1};
  loops.centers_x = loops.x.leftCols(b);
  loops.centers_y = loops.y.leftCols(b);
  const Matrix w = orthonormal_rows(normals(d_z, d_x, random));
  const ProjectionObjective fast(loops.x, loops.w, loops.centers_x,
                                 sce_kernels(loops.y, loops.centers_y, loops.sigma_y), loops.sigma, loops.lambda,
                                 ProjectionCriterion::plug_in);
  std::printf("gradient: n = 500, b = 200, d_x = 27, d_z = 10, d_y = 18\n");
  const Limits limits = print_limits(1);
  ProjectionValue ours{};
  const double t_ours = best_seconds(200, [&] { ours = fast.evaluate(w); });
  plain::Lsce::Value theirs{};
  const double t_loops = best_seconds(1, [&] { theirs = loops(w); });
  const double difference =
      (ours.gradient - theirs.gradient).cwiseAbs().maxCoeff() / theirs.gradient.cwiseAbs().maxCoeff();
  const auto f = [](Index k) { return static_cast<double>(k); };
  // G (half of a product, it is symmetric), E, and the thin ones; the factor and its solves.
  const double products = f(n) * f(b) * f(b) + 2 * f(n) * f(b) * f(b) + 4 * f(n) * f(b) * f(d_z) +
                          4 * f(n) * f(d_z) * f(d_x) + 4 * f(b) * f(d_z) * f(d_x);
  std::printf("%-44s %12.3f ms\n", "the appendix as loops over (l, l')", 1e3 * t_loops);
  std::printf("%-44s %12.3f ms, %.0f x\n", "condens", 1e3 * t_ours, t_loops / t_ours);
  std::printf("%-44s %12.1f MFlop, %.0f %% of the GEMM limit\n", "products of matrices in it", products / 1e6,
              100 * products / t_ours / limits.gemm);
  std::printf("largest difference of the gradients, relative: %.1e; of the values %.1e\n", difference,
              std::abs(ours.value / theirs.plug_in - 1));
  return difference < 1e-10;
}

/// Ten relations: parabolas, cubics, branches and spreads along one to three directions of 5 to 15 inputs.
Dataset relation(int which) {
  RandomStream random(100 + static_cast<std::uint64_t>(which));
  const Index n = 300;
  const Index d_x = std::vector<Index>{5, 5, 8, 8, 10, 10, 12, 12, 15, 15}[static_cast<std::size_t>(which)];
  const Matrix x = normals(d_x, n, random);
  const Matrix t = orthonormal_rows(normals(3, d_x, random)) * x;
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) {
    const double a = t(0, i);
    const double b = t(1, i);
    const double noise = random.normal();
    const double branch = random.uniform() < 0.5 ? -1.0 : 1.0;
    switch (which % 5) {
      case 0:
        y(0, i) = a * a + b * b + 0.25 * noise;
        break;
      case 1:
        y(0, i) = a + a * a + a * a * a + 0.25 * noise;
        break;
      case 2:
        y(0, i) = std::sin(2 * a) + b + 0.2 * noise;
        break;
      case 3:
        y(0, i) = branch * a + 0.5 * b * b + 0.2 * noise;
        break;
      default:
        y(0, i) = a + 0.3 * std::exp(0.7 * b) * noise;
    }
  }
  const double scale = std::sqrt((y.array() - y.mean()).square().mean());
  return {.x = x, .y = Matrix((y.array() - y.mean()) / scale)};
}

void search() {
  std::printf("\nsearch: n = 300, b = 100, one thread; equal widths (0.8 and 0.4), regularisation (0.01), centres\n");
  std::printf("%-5s %5s %5s | %12s %12s | %12s %12s | %8s\n", "data", "d_x", "d_z", "20 steepest", "SCE-hat", "condens",
              "SCE-hat", "ratio");
  bool never_worse = true;
  double least = std::numeric_limits<double>::infinity();
  double logs = 0;
  const Run run{.threads = 1, .observer = {}};
  for (int which = 0; which < 10; ++which) {
    const Dataset data = relation(which);
    LsceOptions ours;
    ours.n_components = {which % 5 == 1 ? 1.0 : 2.0};
    ours.bandwidth = {0.8};
    ours.bandwidth_y = {0.4};
    ours.regularization = {0.01};
    ours.centers.resize(data.x.rows() + 1, 100);
    ours.centers << data.x.leftCols(100), data.y.leftCols(100);
    ours.standardize = false;
    ours.density = LsceDensity::same;
    LsceOptions paper = LsceOptions::paper();
    paper.n_components = ours.n_components;
    paper.bandwidth = ours.bandwidth;
    paper.bandwidth_y = ours.bandwidth_y;
    paper.regularization = ours.regularization;
    paper.centers = ours.centers;
    paper.standardize = false;
    paper.max_steps = 1000;
    paper.steps_per_tuning = 1000;  // nothing is to be chosen
    double sce_ours = 0;
    double sce_paper = 0;
    const double t_ours = best_seconds(3, [&] { sce_ours = Lsce::fit(data, ours, run).state().sce; });
    const double t_paper = best_seconds(1, [&] { sce_paper = Lsce::fit(data, paper, run).state().sce; });
    const bool worse = sce_ours > sce_paper + 1e-4 * std::abs(sce_paper);
    never_worse &= !worse;
    least = std::min(least, t_paper / t_ours);
    logs += std::log(t_paper / t_ours) / 10;
    std::printf("%-5d %5d %5.0f | %9.1f ms %12.6f | %9.1f ms %12.6f | %6.1f x%s\n", which + 1,
                static_cast<int>(data.x.rows()), ours.n_components[0], 1e3 * t_paper, sce_paper, 1e3 * t_ours, sce_ours,
                t_paper / t_ours, worse ? "  WORSE" : "");
  }
  std::printf("ratio: geometric mean %.1f, least %.1f; SCE-hat worse by more than 1e-4 on %s\n", std::exp(logs), least,
              never_worse ? "none" : "some");
}

void large() {
  const Index d_x = 500;
  const Index n = 5000;
  RandomStream random(1);
  const Matrix x = normals(d_x, n, random);
  Matrix truth = Matrix::Zero(2, d_x);
  truth.row(0).head(6).setConstant(1 / std::sqrt(6.0));
  truth.row(1).segment(6, 6).setConstant(1 / std::sqrt(6.0));
  const Matrix t = truth * x;
  const Matrix y = (t.row(0).array().sin() * 2 + t.row(1).array() + 0.3 * normals(1, n, random).array()).matrix();
  const Dataset data{.x = x, .y = y};
  const int cores = resolve_threads(0);
  std::printf("large: d_x = 500, n = 5,000, y = 2 sin t1 + t2 + noise, %d threads\n", cores);
  const double begin = now();
  const Lsce model = Lsce::fit(data, {}, {.threads = cores, .observer = {}});
  std::printf("whole fit %.1f s; %d components of", now() - begin, static_cast<int>(model.n_components()));
  const Document* tried = model.report().details.find("candidates");
  if (tried != nullptr) {
    const Vector counts = tried->at("n_components").as_vector();
    for (Index k = 0; k < counts.size(); ++k) {
      std::printf(" %.0f (score %.3f)", counts[k], tried->at("score").as_vector()[k]);
    }
  }
  std::printf("\nangles to the planted subspace, in degrees:");
  for (const double angle : principal_angles(model.components(), truth)) {
    std::printf(" %.1f", angle * 180 / std::numbers::pi);
  }
  std::printf("; peak memory %.0f MiB\n", peak_memory());
}

}  // namespace

int main(int argc, char** argv) {
  keep_freed_memory();
  if (argc > 1 && std::strcmp(argv[1], "large") == 0) {
    large();
    return 0;
  }
  const bool equal = gradient();
  search();
  return equal ? 0 : 1;
}
