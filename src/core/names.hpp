#pragma once
// Names in error messages: what there is, and what may have been meant.

#include <string>
#include <string_view>
#include <vector>

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

}  // namespace condens
