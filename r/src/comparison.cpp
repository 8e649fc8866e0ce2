// Comparisons of models.

#include "bindings.hpp"
#include "condens/comparison/leaderboard.hpp"
#include "condens/data/encoder.hpp"
#include "condens/registry.hpp"
#include "convert.hpp"
#include "failure.hpp"
#include "running.hpp"

namespace condens::r {

extern "C" {

SEXP condens_compare(SEXP request) {
  return guarded([&] {
    ComparisonOptions wanted;
    set_options(wanted, "compare", from_r(at(request, "options"), "options"));
    const Table table = table_of(at(request, "columns"));
    EncoderOptions columns{.targets = texts_of(at(request, "targets"))};
    columns.inputs = texts_of(at(request, "inputs"));
    columns.categorical = texts_of(at(request, "categorical"));
    columns.row_weights = vector_of(at(request, "weights"));
    const Encoder encoder = Encoder::fit(table, columns);
    Dataset data = encoder.encode_training(table, false, columns.row_weights);
    if (columns.row_weights.size() > 0) data.weights = columns.row_weights;
    const TargetKind kind = TargetKind::parse(text_of(at(request, "target_kind"))).of_targets(data.y);
    std::vector<Contestant> models;
    SEXP entries = at(request, "models");
    for (R_xlen_t i = 0; i < Rf_xlength(entries); ++i) {
      SEXP entry = VECTOR_ELT(entries, i);
      const std::string label = text_of(at(entry, "label"));
      models.push_back(contestant(label, find_model(text_of(at(entry, "model"))), text_of(at(entry, "preset")),
                                  from_r(at(entry, "options"), label), kind));
    }
    const Comparison found =
        running(Rf_asInteger(at(request, "threads")), Rf_asLogical(at(request, "progress")) == TRUE,
                [&](const Run& run) { return compare_models(data, models, wanted, run, nullptr); });
    Document::Array out;
    for (const Standing& standing : leaderboard(found)) out.push_back(to_document(standing));
    return to_r(Document(std::move(out)));
  });
}

}  // extern "C"

}  // namespace condens::r
