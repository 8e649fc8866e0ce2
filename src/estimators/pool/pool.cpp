#include "condens/estimators/pool.hpp"

#include "condens/core/errors.hpp"
#include "pooled_fit.hpp"

namespace condens {

namespace {

constexpr std::string_view owner = "Pooled";

}  // namespace

Pool::Pool(PoolOptions options, PoolParts parts, FitReport report)
    : PooledDensity(std::move(parts), std::move(report)), options_(std::move(options)) {}

Pool Pool::fit(const Dataset& data, const PoolOptions& options, const MemberFinder& find, const Run& run) {
  validate_options(options, owner);
  pooling::Pooled found = pooling::fit(data,
                                       {.owner = owner,
                                        .models = options.models,
                                        .options = options.options,
                                        .shrinkage = options.shrinkage,
                                        .defensive_weight = options.defensive_weight,
                                        .cv = options.cv,
                                        .seed = options.seed},
                                       find, run);
  return Pool(options, std::move(found.parts), std::move(found.report));
}

Document Pool::to_document() const {
  Document out;
  out.set("options", options());
  write(out);
  return out.set("report", report().to_document());
}

Pool Pool::from_document(const Document& document, const InnerLoader& load) {
  PoolOptions options;
  set_options(options, owner, document.at("options"));
  return Pool(std::move(options), read(document, load), FitReport::from_document(document.at("report")));
}

}  // namespace condens
