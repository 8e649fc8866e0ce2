// Fits of rows that are elsewhere, as bytes: what engines of Python need.

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "bindings.hpp"
#include "condens/core/errors.hpp"
#include "condens/data/folds.hpp"
#include "condens/io/document_format.hpp"
#include "condens/io/model_file.hpp"
#include "condens/metrics/score_sums.hpp"
#include "condens/model/capabilities.hpp"
#include "condens/registry.hpp"
#include "core/freed_memory.hpp"
#include "data/level_statistics.hpp"
#include "datasets.hpp"
#include "documents.hpp"
#include "model/table_passes.hpp"
#include "released.hpp"

namespace condens::python {

namespace {

using Names = std::vector<std::string>;

/// A table of which Python adds up the states.
class PythonSums final : public RowSums {
 public:
  PythonSums(Index n_inputs, Index n_targets, std::vector<Index> groups, nb::object sums)
      : RowSums(n_inputs, n_targets, std::move(groups)), sums_(std::move(sums)) {}

  Document total(const Document& pass) override {
    const std::string sent = document_to_cbor(pass, "pass");
    std::string received;
    {
      const nb::gil_scoped_acquire lock;
      const nb::object out = sums_(nb::bytes(sent.data(), sent.size()));
      if (!nb::isinstance<nb::bytes>(out)) throw nb::type_error("sums: expected bytes, the merged state of all blocks");
      const auto bytes = nb::cast<nb::bytes>(out);
      received.assign(bytes.c_str(), bytes.size());
    }
    return document_from_cbor(received, "state");
  }

 private:
  nb::object sums_;
};

/// Dask tells the memory of its workers to shrink whenever 64 KiB are free, which doubles the time of a block. There we
/// are the program that the memory serves.
void keep_freed_memory_of_workers() {
  static const bool told = [] {
    const bool shrinks = std::getenv("MALLOC_TRIM_THRESHOLD_") != nullptr;
    if (shrinks) keep_freed_memory();
    return shrinks;
  }();
  static_cast<void>(told);
}

nb::bytes accumulate_block(const nb::bytes& pass, const Rows& x, const Rows& y, const nb::object& weights,
                           Index first_row, int threads) {
  keep_freed_memory_of_workers();
  const Document document = from_bytes(pass, "pass");
  const Dataset block = dataset_of(x, y, weights);
  return to_bytes(
      released(threads, nb::none(), [&](const Run& run) { return accumulate(document, block, first_row, run); }),
      "state");
}

Model fit_elsewhere(const std::string& name, const std::string& preset, const nb::dict& options, const nb::object& sums,
                    Index n_inputs, Index n_targets, Index gather_rows, const nb::object& encoder,
                    const Names& input_names, const Names& target_names, int threads, const nb::object& callback) {
  const ModelInfo& info = find_model(name);
  std::vector<Index> groups;
  if (!encoder.is_none()) groups = nb::cast<const Encoder&>(encoder).group_of_rows();
  PythonSums table(n_inputs, n_targets, std::move(groups), sums);
  const Document values = from_python(options, "options");
  Dataset rows;
  auto density = released(threads, callback, [&](const Run& run) {
    if (encoder.is_none()) rows = table_passes::typical_rows(table);
    return fit_by_sums(info, table, preset, values, gather_rows, run);
  });
  Encoder columns = encoder.is_none() ? Encoder::generic(rows, input_names, target_names) : nb::cast<Encoder>(encoder);
  return {std::move(columns), std::move(density)};
}

ScoreOptions score_options(const nb::dict& options) {
  ScoreOptions out;
  set_options(out, "score", from_python(options, "options"));
  return out;
}

nb::bytes score_block(const Model& model, const Rows& x, const Rows& y, const nb::object& weights, Index first_row,
                      const nb::dict& options, int threads) {
  const Dataset block = dataset_of(x, y, weights);
  const ScoreOptions wanted = score_options(options);
  return to_bytes(released(threads, nb::none(),
                           [&](const Run& run) {
                             return score_state(*model.density, model.target, block, first_row, wanted, run);
                           }),
                  "state");
}

const LearnsFromSums& sums_of(const Model& model) {
  const auto* out = capability<LearnsFromSums>(*model.density);
  if (out == nullptr) throw nb::type_error("only a model whose fit ends with sums over rows learns from further ones");
  return *out;
}

using Places = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// The codes of the levels of one column, (levels + 1) x statistics: of each fold from the rows of the others, and last
/// those from all rows.
nb::list level_codes_of(const Places& level, Index n_levels, const Rows& y, const nb::object& weights,
                        std::uint64_t seed) {
  LevelRows rows{
      columns_of(y), Vector::Ones(columns_of(y).cols()), {level.data(), level.data() + level.size()}, n_levels};
  if (!weights.is_none()) rows.weights = counted_weights(vector_of(nb::cast<Line>(weights)));
  const auto known = [&](Index own) { return own >= 0 && own < n_levels; };
  require(std::ssize(rows.level) == rows.y.cols() && rows.weights.size() == rows.y.cols(), "level_codes: there are ",
          rows.level.size(), " levels and ", rows.weights.size(), " weights for ", rows.y.cols(), " rows of y");
  require(std::all_of(rows.level.begin(), rows.level.end(), known), "level_codes: a level is outside of 0 to ",
          n_levels - 1);
  std::vector<Matrix> codes = released(1, nb::none(), [&](const Run&) {
    std::vector<Matrix> out = level_codes_by_fold(rows, seed);
    out.push_back(level_codes(rows));
    return out;
  });
  nb::list out;
  for (Matrix& own : codes) out.append(to_rows(std::move(own)));
  return out;
}

}  // namespace

void bind_row_sums(nb::module_& m) {
  m.def("level_codes", &level_codes_of, nb::arg("level"), nb::arg("n_levels"), nb::arg("y").noconvert(),
        nb::arg("weights") = nb::none(), nb::arg("seed") = 0);
  m.def("folds_of_codes", &folds_of_codes, nb::arg("n"), nb::arg("first"), nb::arg("count"), nb::arg("seed") = 0);
  m.def("accumulate", &accumulate_block, nb::arg("pass_"), nb::arg("x").noconvert(), nb::arg("y").noconvert(),
        nb::arg("weights") = nb::none(), nb::arg("first_row") = 0, nb::arg("threads") = 1);
  m.def(
      "merge",
      [](const nb::bytes& a, const nb::bytes& b) {
        return to_bytes(merge_states(from_bytes(a, "state"), from_bytes(b, "state")), "state");
      },
      nb::arg("a"), nb::arg("b"));
  m.def(
      "scale_state",
      [](const nb::bytes& state, double factor) {
        return to_bytes(scaled_state(from_bytes(state, "state"), factor), "state");
      },
      nb::arg("state"), nb::arg("factor"));
  m.def("score_state", &score_block, nb::arg("model"), nb::arg("x").noconvert(), nb::arg("y").noconvert(),
        nb::arg("weights") = nb::none(), nb::arg("first_row") = 0, nb::arg("options") = nb::dict(),
        nb::arg("threads") = 1);
  m.def(
      "merged_scores",
      [](const nb::bytes& state, const nb::dict& options) {
        return to_python(to_document(merged_scores(from_bytes(state, "state"), score_options(options))));
      },
      nb::arg("state"), nb::arg("options") = nb::dict());
  m.def(
      "closing_pass", [](const Model& model) { return to_bytes(sums_of(model).closing_pass(), "pass"); },
      nb::arg("model"));
  m.def(
      "finished",
      [](const Model& model, const nb::bytes& state) {
        return Model{model.encoder, sums_of(model).finished(from_bytes(state, "state"))};
      },
      nb::arg("model"), nb::arg("state"));
  m.def("fit_by_sums", &fit_elsewhere, nb::arg("model"), nb::arg("preset"), nb::arg("options"), nb::arg("sums"),
        nb::arg("n_inputs"), nb::arg("n_targets"), nb::arg("gather_rows") = most_rows_at_once,
        nb::arg("encoder") = nb::none(), nb::arg("input_names") = Names(), nb::arg("target_names") = Names(),
        nb::arg("threads") = 0, nb::arg("callback") = nb::none());
}

}  // namespace condens::python
