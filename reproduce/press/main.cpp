// Reproduces Goerg (2017): Figures 1 to 7 and Tables 1 and 2.

#include <iostream>

#include "abalone.hpp"
#include "common/command.hpp"
#include "examples.hpp"
#include "mnist.hpp"
#include "motorcycle.hpp"
#include "self_check.hpp"
#include "statements.hpp"

namespace {

using namespace condens::reproduce;

void run_part(const std::string& part, const Command& command) {
  if (part == "equations") {
    std::cout << "## Equations\n\n";
    check_equations(std::cout);
  } else if (part == "examples") {
    std::cout << "## Figure 1: examples\n\n";
    run_examples(command, std::cout);
  } else if (part == "statements") {
    std::cout << "## Sections 4 and 4.3 to 4.6: what the text says of states\n\n";
    run_statements(command, std::cout);
  } else if (part == "motorcycle") {
    std::cout << "## Section 5.1: motorcycle data\n\n";
    run_motorcycle(command, std::cout);
  } else if (part == "abalone") {
    std::cout << "## Section 5.2: abalone data\n\n";
    run_abalone(command, std::cout);
  } else {
    std::cout << "## Section 5.3: handwritten digits\n\n";
    run_mnist(command, std::cout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  return run_program({.name = "reproduce_press",
                      .parts = {"equations", "examples", "statements", "motorcycle", "abalone", "mnist"},
                      .note = "`mnist` reads the unpacked files in RECORDS/mnist (run.sh unpacks them).",
                      .run = run_part},
                     argc, argv);
}
