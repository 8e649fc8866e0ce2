#pragma once
// The inner loops of Eigen's products of matrices, instantiated in eigen_kernels.cpp and not in every unit that
// multiplies. Units get this with the precompiled header; those without it compile their own, which are the same.

#include <Eigen/Core>

// Explicit instantiations, or with `extern` their declarations.
#define CONDENS_EIGEN_KERNELS(prefix)                                                                                 \
  prefix template struct gebp_kernel<double, double, Index, Target, Traits::mr, Traits::nr, false, false>;            \
  prefix template struct gemm_pack_lhs<double, Index, Columns, Traits::mr, Traits::LhsProgress,                       \
                                       Traits::LhsPacket4Packing, ColMajor>;                                          \
  prefix template struct gemm_pack_lhs<double, Index, Rows, Traits::mr, Traits::LhsProgress,                          \
                                       Traits::LhsPacket4Packing, RowMajor>;                                          \
  prefix template struct gemm_pack_rhs<double, Index, Columns, Traits::nr, ColMajor>;                                 \
  prefix template struct gemm_pack_rhs<double, Index, Rows, Traits::nr, RowMajor>;                                    \
  prefix template struct general_matrix_vector_product<Index, double, Columns, ColMajor, false, double, Rows, false>; \
  prefix template struct general_matrix_vector_product<Index, double, Rows, RowMajor, false, double, Columns, false>; \
  prefix template struct general_matrix_matrix_product<Index, double, ColMajor, false, double, ColMajor, false,       \
                                                       ColMajor, 1>;                                                  \
  prefix template struct general_matrix_matrix_product<Index, double, RowMajor, false, double, ColMajor, false,       \
                                                       ColMajor, 1>;                                                  \
  prefix template struct general_matrix_matrix_product<Index, double, ColMajor, false, double, RowMajor, false,       \
                                                       ColMajor, 1>;

namespace Eigen::internal {

namespace condens_kernels {
using Traits = gebp_traits<double, double>;
using Columns = const_blas_data_mapper<double, Index, ColMajor>;
using Rows = const_blas_data_mapper<double, Index, RowMajor>;
using Target = blas_data_mapper<double, Index, ColMajor>;
}  // namespace condens_kernels

using namespace condens_kernels;
CONDENS_EIGEN_KERNELS(extern)

}  // namespace Eigen::internal
