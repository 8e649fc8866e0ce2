#pragma once
// The median of numbers that are read again and again, in little memory: a number of 64 bits, whose order is that of
// integers once negative ones are turned round, is found 16 bits at a time, from the first.

#include <array>
#include <cstdint>
#include <vector>

#include "condens/core/document.hpp"

namespace condens {

/// What is said where a later reading of a table finds other rows.
inline constexpr const char* table_has_changed =
    "the table has changed while it was read; expected one that stays as it is";

/// Bits whose order is that of the numbers.
std::uint64_t ordered_bits(double value);

/// The two numbers in the middle of many, one and the same where these are odd in number. Each of `readings` readings
/// adds all of them, in any order, and ends with end_reading().
class MiddleNumbers {
 public:
  static constexpr int readings = 4;

  /// Not NaN.
  void add(double value);
  /// What another has added in the same reading.
  void merge(const MiddleNumbers& other);
  /// Throws std::invalid_argument where a later reading had other numbers than the first.
  void end_reading();

  double lower() const { return number(0); }
  double upper() const { return number(1); }

  Document to_document() const;
  /// Throws FormatError.
  static MiddleNumbers from_document(const Document& document);

 private:
  using Counts = std::vector<Index>;  // of each next 16 bits; empty before the first number

  double number(std::size_t which) const;

  int known_ = 0;                          // readings that have ended
  std::array<std::uint64_t, 2> prefix_{};  // of the two numbers what is known of their bits
  std::array<Index, 2> rank_{};            // among the numbers that begin with it
  std::array<Counts, 2> counts_{};         // of numbers that begin with each prefix; the second where it differs
};

}  // namespace condens
