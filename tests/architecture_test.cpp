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
    Room{"core", 0},      Room{"linalg", 1},     Room{"data", 2},    Room{"kernels", 2},  Room{"distributions", 2},
    Room{"optim", 2},     Room{"models", 3},     Room{"density", 4}, Room{"metrics", 4},  Room{"reduction", 4},
    Room{"selection", 4}, Room{"comparison", 5}, Room{"plot", 6},    Room{"registry", 7}, Room{"io", 8},
    Room{"cli", 9},       Room{"python", 9},
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

/// Files below `folders` (relative to the root) with one of the `endings`.
std::vector<fs::path> files(const std::vector<std::string>& folders, const std::set<std::string>& endings) {
  std::vector<fs::path> found;
  for (const std::string& folder : folders) {
    if (!fs::exists(root / folder)) continue;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder)) {
      if (entry.is_regular_file() && endings.contains(entry.path().extension())) found.push_back(entry.path());
    }
  }
  return found;
}

std::string place(const fs::path& file, std::size_t line) {
  return fs::relative(file, root).string() + ":" + std::to_string(line + 1);
}

/// The room of a file: src/core/x.cpp and include/condens/core/x.hpp are in core.
std::string room_of(const fs::path& file) {
  const fs::path inside = fs::relative(file, root);
  auto part = inside.begin();
  if (*part == "cli" || *part == "python") return part->string();
  if (*part++ == "include") ++part;
  return std::next(part) == inside.end() ? part->stem().string() : part->string();
}

TEST(Architecture, RoomsIncludeOnlyRoomsBelow) {
  constexpr std::string_view prefix = "#include \"condens/";
  int seen = 0;
  for (const fs::path& file : files({"include", "src", "cli", "python"}, {".hpp", ".cpp"})) {
    if (file.filename() == "condens.hpp") continue;  // the umbrella includes every room
    const Room* from = find_room(room_of(file));
    if (from == nullptr) {
      ADD_FAILURE() << place(file, 0) << ": '" << room_of(file) << "' is not in the table of rooms";
      continue;
    }
    const std::vector<std::string> lines = lines_of(file);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (!lines[i].starts_with(prefix)) continue;
      const std::string included = lines[i].substr(prefix.size());
      const std::string name = included.substr(0, included.find_first_of("/."));
      const Room* to = find_room(name);
      EXPECT_TRUE(to != nullptr && (to == from || to->level < from->level))
          << place(file, i) << ": " << from->name << " may not include " << name;
      ++seen;
    }
  }
  EXPECT_GT(seen, 10) << "the check found hardly any include line; has the layout changed?";
}

TEST(Architecture, HeadersBeginWithTheirGuardAndPurpose) {
  for (const fs::path& file : files({"include", "src", "cli", "python", "tests"}, {".hpp"})) {
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
  for (const fs::path& file :
       files({"include", "src", "cli", "python", "tests", "benchmarks"}, {".hpp", ".cpp", ".py"})) {
    EXPECT_LE(lines_of(file).size(), most) << place(file, 0) << ": more than one idea? Cut it.";
  }
}

TEST(Architecture, NoTextNamesADevelopersMachine) {
  constexpr std::array<std::string_view, 4> homes = {"home", "root", "work", "Users"};
  std::vector<fs::path> texts =
      files({"include", "src", "cli", "python", "tests", "benchmarks", "reproduce", "docs", "cmake", "data"},
            {".hpp", ".cpp", ".txt", ".cmake", ".md", ".sh", ".py", ".pyi", ".ipynb", ".json", ".in"});
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
