#pragma once
// Tables in Markdown, padded so that they also read well as plain text.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace condens::reproduce {

/// With `digits` decimals; from 10,000 on in the form 1.2e+05.
inline std::string fixed(double value, int digits = 2) {
  char text[64];
  std::snprintf(text, sizeof text, std::abs(value) < 1e4 ? "%.*f" : "%.*e", std::abs(value) < 1e4 ? digits : 1, value);
  const std::string out = text;
  return out.find_first_not_of("-0.") == std::string::npos && out[0] == '-' ? out.substr(1) : out;
}

/// With two significant digits.
inline std::string significant(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.2g", value);
  return text;
}

inline std::string plus_minus(double mean, double error, int digits = 2) {
  return fixed(mean, digits) + " ± " + fixed(error, digits);
}

class MarkdownTable {
 public:
  explicit MarkdownTable(std::vector<std::string> header) : rows_{std::move(header)} {}

  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

  bool empty() const { return rows_.size() == 1; }

  /// The first column to the left, the others to the right.
  void print(std::ostream& out) const {
    std::vector<std::size_t> width;
    for (std::size_t j = 0; j < rows_.front().size(); ++j) {
      width.push_back(3);
      for (const auto& row : rows_) width[j] = std::max(width[j], length(row[j]));
    }
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      for (std::size_t j = 0; j < width.size(); ++j) {
        const std::string pad(width[j] - length(rows_[i][j]), ' ');
        out << "| " << (j == 0 ? rows_[i][j] + pad : pad + rows_[i][j]) << ' ';
      }
      out << "|\n";
      if (i > 0) continue;
      for (std::size_t j = 0; j < width.size(); ++j) {
        out << '|' << (j == 0 ? ":" : "-") << std::string(width[j], '-') << (j == 0 ? "-" : ":");
      }
      out << "|\n";
    }
    out << '\n';
  }

 private:
  /// Characters of UTF-8 text: bytes that do not continue another.
  static std::size_t length(const std::string& text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
  }

  std::vector<std::vector<std::string>> rows_;
};

}  // namespace condens::reproduce
