#include "linearization.hpp"

#include <algorithm>
#include <vector>

#include "condens/core/errors.hpp"
#include "kernels/gaussian_kernel.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/vector_math.hpp"
#include "selection.hpp"

namespace condens::lscde {

namespace {

/// phi and psi of one block, b x rows.
struct Kernels {
  Matrix phi;
  Matrix psi;
};

Kernels kernels_of(const Distances& distances, const Block& block, double bandwidth, double bandwidth_y) {
  Matrix buffer;
  Kernels out;
  out.phi = distances.x(block, buffer) * (-0.5 / (bandwidth * bandwidth));
  exp_in_place(out.phi.data(), out.phi.size());
  out.psi = distances.y(block, buffer) * (-0.5 / (bandwidth_y * bandwidth_y));
  exp_in_place(out.psi.data(), out.psi.size());
  return out;
}

}  // namespace

Matrix linearized_coefficients(const Problem& problem, double bandwidth, double bandwidth_y, double regularization,
                               const MatrixView& copies, Task& task) {
  constexpr Index blocks_together = 32;
  const std::vector<Block> blocks = cut_into_blocks(problem);
  const Distances distances(problem);
  const System system = system_of(problem, bandwidth, bandwidth_y, task);
  const Vector full = Cholesky(regularized(system.gram, system.norm, regularization)).solve(system.right);
  // Where coefficients are the least over alpha >= 0, those at the bound stay there.
  std::vector<Index> moving;
  const Vector alpha = constrained(problem, system, regularization, full);
  for (Index l = 0; l < alpha.size(); ++l) {
    if (problem.coefficients == LscdeCoefficients::clipped || alpha[l] > 0) moving.push_back(l);
  }
  const Vector& at = problem.coefficients == LscdeCoefficients::clipped ? full : alpha;

  const Matrix overlaps = kernel_overlaps(problem.centers_y, bandwidth_y);
  const Vector expected = system.gram.selfadjointView<Eigen::Lower>() * at;  // H alpha
  const double weight_x = system.weight + static_cast<double>(problem.x_unlabeled.cols());
  Matrix sums = Matrix::Zero(at.size(), copies.cols());
  std::vector<Matrix> parts(static_cast<std::size_t>(blocks_together));
  const auto part_of = [&](const Block& block) -> Matrix {
    const Kernels kernels = kernels_of(distances, block, bandwidth, bandwidth_y);
    const Matrix products = overlaps * (kernels.phi.array().colwise() * at.array()).matrix();
    Matrix influence = (kernels.phi.cwiseProduct(kernels.psi).colwise() - system.right) / system.weight -
                       (kernels.phi.cwiseProduct(products).colwise() - expected) / weight_x;
    const Range& rows = block.rows;
    influence.array().rowwise() *= problem.weights.segment(rows.begin, rows.size()).transpose().array();
    return influence * (copies.middleRows(rows.begin, rows.size()).array() - 1.0).matrix();
  };
  for (Index first = 0; first < std::ssize(blocks); first += blocks_together) {
    const Index count = std::min(blocks_together, std::ssize(blocks) - first);
    parallel_for(
        count, task.threads(),
        [&](Index i) {
          const Block& block = blocks[static_cast<std::size_t>(first + i)];
          parts[static_cast<std::size_t>(i)] = block.fold == problem.folds() ? Matrix() : part_of(block);
          task.advance(1.0);
        },
        [&] { task.poll(); });
    for (Index i = 0; i < count; ++i) {
      const Matrix& part = parts[static_cast<std::size_t>(i)];
      if (part.size() > 0) sums += part;
    }
  }
  Matrix out = Matrix::Zero(at.size(), copies.cols());
  const Matrix gram = system.gram.selfadjointView<Eigen::Lower>();
  const Matrix norm = system.norm.size() == 0 ? Matrix() : Matrix(system.norm(moving, moving));
  const Matrix change =
      Cholesky(regularized(gram(moving, moving), norm, regularization)).solve(Matrix(sums(moving, Eigen::all)));
  out(moving, Eigen::all) = (change.colwise() + at(moving)).cwiseMax(0.0);
  if (!(out.colwise().maxCoeff().minCoeff() > 0)) {
    throw NumericalError("LSCDE: every coefficient of a replicate is zero; fit replicates again in the place of delta");
  }
  return out;
}

}  // namespace condens::lscde
