#include "condens/model/subset_density.hpp"

#include <algorithm>
#include <functional>

#include "condens/core/errors.hpp"

namespace condens {

namespace {

/// "input 1 ..." of a model of these rows of x, as it reads for all of x.
std::string renumbered(const std::string& warning, const std::vector<Index>& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string own = message("input ", i + 1, " ");
    if (warning.starts_with(own)) return message("input ", rows[i] + 1, " ", warning.substr(own.size()));
  }
  return warning;
}

}  // namespace

Dataset select_inputs(const Dataset& data, const std::vector<Index>& rows) {
  Dataset out{.x = Matrix(static_cast<Index>(rows.size()), data.size()), .y = data.y, .weights = data.weights};
  if (rows.empty()) return out;
  out.x = Matrix(data.x(rows, Eigen::all));
  if (data.x_unlabeled.cols() > 0) out.x_unlabeled = Matrix(data.x_unlabeled(rows, Eigen::all));
  if (!data.groups.empty()) {
    for (const Index row : rows) {
      const Index own = data.groups[static_cast<std::size_t>(row)];
      const bool same =
          !out.groups.empty() && own == data.groups[static_cast<std::size_t>(rows[out.groups.size() - 1])];
      out.groups.push_back(out.groups.empty() ? 0 : out.groups.back() + (same ? 0 : 1));
    }
  }
  return out;
}

std::vector<std::vector<Index>> varying_inputs(const Dataset& data) {
  std::vector<std::vector<Index>> out = data.inputs();
  if (out.empty()) return out;
  const Standardizer scale = Standardizer::fit(data.x, data.weights);
  std::erase_if(out, [&](const std::vector<Index>& rows) {
    return std::all_of(rows.begin(), rows.end(), [&](Index row) { return scale.is_constant(row); });
  });
  return out;
}

SubsetDensity::SubsetDensity(Parts parts, FitReport report)
    : ConditionalDensity(Standardizer::identity(parts.dimension), y_scale_of(*parts.inner), std::move(report)),
      rows_(std::move(parts.rows)),
      inner_(std::move(parts.inner)) {
  const bool rising = std::adjacent_find(rows_.begin(), rows_.end(), std::greater_equal<>()) == rows_.end();
  const bool inside = rows_.empty() || (rows_.front() >= 0 && rows_.back() < n_inputs());
  if (!rising || !inside || std::ssize(rows_) != inner_->n_inputs()) {
    throw FormatError(message("the selected inputs and the model of ", inner_->n_inputs(), " do not fit together"));
  }
}

Vector SubsetDensity::support() const {
  Vector out = Vector::Zero(n_inputs());
  for (const Index row : rows_) out[row] = 1.0;
  return out;
}

Standardizer SubsetDensity::input_scale() const { return inner_->x_scale().among(n_inputs(), rows_); }

GaussianMixtures SubsetDensity::laws(const MatrixView& x) const {
  return laws_of(*inner_, Matrix(x(rows_, Eigen::all)));
}

FitReport SubsetDensity::report_of(const ConditionalDensity& inner, const std::vector<Index>& rows,
                                   const Dataset& data) {
  FitReport out = inner.report();
  out.warnings.clear();
  if (data.x.rows() > 0) {
    const Standardizer scale = Standardizer::fit(data.x, data.weights);
    for (Index k = 0; k < data.x.rows(); ++k) {
      if (scale.is_constant(k)) out.warnings.push_back(message("input ", k + 1, " is constant and plays no part"));
    }
  }
  for (const std::string& warning : inner.report().warnings) {
    const std::string text = renumbered(warning, rows);
    if (std::find(out.warnings.begin(), out.warnings.end(), text) == out.warnings.end()) out.warnings.push_back(text);
  }
  return out;
}

void SubsetDensity::write(Document& document) const {
  document.set("support", support());
  document.set("inner", inner_document(*inner_));
}

SubsetDensity::Parts SubsetDensity::read(const Document& document, const InnerLoader& load) {
  const Vector support = document.at("support").as_vector();
  Parts out{support.size(), {}, load(document.at("inner"))};
  for (Index row = 0; row < support.size(); ++row) {
    if (support[row] == 1.0) out.rows.push_back(row);
  }
  return out;
}

}  // namespace condens
