#pragma once
// What a study checks before it is believed: quantities that should be equal, and by how much they are not.

#include <ostream>
#include <stdexcept>
#include <string>

#include "common/markdown.hpp"
#include "condens/core/errors.hpp"

namespace condens::reproduce {

/// The largest differences, as rows of a table.
class Differences {
 public:
  /// Throws std::runtime_error where the difference is larger than allowed, or NaN.
  void add(const std::string& what, double difference, double allowed) {
    if (!(difference <= allowed)) throw std::runtime_error(message(what, ": differs by ", difference));
    table_.add({what, significant(difference), significant(allowed)});
  }
  void print(std::ostream& out) const { table_.print(out); }

 private:
  MarkdownTable table_{{"what", "largest difference", "allowed"}};
};

}  // namespace condens::reproduce
