// Distributions of many rows: numbers at points, summaries, regions, draws. R/distributions.R gives them their names.

#include "laws.hpp"

#include <cmath>
#include <cpp11/protect.hpp>
#include <map>
#include <string>

#include "bindings.hpp"
#include "convert.hpp"
#include "failure.hpp"
#include "running.hpp"

namespace condens::r {

namespace {

using cpp11::safe;

/// What is asked of both kinds of distributions, or of one alone.
template <class Result, class Argument>
struct Function {
  Result (GaussianMixtures::*of_mixtures)(Argument, const Run&) const = nullptr;
  Result (TargetDistributions::*of_targets)(Argument, const Run&) const = nullptr;
};
template <class Result>
struct Summary {
  Result (GaussianMixtures::*of_mixtures)(const Run&) const = nullptr;
  Result (TargetDistributions::*of_targets)(const Run&) const = nullptr;
};

using Numbers = Function<Vector, const VectorView&>;
using Points = Function<Vector, const MatrixView&>;

const std::map<std::string, Numbers, std::less<>>& numbers() {
  using G = GaussianMixtures;
  using T = TargetDistributions;
  static const std::map<std::string, Numbers, std::less<>> out{
      {"cdf", {&G::cdf, &T::cdf}},
      {"sf", {&G::sf, &T::sf}},
      {"log_cdf", {&G::log_cdf, nullptr}},
      {"log_sf", {&G::log_sf, nullptr}},
      {"cdf_below", {&G::cdf, &T::cdf_below}},
      {"mass_at", {nullptr, &T::mass_at}},
      {"quantile", {&G::quantile_each, &T::quantile_each}},
      {"upper_quantile", {&G::upper_quantile_each, &T::upper_quantile_each}},
      {"highest_density_mass", {&G::highest_density_mass, &T::highest_density_mass}},
      {"crps", {&G::crps, &T::crps}}};
  return out;
}

const std::map<std::string, Points, std::less<>>& points() {
  using G = GaussianMixtures;
  static const std::map<std::string, Points, std::less<>> out{
      {"log_density", {&G::log_pdf, &TargetDistributions::log_pdf}},
      {"density", {&G::pdf, nullptr}},
      {"energy_score", {&G::energy_score, nullptr}},
      {"squared_loss", {&G::squared_loss, nullptr}}};
  return out;
}

const std::map<std::string, Summary<Matrix>, std::less<>>& matrices() {
  using G = GaussianMixtures;
  using T = TargetDistributions;
  static const std::map<std::string, Summary<Matrix>, std::less<>> out{{"mean", {&G::mean, &T::mean}},
                                                                       {"variance", {&G::variance, &T::variance}},
                                                                       {"mode", {&G::mode, &T::mode}},
                                                                       {"covariance", {&G::covariance, nullptr}}};
  return out;
}

const std::map<std::string, Summary<Vector>, std::less<>>& lines() {
  using G = GaussianMixtures;
  using T = TargetDistributions;
  static const std::map<std::string, Summary<Vector>, std::less<>> out{{"median", {&G::median, &T::median}},
                                                                       {"skewness", {&G::skewness, nullptr}},
                                                                       {"kurtosis", {&G::kurtosis, nullptr}},
                                                                       {"entropy", {&G::entropy, nullptr}},
                                                                       {"energy", {&G::energy, nullptr}}};
  return out;
}

/// The function of these distributions. Throws std::invalid_argument where they have none.
template <class Call>
auto call(const Laws& laws, const std::string& name, const Call& of, const auto&... arguments) {
  const auto refuse = [&](const char* kind) {
    throw std::invalid_argument(message(name, ": not known of distributions of ", kind));
  };
  if (const auto* mixtures = std::get_if<GaussianMixtures>(&laws)) {
    if (of.of_mixtures == nullptr) refuse("any real number, which have a density alone");
    return (mixtures->*of.of_mixtures)(arguments...);
  }
  if (of.of_targets == nullptr) refuse("a target with bounds, counts or atoms");
  return (std::get<TargetDistributions>(laws).*of.of_targets)(arguments...);
}

Index size_of(const Laws& laws) {
  return std::visit([](const auto& own) { return own.size(); }, laws);
}

Index dimension_of(const Laws& laws) {
  return std::visit([](const auto& own) { return own.dimension(); }, laws);
}

/// k numbers for each of n distributions: from an n x k matrix, where each has its own, or the same k for all. The k
/// numbers of a distribution are in a row.
Matrix points_of(SEXP y, bool own, Index n, Index d) {
  Matrix given = columns_of(y);  // columns x rows
  if (own) {
    // Of one target an n x k matrix; of several n points.
    if (d > 1) {
      require(given.cols() == n && given.rows() == d, "at: ", given.cols(), " points of ", given.rows(),
              " numbers for ", n, " distributions of ", d, " targets, expected one for each");
      return given;
    }
    require(given.cols() == n, "at: ", given.cols(), " rows for ", n, " distributions, expected one for each");
    return given.reshaped(1, given.size());
  }
  const Matrix each = d > 1 ? given : Matrix(given.reshaped(1, given.size()));
  require(each.rows() == d, "at: points of ", each.rows(), " numbers, expected ", d, ", one for each target");
  return each.replicate(1, n);
}

/// Numbers of n distributions, k in a row for each, as an n x k matrix.
SEXP table_to_r(const Vector& values, Index n) {
  const Index k = n == 0 ? 0 : values.size() / n;
  return rows_to_r(Eigen::Map<const Matrix>(values.data(), k, n));
}

}  // namespace

SEXP regions_to_r(const std::vector<std::vector<Interval>>& regions) {
  cpp11::sexp out = safe[Rf_allocVector](VECSXP, static_cast<R_xlen_t>(regions.size()));
  for (std::size_t i = 0; i < regions.size(); ++i) {
    Matrix ends(2, static_cast<Index>(regions[i].size()));
    for (std::size_t k = 0; k < regions[i].size(); ++k) {
      ends.col(static_cast<Index>(k)) << regions[i][k].lower, regions[i][k].upper;
    }
    SET_VECTOR_ELT(out, static_cast<R_xlen_t>(i), rows_to_r(ends));
  }
  return out;
}

extern "C" {

SEXP condens_laws_info(SEXP laws) {
  return guarded([&] {
    const auto held = laws_of(laws);
    const Laws& own = *held;
    Document out;
    out.set("n", size_of(own)).set("dimension", dimension_of(own));
    if (const auto* targets = std::get_if<TargetDistributions>(&own))
      out.set("support", targets->support().to_document());
    return to_r(out);
  });
}

/// The rows of elements list(prediction =, row =) in their prediction; NULL of several predictions.
SEXP condens_laws_rows(SEXP elements) {
  return guarded([&] {
    const R_xlen_t n = Rf_xlength(elements);
    require(n > 0, "expected at least one distribution");
    SEXP first = VECTOR_ELT(VECTOR_ELT(elements, 0), 0);
    const cpp11::sexp out = safe[Rf_allocVector](INTSXP, n);
    for (R_xlen_t i = 0; i < n; ++i) {
      SEXP element = VECTOR_ELT(elements, i);
      if (VECTOR_ELT(element, 0) != first) return R_NilValue;
      INTEGER(out)[i] = INTEGER_ELT(VECTOR_ELT(element, 1), 0);
    }
    return static_cast<SEXP>(out);
  });
}

/// The distributions of rows: the same object where these are all in order.
SEXP condens_laws_select(SEXP laws, SEXP rows) {
  return guarded([&] {
    const auto held = laws_of(laws);
    std::vector<Index> which;
    bool in_order = Rf_xlength(rows) == size_of(*held);
    for (R_xlen_t i = 0; i < Rf_xlength(rows); ++i) {
      which.push_back(INTEGER_ELT(rows, i) - 1);
      in_order = in_order && which.back() == i;
    }
    if (in_order) return laws;
    return to_r(std::visit([&](const auto& own) { return Laws(own.select(which)); }, *held));
  });
}

SEXP condens_laws_marginal(SEXP laws, SEXP target) {
  return guarded([&] {
    const auto held = laws_of(laws);
    const Laws& own = *held;
    const Index j = Rf_asInteger(target) - 1;
    require(j >= 0 && j < dimension_of(own), "target = ", j + 1, ", expected 1 to ", dimension_of(own));
    const auto* mixtures = std::get_if<GaussianMixtures>(&own);
    return mixtures == nullptr || mixtures->dimension() == 1 ? laws : to_r(Laws(mixtures->marginal(j)));
  });
}

SEXP condens_laws_at(SEXP laws, SEXP name, SEXP y, SEXP own, SEXP threads) {
  return guarded([&] {
    const auto held = laws_of(laws);
    const Laws& all = *held;
    const std::string wanted = text_of(name);
    const Index n = size_of(all);
    const Index d = dimension_of(all);
    const auto numeric = numbers().find(wanted);
    const bool by_number = numeric != numbers().end();
    require(!by_number || d == 1, wanted, " is of distributions of one target, these have ", d,
            ": ask those of one, by `target`");
    const Matrix places = points_of(y, Rf_asLogical(own) == TRUE, n, d);
    const Vector found = running(Rf_asInteger(threads), false, [&](const Run& run) -> Vector {
      if (by_number) return call(all, wanted, numeric->second, VectorView(places.reshaped()), run);
      const auto own_points = points().find(wanted);
      require(own_points != points().end(), "no function '", wanted, "' of distributions");
      return call(all, wanted, own_points->second, MatrixView(places), run);
    });
    return table_to_r(found, n);
  });
}

SEXP condens_laws_summary(SEXP laws, SEXP name, SEXP threads) {
  return guarded([&] {
    const auto held = laws_of(laws);
    const Laws& all = *held;
    const std::string wanted = text_of(name);
    const Run run{.threads = Rf_asInteger(threads), .observer = {}};
    if (const auto found = matrices().find(wanted); found != matrices().end()) {
      return rows_to_r(call(all, wanted, found->second, run));
    }
    const auto found = lines().find(wanted);
    require(found != lines().end(), "no function '", wanted, "' of distributions");
    require(dimension_of(all) == 1 || wanted == "energy", wanted, " is of distributions of one target, these have ",
            dimension_of(all), ": ask those of one, by `target`");
    return rows_to_r(call(all, wanted, found->second, run).transpose());
  });
}

SEXP condens_laws_regions(SEXP laws, SEXP mass, SEXP threads) {
  return guarded([&] {
    const auto held = laws_of(laws);
    return regions_to_r(running(Rf_asInteger(threads), false, [&](const Run& run) {
      return std::visit([&](const auto& own) { return own.highest_density_region(Rf_asReal(mass), run); }, *held);
    }));
  });
}

SEXP condens_laws_modes(SEXP laws, SEXP threads) {
  return guarded([&] {
    const auto held = laws_of(laws);
    const auto* mixtures = std::get_if<GaussianMixtures>(held.get());
    require(mixtures != nullptr, "modes: not known of distributions of a target with bounds, counts or atoms");
    const auto modes = running(Rf_asInteger(threads), false, [&](const Run& run) { return mixtures->modes(run); });
    cpp11::sexp out = safe[Rf_allocVector](VECSXP, static_cast<R_xlen_t>(modes.size()));
    for (std::size_t i = 0; i < modes.size(); ++i) {
      SET_VECTOR_ELT(out, static_cast<R_xlen_t>(i), rows_to_r(modes[i]));
    }
    return static_cast<SEXP>(out);
  });
}

/// n count x d: the draws of a distribution in a row.
SEXP condens_laws_sample(SEXP laws, SEXP count, SEXP seed, SEXP threads) {
  return guarded([&] {
    const auto held = laws_of(laws);
    const Matrix draws = running(Rf_asInteger(threads), false, [&](const Run& run) {
      return std::visit(
          [&](const auto& own) {
            return own.sample(Rf_asInteger(count), static_cast<std::uint64_t>(Rf_asReal(seed)), run);
          },
          *held);
    });
    return rows_to_r(draws);
  });
}

/// Weights, n x m; means and scales, each m x d where all share their components, else n m x d.
SEXP condens_laws_components(SEXP laws) {
  return guarded([&] {
    const auto held = laws_of(laws);
    const Laws& all = *held;
    const auto* targets = std::get_if<TargetDistributions>(&all);
    const GaussianMixtures& own = targets == nullptr ? std::get<GaussianMixtures>(all) : targets->base();
    Document out;
    out.set("weights", Document(Document::Array{Document(own.weights())}));
    out.set("means", Document(Document::Array{Document(Matrix(own.components().means))}));
    out.set("scales", Document(Document::Array{Document(Matrix(own.components().scales))}));
    return to_r(out.set("shared", own.has_shared_components()));
  });
}

}  // extern "C"

}  // namespace condens::r
