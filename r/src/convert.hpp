#pragma once
// Values of R and those of condens. Observations are rows in R, whose matrices hold column after column, and columns
// here: matrices are transposed on their way.

#include <cpp11/list.hpp>
#include <string>
#include <vector>

#include "condens/core/document.hpp"
#include "condens/data/table.hpp"

namespace condens::r {

/// NULL, logical, integer (double where it needs more bits), double, character, matrix, list. Numbers in a row become
/// a vector.
SEXP to_r(const Document& document);

/// Whole numbers become integers. A vector of length one is a single value, a named list an object. Throws
/// std::invalid_argument, which begins with `name`, for what a document does not hold.
Document from_r(SEXP value, const std::string& name);

SEXP to_r(const VectorView& values);
SEXP to_r(const std::vector<std::string>& texts);
SEXP to_r(const std::string& text);

/// d x n as a matrix of n rows and d columns.
SEXP rows_to_r(const MatrixView& values);

/// A matrix of n rows, or a vector for one column, as d x n.
Matrix columns_of(SEXP rows);

Vector vector_of(SEXP numbers);  ///< empty of NULL
std::string text_of(SEXP text);  ///< UTF-8; throws std::invalid_argument for NA
std::vector<std::string> texts_of(SEXP texts);

/// A named list of numeric and character vectors; NA is missing.
Table table_of(SEXP columns);

/// The element of a list. Throws std::invalid_argument for a name that is not there.
SEXP at(SEXP list, const char* name);

}  // namespace condens::r
