#include "common/data_files.hpp"

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include "condens/core/errors.hpp"
#include "condens/data/encoder.hpp"
#include "condens/io/csv.hpp"

namespace condens::reproduce {

const DataFile& data_file(std::string_view name) {
  const auto found =
      std::find_if(data_files.begin(), data_files.end(), [&](const DataFile& f) { return f.name == name; });
  require(found != data_files.end(), "data_file: no data set '", name, "'");
  return *found;
}

std::optional<Dataset> load(const std::string& directory, std::string_view name) {
  const auto& [title, file, rows, inputs, targets] = data_file(name);
  const std::filesystem::path path = std::filesystem::path(directory) / file;
  if (!std::filesystem::exists(path)) return std::nullopt;
  const Table table = read_csv(path.string());
  std::vector<std::string> last;
  for (std::size_t j = table.columns().size() - static_cast<std::size_t>(targets); j < table.columns().size(); ++j)
    last.push_back(table.columns()[j].name);
  const Encoder encoder = Encoder::fit(table, {.targets = last});
  Dataset data = encoder.encode(table);
  require(data.size() == rows && data.x.rows() == inputs, title, ": ", data.size(), " rows and ", data.x.rows(),
          " inputs, expected ", rows, " and ", inputs, " (see fetch_data.sh)");
  return data;
}

void write_text(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text << '\n';
  file.close();
  if (!file) throw std::runtime_error(message("cannot write ", path.string()));
}

}  // namespace condens::reproduce
