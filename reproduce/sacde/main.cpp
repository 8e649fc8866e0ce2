// Reproduces Shiga, Tangkaratt and Sugiyama (2015): Figures 3 and 4 and the experiments of
// sections 3.3 to 3.6.

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include "condens/core/errors.hpp"
#include "illustrations.hpp"
#include "self_check.hpp"
#include "studies.hpp"
#include "tables.hpp"

namespace {

using namespace condens::reproduce;

constexpr const char* usage =
    "usage: reproduce_sacde PART DATA RECORDS PICTURES [--quick] [--minutes NUMBER]\n"
    "\n"
    "PART      toys | illustrations | sizes | candidates | readings | irrelevant | benchmarks | all\n"
    "DATA      directory of the data sets (common/fetch_data.sh)\n"
    "RECORDS   directory that keeps the result of every fit; a second run computes only what is missing.\n"
    "          Use a fresh one after a change of the library.\n"
    "PICTURES  directory for the figures\n"
    "--quick   small samples and two repetitions, for development\n"
    "--minutes begin no further fit of a part after so many minutes; tables say what is missing\n"
    "\n"
    "Markdown goes to standard output.\n";

const std::vector<std::string> parts = {"toys",       "illustrations", "readings",  "sizes",
                                        "candidates", "irrelevant",    "benchmarks"};

const std::vector<std::pair<std::string, std::string>> pairs = {{"SA-LSCDE", "FW-LSCDE"},
                                                                {"SA-LSCDE", "SA-CDE"},
                                                                {"our SA-CDE", "SA-CDE"},
                                                                {"our SA-LSCDE", "SA-LSCDE"},
                                                                {"our NW-CDE", "NW-CDE"}};

struct Command {
  std::string part;
  std::string data;
  std::string records;
  std::string pictures;
  Scale scale = Scale::full;
  double minutes = std::numeric_limits<double>::infinity();
};

class UsageError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

Command parse(const std::vector<std::string>& arguments) {
  Command out;
  std::vector<std::string> places;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--quick")
      out.scale = Scale::quick;
    else if (arguments[i] == "--minutes" && i + 1 < arguments.size())
      out.minutes = std::stod(arguments[++i]);
    else
      places.push_back(arguments[i]);
  }
  if (places.size() != 4) throw UsageError("expected four arguments");
  if (places[0] != "all" && std::find(parts.begin(), parts.end(), places[0]) == parts.end())
    throw UsageError("no part '" + places[0] + "'");
  out.part = places[0];
  out.data = places[1];
  out.records = places[2];
  out.pictures = places[3];
  condens::require(std::filesystem::is_directory(out.data), "'", out.data, "' is not a directory");
  return out;
}

struct Section {
  std::string heading;
  std::string level_name;
  Study study;
  bool log_levels = false;
};

Section section(const std::string& part, const Command& command) {
  if (part == "readings") return {"Readings of toy data 1 (N = 300)", "N", readings_study(command.scale)};
  if (part == "sizes") return {"Section 3.3: numbers of samples", "N", sizes_study(command.scale), true};
  if (part == "candidates") return {"Section 3.4: numbers of candidates", "N", candidates_study(command.scale), true};
  if (part == "irrelevant")
    return {"Section 3.5: irrelevant inputs", "m", irrelevant_study(command.scale, command.data)};
  return {"Section 3.6: benchmark sets", "m", benchmark_study(command.scale, command.data)};
}

void run_study(const std::string& part, const Command& command) {
  const Section own = section(part, command);
  RecordBook book(std::filesystem::path(command.records) / (command.scale == Scale::quick ? "quick.csv" : "full.csv"));
  run_trials(own.study, book, command.minutes);
  const Report report{own.study, book, own.level_name, part, command.pictures, own.log_levels};
  std::cout << "## " << own.heading << "\n\n";
  if (part == "benchmarks") {
    print_by_data(report, std::cout);
  } else if (part == "readings") {
    print_across(report, std::cout);
  } else {
    print_by_level(report, std::cout);
    print_growth(report, std::cout);
  }
  print_pairs(report, pairs, std::cout);
}

void say_what_is_missing() {
  for (const auto& methods : {paper_methods(), recommended_methods()})
    for (const Method& method : methods)
      if (const std::string model = missing_model(method); !model.empty())
        std::cerr << "reproduce_sacde: " << method.label << " is left out: the library has no model '" << model
                  << "'\n";
}

void run_part(const std::string& part, const Command& command) {
  if (part == "toys") {
    std::cout << "## Toy data\n\n";
    check_toys(std::cout);
  } else if (part == "illustrations") {
    std::cout << "## Figures 3 and 4\n\n";
    draw_illustrations(command.data, command.pictures, std::cout);
  } else {
    run_study(part, command);
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Command command = parse({argv + 1, argv + argc});
    say_what_is_missing();
    for (const std::string& part : parts)
      if (command.part == "all" || command.part == part) run_part(part, command);
    return 0;
  } catch (const UsageError& error) {
    std::cerr << "reproduce_sacde: " << error.what() << "\n\n" << usage;
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "reproduce_sacde: " << error.what() << '\n';
    return 1;
  }
}
