// The encoder: tables with numbers, categories, dates, identifiers and missing values, every option, and a second table
// with other values and levels.

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "condens/data/encoder.hpp"
#include "condens/io/document_format.hpp"
#include "input.hpp"

namespace condens::fuzz {
namespace {

std::string date(Input& input) {
  const auto digits = [](Index number, std::size_t count) {
    const std::string out = std::to_string(number);
    return std::string(count - std::min(count, out.size()), '0') + out;
  };
  std::string day = digits(input.below(4) == 3 ? input.below(10000) : 2000 + input.below(30), 4) + "-" +
                    digits(input.below(14), 2) + "-" + digits(input.below(33), 2);
  if (!input.flag()) return day;
  return day + (input.flag() ? "T" : " ") + digits(input.below(26), 2) + ":" + digits(input.below(62), 2);
}

Column table_column(Input& input, const std::string& name, Index n) {
  const Index kind = input.below(6);
  const Index gaps = input.below(4) == 3 ? 1 + input.below(5) : n + 1;
  if (kind < 2) {
    const Vector numbers = column(input, n);
    std::vector<double> out(numbers.begin(), numbers.end());
    for (Index i = gaps; i < n; i += gaps) out[static_cast<std::size_t>(i)] = std::numeric_limits<double>::quiet_NaN();
    return {name, out};
  }
  const Index levels = 1 + input.below(kind == 5 ? 60 : 6);
  const std::string word = input.word();
  std::vector<std::string> out;
  for (Index i = 0; i < n; ++i) {
    if (i > 0 && i % gaps == 0) {
      out.emplace_back();
    } else if (kind == 2) {
      out.push_back(date(input));
    } else {
      out.push_back(word + std::to_string(input.at_end() ? i % levels : input.below(levels)));
    }
  }
  return {name, out};
}

Table make_table(Input& input, const std::vector<std::string>& names) {
  Table table;
  const Index n = input.below(40);
  for (const std::string& name : names) table.add(table_column(input, name, n));
  return table;
}

EncoderOptions options_of(Input& input, const std::vector<std::string>& names) {
  EncoderOptions out;
  const auto some = [&] { return names[static_cast<std::size_t>(input.below(std::ssize(names)))]; };
  out.targets.push_back(some());
  if (input.below(8) == 7) out.targets.push_back(some());
  if (input.below(8) == 7) out.inputs = std::vector<std::string>{some()};
  if (input.below(8) == 7) out.weight = some();
  if (input.below(4) == 3) out.categorical.push_back(some());
  out.drop_missing = input.flag();
  out.missing = static_cast<MissingInputs>(input.below(3));
  out.many_levels = static_cast<ManyLevels>(input.below(2));
  out.unseen = static_cast<UnseenLevels>(input.below(3));
  if (input.flag()) out.rare_levels = input.below(6) - 1;
  out.seed = input.byte();
  return out;
}

void expect_rows(const Encoder& encoder, const Dataset& data) {
  expect(data.x.rows() == std::ssize(encoder.encoded_names()), "another number of inputs than names");
  expect(data.y.allFinite(), "a target that is no number");
  if (encoder.missing() != MissingInputs::model) expect(data.x.allFinite(), "an input that is no number");
  data.check("fuzz");
}

void run(Input& input) {
  std::vector<std::string> names;
  for (Index k = 1 + input.below(5); k > 0; --k) names.push_back("c" + std::to_string(k));
  if (input.below(16) == 15) names.push_back(input.word());
  const EncoderOptions options = options_of(input, names);
  Table table;
  if (refused([&] { table = make_table(input, names); })) return;
  std::optional<Encoder> made;
  if (refused([&] { made = Encoder::fit(table, options); })) return;
  const Encoder& encoder = *made;
  refused([&] { expect_rows(encoder, encoder.encode(table, options.drop_missing)); });
  refused([&] { expect_rows(encoder, encoder.encode_training(table, options.drop_missing)); });
  encoder.warnings(table.rows());
  encoder.notes();
  encoder.unseen_levels(table);
  encoder.filled_without_mark(table);
  for (const EncodedColumn& own : encoder.input_columns())
    expect(own.values().rows() == own.width(), "values of another width");
  std::string file;
  if (refused([&] { file = document_to_cbor(encoder.to_document()); })) return;  // names and levels that are not UTF-8
  const Encoder again = Encoder::from_document(document_from_cbor(file));
  expect(document_to_cbor(again.to_document()) == file, "comes back as another encoder");
  refused([&] {
    const Table other = make_table(input, names);
    again.encode_inputs(other);
    expect_rows(encoder, again.encode(other, true));
  });
}

}  // namespace
}  // namespace condens::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  condens::fuzz::Input input(data, size);
  condens::fuzz::run(input);
  return 0;
}
