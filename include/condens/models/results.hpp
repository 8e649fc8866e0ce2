#pragma once
// What a fitted model found, named once: a table per model class lists every
// estimated quantity, the accessor that returns it, and its meaning in a sentence.
// Fitted attributes of other languages and their documentation read that table.
//
//   template <> inline constexpr auto result_table<Lscde> = std::tuple{
//       ResultField{"coef", &Lscde::coefficients, "Coefficients ..."}, ...};

#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "condens/core/document.hpp"

namespace condens {

template <class Model, class T>
struct ResultField {
  std::string_view name;
  T (Model::*get)() const;
  std::string_view text;  ///< one sentence for the user
};
template <class Model, class T>
ResultField(const char*, T (Model::*)() const, const char*) -> ResultField<Model, T>;

template <class Model>
inline constexpr auto result_table = std::tuple{};

struct ResultInfo {
  std::string name;
  std::string text;
};

/// The table as data, in its order.
template <class Model>
std::vector<ResultInfo> describe_results() {
  std::vector<ResultInfo> out;
  const auto add = [&](const auto& field) { out.push_back({std::string(field.name), std::string(field.text)}); };
  std::apply([&](const auto&... field) { (add(field), ...); }, result_table<Model>);
  return out;
}

/// Every result with its value.
template <class Model>
Document results_to_document(const Model& model) {
  Document out(Document::Object{});
  std::apply([&](const auto&... field) { (out.set(field.name, Document((model.*field.get)())), ...); },
             result_table<Model>);
  return out;
}

}  // namespace condens
