#include "condens/models/conditional_density.hpp"

#include <cmath>
#include <optional>

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

Document FitReport::to_document() const {
  return Document::Object{{"status", status}, {"warnings", Document(warnings)}, {"details", details}};
}

FitReport FitReport::from_document(const Document& document) {
  return {document.at("status").as_string(), document.at("warnings").as_strings(), document.at("details")};
}

GaussianMixtures ConditionalDensity::predict(const MatrixView& x, const Run& run) const {
  check_columns(model_name(), "x", x, n_inputs());
  const Matrix z = x_scale_.transform(x);
  Task task(run, "predict", static_cast<double>(z.cols()));
  // An empty x has laws, too: none, of the right dimension.
  const Index blocks = std::max<Index>(1, block_count(z.cols(), block_size));
  std::vector<std::optional<GaussianMixtures>> parts(static_cast<std::size_t>(blocks));
  parallel_for(
      blocks, task.threads(),
      [&](Index block) {
        const Range range = block_range(z.cols(), block_size, block);
        parts[static_cast<std::size_t>(block)] = laws(z.middleCols(range.begin, range.size()));
        task.advance(static_cast<double>(range.size()));
      },
      [&] { task.poll(); });
  std::vector<GaussianMixtures> laws_in_order;
  laws_in_order.reserve(parts.size());
  for (auto& part : parts) laws_in_order.push_back(std::move(*part));
  return GaussianMixtures::concatenate(laws_in_order).affine(y_scale_.mean(), y_scale_.scale());
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
        out.segment(range.begin, range.size()) = laws(z).log_pdf(t, {.threads = 1, .observer = {}}).array() - log_scale;
        task.advance(static_cast<double>(range.size()));
      },
      [&] { task.poll(); });
  return out;
}

}  // namespace condens
