// Reproduces Tangkaratt, Xie and Sugiyama (2015): Figures 2 and 3, Tables 1 and 2.

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "condens/core/errors.hpp"
#include "illustrations.hpp"
#include "tables.hpp"

namespace {

using namespace condens::reproduce;

constexpr const char* usage =
    "usage: reproduce_lsce PART DATA RECORDS PICTURES [--quick] [--minutes NUMBER]\n"
    "\n"
    "PART      toys | figure2 | figure3 | tables | all\n"
    "DATA      directory of the data sets (README.md)\n"
    "RECORDS   directory that keeps the result of every fit; a second run computes only what is missing.\n"
    "          Use a fresh one after a change of the library.\n"
    "PICTURES  directory for the figures\n"
    "--quick   small samples and two repetitions, for development\n"
    "--minutes begin no further fit of a part after so many minutes; tables say what is missing\n"
    "\n"
    "Markdown goes to standard output.\n";

const std::vector<std::string> parts = {"toys", "figure2", "figure3", "tables"};

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

RecordBook open_book(const Command& command, const std::string& part) {
  const std::string scale = command.scale == Scale::quick ? "quick-" : "";
  return {std::filesystem::path(command.records) / (scale + part + ".csv"), number_names()};
}

void figure_3(const Command& command) {
  const Study study = artificial_study(command.scale);
  RecordBook book = open_book(command, "figure3");
  run_study(study, book, command.minutes);
  const Report report{study, book, command.pictures};
  print_by_size(report, std::cout);
  std::cout << "### Pairs of methods\n\n";
  print_pairs(report, Number::subspace, "Error_DR",
              {{"LSCE/LSCDE", "LSMI/LSCDE"},
               {"LSCE/LSCDE", "SIR/LSCDE"},
               {"LSCE/LSCDE", "SAVE/LSCDE"},
               {"LSCE/LSCDE masked", "LSCE/LSCDE"},
               {"LSCE/LSCDE masked", "LSMI/LSCDE masked"},
               {"our LSCE", "LSCE/LSCDE"},
               {"our LSMI", "LSMI/LSCDE"},
               {"our LSCE", "our LSMI"}},
              std::cout);
  print_pairs(report, Number::squared, "Error_CDE",
              {{"LSCE/LSCDE", "LSMI/LSCDE"},
               {"LSCE/LSCDE", "None/LSCDE"},
               {"LSCE/LSCDE", "True/LSCDE"},
               {"LSCE/LSCDE", "LSCE/eKDE"},
               {"LSCE/LSCDE masked", "LSCE/LSCDE"},
               {"LSCE/LSCDE masked", "LSMI/LSCDE masked"},
               {"our LSCE", "LSCE/LSCDE"},
               {"our LSCE", "our True"}},
              std::cout);
}

void tables(const Command& command) {
  const Study study = benchmark_study(command.scale, command.data);
  RecordBook book = open_book(command, "tables");
  run_study(study, book, command.minutes);
  const Report report{study, book, command.pictures};
  print_table_1(report, std::cout);
  print_table_2(report, std::cout);
}

void run_part(const std::string& part, const Command& command) {
  if (part == "toys") {
    std::cout << "## Artificial data\n\n";
    check_toys(std::cout);
  } else if (part == "figure2") {
    std::cout << "## Figure 2\n\n";
    draw_illustrations(command.data, command.pictures, std::cout);
  } else if (part == "figure3") {
    std::cout << "## Section 3.2: artificial data\n\n";
    figure_3(command);
  } else {
    std::cout << "## Section 3.3: benchmark data\n\n";
    tables(command);
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Command command = parse({argv + 1, argv + argc});
    for (const std::string& part : parts)
      if (command.part == "all" || command.part == part) run_part(part, command);
    return 0;
  } catch (const UsageError& error) {
    std::cerr << "reproduce_lsce: " << error.what() << "\n\n" << usage;
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "reproduce_lsce: " << error.what() << '\n';
    return 1;
  }
}
