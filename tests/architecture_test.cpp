// The rules of the house that a compiler does not see: which room may include
// which, how files begin, how long they are, and that no text names a
// developer's machine.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "condens/registry.hpp"

namespace condens::architecture_test {
namespace {

namespace fs = std::filesystem;

const fs::path root = CONDENS_SOURCE_DIR;

// A room may include itself and every room of a smaller level. Rooms of one
// level do not know each other.
struct Room {
  std::string_view name;
  int level;
};
constexpr std::array rooms = {
    Room{"core", 0},       Room{"cmake", 0},         Room{"linalg", 1},   Room{"data", 2},       Room{"kernels", 2},
    Room{"optim", 2},      Room{"distributions", 2}, Room{"model", 3},    Room{"estimators", 4}, Room{"metrics", 4},
    Room{"comparison", 5}, Room{"inspection", 5},    Room{"registry", 6}, Room{"io", 7},         Room{"plot", 8},
    Room{"cli", 9},        Room{"python", 9},        Room{"r", 9},
};

// Within the estimators a method knows itself alone, but for what is built on another one.
struct BuiltOn {
  std::string_view method;
  std::string_view other;
};
constexpr std::array built_on = {
    BuiltOn{"lscde", "nadaraya_watson"},
    BuiltOn{"ratio_kde", "nadaraya_watson"},
    BuiltOn{"ratio_kde", "parzen"},
    BuiltOn{"kernels_at_points", "parzen"},
    BuiltOn{"skd", "kernels_at_points"},
    BuiltOn{"rsde", "kernels_at_points"},
    BuiltOn{"gskd", "parzen"},
    BuiltOn{"gskd", "gmm"},
    BuiltOn{"location_scale", "gaussian_process"},
    BuiltOn{"lsce", "lscde"},
    BuiltOn{"lsce", "nadaraya_watson"},
    BuiltOn{"lsce", "sliced"},
    BuiltOn{"lsmi", "lsce"},
    BuiltOn{"sacde", "screening"},
    BuiltOn{"salscde", "screening"},
    BuiltOn{"salscde", "lscde"},
    BuiltOn{"salscde", "sacde"},
    BuiltOn{"forest", "trees"},
    BuiltOn{"boost", "trees"},
    BuiltOn{"classes", "boost"},
    BuiltOn{"classes", "trees"},
    BuiltOn{"auto", "pool"},
};

const Room* find_room(std::string_view name) {
  for (const Room& room : rooms) {
    if (room.name == name) return &room;
  }
  return nullptr;
}

std::vector<std::string> lines_of(const fs::path& file) {
  std::ifstream in(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// Files below `folders` (relative to the root) with one of the `endings`. What R builds in place is no part of them.
std::vector<fs::path> files(const std::vector<std::string>& folders, const std::set<std::string>& endings) {
  std::vector<fs::path> found;
  for (const std::string& folder : folders) {
    if (!fs::exists(root / folder)) continue;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder)) {
      const bool built = entry.path().string().find("/r/src/core/") != std::string::npos;
      if (!built && entry.is_regular_file() && endings.contains(entry.path().extension())) {
        found.push_back(entry.path());
      }
    }
  }
  return found;
}

std::string place(const fs::path& file, std::size_t line) {
  return fs::relative(file, root).string() + ":" + std::to_string(line + 1);
}

/// Where a file lives: of src/estimators/press/map.cpp and include/condens/estimators/press.hpp the room is
/// "estimators" and the method "press"; without a room of its own a file is one, as registry.cpp.
struct Place {
  std::string room;
  std::string method;
};
Place place_of(const fs::path& file) {
  std::vector<std::string> parts;
  for (const fs::path& part : fs::relative(file, root)) parts.push_back(part.string());
  std::size_t at = 0;
  if (parts[0] == "src") at = 1;
  if (parts[0] == "include") at = 2;
  if (at + 1 == parts.size()) return {fs::path(parts[at]).stem().string(), ""};
  return {parts[at], parts[at] == "estimators" ? fs::path(parts[at + 1]).stem().string() : ""};
}

/// The file of the project that a quoted name means, as the compiler finds it; an empty path where there is none.
fs::path included_file(const fs::path& from, const std::string& name) {
  for (const fs::path& folder : {from.parent_path(), root / "include", root / "src"}) {
    const fs::path file = (folder / name).lexically_normal();
    if (fs::exists(file)) return file;
  }
  return {};
}

bool may_include(const Place& from, const Place& to) {
  if (from.room != to.room) return find_room(to.room)->level < find_room(from.room)->level;
  return from.method == to.method || std::any_of(built_on.begin(), built_on.end(), [&](const BuiltOn& pair) {
           return pair.method == from.method && pair.other == to.method;
         });
}

TEST(Architecture, RoomsIncludeOnlyRoomsBelow) {
  constexpr std::string_view prefix = "#include \"";
  int seen = 0;
  for (const fs::path& file : files({"include", "src", "plot", "cli", "python", "r"}, {".hpp", ".cpp"})) {
    if (file.filename() == "condens.hpp") continue;  // the umbrella includes every room
    const Place from = place_of(file);
    ASSERT_NE(find_room(from.room), nullptr)
        << place(file, 0) << ": '" << from.room << "' is not in the table of rooms";
    const std::vector<std::string> lines = lines_of(file);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (!lines[i].starts_with(prefix)) continue;
      const std::string name = lines[i].substr(prefix.size(), lines[i].size() - prefix.size() - 1);
      const fs::path target = included_file(file, name);
      ASSERT_FALSE(target.empty()) << place(file, i) << ": no file " << name;
      const Place to = place_of(target);
      ASSERT_NE(find_room(to.room), nullptr) << place(file, i) << ": " << to.room;
      EXPECT_TRUE(may_include(from, to)) << place(file, i) << ": " << from.room << " " << from.method
                                         << " may not include " << to.room << " " << to.method;
      // What users install needs nothing that is not installed.
      EXPECT_TRUE(*fs::relative(file, root).begin() != "include" || *fs::relative(target, root).begin() == "include")
          << place(file, i) << ": a public header includes a private one";
      ++seen;
    }
  }
  EXPECT_GT(seen, 1000) << "the check found hardly any include line; has the layout changed?";
}

TEST(Architecture, MethodsAreNotBuiltOnThemselves) {
  for (const BuiltOn& start : built_on) {
    std::vector<std::string_view> reached{start.other};
    for (std::size_t i = 0; i < reached.size(); ++i) {
      ASSERT_NE(reached[i], start.method);
      for (const BuiltOn& pair : built_on) {
        const bool known = std::find(reached.begin(), reached.end(), pair.other) != reached.end();
        if (pair.method == reached[i] && !known) reached.push_back(pair.other);
      }
    }
  }
}

TEST(Architecture, EveryEstimatorHasAHeaderAFolderAndAPlaceInTheUmbrella) {
  std::set<std::string> headers;
  for (const fs::directory_entry& entry : fs::directory_iterator(root / "include/condens/estimators")) {
    if (entry.is_regular_file()) headers.insert(entry.path().stem().string());
  }
  EXPECT_GE(headers.size(), 22U);
  std::ifstream in(root / "include/condens/condens.hpp");
  const std::string umbrella((std::istreambuf_iterator<char>(in)), {});
  for (const std::string& name : headers) {
    EXPECT_TRUE(fs::exists(root / "src/estimators" / name / (name + ".cpp"))) << name;
    EXPECT_NE(umbrella.find("\"condens/estimators/" + name + ".hpp\""), std::string::npos) << name;
  }
  EXPECT_NE(umbrella.find("\"condens/io/model_file.hpp\""), std::string::npos) << "models are saved and loaded";
}

// Doors ask a model what it can do; the registry alone knows which model that is.
TEST(Architecture, NoDoorKnowsAModelByName) {
  std::set<std::string> names;
  for (const ModelInfo& info : models()) names.insert(info.name);
  int seen = 0;
  for (const fs::path& file :
       files({"cli", "plot", "include/condens/plot", "python/bindings", "python/condens"}, {".hpp", ".cpp", ".py"})) {
    // Criteria are functions for research, each called as its paper does.
    const bool criteria = file.stem() == "objectives";
    const std::vector<std::string> lines = lines_of(file);
    for (std::size_t i = 0; i < lines.size() && !criteria; ++i) {
      EXPECT_EQ(lines[i].find("dynamic_cast"), std::string::npos) << place(file, i) << ": see model/capabilities.hpp";
      EXPECT_FALSE(lines[i].starts_with("#include \"condens/estimators/")) << place(file, i);
      const bool comment = lines[i].find("//") < lines[i].find('"') || lines[i].find("condens.") < lines[i].find('"');
      std::size_t at = 0;  // of the text after an opening quote
      while (!comment && (at = lines[i].find('"', at)) != std::string::npos) {
        const std::size_t end = lines[i].find('"', at + 1);
        if (end == std::string::npos) break;
        EXPECT_FALSE(names.contains(lines[i].substr(at + 1, end - at - 1))) << place(file, i);
        at = end + 1;
      }
    }
    ++seen;
  }
  EXPECT_GT(seen, 80);
}

// Files are whole or not there: io/files.hpp sees to it.
TEST(Architecture, OneFileWritesFiles) {
  for (const fs::path& file : files({"src", "plot", "cli", "python/bindings", "r/src"}, {".hpp", ".cpp"})) {
    if (file.filename() == "files.cpp") continue;
    const std::vector<std::string> lines = lines_of(file);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      for (const std::string_view other : {"ofstream", "fopen", "::open("}) {
        const bool null = lines[i].find("/dev/null") != std::string::npos;
        EXPECT_TRUE(null || lines[i].find(other) == std::string::npos) << place(file, i) << ": see io/files.hpp";
      }
    }
  }
}

TEST(Architecture, HeadersBeginWithTheirGuardAndPurpose) {
  for (const fs::path& file : files({"include", "src", "plot", "cli", "python", "r", "tests", "fuzz"}, {".hpp"})) {
    bool guarded = false;
    bool explained = false;
    const std::vector<std::string> lines = lines_of(file);
    for (std::size_t i = 0; i < std::min<std::size_t>(3, lines.size()); ++i) {
      guarded |= lines[i] == "#pragma once";
      explained |= lines[i].starts_with("//");
    }
    EXPECT_TRUE(guarded) << place(file, 0) << ": expected #pragma once in the first three lines";
    EXPECT_TRUE(explained) << place(file, 0) << ": expected a comment that says what the file is";
  }
}

TEST(Architecture, SourcesStayReadable) {
  constexpr std::size_t most = 600;
  for (const fs::path& file : files({"include", "src", "plot", "cli", "python", "r", "tests", "benchmarks", "fuzz"},
                                    {".hpp", ".cpp", ".py"})) {
    EXPECT_LE(lines_of(file).size(), most) << place(file, 0) << ": more than one idea? Cut it.";
  }
}

TEST(Architecture, NoTextNamesADevelopersMachine) {
  constexpr std::array<std::string_view, 4> homes = {"home", "root", "work", "Users"};
  std::vector<fs::path> texts =
      files({"include", "src", "plot", "cli", "python", "r", "tests", "benchmarks", "reproduce", "docs", "cmake",
             "data", "fuzz"},
            {".hpp", ".cpp", ".txt", ".cmake", ".md", ".sh", ".py", ".pyi", ".ipynb", ".json", ".in", ".R", ".Rmd"});
  for (const fs::directory_entry& entry : fs::directory_iterator(root)) {
    if (entry.is_regular_file()) texts.push_back(entry.path());
  }
  for (const fs::path& file : texts) {
    const std::vector<std::string> lines = lines_of(file);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      for (const std::string_view home : homes) {
        const std::string path = "/" + std::string(home) + "/";
        const std::size_t at = lines[i].find(path);
        if (at == std::string::npos) continue;
        // Only where a path begins: a folder of ours may bear the same name.
        const bool begins = at == 0 || std::isalnum(static_cast<unsigned char>(lines[i][at - 1])) == 0;
        EXPECT_FALSE(begins) << place(file, i) << ": absolute path " << path << "...";
      }
    }
  }
}

}  // namespace
}  // namespace condens::architecture_test
