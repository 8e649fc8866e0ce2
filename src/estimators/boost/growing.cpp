#include "growing.hpp"

#include <algorithm>
#include <utility>

#include "condens/core/cancellation.hpp"
#include "condens/core/parallel.hpp"
#include "core/work.hpp"

namespace condens::boosting {

using trees::BinnedInput;
using trees::Code;

namespace {

constexpr Index worth_threads = 100'000;  // rows times inputs of a level: fewer are summed before threads start

}  // namespace

GrownTree Grower::grow(std::vector<std::int32_t> rows, std::vector<Derivatives> own, double second_information,
                       RandomStream& random, int threads) {
  rows_ = std::move(rows);
  own_ = std::move(own);
  scratch_rows_.resize(rows_.size());
  scratch_own_.resize(rows_.size());
  Derivatives all;
  for (const Derivatives& row : own_) all += row;
  growth_.begin(all, second_information, random);
  open_ = {{0, rows_.size()}};
  while (!growth_.done()) {
    check_cancelled();
    search(threads);
    next_.clear();
    growth_.advance([&](std::size_t open, const Split& split) {
      const std::size_t middle = partition(open_[open], split);
      next_.push_back({open_[open].begin, middle});
      next_.push_back({middle, open_[open].end});
    });
    open_.swap(next_);
  }
  return growth_.take();
}

void Grower::search(int threads) {
  const std::vector<std::size_t>& tried = growth_.tried();
  std::size_t rows = 0;
  for (const std::size_t open : growth_.wanted()) rows += open_[open].size();
  const bool many = static_cast<Index>(rows * tried.size()) > worth_threads;
  count_work(2.0 * static_cast<double>(rows * tried.size()) +
             4.0 * static_cast<double>(growth_.size() * growth_.bins()));
  parallel_for(std::ssize(tried), many ? threads : 1, [&](Index k) {
    growth_.search(static_cast<std::size_t>(k),
                   [&](std::size_t open, std::size_t input, Derivatives* bins) { sum_rows(open_[open], input, bins); });
  });
}

void Grower::sum_rows(const Rows& rows, std::size_t input, Derivatives* bins) const {
  const BinnedInput& own = inputs_[input];
  std::fill_n(bins, own.n_codes, Derivatives{});
  const Code* codes = own.codes.data();
  const std::vector<Code>& places = growth_.tree().places[input];
  if (places.empty()) {
    for (std::size_t k = rows.begin; k < rows.end; ++k) bins[codes[rows_[k]]] += own_[k];
  } else {
    for (std::size_t k = rows.begin; k < rows.end; ++k) bins[places[codes[rows_[k]]]] += own_[k];
  }
}

/// Rows of the left child first, each side in its order; where they end.
std::size_t Grower::partition(const Rows& rows, const Split& split) {
  const auto input = static_cast<std::size_t>(split.input);
  const Code* codes = inputs_[input].codes.data();
  const std::vector<Code>& places = growth_.tree().places[input];
  std::size_t left = rows.begin;
  std::size_t right = 0;
  for (std::size_t k = rows.begin; k < rows.end; ++k) {
    Code code = codes[rows_[k]];
    if (!places.empty()) code = places[code];
    if (code <= split.code) {
      rows_[left] = rows_[k];
      own_[left++] = own_[k];
    } else {
      scratch_rows_[right] = rows_[k];
      scratch_own_[right++] = own_[k];
    }
  }
  std::copy_n(scratch_rows_.begin(), right, rows_.begin() + static_cast<Index>(left));
  std::copy_n(scratch_own_.begin(), right, own_.begin() + static_cast<Index>(left));
  return left;
}

}  // namespace condens::boosting
