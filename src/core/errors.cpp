#include "condens/core/errors.hpp"

#include <sstream>

#include "text.hpp"

namespace condens {

std::string message_of(std::initializer_list<MessagePart> parts) {
  std::ostringstream out;
  out.precision(10);
  bool quoted = false;
  for (const MessagePart& part : parts) {
    switch (part.kind_) {
      case MessagePart::Kind::literal: {
        const bool closes = quoted && part.text_.starts_with('\'');
        if (closes) quoted = false;
        if (part.text_.substr(closes ? 1 : 0).ends_with('\'')) quoted = true;
        out << part.text_;
        break;
      }
      case MessagePart::Kind::text:
        if (quoted)
          out << shown(part.text_);
        else
          out << part.text_;
        break;
      case MessagePart::Kind::character:
        out << static_cast<char>(part.whole_);
        break;
      case MessagePart::Kind::whole:
        out << part.whole_;
        break;
      case MessagePart::Kind::natural:
        out << part.natural_;
        break;
      case MessagePart::Kind::real:
        out << part.real_;
        break;
    }
  }
  return out.str();
}

}  // namespace condens
