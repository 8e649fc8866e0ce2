#include "condens/model/projected_density.hpp"

#include <string_view>

#include "condens/core/errors.hpp"
#include "linalg/vector_math.hpp"

namespace condens {

namespace {

/// W u for standardised columns u: one dot product an entry, so that bits do not depend on
/// how many columns there are, as those of a matrix product would.
Matrix product(const Matrix& components, const Matrix& u) {
  const Matrix rows = components.transpose();
  Matrix out(components.rows(), u.cols());
  for (Index i = 0; i < u.cols(); ++i) {
    for (Index k = 0; k < out.rows(); ++k) out(k, i) = dot(rows.col(k).data(), u.col(i).data(), u.rows());
  }
  return out;
}

bool has_orthonormal_rows(const Matrix& components) {
  const Matrix gram = components * components.transpose();
  return (gram - Matrix::Identity(gram.rows(), gram.cols())).cwiseAbs().sum() < 1e-6;  // false for NaN
}

}  // namespace

Matrix project(const Matrix& components, const Standardizer& scale, const MatrixView& x) {
  return product(components, scale.transform(x));
}

Dataset project_inputs(const Dataset& data, const Matrix& components, const Standardizer& scale) {
  Dataset out{.x = Matrix(0, data.size()), .y = data.y, .weights = data.weights};
  if (components.rows() == 0) return out;
  out.x = project(components, scale, data.x);
  if (data.x_unlabeled.cols() > 0) out.x_unlabeled = project(components, scale, data.x_unlabeled);
  return out;
}

ProjectedDensity::ProjectedDensity(Parts parts, FitReport report)
    : ConditionalDensity(std::move(parts.scale), y_scale_of(*parts.inner), std::move(report)),
      components_(std::move(parts.components)),
      inner_(std::move(parts.inner)) {
  if (components_.cols() != n_inputs() || components_.rows() != inner_->n_inputs()) {
    throw FormatError(message("components are ", components_.rows(), " x ", components_.cols(), ", expected ",
                              inner_->n_inputs(), " x ", n_inputs(), ": the inner model's inputs by the inputs"));
  }
  if (!has_orthonormal_rows(components_)) throw FormatError("the rows of components are not orthonormal");
}

GaussianMixtures ProjectedDensity::laws(const MatrixView& x) const { return laws_of(*inner_, product(components_, x)); }

FitReport ProjectedDensity::report_of(const ConditionalDensity& inner, const Dataset& data) {
  FitReport out = inner.report();
  out.warnings.clear();
  if (data.x.rows() > 0) {
    const Standardizer scale = Standardizer::fit(data.x, data.weights);
    for (Index k = 0; k < data.x.rows(); ++k) {
      if (scale.is_constant(k)) out.warnings.push_back(message("input ", k + 1, " is constant and plays no part"));
    }
  }
  constexpr std::string_view own = "input ";
  for (const std::string& warning : inner.report().warnings) {
    out.warnings.push_back(warning.starts_with(own) ? message("component ", warning.substr(own.size())) : warning);
  }
  return out;
}

void ProjectedDensity::write(Document& document) const {
  document.set("components", components_).set("x_scale", x_scale().to_document());
  document.set("inner", inner_document(*inner_));
}

ProjectedDensity::Parts ProjectedDensity::read(const Document& document, const InnerLoader& load) {
  return {document.at("components").as_matrix(), Standardizer::from_document(document.at("x_scale")),
          load(document.at("inner"))};
}

}  // namespace condens
