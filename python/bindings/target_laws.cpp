// TargetDistributions as `TargetLaws`.

#include <nanobind/stl/vector.h>

#include "condens/distributions/target_distributions.hpp"
#include "documents.hpp"
#include "functions.hpp"

namespace condens::python {

void bind_target_laws(nb::module_& m) {
  using Laws = TargetDistributions;
  nb::class_<Laws> c(m, "TargetLaws",
                     "n distributions of one target with bounds, values that can be counted, or atoms.");
  c.def(
      "__init__",
      [](Laws* self, const GaussianMixtures& base, const nb::dict& support, const Rows& log_shares) {
        new (self) Laws(base, TargetSupport::from_document(from_python(support, "support")), columns_of(log_shares));
      },
      nb::arg("base"), nb::arg("support"), nb::arg("log_shares").noconvert(),
      "Gaussian mixtures of the target's code; what its values are; log probabilities of no atom and of each, (n, 1 + "
      "k).");
  c.def_prop_ro("base", [](const Laws& laws) { return laws.base(); });
  c.def_prop_ro("support", [](const Laws& laws) { return to_python(laws.support().to_document()); });
  c.def_prop_ro(
      "log_shares", [](const Laws& laws) { return to_rows(laws.log_shares()); }, nb::rv_policy::automatic);
  add_at_points(c, "log_pdf", &Laws::log_pdf,
                "Log density at k points of every law; of a value with a probability, its log.");
  add_at_numbers(c, "cdf", &Laws::cdf, "P(Y <= y) at k numbers of every law, (n k) -> n k.");
  add_at_numbers(c, "cdf_below", &Laws::cdf_below, "P(Y < y).");
  add_at_numbers(c, "sf", &Laws::sf, "P(Y > y).");
  add_at_numbers(c, "mass_at", &Laws::mass_at, "P(Y = y).");
  add_at_numbers(c, "quantile_each", &Laws::quantile_each, "Least y with cdf(y) >= level, k levels for every law.");
  add_at_numbers(c, "upper_quantile_each", &Laws::upper_quantile_each, "Least y with sf(y) <= level.");
  add_at_numbers(c, "highest_density_mass", &Laws::highest_density_mass, "Probability of what is likelier than y.");
  add_at_numbers(c, "crps", &Laws::crps, "Continuous ranked probability score.");
  add_summary(c, "mean", &Laws::mean, "(n, 1)");
  add_summary(c, "variance", &Laws::variance, "(n, 1)");
  add_summary(c, "mode", &Laws::mode, "(n, 1)");
  add_summary(c, "median", &Laws::median, "n");
  add_grid(c, "Log density beside atoms, or probability over length, of every law at every point, (q, 1) -> (n, q).");
  c.def_prop_ro(
      "atom_probabilities", [](const Laws& laws) { return to_rows(laws.atom_probabilities()); },
      nb::rv_policy::automatic);
  add_regions(c);
}

}  // namespace condens::python
