#include "condens/estimators/sliced.hpp"

#include <algorithm>

#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "kdr.hpp"
#include "linalg/decompositions.hpp"
#include "mave.hpp"
#include "model/preparation.hpp"
#include "model/reduced_fit.hpp"
#include "optim/grassmann.hpp"
#include "row_signs.hpp"

namespace condens {

namespace {

constexpr std::string_view owner = SlicedDensity::class_name;

/// SIR's or SAVE's leading directions, of which the first d are those of d.
std::vector<Matrix> sliced_directions(const Dataset& rows, const SlicedOptions& options,
                                      const std::vector<Index>& dimensions, int threads) {
  const SlicedMethod method = options.method == ReductionMethod::sir ? SlicedMethod::sir : SlicedMethod::save;
  const Matrix basis = sliced_basis(rows, method, options.n_slices, options.seed, threads).components;
  std::vector<Matrix> out;
  for (const Index d : dimensions) out.emplace_back(basis.topRows(std::min(d, basis.rows())));
  return out;
}

Dataset some_rows(const Dataset& data, Index most, Index seed) {
  if (data.size() <= most) return data;
  std::vector<Index> rows = RandomStream(static_cast<std::uint64_t>(seed)).permutation(data.size());
  rows.resize(static_cast<std::size_t>(most));
  std::sort(rows.begin(), rows.end());
  return data.subset(rows);
}

/// The principal axes of z = W x, whose rows span what those of W do.
Matrix along_principal_axes(const Matrix& w, const Dataset& rows) {
  const Matrix z = w * rows.x;
  const Matrix centred = z.colwise() - Vector(z * rows.weights / rows.weights.sum());
  const Matrix covariance = centred * rows.weights.asDiagonal() * centred.transpose();
  Matrix out = symmetric_eigen(covariance).vectors.rowwise().reverse().transpose() * w;
  reduction::settle_signs(out);
  return out;
}

/// MAVE's or KDR's directions of a random part of the rows, searched for each d.
std::vector<Matrix> searched_directions(const Dataset& data, const SlicedOptions& options,
                                        const std::vector<Index>& dimensions, const Run& run) {
  const std::vector<Index> varying = preparation::varying_inputs(data);
  const Index d_x = data.x.rows();
  if (varying.empty()) return std::vector<Matrix>(dimensions.size(), Matrix(0, d_x));
  Dataset rows = some_rows(data, options.search_rows, options.seed);
  rows.x = Matrix(rows.x(varying, Eigen::all));
  rows.y = Standardizer::fit(rows.y, rows.weights).transform(rows.y);
  const auto basis = [&](SlicedMethod method) {
    return sliced_basis(rows, method, options.n_slices, options.seed, run.threads).components;
  };
  const Matrix filling = Matrix::Identity(rows.x.rows(), rows.x.rows());
  Task task(run, "searching directions", 0);
  const auto poll = [&] { task.poll(); };
  std::vector<Matrix> out;
  for (const Index wanted : dimensions) {
    const Index d = std::min(wanted, rows.x.rows());
    Matrix w;
    if (options.method == ReductionMethod::mave) {
      w = reduction::mave_directions(rows, d, poll);
    } else {
      w = reduction::kdr_directions(
          rows, {completed(basis(SlicedMethod::sir), d, filling), completed(basis(SlicedMethod::save), d, filling)},
          poll);
    }
    out.push_back(reduction::embedded(along_principal_axes(w, rows), varying, d_x));
  }
  return out;
}

}  // namespace

SlicedDensity SlicedDensity::fit(const Dataset& data, const SlicedOptions& options, const InnerModel& inner,
                                 const Run& run) {
  validate_options(options, owner);
  const bool by_slices = options.method == ReductionMethod::sir || options.method == ReductionMethod::save;
  const auto find = [&](const Dataset& rows, const std::vector<Index>& dimensions, const Standardizer&,
                        const Run& own) {
    return by_slices ? sliced_directions(rows, options, dimensions, own.threads)
                     : searched_directions(rows, options, dimensions, own);
  };
  reduction::Reduction found = reduction::fit(data,
                                              {.owner = owner,
                                               .n_components = options.n_components,
                                               .selection_rule = options.selection_rule,
                                               .scoring = options.scoring,
                                               .cv = options.cv,
                                               .standardize = options.standardize,
                                               .seed = options.seed,
                                               .sparse = options.sparse,
                                               .options = options.options},
                                              inner, {.find = find}, run);
  FitReport report = reduction::with_density(std::move(found.report), report_of(*found.inner, data));
  return {
      options, {}, {std::move(found.components), std::move(found.scale), std::move(found.inner)}, std::move(report)};
}

}  // namespace condens
