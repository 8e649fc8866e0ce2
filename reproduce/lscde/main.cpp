// Reproduces LSCDE's part of Sugiyama et al. (2010): Figure 1 and the LS-CDE column of
// Table 1; and measures what each part of the recommended preset is worth.

#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "condens/core/errors.hpp"
#include "illustrations.hpp"
#include "tables.hpp"

namespace {

using namespace condens::reproduce;

constexpr const char* usage =
    "usage: reproduce_lscde illustrations DATA_DIRECTORY PICTURES_DIRECTORY\n"
    "       reproduce_lscde table1 DATA_DIRECTORY\n"
    "       reproduce_lscde presets DATA_DIRECTORY\n"
    "       reproduce_lscde all DATA_DIRECTORY PICTURES_DIRECTORY\n"
    "Markdown goes to standard output. fetch_data.sh gets the data sets.\n";

void illustrations(const std::string& directory, const std::string& pictures) {
  std::cout << "## Figure 1\n\n";
  draw_illustrations(directory, pictures, std::cout);
  print_toy_scores(std::cout);
}

int run(const std::vector<std::string>& arguments) {
  const std::string verb = arguments.empty() ? "" : arguments[0];
  const std::size_t expected = verb == "illustrations" || verb == "all" ? 3 : 2;
  const bool known = verb == "illustrations" || verb == "table1" || verb == "presets" || verb == "all";
  if (!known || arguments.size() != expected) {
    std::cerr << usage;
    return 2;
  }
  condens::require(std::filesystem::is_directory(arguments[1]), "'", arguments[1], "' is not a directory");
  if (verb == "illustrations" || verb == "all") illustrations(arguments[1], arguments[2]);
  if (verb == "illustrations") return 0;

  std::vector<Variant> variants = {recommended_variant};
  if (verb != "presets") variants.insert(variants.begin(), paper_variant);
  if (verb != "table1") {
    for (Variant& variant : ablations()) variants.push_back(std::move(variant));
  }
  const std::vector<SetResults> results = run_halves(arguments[1], variants);
  if (verb != "presets") print_table1(results, run_authors_program(arguments[1]), std::cout);
  if (verb != "table1") print_presets(variants, results, std::cout);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << "reproduce_lscde: " << error.what() << '\n';
    return 1;
  }
}
