#pragma once
// A document with one part changed: numbers of any size, matrices of other shapes, parts that are missing, doubled or
// of another type. Most bytes that change in a file make it unreadable; these changes reach what reads it.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include "condens/core/document.hpp"
#include "condens/core/random.hpp"

namespace condens::fuzz {

inline Index count_parts(const Document& document) {
  Index out = 1;
  if (const auto* array = std::get_if<Document::Array>(&document.value())) {
    for (const Document& own : *array) out += count_parts(own);
  }
  if (const auto* object = std::get_if<Document::Object>(&document.value())) {
    for (const auto& member : *object) out += count_parts(member.second);
  }
  return out;
}

/// The part of this number, in the order in which they are read.
inline const Document& part_of(const Document& document, Index& number) {
  if (number-- == 0) return document;
  const Document* out = &document;
  const auto look = [&](const Document& own) {
    if (number < 0) return;
    const Document& found = part_of(own, number);
    if (number < 0) out = &found;
  };
  if (const auto* array = std::get_if<Document::Array>(&document.value())) {
    for (const Document& own : *array) look(own);
  }
  if (const auto* object = std::get_if<Document::Object>(&document.value())) {
    for (const auto& member : *object) look(member.second);
  }
  return *out;
}

inline double odd_number(RandomStream& random, double old) {
  constexpr double odd[] = {0,     -1,   1,     2,     0.5,    1e-320,  1e-300, 1e-100, -1e100,
                            1e100, 1e75, 1e-75, 1e300, -1e300, 1.7e308, 1e15,   1e9,    -0.0};
  const Index kind = random.below(24);
  if (kind < std::ssize(odd)) return odd[kind];
  if (kind < 21) return -old;
  return old * std::pow(10.0, static_cast<double>(random.below(40) - 20));
}

inline Matrix odd_matrix(RandomStream& random, Matrix matrix) {
  switch (random.below(8)) {
    case 0:
      return matrix.transpose();
    case 1:
      return matrix.leftCols(std::max<Index>(0, matrix.cols() - 1));
    case 2:
      return matrix.topRows(std::max<Index>(0, matrix.rows() - 1));
    case 3: {
      Matrix out = Matrix::Ones(matrix.rows(), matrix.cols() + 1);
      out.leftCols(matrix.cols()) = matrix;
      return out;
    }
    case 4:
      return Matrix::Constant(matrix.rows(), matrix.cols(), odd_number(random, 1));
    case 5: {
      const double factor = odd_number(random, 1);
      for (double& own : matrix.reshaped()) {
        if (std::isfinite(own * factor)) own *= factor;
      }
      return matrix;
    }
    default:
      if (matrix.size() == 0) return Matrix::Ones(1, 1);
      double& own = matrix.data()[random.below(matrix.size())];
      if (const double changed = odd_number(random, own); std::isfinite(changed)) own = changed;
      return matrix;
  }
}

/// What stands in the place of a part: `other` is another one of the same document.
inline Document odd_part(RandomStream& random, const Document& part, const Document& other) {
  if (random.below(12) == 0) return other;
  const auto& value = part.value();
  if (const auto* truth = std::get_if<bool>(&value)) return !*truth;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    constexpr std::int64_t odd[] = {-1, 0, 1, 2, 7, 255, 65536, 1LL << 31, 1LL << 53, 1LL << 62};
    const Index kind = random.below(14);
    return kind < std::ssize(odd) ? odd[kind] : kind % 2 == 0 && *whole < 1LL << 62 ? *whole + 1 : -(*whole + 1);
  }
  if (const auto* number = std::get_if<double>(&value)) {
    const double changed = odd_number(random, *number);
    return std::isfinite(changed) ? changed : 0.0;
  }
  if (const auto* text = std::get_if<std::string>(&value)) {
    if (text->empty()) return "x";
    return random.below(2) == 0 ? text->substr(1) : *text + *text;
  }
  if (const auto* matrix = std::get_if<Matrix>(&value)) return odd_matrix(random, *matrix);
  if (const auto* array = std::get_if<Document::Array>(&value)) {
    Document::Array out = *array;
    if (out.empty()) return Document::Array{other};
    const std::size_t at = static_cast<std::size_t>(random.below(std::ssize(out)));
    const Index kind = random.below(4);
    if (kind == 0) out.erase(out.begin() + static_cast<std::ptrdiff_t>(at));
    if (kind == 1) out.push_back(Document(out[at]));
    if (kind == 2) std::swap(out[at], out.front());
    if (kind == 3) out.clear();
    return out;
  }
  if (const auto* object = std::get_if<Document::Object>(&value)) {
    Document::Object out = *object;
    if (out.empty()) return Document();
    const std::size_t at = static_cast<std::size_t>(random.below(std::ssize(out)));
    const Index kind = random.below(3);
    if (kind == 0) out.erase(out.begin() + static_cast<std::ptrdiff_t>(at));
    if (kind == 1) std::swap(out[at].second, out.front().second);
    if (kind == 2) out[at].second = other;
    return out;
  }
  return 1.0;
}

/// A copy with the part of this number replaced.
inline Document with_part(const Document& document, Index& number, const Document& changed) {
  if (number-- == 0) return changed;
  if (const auto* array = std::get_if<Document::Array>(&document.value())) {
    Document::Array out;
    for (const Document& own : *array) out.push_back(number < 0 ? own : with_part(own, number, changed));
    return out;
  }
  if (const auto* object = std::get_if<Document::Object>(&document.value())) {
    Document::Object out;
    for (const auto& [key, own] : *object) {
      out.emplace_back(key, number < 0 ? own : with_part(own, number, changed));
    }
    return out;
  }
  return document;
}

inline Document changed_document(const Document& document, RandomStream& random) {
  const Index parts = count_parts(document);
  const Index place = random.below(parts);
  Index number = place;
  Index other = random.below(parts);
  const Document& part = part_of(document, number);
  const Document changed = odd_part(random, part, part_of(document, other));
  number = place;
  return with_part(document, number, changed);
}

}  // namespace condens::fuzz
