// Reproduces Sugiyama et al. (2010): Figure 1 and Tables 1 and 2; and measures what each part of the recommended preset
// of LSCDE is worth.

#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "common/command.hpp"
#include "comparison.hpp"
#include "illustrations.hpp"
#include "robot_pictures.hpp"
#include "simulator_check.hpp"
#include "studies.hpp"
#include "tables.hpp"
#include "theory.hpp"

namespace {

using namespace condens::reproduce;

const std::vector<std::string> parts = {"illustrations", "column",  "table1", "weakened",         "robots",
                                        "table2",        "presets", "rate",   "cross-validation", "unlabeled"};

void illustrations(const Command& command) {
  std::cout << "## Figure 1\n\n";
  draw_illustrations(command.data, command.pictures, std::cout);
  print_toy_scores(std::cout);
}

void column(const Command& command) {
  const std::vector<SetResults> results = run_halves(command.data, {paper_variant, recommended_variant});
  print_lscde_column(results, run_authors_program(command.data), std::cout);
}

RecordBook records_of(const Command& command) {
  const std::string stem = command.scale == Scale::quick ? "quick.csv" : "full.csv";
  return {std::filesystem::path(command.records) / stem, number_names()};
}

/// The whole of a table: beside the paper, the readings, the recommended models. The texts end two titles.
void print_table(const Report& report, const std::string& recommended, const std::string& all) {
  print_beside(report, std::cout);
  print_order(report, std::cout);
  std::cout << "Without the cap, and with other readings of the columns:\n\n";
  print_exact(report, std::cout);
  std::cout << "### What the library recommends" << recommended << "\n\n";
  print_recommended(report, std::cout);
  print_pool(report, std::cout);
  std::cout << "All methods over " << all << ":\n\n";
  print_summary(report, std::cout);
}

void table_1(const Command& command) {
  const Study study = benchmark_study(command.scale, command.data);
  RecordBook book = records_of(command);
  run_study(study, book, command.minutes);
  std::cout << "## Table 1\n\nThe paper's methods, capped, each row above the printed one.\n\n";
  print_table({study, book}, "", "all sets");
  book.print_older(std::cout);
}

void weakened(const Command& command) {
  const Study study = weakened_study(command.scale, command.data);
  RecordBook book = records_of(command);
  run_study(study, book, command.minutes);
  std::cout
      << "## Table 1 with weakened rivals\n\nAs Table 1, LS-CDE as it is; eKDE with the candidates of section 2.6, "
         "and all rows where none is near; MDN without decay; KQR as finite differences of its 19 quantiles, zero "
         "outside of these; RKDE as the bare ratio. Capped, each row above the printed one.\n\n";
  print_beside({study, book}, std::cout);
  print_order({study, book}, std::cout);
}

void robots(const Command& command) {
  std::cout << "## The simulators of Table 2\n\n";
  check_simulators(std::cout);
  draw_robots(command.pictures, std::cout);
}

void table_2(const Command& command) {
  const Study study = robot_study(command.scale);
  RecordBook book = records_of(command);
  run_study(study, book, command.minutes);
  std::cout
      << "## Table 2\n\nThe paper's methods, capped, each row above the printed one, which is of other simulators.\n\n";
  print_table({study, book}, " for the robots", "the four robots");

  const Study worse = badly_measured_study(command.scale);
  run_study(worse, book, command.minutes);
  std::cout << "### The pendulums, measured with ten times the errors\n\n";
  print_beside({worse, book}, std::cout);
  print_recommended({worse, book}, std::cout);
  book.print_older(std::cout);
}

void presets(const Command& command) {
  std::vector<Variant> variants = {recommended_variant};
  for (Variant& variant : ablations()) variants.push_back(std::move(variant));
  print_presets(variants, run_halves(command.data, variants), std::cout);
}

void run_part(const std::string& part, const Command& command) {
  if (part == "illustrations") {
    illustrations(command);
  } else if (part == "column") {
    column(command);
  } else if (part == "table1") {
    table_1(command);
  } else if (part == "weakened") {
    weakened(command);
  } else if (part == "robots") {
    robots(command);
  } else if (part == "table2") {
    table_2(command);
  } else if (part == "rate") {
    print_rate(command.scale, std::cout);
  } else if (part == "cross-validation") {
    print_cross_validation(command.scale, std::cout);
  } else if (part == "unlabeled") {
    print_unlabeled(command.scale, std::cout);
  } else {
    presets(command);
  }
}

}  // namespace

int main(int argc, char** argv) {
  return run_program({.name = "reproduce_lscde", .parts = parts, .run = run_part}, argc, argv);
}
