#include "common/command.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <stdexcept>

#include "condens/core/errors.hpp"
#include "core/freed_memory.hpp"

namespace condens::reproduce {

namespace {

class UsageError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::string usage(const Program& program) {
  std::string out = "usage: " + program.name + " PART " + (program.reads_data ? "DATA " : "") +
                    "RECORDS PICTURES [--quick] [--minutes NUMBER]\n\nPART      ";
  for (const std::string& part : program.parts) out += part + " | ";
  out += "all\n";
  if (program.reads_data) out += "DATA      directory of the data sets (README.md)\n";
  out +=
      "RECORDS   directory that keeps the result of every fit; a second run computes only what is missing.\n"
      "          What a method gave before its last change is computed again.\n"
      "PICTURES  directory for the figures\n"
      "--quick   small samples and few repetitions, for development\n"
      "--minutes begin no further fit of a part after so many minutes; tables say what is missing\n"
      "\n"
      "Markdown goes to standard output.";
  return out + (program.note.empty() ? "\n" : " " + program.note + "\n");
}

double number_of(const std::string& text) {
  char* end = nullptr;
  const double out = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != 0 || !(out >= 0)) throw UsageError("--minutes " + text + ": expected a number >= 0");
  return out;
}

Command parse(const Program& program, const std::vector<std::string>& arguments) {
  Command out;
  std::vector<std::string> places;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--quick")
      out.scale = Scale::quick;
    else if (arguments[i] == "--minutes" && i + 1 < arguments.size())
      out.minutes = number_of(arguments[++i]);
    else
      places.push_back(arguments[i]);
  }
  const std::size_t expected = program.reads_data ? 4 : 3;
  if (places.size() != expected) throw UsageError("expected " + std::to_string(expected) + " arguments");
  const auto& parts = program.parts;
  if (places[0] != "all" && std::find(parts.begin(), parts.end(), places[0]) == parts.end())
    throw UsageError("no part '" + places[0] + "'");
  out.part = places[0];
  out.pictures = places.back();
  out.records = places[expected - 2];
  if (program.reads_data) {
    out.data = places[1];
    require(std::filesystem::is_directory(out.data), "'", out.data, "' is not a directory");
  }
  return out;
}

}  // namespace

int run_program(const Program& program, int argc, char** argv) {
  keep_freed_memory();
  try {
    const Command command = parse(program, {argv + 1, argv + argc});
    if (program.notices)
      for (const std::string& notice : program.notices()) std::cerr << program.name << ": " << notice << '\n';
    for (const std::string& part : program.parts)
      if (command.part == "all" || command.part == part) program.run(part, command);
    return 0;
  } catch (const UsageError& error) {
    std::cerr << program.name << ": " << error.what() << "\n\n" << usage(program);
    return 2;
  } catch (const std::exception& error) {
    std::cerr << program.name << ": " << error.what() << '\n';
    return 1;
  }
}

}  // namespace condens::reproduce
