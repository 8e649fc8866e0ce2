#include "column_roles.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include "condens/core/errors.hpp"
#include "core/text.hpp"

namespace condens {

namespace {

void require_distinct(const Names& names, std::string_view role) {
  std::set<std::string_view> seen;
  for (const std::string& name : names) {
    require(seen.insert(name).second, "column '", name, "' is listed twice as ", role);
  }
}

}  // namespace

bool contains(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string join(const Names& names, std::size_t most) {
  std::string out;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) out += (i == 0 ? "" : ", ") + shown(names[i]);
  return names.size() > most ? message(out, ", ... (", names.size(), " in all)") : out;
}

Names input_names(const Table& table, const EncoderOptions& options) {
  Names all;
  for (const Column& column : table.columns()) all.push_back(column.name);
  require(!options.targets.empty(), "no target column given; name at least one of ", join(all));
  for (const std::string& name : options.targets) table.at(name, "target");
  require_distinct(options.targets, "target");
  if (!options.weight.empty()) {
    table.at(options.weight, "weight");
    require(!contains(options.targets, options.weight), "column '", options.weight, "' is both target and weight");
  }

  require_distinct(options.excluded, "excluded");
  for (const std::string& name : options.excluded) {
    table.at(name, "excluded");
    require(!contains(options.targets, name), "column '", name, "' is both target and excluded");
    require(name != options.weight, "column '", name, "' is both weight and excluded");
  }

  Names inputs;
  if (options.inputs) {
    inputs = *options.inputs;
    for (const std::string& name : inputs) table.at(name, "input");
    require_distinct(inputs, "input");
  } else {
    std::copy_if(all.begin(), all.end(), std::back_inserter(inputs), [&](const std::string& name) {
      return !contains(options.targets, name) && !contains(options.excluded, name) && name != options.weight;
    });
  }
  for (const std::string& name : inputs) {
    require(!contains(options.targets, name), "column '", name, "' is both target and input");
    require(name != options.weight, "column '", name, "' is both weight and input");
    require(!contains(options.excluded, name), "column '", name, "' is both input and excluded");
  }
  for (const std::string& name : options.categorical) {
    table.at(name, "categorical");
    require(contains(inputs, name), "categorical column '", name, "' is not among the inputs");
  }
  return inputs;
}

}  // namespace condens
