// Parquet and Arrow files through another program. Shell scripts stand in for Python here, and write what lies beside
// the file as FILE.csv; real files are read in python/tests/test_command_parquet.py.

#include "io/columnar_text.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "condens/io/csv.hpp"
#include "condens/io/csv_blocks.hpp"
#include "support/complaint.hpp"

namespace condens::columnar_text_test {
namespace {

namespace fs = std::filesystem;

class ColumnarFile : public ::testing::Test {
 protected:
  ColumnarFile() {
    std::string name = (fs::temp_directory_path() / "condens-columnar-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~ColumnarFile() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).string();
  }

  std::string read(const std::string& name) const {
    std::ifstream in(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  /// A file that a program below makes this text of.
  std::string table(const std::string& name, const std::string& text) const {
    write(name + ".csv", text);
    return write(name, "PAR1");
  }

  /// A program of these lines of sh, in which $3 is the file. It notes its number.
  CsvOptions by(const std::string& lines) const {
    const std::string path = write("python", "#!/bin/sh\necho $$ >>'" + (folder_ / "starts").string() + "'\n" + lines);
    ::chmod(path.c_str(), 0700);
    return {.python = path};
  }

  /// The numbers of the programs that were started.
  std::vector<pid_t> starts() const {
    std::ifstream in(folder_ / "starts");
    return {std::istream_iterator<pid_t>(in), {}};
  }

  /// None of them is there, not even as one that waits for its end to be taken.
  void expect_all_gone() const {
    EXPECT_FALSE(starts().empty());
    for (const pid_t process : starts()) EXPECT_EQ(::kill(process, 0), -1) << process;
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
    EXPECT_EQ(errno, ECHILD);
  }

  static std::size_t open_descriptors() {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator()));
  }

  fs::path folder_;
  const std::string printing = "cat \"$3.csv\"\n";
};

std::string many_rows(int rows) {
  std::string text = "a,b\n";
  for (int i = 0; i < rows; ++i) text += std::to_string(i) + ",\"level\n" + std::to_string(i % 3) + "\"\n";
  return text;
}

TEST_F(ColumnarFile, IsKnownByItsNameOrItsFirstBytes) {
  for (const char* name : {"t.parquet", "t.PQ", "t.arrow", "t.feather", "t.ipc"}) {
    EXPECT_TRUE(is_columnar(write(name, ""))) << name;
  }
  EXPECT_TRUE(is_columnar(write("rows", "PAR1 and more")));
  EXPECT_TRUE(is_columnar(write("rows.bin", "ARROW1 and more")));
  for (const char* text : {"", "PAR", "PAR2", "a,b\n1,2\n"}) EXPECT_FALSE(is_columnar(write("t.csv", text))) << text;
  for (const char* path : {"-", "", "/dev/null", "nowhere.parquet"}) EXPECT_FALSE(is_columnar(path)) << path;
  const std::string pipe = (folder_ / "pipe.parquet").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_FALSE(is_columnar(pipe));
}

TEST_F(ColumnarFile, MayBeAFolderOfFiles) {
  const fs::path inside = folder_ / "parts";
  fs::create_directory(inside);
  EXPECT_FALSE(is_columnar(inside));
  write("parts/_SUCCESS", "");
  EXPECT_FALSE(is_columnar(inside));
  fs::create_directories(inside / "year=2024");
  EXPECT_FALSE(is_columnar(inside));
  write("parts/year=2024/1.parquet", "PAR1");
  EXPECT_TRUE(is_columnar(inside));
}

TEST_F(ColumnarFile, IsReadWhole) {
  const Table table = read_csv(this->table("t.parquet", "\"a;x;y\",\"b\"\n1,\"u\"\n,\"v, w\"\n"), by(printing));
  EXPECT_EQ(table.rows(), 2);
  EXPECT_EQ(table.at("a;x;y", "").numbers()[0], 1.0);
  EXPECT_TRUE(table.at("a;x;y", "").is_missing(1));
  EXPECT_EQ(table.at("b", "").texts()[1], "v, w");
  expect_all_gone();
}

TEST_F(ColumnarFile, IsReadInTheBlocksOfItsText) {
  const std::string text = many_rows(9000);
  const std::string path = table("t.parquet", text);
  const CsvOptions python = by(printing);
  const auto blocks_of = [](CsvBlocks& file) {
    std::vector<std::string> out;
    file.read([&](const Table& block) {
      std::string& own = out.emplace_back();
      for (Index row = 0; row < block.rows(); ++row)
        own += block.at("a", "").level(row) + block.at("b", "").level(row) + "|";
    });
    return out;
  };
  CsvBlocks plain(write("t.csv", text), {}, 70'000);
  CsvBlocks file(path, python, 70'000);
  const std::vector<std::string> blocks = blocks_of(file);
  EXPECT_GT(blocks.size(), 1U);
  EXPECT_TRUE(blocks == blocks_of(plain));
  EXPECT_TRUE(blocks == blocks_of(file));
  EXPECT_EQ(starts().size(), 3U);  // one for the header
  expect_all_gone();
}

TEST_F(ColumnarFile, HasRowsAndNoLines) {
  const std::string text = many_rows(30);
  const std::string path = table("t.parquet", text);
  const CsvOptions python = by(printing);
  EXPECT_EQ(read_csv(path, python).place(7), path + ", row 8");
  std::vector<std::string> places;
  CsvBlocks file(path, python, 50);
  file.read([&](const Table& block) {
    for (Index row = 0; row < block.rows(); ++row) places.push_back(block.place(row));
  });
  ASSERT_EQ(places.size(), 30U);
  EXPECT_EQ(places[29], path + ", row 30");
  const SampledTable sample = sample_csv(file, "a", 30, 0);
  EXPECT_EQ(sample.table.place(29), path + ", row 30");
  Table copy(path);
  copy.add({"a", std::vector<double>{1.0}});
  copy.take_places(sample.table, 4);
  EXPECT_EQ(copy.place(0), path + ", row 5");
}

TEST_F(ColumnarFile, MayHaveNumbersForNames) {
  const std::string path = table("t.parquet", "\"1\",\"2\"\n3,4\n");
  EXPECT_EQ(read_csv(path, by(printing)).columns()[1].name, "2");
  EXPECT_EQ(CsvBlocks(path, by(printing), 100).header().columns()[1].name, "2");
}

TEST_F(ColumnarFile, WithoutRowsOrWithBrokenTextsIsRefused) {
  const std::string empty = table("empty.parquet", "\"a\",\"b\"\n");
  const std::string broken = table("broken.parquet", "\"a\"\n\"x\xFF\"\n");
  const CsvOptions python = by(printing);
  for (const bool whole : {true, false}) {
    const auto said = [&](const std::string& path) {
      return complaint([&] { whole ? read_csv(path, python) : CsvBlocks(path, python, 9).header(); });
    };
    EXPECT_EQ(said(empty), empty + ": no rows after the header");
    EXPECT_EQ(said(broken),
              broken + ": a text in it is not UTF-8, or holds the character 0; correct it, or leave its column out");
  }
}

TEST_F(ColumnarFile, ThatIsNotReadToItsEndIsNoShorterTable) {
  const std::string path = table("t.parquet", many_rows(50));
  const std::string failing = printing + "echo 'Traceback: much' >&2; echo 'the file is damaged' >&2; exit 1\n";
  const auto reads = [&](const CsvOptions& python) {
    const std::string said = complaint<std::runtime_error>([&] { read_csv(path, python); });
    CsvBlocks blocks(path, python, 100);
    EXPECT_EQ(complaint<std::runtime_error>([&] { blocks.read([](const Table&) {}); }), said);
    return said;
  };
  EXPECT_EQ(reads(by(failing)), path + ": cannot be read: the file is damaged");
  EXPECT_EQ(reads(by(printing + "exit 7\n")),
            path + ": cannot be read: " + (folder_ / "python").string() + " has ended with status 7");
  EXPECT_EQ(reads(by(printing + "kill -9 $$\n")),
            path + ": cannot be read: " + (folder_ / "python").string() + " has ended with status 137");
  expect_all_gone();
}

TEST_F(ColumnarFile, OfAProgramThatSaysMuchIsReadAllTheSame) {
  const std::string path = table("t.parquet", many_rows(5));
  const std::string talking = "head -c 300000 /dev/zero | tr '\\0' 'x' >&2\n";
  EXPECT_EQ(read_csv(path, by(talking + printing)).rows(), 5);
  EXPECT_EQ(complaint<std::runtime_error>([&] {
              read_csv(path, by(talking + "echo; echo no >&2; exit 1\n"));
            }).substr(0, path.size() + 20),
            path + ": cannot be read: xx");
}

TEST_F(ColumnarFile, SaysWhatIsToBeInstalled) {
  const std::string path = table("t.parquet", many_rows(5));
  const std::string advice =
      "; pip install pyarrow, or name a Python that has it in CONDENS_PYTHON, or write the table as CSV";
  const std::string begin = path + ": Python with pyarrow reads Parquet and Arrow files, and ";
  const CsvOptions without = by("echo 'No module named pyarrow' >&2; exit 3\n");
  EXPECT_EQ(complaint<std::runtime_error>([&] { read_csv(path, without); }),
            begin + without.python + " has none: No module named pyarrow" + advice);
  EXPECT_EQ(complaint<std::runtime_error>([&] { CsvBlocks(path, {.python = "/no/such/python"}, 100); }),
            begin + "it cannot be started: /no/such/python: No such file or directory" + advice);
}

TEST_F(ColumnarFile, EndsItsProgramWhenNoMoreIsRead) {
  const std::string path = table("t.parquet", many_rows(30'000));
  const std::size_t before = open_descriptors();
  const CsvOptions waiting = by(printing + "sleep 1000\n");  // the shell waits for a program of its own
  CsvBlocks blocks(path, waiting, 100);
  struct Enough {};
  EXPECT_THROW(blocks.read([](const Table&) { throw Enough(); }), Enough);
  EXPECT_EQ(starts().size(), 2U);
  expect_all_gone();
  EXPECT_EQ(open_descriptors(), before);
}

TEST_F(ColumnarFile, EndsItsProgramWhenCancelled) {
  const std::string path = table("t.parquet", many_rows(5));
  for (const std::string& silent : {std::string("sleep 1000\n"), printing + "exec >&- 2>&-; sleep 1000\n"}) {
    const CsvOptions python = by(silent);
    std::atomic<bool> goes_on = true;
    std::jthread later([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      goes_on = false;
    });
    const condens::Run run{.threads = 1, .observer = [&](std::string_view, double) { return goes_on.load(); }};
    const Task task(run, "reading", 1);
    EXPECT_THROW(read_csv(path, python), Cancelled);
    expect_all_gone();
  }
}

TEST_F(ColumnarFile, OfAnyNameGoesThroughNoShell) {
  for (const std::string name :
       {"a b.parquet", "$(touch gone).parquet", "'; touch gone; '.parquet", "-c.parquet", "\"q\" `x` \\ * ?.parquet"}) {
    EXPECT_EQ(read_csv(table(name, many_rows(4)), by(printing)).rows(), 4) << name;
  }
  EXPECT_FALSE(fs::exists("gone"));
}

TEST_F(ColumnarFile, IsReadWithoutInputAndWithoutOurDescriptors) {
  const std::string path = table("t.parquet", many_rows(4));
  const std::string seen = (folder_ / "seen").string();
  const CsvOptions python = by("cat >'" + seen + "'; ls /proc/self/fd >>'" + seen + "'\n" + printing);
  ASSERT_EQ(std::system(("'" + python.python + "' -c '' '" + path + "' </dev/null >/dev/null 2>&1").c_str()), 0);
  const std::string usual = read("seen");
  EXPECT_EQ(read_csv(path, python).rows(), 4);
  EXPECT_EQ(read("seen"), usual);
}

}  // namespace
}  // namespace condens::columnar_text_test
