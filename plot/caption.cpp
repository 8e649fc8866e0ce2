#include "caption.hpp"

#include <algorithm>
#include <sstream>

#include "condens/plot/canvas.hpp"

namespace condens::plot {

namespace {

void add_words(const std::string& text, std::vector<std::string>& words) {
  std::istringstream stream(text);
  for (std::string word; stream >> word;) words.push_back(word);
}

/// What must not be parted, with the first `shown` items.
std::vector<std::string> words_of(const Caption& caption, std::size_t shown) {
  std::vector<std::string> out;
  for (const std::string& remark : caption.remarks) add_words(remark, out);
  if (caption.items.empty()) return out;
  add_words(caption.lead, out);
  const std::string end = caption.tail.empty() ? "." : ";";
  const std::size_t rest = caption.items.size() - shown;
  for (std::size_t i = 0; i < shown; ++i) {
    const bool last = i + 1 == shown;
    out.push_back(caption.items[i] + (!last ? "," : rest == 0 ? end : ""));
  }
  if (rest > 0)
    out.push_back((shown > 0 ? "and " : "") + std::to_string(rest) + (shown > 0 ? " more" : " inputs") + end);
  add_words(caption.tail, out);
  return out;
}

std::vector<std::string> filled(const std::vector<std::string>& words, double width) {
  std::vector<std::string> lines;
  for (const std::string& word : words) {
    const bool fits = !lines.empty() && text_width(lines.back() + " " + word, caption_size) <= width;
    if (fits)
      lines.back() += " " + word;
    else
      lines.push_back(fit_text(word, caption_size, width));
  }
  return lines;
}

}  // namespace

std::vector<std::string> caption_lines(const Caption& caption, double width, int most) {
  constexpr std::size_t most_items = 60;  // more fit on no picture
  std::size_t shown = std::min(caption.items.size(), most_items);
  std::vector<std::string> lines = filled(words_of(caption, shown), width);
  Caption rest = caption;
  rest.tail.clear();  // gives way to items
  if (std::ssize(lines) > most) lines = filled(words_of(rest, shown), width);
  while (std::ssize(lines) > most && shown > 0) lines = filled(words_of(rest, --shown), width);
  if (std::ssize(lines) > most) {
    lines.resize(static_cast<std::size_t>(most));
    lines.back() = fit_text(lines.back() + " \xE2\x80\xA6", caption_size, width);
  }
  return lines;
}

}  // namespace condens::plot
