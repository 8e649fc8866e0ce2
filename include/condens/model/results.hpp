#pragma once
// What a fitted model found, named once: a table per model class lists every part of its state
// (model/fitted_model.hpp) and every quantity that follows from it, with the accessor that returns it, its meaning in a
// sentence and, of what is no single number, its shape as an array. Fitted attributes of other languages and their
// documentation read that table.
//
//   template <> inline constexpr auto result_table<Parzen> = Fields{
//       ResultField{"kernel_weights", &Parzen::kernel_weights, "Weights ...", line("n_kernels")}, ...};

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "condens/core/document.hpp"
#include "condens/core/fields.hpp"
#include "condens/core/types.hpp"

namespace condens {

/// How the numbers of a result become an array of a language that has an observation a row, as NumPy: always of the
/// same number of axes, whatever their lengths.
struct ResultShape {
  enum class Kind {
    single,   ///< a number or a text
    line,     ///< a vector
    columns,  ///< a matrix with an item a column, which is a row of the array
    rows,     ///< a matrix as the formulas write it: its rows are those of the array
    squares   ///< a matrix each of whose columns holds a square matrix: an array of three axes
  };
  Kind kind = Kind::single;
  std::string_view first = "";   ///< length of the first axis of the array
  std::string_view second = "";  ///< and of the others

  /// "(n_centers, n_features)"; empty for a number or text.
  std::string text() const;
};
constexpr ResultShape line(std::string_view length) { return {ResultShape::Kind::line, length}; }
constexpr ResultShape items(std::string_view count, std::string_view numbers) {
  return {ResultShape::Kind::columns, count, numbers};
}
constexpr ResultShape as_written(std::string_view rows, std::string_view columns) {
  return {ResultShape::Kind::rows, rows, columns};
}
constexpr ResultShape squares(std::string_view count, std::string_view size) {
  return {ResultShape::Kind::squares, count, size};
}

template <class Model, class T>
struct ResultField {
  std::string_view name;
  T (Model::*get)() const;
  std::string_view text;  ///< one sentence for the user
  ResultShape shape = {};
};
template <class Model, class T>
ResultField(const char*, T (Model::*)() const, const char*) -> ResultField<Model, T>;
template <class Model, class T>
ResultField(const char*, T (Model::*)() const, const char*, ResultShape) -> ResultField<Model, T>;

template <class Model>
inline constexpr auto result_table = Fields{};

struct ResultInfo {
  std::string name;
  std::string text;
  ResultShape shape = {};
};

namespace detail {

/// Whether a type can have the shape.
template <class T>
constexpr bool has_shape(const ResultShape& shape) {
  using Plain = std::remove_cvref_t<T>;
  if constexpr (std::is_same_v<Plain, Matrix>) {
    return shape.kind > ResultShape::Kind::line;
  } else {
    const bool several = std::is_same_v<Plain, Vector> || std::is_same_v<Plain, std::vector<double>> ||
                         std::is_same_v<Plain, std::vector<std::string>>;
    return (shape.kind == ResultShape::Kind::line) == several && shape.kind <= ResultShape::Kind::line;
  }
}

template <class Owner, class T>
constexpr bool fits(T (Owner::*)() const, const ResultShape& shape) {
  return has_shape<T>(shape);
}
template <class Owner, class T>
constexpr bool fits(T Owner::*, const ResultShape& shape) {
  return has_shape<T>(shape);
}

template <class Field>
constexpr bool fits(const Field& field) {
  if constexpr (requires { field.get; })
    return fits(field.get, field.shape);
  else
    return field.text.empty() || fits(field.member, field.shape);
}

/// A quantity of the model as users see it: what an accessor returns, or a part of the state on its scale.
template <class Model, class Field>
auto value_of(const Model& model, const Field& field) {
  if constexpr (requires { field.get; }) {
    return std::remove_cvref_t<decltype((model.*field.get)())>((model.*field.get)());
  } else {
    using Part = std::remove_cvref_t<decltype(model.state().*field.member)>;
    Part out = model.state().*field.member;
    if constexpr (std::is_same_v<Part, Matrix>) {
      using Scale = decltype(field.scale);
      if (field.scale == Scale::x) out = model.x_scale().inverse_transform(out);
      if (field.scale == Scale::y) out = model.y_scale().inverse_transform(out);
    }
    return out;
  }
}

template <class Field>
constexpr std::string_view name_of_result(const Field& field) {
  if constexpr (requires { field.result; }) {
    if (!field.result.empty()) return field.result;
  }
  return field.name;
}

}  // namespace detail

/// The table as data, in its order; parts of the state without a text are nobody's business.
template <class Model>
std::vector<ResultInfo> describe_results() {
  static_assert(result_table<Model>.apply([](const auto&... field) { return (detail::fits(field) && ...); }));
  std::vector<ResultInfo> out;
  const auto add = [&](const auto& field) {
    if (!field.text.empty()) {
      out.push_back({std::string(detail::name_of_result(field)), std::string(field.text), field.shape});
    }
  };
  result_table<Model>.apply([&](const auto&... field) { (add(field), ...); });
  return out;
}

/// Every result with its value.
template <class Model>
Document results_to_document(const Model& model) {
  Document out(Document::Object{});
  const auto add = [&](const auto& field) {
    if (!field.text.empty()) {
      const auto value = detail::value_of(model, field);
      if constexpr (requires { Document(value); }) out.set(detail::name_of_result(field), Document(value));
    }
  };
  result_table<Model>.apply([&](const auto&... field) { (add(field), ...); });
  return out;
}

}  // namespace condens
