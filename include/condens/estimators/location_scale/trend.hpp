#pragma once
// A smooth function of x, what kernel ridge regression and the mean of a Gaussian process both are:
//
//   f(x) = a + b'x + sum_l c_l exp(-1/2 sum_k (x_k - u_lk)^2 / h_k^2)
//
//   symbol   here            shape
//   a        intercept
//   b        slopes          d_x
//   h        length_scales   d_x, > 0
//   u        centers         d_x x m, m >= 0
//   c        coefficients    m

#include <array>
#include <string_view>

#include "condens/core/document.hpp"
#include "condens/core/options.hpp"
#include "condens/core/types.hpp"

namespace condens {

/// How a trend is found (trend_fit.hpp): a is the mean; ridge regression on x; ridge regression on x and on
/// kernels of one width; the mean of a Gaussian process with a length scale for every input; the better of these two.
enum class TrendKind { constant, linear, ridge, gp, automatic };
template <>
inline constexpr auto choice_names<TrendKind> =
    std::array<std::string_view, 5>{"constant", "linear", "ridge", "gp", "auto"};

struct Trend {
  double intercept = 0;
  Vector slopes = {};
  Vector length_scales = {};
  Matrix centers = {};
  Vector coefficients = {};

  static Trend constant(double value, Index d_x);

  /// f at every column of x; a column's value has the same bits wherever the column stands.
  Vector operator()(const MatrixView& x) const;

  Document to_document() const;
  /// Throws FormatError unless it is a finite function of `d_x` inputs.
  static Trend from_document(const Document& document, Index d_x);
};

}  // namespace condens
