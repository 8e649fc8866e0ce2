// Comparisons of models.

#include "comparison/comparison_splits.hpp"
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

/// Label, and a dict of the measures for every split, or of "failure".
using Outside = std::tuple<std::string, nb::list>;

std::vector<Trial> trials_of(const nb::list& splits) {
  std::vector<Trial> out;
  for (const nb::handle item : splits) {
    const auto values = nb::cast<nb::dict>(item);
    Trial trial;
    if (values.contains("failure")) {
      trial.failure = nb::cast<std::string>(values["failure"]);
    } else {
      for (const Measure& measure : trial_measures) {
        trial.*measure.value = nb::cast<double>(values[std::string(measure.name).c_str()]);
      }
    }
    out.push_back(std::move(trial));
  }
  return out;
}

/// Row numbers to train and to test on, for every split of a comparison.
nb::list comparison_splits(Index rows, const nb::dict& options) {
  ComparisonOptions wanted;
  set_options(wanted, "compare", from_python(options, "options"));
  nb::list out;
  for (const Split& split : condens::comparison_splits(rows, wanted)) {
    out.append(nb::make_tuple(nb::cast(split.train), nb::cast(split.test)));
  }
  return out;
}

/// The leaderboard, a dict for each model, from the best to the last; `records` is the name of a file as bytes, or
/// None. `outside` are models that were fitted and scored elsewhere, on the splits of comparison_splits.
nb::object compare(const std::vector<Entry>& entries, const std::string& target_kind, const nb::dict& options,
                   const Rows& x, const Rows& y, const nb::object& weights, const nb::object& encoder,
                   const nb::object& records, const std::vector<Outside>& outside, int threads,
                   const nb::object& callback) {
  ComparisonOptions wanted;
  set_options(wanted, "compare", from_python(options, "options"));
  Dataset data = dataset_of(x, y, weights);
  const TargetKind kind = TargetKind::parse(target_kind).of_targets(data.y);
  std::vector<Contestant> models;
  for (const auto& [label, name, preset, values] : entries) {
    models.push_back(contestant(label, find_model(name), preset, from_python(values, label), kind));
  }
  if (!encoder.is_none()) data.groups = nb::cast<const Encoder&>(encoder).group_of_rows();
  std::optional<ComparisonRecords> book;
  if (!records.is_none()) {
    const auto path = nb::cast<nb::bytes>(records);
    book.emplace(open_records(std::string(path.c_str(), path.size()), data, models, wanted));
  }
  Comparison found{wanted, {}, {}};
  if (!models.empty() || outside.empty()) {
    found = released(threads, callback, [&](const Run& run) {
      return compare_models(data, models, wanted, run, book ? &*book : nullptr);
    });
  }
  for (const auto& [label, splits] : outside) {
    found.labels.push_back(label);
    found.trials.push_back(trials_of(splits));
  }
  Document::Array out;
  for (const Standing& standing : leaderboard(found)) out.push_back(to_document(standing));
  return to_python(out);
}

}  // namespace

void bind_comparison(nb::module_& m) {
  m.def("compare", &compare, nb::arg("models"), nb::arg("target_kind"), nb::arg("options"), nb::arg("x").noconvert(),
        nb::arg("y").noconvert(), nb::arg("weights") = nb::none(), nb::arg("encoder") = nb::none(),
        nb::arg("records") = nb::none(), nb::arg("outside") = nb::list(), nb::arg("threads") = 0,
        nb::arg("callback") = nb::none());
  m.def("comparison_splits", &comparison_splits, nb::arg("rows"), nb::arg("options"));
}

}  // namespace condens::python
