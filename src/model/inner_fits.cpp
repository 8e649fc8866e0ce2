#include "inner_fits.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "condens/core/errors.hpp"
#include "preparation.hpp"

namespace condens {

namespace {

/// Of all inputs; nothing where none are given.
const Matrix* given_centers(const Document& given) {
  const Document* found = given.find("centers");
  const Matrix* centers = found == nullptr ? nullptr : std::get_if<Matrix>(&found->value());
  return centers != nullptr && centers->size() > 0 ? centers : nullptr;
}

}  // namespace

InnerFits::InnerFits(std::string_view owner, const InnerModel& inner, const Document& given, Scoring scoring,
                     Index seed, const Dataset& data)
    : inner_(inner),
      scoring_(scoring),
      log_scale_(Standardizer::fit(data.y, data.weights).scale().array().log().sum()) {
  for (const OptionInfo& option : inner.options) {
    if (option.name == "scoring") given_.set("scoring", choice_names<Scoring>[static_cast<std::size_t>(scoring)]);
    if (option.name == "seed") given_.set("seed", seed);
    has_cv_ |= option.name == "cv";
  }
  for (const auto& [name, value] : given.as_object()) {
    require(name != "scoring" && name != "cv" && name != "seed", owner, ": options: '", name, "' is an option of ",
            owner, " itself; give it there");
    given_.set(name, value);
  }
  if (const Matrix* centers = given_centers(given_))
    preparation::check_centers(owner, *centers, data.x.rows(), data.y.rows());
}

std::unique_ptr<ConditionalDensity> InnerFits::fit(const Dataset& data, const std::vector<double>& cv,
                                                   const std::function<Matrix(const Matrix&)>& move,
                                                   const Run& run) const {
  Document options = given_;
  if (has_cv_) options.set("cv", Document(cv));
  if (const Matrix* centers = given_centers(given_)) options.set("centers", move(*centers));
  return inner_.fit(data, options, run);
}

double InnerFits::score(const ConditionalDensity& model, const Dataset& data, const Run& run) const {
  const Vector scores = scoring_ == Scoring::nll
                            ? Vector(-model.log_density(data.x, data.y, run).array() - log_scale_)
                            : Vector(0.5 * std::exp(log_scale_) * model.predict(data.x, run).squared_loss(data.y, run));
  return data.weights.size() == 0 ? scores.mean() : scores.dot(data.weights) / data.weights.sum();
}

void fit_side_by_side(Index count, const Run& run, Task& task, const std::function<void(Index, const Run&)>& body,
                      Index at_once) {
  const int outer = static_cast<int>(std::min<Index>(task.threads(), std::min(count, at_once)));
  // The task's own observer acts on the calling thread only; the fits of all threads stop with it.
  std::atomic<bool> stopped{false};
  const auto go_on = [&](std::string_view, double) {
    try {
      task.poll();
    } catch (const Cancelled&) {
      stopped = true;
    }
    return !stopped;
  };
  const Run inner{.threads = std::max(1, task.threads() / std::max(1, outer)),
                  .observer = run.observer ? go_on : Observer{}};
  const auto step = [&](Index i) {
    body(i, inner);
    task.advance(1.0);
  };
  parallel_for(count, outer, step, [&] { task.poll(); });
}

FoldScore fold_score(const Vector& scores) {
  const double mean = scores.mean();
  const double count = static_cast<double>(scores.size());
  return {mean, std::sqrt((scores.array() - mean).square().sum() / (count * (count - 1.0)))};
}

}  // namespace condens
