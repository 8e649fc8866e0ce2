#pragma once
// What JSON and CBOR ask of a document in common, and the path that messages name.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "condens/core/errors.hpp"
#include "condens/core/types.hpp"
#include "core/text.hpp"

namespace condens::detail {

inline constexpr std::size_t max_depth = 64;  // of nesting; keeps recursion within the stack

/// The place in the tree: "model", "model.density", "model.density.scores[3]".
class Place {
 public:
  explicit Place(std::string_view root) : parts_{std::string(root)} {}

  void enter(std::string_view key) { parts_.push_back("." + shown(key)); }
  void enter(std::size_t item) { parts_.push_back("[" + std::to_string(item) + "]"); }
  void leave() { parts_.pop_back(); }
  std::size_t depth() const { return parts_.size() - 1; }

  std::string text() const {
    std::string out;
    for (const std::string& part : parts_) out += part;
    return out;
  }

 private:
  std::vector<std::string> parts_;
};

template <class Error>
void check_number(double value, const Place& place) {
  if (std::isfinite(value)) return;
  throw Error(message(place.text(), ": ", std::isnan(value) ? "NaN" : "an infinite number",
                      "; a model file holds finite numbers only"));
}

template <class Error>
void check_numbers(const Matrix& values, const Place& place) {
  for (Index i = 0; i < values.size(); ++i) check_number<Error>(values.data()[i], place);
}

template <class Error>
void check_text(std::string_view text, const Place& place) {
  if (find_invalid_utf8(text) != std::string_view::npos) throw Error(message(place.text(), ": text that is not UTF-8"));
}

template <class Error>
void check_depth(const Place& place) {
  if (place.depth() > max_depth) throw Error(message(place.text(), ": nested deeper than ", max_depth, " levels"));
}

/// Refuses shapes that do not hold `count` numbers, and sides longer than the document of `bytes` bytes: what stands
/// beside a matrix without numbers has one for each of its columns, and whoever reads goes through them. A million may
/// be in any document, or one form would refuse what the other, which is longer, holds.
inline void check_shape(std::int64_t rows, std::int64_t cols, std::size_t count, std::size_t bytes,
                        const Place& place) {
  const std::int64_t largest = std::max(std::int64_t{1} << 20, static_cast<std::int64_t>(bytes));
  const std::int64_t most = std::min(std::int64_t{1} << 31, largest);  // product in range
  const bool valid =
      rows >= 0 && cols >= 0 && rows < most && cols < most && static_cast<std::uint64_t>(rows * cols) == count;
  if (!valid) {
    throw FormatError(message(place.text(), ": a matrix of shape ", rows, " x ", cols, " with ", count, " values"));
  }
}

}  // namespace condens::detail
