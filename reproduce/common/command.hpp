#pragma once
// The command line of a paper's program: which part, where data and pictures are, how much time.

#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace condens::reproduce {

/// Everything at the size of the paper; or small, for development.
enum class Scale { full, quick };

struct Command {
  std::string part;       ///< one of the program's, or "all"
  std::string data = {};  ///< empty where the program reads none
  std::string records;
  std::string pictures;
  Scale scale = Scale::full;
  double minutes = std::numeric_limits<double>::infinity();
};

struct Program {
  std::string name;
  std::vector<std::string> parts;  ///< in the order in which "all" runs them
  bool reads_data = true;
  std::string note = {};                                   ///< at the end of the usage text, a sentence
  std::function<std::vector<std::string>()> notices = {};  ///< sentences on standard error before all parts
  std::function<void(const std::string& part, const Command& command)> run;
};

/// What `main` returns: 0; 2 for a command line that is not understood, after the usage text; 1 for another error.
int run_program(const Program& program, int argc, char** argv);

}  // namespace condens::reproduce
