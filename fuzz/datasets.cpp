// Rows: what a data set is checked for, weights, scales, folds and samples.

#include <algorithm>
#include <cmath>

#include "condens/data/dataset.hpp"
#include "condens/data/folds.hpp"
#include "condens/data/standardizer.hpp"
#include "condens/data/table.hpp"
#include "input.hpp"

namespace condens::fuzz {
namespace {

void check_weights(const Vector& weights) {
  const Vector counted = counted_weights(weights);
  expect(counted.allFinite() && (counted.array() >= 0).all(), "counted weights that are no weights");
  expect(counted.sum() >= (1 - 1e-12) * static_cast<double>((counted.array() > 0).count()),
         "counted weights of less than a row each");
}

void check_scales(const Dataset& data) {
  const Standardizer scale = Standardizer::fit(data.x, data.weights);
  expect(scale.mean().allFinite() && scale.scale().allFinite(), "a scale that is no number");
  const Matrix standardized = scale.transform(data.x);
  expect(standardized.allFinite(), "a standardised value that is no number");
  // The largest numbers of all may be rounded beyond them.
  if ((data.x.array().abs() < 1e308).all())
    expect(scale.inverse_transform(standardized).allFinite(), "a value that comes back as no number");
}

void check_folds_of(Input& input) {
  const Index n = input.below(300);
  const Index folds = input.below(20) - 2;
  const std::uint64_t seed = input.byte();
  refused([&] {
    for (const std::vector<Index>& fold : {assign_folds(n, folds, seed), time_folds(n, folds)}) {
      std::vector<Index> counts(static_cast<std::size_t>(folds));
      for (const Index own : fold) ++counts.at(static_cast<std::size_t>(own));
      const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
      expect(std::ssize(fold) == n && *most - *least <= 1, "folds out of balance");
    }
  });
  expect(std::ssize(sample_of_places(n, input.below(300), seed)) <= n, "a sample of more rows than there are");
  std::vector<double> given(static_cast<std::size_t>(input.below(12)));
  for (double& own : given) own = input.below(4) == 3 ? input.any_double() : static_cast<double>(input.below(4));
  refused([&] {
    const std::vector<Index> fold = check_folds(given, std::ssize(given) + (input.below(16) == 15 ? 1 : 0));
    const RowsOfFold rows = rows_of_fold(fold, 0);
    expect(!rows.train.empty() && !rows.test.empty(), "a fold that is all or nothing");
  });
}

void check_texts(Input& input) {
  const std::string word = input.word();
  if (const auto number = parse_number(word); number && !std::isnan(*number)) {
    expect(parse_number(format_number(*number)) == *number, "'", word, "' comes back as another number");
  }
}

void run(Input& input) {
  check_texts(input);
  check_folds_of(input);
  const Index n = input.below(20);
  Dataset data{.x = Matrix(input.below(4), n), .y = Matrix(input.below(3), n)};
  Matrix x = data.x;
  Matrix y = data.y;
  for (double& own : x.reshaped()) own = input.below(32) == 31 ? input.any_double() : input.number();
  for (double& own : y.reshaped()) own = input.number();
  data.x = x;
  data.y = y;
  if (input.flag()) {
    data.weights = Vector(n);
    for (double& own : data.weights) own = input.below(32) == 31 ? input.any_double() : std::abs(input.number());
  }
  if (input.flag()) data.groups.push_back(input.below(3));
  if (refused([&] { data.check("fuzz"); })) return;
  if (data.weights.size() > 0) check_weights(data.weights);
  Dataset storage;
  const Dataset& counted = rows_that_count(data, storage);
  expect(counted.size() == count_rows(data) && counted.size() > 0, "another number of rows that count");
  check_scales(data);
  refused([&] { data.subset({input.below(20), input.below(20) - 1}).check("fuzz"); });
}

}  // namespace
}  // namespace condens::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  condens::fuzz::Input input(data, size);
  condens::fuzz::run(input);
  return 0;
}
