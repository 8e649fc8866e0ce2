#include "condens/estimators/sliced.hpp"

#include "condens/core/errors.hpp"
#include "model/reduced_fit.hpp"

namespace condens {

namespace {

constexpr std::string_view owner = "Sliced";

}  // namespace

SlicedDensity::SlicedDensity(SlicedOptions options, Matrix components, Standardizer scale,
                             std::shared_ptr<const ConditionalDensity> inner, FitReport report)
    : ProjectedDensity(std::move(components), std::move(scale), std::move(inner), std::move(report)),
      options_(std::move(options)) {}

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
  return SlicedDensity(options, std::move(found.components), std::move(found.scale), std::move(found.inner),
                       std::move(report));
}

Document SlicedDensity::to_document() const {
  Document out;
  out.set("options", options());
  write(out);
  return out.set("report", report().to_document());
}

SlicedDensity SlicedDensity::from_document(const Document& document, const InnerLoader& load) {
  SlicedOptions options;
  set_options(options, owner, document.at("options"));
  return SlicedDensity(std::move(options), document.at("components").as_matrix(),
                       Standardizer::from_document(document.at("x_scale")), load(document.at("inner")),
                       FitReport::from_document(document.at("report")));
}

}  // namespace condens
