#pragma once
// A Document as text or bytes, and back without the loss of a bit.
//
// JSON (RFC 8259): numbers are shortest decimals, a double always has a point or an
// exponent, and a matrix is {"shape": [r, c], "values": [... column by column ...]}.
// CBOR (RFC 8949), deterministic: lengths as short as possible, doubles always of 64
// bits, members in the document's order; a matrix is a column-major array (RFC 8746,
// tag 1040) of little-endian doubles (tag 86).
//
// NaN, infinity and text that is not UTF-8 are refused by both, in both directions;
// messages name the place: "model.density.centers_x".

#include <string>
#include <string_view>

#include "condens/core/document.hpp"

namespace condens {

/// Indented, lists of plain values on one line. `root` begins the places in messages.
/// Throws std::invalid_argument for what the formats do not hold.
std::string document_to_json(const Document& document, std::string_view root = "document");
std::string document_to_cbor(const Document& document, std::string_view root = "document");

/// Throw FormatError for anything that is not one whole document: broken or trailing
/// text, repeated keys, matrices of a wrong shape, nesting deeper than 64.
Document document_from_json(std::string_view text, std::string_view root = "document");
Document document_from_cbor(std::string_view bytes, std::string_view root = "document");

}  // namespace condens
