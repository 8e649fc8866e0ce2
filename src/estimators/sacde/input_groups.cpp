#include "input_groups.hpp"

#include <algorithm>
#include <map>

#include "condens/core/errors.hpp"
#include "condens/estimators/sacde.hpp"
#include "condens/model/subset_density.hpp"

namespace condens::sacde {

std::vector<Index> places_of_groups(const std::vector<double>& groups) {
  std::map<double, Index> place;
  std::vector<Index> out;
  for (const double number : groups) out.push_back(place.try_emplace(number, std::ssize(place)).first->second);
  return out;
}

InputGroups input_groups(const Dataset& data, const std::vector<double>& groups) {
  const auto inputs = data.inputs();
  require(groups.empty() || groups.size() == inputs.size(), Sacde::class_name, ": groups has ", groups.size(),
          " numbers for ", inputs.size(), " inputs, expected one for each, or none");
  InputGroups out;
  const std::vector<Index> places = places_of_groups(groups);
  for (std::size_t d = 0; d < inputs.size(); ++d) {
    const std::size_t place = groups.empty() ? d : static_cast<std::size_t>(places[d]);
    if (place == out.rows.size()) {
      out.rows.emplace_back();
      out.inputs.emplace_back();
    }
    out.rows[place].insert(out.rows[place].end(), inputs[d].begin(), inputs[d].end());
    out.inputs[place].push_back(static_cast<Index>(d));
  }
  return out;
}

Index varying_groups(const Dataset& data, const std::vector<double>& groups) {
  std::vector<bool> varies(static_cast<std::size_t>(data.x.rows()), false);
  for (const auto& rows : varying_inputs(data)) {
    for (const Index row : rows) varies[static_cast<std::size_t>(row)] = true;
  }
  const InputGroups all = input_groups(data, groups);
  return std::count_if(all.rows.begin(), all.rows.end(), [&](const std::vector<Index>& rows) {
    return std::any_of(rows.begin(), rows.end(), [&](Index row) { return varies[static_cast<std::size_t>(row)]; });
  });
}

}  // namespace condens::sacde
