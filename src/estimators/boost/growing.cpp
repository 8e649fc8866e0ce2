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

std::size_t RowsByNode::part(std::size_t begin, std::size_t end, const std::vector<Code>& codes,
                             const std::vector<Code>& places, Code last_left) {
  if (right_rows_.size() < end - begin) {
    right_rows_.resize(end - begin);
    right_own_.resize(end - begin);
  }
  std::size_t left = begin;
  std::size_t right = 0;
  for (std::size_t k = begin; k < end; ++k) {
    const std::int32_t row = rows_[k];
    const Derivatives own = own_[k];
    Code code = codes[static_cast<std::size_t>(row)];
    if (!places.empty()) code = places[code];
    const bool goes_left = code <= last_left;
    rows_[left] = right_rows_[right] = row;  // one of the two is written over: no branch to be guessed
    own_[left] = right_own_[right] = own;
    left += goes_left ? 1 : 0;
    right += goes_left ? 0 : 1;
  }
  std::copy_n(right_rows_.begin(), right, rows_.begin() + static_cast<Index>(left));
  std::copy_n(right_own_.begin(), right, own_.begin() + static_cast<Index>(left));
  return left;
}

GrownTree Grower::grow(std::vector<std::int32_t> rows, std::vector<Derivatives> own, double second_information,
                       RandomStream& random, int threads) {
  rows_ = {std::move(rows), std::move(own)};
  Derivatives all;
  for (const Derivatives& row : rows_.own()) all += row;
  growth_.begin(all, second_information, random);
  open_ = {{0, rows_.rows().size()}};
  while (!growth_.done()) {
    check_cancelled();
    search(threads);
    next_.clear();
    growth_.advance([&](std::size_t open, const Split& split) {
      const auto input = static_cast<std::size_t>(split.input);
      const std::size_t middle = rows_.part(open_[open].begin, open_[open].end, inputs_[input].codes,
                                            growth_.tree().places[input], split.code);
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
  const std::int32_t* row = rows_.rows().data();
  const Derivatives* asked = rows_.own().data();
  const std::vector<Code>& places = growth_.tree().places[input];
  if (places.empty()) {
    for (std::size_t k = rows.begin; k < rows.end; ++k) bins[codes[row[k]]] += asked[k];
  } else {
    for (std::size_t k = rows.begin; k < rows.end; ++k) bins[places[codes[row[k]]]] += asked[k];
  }
}

}  // namespace condens::boosting
