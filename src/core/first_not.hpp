#pragma once
// Bisection.

#include "condens/core/types.hpp"

namespace condens {

/// The first of begin, ..., end - 1 for which the condition, which holds up to some place, no longer does, or end.
template <class Condition>
Index first_not(Index begin, Index end, const Condition& holds) {
  while (begin < end) {
    const Index middle = begin + (end - begin) / 2;
    if (holds(middle))
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}

}  // namespace condens
