// Model files past the checksum, as CBOR: what loads has distributions, or says that the numbers do not allow any, and
// writes the file that it was read from again.
//
// The fuzzer's changes are of bytes or, mostly, of a part of the document (changed_document.hpp); the harness sets the
// checksum right.

#include <algorithm>
#include <cstring>
#include <optional>

#include "changed_document.hpp"
#include "condens/io/document_format.hpp"
#include "condens/io/model_file.hpp"
#include "io/checksum.hpp"
#include "small_fits.hpp"

namespace condens::fuzz {
namespace {

constexpr std::string_view mark = "\xD9\xD9\xF7";
constexpr double most_seconds = 60;

std::string with_checksum(Document file) {
  if (std::holds_alternative<Document::Object>(file.value())) {
    if (const Document* body = file.find("body")) file.set("checksum", checksum(document_to_cbor(*body)));
  }
  return std::string(mark) + document_to_cbor(file);
}

Document file_of(std::string_view bytes) {
  return document_from_cbor(bytes.starts_with(mark) ? bytes.substr(mark.size()) : bytes);
}

/// Inputs near those that the model knows, far from them, and missing where it takes that.
Matrix inputs_of(const ConditionalDensity& density) {
  Matrix out = density.x_scale().mean().replicate(1, 4);
  out.col(1) += density.x_scale().scale();
  out.col(2).setConstant(-1e9);
  if (density.imputer() != nullptr) out.col(3).setConstant(std::numeric_limits<double>::quiet_NaN());
  out = out.array().max(-1e300).min(1e300).isNaN().select(out, out.cwiseMax(-1e300).cwiseMin(1e300));
  return out;
}

void use(const Model& model, const Run& run) {
  const ConditionalDensity& density = *model.density;
  if (density.n_inputs() > 100 || density.n_targets() > 10) return;
  const Matrix x = inputs_of(density);
  refused([&] {
    const GaussianMixtures laws = expect_distributions(density, x, run);
    const Matrix y = laws.mean(run);
    expect(!density.log_density(x, y, run).hasNaN(), "a log density that is NaN");
    if (laws.dimension() > 1) return;
    expect(!laws.quantile(Vector{{0.1, 0.9}}, run).hasNaN(), "a quantile that is NaN");
    if (!model.target) return;
    const TargetDistributions targets = model.target->predict(density, x, run);
    expect(!targets.quantile(Vector{{0.1, 0.9}}, run).hasNaN(), "a quantile of the target that is NaN");
  });
  if (!model.replicates) return;
  refused([&] { expect_distributions(*model.replicates->density(density, 0), x, run); });
}

void run(std::string_view bytes) {
  std::string file;
  if (refused([&] { file = with_checksum(file_of(bytes)); })) return;
  const WorkBound bound(most_seconds);
  std::optional<Model> model;
  if (refused([&] { model = parse_model(file, "fuzz.cbor"); })) return;
  const std::string again = to_cbor(*model);
  expect(to_cbor(parse_model(again, "again.cbor")) == again, "the model comes back as another one");
  use(*model, bound.run());
}

std::size_t mutate(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  RandomStream random(seed);
  std::string out;
  const bool no = refused([&] {
    Document file = file_of({reinterpret_cast<const char*>(data), size});
    for (Index i = random.below(3); i >= 0; --i) file = changed_document(file, random);
    out = std::string(mark) + document_to_cbor(file);
  });
  if (no || out.size() > most) return 0;
  std::memcpy(data, out.data(), out.size());
  return out.size();
}

}  // namespace
}  // namespace condens::fuzz

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  const std::size_t changed = seed % 8 == 0 ? 0 : condens::fuzz::mutate(data, size, most, seed);
  return changed > 0 ? changed : LLVMFuzzerMutate(data, size, most);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  condens::fuzz::run({reinterpret_cast<const char*>(data), size});
  return 0;
}
