#pragma once
// What a fitted model found, named once: a table per model class lists every
// estimated quantity, the accessor that returns it, its meaning in a sentence and, of
// what is no single number, its shape as an array. Fitted attributes of other languages
// and their documentation read that table.
//
//   template <> inline constexpr auto result_table<Lscde> = Fields{
//       ResultField{"kernel_weights", &Lscde::coefficients, "Weights ...", line("n_centers")}, ...};

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

  /// Whether the shape is one that the type can have.
  constexpr bool fits() const {
    using Plain = std::remove_cvref_t<T>;
    if constexpr (std::is_same_v<Plain, Matrix>) {
      return shape.kind > ResultShape::Kind::line;
    } else {
      const bool several = std::is_same_v<Plain, Vector> || std::is_same_v<Plain, std::vector<double>> ||
                           std::is_same_v<Plain, std::vector<std::string>>;
      return (shape.kind == ResultShape::Kind::line) == several && shape.kind <= ResultShape::Kind::line;
    }
  }
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

/// The table as data, in its order.
template <class Model>
std::vector<ResultInfo> describe_results() {
  static_assert(result_table<Model>.apply([](const auto&... field) { return (field.fits() && ...); }));
  std::vector<ResultInfo> out;
  const auto add = [&](const auto& field) {
    out.push_back({std::string(field.name), std::string(field.text), field.shape});
  };
  result_table<Model>.apply([&](const auto&... field) { (add(field), ...); });
  return out;
}

/// Every result with its value.
template <class Model>
Document results_to_document(const Model& model) {
  Document out(Document::Object{});
  result_table<Model>.apply([&](const auto&... field) { (out.set(field.name, Document((model.*field.get)())), ...); });
  return out;
}

}  // namespace condens
