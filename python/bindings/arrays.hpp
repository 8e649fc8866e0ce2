#pragma once
// NumPy arrays and Eigen matrices. Observations are rows in Python and columns here:
// the bytes of a C-ordered n x d array are those of a d x n matrix, so nothing is copied
// on the way in, and results move out with their memory.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>

#include "condens/core/types.hpp"

namespace condens::python {

namespace nb = nanobind;

using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Line = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Array = nb::ndarray<nb::numpy, double>;

inline Eigen::Map<const Matrix> columns_of(const Rows& rows) {
  return {rows.data(), static_cast<Index>(rows.shape(1)), static_cast<Index>(rows.shape(0))};
}
inline Eigen::Map<const Vector> vector_of(const Line& line) { return {line.data(), static_cast<Index>(line.shape(0))}; }

/// A d x n matrix as an n x d array that owns its memory.
inline Array to_rows(Matrix values) {
  auto owner = std::make_unique<Matrix>(std::move(values));
  Matrix& kept = *owner;
  const nb::capsule capsule(owner.release(), [](void* p) noexcept { delete static_cast<Matrix*>(p); });
  return Array(kept.data(), {static_cast<std::size_t>(kept.cols()), static_cast<std::size_t>(kept.rows())}, capsule);
}

inline Array to_line(Vector values) {
  auto owner = std::make_unique<Vector>(std::move(values));
  Vector& kept = *owner;
  const nb::capsule capsule(owner.release(), [](void* p) noexcept { delete static_cast<Vector*>(p); });
  return Array(kept.data(), {static_cast<std::size_t>(kept.size())}, capsule);
}

}  // namespace condens::python
