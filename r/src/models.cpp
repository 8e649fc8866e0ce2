// The registry, fits and what fitted models say.

#include <cmath>
#include <cpp11/integers.hpp>
#include <cpp11/protect.hpp>

#include "bindings.hpp"
#include "condens/data/encoder.hpp"
#include "condens/io/model_file.hpp"
#include "condens/metrics/censored_scores.hpp"
#include "condens/metrics/scores.hpp"
#include "condens/model/bands.hpp"
#include "condens/model/capabilities.hpp"
#include "condens/model/projected_density.hpp"
#include "condens/model/states.hpp"
#include "condens/registry.hpp"
#include "convert.hpp"
#include "core/names.hpp"
#include "failure.hpp"
#include "laws.hpp"
#include "model_object.hpp"
#include "running.hpp"

namespace condens::r {

namespace {

bool truth_of(SEXP value) { return Rf_asLogical(value) == TRUE; }

int whole_of(SEXP value) { return Rf_asInteger(value); }

EncoderOptions encoder_options(SEXP request) {
  EncoderOptions out{.targets = texts_of(at(request, "targets"))};
  out.inputs = texts_of(at(request, "inputs"));
  out.categorical = texts_of(at(request, "categorical"));
  out.missing = missing_inputs_of("missing", text_of(at(request, "missing")));
  out.many_levels = many_levels_of("many_levels", text_of(at(request, "many_levels")));
  out.unseen = unseen_of("unseen", text_of(at(request, "unseen")));
  SEXP rare = at(request, "rare_levels");
  if (rare != R_NilValue) out.rare_levels = whole_of(rare);
  out.row_weights = vector_of(at(request, "weights"));
  out.seed = static_cast<std::uint64_t>(Rf_asReal(at(request, "seed")));
  return out;
}

/// The columns in which the table has what the encoder of the fit asks for.
Dataset encoded(const Model& model, SEXP columns, SEXP weights) {
  Dataset data = model.encoder.encode(table_of(columns));
  if (weights != R_NilValue) data.weights = vector_of(weights);
  return data;
}

Matrix inputs_of(const Model& model, SEXP columns, SEXP rows) {
  if (model.density->n_inputs() == 0) return Matrix(0, Rf_asInteger(rows));
  return model.encoder.encode_inputs(table_of(columns));
}

/// Limits of the target, of an object that has `low`; empty where that is NULL.
Censoring censoring_of(SEXP limits) {
  Censoring out{.low = vector_of(at(limits, "low")), .high = vector_of(at(limits, "high"))};
  out.entry = vector_of(at(limits, "entry"));
  return out;
}

/// A result as an array of as many axes as its shape names.
SEXP shaped(const Document& value, ResultShape::Kind kind) {
  const auto* found = std::get_if<Matrix>(&value.value());
  if (found == nullptr) return to_r(value);
  if (kind == ResultShape::Kind::line) return to_r(VectorView(found->reshaped()));
  if (kind == ResultShape::Kind::rows) return rows_to_r(found->transpose());
  if (kind != ResultShape::Kind::squares) return rows_to_r(*found);
  const cpp11::sexp out = rows_to_r(*found);
  const int size = static_cast<int>(std::lround(std::sqrt(static_cast<double>(found->rows()))));
  const cpp11::writable::integers axes{static_cast<int>(found->cols()), size, size};
  cpp11::safe[Rf_setAttrib](out, R_DimSymbol, axes);
  return out;
}

Document levels_of(const Encoder& encoder) {
  Document out(Document::Object{});
  for (const EncodedColumn& column : encoder.input_columns()) {
    if (column.is_categorical() && column.missing_of.empty()) out.set(column.name, Document(column.levels));
  }
  return out;
}

/// The columns of the table of the fit: names, and of numbers their least, middle and greatest value.
Document columns_document(const std::vector<EncodedColumn>& columns) {
  Document::Array names;
  Matrix ranges(3, static_cast<Index>(columns.size()));
  Index used = 0;
  for (const EncodedColumn& column : columns) {
    if (!column.missing_of.empty()) continue;
    names.emplace_back(column.name);
    if (column.is_categorical())
      ranges.col(used++).setConstant(std::numeric_limits<double>::quiet_NaN());
    else
      ranges.col(used++) << column.low, column.typical, column.high;
  }
  Document out;
  out.set("names", std::move(names));
  return out.set("ranges", Document(Document::Array{Document(Vector(ranges.row(0).head(used))),
                                                    Document(Vector(ranges.row(1).head(used))),
                                                    Document(Vector(ranges.row(2).head(used)))}));
}

/// For each row of x the number of its column among the inputs, counting from 1.
Document inputs_of_rows(const Encoder& encoder) {
  std::vector<double> out;
  for (const Index column : encoder.column_of_rows()) out.push_back(static_cast<double>(column + 1));
  return Document(out);
}

std::string missing_text(const Encoder& encoder) {
  if (encoder.missing() == MissingInputs::error) return "error";
  return encoder.missing() == MissingInputs::indicator ? "indicator" : "model";
}

template <class Capability>
const Capability& as(const Model& model, const char* only) {
  const auto* out = capability<Capability>(*model.density);
  if (out == nullptr) throw std::invalid_argument(only);
  return *out;
}

Document described(const Model& model) {
  const ConditionalDensity& density = *model.density;
  Document out;
  out.set("model", std::string(density.model_name()))
      .set("n_inputs", density.n_inputs())
      .set("n_targets", density.n_targets())
      .set("inputs", columns_document(model.encoder.input_columns()))
      .set("targets", columns_document(model.encoder.targets()))
      .set("inputs_of_rows", inputs_of_rows(model.encoder))
      .set("levels", levels_of(model.encoder))
      .set("notes", Document(model.encoder.notes()))
      .set("missing", missing_text(model.encoder))
      .set("kind", model.target ? model.target->kind().text() : std::string("real"))
      .set("n_calibration", model.conformal ? model.conformal->n_rows() : Index{0})
      .set("n_left_out", model.conformal ? model.conformal->n_left_out() : Index{0})
      .set("n_replicates", model.replicates ? model.replicates->size() : Index{0})
      .set("options", density.options())
      .set("report", density.report().to_document())
      .set("warnings", Document(warnings_of(model)));
  return out;
}

}  // namespace

extern "C" {

SEXP condens_models() {
  return guarded([] {
    Document::Array out;
    for (const ModelInfo& info : models()) out.push_back(to_document(info));
    return to_r(Document(std::move(out)));
  });
}

SEXP condens_fit(SEXP request) {
  return guarded([&] {
    const ModelInfo& info = find_model(text_of(at(request, "model")));
    const std::string preset = text_of(at(request, "preset"));
    info.defaults(preset);  // refuses an unknown one
    const Document options = from_r(at(request, "options"), "options");
    const TargetKind kind = TargetKind::parse(text_of(at(request, "target_kind")));
    const Table table = table_of(at(request, "columns"));
    const EncoderOptions columns = encoder_options(request);
    Model model{Encoder::fit(table, columns), nullptr};
    Dataset data = model.encoder.encode_training(table, false, columns.row_weights);
    if (columns.row_weights.size() > 0) data.weights = columns.row_weights;
    const PlaceOfRow place = [](Index row) { return message("row ", row + 1); };
    TargetRequest wanted{
        .kind = kind,
        .calibration_share = Rf_asReal(at(request, "conformal_share")),
        .impute_inputs = model.encoder.missing() == MissingInputs::model,
        .replicates = whole_of(at(request, "bootstrap")),
        .replicate_method = choice_of<ReplicateMethod>("bootstrap: method", text_of(at(request, "bootstrap_method"))),
        .censoring = censoring_of(request),
        .cross = choice_of<CrossConformal>("conformal: method", text_of(at(request, "conformal_method"))),
        .cross_folds = whole_of(at(request, "conformal_folds")),
        .groups = {},
        .pit_share = Rf_asReal(at(request, "calibrate_share"))};
    SEXP groups = at(request, "conformal_groups");
    if (groups != R_NilValue)
      wanted.groups = RowGroups::of("conformal: groups", model.encoder, text_of(groups), data.x);
    TargetModel fitted =
        running(whole_of(at(request, "threads")), truth_of(at(request, "progress")),
                [&](const Run& run) { return fit_target(info, wanted, data, preset, options, place, run); });
    model.density = std::move(fitted.density);
    model.target = std::move(fitted.target);
    model.conformal = std::move(fitted.conformal);
    model.replicates = std::move(fitted.replicates);
    return to_r(std::make_shared<const Model>(std::move(model)));
  });
}

SEXP condens_describe(SEXP model) {
  return guarded([&] { return to_r(described(*model_of(model))); });
}

SEXP condens_results(SEXP model) {
  return guarded([&] {
    const auto own = model_of(model);
    const ModelInfo& info = find_model(own->density->model_name());
    const Document values = info.results_of(*own->density);
    cpp11::writable::list out;
    for (const ResultInfo& result : info.results) {
      out.push_back(cpp11::named_arg(result.name.c_str()) =
                        cpp11::sexp(shaped(values.at(result.name), result.shape.kind)));
    }
    return static_cast<SEXP>(out);
  });
}

SEXP condens_predict(SEXP model, SEXP columns, SEXP rows, SEXP threads) {
  return guarded([&] {
    const auto own = model_of(model);
    const Matrix x = inputs_of(*own, columns, rows);
    return running(whole_of(threads), false, [&](const Run& run) {
      if (own->target) return to_r(Laws(own->target->predict(*own->density, x, run)));
      return to_r(Laws(own->density->predict(x, run)));
    });
  });
}

SEXP condens_log_density(SEXP model, SEXP columns, SEXP threads) {
  return guarded([&] {
    const auto own = model_of(model);
    const Dataset data = encoded(*own, columns, R_NilValue);
    const Vector out = running(whole_of(threads), false, [&](const Run& run) -> Vector {
      if (own->target) return own->target->log_density(*own->density, data.x, data.y, run);
      return own->density->log_density(data.x, data.y, run);
    });
    return to_r(VectorView(out));
  });
}

SEXP condens_score(SEXP model, SEXP columns, SEXP weights, SEXP options, SEXP threads) {
  return guarded([&] {
    const auto own = model_of(model);
    const Dataset data = encoded(*own, columns, weights);
    ScoreOptions wanted;
    set_options(wanted, "score", from_r(options, "options"));
    const Scores found = running(whole_of(threads), false,
                                 [&](const Run& run) { return score(*own->density, own->target, data, wanted, run); });
    Document out = to_document(found);
    Document::Array pit;
    for (const TargetScores& target : found.targets) pit.emplace_back(target.pit);
    return to_r(out.set("pit", Document(std::move(pit))));
  });
}

/// `limits` as in a fit.
SEXP condens_score_censored(SEXP model, SEXP columns, SEXP limits, SEXP weights, SEXP threads) {
  return guarded([&] {
    const auto own = model_of(model);
    const Dataset data = encoded(*own, columns, weights);
    const Censoring rows = censoring_of(limits);
    const PlaceOfRow place = [](Index row) { return message("row ", row + 1); };
    const CensoredScores found = running(whole_of(threads), false, [&](const Run& run) {
      return score_censored(*own->density, own->target, data, rows, place, run);
    });
    return to_r(to_document(found));
  });
}

SEXP condens_replicate(SEXP model, SEXP number) {
  return guarded(
      [&] { return to_r(std::make_shared<const Model>(replicate_of(*model_of(model), Rf_asInteger(number) - 1))); });
}

/// Ends of error bars, n x 2: of n estimates, whose replicates are the rows of an n x R matrix.
SEXP condens_bands(SEXP estimates, SEXP replicates, SEXP level) {
  return guarded([&] {
    const Matrix values = columns_of(replicates).transpose();
    check_bands(values.cols(), Rf_asReal(level), BandMethod::percentile);
    const Bands found = bands(vector_of(estimates), values, Rf_asReal(level));
    Matrix out(2, found.low.size());
    out << found.low.transpose(), found.high.transpose();
    return rows_to_r(out);
  });
}

SEXP condens_transform(SEXP model, SEXP columns) {
  return guarded([&] {
    const auto own = model_of(model);
    const auto& projected = as<ProjectedDensity>(*own, "only a model that reduces its inputs transforms them");
    return rows_to_r(projected.transform(inputs_of(*own, columns, R_NilValue)));
  });
}

SEXP condens_state_weights(SEXP model, SEXP columns) {
  return guarded([&] {
    const auto own = model_of(model);
    const auto& states = as<HasStates>(*own, "only a model of states has weights of them");
    return rows_to_r(states.state_weights(inputs_of(*own, columns, R_NilValue)));
  });
}

/// Of the rows of an n x J matrix, in the order of time.
SEXP condens_transition_matrix(SEXP weights, SEXP steps) {
  return guarded([&] { return rows_to_r(transition_matrix(columns_of(weights), whole_of(steps)).transpose()); });
}

SEXP condens_path(SEXP model) {
  return guarded([&] {
    const auto own = model_of(model);
    const HasPath::Path path = as<HasPath>(*own, "only a model with a path of penalties has one").path();
    Document::Array inputs;
    const std::vector<EncodedColumn>& columns = own->encoder.input_columns();
    for (const Index j : path.inputs) inputs.emplace_back(columns.at(static_cast<std::size_t>(j)).name);
    Document out;
    out.set("penalty", Document(path.penalty)).set("inputs", Document(std::move(inputs)));
    return to_r(out.set("norms", Document(Matrix(path.norms))).set("chosen", path.chosen));
  });
}

SEXP condens_read(SEXP path) {
  return guarded([&] { return to_r(std::make_shared<const Model>(load_model_file(text_of(path)))); });
}

SEXP condens_write(SEXP model, SEXP path) {
  return guarded([&] {
    save_model(*model_of(model), text_of(path));
    return R_NilValue;
  });
}

}  // extern "C"

}  // namespace condens::r
