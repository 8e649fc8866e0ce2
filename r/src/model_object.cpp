// A fitted model as a raw vector of R.
//
// data1: an external pointer to the model, or R_NilValue before it is read
// data2: the bytes, or R_NilValue before they are written

#include "model_object.hpp"

#include <R_ext/Altrep.h>

#include <cpp11/protect.hpp>
#include <cstring>
#include <string>

#include "condens/core/errors.hpp"
#include "failure.hpp"

namespace condens::r {

namespace {

using Pointer = std::shared_ptr<const Model>;
using cpp11::safe;

R_altrep_class_t model_class;

void delete_pointer(SEXP external) {
  delete static_cast<Pointer*>(R_ExternalPtrAddr(external));
  R_ClearExternalPtr(external);
}

SEXP external_of(Pointer model) {
  SEXP out = PROTECT(safe[R_MakeExternalPtr](new Pointer(std::move(model)), R_NilValue, R_NilValue));
  safe[R_RegisterCFinalizerEx](out, delete_pointer, TRUE);
  UNPROTECT(1);
  return out;
}

SEXP raw_of(const std::string& bytes) {
  SEXP out = safe[Rf_allocVector](RAWSXP, static_cast<R_xlen_t>(bytes.size()));
  std::memcpy(RAW(out), bytes.data(), bytes.size());
  return out;
}

/// The bytes, written now if need be; an R error where that fails.
SEXP bytes_of(SEXP object) {
  SEXP bytes = R_altrep_data2(object);
  if (bytes != R_NilValue) return bytes;
  std::string problem;
  {
    SEXP written = R_NilValue;
    try {
      const auto* model = static_cast<const Pointer*>(R_ExternalPtrAddr(R_altrep_data1(object)));
      written = raw_of(to_cbor(**model));
    } catch (const std::exception& error) {
      problem = error.what();
    }
    if (problem.empty()) {
      R_set_altrep_data2(object, written);
      return written;
    }
  }
  char text[500];
  std::strncpy(text, problem.c_str(), sizeof text - 1);
  text[sizeof text - 1] = '\0';
  problem = std::string();
  Rf_error("%s", text);
}

R_xlen_t length_of(SEXP object) { return Rf_xlength(bytes_of(object)); }

/// Of bytes that may be changed: the model is then read again from them, or refused.
void* pointer_of(SEXP object, Rboolean writable) {
  SEXP bytes = bytes_of(object);
  if (writable) R_set_altrep_data1(object, R_NilValue);
  return RAW(bytes);
}

const void* pointer_if_any(SEXP object) {
  SEXP bytes = R_altrep_data2(object);
  return bytes == R_NilValue ? nullptr : static_cast<const void*>(RAW(bytes));
}
SEXP state_of(SEXP object) { return bytes_of(object); }
SEXP from_state(SEXP, SEXP state) { return R_new_altrep(model_class, R_NilValue, state); }

/// The model is shared, its bytes are not.
SEXP copy_of(SEXP object, Rboolean) {
  SEXP model = R_altrep_data1(object);
  SEXP bytes = PROTECT(model == R_NilValue ? Rf_duplicate(R_altrep_data2(object)) : R_NilValue);
  SEXP out = R_new_altrep(model_class, model, bytes);
  UNPROTECT(1);
  return out;
}

Rboolean inspect(SEXP object, int, int, int, void (*)(SEXP, int, int, int)) {
  Rprintf("a model of condens, %s\n", R_altrep_data2(object) == R_NilValue ? "not written" : "written");
  return TRUE;
}

}  // namespace

void register_model_class(DllInfo* dll) {
  model_class = R_make_altraw_class("condens_model", "condens", dll);
  R_set_altrep_Length_method(model_class, length_of);
  R_set_altrep_Inspect_method(model_class, inspect);
  R_set_altrep_Serialized_state_method(model_class, state_of);
  R_set_altrep_Unserialize_method(model_class, from_state);
  R_set_altrep_Duplicate_method(model_class, copy_of);
  R_set_altvec_Dataptr_method(model_class, pointer_of);
  R_set_altvec_Dataptr_or_null_method(model_class, pointer_if_any);
}

SEXP to_r(Pointer model) {
  SEXP external = PROTECT(external_of(std::move(model)));
  SEXP out = safe[R_new_altrep](model_class, external, R_NilValue);
  UNPROTECT(1);
  return out;
}

Pointer model_of(SEXP object) {
  const bool own = ALTREP(object) != 0 && R_altrep_inherits(object, model_class) != 0;
  if (own && R_altrep_data1(object) != R_NilValue) {
    return *static_cast<const Pointer*>(R_ExternalPtrAddr(R_altrep_data1(object)));
  }
  if (TYPEOF(object) != RAWSXP) throw std::invalid_argument("expected a fitted model of condens");
  const auto size = static_cast<std::size_t>(Rf_xlength(object));
  const std::string_view bytes(reinterpret_cast<const char*>(RAW_RO(object)), size);
  auto model = std::make_shared<const Model>(parse_model(bytes, "model"));
  if (own) R_set_altrep_data1(object, external_of(model));
  return model;
}

}  // namespace condens::r
