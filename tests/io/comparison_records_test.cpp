// Comparisons that go on where they were interrupted, and files that are no records.

#include "condens/io/comparison_records.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <limits>

#include "comparison/trial_models.hpp"
#include "condens/core/errors.hpp"
#include "io/files.hpp"
#include "support/complaint.hpp"

namespace condens::tests::comparison_records_test {
namespace {

class Records : public ::testing::Test {
 protected:
  Records() {
    std::string name = (std::filesystem::temp_directory_path() / "condens-records-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    path = (folder_ / "fits.jsonl").string();
  }
  ~Records() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& text) const { std::ofstream(path, std::ios::binary) << text; }

  ComparisonRecords open() const { return {path, data, models, options}; }

  Comparison compare(ComparisonRecords& records) const {
    return compare_models(data, models, options, {.threads = 2, .observer = {}}, &records);
  }

  std::string path;
  Dataset data = line_with_noise(20);
  std::vector<Contestant> models{plain_contestant("a", 1.0), plain_contestant("b", 0.5, 0.01)};
  ComparisonOptions options{.repeats = 4};

 private:
  std::filesystem::path folder_;
};

TEST_F(Records, GoOnAfterAKillAnywhere) {
  ComparisonRecords records = open();
  EXPECT_EQ(records.held(), 0);
  const Comparison whole = compare(records);
  const std::string text = read_file(path);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 9);
  for (std::size_t size = 0; size < text.size(); size += 61) {
    write(text.substr(0, size));
    ComparisonRecords rest = open();
    const bool cut = size > 0 && text[size - 1] != '\n';
    EXPECT_EQ(rest.was_cut_off(), cut) << size;
    EXPECT_EQ(rest.held(),
              std::max<Index>(0, std::count(text.begin(), text.begin() + static_cast<Index>(size), '\n') - 1));
    EXPECT_TRUE(same_scores(compare(rest), whole)) << size;
    EXPECT_EQ(open().held(), 8) << size;
  }
}

TEST_F(Records, KeepEveryDigitAndWhatIsNotFinite) {
  Trial trial{.nll = std::numeric_limits<double>::infinity(),
              .nll_standardized = -std::numeric_limits<double>::infinity(),
              .squared_loss = -0.1,
              .crps = 1.0 / 3.0,
              .coverage = Trial::nothing,
              .seconds = 1e-300};
  ComparisonRecords records = open();
  records.add(1, 3, trial);
  const ComparisonRecords again = open();
  ASSERT_NE(again.find(1, 3), nullptr);
  EXPECT_EQ(again.find(1, 2), nullptr);
  EXPECT_EQ(again.find(0, 3), nullptr);
  for (const Measure& measure : trial_measures) {
    const double value = again.find(1, 3)->*measure.value;
    EXPECT_TRUE(std::isnan(value) ? measure.value == &Trial::coverage : value == trial.*measure.value) << measure.name;
  }
}

TEST_F(Records, ServeMoreSplitsAndModelsAndOtherLabels) {
  ComparisonRecords records = open();
  compare(records);
  options.repeats = 6;
  models.push_back(plain_contestant("c", 3.0));
  models[0].label = "renamed";
  ComparisonRecords more = open();
  EXPECT_EQ(more.held(), 8);
  compare(more);
  EXPECT_EQ(open().held(), 18);
}

TEST_F(Records, AreNotThoseOfAnotherComparison) {
  ComparisonRecords records = open();
  compare(records);
  const auto held_by = [&](const Dataset& rows, const std::vector<Contestant>& own, const ComparisonOptions& other) {
    return ComparisonRecords(path, rows, own, other).held();
  };
  EXPECT_EQ(held_by(data, models, options), 8);
  EXPECT_EQ(held_by(data, models, {.repeats = 4, .seed = 1}), 0);
  EXPECT_EQ(held_by(data, models, {.repeats = 4, .test_fraction = 0.3}), 0);
  EXPECT_EQ(held_by(line_with_noise(20, 2), models, options), 0);
  EXPECT_EQ(held_by(data, {models[0], plain_contestant("b", 0.6, 0.01)}, options), 4);
  Dataset weighted = data;
  weighted.weights = Vector::Ones(20);
  EXPECT_EQ(held_by(weighted, models, options), 0);
}

TEST_F(Records, RefusesOtherFiles) {
  const auto refusal = [&](const std::string& text) {
    write(text);
    const std::string out = complaint<FormatError>([&] { open(); });
    EXPECT_EQ(read_file(path), text);  // and leaves them as they are
    return out;
  };
  for (const std::string text : {"x,y\n1,2\n", "x,y", "{\"format\": \"condens-comparison\", \"version\": 2}\n", "\n"}) {
    EXPECT_EQ(refusal(text), path + ": not a file of records of condens compare") << text;
  }
  ComparisonRecords records = [&] {
    std::filesystem::remove(path);
    return open();
  }();
  const std::string header = read_file(path);
  EXPECT_NE(refusal(header + "{\"split\": 1}\n").find("fits.jsonl:2: "), std::string::npos);
  EXPECT_NE(refusal(header + "{\"split\n").find("fits.jsonl:2: "), std::string::npos);
  records.add(0, 0, {.nll = 1.0});
  std::string text = read_file(path);
  text = header + text.substr(text.rfind("{\"data\""));
  EXPECT_NE(refusal(text.replace(text.find("\"nll\": "), 10, "\"nll\": \"x\"")).find("fits.jsonl:2: "),
            std::string::npos);
}

TEST_F(Records, RefusesBadDataAndPlaces) {
  Dataset broken = data;
  broken.weights = Vector::Ones(3);
  EXPECT_NE(complaint([&] { ComparisonRecords(path, broken, models, options); }).find("3 weights"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(path));
  const std::string nowhere = path + "/none/fits.jsonl";
  EXPECT_EQ(complaint<std::runtime_error>([&] { ComparisonRecords(nowhere, data, models, options); }),
            nowhere + ": cannot be written: No such file or directory");
}

}  // namespace
}  // namespace condens::tests::comparison_records_test
