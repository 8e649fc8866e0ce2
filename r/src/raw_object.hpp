#pragma once
// A value of the core as a raw vector of R. Its bytes are written when someone reads them, by saveRDS() say, and read
// when someone asks the value; until then neither costs memory (ALTREP).
//
// data1: an external pointer to the value, or R_NilValue before it is read
// data2: the bytes, or R_NilValue before they are written

#include <R_ext/Altrep.h>
#include <R_ext/Rdynload.h>
#include <cpp11/R.hpp>

#include <cpp11/protect.hpp>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace condens::r {

template <class Value>
class RawObject {
 public:
  using Pointer = std::shared_ptr<const Value>;
  struct Kind {
    const char* class_name;
    const char* text;  ///< "a fitted model of condens"
    std::string (*to_bytes)(const Value&);
    Pointer (*from_bytes)(std::string_view);
  };

  static void enroll(DllInfo* dll, const Kind& kind) {
    kind_ = kind;
    class_ = R_make_altraw_class(kind.class_name, "condens", dll);
    R_set_altrep_Length_method(class_, length_of);
    R_set_altrep_Inspect_method(class_, inspect);
    R_set_altrep_Serialized_state_method(class_, bytes_of);
    R_set_altrep_Unserialize_method(class_, from_state);
    R_set_altrep_Duplicate_method(class_, copy_of);
    R_set_altvec_Dataptr_method(class_, pointer_of);
    R_set_altvec_Dataptr_or_null_method(class_, pointer_if_any);
  }

  static SEXP make(Pointer value) {
    SEXP external = PROTECT(external_of(std::move(value)));
    SEXP out = cpp11::safe[R_new_altrep](class_, external, R_NilValue);
    UNPROTECT(1);
    return out;
  }

  /// The value of an object made above, or of plain bytes. Throws std::invalid_argument for what is no raw vector, and
  /// what `from_bytes` throws.
  static Pointer value_of(SEXP object) {
    const bool own = ALTREP(object) != 0 && R_altrep_inherits(object, class_) != 0;
    if (own && R_altrep_data1(object) != R_NilValue) return pointer_in(R_altrep_data1(object));
    if (TYPEOF(object) != RAWSXP) throw std::invalid_argument(std::string("expected ") + kind_.text);
    const auto size = static_cast<std::size_t>(Rf_xlength(object));
    Pointer value = kind_.from_bytes({reinterpret_cast<const char*>(RAW_RO(object)), size});
    if (own) R_set_altrep_data1(object, external_of(value));
    return value;
  }

 private:
  static const Pointer& pointer_in(SEXP external) { return *static_cast<const Pointer*>(R_ExternalPtrAddr(external)); }

  static void delete_pointer(SEXP external) {
    delete static_cast<Pointer*>(R_ExternalPtrAddr(external));
    R_ClearExternalPtr(external);
  }

  static SEXP external_of(Pointer value) {
    SEXP out = PROTECT(cpp11::safe[R_MakeExternalPtr](new Pointer(std::move(value)), R_NilValue, R_NilValue));
    cpp11::safe[R_RegisterCFinalizerEx](out, delete_pointer, TRUE);
    UNPROTECT(1);
    return out;
  }

  static SEXP raw_of(const std::string& bytes) {
    SEXP out = cpp11::safe[Rf_allocVector](RAWSXP, static_cast<R_xlen_t>(bytes.size()));
    std::memcpy(RAW(out), bytes.data(), bytes.size());
    return out;
  }

  /// The bytes, written now if need be; an R error where that fails.
  static SEXP bytes_of(SEXP object) {
    SEXP bytes = R_altrep_data2(object);
    if (bytes != R_NilValue) return bytes;
    std::string problem;
    {
      SEXP written = R_NilValue;
      try {
        written = raw_of(kind_.to_bytes(*pointer_in(R_altrep_data1(object))));
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

  static R_xlen_t length_of(SEXP object) { return Rf_xlength(bytes_of(object)); }

  /// Of bytes that may be changed: the value is then read again from them, or refused.
  static void* pointer_of(SEXP object, Rboolean writable) {
    SEXP bytes = bytes_of(object);
    if (writable) R_set_altrep_data1(object, R_NilValue);
    return RAW(bytes);
  }

  static const void* pointer_if_any(SEXP object) {
    SEXP bytes = R_altrep_data2(object);
    return bytes == R_NilValue ? nullptr : static_cast<const void*>(RAW(bytes));
  }

  static SEXP from_state(SEXP, SEXP state) { return R_new_altrep(class_, R_NilValue, state); }

  /// The value is shared, its bytes are not.
  static SEXP copy_of(SEXP object, Rboolean) {
    SEXP value = R_altrep_data1(object);
    SEXP bytes = PROTECT(value == R_NilValue ? Rf_duplicate(R_altrep_data2(object)) : R_NilValue);
    SEXP out = R_new_altrep(class_, value, bytes);
    UNPROTECT(1);
    return out;
  }

  static Rboolean inspect(SEXP object, int, int, int, void (*)(SEXP, int, int, int)) {
    Rprintf("%s, %s\n", kind_.text, R_altrep_data2(object) == R_NilValue ? "not written" : "written");
    return TRUE;
  }

  inline static R_altrep_class_t class_;
  inline static Kind kind_;
};

}  // namespace condens::r
