#include "condens/io/csv_blocks.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>

#include "support/complaint.hpp"

namespace condens::csv_blocks_test {
namespace {

using Texts = std::vector<std::string>;

class CsvInBlocks : public ::testing::Test {
 protected:
  CsvInBlocks() {
    std::string name = (std::filesystem::temp_directory_path() / "condens-csv-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~CsvInBlocks() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& text) const {
    const std::string path = (folder_ / "t.csv").string();
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  std::filesystem::path folder_;
};

/// Fields, and where rows begin.
struct Rows {
  std::vector<Texts> fields;
  std::vector<Index> lines;
  bool operator==(const Rows&) const = default;
};

void add_rows(const Table& table, Rows& rows) {
  for (Index row = 0; row < table.rows(); ++row) {
    Texts& fields = rows.fields.emplace_back();
    for (const Column& column : table.columns()) fields.push_back(column.is_missing(row) ? "" : column.level(row));
    rows.lines.push_back(table.line(row));
  }
}

TEST_F(CsvInBlocks, AreTheRowsOfTheFile) {
  const Texts files{"a,b\n1,x\n2,y\n3,z\n",
                    "a,b\n1,x\n2,y",
                    "\xEF\xBB\xBF"
                    "a;b\r\n1;x\r\n2;y\r\n\r\n \r\n\n",
                    "a,b\n\"one \"\"two\"\"\",1\n\"line\nbreak, \r\nand another\",2\n , \"3\" \n\"\"\"\",\"\"\n",
                    "# first\n#second\n\n",
                    "# first\n# second\na,b\n# third\n1,2\n#\n# fourth\n3,4\n# last\n",
                    "a\tb\n\xC3\xA4\xF0\x9F\x98\x80\t1\n\xE2\x82\xAC\t2\n",
                    "a,b\r1,2\r3,4\r"};
  for (const std::string& text : files) {
    const std::string path = write(text);
    const CsvOptions options{.comment = '#'};
    Rows expected;
    const std::string wrong = complaint([&] { add_rows(read_csv(path, options), expected); });
    for (std::size_t bytes = 1; bytes <= text.size() + 1; ++bytes) {
      Rows found;
      const std::string said = complaint([&] {
        CsvBlocks blocks(path, options, bytes);
        for (int reading = 0; reading < 2; ++reading) {  // again from the beginning
          found = {};
          blocks.read([&](const Table& block) {
            EXPECT_EQ(block.source(), path);
            EXPECT_GT(block.rows(), 0);
            add_rows(block, found);
          });
        }
      });
      EXPECT_EQ(said, wrong) << text << bytes;
      EXPECT_EQ(found, expected) << text << bytes;
    }
  }
}

TEST_F(CsvInBlocks, SayWhatIsWrongWithItsLine) {
  std::string many = "a,b\n";
  for (int i = 0; i < 40; ++i) many += "1,2\n";
  const Texts files{"",
                    "a,b\n",
                    "1,2\n3,4\n",
                    "a,b\n1,2\n3\n4,5\n",
                    "a,a\n1,2\n",
                    many + "1,2,3\n" + many,
                    "a,b\n1,\"x\ny\n",
                    "a,b\n1,\"x\"y\n2,3\n",
                    many + "\xFF,1\n",
                    many + std::string("a\0b,1\n", 6),
                    "\x1F\x8B\x08\xFF",
                    "a,\n1,2\n"};
  for (const std::string& text : files) {
    const std::string path = write(text);
    const std::string expected = complaint([&] { read_csv(path); });
    EXPECT_NE(expected, "") << text;
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{7}, std::size_t{50}, text.size() + 1}) {
      const std::string said = complaint([&] { CsvBlocks(path, {}, bytes).read([](const Table&) {}); });
      EXPECT_EQ(said, expected) << text << "in blocks of " << bytes;
    }
  }
}

TEST_F(CsvInBlocks, NeedAFileThatCanBeReadAgain) {
  EXPECT_EQ(complaint<std::runtime_error>([] { CsvBlocks("-", {}, 100); }),
            "standard input can be read once only; expected a file");
  const std::string pipe = (folder_ / "pipe").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int writer = ::open(pipe.c_str(), O_RDWR);  // or opening it to read would wait
  EXPECT_EQ(complaint<std::runtime_error>([&] { CsvBlocks(pipe, {}, 100); }),
            pipe + ": is a pipe or a device, expected a file, which can be read again");
  ::close(writer);
  const std::string nowhere = (folder_ / "nowhere.csv").string();
  EXPECT_EQ(complaint<std::runtime_error>([&] { CsvBlocks(nowhere, {}, 100); }),
            nowhere + ": cannot be read: No such file or directory");
}

/// 1,000 rows: number, a text, y of 0 in 600, of 1 to 4 in 100 each.
std::string graded_table() {
  std::string out = "number,text,y\n";
  for (int i = 0; i < 1000; ++i) {
    const int y = i % 10 < 6 ? 0 : i % 10 - 5;
    out += std::to_string(i) + ",t" + std::to_string(i % 7) + "," + std::to_string(y) + "\n";
  }
  return out;
}

TEST_F(CsvInBlocks, GiveASampleInWhichEachValueHasItsShare) {
  const std::string path = write(graded_table());
  for (const std::uint64_t seed : {0, 1, 2}) {
    CsvBlocks file(path, {}, 500);
    const SampledTable sample = sample_csv(file, "y", 85, seed);
    EXPECT_EQ(sample.rows, 1000);
    ASSERT_EQ(sample.table.rows(), 85);
    std::map<double, int> counts;
    const auto& numbers = sample.table.at("number", "").numbers();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      ++counts[sample.table.at("y", "").numbers()[i]];
      const int number = static_cast<int>(numbers[i]);
      EXPECT_EQ(sample.table.at("text", "").texts()[i], "t" + std::to_string(number % 7));
      EXPECT_EQ(sample.table.line(static_cast<Index>(i)), number + 2);
      EXPECT_EQ(sample.table.at("y", "").numbers()[i], number % 10 < 6 ? 0 : number % 10 - 5);
    }
    for (const auto& [y, count] : counts) EXPECT_LT(std::abs(count - (y == 0 ? 51.0 : 8.5)), 1) << y;
    EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
    CsvBlocks whole(path, {}, 1 << 20);
    EXPECT_EQ(sample_csv(whole, "y", 85, seed).table.at("number", "").numbers(), numbers);
    CsvBlocks again(path, {}, 500);
    EXPECT_NE(sample_csv(again, "y", 85, seed + 7).table.at("number", "").numbers(), numbers);
  }
}

TEST_F(CsvInBlocks, SampleEachRowAsOften) {
  const std::string path = write("y\n1\n1\n1\nx\n\n2\n2\n-5\n2\n1\n");
  std::vector<int> drawn(11);
  constexpr int draws = 4000;
  CsvBlocks file(path, {}, 100);
  for (std::uint64_t seed = 0; seed < draws; ++seed) {
    const Table sample = sample_csv(file, "y", 4, seed).table;
    ASSERT_EQ(sample.rows(), 4);
    for (Index i = 0; i < 4; ++i) ++drawn[static_cast<std::size_t>(sample.line(i) - 2)];
  }
  drawn.resize(10);
  const double expected = draws * 0.4;
  for (const int count : drawn) EXPECT_NEAR(count, expected, 4.5 * std::sqrt(draws * 0.4 * 0.6));
}

TEST_F(CsvInBlocks, GiveAllRowsWhereThereAreNoMore) {
  const std::string path = write(graded_table());
  CsvBlocks file(path, {}, 300);
  for (const Index count : {Index{1000}, Index{5000}}) {
    const SampledTable sample = sample_csv(file, "y", count, 0);
    EXPECT_EQ(sample.rows, 1000);
    EXPECT_EQ(sample.table.rows(), 1000);
  }
  EXPECT_NE(complaint([&] { sample_csv(file, "z", 10, 0); }).find("no target column 'z'"), std::string::npos);
  EXPECT_EQ(complaint([&] { sample_csv(file, "y", 0, 0); }), "count = 0, expected a number of rows >= 1");
}

}  // namespace
}  // namespace condens::csv_blocks_test
