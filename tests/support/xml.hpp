#pragma once
// Is a text well-formed XML, and how often does it say something? Enough of the grammar for what this library writes:
// elements, attributes in double quotes, entities.

#include <string>
#include <vector>

namespace condens::tests {

namespace detail {

/// No bare & or < : only the five names and numbers.
inline bool plain_text(const std::string& text) {
  if (text.find('<') != std::string::npos) return false;
  for (std::size_t at = text.find('&'); at != std::string::npos; at = text.find('&', at + 1)) {
    const std::string name = text.substr(at + 1, text.find(';', at) - at - 1);
    if (name != "amp" && name != "lt" && name != "gt" && name != "quot" && name.rfind("#", 0) != 0) return false;
  }
  return true;
}

/// name, then ( name="value")*; the text between < and >, without a closing slash.
inline bool tag(const std::string& text) {
  std::size_t at = text.find_first_of(" \n");
  while (at < text.size()) {
    at = text.find_first_not_of(" \n", at);
    if (at == std::string::npos) return true;
    const std::size_t equals = text.find("=\"", at);
    if (equals == std::string::npos || text.substr(at, equals - at).find_first_of(" \"'") != std::string::npos)
      return false;
    const std::size_t close = text.find('"', equals + 2);
    if (close == std::string::npos || !plain_text(text.substr(equals + 2, close - equals - 2))) return false;
    at = close + 1;
  }
  return true;
}

}  // namespace detail

/// Empty when well-formed, else what is wrong.
inline std::string xml_problem(const std::string& xml) {
  std::vector<std::string> open;
  std::size_t at = 0;
  while (at < xml.size()) {
    const std::size_t left = xml.find('<', at);
    if (!detail::plain_text(xml.substr(at, left - at))) return "bad text near " + xml.substr(at, 60);
    if (left == std::string::npos) break;
    std::size_t right = left + 1;  // the > outside quotes
    for (bool quoted = false; right < xml.size() && (quoted || xml[right] != '>'); ++right)
      if (xml[right] == '"') quoted = !quoted;
    if (right >= xml.size()) return "no > after " + xml.substr(left, 60);
    std::string inside = xml.substr(left + 1, right - left - 1);
    at = right + 1;
    if (inside.empty()) return "an empty tag";
    if (inside[0] == '/') {
      if (open.empty() || open.back() != inside.substr(1)) return "</" + inside.substr(1) + "> closes nothing";
      open.pop_back();
      continue;
    }
    const bool closed = inside.back() == '/';
    if (closed) inside.pop_back();
    if (!detail::tag(inside)) return "bad attributes in <" + inside.substr(0, 100) + ">";
    if (!closed) open.push_back(inside.substr(0, inside.find_first_of(" \n")));
  }
  return open.empty() ? "" : "<" + open.back() + "> stays open";
}

/// How often a part occurs in a text.
inline std::size_t count(const std::string& text, const std::string& part) {
  std::size_t out = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++out;
  return out;
}

}  // namespace condens::tests
