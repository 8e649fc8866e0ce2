// GaussianMixtures as `Laws`: flat arrays in and out. Shapes, broadcasting and scipy's
// names are the business of condens/distributions.py.

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "condens/distributions/gaussian_mixture.hpp"
#include "functions.hpp"

namespace condens::python {

namespace {

using Laws = GaussianMixtures;
using PyLaws = nb::class_<Laws>;

/// Numbers of `laws` itself, read-only and without a copy; they live as long as it does.
nb::object borrowed(const Matrix& values, nb::handle laws) {
  return nb::cast(nb::ndarray<nb::numpy, const double>(
      values.data(), {static_cast<std::size_t>(values.cols()), static_cast<std::size_t>(values.rows())}, laws));
}

GaussianComponents components_of(const Rows& means, const Rows& scales, const std::optional<Rows>& correlations) {
  GaussianComponents out{columns_of(means), columns_of(scales)};
  if (correlations) out.correlations = columns_of(*correlations);
  return out;
}

/// Laws to the bit: log weights that were normalised once are not normalised again.
Laws restored(const Rows& log_weights, const Rows& means, const Rows& scales, bool shared,
              const std::optional<Rows>& correlations) {
  const auto weights = columns_of(log_weights);
  GaussianComponents all = components_of(means, scales, correlations);
  if (shared) return Laws::shared_normalized(std::make_shared<const GaussianComponents>(std::move(all)), weights);
  const Index m = weights.rows();
  const Index count = all.means.cols();
  if (weights.cols() == 0 || count != weights.size() || all.scales.cols() != count ||
      (all.correlated() && all.correlations.cols() != count)) {
    return Laws::separate(std::move(all), weights);
  }
  std::vector<Laws> laws;
  for (Index i = 0; i < weights.cols(); ++i) {
    auto own = std::make_shared<const GaussianComponents>(all.columns(i * m, m));
    laws.push_back(Laws::shared_normalized(std::move(own), weights.col(i)));
  }
  return Laws::concatenate(laws);
}

void add_points(PyLaws& c) {
  add_at_points(c, "pdf", &Laws::pdf, "Density at k points of every law, (n k, d) -> n k.");
  add_at_points(c, "log_pdf", &Laws::log_pdf, "Log density at k points of every law.");
  add_at_points(c, "energy_score", &Laws::energy_score, "E|X - y| - E|X - X'| / 2.");
  add_at_points(c, "mean_distance", &Laws::mean_distance, "E|X - y|.");
  add_at_points(c, "squared_loss", &Laws::squared_loss, "Half the integral of p^2, minus p(y).");
  add_at_numbers(c, "cdf", &Laws::cdf, "P(Y <= y) at k numbers of every law, (n k) -> n k.");
  add_at_numbers(c, "sf", &Laws::sf, "P(Y > y).");
  add_at_numbers(c, "log_cdf", &Laws::log_cdf, "log P(Y <= y).");
  add_at_numbers(c, "log_sf", &Laws::log_sf, "log P(Y > y).");
  add_at_numbers(c, "quantile_each", &Laws::quantile_each, "y with cdf(y) = level, k levels for every law.");
  add_at_numbers(c, "upper_quantile_each", &Laws::upper_quantile_each, "y with sf(y) = level.");
  add_at_numbers(c, "highest_density_mass", &Laws::highest_density_mass, "Mass of the smallest region that has y.");
  add_at_numbers(c, "lower_tail_mean", &Laws::lower_tail_mean, "E[Y | Y <= quantile(level)].");
  add_at_numbers(c, "upper_tail_mean", &Laws::upper_tail_mean, "E[Y | Y > upper_quantile(level)].");
  add_at_numbers(c, "crps", &Laws::crps, "Continuous ranked probability score.");
  c.def(
      "probability",
      [](const Laws& laws, const Line& lower, const Line& upper, int threads, const nb::object& callback) {
        return to_line(released(threads, callback, [&](const Run& run) -> Vector {
          return laws.probability(vector_of(lower), vector_of(upper), run);
        }));
      },
      nb::arg("lower").noconvert(), nb::arg("upper").noconvert(), nb::arg("threads") = 0,
      nb::arg("callback") = nb::none(), "P(lower < Y <= upper) of k intervals for every law, n k.");
  add_grid(c, "Log density of every law at every point, (q, d) -> (n, q).");
}

void add_summaries(PyLaws& c) {
  add_summary(c, "mean", &Laws::mean, "(n, d)");
  add_summary(c, "variance", &Laws::variance, "(n, d)");
  add_summary(c, "covariance", &Laws::covariance, "(n, d d)");
  add_summary(c, "mode", &Laws::mode, "(n, d)");
  add_summary(c, "median", &Laws::median, "n");
  add_summary(c, "skewness", &Laws::skewness, "n");
  add_summary(c, "kurtosis", &Laws::kurtosis, "n, in excess of 3");
  add_summary(c, "entropy", &Laws::entropy, "n");
  add_summary(c, "squared_l2_norm", &Laws::squared_l2_norm, "n, integral of p^2");
  add_summary(c, "energy", &Laws::energy, "n, E|X - X'|");
  c.def(
      "raw_moment",
      [](const Laws& laws, Index order, int threads) {
        return to_line(released(threads, nb::none(), [&](const Run& run) { return laws.raw_moment(order, run); }));
      },
      nb::arg("order"), nb::arg("threads") = 0, "n, E Y^order");
  c.def(
      "modes",
      [](const Laws& laws, int threads, const nb::object& callback) {
        nb::list out;
        for (Matrix& modes : released(threads, callback, [&](const Run& run) { return laws.modes(run); })) {
          out.append(to_rows(std::move(modes)));
        }
        return out;
      },
      nb::arg("threads") = 0, nb::arg("callback") = nb::none(), "A list of (k_i, d), by falling density.");
  add_regions(c);
}

}  // namespace

void bind_laws(nb::module_& m) {
  PyLaws c(m, "Laws", "n Gaussian mixtures in d dimensions of m components each.");
  c.def(
      "__init__",
      [](Laws* self, const Rows& log_weights, const Rows& means, const Rows& scales, bool shared) {
        const auto weights = columns_of(log_weights);
        if (shared) {
          new (self) Laws(Laws::shared(
              std::make_shared<const GaussianComponents>(GaussianComponents{columns_of(means), columns_of(scales)}),
              weights));
        } else {
          new (self) Laws(Laws::separate(columns_of(means), columns_of(scales), weights));
        }
      },
      nb::arg("log_weights").noconvert(), nb::arg("means").noconvert(), nb::arg("scales").noconvert(),
      nb::arg("shared"), "Log weights (n, m); means and scales (m, d) when shared, else (n m, d).");
  c.def_static("restored", &restored, nb::arg("log_weights").noconvert(), nb::arg("means").noconvert(),
               nb::arg("scales").noconvert(), nb::arg("shared"), nb::arg("correlations").noconvert() = nb::none(),
               "Equal to the laws these numbers came from, to the bit.");
  c.def_static(
      "of_covariances",
      [](const Rows& log_weights, const Rows& means, const Rows& covariances) {
        return Laws::separate(GaussianComponents::from_covariances(columns_of(means), columns_of(covariances)),
                              columns_of(log_weights));
      },
      nb::arg("log_weights").noconvert(), nb::arg("means").noconvert(), nb::arg("covariances").noconvert(),
      "Log weights (n, m); means (n m, d) and covariances (n m, d d).");
  c.def_prop_ro("n_components", &Laws::n_components);
  c.def_prop_ro("shared", &Laws::has_shared_components);
  // The array owns its memory, which the usual policy of properties refuses.
  c.def_prop_ro(
      "weights", [](const Laws& laws) { return to_rows(laws.weights()); }, nb::rv_policy::automatic);
  c.def_prop_ro("log_weights",
                [](nb::handle self) { return borrowed(nb::cast<const Laws&>(self).log_weights(), self); });
  c.def_prop_ro("means",
                [](nb::handle self) { return borrowed(nb::cast<const Laws&>(self).components().means, self); });
  c.def_prop_ro("scales",
                [](nb::handle self) { return borrowed(nb::cast<const Laws&>(self).components().scales, self); });
  c.def_prop_ro(
      "correlations",
      [](nb::handle self) -> nb::object {
        const GaussianComponents& all = nb::cast<const Laws&>(self).components();
        return all.correlated() ? borrowed(all.correlations, self) : nb::none();
      },
      "Cholesky factors of the correlation matrices, column by column, or None for independent targets.");
  c.def_prop_ro(
      "covariances", [](const Laws& laws) { return to_rows(laws.components().covariances()); },
      nb::rv_policy::automatic);
  c.def("marginal", nb::overload_cast<const std::vector<Index>&>(&Laws::marginal, nb::const_), nb::arg("targets"));
  c.def(
      "conditional",
      [](const Laws& laws, const std::vector<Index>& given, const Rows& values) {
        return laws.conditional(given, columns_of(values));
      },
      nb::arg("given"), nb::arg("values").noconvert(), "The other targets given (n, k) values of k of them.");
  c.def(
      "affine",
      [](const Laws& laws, const Rows& shift, const Rows& scale) {
        return laws.affine_each(columns_of(shift), columns_of(scale));
      },
      nb::arg("shift").noconvert(), nb::arg("scale").noconvert(), "shift + scale Y, both (n, d).");
  c.def(
      "affine_all",
      [](const Laws& laws, const Line& shift, const Line& scale) {
        return laws.affine(vector_of(shift), vector_of(scale));
      },
      nb::arg("shift").noconvert(), nb::arg("scale").noconvert(), "shift + scale Y, the same (d) for all laws.");
  c.def_static("concatenate", &Laws::concatenate, nb::arg("parts"), "Laws of one dimension in a row.");
  add_points(c);
  add_summaries(c);
}

}  // namespace condens::python
