// The option tables in docs/models are those of the program.

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

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

TEST(Documentation, ReadmeShowsTheSnippetThatTheDemoRuns) {
  const std::string snippet = text_of("docs/snippet.py");
  ASSERT_FALSE(snippet.empty());
  EXPECT_NE(text_of("README.md").find("```python\n" + snippet + "```"), std::string::npos);
}

TEST(Documentation, EveryModelHasAPageWithItsOptions) {
  for (const ModelInfo& info : models()) {
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

}  // namespace
}  // namespace condens::documentation_test
