#include "kernels.hpp"

#include <algorithm>
#include <numeric>

#include "condens/model/capabilities.hpp"
#include "condens/model/joint_density.hpp"
#include "console.hpp"
#include "fitted.hpp"

namespace condens::cli {

namespace {

constexpr std::size_t most_kernels = 15;
constexpr std::size_t most_columns = 6;

/// Covariances of the kernels, d^2 a column; none where the coordinates of every kernel are independent.
Matrix correlated_covariances(const JointDensity& density) {
  Matrix out = density.kernel_covariances();
  const Index d = density.n_inputs() + density.n_targets();
  for (Index i = 0; i < d; ++i) {
    for (Index j = 0; j < i; ++j) {
      if ((out.row(i + j * d).array() != 0).any()) return out;
    }
  }
  return {};
}

std::vector<std::string> column_names(const Encoder& encoder) {
  std::vector<std::string> out = encoder.encoded_names();
  for (const std::string& target : names_of(encoder.targets())) out.push_back(target);
  return out;
}

}  // namespace

std::string kernels_text(const Model& model) {
  const JointDensity* density = capability<JointDensity>(*model.density);
  if (density == nullptr) return "";
  const auto count = static_cast<std::size_t>(density->n_kernels());
  const std::vector<std::string> columns = column_names(model.encoder);
  std::string out = "\nKernels: " + std::to_string(count);
  out += density->n_inputs() > 0 ? ", of inputs and targets together\n" : "\n";
  if (columns.size() > most_columns) return out;
  const Vector& weights = density->kernel_weights();
  const Matrix means = density->kernel_means();
  const Matrix scales = density->kernel_scales();
  std::vector<Index> order(count);
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return weights[a] > weights[b]; });
  order.resize(std::min(count, most_kernels));
  std::vector<std::vector<std::string>> rows{{"weight"}};
  for (const std::string& name : columns) rows.front().insert(rows.front().end(), {name, "std"});
  const Matrix covariances = correlated_covariances(*density);
  const bool slanted = covariances.size() > 0 && columns.size() == 2;  // of more columns it would be a matrix
  if (slanted) rows.front().emplace_back("correlation");
  for (const Index l : order) {
    rows.push_back({brief(weights[l])});
    for (Index k = 0; k < means.rows(); ++k) {
      rows.back().insert(rows.back().end(), {brief(means(k, l)), brief(scales(k, l))});
    }
    if (slanted) rows.back().push_back(brief(covariances(1, l) / scales.col(l).prod()));
  }
  out += align(rows, 0);
  return count > most_kernels ? out + "  and " + std::to_string(count - most_kernels) + " more; --json lists all\n"
                              : out;
}

Document kernels_document(const Model& model) {
  const JointDensity* density = capability<JointDensity>(*model.density);
  if (density == nullptr) return {};
  const Matrix means = density->kernel_means();
  const Matrix scales = density->kernel_scales();
  const Matrix covariances = correlated_covariances(*density);
  const auto list = [](const auto& column) { return Document(std::vector<double>(column.begin(), column.end())); };
  Document::Array out;
  for (Index l = 0; l < density->n_kernels(); ++l) {
    Document kernel = Document::Object{
        {"weight", density->kernel_weights()[l]}, {"mean", list(means.col(l))}, {"std", list(scales.col(l))}};
    if (covariances.size() > 0) kernel.set("covariance", list(covariances.col(l)));
    out.push_back(std::move(kernel));
  }
  return Document(std::move(out));
}

}  // namespace condens::cli
