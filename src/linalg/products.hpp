#pragma once
// Products of large matrices, in blocks of columns between which the work can be stopped
// (core/cancellation.hpp): a thousand rows times ten thousand times a thousand columns take half a second.

#include <algorithm>

#include "condens/core/cancellation.hpp"
#include "condens/core/types.hpp"
#include "core/work.hpp"

namespace condens {

/// out = a b; `out` has that shape, and is no part of a or b.
template <class A, class B, class Out>
void multiply(const A& a, const B& b, Out&& out) {
  constexpr Index multiplications = Index{1} << 28;  // of a block: some ten milliseconds
  constexpr Index least_columns = 16;                // or the product would read `a` too often
  const Index width = std::max(least_columns, multiplications / std::max<Index>(1, a.rows() * a.cols()));
  for (Index begin = 0; begin < b.cols(); begin += width) {
    check_cancelled();
    const Index count = std::min(width, b.cols() - begin);
    out.middleCols(begin, count).noalias() = a * b.middleCols(begin, count);
    count_work(work::product * static_cast<double>(a.rows() * a.cols()) * static_cast<double>(count));
  }
}

}  // namespace condens
