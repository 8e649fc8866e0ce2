#pragma once
// The text of what a call throws, whether its argument or a file is wrong, or "no error".

#include <stdexcept>
#include <string>

#include "condens/core/errors.hpp"

namespace condens::tests {

template <class Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  } catch (const FormatError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace condens::tests
