// Reproduces Shiga, Tangkaratt and Sugiyama (2015): Figures 1 to 4 and the experiments of
// sections 3.3 to 3.7.

#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "additive.hpp"
#include "common/command.hpp"
#include "illustrations.hpp"
#include "orders.hpp"
#include "self_check.hpp"
#include "studies.hpp"
#include "tables.hpp"

namespace {

using namespace condens::reproduce;

const std::vector<std::string> parts = {"toys",       "additive",  "orders",     "illustrations", "readings",
                                        "selection",  "sizes",     "candidates", "dimensions",    "irrelevant",
                                        "benchmarks", "humanoid2", "humanoid4",  "humanoid9",     "humanoid2-bimodal"};

const std::vector<std::pair<std::string, std::string>> pairs = {{"SA-LSCDE", "FW-LSCDE"},
                                                                {"SA-LSCDE", "SA-CDE"},
                                                                {"our SA-CDE", "SA-CDE"},
                                                                {"our SA-LSCDE", "SA-LSCDE"},
                                                                {"our NW-CDE", "NW-CDE"}};

struct Section {
  std::string heading;
  std::string level_name;
  Study study;
  bool log_levels = false;
};

Section section(const std::string& part, const Command& command) {
  if (part == "readings") return {"Readings of toy data 1 (N = 300)", "N", readings_study(command.scale)};
  if (part == "selection")
    return {"SA-LSCDE: readings of what SA-CDE selects (N = 500)", "N", selection_study(command.scale)};
  if (part == "sizes") return {"Section 3.3: numbers of samples", "N", sizes_study(command.scale), true};
  if (part == "candidates") return {"Section 3.4: numbers of candidates", "N", candidates_study(command.scale), true};
  if (part == "dimensions")
    return {"Sections 3.3 and 3.4: other numbers of inputs", "N", dimensions_study(command.scale), true};
  if (part == "irrelevant")
    return {"Section 3.5: irrelevant inputs", "m", irrelevant_study(command.scale, command.data)};
  if (part == "humanoid2-bimodal") return {"Ours: noise of two modes", "m", bimodal_study(command.scale)};
  if (part.starts_with("humanoid")) {
    const std::string joints = part.substr(std::string("humanoid").size());
    return {"Section 3.7: humanoid robot with " + joints + " joints", "m",
            humanoid_study(command.scale, std::stol(joints))};
  }
  return {"Section 3.6: benchmark sets", "m", benchmark_study(command.scale, command.data)};
}

void run_section(const std::string& part, const Command& command) {
  const Section own = section(part, command);
  const std::string file = (command.scale == Scale::quick ? "quick" : "full") +
                           std::string(part.starts_with("humanoid") ? "-humanoid.csv" : ".csv");
  RecordBook book(std::filesystem::path(command.records) / file, number_names());
  run_study(own.study, book, command.minutes);
  const Report report{own.study, book, own.level_name, part, command.pictures, own.log_levels};
  std::cout << "## " << own.heading << "\n\n";
  if (part == "benchmarks") {
    print_by_data(report, std::cout);
  } else if (part == "readings" || part == "selection") {
    print_across(report, std::cout);
  } else {
    print_by_level(report, std::cout);
    print_growth(report, std::cout);
  }
  print_pairs(report, pairs, std::cout);
  book.print_older(std::cout);
}

std::vector<std::string> notices() {
  std::vector<std::string> out;
  for (const auto& methods : {paper_methods(), recommended_methods()})
    for (const Method& method : methods)
      if (const std::string model = missing_model(method); !model.empty())
        out.push_back(method.label + " is left out: the library has no model '" + model + "'");
  return out;
}

void run_part(const std::string& part, const Command& command) {
  if (part == "toys") {
    std::cout << "## Toy data\n\n";
    check_toys(std::cout);
  } else if (part == "additive") {
    std::cout << "## Figures 1 and 2\n\n";
    draw_additive(command.pictures, std::cout);
  } else if (part == "orders") {
    std::cout << "## Section 3.1: orders of time and memory\n\n";
    print_orders(command.scale, std::cout);
  } else if (part == "illustrations") {
    std::cout << "## Figures 3 and 4\n\n";
    draw_illustrations(command.data, command.pictures, std::cout);
  } else {
    run_section(part, command);
  }
}

}  // namespace

int main(int argc, char** argv) {
  return run_program({.name = "reproduce_sacde", .parts = parts, .notices = notices, .run = run_part}, argc, argv);
}
