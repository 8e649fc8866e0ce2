#pragma once
// Tables that are cut into blocks, as a cluster has them.

#include <cmath>
#include <cstdint>
#include <utility>

#include "condens/core/random.hpp"
#include "condens/io/document_format.hpp"
#include "condens/registry.hpp"

namespace condens::cut_tables {

/// Two inputs of which one turns the sign of y's mean and the other its spread.
inline Dataset rows_of(Index n, std::uint64_t seed) {
  RandomStream random(seed);
  Matrix x(2, n);
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) {
    x(0, i) = 1e6 + random.normal();
    x(1, i) = random.uniform();
    y(0, i) = 3 + std::sin(2 * (x(0, i) - 1e6)) + (0.2 + 0.5 * x(1, i)) * random.normal();
  }
  return {.x = std::move(x), .y = std::move(y)};
}

/// States go through bytes, as those of a cluster do.
class Bytes final : public RowSums {
 public:
  Bytes(const Dataset& data, Index rows_of_block, int threads = 1)
      : RowSums(data.x.rows(), data.y.rows(), data.groups),
        run_{.threads = threads, .observer = {}},
        blocks_(data, rows_of_block, run_) {}
  Document total(const Document& pass) override {
    const Document sent = document_from_cbor(document_to_cbor(pass));
    ++passes;
    return document_from_cbor(document_to_cbor(blocks_.total(sent)));
  }
  int passes = 0;

 private:
  Run run_;
  BlocksInMemory blocks_;
};

inline double largest_difference(const ConditionalDensity& a, const ConditionalDensity& b, const Dataset& rows) {
  return (a.log_density(rows.x, rows.y) - b.log_density(rows.x, rows.y)).cwiseAbs().maxCoeff();
}

}  // namespace condens::cut_tables
