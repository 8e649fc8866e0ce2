// From named columns to numbers, and how an encoder is made where the rows are elsewhere.

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <numeric>

#include "arrays.hpp"
#include "bindings.hpp"
#include "condens/data/encoder.hpp"
#include "data/table_columns.hpp"
#include "documents.hpp"

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

/// Empty for None.
Vector vector_of(const nb::object& numbers) {
  if (numbers.is_none()) return {};
  const auto line = nb::cast<Line>(numbers);
  return Eigen::Map<const Vector>(line.data(), static_cast<Index>(line.shape(0)));
}

EncoderOptions encoder_options(const Names& targets, const Names& categorical, const std::string& missing,
                               const std::string& many_levels, std::optional<Index> rare_levels,
                               const std::string& unseen, std::uint64_t seed) {
  EncoderOptions out{.targets = targets};
  out.categorical = categorical;
  out.missing = missing_inputs_of("missing", missing);
  out.many_levels = many_levels_of("many_levels", many_levels);
  out.rare_levels = rare_levels;
  out.unseen = unseen_of("unseen", unseen);
  out.seed = seed;
  return out;
}

Encoder fit_encoder(const nb::dict& columns, const Names& targets, const Names& categorical, const std::string& missing,
                    const std::string& many_levels, std::optional<Index> rare_levels, const std::string& unseen,
                    const nb::object& weights, std::uint64_t seed) {
  EncoderOptions options = encoder_options(targets, categorical, missing, many_levels, rare_levels, unseen, seed);
  options.row_weights = vector_of(weights);
  return Encoder::fit(table_of(columns), options);
}

void bind_table_columns(nb::module_& m) {
  nb::class_<TableColumns> c(m, "TableColumns",
                             "The encoder of a table whose rows are elsewhere, in several readings.");
  c.def(
      "__init__",
      [](TableColumns* self, const Names& inputs, const Names& targets, const Names& categorical,
         const std::string& missing, const std::string& many_levels, std::optional<Index> rare_levels,
         const std::string& unseen, std::uint64_t seed) {
        Table header;
        for (const Names* names : {&inputs, &targets}) {
          for (const std::string& name : *names) header.add({name, std::vector<double>()});
        }
        new (self) TableColumns(header,
                                encoder_options(targets, categorical, missing, many_levels, rare_levels, unseen, seed));
      },
      nb::arg("inputs"), nb::arg("targets"), nb::arg("categorical"), nb::arg("missing"), nb::arg("many_levels"),
      nb::arg("rare_levels").none(), nb::arg("unseen"), nb::arg("seed"));
  c.def(
      "add",
      [](const TableColumns& self, const nb::dict& columns) {
        TableColumns out = self;
        const Table block = table_of(columns);
        std::vector<Index> rows(static_cast<std::size_t>(block.rows()));
        std::iota(rows.begin(), rows.end(), Index{0});
        out.add(block, rows);
        return out;
      },
      nb::arg("columns"));
  c.def("merge", [](const TableColumns& self, const TableColumns& later) {
    TableColumns out = self;
    out.merge(later);
    return out;
  });
  c.def("next_reading", [](const TableColumns& self) {
    TableColumns out = self;
    out.end_reading();
    return out;
  });
  c.def_prop_ro("is_complete", &TableColumns::is_complete);
  c.def_prop_ro("encoder", &TableColumns::encoder);
  c.def_prop_ro("many_levels", &TableColumns::many_levels);
  c.def_prop_ro("seed", [](const TableColumns& self) { return self.options().seed; });
  c.def("__getstate__", [](const TableColumns& self) { return to_bytes(self.to_document(), "columns"); });
  c.def("__setstate__", [](TableColumns& self, const nb::bytes& state) {
    new (&self) TableColumns(TableColumns::from_document(from_bytes(state, "columns")));
  });
}

}  // namespace

void bind_encoder(nb::module_& m) {
  bind_table_columns(m);
  nb::class_<Encoder> c(m, "Encoder", "From named columns to numbers, the same way in training and in prediction.");
  c.def_static("fit", &fit_encoder, nb::arg("columns"), nb::arg("targets"), nb::arg("categorical"), nb::arg("missing"),
               nb::arg("many_levels") = "statistics", nb::arg("rare_levels") = nb::none(),
               nb::arg("unseen") = "automatic", nb::arg("weights") = nb::none(), nb::arg("seed") = 0);
  c.def(
      "encode_training",
      [](const Encoder& self, const nb::dict& columns, const nb::object& weights) {
        return to_rows(self.encode_training(table_of(columns), false, vector_of(weights)).x);
      },
      nb::arg("columns"), nb::arg("weights") = nb::none());
  c.def(
      "with_codes",
      [](const Encoder& self, const std::string& input, const Rows& codes) {
        Encoder out = self;
        out.set_codes(input, columns_of(codes));
        return out;
      },
      nb::arg("input"), nb::arg("codes").noconvert());
  c.def("unseen_levels",
        [](const Encoder& self, const nb::dict& columns) { return self.unseen_levels(table_of(columns)); });
  c.def_prop_ro("unseen", [](const Encoder& self) {
    const UnseenLevels how = self.unseen();
    return how == UnseenLevels::automatic ? "automatic" : how == UnseenLevels::error ? "error" : "other";
  });
  c.def_prop_ro("named_inputs", [](const Encoder& self) {
    Names out;  // those that are no numbers, or of levels or dates
    for (const EncodedColumn& column : self.input_columns()) {
      if (!column.is_number() && column.missing_of.empty()) out.push_back(column.name);
    }
    return out;
  });
  c.def("encode_inputs",
        [](const Encoder& self, const nb::dict& columns) { return to_rows(self.encode_inputs(table_of(columns))); });
  c.def("warnings", &Encoder::warnings, nb::arg("rows"));
  c.def("__getstate__", [](const Encoder& self) { return to_bytes(self.to_document(), "encoder"); });
  c.def("__setstate__", [](Encoder& self, const nb::bytes& state) {
    new (&self) Encoder(Encoder::from_document(from_bytes(state, "encoder")));
  });
  c.def_prop_ro("encoded_names", &Encoder::encoded_names);
  c.def_prop_ro("groups", &Encoder::column_of_rows);
  c.def_prop_ro("missing", [](const Encoder& self) {
    if (self.missing() == MissingInputs::error) return "error";
    return self.missing() == MissingInputs::indicator ? "indicator" : "model";
  });
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

}  // namespace condens::python
