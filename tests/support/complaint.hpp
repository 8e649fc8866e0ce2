#pragma once
// The text of the exception that a call throws, or nothing when it throws none.

#include <stdexcept>
#include <string>

namespace condens {

template <class Error = std::invalid_argument, class Call>
std::string complaint(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace condens
