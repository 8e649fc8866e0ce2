// condens._cpu: the level of this processor. Built without any level flags, so that it
// runs where the core would not.

#include <nanobind/nanobind.h>

#include "../../cmake/cpu_level.hpp"

NB_MODULE(_cpu, m) {  // NOLINT(performance-unnecessary-value-param): the macro's own
  m.attr("level") = condens_cpu_level();
}
