#include "selections.hpp"

#include "common/test_score.hpp"
#include "condens/estimators/salscde.hpp"
#include "condens/io/document_format.hpp"

namespace condens::reproduce {

namespace {

const Run one_thread{.threads = 1, .observer = {}};

template <class Options>
Options options_of(const Method& method, Index seed) {
  Options out = method.preset == "paper" ? Options::paper() : Options{};
  set_options(out, method.label, method.options);
  out.seed = seed;
  return out;
}

/// Those of the first stage, with what both stages share.
SacdeOptions first_stage(const SalscdeOptions& options) {
  SacdeOptions out = options.selection;
  out.scoring = options.scoring;
  out.cv = options.cv;
  out.seed = options.seed;
  return out;
}

}  // namespace

std::shared_ptr<const Selections::Selection> Selections::selection(const SacdeOptions& options, TrialKey key,
                                                                   const Dataset& data) {
  key.method.clear();
  std::shared_ptr<Selection> out;
  {
    const std::lock_guard guard(lock_);
    auto& own = selections_[{key, document_to_json(options_to_document(options), "options")}];
    if (!own) own = std::make_shared<Selection>();
    out = own;
  }
  const std::lock_guard guard(out->lock);
  if (!out->model) {
    const double begin = thread_seconds();
    out->model = std::make_shared<const Sacde>(Sacde::fit(data, options, one_thread));
    out->seconds = thread_seconds() - begin;
  }
  return out;
}

TimedFit Selections::fit(const Method& method, const TrialKey& key, const Dataset& data, Index seed) {
  if (method.model == "sacde") {
    const auto own = selection(options_of<SacdeOptions>(method, seed), key, data);
    return {own->model, own->seconds};
  }
  if (method.model == "salscde") {
    const auto options = options_of<SalscdeOptions>(method, seed);
    const auto first = selection(first_stage(options), key, data);
    const double begin = thread_seconds();
    auto model = std::make_shared<const Salscde>(Salscde::fit(*first->model, data, options, one_thread));
    return {std::move(model), first->seconds + thread_seconds() - begin};
  }
  const double begin = thread_seconds();
  std::shared_ptr<const ConditionalDensity> model = condens::reproduce::fit(method, data, seed);
  return {std::move(model), thread_seconds() - begin};
}

}  // namespace condens::reproduce
