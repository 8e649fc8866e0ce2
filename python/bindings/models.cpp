// The registry, encoders and fitted models.

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>

#include "arrays.hpp"
#include "bindings.hpp"
#include "censoring.hpp"
#include "condens/data/encoder.hpp"
#include "condens/io/model_file.hpp"
#include "condens/metrics/scores.hpp"
#include "condens/model/capabilities.hpp"
#include "condens/model/projected_density.hpp"
#include "condens/registry.hpp"
#include "datasets.hpp"
#include "documents.hpp"
#include "io/files.hpp"
#include "released.hpp"

namespace condens::python {

namespace {

using Names = std::vector<std::string>;

/// {name: 1-D float64 array, or list of str with "" for what is missing}.
Table table_of(const nb::dict& columns) {
  Table table;
  for (const auto [key, values] : columns) {
    const std::string name = text_of(key, "the name of a column");
    if (Line numbers; nb::try_cast(values, numbers, false)) {
      table.add({name, std::vector<double>(numbers.data(), numbers.data() + numbers.shape(0))});
    } else {
      Names texts;
      for (const nb::handle value : values) texts.push_back(text_of(value, name));
      table.add({name, std::move(texts)});
    }
  }
  return table;
}

Encoder fit_encoder(const nb::dict& columns, const Names& targets, const Names& categorical, bool mark_missing) {
  const Table table = table_of(columns);
  EncoderOptions options{.targets = targets};
  options.categorical = categorical;
  if (mark_missing) options.missing = MissingInputs::indicator;
  return Encoder::fit(table, options);
}

Model fit(const std::string& name, const std::string& preset, const nb::dict& options, const Rows& x, const Rows& y,
          const nb::object& weights, const nb::object& x_unlabeled, const nb::object& encoder, const Names& input_names,
          const Names& target_names, const std::string& target_kind, double conformal_share, const nb::object& limits,
          int threads, const nb::object& callback) {
  const ModelInfo& info = find_model(name);
  Dataset data = dataset_of(x, y, weights);
  if (!encoder.is_none()) data.groups = nb::cast<const Encoder&>(encoder).group_of_rows();
  if (!x_unlabeled.is_none()) data.x_unlabeled = borrow(nb::cast<Rows>(x_unlabeled));
  const Document values = from_python(options, "options");
  const TargetRequest request{TargetKind::parse(target_kind), conformal_share, censoring_of(limits)};
  const PlaceOfRow place = [](Index row) { return message("row ", row + 1, " (counting from 1)"); };
  TargetModel fitted = released(
      threads, callback, [&](const Run& run) { return fit_target(info, request, data, preset, values, place, run); });
  return {encoder.is_none() ? Encoder::generic(data, input_names, target_names) : nb::cast<Encoder>(encoder),
          std::move(fitted.density), std::move(fitted.target), std::move(fitted.conformal)};
}

/// The model as one that can do this. Throws TypeError, which says which models can.
template <class Capability>
const Capability& as(const Model& model, const char* only) {
  const auto* out = capability<Capability>(*model.density);
  if (out == nullptr) throw nb::type_error(only);
  return *out;
}

const HasStates& of_states(const Model& model) {
  return as<HasStates>(model, "only a model of predictive states has states");
}

/// A result as an array of as many axes as its shape names, whatever their lengths.
nb::object shaped(const Document& value, ResultShape::Kind kind) {
  const auto* found = std::get_if<Matrix>(&value.value());
  if (found == nullptr) {
    nb::object plain = to_python(value);
    return kind == ResultShape::Kind::single ? plain : nb::module_::import_("numpy").attr("array")(plain);
  }
  switch (kind) {
    case ResultShape::Kind::single:
    case ResultShape::Kind::line:
      return nb::cast(to_line(found->reshaped()));
    case ResultShape::Kind::columns:
      return nb::cast(to_rows(*found));
    case ResultShape::Kind::rows:
      return nb::cast(to_rows(found->transpose()));
    case ResultShape::Kind::squares:
      break;
  }
  const auto count = static_cast<std::size_t>(found->cols());
  const auto size = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(found->rows()))));
  return to_rows(*found).cast().attr("reshape")(count, size, size);
}

nb::dict results_of(const Model& model) {
  const ModelInfo& info = find_model(model.density->model_name());
  const Document values = info.results_of(*model.density);
  nb::dict out;
  for (const ResultInfo& result : info.results) {
    out[result.name.c_str()] = shaped(values.at(result.name), result.shape.kind);
  }
  return out;
}

/// Means and scales by which inputs and targets were standardised; scale 0: constant, or not used.
nb::dict scales_of(const Model& model) {
  const Standardizer x_scale = model.density->input_scale();
  nb::dict out;
  out["x_mean"] = to_line(x_scale.mean());
  out["x_scale"] = to_line(x_scale.scale());
  out["y_mean"] = to_line(model.density->y_scale().mean());
  out["y_scale"] = to_line(model.density->y_scale().scale());
  return out;
}

nb::bytes to_bytes(const Model& model, bool json) {
  const std::string out = json ? to_json(model) : to_cbor(model);
  return nb::bytes(out.data(), out.size());
}

Model from_bytes(const nb::bytes& bytes, const std::string& source) {
  return parse_model(std::string_view(bytes.c_str(), bytes.size()), source);
}

void bind_encoder(nb::module_& m) {
  nb::class_<Encoder> c(m, "Encoder", "From named columns to numbers, the same way in training and in prediction.");
  c.def_static("fit", &fit_encoder, nb::arg("columns"), nb::arg("targets"), nb::arg("categorical"),
               nb::arg("mark_missing") = false);
  c.def("encode_inputs",
        [](const Encoder& self, const nb::dict& columns) { return to_rows(self.encode_inputs(table_of(columns))); });
  c.def("warnings", &Encoder::warnings, nb::arg("rows"));
  c.def_prop_ro("encoded_names", &Encoder::encoded_names);
  c.def_prop_ro("groups", &Encoder::column_of_rows);
  c.def_prop_ro("marks_missing", &Encoder::marks_missing);
  c.def("filled_without_mark",
        [](const Encoder& self, const nb::dict& columns) { return self.filled_without_mark(table_of(columns)); });
  c.def_prop_ro("input_names", [](const Encoder& self) {
    Names out;  // of the table of the fit: without marks
    for (const EncodedColumn& column : self.input_columns()) {
      if (column.missing_of.empty()) out.push_back(column.name);
    }
    return out;
  });
  c.def_prop_ro("target_names", [](const Encoder& self) { return names_of(self.targets()); });
  c.def_prop_ro("target_ranges", [](const Encoder& self) {
    nb::list out;  // all zero where an encoder was made without data
    for (const EncodedColumn& column : self.targets()) out.append(nb::make_tuple(column.low, column.high));
    return out;
  });
  c.def_prop_ro("levels", [](const Encoder& self) {
    nb::dict out;
    for (const EncodedColumn& column : self.input_columns()) {
      if (column.is_categorical() && column.missing_of.empty()) out[column.name.c_str()] = nb::cast(column.levels);
    }
    return out;
  });
}

void bind_model(nb::module_& m) {
  nb::class_<Model> c(m, "Model", "A fitted conditional density with the names of its columns.");
  c.def_prop_ro("name", [](const Model& self) { return std::string(self.density->model_name()); });
  c.def_prop_ro("n_inputs", [](const Model& self) { return self.density->n_inputs(); });
  c.def_prop_ro("n_targets", [](const Model& self) { return self.density->n_targets(); });
  c.def_prop_ro("encoder", [](const Model& self) { return self.encoder; });
  c.def_prop_ro("options", [](const Model& self) { return to_python(self.density->options()); });
  c.def_prop_ro("report", [](const Model& self) { return to_python(self.density->report().to_document()); });
  c.def_prop_ro("warnings", &warnings_of);
  c.def_prop_ro("n_calibration",
                [](const Model& self) { return self.conformal ? self.conformal->n_rows() : Index{0}; });
  c.def(
      "calibrated_masses",
      [](const Model& self, double level) {
        return nb::make_tuple(self.conformal.value().central_mass(level), self.conformal.value().highest_mass(level));
      },
      nb::arg("level"));
  c.def_prop_ro("target_kind", [](const Model& self) { return self.target ? self.target->kind().text() : "real"; });
  c.def_prop_ro("results", &results_of);
  c.def_prop_ro("scales", &scales_of);
  c.def(
      "predict",
      [](const Model& self, const Rows& x, int threads, const nb::object& callback) {
        if (self.target) {
          return nb::cast(released(threads, callback, [&](const Run& run) {
            return self.target->predict(*self.density, columns_of(x), run);
          }));
        }
        return nb::cast(
            released(threads, callback, [&](const Run& run) { return self.density->predict(columns_of(x), run); }));
      },
      nb::arg("x").noconvert(), nb::arg("threads") = 0, nb::arg("callback") = nb::none());
  c.def(
      "log_density",
      [](const Model& self, const Rows& x, const Rows& y, int threads, const nb::object& callback) {
        return to_line(released(threads, callback, [&](const Run& run) -> Vector {
          if (self.target) return self.target->log_density(*self.density, columns_of(x), columns_of(y), run);
          return self.density->log_density(columns_of(x), columns_of(y), run);
        }));
      },
      nb::arg("x").noconvert(), nb::arg("y").noconvert(), nb::arg("threads") = 0, nb::arg("callback") = nb::none());
  c.def(
      "score",
      [](const Model& self, const Rows& x, const Rows& y, const nb::object& weights, const nb::dict& options,
         int threads, const nb::object& callback) {
        const Dataset data = dataset_of(x, y, weights);
        ScoreOptions wanted;
        set_options(wanted, "score", from_python(options, "options"));
        const Scores scores = released(
            threads, callback, [&](const Run& run) { return score(*self.density, self.target, data, wanted, run); });
        return to_python(to_document(scores));
      },
      nb::arg("x").noconvert(), nb::arg("y").noconvert(), nb::arg("weights") = nb::none(),
      nb::arg("options") = nb::dict(), nb::arg("threads") = 0, nb::arg("callback") = nb::none());
  c.def(
      "contribution",
      [](const Model& self, Index input, const Rows& x, const Rows& y) {
        const auto& additive = as<HasContributions>(self, "only an additive model has contributions of its inputs");
        return to_rows(additive.contribution(input, columns_of(x), columns_of(y)).transpose());
      },
      nb::arg("input"), nb::arg("x").noconvert(), nb::arg("y").noconvert());
  c.def(
      "transform",
      [](const Model& self, const Rows& x) {
        const auto& projected = as<ProjectedDensity>(self, "only a model that reduces its inputs transforms them");
        return to_rows(projected.transform(columns_of(x)));
      },
      nb::arg("x").noconvert());
  c.def(
      "log_mass",
      [](const Model& self, const Rows& x, int threads) {
        const auto& ratio = as<HasMass>(self, "only a ratio of densities has a mass of its own");
        return to_line(
            released(threads, nb::none(), [&](const Run& run) { return ratio.log_mass(columns_of(x), run); }));
      },
      nb::arg("x").noconvert(), nb::arg("threads") = 0);
  c.def(
      "state_weights",
      [](const Model& self, const Rows& x) { return to_rows(of_states(self).state_weights(columns_of(x))); },
      nb::arg("x").noconvert());
  c.def(
      "entropy", [](const Model& self, const Rows& x) { return to_line(of_states(self).entropy(columns_of(x))); },
      nb::arg("x").noconvert());
  c.def(
      "smoothing_matrix",
      [](const Model& self, const Rows& x) { return to_rows(of_states(self).smoothing_matrix(columns_of(x))); },
      nb::arg("x").noconvert());
  c.def("state_densities", [](const Model& self) { return of_states(self).state_densities(); });
  c.def(
      "exact_quantiles",
      [](const Model& self, const Rows& x, int threads) {
        const auto& quantiles = as<HasQuantiles>(self, "only a model of quantiles has quantiles of its own");
        return to_rows(
            released(threads, nb::none(), [&](const Run& run) { return quantiles.quantiles(columns_of(x), run); }));
      },
      nb::arg("x").noconvert(), nb::arg("threads") = 0);
  c.def_prop_ro("inner", [](const Model& self) {
    const auto& projected = as<ProjectedDensity>(self, "only a model that reduces its inputs has one inside");
    // Shares the outer model, which is immutable and keeps the inner one alive.
    std::shared_ptr<const ConditionalDensity> inner(self.density, &projected.inner());
    Encoder encoder = Encoder::generic(inner->n_inputs(), inner->n_targets());
    return Model{std::move(encoder), std::move(inner)};
  });
  c.def("to_bytes", &to_bytes, nb::arg("json") = false);
  // Names of files are bytes: not all of them are UTF-8.
  c.def("save", [](const Model& self, const nb::bytes& path) {
    try {
      save_model(self, std::string(path.c_str(), path.size()));
    } catch (const std::runtime_error& error) {
      raise_os_error(error);
    }
  });
  c.def("__getstate__", [](const Model& self) { return to_bytes(self, false); });
  c.def("__setstate__", [](Model& self, const nb::bytes& bytes) { new (&self) Model(from_bytes(bytes, "pickle")); });
}

}  // namespace

void bind_models(nb::module_& m) {
  bind_encoder(m);
  bind_model(m);
  m.def("models", [] {
    Document::Array out;
    for (const ModelInfo& info : models()) out.push_back(to_document(info));
    return to_python(out);
  });
  // A name that there is not stays as it is: the fit refuses it.
  m.def(
      "model_of_member",
      [](const std::string& name) {
        const bool alone = name == marginal_member;
        return alone ? find_member(name).name : name;
      },
      nb::arg("name"));
  m.def("fit", &fit, nb::arg("model"), nb::arg("preset"), nb::arg("options"), nb::arg("x").noconvert(),
        nb::arg("y").noconvert(), nb::arg("weights") = nb::none(), nb::arg("x_unlabeled") = nb::none(),
        nb::arg("encoder") = nb::none(), nb::arg("input_names") = Names(), nb::arg("target_names") = Names(),
        nb::arg("target_kind") = "real", nb::arg("conformal_share") = 0.0, nb::arg("limits") = nb::none(),
        nb::arg("threads") = 0, nb::arg("callback") = nb::none());
  m.def(
      "looks_like",
      [](const Line& y) {
        const Vector values = vector_of(y);
        const TargetKind kind = TargetKind::of(values);
        return nb::make_tuple(kind.text(), reason_for(kind, values));
      },
      nb::arg("y").noconvert());
  m.def("parse_model", &from_bytes, nb::arg("bytes"), nb::arg("source"));
}

}  // namespace condens::python
