#pragma once
// Which inputs matter: how the law of y moves when one input moves over its range and
// the others stay at their typical values. Made from the model alone, without data.

#include <string>
#include <vector>

#include "condens/io/model_file.hpp"

namespace condens::cli {

struct Influence {
  struct Step {
    std::string value;  ///< of the input
    Vector mean;        ///< of every target
    Vector std;
  };
  std::string input;
  std::vector<Step> steps;  ///< minimum, median and maximum; or every level
  double size;              ///< largest change of a mean or std, in standard deviations at the typical inputs
};

/// The most influential input first; inputs that the model left out are not among them.
std::vector<Influence> influences(const Model& model);

}  // namespace condens::cli
