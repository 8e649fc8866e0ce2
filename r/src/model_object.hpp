#pragma once
// A fitted model as a raw vector of R: the bytes of its model file (CBOR).

#include <R_ext/Rdynload.h>
#include <cpp11/R.hpp>

#include <memory>

#include "condens/io/model_file.hpp"

namespace condens::r {

void register_model_class(DllInfo* dll);

SEXP to_r(std::shared_ptr<const Model> model);

/// The model of an object made above, or of plain bytes of a model file. Throws FormatError for other bytes.
std::shared_ptr<const Model> model_of(SEXP object);

}  // namespace condens::r
