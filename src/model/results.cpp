#include "condens/model/results.hpp"

namespace condens {

std::string ResultShape::text() const {
  const std::string one(first);
  const std::string two(second);
  switch (kind) {
    case Kind::single:
      return "";
    case Kind::line:
      return "(" + one + ",)";
    case Kind::columns:
    case Kind::rows:
      return "(" + one + ", " + two + ")";
    case Kind::squares:
      break;
  }
  return "(" + one + ", " + two + ", " + two + ")";
}

}  // namespace condens
