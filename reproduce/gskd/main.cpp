// Reproduces Chen, Hong and Harris (2010): Tables I to IX and Figures 1 to 10.

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "illustrations.hpp"
#include "self_check.hpp"
#include "studies.hpp"
#include "tables.hpp"

namespace {

using namespace condens::reproduce;

constexpr const char* usage =
    "usage: reproduce_gskd PART RECORDS PICTURES [--quick] [--minutes NUMBER]\n"
    "\n"
    "PART      densities | figures | table1 | table3 | table5 | table7 | table9 | counts | readings | all\n"
    "RECORDS   directory that keeps the result of every fit; a second run computes only what is missing.\n"
    "          Use a fresh one after a change of the library.\n"
    "PICTURES  directory for the figures\n"
    "--quick   small samples and two repetitions, for development\n"
    "--minutes begin no further fit of a table after so many minutes; tables say what is missing\n"
    "\n"
    "Markdown goes to standard output. `counts` (Tables II, IV, VI, VIII) prints what the other tables' fits "
    "counted.\n";

/// In the order of printed_groups.
const std::vector<std::string> table_parts = {"table1", "table3", "table5", "table7", "table9"};

std::vector<std::string> all_parts() {
  std::vector<std::string> out = {"densities", "figures"};
  out.insert(out.end(), table_parts.begin(), table_parts.end());
  out.push_back("counts");
  out.push_back("readings");
  return out;
}

struct Command {
  std::string part;
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
  if (places.size() != 3) throw UsageError("expected three arguments");
  const std::vector<std::string> parts = all_parts();
  if (places[0] != "all" && std::find(parts.begin(), parts.end(), places[0]) == parts.end())
    throw UsageError("no part '" + places[0] + "'");
  out.part = places[0];
  out.records = places[1];
  out.pictures = places[2];
  return out;
}

RecordBook open_book(const Command& command) {
  return {std::filesystem::path(command.records) / (command.scale == Scale::quick ? "quick.csv" : "full.csv"),
          number_names()};
}

void print_all_counts(const Command& command) {
  const RecordBook book = open_book(command);
  std::vector<Study> all;
  for (const PrintedGroup& group : printed_groups)
    for (Study& study : studies(group, command.scale)) all.push_back(std::move(study));
  std::cout << "## Tables II, IV, VI and VIII: evaluations of the leave-one-out criterion\n\n";
  print_counts(book, all, std::cout);
  print_searches(book, all, std::cout);
}

void run_part(const std::string& part, const Command& command) {
  if (part == "densities") {
    std::cout << "## Densities\n\n";
    check_densities(std::cout);
  } else if (part == "figures") {
    std::cout << "## Figures 1 to 10\n\n";
    draw_illustrations(command.pictures, std::cout);
  } else if (part == "counts") {
    print_all_counts(command);
  } else if (part == "readings") {
    const std::vector<Study> own = reading_studies(command.scale);
    RecordBook book = open_book(command);
    run_studies(own, book, command.minutes);
    std::cout << "## Readings of what is not printed\n\n";
    print_readings(book, own, std::cout);
  } else {
    const auto place = std::find(table_parts.begin(), table_parts.end(), part) - table_parts.begin();
    const std::vector<Study> own = studies(printed_groups[static_cast<std::size_t>(place)], command.scale);
    RecordBook book = open_book(command);
    run_studies(own, book, command.minutes);
    print_tables(book, own, std::cout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Command command = parse({argv + 1, argv + argc});
    for (const std::string& model : missing_models())
      std::cerr << "reproduce_gskd: the library has no model '" << model << "', which is left out\n";
    for (const std::string& part : all_parts())
      if (command.part == "all" || command.part == part) run_part(part, command);
    return 0;
  } catch (const UsageError& error) {
    std::cerr << "reproduce_gskd: " << error.what() << "\n\n" << usage;
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "reproduce_gskd: " << error.what() << '\n';
    return 1;
  }
}
