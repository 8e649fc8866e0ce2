#include "middle_numbers.hpp"

#include <bit>
#include <numeric>

#include "condens/core/errors.hpp"

namespace condens {

namespace {

constexpr int digit_bits = 16;
constexpr std::uint64_t sign = 1ULL << 63;

}  // namespace

std::uint64_t ordered_bits(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);  // no -0
  return (bits & sign) != 0 ? ~bits : bits | sign;
}

void MiddleNumbers::add(double value) {
  const std::uint64_t bits = ordered_bits(value);
  const int rest = 64 - digit_bits * known_;
  const std::uint64_t begin = known_ == 0 ? 0 : bits >> rest;
  const auto digit = static_cast<std::size_t>(bits >> (rest - digit_bits) & 0xFFFF);
  for (std::size_t i = 0; i < 2; ++i) {
    if (begin != prefix_[i] || (i == 1 && prefix_[0] == prefix_[1])) continue;
    if (counts_[i].empty()) counts_[i].resize(1 << digit_bits);
    ++counts_[i][digit];
  }
}

void MiddleNumbers::end_reading() {
  if (known_ == 0) {
    const Index count = std::accumulate(counts_[0].begin(), counts_[0].end(), Index{0});
    rank_ = {(count - 1) / 2, count / 2};
  }
  const bool is_one = prefix_[0] == prefix_[1];
  for (std::size_t i = 0; i < 2; ++i) {
    const Counts& counts = counts_[is_one ? 0 : i];
    std::uint64_t digit = 0;
    while (digit < counts.size() && rank_[i] >= counts[digit]) rank_[i] -= counts[digit++];
    require(digit < counts.size(), "the table has changed while it was read; expected one that stays as it is");
    prefix_[i] = prefix_[i] << digit_bits | digit;
  }
  counts_ = {};
  ++known_;
}

double MiddleNumbers::number(std::size_t which) const {
  const std::uint64_t bits = prefix_[which];
  return std::bit_cast<double>((bits & sign) != 0 ? bits ^ sign : ~bits);
}

}  // namespace condens
