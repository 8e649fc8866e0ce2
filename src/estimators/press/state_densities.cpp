#include "state_densities.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "condens/estimators/press/objective.hpp"
#include "state_sums.hpp"

namespace condens::press {

namespace {

constexpr double least_share = 1e-12;  // of a state's mass, where compression may err by more

}  // namespace

Vector reference_widths(const Matrix& w, const Dataset& rows, const WidthRules& rules) {
  if (rules.given.size() == 1) return Vector::Constant(w.rows(), rules.given[0]);
  if (rules.given.size() > 1) return rules.given;
  const PressStates states = press_states(w, rows.y, rows.weights);
  const Vector inverse = inverse_sizes(states.sizes);
  const double d = static_cast<double>(rows.y.rows());
  Vector out(w.rows());
  for (Index j = 0; j < out.size(); ++j) {
    const Vector mass = w.row(j).transpose().cwiseProduct(rows.weights) * inverse[j];
    const double variance = (rows.y.colwise() - states.means.col(j)).colwise().squaredNorm().dot(mass) / d;
    const double effective = states.sizes[j] * states.sizes[j] / std::max(states.squares[j], 1e-300);
    out[j] = std::sqrt(variance) * std::pow(std::max(1.0, effective), -1 / (d + 4));
    if (inverse[j] == 0) out[j] = 1;
    out[j] = std::max(out[j], 2 * rules.floor);
  }
  if (rules.common) out.setConstant(out.minCoeff());
  return out;
}

std::vector<PressNodes> nodes_for(const MatrixView& y, const Vector& widths, const WidthRules& rules) {
  const auto make = [&](double width) { return make_nodes(y, node_spacing(rules.tolerance, y.rows(), width)); };
  if (rules.tolerance == 0 || (widths.array() == widths[0]).all()) return {make(widths[0])};
  std::vector<PressNodes> out;
  for (const double width : widths) out.push_back(make(width));
  return out;
}

bool fine_enough(const Vector& used, const Vector& widths) {
  return (widths.array() >= (1 - 1e-9) * used.array()).all();
}

Components make_components(const Matrix& w, const Dataset& rows, const Vector& widths, const WidthRules& rules,
                           const Matrix& shifts) {
  const Index states = w.rows();
  const std::vector<PressNodes> nodes = nodes_for(rows.y, widths, rules);
  const Vector inverse = inverse_sizes(Vector(w * rows.weights));
  std::vector<Vector> masses;
  for (Index j = 0; j < states; ++j) {
    const PressNodes& own = nodes[nodes.size() == 1 ? 0 : static_cast<std::size_t>(j)];
    masses.emplace_back(Vector::Zero(own.size()));
    // A state that no row is in has the density of all rows.
    const Vector mass = inverse[j] > 0 ? Vector(w.row(j).transpose().cwiseProduct(rows.weights)) : rows.weights;
    own.spread(mass, 0, masses.back());
  }
  return components_of(nodes, masses, widths, rules, shifts);
}

Components components_of(const std::vector<PressNodes>& nodes, const std::vector<Vector>& masses, const Vector& widths,
                         const WidthRules& rules, const Matrix& shifts) {
  const Index states = widths.size();
  const Index d_y = nodes.front().centers.rows();
  const bool one_width = (widths.array() == widths[0]).all() && shifts.isZero(0);
  std::vector<Vector> shares;
  for (const Vector& mass : masses) {
    Vector share = mass / mass.sum();
    if (rules.tolerance > 0) share = (share.array() > least_share).select(share, 0.0);
    shares.emplace_back(share / share.sum());
  }
  Components out;
  if (one_width) {  // states share their components
    out.centers = nodes.front().centers;
    out.widths = Vector::Constant(out.centers.cols(), widths[0]);
    out.shares.resize(out.centers.cols(), states);
    for (Index j = 0; j < states; ++j) out.shares.col(j) = shares[static_cast<std::size_t>(j)];
    return out;
  }
  Index count = 0;
  for (const Vector& share : shares) count += (share.array() > 0).count();
  out.centers.resize(d_y, count);
  out.widths.resize(count);
  out.shares = Matrix::Zero(count, states);
  Index at = 0;
  for (Index j = 0; j < states; ++j) {
    const PressNodes& own = nodes[nodes.size() == 1 ? 0 : static_cast<std::size_t>(j)];
    const Vector& share = shares[static_cast<std::size_t>(j)];
    for (Index b = 0; b < own.size(); ++b) {
      if (share[b] == 0) continue;
      out.centers.col(at) = own.centers.col(b) + shifts.col(j);
      out.widths[at] = widths[j];
      out.shares(at++, j) = share[b];
    }
  }
  return out;
}

}  // namespace condens::press
