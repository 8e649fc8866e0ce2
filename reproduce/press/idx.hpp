#pragma once
// Files of handwritten digits: the IDX format of MNIST (two zero bytes, type 8 for bytes, the
// number of dimensions, each dimension as a big-endian number of 32 bits, the bytes).

#include <cstdint>
#include <istream>
#include <string>

#include "condens/core/types.hpp"

namespace condens::reproduce {

using Bytes = Eigen::Matrix<std::uint8_t, Eigen::Dynamic, Eigen::Dynamic>;

/// A column for each item of the first dimension. `source` names the file in messages; throws
/// std::invalid_argument for anything else than a complete file of bytes.
Bytes read_idx(std::istream& in, const std::string& source);

}  // namespace condens::reproduce
