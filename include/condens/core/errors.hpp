#pragma once
// What can go wrong, and how it is said. A caller's mistake is a
// std::invalid_argument that names the function, the argument, its value and
// what was expected; `require` builds such messages.

#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

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

/// Puts a message together. What stands between the quotes of two literals, as in "column '", name, "' is missing",
/// may come from anywhere: it is printed as shown() (text.hpp) does.
class MessageText {
 public:
  MessageText() { out_.precision(10); }

  template <class Part>
  void add(const Part& part) {
    if constexpr (std::is_array_v<Part>)
      add_literal(part);
    else if constexpr (std::is_convertible_v<const Part&, std::string_view>)
      add_text(part);
    else
      out_ << part;
  }
  std::string text() const { return out_.str(); }

 private:
  void add_literal(std::string_view text);
  void add_text(std::string_view text);

  std::ostringstream out_;
  bool quoted_ = false;
};

/// Concatenates anything that prints, doubles with enough digits to recognise them.
template <class... Parts>
std::string message(const Parts&... parts) {
  MessageText out;
  (out.add(parts), ...);
  return out.text();
}

/// Throws std::invalid_argument with the concatenated parts unless `ok`.
template <class... Parts>
void require(bool ok, const Parts&... parts) {
  if (!ok) throw std::invalid_argument(message(parts...));
}

}  // namespace condens
