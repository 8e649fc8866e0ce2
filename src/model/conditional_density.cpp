#include "condens/model/conditional_density.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"

namespace condens {

namespace {

constexpr Index block_size = 256;

// Of distributions whose components move with x: scores take time with the square of their number.
constexpr Index most_components_of_draws = 2000;
constexpr Index fewest_draws = 4;

void check_columns(std::string_view model, const char* name, const MatrixView& data, Index rows,
                   bool may_be_missing = false) {
  require(data.rows() == rows, model, ": ", name, " has ", data.rows(), " rows (one per dimension), expected ", rows);
  for (Index i = 0; i < data.cols(); ++i) {
    for (Index k = 0; k < data.rows(); ++k) {
      require(std::isfinite(data(k, i)) || (may_be_missing && std::isnan(data(k, i))), model, ": ", name, " is ",
              data(k, i), " in observation ", i + 1, ", dimension ", k + 1, "; expected finite numbers");
    }
  }
}

}  // namespace

GaussianMixtures ConditionalDensity::predict(const MatrixView& x, const Run& run) const {
  GaussianMixtures own = predict_uncalibrated(x, run);
  if (!calibration_) return own;
  const Task task(run, "calibrating", 1);
  return calibration_->apply(own, {run.threads, {}});
}

void ConditionalDensity::set_calibration(std::shared_ptr<const PitMap> calibration) {
  require(!calibration || n_targets() == 1, "calibrate: there are ", n_targets(), " targets, expected one");
  calibration_ = std::move(calibration);
}

GaussianMixtures ConditionalDensity::predict_uncalibrated(const MatrixView& x, const Run& run) const {
  check_columns(model_name(), "x", x, n_inputs(), imputer_ != nullptr);
  Task task(run, "predict", static_cast<double>(x.cols()));
  const auto laws_of_block = [&](Index block) {
    const Range range = block_range(x.cols(), block_size, block);
    task.advance(static_cast<double>(range.size()));
    return laws_of_any(x.middleCols(range.begin, range.size()));
  };
  // An empty x has laws, too: none, of the right dimension.
  const Index blocks = std::max<Index>(1, block_count(x.cols(), block_size));
  const GaussianMixtures first = laws_of_block(0);
  if (blocks == 1) return first.affine(y_scale_.mean(), y_scale_.scale());
  if (!first.has_shared_components()) {
    std::vector<GaussianMixtures> parts(static_cast<std::size_t>(blocks), first);
    parallel_for(
        blocks - 1, task.threads(),
        [&](Index block) { parts[static_cast<std::size_t>(block + 1)] = laws_of_block(block + 1); },
        [&] { task.poll(); });
    return GaussianMixtures::concatenate(parts).affine(y_scale_.mean(), y_scale_.scale());
  }
  // Weights go straight to their place: for many rows, memory is what costs.
  Matrix log_weights(first.n_components(), x.cols());
  log_weights.leftCols(first.size()) = first.log_weights();
  parallel_for(
      blocks - 1, task.threads(),
      [&](Index block) {
        const GaussianMixtures part = laws_of_block(block + 1);
        if (part.components_pointer() != first.components_pointer()) {
          throw std::logic_error("laws() shares components in one block of inputs only");
        }
        log_weights.middleCols((block + 1) * block_size, part.size()) = part.log_weights();
      },
      [&] { task.poll(); });
  return GaussianMixtures::shared_normalized(first.components_pointer(), std::move(log_weights))
      .affine(y_scale_.mean(), y_scale_.scale());
}

void ConditionalDensity::set_imputer(std::shared_ptr<const InputImputer> imputer) {
  if (imputer && imputer->n_inputs() != n_inputs()) {
    throw FormatError(message("missing_inputs: ", imputer->n_inputs(), " inputs, the density has ", n_inputs()));
  }
  imputer_ = std::move(imputer);
}

GaussianMixtures ConditionalDensity::laws_of_any(const MatrixView& x) const {
  return x.array().isNaN().any() ? laws_of_incomplete(x, *imputer_) : laws(x_scale_.transform(x));
}

// Column by column: the draws of a block together would fill the memory.
GaussianMixtures ConditionalDensity::laws_of_incomplete(const MatrixView& x, const InputImputer& imputer) const {
  std::vector<GaussianMixtures> parts;
  const InputImputer::Draws draws = imputer.draws(x);
  for (Index i = 0; i < x.cols(); ++i) {
    const Index begin = draws.begin[static_cast<std::size_t>(i)];
    const Index count = draws.begin[static_cast<std::size_t>(i + 1)] - begin;
    const GaussianMixtures own = laws(x_scale_.transform(draws.x.middleCols(begin, count)));
    if (own.has_shared_components()) {
      parts.push_back(
          GaussianMixtures::shared(own.components_pointer(), log_mean_of_draws(own.log_weights(), {0, count})));
    } else {
      const Index kept = std::min(count, std::max(fewest_draws, most_components_of_draws / own.n_components()));
      const GaussianMixtures some = own.slice(0, kept);
      parts.push_back(GaussianMixtures::separate(some.components(), some.log_weights().reshaped()));
    }
  }
  return GaussianMixtures::concatenate(parts);
}

void check_rows(const ConditionalDensity& model, const Dataset& data, std::string_view owner) {
  if (model.imputer() == nullptr) {
    data.check(owner);
    return;
  }
  Dataset known = data;
  known.x = data.x.array().isNaN().select(0.0, data.x.array()).matrix();
  known.check(owner);
}

Vector ConditionalDensity::log_densities(const MatrixView& x, const MatrixView& y) const {
  return laws(x).log_pdf(y, {.threads = 1, .observer = {}});
}

Vector ConditionalDensity::log_density(const MatrixView& x, const MatrixView& y, const Run& run) const {
  check_columns(model_name(), "x", x, n_inputs(), imputer_ != nullptr);
  check_columns(model_name(), "y", y, n_targets());
  require(x.cols() == y.cols(), model_name(), ": x has ", x.cols(), " observations and y has ", y.cols());
  Task task(run, "log density", static_cast<double>(x.cols()));
  const double log_scale = y_scale_.scale().array().log().sum();
  Vector out(y.cols());
  parallel_for(
      block_count(x.cols(), block_size), task.threads(),
      [&](Index block) {
        const Range range = block_range(x.cols(), block_size, block);
        const auto own_x = x.middleCols(range.begin, range.size());
        if (calibration_) {
          const auto own_y = y.middleCols(range.begin, range.size());
          out.segment(range.begin, range.size()) = predict(own_x, {1, {}}).log_pdf(own_y, {1, {}});
          task.advance(static_cast<double>(range.size()));
          return;
        }
        const Matrix t = y_scale_.transform(y.middleCols(range.begin, range.size()));
        const Vector own = own_x.array().isNaN().any()
                               ? laws_of_incomplete(own_x, *imputer_).log_pdf(t, {.threads = 1, .observer = {}})
                               : log_densities(x_scale_.transform(own_x), t);
        out.segment(range.begin, range.size()) = own.array() - log_scale;
        task.advance(static_cast<double>(range.size()));
      },
      [&] { task.poll(); });
  return out;
}

}  // namespace condens
