#include "model/gridded_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "condens/core/cancellation.hpp"
#include "linalg/vector_math.hpp"

namespace condens {

namespace {

constexpr Index fewest_kernels = 1000;
constexpr Index kernels_of_node = 4;
constexpr double spacing_of_width = 0.48;
constexpr double smear_of_width = 0.54;
constexpr double farthest_node = 1e9;  // beyond, a node's number says too little of where it is
constexpr double neglected = 1e-8;     // share of the sum

}  // namespace

/// The nodes in use are numbered from left to right, so that a kernel's sixteen stay neighbours.
struct GriddedKernels::Grid {
  double width;
  std::vector<Index> nodes;  // in units of the spacing
  std::vector<Index> first;  // of every kernel, the place of its first node

  double spacing() const { return spacing_of_width * width; }

  Grid(const VectorView& v, double width_of_all) : width(width_of_all), first(static_cast<std::size_t>(v.size())) {
    for (Index l = 0; l < v.size(); ++l) {
      first[static_cast<std::size_t>(l)] = static_cast<Index>(std::floor(v[l] / spacing())) - (nodes_of_kernel / 2 - 1);
    }
    check_cancelled();  // a million kernels take a second
    std::vector<Index> starts = first;
    std::sort(starts.begin(), starts.end());
    check_cancelled();
    for (const Index start : starts) {
      Index node = nodes.empty() ? start : std::max(start, nodes.back() + 1);
      for (; node < start + nodes_of_kernel; ++node) nodes.push_back(node);
    }
    check_cancelled();
    for (Index& node : first) node = std::lower_bound(nodes.begin(), nodes.end(), node) - nodes.begin();
  }

  Vector shares(double v, Index first_place) const {
    const double smear = smear_of_width * width;
    Vector out(nodes_of_kernel);
    for (Index j = 0; j < nodes_of_kernel; ++j) {
      const double node = static_cast<double>(nodes[static_cast<std::size_t>(first_place + j)]) * spacing();
      out[j] = std::exp(-0.5 * std::pow((node - v) / smear, 2));
    }
    return out / out.sum();
  }

  Matrix means() const {
    Matrix out(1, std::ssize(nodes));
    for (Index j = 0; j < out.cols(); ++j) {
      out(0, j) = static_cast<double>(nodes[static_cast<std::size_t>(j)]) * spacing();
    }
    return out;
  }

  double width_of_node() const { return width * std::sqrt(1 - smear_of_width * smear_of_width); }
};

std::shared_ptr<const GriddedKernels> GriddedKernels::make(const MatrixView& u, const VectorView& log_weights,
                                                           const MatrixView& v, double width,
                                                           const Defensive& defensive) {
  if (v.rows() != 1 || v.cols() < fewest_kernels) return nullptr;
  if (!(v.cwiseAbs().maxCoeff() < farthest_node * spacing_of_width * width)) return nullptr;
  const Vector targets = v.row(0).transpose();
  const Grid grid(targets, width);
  if (kernels_of_node * std::ssize(grid.nodes) > v.cols()) return nullptr;
  return std::shared_ptr<const GriddedKernels>(new GriddedKernels(u, log_weights, targets, grid, defensive));
}

GriddedKernels::GriddedKernels(const MatrixView& u, const VectorView& log_weights, const VectorView& v,
                               const Grid& grid, const Defensive& defensive)
    : blocks_(u, Vector::Ones(u.cols())),
      log_weights_(Vector::Constant(blocks_.points.rows(), -std::numeric_limits<double>::infinity())),
      heaviest_(blocks_.count()),
      first_node_(static_cast<std::size_t>(blocks_.points.rows()), 0),
      shares_(Matrix::Zero(nodes_of_kernel, blocks_.points.rows())),
      components_(kernel_components(grid.means(), grid.width_of_node(), defensive)),
      defensive_(defensive) {
  for (Index l = 0; l < v.size(); ++l) {
    if (l % 4096 == 0) check_cancelled();
    const Index row = blocks_.row_of[static_cast<std::size_t>(l)];
    const Index first = grid.first[static_cast<std::size_t>(l)];
    log_weights_[row] = log_weights[l];
    first_node_[static_cast<std::size_t>(row)] = first;
    shares_.col(row) = grid.shares(v[l], first);
  }
  for (Index b = 0; b < blocks_.count(); ++b) {
    heaviest_[b] = log_weights_.segment(b * PointBlocks::block, PointBlocks::block).maxCoeff();
  }
}

void GriddedKernels::add_block(Index b, const VectorView& z, double* out) const {
  constexpr Index size = PointBlocks::block;
  Eigen::Array<double, size, 1> distance = Eigen::Array<double, size, 1>::Zero();
  for (Index k = 0; k < z.size(); ++k) {
    distance += (blocks_.points.col(k).segment<size>(b * size).array() - z[k]).square();
  }
  Eigen::Map<Eigen::Array<double, size, 1>>(out, size) = log_weights_.segment<size>(b * size).array() - 0.5 * distance;
}

void GriddedKernels::weigh_nodes(const VectorView& z, Eigen::Ref<Vector> out) const {
  constexpr Index size = PointBlocks::block;
  // No row of a block is heavier than its bound.
  Vector bound = Vector::Zero(blocks_.count());
  for (Index k = 0; k < z.size(); ++k) {
    const auto gap = (blocks_.blocks.low.col(k).array() - z[k]).max(z[k] - blocks_.blocks.high.col(k).array());
    bound.array() += gap.max(0.0).square();
  }
  bound = heaviest_ - 0.5 * bound;
  Index nearest = 0;
  bound.maxCoeff(&nearest);
  Eigen::Array<double, size, 1> best;
  add_block(nearest, z, best.data());
  const double least_share = neglected / static_cast<double>(log_weights_.size());
  const double least = best.maxCoeff() + std::log(least_share);
  std::vector<Index> seen;
  for (Index b = 0; b < blocks_.count(); ++b) {
    if (bound[b] >= least) seen.push_back(b);
  }
  Vector weights(std::ssize(seen) * size);
  for (Index s = 0; s < std::ssize(seen); ++s) {
    add_block(seen[static_cast<std::size_t>(s)], z, weights.data() + s * size);
  }
  const double peak = maximum(weights.data(), weights.size());
  if (std::isfinite(peak)) {
    weights.array() -= peak;
  } else {  // z is out of all reach: what is known without it
    weights = log_weights_.array() - log_weights_.maxCoeff();
  }
  exp_in_place(weights.data(), weights.size());
  out.setZero();
  for (Index s = 0; s < std::ssize(seen); ++s) {
    const Index row = seen[static_cast<std::size_t>(s)] * size;
    for (Index r = 0; r < size; ++r) {
      const double weight = weights[s * size + r];
      if (weight < least_share) continue;
      out.segment<nodes_of_kernel>(first_node_[static_cast<std::size_t>(row + r)]) +=
          weight * shares_.col(row + r).head<nodes_of_kernel>();
    }
  }
}

GaussianMixtures GriddedKernels::laws(const MatrixView& z) const {
  Matrix weights(components_->means.cols() - (defensive_.weight > 0 ? 1 : 0), z.cols());
  for (Index i = 0; i < z.cols(); ++i) weigh_nodes(z.col(i), weights.col(i));
  return kernel_laws(components_, weights.array().log(), defensive_);
}

}  // namespace condens
