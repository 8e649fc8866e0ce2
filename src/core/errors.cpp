#include "condens/core/errors.hpp"

#include "text.hpp"

namespace condens {

void MessageText::add_literal(std::string_view text) {
  const bool closes = quoted_ && text.starts_with('\'');
  if (closes) quoted_ = false;
  if (text.substr(closes ? 1 : 0).ends_with('\'')) quoted_ = true;
  out_ << text;
}

void MessageText::add_text(std::string_view text) {
  if (quoted_)
    out_ << shown(text);
  else
    out_ << text;
}

}  // namespace condens
