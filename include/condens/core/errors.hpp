#pragma once
// What can go wrong, and how it is said. A caller's mistake is a
// std::invalid_argument that names the function, the argument, its value and
// what was expected; `require` builds such messages.

#include <sstream>
#include <stdexcept>
#include <string>

namespace condens {

/// The numbers did not allow an answer (for instance no weight is left).
struct NumericalError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A file is not what it claims to be: truncated, altered, of another program.
struct FormatError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The observer asked to stop.
struct Cancelled : std::runtime_error {
  Cancelled() : std::runtime_error("cancelled by the caller") {}
};

/// Concatenates anything that prints, doubles with enough digits to recognise them.
template <class... Parts>
std::string message(const Parts&... parts) {
  std::ostringstream out;
  out.precision(10);
  (out << ... << parts);
  return out.str();
}

/// Throws std::invalid_argument with the concatenated parts unless `ok`.
template <class... Parts>
void require(bool ok, const Parts&... parts) {
  if (!ok) throw std::invalid_argument(message(parts...));
}

}  // namespace condens
