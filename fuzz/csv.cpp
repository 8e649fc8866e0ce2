// The CSV reader: any bytes are a table or refused, and a table that is written reads back as the same table.
//
// The first byte chooses separator and comment, the rest is the file.

#include <sstream>

#include "condens/io/csv.hpp"
#include "input.hpp"

namespace condens::fuzz {
namespace {

void expect_same(const Table& table, const Table& again) {
  expect(again.rows() == table.rows() && again.columns().size() == table.columns().size(), "written as ", table.rows(),
         " x ", table.columns().size(), ", read as ", again.rows(), " x ", again.columns().size());
  for (std::size_t j = 0; j < table.columns().size(); ++j) {
    const Column& own = table.columns()[j];
    const Column& other = again.columns()[j];
    expect(own.name == other.name, "column '", own.name, "' comes back as '", other.name, "'");
    expect(own.is_numeric() == other.is_numeric(), "column '", own.name, "' comes back of another type");
    for (Index i = 0; i < own.size(); ++i) {
      expect(own.is_missing(i) == other.is_missing(i) && own.level(i) == other.level(i), "column '", own.name,
             "', row ", i, ": '", own.level(i), "' comes back as '", other.level(i), "'");
    }
  }
}

void run(Input& input) {
  constexpr char separators[] = {0, ',', ';', '\t', ' ', '|'};
  constexpr char comments[] = {0, 0, '#', '%'};
  const CsvOptions options{.separator = separators[input.below(6)], .comment = comments[input.below(4)]};
  Table table;
  if (refused([&] { table = parse_csv(input.text(), "fuzz.csv", options); })) return;
  expect(table.rows() > 0 && !table.columns().empty(), "an empty table");
  for (const char separator : {',', '\t'}) {
    std::ostringstream out;
    write_csv(out, table, separator);
    expect_same(table, parse_csv(out.str(), "written.csv", {.separator = separator}));
  }
}

}  // namespace
}  // namespace condens::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  condens::fuzz::Input input(data, size);
  condens::fuzz::run(input);
  return 0;
}
