// Reproduces Chen, Hong and Harris (2010): Tables I to IX and Figures 1 to 10.

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "common/command.hpp"
#include "illustrations.hpp"
#include "rates.hpp"
#include "self_check.hpp"
#include "studies.hpp"
#include "tables.hpp"

namespace {

using namespace condens::reproduce;

/// In the order of printed_groups.
const std::vector<std::string> table_parts = {"table1", "table3", "table5", "table7", "table9"};

std::vector<std::string> all_parts() {
  std::vector<std::string> out = {"densities", "figures"};
  out.insert(out.end(), table_parts.begin(), table_parts.end());
  for (const char* part : {"standing", "readings", "counts", "rates"}) out.emplace_back(part);
  return out;
}

RecordBook open_book(const Command& command) {
  return {std::filesystem::path(command.records) / (command.scale == Scale::quick ? "quick.csv" : "full.csv"),
          number_names()};
}

std::vector<Study> all_studies(Scale scale) {
  std::vector<Study> all;
  for (const PrintedGroup& group : printed_groups)
    for (Study& study : studies(group, scale)) all.push_back(std::move(study));
  return all;
}

void print_all_counts(const Command& command) {
  const RecordBook book = open_book(command);
  const std::vector<Study> all = all_studies(command.scale);
  std::cout << "## Tables II, IV, VI and VIII: evaluations of the leave-one-out criterion\n\n";
  print_counts(book, all, std::cout);
  print_count_reasons(book, all, std::cout);
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
  } else if (part == "standing") {
    std::cout << "## Our GSKD beside our other densities\n\n";
    print_standing(open_book(command), all_studies(command.scale), std::cout);
  } else if (part == "rates") {
    RecordBook book(
        std::filesystem::path(command.records) / (command.scale == Scale::quick ? "rates-quick.csv" : "rates.csv"),
        rate_number_names());
    std::cout << "## The window's rate\n\n";
    measure_rates(book, command.scale, command.minutes, std::cout);
  } else if (part == "readings") {
    const std::vector<Study> own = reading_studies(command.scale);
    RecordBook book = open_book(command);
    run_studies(own, book, command.minutes);
    std::cout << "## Readings of what is not printed\n\n";
    print_readings(book, own, std::cout);
    book.print_older(std::cout);
  } else {
    const auto place = std::find(table_parts.begin(), table_parts.end(), part) - table_parts.begin();
    const std::vector<Study> own = studies(printed_groups[static_cast<std::size_t>(place)], command.scale);
    RecordBook book = open_book(command);
    run_studies(own, book, command.minutes);
    print_tables(book, own, std::cout);
    book.print_older(std::cout);
  }
}

std::vector<std::string> notices() {
  std::vector<std::string> out;
  for (const std::string& model : missing_models())
    out.push_back("the library has no model '" + model + "', which is left out");
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  return run_program(
      {.name = "reproduce_gskd",
       .parts = all_parts(),
       .reads_data = false,
       .note = "`counts` (Tables II, IV, VI, VIII) and `standing` print what the other tables' fits gave.",
       .notices = notices,
       .run = run_part},
      argc, argv);
}
