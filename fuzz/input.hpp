#pragma once
// What a harness makes of the fuzzer's bytes: numbers, choices, tables. Every sequence of bytes is one input, and a
// byte that changes changes little: the fuzzer finds its way by that.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <limits>
#include <string>
#include <string_view>

#include "condens/core/errors.hpp"
#include "condens/core/types.hpp"

namespace condens::fuzz {

/// A finding: says what is wrong and ends the process, so that the fuzzer keeps the input.
[[noreturn]] inline void found(const std::string& what) {
  std::cerr << "condens: " << what << '\n';
  std::abort();
}

template <class... Parts>
void expect(bool ok, const Parts&... parts) {
  if (!ok) found(message(parts...));
}

/// Runs `body`; returns whether it was refused in words. An exception of any other type ends the process.
template <class Body>
bool refused(const Body& body) {
  const auto said = [](const std::exception& error) {
    expect(std::string_view(error.what()).size() > 10, "an error without words: '", error.what(), "'");
    return true;
  };
  try {
    body();
    return false;
  } catch (const std::invalid_argument& error) {
    return said(error);
  } catch (const NumericalError& error) {
    return said(error);
  } catch (const FormatError& error) {
    return said(error);
  }
}

/// Reads the bytes from the first to the last; after these there are zeros.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

  bool at_end() const { return at_ >= size_; }
  std::size_t left() const { return size_ - at_; }

  std::uint8_t byte() { return at_end() ? std::uint8_t{0} : data_[at_++]; }
  bool flag() { return (byte() & 1) != 0; }
  /// 0, ..., n - 1.
  Index below(Index n) { return n <= 256 ? byte() % n : (256 * byte() + byte()) % n; }
  Index within(Index low, Index high) { return low + below(high - low + 1); }

  std::uint64_t bits() {
    std::uint64_t out = 0;
    for (int i = 0; i < 8; ++i) out = out << 8 | byte();
    return out;
  }

  /// Any double: infinite, not a number, subnormal, too.
  double any_double() {
    const std::uint64_t value = bits();
    double out = 0;
    std::memcpy(&out, &value, sizeof out);
    return out;
  }

  /// A power of ten from 1e-300 to 1e300, most of them near one.
  double scale() {
    const int code = byte();
    if (code < 128) return 1;
    if (code < 192) return std::pow(10.0, (code - 160) / 4);  // 1e-8 to 1e7
    return std::pow(10.0, code < 224 ? -9.375 * (code - 191) : 9.375 * (code - 223));
  }

  /// From -1 to 1, of few or of many digits.
  double share() {
    const int code = byte();
    if (code < 192) return (code - 96) / 96.0;
    return std::ldexp(static_cast<double>(static_cast<std::int16_t>(256 * byte() + byte())), -15);
  }

  /// A number of any size.
  double number() {
    const double part = share();
    return part * scale();
  }

  /// The bytes that are left.
  std::string_view text() {
    const std::string_view out(reinterpret_cast<const char*>(data_) + at_, left());
    at_ = size_;
    return out;
  }

  /// A short text.
  std::string word() {
    std::string out;
    for (Index count = below(12); count > 0 && !at_end(); --count) out += static_cast<char>(byte());
    return out;
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t at_ = 0;
};

/// Numbers that a column of a table may hold: constant, few values that come again, a line, bytes, at any scale and
/// offset. Where the input has ended they go on by a fixed rule, so that a short input is a whole column.
inline Vector column(Input& input, Index n) {
  const Index kind = input.below(8);
  const double scale = input.scale();
  const double offset = kind % 2 == 0 ? 0.0 : input.number();
  const Index period = 1 + input.below(16);
  Vector out(n);
  std::uint64_t state = 0x9e3779b97f4a7c15ULL * static_cast<std::uint64_t>(kind + 8 * period);
  const auto next = [&] {
    if (!input.at_end()) return input.share();
    state = 6364136223846793005ULL * state + 1442695040888963407ULL;
    return std::ldexp(static_cast<double>(state >> 11), -52) - 1;
  };
  for (Index i = 0; i < n; ++i) {
    double value = 0;
    if (kind < 2) {
      value = next();
    } else if (kind < 4) {  // values that come again
      value = i < period ? next() : (out[i % period] - offset) / scale;
    } else if (kind < 6) {  // whole numbers
      value = std::round(static_cast<double>(period) * next());
    } else {
      value = static_cast<double>(i % period);
    }
    out[i] = offset + scale * value;
  }
  if (n > 0 && input.below(16) == 15) out[input.below(n)] = input.any_double();
  return out;
}

}  // namespace condens::fuzz
