#pragma once
// The numeric types of every interface. Observations are columns: a matrix of
// n observations in d dimensions is d x n, the same bytes as NumPy's n x d.

#include <Eigen/Core>
#include <limits>

// Matrices that one side allocates and the other frees must be aligned alike.
#if EIGEN_MAX_ALIGN_BYTES != 64
#error \
    "condens needs -DEIGEN_MAX_ALIGN_BYTES=64: link to condens::condens in CMake, or take `pkg-config --cflags condens`"
#endif

namespace condens {

using Index = Eigen::Index;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// Read-only arguments: any contiguous-column matrix or block, without a copy.
using VectorView = Eigen::Ref<const Eigen::VectorXd>;
using MatrixView = Eigen::Ref<const Eigen::MatrixXd>;

}  // namespace condens
