#pragma once
// How intervals get a guarantee, by the words of Python.

#include <string>

#include "condens/registry.hpp"

namespace condens::python {

/// "split" is none. Throws std::invalid_argument for other words.
CrossConformal cross_conformal_of(const std::string& method);

}  // namespace condens::python
