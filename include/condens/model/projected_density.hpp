#pragma once
// A conditional density that looks at a few linear combinations of its inputs only:
//
//   p(y|x) = p(y | z),   z = W s(x),   W W' = I,
//
// with s the standardisation of x, by any model of z. What chose W is for the classes derived
// from it to say.
//
//   symbol   here          shape
//   W        components    d_z x n_inputs, rows orthonormal on the standardised scale
//   s        scale of x    n_inputs

#include <memory>

#include "condens/data/dataset.hpp"
#include "condens/model/conditional_density.hpp"
#include "condens/model/inner_model.hpp"

namespace condens {

/// z = W s(x) for every column of x (n_inputs x n): d_z x n. A column's z has the same bits
/// wherever the column stands.
Matrix project(const Matrix& components, const Standardizer& scale, const MatrixView& x);

/// The data with z for x (for x_unlabeled, too); y and weights stay, groups go.
Dataset project_inputs(const Dataset& data, const Matrix& components, const Standardizer& scale);

class ProjectedDensity : public ConditionalDensity {
 public:
  /// The model of z.
  const ConditionalDensity& inner() const { return *inner_; }

  /// W: d_z x n_inputs. Constant inputs have loadings that never act.
  const Matrix& components() const { return components_; }
  Index n_components() const { return components_.rows(); }

  /// z for every column of x, on the scale of the data. Throws std::invalid_argument unless x
  /// has n_inputs rows.
  Matrix transform(const MatrixView& x) const { return project(components_, x_scale(), x); }

 protected:
  struct Parts {
    Matrix components;
    Standardizer scale;  ///< of x
    std::shared_ptr<const ConditionalDensity> inner;

    Index n_inputs() const { return scale.dimension(); }
    Index n_targets() const { return inner->n_targets(); }
  };
  /// Throws FormatError unless the rows of `components` are orthonormal, one entry for every
  /// dimension of `scale`, and `inner` has as many inputs as there are rows.
  ProjectedDensity(Parts parts, FitReport report);

  GaussianMixtures laws(const MatrixView& x) const override;

  /// What `inner` reports, its inputs called components; "input 2 is constant ..." for every
  /// row of `data.x` that is.
  static FitReport report_of(const ConditionalDensity& inner, const Dataset& data);

  /// "components", "x_scale" and "inner" of a model's document, and back.
  void write(Document& document) const;
  static Parts read(const Document& document, const InnerLoader& load);

 private:
  Matrix components_;
  std::shared_ptr<const ConditionalDensity> inner_;
};

}  // namespace condens
