#pragma once
// What can go wrong, and how it is said. A caller's mistake is a
// std::invalid_argument that names the function, the argument, its value and
// what was expected; `require` builds such messages.

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>

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

/// A part of a message: a literal, a text or a number, so that messages are put together in one place for all types.
class MessagePart {
 public:
  template <std::size_t N>
  MessagePart(const char (&literal)[N]) : kind_(Kind::literal), text_(literal) {}
  template <std::convertible_to<std::string_view> Text>
  MessagePart(const Text& text) : kind_(Kind::text), text_(text) {}
  MessagePart(char character) : kind_(Kind::character), whole_(character) {}
  MessagePart(std::signed_integral auto number) : kind_(Kind::whole), whole_(number) {}
  MessagePart(std::unsigned_integral auto number) : kind_(Kind::natural), natural_(number) {}
  MessagePart(double number) : kind_(Kind::real), real_(number) {}

 private:
  friend std::string message_of(std::initializer_list<MessagePart> parts);
  enum class Kind { literal, text, character, whole, natural, real };

  Kind kind_;
  std::string_view text_ = {};
  long long whole_ = 0;
  unsigned long long natural_ = 0;
  double real_ = 0;
};

/// Concatenates the parts, doubles with enough digits to recognise them. What stands between the quotes of two
/// literals, as in "column '", name, "' is missing", may come from anywhere: it is printed as shown() (text.hpp) does.
std::string message_of(std::initializer_list<MessagePart> parts);

template <class... Parts>
std::string message(const Parts&... parts) {
  return message_of({parts...});
}

/// Throws std::invalid_argument with the concatenated parts unless `ok`.
template <class... Parts>
void require(bool ok, const Parts&... parts) {
  if (!ok) throw std::invalid_argument(message_of({parts...}));
}

}  // namespace condens
