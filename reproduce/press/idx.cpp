#include "idx.hpp"

#include <array>

#include "condens/core/errors.hpp"

namespace condens::reproduce {

Bytes read_idx(std::istream& in, const std::string& source) {
  constexpr Index most = Index{1} << 31;
  std::array<unsigned char, 4> four{};
  const auto next = [&] {
    in.read(reinterpret_cast<char*>(four.data()), four.size());
    require(in.good(), source, ": ends within its header");
  };
  next();
  require(four[0] == 0 && four[1] == 0 && four[2] == 8 && four[3] >= 1, source, ": is not an IDX file of bytes");
  const int dimensions = four[3];
  Index items = 0;
  Index size = 1;
  for (int k = 0; k < dimensions; ++k) {
    next();
    const Index length = (Index{four[0]} << 24) | (Index{four[1]} << 16) | (Index{four[2]} << 8) | Index{four[3]};
    if (k == 0)
      items = length;
    else
      size *= length;
    require(length >= 1 && items * size < most, source, ": has a dimension of ", length);
  }
  Bytes out(size, items);
  in.read(reinterpret_cast<char*>(out.data()), out.size());
  require(in.gcount() == out.size() && in.peek() == std::istream::traits_type::eof(), source, ": expected ", out.size(),
          " bytes after the header");
  return out;
}

}  // namespace condens::reproduce
