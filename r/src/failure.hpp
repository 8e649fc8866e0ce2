#pragma once
// Exceptions of the core as values of R, which R/core.R raises with the call that the user typed. Nothing jumps over
// C++.

#include <cpp11/declarations.hpp>
#include <cpp11/protect.hpp>
#include <exception>

#include "condens/core/errors.hpp"

namespace condens::r {

/// list(message, class) of class "condens_failure".
inline SEXP failure(const char* kind, const char* message) {
  const char* names[] = {"message", "kind", ""};
  SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(out, 0, Rf_ScalarString(Rf_mkCharCE(message, CE_UTF8)));
  SET_VECTOR_ELT(out, 1, Rf_mkString(kind));
  Rf_setAttrib(out, R_ClassSymbol, Rf_mkString("condens_failure"));
  UNPROTECT(1);
  return out;
}

/// body() with its exceptions as failures; conditions of R go on their way once all is cleaned up.
template <class Body>
SEXP guarded(const Body& body) {
  BEGIN_CPP11
  try {
    return body();
  } catch (const cpp11::unwind_exception&) {
    throw;
  } catch (const Cancelled& error) {
    return cpp11::safe[failure]("interrupt", error.what());
  } catch (const NumericalError& error) {
    return cpp11::safe[failure]("condens_numerical_error", error.what());
  } catch (const FormatError& error) {
    return cpp11::safe[failure]("condens_format_error", error.what());
  } catch (const std::exception& error) {
    return cpp11::safe[failure]("", error.what());
  }
  END_CPP11
}

}  // namespace condens::r
