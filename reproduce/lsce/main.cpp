// Reproduces Tangkaratt, Xie and Sugiyama (2015): Figures 2 and 3, Tables 1 and 2.

#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "blow_up.hpp"
#include "brush_pictures.hpp"
#include "common/command.hpp"
#include "illustrations.hpp"
#include "readings.hpp"
#include "tables.hpp"
#include "theory.hpp"

namespace {

using namespace condens::reproduce;

const std::vector<std::string> parts = {"theory", "toys",    "figure2", "figure3",  "tables",
                                        "robot",  "blow-up", "sumie",   "readings", "nearest"};

std::filesystem::path record_file(const Command& command, const std::string& part) {
  const std::string scale = command.scale == Scale::quick ? "quick-" : "";
  return std::filesystem::path(command.records) / (scale + part + ".csv");
}

RecordBook open_book(const Command& command, const std::string& part) {
  return {record_file(command, part), number_names()};
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
  book.print_older(std::cout);
}

void tables(const Command& command) {
  const Study study = benchmark_study(command.scale, command.data);
  RecordBook book = open_book(command, "tables");
  run_study(study, book, command.minutes);
  const Report report{study, book, command.pictures};
  print_table_1(report, std::cout);
  print_table_2(report, std::cout);
  book.print_older(std::cout);
}

void robot(const Command& command) {
  const Study study = robot_study(command.scale);
  RecordBook book = open_book(command, "robot");
  run_study(study, book, command.minutes);
  const Study reading = simulator_reading_study(study);
  run_study(reading, book, command.minutes);
  print_table_1({study, book, command.pictures}, std::cout);
  print_reading({reading, book, command.pictures}, std::cout);
  print_table_2({study, book, command.pictures}, std::cout);
  book.print_older(std::cout);
}

void blow_up(const Command& command) {
  RecordBook book(record_file(command, "blow-up"), blow_up_numbers());
  explain_blow_up(command.scale, book, command.minutes, std::cout);
}

void sumie(const Command& command) {
  check_brush(std::cout);
  draw_strokes(command.pictures, std::cout);
  const Study study = sumie_study(command.scale);
  RecordBook book = open_book(command, "sumie");
  run_study(study, book, command.minutes);
  const Study reading = simulator_reading_study(study);
  run_study(reading, book, command.minutes);
  print_sumie({study, book, command.pictures}, {reading, book, command.pictures}, std::cout);
  book.print_older(std::cout);
}

void readings(const Command& command) {
  const Study study = readings_study(command.scale, command.data);
  RecordBook book = open_book(command, "readings");
  run_study(study, book, command.minutes);
  print_readings({study, book, command.pictures}, std::cout);
  book.print_older(std::cout);
}

/// By the reading that the records of the part before say.
void nearest(const Command& command) {
  const Study crossed = readings_study(command.scale, command.data);
  const RecordBook crossed_book = open_book(command, "readings");
  const Report readings_report{crossed, crossed_book, command.pictures};
  RecordBook book = open_book(command, "nearest");
  const Study toy = nearest_toy_study(command.scale, readings_report);
  run_study(toy, book, command.minutes);
  print_nearest_toy({toy, book, command.pictures}, std::cout);
  const Study sets = nearest_table_study(command.scale, readings_report);
  run_study(sets, book, command.minutes);
  print_nearest_table({sets, book, command.pictures}, readings_report, std::cout);
  book.print_older(std::cout);
}

void run_part(const std::string& part, const Command& command) {
  if (part == "theory") {
    std::cout << "## Theory\n\n";
    check_theory(std::cout);
  } else if (part == "toys") {
    std::cout << "## Artificial data\n\n";
    check_toys(std::cout);
    draw_histograms(command.pictures, std::cout);
  } else if (part == "figure2") {
    std::cout << "## Figure 2\n\n";
    draw_illustrations(command.data, command.pictures, std::cout);
  } else if (part == "figure3") {
    std::cout << "## Section 3.2: artificial data\n\n";
    figure_3(command);
  } else if (part == "tables") {
    std::cout << "## Section 3.3: benchmark data\n\n";
    tables(command);
  } else if (part == "robot") {
    std::cout << "## Section 3.4: the humanoid robot\n\n";
    robot(command);
  } else if (part == "blow-up") {
    std::cout << "### Why LSCE/LSCDE has a positive error with two joints\n\n";
    blow_up(command);
  } else if (part == "sumie") {
    std::cout << "## Section 3.5: sumi-e\n\n";
    sumie(command);
  } else if (part == "readings") {
    std::cout << "## Readings of what the paper leaves open\n\n";
    readings(command);
  } else {
    std::cout << "### LSCE and LSMI with the nearest reading of LSCDE\n\n";
    nearest(command);
  }
}

}  // namespace

int main(int argc, char** argv) {
  return run_program({.name = "reproduce_lsce", .parts = parts, .run = run_part}, argc, argv);
}
