// What moved the answer: explanations of a whole table, along one input, of one row, between two, and by the rows of
// the fit. R/explain.R makes data frames of them.

#include <cpp11/sexp.hpp>

#include "bindings.hpp"
#include "condens/core/errors.hpp"
#include "condens/inspection/effects.hpp"
#include "condens/inspection/importance.hpp"
#include "condens/inspection/shapley.hpp"
#include "condens/inspection/training_rows.hpp"
#include "convert.hpp"
#include "core/names.hpp"
#include "failure.hpp"
#include "model_object.hpp"
#include "running.hpp"

namespace condens::r {

namespace {

Index index_of(SEXP number) { return static_cast<Index>(Rf_asReal(number)); }

/// body(run), under the threads of the request.
template <class Body>
auto run_as(SEXP request, const Body& body) {
  return running(Rf_asInteger(at(request, "threads")), false, body);
}

const TargetDecoder* kind_of(const Model& model) { return model.target ? &*model.target : nullptr; }

Inspected inspected(const Model& model, SEXP request) {
  return {*model.density, kind_of(model), index_of(at(request, "target")) - 1};
}

std::vector<Functional> functionals_of(SEXP request) {
  std::vector<Functional> out;
  for (const std::string& text : texts_of(at(request, "of"))) out.push_back(Functional::parse(text));
  return out;
}

/// list(columns =, rows = their numbers, weights =, targets = whether they have them).
Dataset data_of(const Model& model, SEXP data) {
  const Table table = table_of(at(data, "columns"));
  const bool targets = Rf_asLogical(at(data, "targets")) == TRUE;
  Dataset out =
      targets ? model.encoder.encode(table) : Dataset{.x = model.encoder.encode_inputs(table), .y = Matrix(0, 0)};
  out.weights = vector_of(at(data, "weights"));
  if (targets && model.target) {
    SEXP rows = at(data, "rows");
    require_possible(model.target->support(), out.y.row(0).transpose(),
                     [&](Index row) { return message("row ", INTEGER_ELT(rows, static_cast<R_xlen_t>(row))); });
  }
  return out;
}

/// The numbers of a matrix, column after column.
Document in_a_row(const Matrix& values) { return Document(Vector(values.reshaped())); }

Document losses(const Importances& found, Importance::Loss Importance::*score) {
  Matrix out(std::ssize(found.inputs), 3);
  for (Index j = 0; j < out.rows(); ++j) {
    const Importance::Loss& loss = found.inputs[static_cast<std::size_t>(j)].*score;
    out.row(j) << loss.value, loss.standard_error, loss.shuffle_error;
  }
  Document numbers;
  numbers.set("value", Document(Vector(out.col(0)))).set("standard_error", Document(Vector(out.col(1))));
  return numbers.set("shuffle_error", Document(Vector(out.col(2))));
}

/// `values` of the inputs for the first functional, then for the next.
Document document_of(const Attribution& found) {
  Document out;
  out.set("of", Document(found.of)).set("inputs", Document(found.inputs));
  out.set("values", in_a_row(found.values)).set("standard_errors", in_a_row(found.standard_errors));
  out.set("base", Document(found.base)).set("prediction", Document(found.prediction));
  return out.set("exact", found.exact).set("n_background", found.n_background);
}

}  // namespace

extern "C" {

SEXP condens_importance(SEXP model, SEXP request) {
  return guarded([&] {
    const auto own = model_of(model);
    const Dataset data = data_of(*own, at(request, "data"));
    const Importances found = run_as(request, [&](const Run& run) {
      return permutation_importance(*own->density, kind_of(*own), inspected_inputs(own->encoder), data,
                                    {.n_repeats = index_of(at(request, "n_repeats")),
                                     .max_rows = index_of(at(request, "max_rows")),
                                     .seed = index_of(at(request, "seed"))},
                                    run);
    });
    std::vector<std::string> names;
    for (const Importance& input : found.inputs) names.push_back(input.input);
    Document out;
    out.set("inputs", Document(names)).set("n_rows", found.n_rows);
    out.set("nll", losses(found, &Importance::log_score));
    return to_r(out.set("crps", losses(found, &Importance::crps)));
  });
}

SEXP condens_effect(SEXP model, SEXP request) {
  return guarded([&] {
    const auto own = model_of(model);
    const Dataset data = data_of(*own, at(request, "data"));
    const std::vector<InspectedInput> inputs = inspected_inputs(own->encoder);
    const InspectedInput& input = inputs.at(static_cast<std::size_t>(Rf_asInteger(at(request, "input")) - 1));
    const Effect found = run_as(request, [&](const Run& run) {
      return effect(inspected(*own, request), functionals_of(request), input, data,
                    {.kind = choice_of<EffectKind>("kind", text_of(at(request, "kind"))),
                     .points = index_of(at(request, "points")),
                     .max_rows = index_of(at(request, "max_rows")),
                     .seed = index_of(at(request, "seed"))},
                    run);
    });
    Document out;
    out.set("kind", found.kind == EffectKind::local ? "local" : "dependence").set("n_rows", found.n_rows);
    out.set("grid", found.levels.empty() ? Document(found.grid) : Document(found.levels));
    out.set("values", in_a_row(found.values)).set("standard_errors", in_a_row(found.standard_errors));
    return to_r(out.set("base", Document(found.base)));
  });
}

SEXP condens_shapley(SEXP model, SEXP request) {
  return guarded([&] {
    const auto own = model_of(model);
    const Inspected asked = inspected(*own, request);
    const Dataset row = data_of(*own, at(request, "row"));
    const Vector y = row.y.cols() > 0 ? Vector(row.y.row(asked.target).transpose()) : Vector();
    const Dataset background = data_of(*own, at(request, "background"));
    const Attribution found = run_as(request, [&](const Run& run) {
      return shapley_values(
          asked, functionals_of(request), inspected_inputs(own->encoder), Vector(row.x.col(0)), y, background.x,
          {.max_background = index_of(at(request, "max_background")), .seed = index_of(at(request, "seed"))}, run);
    });
    return to_r(document_of(found));
  });
}

SEXP condens_compare_rows(SEXP model, SEXP request) {
  return guarded([&] {
    const auto own = model_of(model);
    const Dataset row = data_of(*own, at(request, "row"));
    const Dataset other = data_of(*own, at(request, "other"));
    const Attribution found = run_as(request, [&](const Run& run) {
      return compare_rows(inspected(*own, request), functionals_of(request), inspected_inputs(own->encoder),
                          Vector(row.x.col(0)), Vector(other.x.col(0)), {.seed = index_of(at(request, "seed"))}, run);
    });
    return to_r(document_of(found));
  });
}

SEXP condens_training_rows(SEXP model, SEXP request) {
  return guarded([&] {
    const auto own = model_of(model);
    const Matrix x = own->encoder.encode_inputs(table_of(at(request, "columns")));
    SEXP data = at(request, "data");
    // As the fit had them: statistics of a category's levels are without the row's own target.
    const Vector weights = vector_of(at(data, "weights"));
    Dataset training = own->encoder.encode_training(table_of(at(data, "columns")), false, weights);
    training.weights = weights;
    const std::vector<RowWeights> found = run_as(request, [&](const Run& run) {
      return training_row_weights(*own->density, kind_of(*own), own->conformal ? &*own->conformal : nullptr, x,
                                  training, index_of(at(request, "most")), run);
    });
    Document::Array out;
    for (const RowWeights& one : found) {
      std::vector<double> rows;
      for (const Index row : one.rows) rows.push_back(static_cast<double>(row + 1));
      Document entry;
      entry.set("rows", Document(rows)).set("weights", Document(one.weights)).set("others", one.others);
      out.push_back(std::move(entry));
    }
    return to_r(Document(std::move(out)));
  });
}

}  // extern "C"

}  // namespace condens::r
