#include "condens/estimators/sliced.hpp"

#include "condens/core/errors.hpp"
#include "model/reduced_fit.hpp"

namespace condens {

namespace {

constexpr std::string_view owner = SlicedDensity::class_name;

}  // namespace

SlicedDensity SlicedDensity::fit(const Dataset& data, const SlicedOptions& options, const InnerModel& inner,
                                 const Run& run) {
  validate_options(options, owner);
  const auto find = [&](const Dataset& rows, const std::vector<Index>& dimensions, const Run& own) {
    const Matrix basis = sliced_basis(rows, options.method, options.n_slices, options.seed, own.threads).components;
    std::vector<Matrix> out;
    for (const Index d : dimensions) out.emplace_back(basis.topRows(std::min(d, basis.rows())));
    return out;
  };
  reduction::Reduction found = reduction::fit(data,
                                              {.owner = owner,
                                               .n_components = options.n_components,
                                               .selection_rule = options.selection_rule,
                                               .scoring = options.scoring,
                                               .cv = options.cv,
                                               .standardize = options.standardize,
                                               .seed = options.seed,
                                               .options = options.options},
                                              inner, {.find = find}, run);
  FitReport report = reduction::with_density(std::move(found.report), report_of(*found.inner, data));
  return {
      options, {}, {std::move(found.components), std::move(found.scale), std::move(found.inner)}, std::move(report)};
}

}  // namespace condens
