#pragma once
// The two readings of LSCDE, and the recommended one with one of its parts taken away.

#include <string>
#include <vector>

#include "condens/estimators/lscde.hpp"

namespace condens::reproduce {

struct Variant {
  std::string name;
  LscdeOptions options;
};

inline const Variant paper_variant = {"paper", LscdeOptions::paper()};
inline const Variant recommended_variant = {"recommended", {}};

/// Each differs from the recommendation in one part.
std::vector<Variant> ablations();

}  // namespace condens::reproduce
