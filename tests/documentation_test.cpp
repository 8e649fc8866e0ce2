// The option tables in docs/models are those of the program, and every erratum that is cited has its entry.

#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "condens/registry.hpp"

namespace condens::documentation_test {
namespace {

std::string cell(const Document& value) {
  if (std::holds_alternative<Document::Array>(value.value())) {
    std::string out;
    for (const Document& item : value.as_array()) out += (out.empty() ? "" : ", ") + detail::to_text(item);
    return out.empty() ? "none" : out;
  }
  if (const auto* matrix = std::get_if<Matrix>(&value.value())) return matrix->size() == 0 ? "none" : "given";
  if (const auto* text = std::get_if<std::string>(&value.value())) return *text;
  if (const auto* inside = std::get_if<Document::Object>(&value.value())) {
    return inside->empty() ? "none set" : "its own";
  }
  return detail::to_text(value);
}

std::string option_table_of(const ModelInfo& info) {
  std::ostringstream out;
  out << "| option | type |";
  for (const std::string& preset : info.presets) out << ' ' << preset << " |";
  out << " meaning |\n|---|---|" << [&] {
    std::string dashes;
    for (std::size_t i = 0; i < info.presets.size(); ++i) dashes += "---|";
    return dashes;
  }() << "---|\n";
  for (const OptionInfo& option : info.options) {
    std::string type = option.type;
    for (std::size_t i = 0; i < option.choices.size(); ++i) type += (i == 0 ? ": " : ", ") + option.choices[i];
    const std::string bounds = to_string(option.bounds);
    out << "| `" << option.name << "` | " << type << (bounds.empty() ? "" : " " + bounds) << " |";
    for (const std::string& preset : info.presets) out << ' ' << cell(info.defaults(preset).at(option.name)) << " |";
    out << ' ' << option.text << " |\n";
  }
  return out.str();
}

std::string text_of(const std::string& file) {
  std::ifstream in(std::string(CONDENS_SOURCE_DIR) + "/" + file);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The id that a word begins with, a capital letter and a number, as D9 of "D9),"; empty where there is none.
std::string id_of(std::string_view word) {
  std::size_t end = 1;
  while (end < word.size() && std::isdigit(static_cast<unsigned char>(word[end])) != 0) ++end;
  const bool found = end > 1 && std::isupper(static_cast<unsigned char>(word[0])) != 0;
  return std::string(word.substr(0, found ? end : 0));
}

int number_of(const std::string& id) { return std::stoi(id.substr(1)); }

/// The ids that a text cites, in the forms "errata D9", "errata P2, P3", "errata R1 and R2" and "errata D5 to D11",
/// wherever its lines end.
std::vector<std::string> cited_errata(const std::string& text) {
  if (text.find("rrata") == text.npos) return {};
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) {
    if (word != "//" && word != "///" && word != "#") words.push_back(word);  // a comment goes on
  }
  std::vector<std::string> cited;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!words[i].ends_with("rrata")) continue;
    std::string last;
    for (std::size_t k = i + 1; k < words.size(); ++k) {
      if (words[k] == "and" || words[k] == "to") continue;
      const std::string id = id_of(words[k]);
      if (id.empty()) break;
      const bool range = words[k - 1] == "to" && !last.empty();
      for (int n = range ? number_of(last) + 1 : number_of(id); n <= number_of(id); ++n) {
        cited.push_back(id.substr(0, 1) + std::to_string(n));
      }
      if (words[k] != id && words[k] != id + ",") break;  // a bracket or a full stop ends the list
      last = id;
    }
  }
  return cited;
}

TEST(Documentation, ReadmeShowsTheSnippetThatTheDemoRuns) {
  const std::string snippet = text_of("docs/snippet.py");
  ASSERT_FALSE(snippet.empty());
  EXPECT_NE(text_of("README.md").find("```python\n" + snippet + "```"), std::string::npos);
}

TEST(Documentation, EveryModelHasAPageWithItsOptions) {
  for (const ModelInfo& info : models()) {
    if (!info.shipped) continue;
    std::ifstream file(std::string(CONDENS_SOURCE_DIR) + "/docs/models/" + info.name + ".md");
    ASSERT_TRUE(file) << "docs/models/" << info.name << ".md is missing";
    const std::string page((std::istreambuf_iterator<char>(file)), {});
    const std::string table = option_table_of(info);
    EXPECT_NE(page.find(table), std::string::npos)
        << "docs/models/" << info.name << ".md: between the options marks this is expected:\n"
        << table;
    for (const char* heading : {"## Formula", "## Options", "## Cost", "## When not to use it"}) {
      EXPECT_NE(page.find(heading), std::string::npos) << info.name << ": " << heading;
    }
  }
}

TEST(Documentation, EveryModelIsListedWhereReadersLook) {
  const std::string readme = text_of("README.md");
  const std::string index = text_of("docs/models.md");
  const std::string changelog = text_of("CHANGELOG.md");
  for (const ModelInfo& info : models()) {
    if (!info.shipped) continue;
    EXPECT_NE(readme.find("| [`" + info.name + "`](docs/models/" + info.name + ".md) |"), std::string::npos)
        << info.name;
    EXPECT_NE(index.find("](models/" + info.name + ".md)"), std::string::npos) << info.name;
    EXPECT_NE(changelog.find("`" + info.name + "`"), std::string::npos) << info.name;
    EXPECT_NE(text_of("docs/models/" + info.name + ".md").find("## Where we differ from the paper, and why"),
              std::string::npos)
        << info.name;
  }
}

TEST(Documentation, EveryPackageIsOfTheVersion) {
  const std::string project = text_of("CMakeLists.txt");
  const std::string before = "project(condens VERSION ";
  const std::size_t begin = project.find(before) + before.size();
  const std::string version = project.substr(begin, project.find(' ', begin) - begin);
  const std::string series = version.substr(0, version.rfind('.'));
  const std::vector<std::pair<std::string, std::string>> places = {
      {"CITATION.cff", "\nversion: " + version + "\n"},
      {"r/DESCRIPTION", "\nVersion: " + version + "\n"},
      {"packaging/conda/recipe.yaml", "\n  version: " + version + "\n"},
      {"packaging/vcpkg/ports/condens/vcpkg.json", "\"version\": \"" + version + "\""},
      {"packaging/debian/changelog", "condens (" + version + "-"},
      {"packaging/debian/control", "\nPackage: libcondens" + series + "\n"},
      {"packaging/debian/control", "libcondens" + series + " (= ${binary:Version})"},
      {"packaging/debian/libcondens" + series + ".install", "libcondens"},
      {"docs/installation.md", "condens-" + version + "-"}};
  for (const auto& [file, text] : places)
    EXPECT_NE(text_of(file).find(text), std::string::npos) << file << ": " << text;
}

TEST(Documentation, EveryCitedErratumHasAnEntry) {
  namespace fs = std::filesystem;
  std::set<std::string> entries;
  std::istringstream page(text_of("docs/errata.md"));
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("**")) continue;
    const std::string id = id_of(std::string_view(line).substr(2));
    if (id.empty() || !line.starts_with("**" + id + ".** ")) continue;
    EXPECT_TRUE(entries.insert(id).second) << "docs/errata.md has two entries " << id;
  }

  const fs::path root = CONDENS_SOURCE_DIR;
  const std::set<std::string> endings = {".hpp", ".cpp", ".py", ".pyi", ".md", ".sh"};
  int citations = 0;
  for (const char* folder : {"include", "src", "plot", "cli", "tests", "python", "docs", "reproduce", "benchmarks"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder)) {
      if (!entry.is_regular_file() || !endings.contains(entry.path().extension().string())) continue;
      const std::string file = entry.path().lexically_relative(root).string();
      for (const std::string& id : cited_errata(text_of(file))) {
        EXPECT_TRUE(entries.contains(id)) << file << " cites " << id << ", which docs/errata.md does not have";
        ++citations;
      }
    }
  }
  EXPECT_GE(citations, 100) << "the check found hardly any citation; has their form changed?";
}

}  // namespace
}  // namespace condens::documentation_test
