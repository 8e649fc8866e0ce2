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

void MiddleNumbers::merge(const MiddleNumbers& other) {
  if (known_ != other.known_ || prefix_ != other.prefix_)
    throw FormatError("medians: these are of different readings, expected states of one");
  for (std::size_t i = 0; i < 2; ++i) {
    if (counts_[i].empty()) counts_[i].resize(other.counts_[i].size());
    for (std::size_t digit = 0; digit < other.counts_[i].size(); ++digit) counts_[i][digit] += other.counts_[i][digit];
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
    require(digit < counts.size(), table_has_changed);
    prefix_[i] = prefix_[i] << digit_bits | digit;
  }
  counts_ = {};
  ++known_;
}

double MiddleNumbers::number(std::size_t which) const {
  const std::uint64_t bits = prefix_[which];
  return std::bit_cast<double>((bits & sign) != 0 ? bits ^ sign : ~bits);
}

Document MiddleNumbers::to_document() const {
  Document::Array parts;
  for (std::size_t i = 0; i < 2; ++i) {
    std::vector<double> digits;  // those that there are, and how often
    std::vector<double> rows;
    for (std::size_t digit = 0; digit < counts_[i].size(); ++digit) {
      if (counts_[i][digit] == 0) continue;
      digits.push_back(static_cast<double>(digit));
      rows.push_back(static_cast<double>(counts_[i][digit]));
    }
    Document part;
    part.set("prefix", static_cast<std::int64_t>(prefix_[i])).set("rank", rank_[i]);
    part.set("digits", Vector(Eigen::Map<const Vector>(digits.data(), std::ssize(digits))));
    parts.push_back(part.set("rows", Vector(Eigen::Map<const Vector>(rows.data(), std::ssize(rows)))));
  }
  return Document::Object{{"known", known_}, {"parts", std::move(parts)}};
}

MiddleNumbers MiddleNumbers::from_document(const Document& document) {
  MiddleNumbers out;
  const Index known = document.at("known").as_integer();
  const Document::Array& parts = document.at("parts").as_array();
  if (known < 0 || known > readings || parts.size() != 2) throw FormatError("medians: expected two parts of a reading");
  out.known_ = static_cast<int>(known);
  for (std::size_t i = 0; i < 2; ++i) {
    out.prefix_[i] = static_cast<std::uint64_t>(parts[i].at("prefix").as_integer());
    out.rank_[i] = parts[i].at("rank").as_integer();
    const Vector digits = parts[i].at("digits").as_vector();
    const Vector rows = parts[i].at("rows").as_vector();
    const bool fine = digits.size() == rows.size() && (digits.array() >= 0).all() &&
                      (digits.array() < 1 << digit_bits).all() && (rows.array() >= 0).all() &&
                      (rows.array() < 0x1p53).all();
    if (!fine) throw FormatError("medians: digits and their rows do not match, expected some of each");
    if (digits.size() > 0) out.counts_[i].resize(1 << digit_bits);
    for (Index k = 0; k < digits.size(); ++k) {
      out.counts_[i][static_cast<std::size_t>(digits[k])] = static_cast<Index>(rows[k]);
    }
  }
  return out;
}

}  // namespace condens
