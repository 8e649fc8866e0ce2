// The registry, encoders and fitted models.

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>

#include "arrays.hpp"
#include "bindings.hpp"
#include "censoring.hpp"
#include "condens/core/parallel.hpp"
#include "condens/data/encoder.hpp"
#include "condens/inspection/training_rows.hpp"
#include "condens/io/model_file.hpp"
#include "condens/metrics/scores.hpp"
#include "condens/model/bands.hpp"
#include "condens/model/capabilities.hpp"
#include "condens/model/projected_density.hpp"
#include "condens/model/states.hpp"
#include "condens/model/subspaces.hpp"
#include "condens/registry.hpp"
#include "core/names.hpp"
#include "datasets.hpp"
#include "documents.hpp"
#include "io/files.hpp"
#include "released.hpp"

namespace condens::python {

namespace {

using Names = std::vector<std::string>;

Model fit(const std::string& name, const std::string& preset, const nb::dict& options, const Rows& x, const Rows& y,
          const nb::object& weights, const nb::object& x_unlabeled, const nb::object& encoder, const Names& input_names,
          const Names& target_names, const std::string& target_kind, double conformal_share,
          const std::string& conformal_method, Index conformal_folds, const std::string& conformal_groups,
          double pit_share, Index n_replicates, const std::string& replicate_method, const nb::object& limits,
          int threads, const nb::object& callback) {
  const ModelInfo& info = find_model(name);
  Dataset data = dataset_of(x, y, weights);
  bool impute = false;
  if (!encoder.is_none()) {
    const auto& own = nb::cast<const Encoder&>(encoder);
    data.groups = own.group_of_rows();
    impute = own.missing() == MissingInputs::model;
  }
  if (!x_unlabeled.is_none()) data.x_unlabeled = borrow(nb::cast<Rows>(x_unlabeled));
  const Document values = from_python(options, "options");
  Encoder columns = encoder.is_none() ? Encoder::generic(data, input_names, target_names) : nb::cast<Encoder>(encoder);
  TargetRequest request{.kind = TargetKind::parse(target_kind),
                        .calibration_share = conformal_share,
                        .impute_inputs = impute,
                        .replicates = n_replicates,
                        .replicate_method = choice_of<ReplicateMethod>("bootstrap: method", replicate_method),
                        .censoring = censoring_of(limits),
                        .cross = choice_of<CrossConformal>("conformal: method", conformal_method),
                        .cross_folds = conformal_folds,
                        .groups = {},
                        .pit_share = pit_share};
  if (!conformal_groups.empty()) {
    request.groups = RowGroups::of("conformal: groups", columns, conformal_groups, data.x);
  }
  const PlaceOfRow place = [](Index row) { return message("row ", row + 1, " (counting from 1)"); };
  TargetModel fitted = released(
      threads, callback, [&](const Run& run) { return fit_target(info, request, data, preset, values, place, run); });
  return {std::move(columns), std::move(fitted.density), std::move(fitted.target), std::move(fitted.conformal),
          std::move(fitted.replicates)};
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

const Replicates& replicates_of(const Model& self, const char* owner) {
  require(self.replicates.has_value(), owner, ": the estimator has no replicates; fit it with bootstrap=100");
  return *self.replicates;
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
  c.def_prop_ro("n_replicates", [](const Model& self) { return self.replicates ? self.replicates->size() : Index{0}; });
  c.def("replicate", &replicate_of, nb::arg("number"));
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
      "row_weights",
      [](const Model& self, const Rows& x, const Rows& training_x, const Rows& training_y, const nb::object& weights,
         Index most, int threads, const nb::object& callback) {
        const Dataset training = dataset_of(training_x, training_y, weights);
        const TargetDecoder* kind = self.target ? &*self.target : nullptr;
        const Conformal* conformal = self.conformal ? &*self.conformal : nullptr;
        const auto found = released(threads, callback, [&](const Run& run) {
          return training_row_weights(*self.density, kind, conformal, columns_of(x), training, most, run);
        });
        const Index n = std::ssize(found);
        const Index columns = std::min(most, training.size());
        Matrix rows = Matrix::Constant(columns, n, -1.0);  // -1: no more rows of a weight
        Matrix heavy = Matrix::Zero(columns, n);
        Vector others(n);
        for (Index i = 0; i < n; ++i) {
          const RowWeights& own = found[static_cast<std::size_t>(i)];
          others[i] = own.others;
          for (Index k = 0; k < own.weights.size(); ++k) {
            rows(k, i) = static_cast<double>(own.rows[static_cast<std::size_t>(k)]);
            heavy(k, i) = own.weights[k];
          }
        }
        return nb::make_tuple(to_rows(rows), to_rows(heavy), to_line(others));
      },
      nb::arg("x").noconvert(), nb::arg("training_x").noconvert(), nb::arg("training_y").noconvert(),
      nb::arg("weights") = nb::none(), nb::arg("most") = 10, nb::arg("threads") = 0, nb::arg("callback") = nb::none());
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
  c.def(
      "state_distances",
      [](const Model& self, const Rows& x, const Rows& other) {
        return to_rows(state_distances(of_states(self), columns_of(x), columns_of(other)).transpose());
      },
      nb::arg("x").noconvert(), nb::arg("other").noconvert());
  c.def(
      "state_factors",
      [](const Model& self, const Rows& x) {
        StateFactors out = state_factors(of_states(self), columns_of(x));
        return nb::make_tuple(to_rows(out.vectors.transpose()), to_line(std::move(out.values)));
      },
      nb::arg("x").noconvert());
  c.def(
      "representative_rows",
      [](const Model& self, const Rows& x, Index count) {
        const auto rows = representative_rows(of_states(self), columns_of(x), count);
        Matrix out(count, std::ssize(rows));
        for (Index j = 0; j < out.cols(); ++j)
          for (Index k = 0; k < count; ++k)
            out(k, j) = static_cast<double>(rows[static_cast<std::size_t>(j)][static_cast<std::size_t>(k)]);
        return to_rows(std::move(out));
      },
      nb::arg("x").noconvert(), nb::arg("count"));
  c.def(
      "coefficient_intervals",
      [](const Model& self, double confidence) {
        CoefficientIntervals out = coefficient_intervals(of_states(self), confidence);
        return nb::make_tuple(to_rows(std::move(out.lower)), to_rows(std::move(out.upper)));
      },
      nb::arg("confidence"));
  c.def(
      "bootstrap_coefficients",
      [](const Model& self, double confidence, const std::string& method) {
        const Replicates& replicates = replicates_of(self, "state_coef_interval");
        BootstrapCoefficients out =
            coefficient_intervals(*self.density, replicates, confidence, choice_of<BandMethod>("method", method));
        return nb::make_tuple(to_rows(std::move(out.intervals.lower)), to_rows(std::move(out.intervals.upper)));
      },
      nb::arg("confidence"), nb::arg("method"));
  c.def(
      "subspace_intervals",
      [](const Model& self, double confidence, const std::string& method) {
        const Replicates& replicates = replicates_of(self, "subspace_intervals");
        SubspaceIntervals out =
            subspace_intervals(*self.density, replicates, confidence, choice_of<BandMethod>("method", method));
        nb::dict parts;
        parts["angles"] = to_rows(std::move(out.angles));
        parts["distances"] = to_line(std::move(out.distances));
        parts["angle_bounds"] = to_line(std::move(out.angle_bounds));
        parts["distance_bound"] = out.distance_bound;
        parts["projection"] = to_rows(std::move(out.projection));
        parts["lower"] = to_rows(std::move(out.lower));
        parts["upper"] = to_rows(std::move(out.upper));
        parts["standard_errors"] = to_rows(std::move(out.standard_errors));
        parts["loaded"] = to_line(std::move(out.loaded));
        return parts;
      },
      nb::arg("confidence"), nb::arg("method"));
  c.def(
      "dimension_test",
      [](const Model& self, const Rows& x, const Rows& y, const nb::object& weights, const nb::dict& options,
         int threads, const nb::object& callback) {
        const Dataset data = dataset_of(x, y, weights);
        DimensionTestOptions wanted;
        set_options(wanted, "dimension_test", from_python(options, "options"));
        const TargetKind kind = self.target ? self.target->kind() : TargetKind{};
        Document own = self.density->options();
        const Document* cv = own.find("cv");
        if (cv != nullptr && cv->as_array().size() > 1) own.set("cv", Document::Array{wanted.folds});
        const DimensionTest found = released(threads, callback, [&](const Run& run) {
          return test_dimension(find_model(self.density->model_name()), data, "", own, kind, wanted, run);
        });
        Matrix steps(6, std::ssize(found.steps));
        for (Index k = 0; k < steps.cols(); ++k) {
          const DimensionTest::Step& step = found.steps[static_cast<std::size_t>(k)];
          steps.col(k) << static_cast<double>(step.n_components), step.score, step.gain, step.standard_error,
              step.p_value, step.rejected ? 1.0 : 0.0;
        }
        return nb::make_tuple(found.n_components, found.all_rejected, to_rows(std::move(steps)));
      },
      nb::arg("x").noconvert(), nb::arg("y").noconvert(), nb::arg("weights") = nb::none(),
      nb::arg("options") = nb::dict(), nb::arg("threads") = 0, nb::arg("callback") = nb::none());
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
    const std::string name(path.c_str(), path.size());
    try {
      released(1, nb::none(), [&](const Run& run) {
        const Task task(run, "writing", 1);
        save_model(self, name);
        return true;
      });
    } catch (const std::runtime_error& error) {
      raise_os_error(error);
    }
  });
  c.def("__getstate__", [](const Model& self) { return to_bytes(self, false); });
  c.def("__setstate__", [](Model& self, const nb::bytes& bytes) { new (&self) Model(from_bytes(bytes, "pickle")); });
}

}  // namespace

void bind_models(nb::module_& m) {
  bind_model(m);
  m.def(
      "transition_matrix",
      [](const Rows& weights, Index steps) {
        return to_rows(transition_matrix(columns_of(weights), steps).transpose());
      },
      nb::arg("weights").noconvert(), nb::arg("steps"));
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
        nb::arg("target_kind") = "real", nb::arg("conformal_share") = 0.0, nb::arg("conformal_method") = "split",
        nb::arg("conformal_folds") = 10, nb::arg("conformal_groups") = "", nb::arg("pit_share") = 0.0,
        nb::arg("n_replicates") = 0, nb::arg("replicate_method") = "refit", nb::arg("limits") = nb::none(),
        nb::arg("threads") = 0, nb::arg("callback") = nb::none());
  m.def(
      "looks_like",
      [](const Line& y) {
        const Vector values = vector_of(y);
        const TargetKind kind = TargetKind::of(values);
        return nb::make_tuple(kind.text(), reason_for(kind, values));
      },
      nb::arg("y").noconvert());
  m.def(
      "check_bands",
      [](Index n_replicates, double level, const std::string& method) {
        check_bands(n_replicates, level, choice_of<BandMethod>("method", method));
      },
      nb::arg("n_replicates"), nb::arg("level"), nb::arg("method"));
  m.def(
      "bands",
      [](const Line& estimates, const Rows& replicates, double level, const std::string& method) {
        const Bands found =
            bands(vector_of(estimates), columns_of(replicates), level, choice_of<BandMethod>("method", method));
        return nb::make_tuple(to_line(found.low), to_line(found.high));
      },
      nb::arg("estimates").noconvert(), nb::arg("replicates").noconvert(), nb::arg("level"), nb::arg("method"));
  m.def(
      "subspace_change",
      [](const Rows& a, const Rows& b) {
        SubspaceChange found = subspace_change(columns_of(a).transpose(), columns_of(b).transpose());
        return nb::make_tuple(to_line(std::move(found.angles)), found.distance, found.share);
      },
      nb::arg("a").noconvert(), nb::arg("b").noconvert());
  m.def(
      "parse_model",
      [](const nb::bytes& bytes, const std::string& source) {
        return released(1, nb::none(), [&](const Run& run) {
          const Task task(run, "reading", 1);
          return from_bytes(bytes, source);
        });
      },
      nb::arg("bytes"), nb::arg("source"));
}

}  // namespace condens::python
