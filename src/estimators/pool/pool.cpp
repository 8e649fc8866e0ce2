#include "condens/estimators/pool.hpp"

#include "condens/core/errors.hpp"
#include "pooled_fit.hpp"

namespace condens {

namespace {

constexpr std::string_view owner = Pool::class_name;

}  // namespace

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
  return {options, {}, std::move(found.parts), std::move(found.report)};
}

}  // namespace condens
