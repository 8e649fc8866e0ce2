#include "condens/distributions/target_distributions.hpp"

#include <cmath>
#include <string>

#include "law_blocks.hpp"
#include "linalg/vector_math.hpp"
#include "mixture_checks.hpp"
#include "target_law.hpp"
#include "target_map.hpp"

namespace condens {

namespace {

Index target_points(const TargetDistributions& laws, Index count, const char* name) {
  const Index n = laws.size();
  require(n == 0 ? count == 0 : count % n == 0, "TargetDistributions::", name, ": ", count, " points for ", n,
          " distributions; expected as many for each distribution");
  return n == 0 ? 0 : count / n;
}

/// Zero for -infinity.
Vector probabilities(Vector logarithms) {
  exp_in_place(logarithms);
  return logarithms;
}

}  // namespace

TargetDistributions::TargetDistributions(GaussianMixtures base, TargetSupport support, Matrix log_shares)
    : base_(std::move(base)), support_(std::move(support)), log_shares_(std::move(log_shares)) {
  const std::string problem = detail::support_problem(support_);
  require(problem.empty(), "TargetDistributions: ", problem);
  const auto rows = static_cast<Index>(support_.atoms.size()) + 1;
  detail::require_univariate(base_.dimension(), "TargetDistributions", detail::kUseMarginal);
  if (log_shares_.size() == 0 && rows == 1) log_shares_ = Matrix::Zero(1, base_.size());
  detail::require_shape(log_shares_, rows, base_.size(), "TargetDistributions", "log_shares");
  detail::require_numbers(log_shares_, "TargetDistributions", "log_shares");
}

TargetDistributions TargetDistributions::select(const std::vector<Index>& which) const {
  return {base_.select(which), support_, log_shares_(Eigen::all, which)};
}

TargetDistributions TargetDistributions::slice(Index begin, Index count) const {
  return {base_.slice(begin, count), support_, log_shares_.middleCols(begin, count)};
}

/// body(i, law i) for every distribution.
template <class Body>
void TargetDistributions::for_each(const Run& run, const char* name, const Body& body) const {
  detail::for_each_law(base_, run, name, [&](Index i, const detail::MixtureView& p) {
    const Vector shares = probabilities(log_shares_.col(i));
    body(i, detail::TargetLaw(p, support_, shares.data()));
  });
}

/// value(law i, y_j) for the k points of every law i, which are consecutive.
template <class Value>
Vector TargetDistributions::at_points(const VectorView& y, const Run& run, const char* name, const Value& value) const {
  detail::require_numbers(y, message("TargetDistributions::", name), "y");
  const Index k = target_points(*this, y.size(), name);
  Vector out(y.size());
  for_each(run, name, [&](Index i, const detail::TargetLaw& law) {
    for (Index j = i * k; j < (i + 1) * k; ++j) out[j] = value(law, y[j]);
  });
  return out;
}

Vector TargetDistributions::log_pdf(const MatrixView& y, const Run& run) const {
  detail::require_shape(y, 1, y.cols(), "TargetDistributions::log_pdf", "y");
  const Vector points = y.row(0).transpose();
  return at_points(points, run, "log_pdf", [](const detail::TargetLaw& law, double at) { return law.log_pdf(at); });
}

Matrix TargetDistributions::log_pdf_grid(const MatrixView& y, const Run& run) const {
  detail::require_shape(y, 1, y.cols(), "TargetDistributions::log_pdf_grid", "y");
  if (support_.is_plain()) return base_.log_pdf_grid(y, run);
  Matrix out(y.cols(), size());
  for_each(run, "log density", [&](Index i, const detail::TargetLaw& law) {
    for (Index q = 0; q < y.cols(); ++q) out(q, i) = law.log_height(y(0, q));
  });
  return out;
}

Vector TargetDistributions::cdf(const VectorView& y, const Run& run) const {
  return at_points(y, run, "cdf", [](const detail::TargetLaw& law, double at) { return law.cdf(at); });
}

Vector TargetDistributions::cdf_below(const VectorView& y, const Run& run) const {
  return at_points(y, run, "cdf_below", [](const detail::TargetLaw& law, double at) { return law.cdf_below(at); });
}

Vector TargetDistributions::sf(const VectorView& y, const Run& run) const {
  return at_points(y, run, "sf", [](const detail::TargetLaw& law, double at) { return law.sf(at); });
}

Vector TargetDistributions::mass_at(const VectorView& y, const Run& run) const {
  return at_points(y, run, "mass_at", [](const detail::TargetLaw& law, double at) { return law.mass_at(at); });
}

Vector TargetDistributions::crps(const VectorView& y, const Run& run) const {
  return at_points(y, run, "crps", [](const detail::TargetLaw& law, double at) { return law.crps(at); });
}

Vector TargetDistributions::highest_density_mass(const VectorView& y, const Run& run) const {
  return at_points(y, run, "highest_density_mass",
                   [](const detail::TargetLaw& law, double at) { return law.highest_density_mass(at); });
}

Matrix TargetDistributions::quantile(const VectorView& levels, const Run& run) const {
  for (const double level : levels) detail::require_level(level, "TargetDistributions::quantile");
  Matrix out(levels.size(), size());
  for_each(run, "quantile", [&](Index i, const detail::TargetLaw& law) {
    for (Index k = 0; k < levels.size(); ++k) out(k, i) = law.quantile(levels[k]);
  });
  return out;
}

Vector TargetDistributions::quantile_each(const VectorView& levels, const Run& run) const {
  for (const double level : levels) detail::require_level(level, "TargetDistributions::quantile_each");
  return at_points(levels, run, "quantile_each",
                   [](const detail::TargetLaw& law, double level) { return law.quantile(level); });
}

Vector TargetDistributions::upper_quantile_each(const VectorView& levels, const Run& run) const {
  for (const double level : levels) detail::require_level(level, "TargetDistributions::upper_quantile_each");
  return at_points(levels, run, "upper_quantile_each",
                   [](const detail::TargetLaw& law, double level) { return law.upper_quantile(level); });
}

Vector TargetDistributions::median(const Run& run) const {
  return quantile(Vector::Constant(1, 0.5), run).row(0).transpose();
}

Matrix TargetDistributions::interval(double mass, const Run& run) const {
  detail::require_mass(mass, "TargetDistributions::interval");
  Matrix out(2, size());
  const double rest = 0.5 * (1.0 - mass);
  for_each(run, "interval",
           [&](Index i, const detail::TargetLaw& law) { out.col(i) << law.quantile(rest), law.upper_quantile(rest); });
  return out;
}

Matrix TargetDistributions::mean(const Run& run) const {
  Matrix out(1, size());
  for_each(run, "mean", [&](Index i, const detail::TargetLaw& law) { out(0, i) = law.mean(); });
  return out;
}

Matrix TargetDistributions::variance(const Run& run) const {
  Matrix out(1, size());
  for_each(run, "variance", [&](Index i, const detail::TargetLaw& law) { out(0, i) = law.variance(); });
  return out;
}

Matrix TargetDistributions::mode(const Run& run) const {
  Matrix out(1, size());
  for_each(run, "mode", [&](Index i, const detail::TargetLaw& law) { out(0, i) = law.mode(); });
  return out;
}

std::vector<std::vector<Interval>> TargetDistributions::highest_density_region(double mass, const Run& run) const {
  detail::require_mass(mass, "TargetDistributions::highest_density_region");
  std::vector<std::vector<Interval>> out(static_cast<std::size_t>(size()));
  for_each(run, "highest-density region", [&](Index i, const detail::TargetLaw& law) {
    out[static_cast<std::size_t>(i)] = law.highest_density_region(mass);
  });
  return out;
}

Matrix TargetDistributions::sample_one(Index i, Index count, RandomStream& random) const {
  const TargetDistributions one = slice(i, 1);
  Vector weights;
  const detail::MixtureView p = detail::law_view(one.base_, 0, weights);
  const Vector shares = probabilities(one.log_shares_.col(0));
  const detail::TargetLaw law(p, support_, shares.data());
  Matrix out(1, count);
  for (Index k = 0; k < count; ++k) out(0, k) = law.draw(random);
  return out;
}

Matrix TargetDistributions::sample(Index per_law, std::uint64_t seed, const Run& run) const {
  require(per_law >= 0, "TargetDistributions::sample: per_law is ", per_law, "; expected >= 0");
  Matrix out(1, per_law * size());
  for_each(run, "sample", [&](Index i, const detail::TargetLaw& law) {
    RandomStream random(seed, static_cast<std::uint64_t>(i));
    for (Index k = 0; k < per_law; ++k) out(0, i * per_law + k) = law.draw(random);
  });
  return out;
}

}  // namespace condens
