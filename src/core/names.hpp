#pragma once
// Names in error messages: what there is, and what may have been meant.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "condens/core/errors.hpp"
#include "condens/core/options.hpp"

namespace condens {

/// "a, b, c"; of very many names, the first forty and the number of others.
std::string list_names(const std::vector<std::string>& names);

/// The name nearest to `name` by insertions, deletions and substitutions, whatever the
/// case; empty when none is near.
std::string nearest_name(std::string_view name, const std::vector<std::string>& names);

/// "; did you mean 'b'?", or nothing when no name is near.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& names);

/// "; for 90 % give 0.9" where a number that must be a share of one, as 90, looks like a percentage; else nothing.
std::string share_of_percentage(double value);

/// The names of an enum, as texts.
template <class Choice>
std::vector<std::string> names_of_choices() {
  return {choice_names<Choice>.begin(), choice_names<Choice>.end()};
}

/// The value of an enum that a text names. Throws std::invalid_argument that begins with `argument`.
template <class Choice>
Choice choice_of(std::string_view argument, std::string_view text) {
  const auto& names = choice_names<Choice>;
  const auto found = std::find(names.begin(), names.end(), text);
  require(found != names.end(), argument, " = '", text, "', expected one of ", list_names(names_of_choices<Choice>()));
  return static_cast<Choice>(found - names.begin());
}

}  // namespace condens
