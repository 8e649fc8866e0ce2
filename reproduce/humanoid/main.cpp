// The humanoid robot of two papers by itself: its checks as a table, or its numbers for mujoco_check.py.

#include <exception>
#include <iostream>
#include <string>

#include "condens/io/document_format.hpp"
#include "humanoid/motions.hpp"
#include "humanoid/self_check.hpp"

int main(int argc, char** argv) {
  using namespace condens;
  const std::string part = argc == 2 ? argv[1] : "";
  if (part != "check" && part != "motions") {
    std::cerr << "usage: reproduce_humanoid check | motions\n\n"
                 "check    checks the simulator, as a table in Markdown\n"
                 "motions  the robot and some of its motions, in JSON\n";
    return 2;
  }
  try {
    if (part == "check")
      reproduce::check_humanoid(std::cout);
    else
      std::cout << document_to_json(reproduce::describe_motions(reproduce::make_humanoid())) << '\n';
  } catch (const std::exception& error) {
    std::cerr << "reproduce_humanoid: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
