#include "condens/estimators/pool.hpp"

#include "condens/core/errors.hpp"
#include "pooled_fit.hpp"

namespace condens {

namespace {

constexpr std::string_view owner = Pool::class_name;

/// Of options that are in their bounds, which outlive them.
pooling::Settings settings_of(const PoolOptions& options) {
  validate_options(options, owner);
  return {.owner = owner,
          .models = options.models,
          .options = options.options,
          .shrinkage = options.shrinkage,
          .defensive_weight = options.defensive_weight,
          .cv = options.cv,
          .seed = options.seed};
}

}  // namespace

Pool Pool::fit(const Dataset& data, const PoolOptions& options, const MemberFinder& find, const Run& run) {
  pooling::Pooled found = pooling::fit(data, settings_of(options), find, run);
  return {options, {}, std::move(found.parts), std::move(found.report)};
}

Pool Pool::fit(RowSums& table, const PoolOptions& options, const MemberFinder& find, const Run& run) {
  pooling::Pooled found = pooling::fit(table, settings_of(options), find, run);
  return {options, {}, std::move(found.parts), std::move(found.report)};
}

}  // namespace condens
