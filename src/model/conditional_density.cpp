#include "condens/model/conditional_density.hpp"

#include <cmath>
#include <stdexcept>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"

namespace condens {

namespace {

constexpr Index block_size = 256;

void check_columns(std::string_view model, const char* name, const MatrixView& data, Index rows) {
  require(data.rows() == rows, model, ": ", name, " has ", data.rows(), " rows (one per dimension), expected ", rows);
  for (Index i = 0; i < data.cols(); ++i) {
    for (Index k = 0; k < data.rows(); ++k) {
      require(std::isfinite(data(k, i)), model, ": ", name, " is ", data(k, i), " in observation ", i + 1,
              ", dimension ", k + 1, "; expected finite numbers");
    }
  }
}

}  // namespace

GaussianMixtures ConditionalDensity::predict(const MatrixView& x, const Run& run) const {
  check_columns(model_name(), "x", x, n_inputs());
  Task task(run, "predict", static_cast<double>(x.cols()));
  const auto laws_of_block = [&](Index block) {
    const Range range = block_range(x.cols(), block_size, block);
    task.advance(static_cast<double>(range.size()));
    return laws(x_scale_.transform(x.middleCols(range.begin, range.size())));
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

Vector ConditionalDensity::log_densities(const MatrixView& x, const MatrixView& y) const {
  return laws(x).log_pdf(y, {.threads = 1, .observer = {}});
}

Vector ConditionalDensity::log_density(const MatrixView& x, const MatrixView& y, const Run& run) const {
  check_columns(model_name(), "x", x, n_inputs());
  check_columns(model_name(), "y", y, n_targets());
  require(x.cols() == y.cols(), model_name(), ": x has ", x.cols(), " observations and y has ", y.cols());
  Task task(run, "log density", static_cast<double>(x.cols()));
  const double log_scale = y_scale_.scale().array().log().sum();
  Vector out(y.cols());
  parallel_for(
      block_count(x.cols(), block_size), task.threads(),
      [&](Index block) {
        const Range range = block_range(x.cols(), block_size, block);
        const Matrix z = x_scale_.transform(x.middleCols(range.begin, range.size()));
        const Matrix t = y_scale_.transform(y.middleCols(range.begin, range.size()));
        out.segment(range.begin, range.size()) = log_densities(z, t).array() - log_scale;
        task.advance(static_cast<double>(range.size()));
      },
      [&] { task.poll(); });
  return out;
}

}  // namespace condens
