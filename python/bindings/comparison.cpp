// Comparisons of models.

#include "condens/comparison/leaderboard.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <tuple>

#include "bindings.hpp"
#include "condens/data/encoder.hpp"
#include "condens/io/comparison_records.hpp"
#include "condens/registry.hpp"
#include "datasets.hpp"
#include "documents.hpp"
#include "released.hpp"

namespace condens::python {

namespace {

/// Label, model, preset and options.
using Entry = std::tuple<std::string, std::string, std::string, nb::dict>;

ComparisonRecords open_records(const std::string& path, const Dataset& data, const std::vector<Contestant>& models,
                               const ComparisonOptions& options) {
  try {
    return {path, data, models, options};
  } catch (const FormatError&) {
    throw;
  } catch (const std::runtime_error& error) {
    raise_os_error(error);
  }
}

/// The leaderboard, a dict for each model, from the best to the last; `records` is the name of a file as bytes, or
/// None.
nb::object compare(const std::vector<Entry>& entries, const nb::dict& options, const Rows& x, const Rows& y,
                   const nb::object& weights, const nb::object& encoder, const nb::object& records, int threads,
                   const nb::object& callback) {
  std::vector<Contestant> models;
  for (const auto& [label, name, preset, values] : entries) {
    models.push_back(contestant(label, find_model(name), preset, from_python(values, label)));
  }
  ComparisonOptions wanted;
  set_options(wanted, "compare", from_python(options, "options"));
  Dataset data = dataset_of(x, y, weights);
  if (!encoder.is_none()) data.groups = nb::cast<const Encoder&>(encoder).group_of_rows();
  std::optional<ComparisonRecords> book;
  if (!records.is_none()) {
    const auto path = nb::cast<nb::bytes>(records);
    book.emplace(open_records(std::string(path.c_str(), path.size()), data, models, wanted));
  }
  const Comparison found = released(threads, callback, [&](const Run& run) {
    return compare_models(data, models, wanted, run, book ? &*book : nullptr);
  });
  Document::Array out;
  for (const Standing& standing : leaderboard(found)) out.push_back(to_document(standing));
  return to_python(out);
}

}  // namespace

void bind_comparison(nb::module_& m) {
  m.def("compare", &compare, nb::arg("models"), nb::arg("options"), nb::arg("x").noconvert(), nb::arg("y").noconvert(),
        nb::arg("weights") = nb::none(), nb::arg("encoder") = nb::none(), nb::arg("records") = nb::none(),
        nb::arg("threads") = 0, nb::arg("callback") = nb::none());
}

}  // namespace condens::python
