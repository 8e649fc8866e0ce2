// Model files of every release, of every model and preset in both forms, kept forever in tests/frozen: each later
// version loads them and gives the densities that were written beside them.
//
// A release, or a new model, adds its own, and never changes one that is there:
//   condens_tests --gtest_also_run_disabled_tests --gtest_filter='FrozenModels.DISABLED_Write'

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <numeric>
#include <string>

#include "condens/core/random.hpp"
#include "condens/io/document_format.hpp"
#include "condens/io/model_file.hpp"
#include "condens/registry.hpp"
#include "io/files.hpp"
#include "support/registered_models.hpp"

namespace condens::frozen_models_test {
namespace {

using std::filesystem::path;

const path& place() {
  static const path folder = path(CONDENS_SOURCE_DIR) / "tests/frozen";
  return folder;
}

/// A number, a category of three levels and a target of two branches; the first `fitted` rows are for the fit.
constexpr Index fitted = 36;
constexpr Index tested = 8;

Table table() {
  RandomStream random(5);
  std::vector<double> age;
  std::vector<std::string> city;
  std::vector<double> y;
  const std::array<std::string, 3> cities{"Rom", "Köln", "Paris"};
  for (Index i = 0; i < fitted + tested; ++i) {
    const auto level = static_cast<std::size_t>(3 * random.uniform());
    age.push_back(40 + 10 * random.normal());
    city.push_back(cities[level]);
    const double branch = random.uniform() < 0.5 ? -1.0 : 1.0;
    y.push_back(branch + 0.05 * age.back() + 0.3 * static_cast<double>(level) + 0.3 * random.normal());
  }
  Table out("frozen.csv");
  out.add({"age", age});
  out.add({"city", city});
  out.add({"y", y});
  return out;
}

struct Rows {
  Encoder encoder;
  Dataset train;
  Dataset test;
};

Rows rows() {
  Rows out{Encoder::fit(table(), {.targets = {"y"}}), {}, {}};
  const Dataset all = out.encoder.encode(table());
  std::vector<Index> some(static_cast<std::size_t>(fitted + tested));
  std::iota(some.begin(), some.end(), Index{0});
  out.train = all.subset({some.begin(), some.begin() + fitted});
  out.test = all.subset({some.begin() + fitted, some.end()});
  return out;
}

/// Every file, with the densities that it had when it was written.
Document expected() { return document_from_json(read_file((place() / "log_densities.json").string())); }

TEST(FrozenModels, EveryModelAndPresetHasOne) {
  const Document all = expected();
  for (const registered::Case& c : registered::all_cases()) {
    if (!find_model(c.model).shipped) continue;
    EXPECT_NE(all.at("files").find(c.model + "_" + c.preset), nullptr)
        << c.model << " (" << c.preset << ") has no frozen file: the head of this test says how to add it";
  }
}

TEST(FrozenModels, HaveTheDensitiesTheyHadWhenTheyWereWritten) {
  const Document all = expected();
  const Matrix x = all.at("x").as_matrix();
  const Matrix y = all.at("y").as_matrix();
  for (const auto& [name, numbers] : all.at("files").as_object()) {
    SCOPED_TRACE(name);
    const Model json = load_model_file((place() / (name + ".json")).string());
    const Model cbor = load_model_file((place() / (name + ".cbor")).string());
    EXPECT_EQ(to_cbor(json), to_cbor(cbor));
    EXPECT_EQ(json.encoder.encoded_names(), rows().encoder.encoded_names());
    // Another instruction set rounds another way: the sums of a density are of positive terms.
    const Vector difference = json.density->log_density(x, y) - numbers.as_vector();
    EXPECT_LE(difference.cwiseAbs().maxCoeff(), 1e-10);
  }
}

TEST(FrozenModels, DISABLED_Write) {
  const Rows data = rows();
  const path numbers = place() / "log_densities.json";
  Document all =
      Document::Object{{"x", Matrix(data.test.x)}, {"y", Matrix(data.test.y)}, {"files", Document::Object{}}};
  if (exists(numbers)) all = expected();
  Document files = all.at("files");
  const Matrix x = all.at("x").as_matrix();
  const Matrix y = all.at("y").as_matrix();
  for (const registered::Case& c : registered::all_cases()) {
    if (!find_model(c.model).shipped) continue;
    const std::string name = c.model + "_" + c.preset;
    if (files.find(name) != nullptr) continue;
    const Model model{data.encoder, find_model(c.model).fit(data.train, c.preset, registered::quick_options(c),
                                                            {.threads = 1, .observer = {}})};
    save_model(model, (place() / (name + ".json")).string());
    save_model(model, (place() / (name + ".cbor")).string());
    files.set(name, model.density->log_density(x, y));
  }
  write_file_atomically(numbers.string(), document_to_json(all.set("files", files)));
}

}  // namespace
}  // namespace condens::frozen_models_test
