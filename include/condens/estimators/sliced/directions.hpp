#pragma once
// Sliced inverse regression and sliced average variance estimation: directions of x in which
// its mean, or its covariance, differs between slices of y.
//
// With u = C^(-1/2) (x - mean) the whitened inputs, C their covariance, and p_h, m_h and S_h the
// share of the rows, the mean and the covariance of u in slice h, the directions are C^(-1/2)
// times the leading eigenvectors of
//
//   SIR:  sum_h p_h m_h m_h'          SAVE:  sum_h p_h (I - S_h)^2.
//
// Sources: K.-C. Li, Sliced inverse regression for dimension reduction, J. Amer. Statist. Assoc.
// 86, 1991; R. D. Cook and S. Weisberg, discussion of it, same volume. Slices of one target hold
// equal shares of the rows; those of several are clusters (C. M. Setodji and R. D. Cook, K-means
// inverse regression, Technometrics 46, 2004).

#include <array>
#include <string_view>

#include "condens/core/options.hpp"
#include "condens/data/dataset.hpp"

namespace condens {

enum class SlicedMethod { sir, save };
template <>
inline constexpr auto choice_names<SlicedMethod> = std::array<std::string_view, 2>{"sir", "save"};

struct SlicedBasis {
  Matrix components;   ///< r x d_x, orthonormal rows; the first k span the k leading directions
  Vector eigenvalues;  ///< r, falling, > 0
};

/// The directions of standardised data (any mean and scale will do), as many as the method
/// finds: for SIR at most one less than there are slices. Where rows of x are constant or
/// collinear, or more than the observations, the inverse of C is its pseudo-inverse: a direction
/// of x whose variance is below 1e-10 of the largest counts as none. Equal y share a slice; a
/// target of at most `n_slices` different values has a slice for each. Weights count copies, to
/// the bit. The largest entry of every row is positive. `seed` is that of the clusters.
/// Cost: min(d_x, n)^2 (d_x + n), and for SAVE r^2 (n + n_slices r).
SlicedBasis sliced_basis(const Dataset& data, SlicedMethod method, Index n_slices, Index seed = 0, int threads = 1);

}  // namespace condens
