#include "condens/io/model_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>

#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "condens/io/document_format.hpp"
#include "condens/registry.hpp"
#include "io/files.hpp"

namespace condens::model_file_test {
namespace {

/// A small model with one number and one three-level input: 4 encoded inputs.
const Model& model() {
  static const Model fitted = [] {
    Table table("train.csv");
    table.add({"age", std::vector<double>{1, 2, 4, 7, 3, 5, 8, 6}});
    table.add({"city", std::vector<std::string>{"Rom", "Köln", "Rom", "Paris", "Paris", "Köln", "Rom", "Rom"}});
    table.add({"y", std::vector<double>{0.1, 1, 2, 1.5, 0, -1, 1, 3}});
    const Encoder encoder = Encoder::fit(table, {.targets = {"y"}});
    Document options;
    options.set("bandwidth", 1.0).set("bandwidth_y", 0.5).set("regularization", 0.1).set("n_centers", 3);
    return Model{encoder, find_model("lscde").fit(encoder.encode(table), "", options, {})};
  }();
  return fitted;
}

/// A sealed file with another body: its checksum is right, so what is inside gets looked at.
std::string sealed(const Document& body) {
  std::uint64_t hash = 14695981039346656037ULL;  // FNV-1a, as published
  for (const char c : document_to_cbor(body)) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(hash));
  Document file;
  file.set("format", "condens-model").set("version", 1).set("checksum", digits).set("body", body);
  return document_to_json(file);
}

Document file_document() { return document_from_json(to_json(model())); }

std::string complaint(std::string_view bytes) {
  try {
    parse_model(bytes, "m.json");
  } catch (const FormatError& error) {
    return error.what();
  }
  return "";
}

TEST(ModelFile, RoundTripsInBothForms) {
  const std::string bytes = to_cbor(model());
  for (const std::string& file : {to_json(model()), bytes}) {
    const Model again = parse_model(file, "m");
    EXPECT_EQ(to_cbor(again), bytes);
    EXPECT_EQ(again.encoder.encoded_names(), model().encoder.encoded_names());
    const Matrix x = Matrix::Random(4, 5);
    const Matrix y = Matrix::Random(1, 5);
    EXPECT_EQ(again.density->log_density(x, y), model().density->log_density(x, y));
  }
}

TEST(ModelFile, TheNameChoosesTheForm) {
  const auto directory = std::filesystem::path(testing::TempDir()) / ("condens_model_" + std::to_string(getpid()));
  std::filesystem::create_directories(directory);
  const std::string json = (directory / "m.json").string();
  const std::string cbor = (directory / "m.cbor").string();
  save_model(model(), json);
  save_model(model(), cbor);
  EXPECT_EQ(read_file(json), to_json(model()));
  EXPECT_EQ(read_file(cbor), to_cbor(model()));
  EXPECT_EQ(to_json(load_model_file(cbor)), to_json(load_model_file(json)));
  std::filesystem::remove_all(directory);
  EXPECT_THROW(load_model_file(json), std::runtime_error);
}

TEST(ModelFile, NamesWhatIsWrong) {
  const std::string json = to_json(model());
  EXPECT_NE(complaint(json.substr(0, json.size() / 2)).find("m.json: model"), std::string::npos);
  EXPECT_NE(complaint(json.substr(0, json.size() / 2)).find("not readable as JSON: parse error at line"),
            std::string::npos);
  EXPECT_EQ(complaint("{\"other\": 1}"), "m.json: not a condens model file");
  EXPECT_EQ(complaint("[1, 2]"), "m.json: not a condens model file");
  EXPECT_EQ(complaint("{\"format\": \"condens-model\"}"), "m.json: the key 'version' is missing");

  Document newer = file_document();
  newer.set("version", 4);
  EXPECT_EQ(complaint(document_to_json(newer)),
            "m.json: written by a newer condens (version 4); this one reads up to 3");
  newer.set("version", 0);
  EXPECT_EQ(complaint(document_to_json(newer)), "m.json: unknown version 0");

  std::string altered = json;
  altered.replace(altered.find("Paris"), 5, "Pariz");
  EXPECT_EQ(complaint(altered), "m.json: the checksum does not match: the file was altered after it was written");
}

TEST(ModelFile, SealedNonsenseIsRefused) {
  const Document good = file_document().at("body");
  EXPECT_EQ(complaint(sealed(good)), "");
  Document body = good;
  body.set("encoder", Encoder::generic(2, 1).to_document());
  EXPECT_EQ(complaint(sealed(body)), "m.json: the encoder has 2 inputs and 1 targets, the density 4 and 1");
  body = good;
  Document density = good.at("density");
  body.set("density", density.set("model", "oracle"));
  EXPECT_EQ(complaint(sealed(body)), "m.json: unknown model 'oracle'; it may come from a newer condens");
  body.set("density", 3);
  EXPECT_EQ(complaint(sealed(body)), "m.json: expected an object, found a whole number");
}

/// Every matrix of the density in a wrong shape, and every value of a wrong kind.
TEST(ModelFile, SealedValuesOfAWrongKindAreRefused) {
  const Document good = file_document().at("body");
  const Document parameters = good.at("density").at("parameters");
  for (const auto& [key, value] : parameters.as_object()) {
    for (const Document& wrong :
         {Document(Matrix(0, 0)), Document(Matrix::Ones(7, 9).eval()), Document("x"), Document()}) {
      if (key == "options" && wrong.is_null()) continue;  // no options: the defaults
      Document bad_parameters = parameters;
      Document density = good.at("density");
      Document body = good;
      body.set("density", density.set("parameters", bad_parameters.set(key, wrong)));
      EXPECT_NE(complaint(sealed(body)), "") << key << " as " << wrong.kind();
    }
  }
}

TEST(ModelFile, SurvivesAnyDamage) {
  const std::string expected = to_cbor(model());
  for (const std::string& good : {to_json(model()), expected}) {
    for (std::size_t i = 0; i < good.size(); ++i) {
      const bool whole = i + 1 == good.size() && good[i] == '\n';  // JSON does not need its last line break
      EXPECT_EQ(complaint(good.substr(0, i)).empty(), whole) << "cut at " << i;
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ (1 << (i % 8)));
      try {
        EXPECT_EQ(to_cbor(parse_model(bad, "m")), expected) << "byte " << i;  // white space may change
      } catch (const FormatError&) {
      }
    }
  }
}

TEST(ModelFile, SurvivesNoise) {
  RandomStream random(1);
  for (int trial = 0; trial < 2000; ++trial) {
    std::string noise(static_cast<std::size_t>(random.below(200)), '\0');
    for (char& c : noise) c = static_cast<char>(random.below(256));
    EXPECT_NE(complaint(noise), "");
    EXPECT_NE(complaint("\xD9\xD9\xF7" + noise), "");
  }
}

}  // namespace
}  // namespace condens::model_file_test
