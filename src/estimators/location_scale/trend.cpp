#include "condens/estimators/location_scale/trend.hpp"

#include <cmath>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "kernels/gaussian_kernel.hpp"
#include "linalg/vector_math.hpp"

namespace condens {

namespace {

constexpr Index block_size = 128;

}  // namespace

Trend Trend::constant(double value, Index d_x) {
  return {value, Vector::Zero(d_x), Vector::Ones(d_x), Matrix(d_x, 0), Vector(0)};
}

Vector Trend::operator()(const MatrixView& x) const {
  Vector out = Vector::Constant(x.cols(), intercept);
  for (Index i = 0; i < x.cols() && slopes.size() > 0; ++i)
    out[i] += dot(slopes.data(), x.col(i).data(), slopes.size());
  const Index m = coefficients.size();
  if (m == 0) return out;
  const Matrix rows = (centers.array().colwise() / length_scales.array()).matrix().transpose();
  for (Index block = 0; block < block_count(x.cols(), block_size); ++block) {
    const Range range = block_range(x.cols(), block_size, block);
    const Matrix points = x.middleCols(range.begin, range.size()).array().colwise() / length_scales.array();
    Matrix kernels(m, range.size());
    squared_distances(rows, points, kernels);
    kernels *= -0.5;
    exp_in_place(kernels);
    for (Index i = 0; i < range.size(); ++i) {
      out[range.begin + i] += dot(coefficients.data(), kernels.col(i).data(), m);
    }
  }
  return out;
}

Document Trend::to_document() const {
  return Document::Object{{"intercept", intercept},
                          {"slopes", slopes},
                          {"length_scales", length_scales},
                          {"centers", centers},
                          {"coefficients", coefficients}};
}

Trend Trend::from_document(const Document& document, Index d_x) {
  Trend out{document.at("intercept").as_number(), document.at("slopes").as_vector(),
            document.at("length_scales").as_vector(), document.at("centers").as_matrix(),
            document.at("coefficients").as_vector()};
  const bool shapes_agree = out.slopes.size() == d_x && out.length_scales.size() == d_x && out.centers.rows() == d_x &&
                            out.centers.cols() == out.coefficients.size();
  const auto finite = [](const auto& values) { return values.allFinite(); };
  if (!shapes_agree || !std::isfinite(out.intercept) || !finite(out.slopes) || !finite(out.centers) ||
      !finite(out.coefficients) || !finite(out.length_scales) || !(out.length_scales.array() > 0).all()) {
    throw FormatError("a trend's intercept, slopes, length scales, centers and coefficients do not fit together");
  }
  return out;
}

}  // namespace condens
