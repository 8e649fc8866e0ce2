#include "benchmark_sets.hpp"

#include <filesystem>

#include "condens/core/errors.hpp"
#include "condens/data/encoder.hpp"
#include "condens/io/csv.hpp"

namespace condens::reproduce {

std::optional<Dataset> load(const std::string& directory, const std::string& file, Index rows, Index inputs) {
  const std::filesystem::path path = std::filesystem::path(directory) / file;
  if (!std::filesystem::exists(path)) return std::nullopt;
  const Table table = read_csv(path.string());
  const Encoder encoder = Encoder::fit(table, {.targets = {table.columns().back().name}});
  Dataset data = encoder.encode(table);
  require(data.size() == rows && data.x.rows() == inputs, file, ": ", data.size(), " rows and ", data.x.rows(),
          " inputs, expected ", rows, " and ", inputs, " (see fetch_data.sh)");
  return data;
}

}  // namespace condens::reproduce
