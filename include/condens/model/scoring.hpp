#pragma once
// What cross-validation compares, the score of a held-out row, and which candidate wins.

#include <array>
#include <string_view>

#include "condens/core/options.hpp"

namespace condens {

/// -log p(y|x), or (1/2) integral p(y|x)^2 dy - p(y|x): Sugiyama et al. (2010), section 2.5.
enum class Scoring { nll, squared };
template <>
inline constexpr auto choice_names<Scoring> = std::array<std::string_view, 2>{"nll", "squared"};

/// The least score, or the simplest candidate within one standard error of it.
enum class SelectionRule { minimum, one_standard_error };
template <>
inline constexpr auto choice_names<SelectionRule> = std::array<std::string_view, 2>{"minimum", "one_standard_error"};

}  // namespace condens
