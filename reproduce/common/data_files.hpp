#pragma once
// The papers' data sets, as fetch_data.sh writes them.

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "condens/data/dataset.hpp"

namespace condens::reproduce {

struct DataFile {
  std::string_view name;  ///< in the papers
  const char* file;
  Index rows;
  Index inputs;
  Index targets = 1;
};

inline constexpr std::array<DataFile, 34> data_files = {{
    {"caution", "caution.csv", 100, 2},
    {"ftcollinssnow", "ftcollinssnow.csv", 93, 1},
    {"highway", "highway.csv", 39, 11},
    {"heights", "heights.csv", 1375, 1},
    {"sniffer", "sniffer.csv", 125, 4},
    {"snowgeese", "snowgeese.csv", 45, 2},
    {"ufc", "ufc.csv", 372, 4},
    {"birthwt", "birthwt.csv", 189, 7},
    {"crabs", "crabs.csv", 200, 6},
    {"GAGurine", "GAGurine.csv", 314, 1},
    {"geyser", "geyser.csv", 299, 1},
    {"gilgais", "gilgais.csv", 365, 8},
    {"topo", "topo.csv", 52, 2},
    {"BostonHousing", "Boston.csv", 506, 13},
    {"CobarOre", "CobarOre.csv", 38, 2},
    {"engel", "engel.csv", 235, 1},
    {"mcycle", "mcycle.csv", 133, 1},
    {"BigMac2003", "BigMac2003.csv", 69, 9},
    {"UN3", "UN3.csv", 125, 6},
    {"cpus", "cpus.csv", 209, 7},
    {"bone", "bone.csv", 485, 1},
    {"AutoMPG", "auto_mpg.csv", 392, 7},
    {"Servo", "servo.csv", 167, 4},
    {"Yacht", "yacht.csv", 308, 6},
    {"Physicochem", "physicochem.csv", 45730, 9},
    {"White Wine", "wine_white.csv", 4898, 11},
    {"Red Wine", "wine_red.csv", 1599, 11},
    {"Forest Fires", "forest_fires.csv", 517, 12},
    {"Concrete", "concrete.csv", 1030, 8},
    {"Energy", "energy.csv", 768, 8, 2},
    {"Stock", "stock.csv", 536, 7, 2},
    {"Abalone", "abalone.csv", 4177, 8},
    {"Abalone train", "abalone_tf_train.csv", 3320, 7},
    {"Abalone test", "abalone_tf_test.csv", 857, 7},
}};

/// Throws std::invalid_argument for a name that is not there.
const DataFile& data_file(std::string_view name);

/// The data set of that name, one of data_files: inputs first, targets last. Nothing when `directory` has
/// no such file. Throws std::invalid_argument for a file that is not the expected set.
std::optional<Dataset> load(const std::string& directory, std::string_view name);

/// Throws std::runtime_error where the file cannot be written.
void write_text(const std::filesystem::path& path, const std::string& text);

}  // namespace condens::reproduce
