#include "condens/inspection/inputs.hpp"

namespace condens {

std::vector<InspectedInput> inspected_inputs(const Encoder& encoder) {
  std::vector<InspectedInput> out;
  const std::vector<EncodedColumn>& columns = encoder.input_columns();
  const auto groups = encoder.groups();
  for (std::size_t k = 0; k < columns.size(); ++k) {
    if (!columns[k].missing_of.empty()) continue;
    out.push_back({.name = columns[k].name, .rows = groups[k], .levels = columns[k].levels});
    if (columns[k].has_statistics()) out.back().codes = columns[k].values();
  }
  for (std::size_t k = 0; k < columns.size(); ++k) {
    for (InspectedInput& own : out) {
      if (own.name != columns[k].missing_of) continue;
      own.rows.insert(own.rows.end(), groups[k].begin(), groups[k].end());
      own.marks = groups[k];
    }
  }
  return out;
}

}  // namespace condens
