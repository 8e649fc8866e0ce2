#include "bootstrap.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "condens/core/random.hpp"
#include "condens/model/capabilities.hpp"
#include "inner_fits.hpp"

namespace condens {

namespace {

constexpr Index most_draws = 20;  // of one replicate
constexpr std::uint64_t stream_of_bootstrap = 1'000'000;

std::vector<Index> places_of(const VectorView& copies) {
  std::vector<Index> out;
  for (Index i = 0; i < copies.size(); ++i) {
    if (copies[i] > 0) out.push_back(i);
  }
  if (out.empty()) throw NumericalError("no row was drawn");
  return out;
}

/// The rows that were drawn, with their weights.
Dataset drawn(const Dataset& rows, const VectorView& copies) {
  const std::vector<Index> which = places_of(copies);
  Dataset out = rows.subset(which);
  out.weights = rows.weights.size() > 0 ? Vector(out.weights.cwiseProduct(copies(which))) : Vector(copies(which));
  return out;
}

/// Copies among the rows that have a weight: those without are absent.
Vector copies_of(const Dataset& all, std::uint64_t seed, Index draw) {
  if (all.weights.size() == 0) return bootstrap_copies(all.size(), seed, draw);
  std::vector<Index> there;
  for (Index i = 0; i < all.size(); ++i) {
    if (all.weights[i] > 0) there.push_back(i);
  }
  Vector out = Vector::Zero(all.size());
  out(there) = bootstrap_copies(std::ssize(there), seed, draw);
  return out;
}

bool has_every_class(const Dataset& rows, const Dataset& all) {
  const auto last = static_cast<Index>(all.y.maxCoeff());
  Vector weight = Vector::Zero(last + 1);
  for (Index i = 0; i < rows.size(); ++i) weight[static_cast<Index>(rows.y(0, i))] += rows.weights[i];
  return weight.minCoeff() > 0;
}

struct Replicate {
  Vector copies = {};  ///< of the rows, for the delta method
  Vector numbers = {};
  std::shared_ptr<ConditionalDensity> model = {};
  std::shared_ptr<const ClassModel> classes = {};
};

/// Throws NumericalError or std::invalid_argument where the draw has no density.
Replicate fit_draw(const Reweighs* reweighs, const Refits& refits, std::uint64_t seed, Index draw, const Run& run) {
  const Vector copies = copies_of(refits.classes != nullptr ? *refits.classes : *refits.rows, seed, draw);
  Replicate out{.copies = refits.rest.empty() ? copies : Vector(copies(refits.rest))};
  const Dataset rows = drawn(*refits.rows, out.copies);
  if (refits.method == ReplicateMethod::refit) {
    if (refits.refit_places)
      out.model = refits.refit_places(places_of(out.copies), rows, static_cast<std::uint64_t>(draw), run);
    else if (reweighs != nullptr)
      out.numbers = reweighs->reweighted(rows, run);
    else
      out.model = refits.refit(rows, run);
  }
  if (refits.classes == nullptr) return out;
  const Dataset all = drawn(*refits.classes, copies);
  if (!has_every_class(all, *refits.classes)) throw NumericalError("not every atom was drawn");
  out.classes = refits.refit_classes(all, run);
  return out;
}

}  // namespace

Vector bootstrap_copies(Index n, std::uint64_t seed, Index r) {
  RandomStream random(seed, stream_of_bootstrap + static_cast<std::uint64_t>(r));
  Vector out = Vector::Zero(n);
  for (Index i = 0; i < n; ++i) out[random.below(n)] += 1.0;
  return out;
}

Replicates bootstrap(const ConditionalDensity& density, const Refits& refits, Index count, std::uint64_t seed,
                     const Run& run) {
  require(count >= 1 && count <= most_replicates, "bootstrap = ", count, ", expected a number of replicates, 1 to ",
          most_replicates);
  const auto* reweighs = capability<Reweighs>(density);
  if (refits.refit_places || (reweighs != nullptr && !reweighs->can_reweigh())) reweighs = nullptr;
  const bool delta = refits.method == ReplicateMethod::delta;
  require(!delta || (reweighs != nullptr && reweighs->has_derivatives()), "bootstrap: method = 'delta' of ",
          density.model_name(), ", expected 'refit': it has no derivatives by the weights of its rows");
  std::vector<Replicate> found(static_cast<std::size_t>(count));
  Task task(run, "fitting bootstrap replicates", static_cast<double>(count));
  fit_side_by_side(count, run, task, [&](Index r, const Run& own) {
    for (Index k = 0;; ++k) {
      try {
        found[static_cast<std::size_t>(r)] = fit_draw(reweighs, refits, seed, r + k * count, own);
        return;
      } catch (const NumericalError& error) {
        if (k + 1 == most_draws) throw NumericalError(message("bootstrap: replicate ", r + 1, ": ", error.what()));
      } catch (const std::invalid_argument& error) {
        if (k + 1 == most_draws) throw NumericalError(message("bootstrap: replicate ", r + 1, ": ", error.what()));
      }
    }
  });
  std::vector<std::shared_ptr<const ClassModel>> classes;
  for (Replicate& own : found) {
    if (own.classes) classes.push_back(std::move(own.classes));
  }
  if (delta) {
    Matrix copies(refits.rows->size(), count);
    for (Index r = 0; r < count; ++r) copies.col(r) = found[static_cast<std::size_t>(r)].copies;
    return Replicates(reweighs->linearized(*refits.rows, copies, run), std::move(classes));
  }
  if (reweighs != nullptr) {
    Matrix numbers(found.front().numbers.size(), count);
    for (Index r = 0; r < count; ++r) numbers.col(r) = found[static_cast<std::size_t>(r)].numbers;
    return Replicates(std::move(numbers), std::move(classes));
  }
  std::vector<std::shared_ptr<ConditionalDensity>> models;
  for (Replicate& own : found) models.push_back(std::move(own.model));
  return Replicates(std::move(models), std::move(classes));
}

}  // namespace condens
