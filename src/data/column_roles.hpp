#pragma once
// Which column of a table plays which part.

#include <string>
#include <string_view>
#include <vector>

#include "condens/data/encoder.hpp"

namespace condens {

using Names = std::vector<std::string>;

bool contains(const Names& names, std::string_view name);

/// "a, b, ... (30 in all)"
std::string join(const Names& names, std::size_t most = 20);

/// Who is what: checks that the roles name existing columns and do not overlap.
Names input_names(const Table& table, const EncoderOptions& options);

}  // namespace condens
