#include "eigen_kernels.hpp"

namespace Eigen::internal {
CONDENS_EIGEN_KERNELS()
}  // namespace Eigen::internal
