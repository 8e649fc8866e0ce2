// JSON and CBOR: any bytes are a document or refused, and a document that is written reads back as the same document.
//
// The first byte chooses the form, the rest is the file.

#include "condens/io/document_format.hpp"
#include "input.hpp"

namespace condens::fuzz {
namespace {

void run(Input& input) {
  const bool cbor = input.flag();
  const std::string_view bytes = input.text();
  Document document;
  if (refused([&] { document = cbor ? document_from_cbor(bytes) : document_from_json(bytes); })) return;
  const std::string as_cbor = document_to_cbor(document);
  expect(document_from_cbor(as_cbor) == document, "CBOR comes back as another document");
  std::string as_json;
  // What is no matrix and looks like one can be held by CBOR alone.
  if (refused([&] { as_json = document_to_json(document); })) return;
  expect(document_to_cbor(document_from_json(as_json)) == as_cbor, "JSON comes back as another document");
}

}  // namespace
}  // namespace condens::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  condens::fuzz::Input input(data, size);
  condens::fuzz::run(input);
  return 0;
}
