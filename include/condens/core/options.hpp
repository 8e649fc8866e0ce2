#pragma once
// Options are plain aggregates with defaults, and one table per struct names
// every field, its bounds and its meaning in a sentence. Validation, model
// files, command-line flags, Python keywords and documentation read that table;
// nothing types an option twice.
//
// A struct takes part by specialising option_table:
//
//   template <> inline constexpr auto option_table<LscdeOptions> = Fields{
//       OptionField{"cv", &LscdeOptions::cv, at_least(2), "number of folds ..."}, ...};
//
// Field types: bool, Index, double, std::string, std::vector<double>, std::vector<std::string>,
// Matrix, enums that specialise choice_names, and options of another model: a struct that has a table itself
// (then messages name it, too), or, where that model is not known before a user names it,
// a Document that holds what the user set.

#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "condens/core/document.hpp"
#include "condens/core/errors.hpp"
#include "condens/core/fields.hpp"
#include "condens/core/types.hpp"

namespace condens {

// Every option has ends, be they far: of numbers beyond 1e100 the squares of squares are no numbers, and whole
// numbers beyond 1e15 may not be exact.
inline constexpr double largest_number = 1e100;
inline constexpr double smallest_positive = 1e-100;
inline constexpr double largest_count = 1e15;

/// Interval that a number must lie in.
struct Bounds {
  double low = -largest_number;
  double high = largest_number;
  bool low_open = false;
  bool high_open = false;
  bool whole = false;                       ///< whole numbers only
  bool distinct = false;                    ///< of a list: no number comes twice
  bool filled = false;                      ///< of a list: it has a number at least
  std::string_view expected_of_empty = "";  ///< what a message says of one that has none, where this is not the bounds

  constexpr bool contain(double value) const {
    return (low_open ? value > low : value >= low) && (high_open ? value < high : value <= high) &&
           (!whole || static_cast<double>(static_cast<long long>(value)) == value);
  }
};
constexpr Bounds at_least(double low) { return {.low = low}; }
constexpr Bounds positive() { return {.low = smallest_positive}; }
constexpr Bounds within(double low, double high) { return {.low = low, .high = high}; }
constexpr Bounds below(double low, double high) { return {.low = low, .high = high, .high_open = true}; }
constexpr Bounds anything() { return {}; }
/// Of a list whose numbers are compared with each other, or that would do the same work twice.
constexpr Bounds distinct(Bounds bounds) {
  bounds.distinct = true;
  return bounds;
}
/// Of a list that must have a number.
constexpr Bounds filled(Bounds bounds, std::string_view expected = "") {
  bounds.filled = true;
  bounds.expected_of_empty = expected;
  return bounds;
}

/// Whole numbers. The far end by itself is for seeds, and for limits that the rows or the end of a search undercut
/// whatever they are: nothing is made in that number.
constexpr Bounds whole(double low, double high = largest_count) { return {.low = low, .high = high, .whole = true}; }

// Ends for what is made or done in that number.
inline constexpr double most_runs = 10'000;      ///< starts, resamples, repeats: each is a search or a fit of its own
inline constexpr double most_updates = 1e7;      ///< steps that all are taken, cheap ones: minutes
inline constexpr double most_components = 1000;  ///< of one law: beyond, a row of predictions costs a page of memory
inline constexpr double most_units = 1024;       ///< of a layer: it has their square in weights

/// The bounds without the far ends, which are told to those only who meet them.
Bounds as_told(Bounds bounds);

/// "> 0", "in [0, 1)", ">= 2", as told; empty where everything is allowed.
std::string to_string(const Bounds& bounds);

/// The names of an enum's values, in order: specialise for each option enum.
template <class Enum>
inline constexpr auto choice_names = std::array<std::string_view, 0>{};

template <class Options, class T>
struct OptionField {
  std::string_view name;
  T Options::*member;
  Bounds bounds;
  std::string_view text;  ///< one sentence for the user
};
template <class Options, class T>
OptionField(const char*, T Options::*, Bounds, const char*) -> OptionField<Options, T>;

template <class Options>
inline constexpr auto option_table = Fields{};

/// Of an option `cv`.
constexpr Bounds fold_numbers() { return filled(whole(0), "a number of folds or the fold of every row"); }

/// The option `cv` of models that choose by folds.
template <class Options>
constexpr OptionField<Options, std::vector<double>> folds_field(std::vector<double> Options::*member) {
  return {"cv", member, fold_numbers(), "Number of folds (at least 2), or the fold number of every row."};
}

/// Throws std::invalid_argument where a number comes twice: for lists of which only the model knows whether their
/// numbers are candidates.
void require_distinct(std::string_view owner, std::string_view name, std::vector<double> values);

/// What a door needs to know about one option.
struct OptionInfo {
  std::string name;
  std::string type;  ///< "boolean", "integer", "number", "text", "texts", "numbers", "matrix", "choice" or "options"
  Bounds bounds;
  std::vector<std::string> choices;
  std::string text;
  std::vector<OptionInfo> options = {};  ///< of type "options": those of the struct; a Document has none
};

/// The table as data, in its order.
template <class Options>
std::vector<OptionInfo> describe_options();

/// Every option with its value.
template <class Options>
Document options_to_document(const Options& options);

/// Overwrites the options that `values` names. `owner` (the model's name) begins
/// every message. Throws std::invalid_argument for an unknown name, a wrong type
/// or a value out of bounds.
template <class Options>
void set_options(Options& options, std::string_view owner, const Document& values);

namespace detail {

[[noreturn]] void bad_option(std::string_view owner, std::string_view name, const std::string& value,
                             const std::string& expected);
std::string to_text(const Document& value);
Document number_list(const std::vector<double>& values);
bool read_bool(std::string_view owner, const OptionInfo& info, const Document& value);
Index read_integer(std::string_view owner, const OptionInfo& info, const Document& value);
double read_number(std::string_view owner, const OptionInfo& info, const Document& value);
std::vector<double> read_numbers(std::string_view owner, const OptionInfo& info, const Document& value);
std::string read_text(std::string_view owner, const OptionInfo& info, const Document& value);
std::vector<std::string> read_texts(std::string_view owner, const OptionInfo& info, const Document& value);
Matrix read_matrix(std::string_view owner, const OptionInfo& info, const Document& value);
Document read_options(std::string_view owner, const OptionInfo& info, const Document& value);
int read_choice(std::string_view owner, const OptionInfo& info, const Document& value);

/// A struct of options inside another.
template <class T>
inline constexpr bool is_options = std::remove_cvref_t<decltype(option_table<T>)>::size > 0;

template <class T>
constexpr std::string_view type_name() {
  if constexpr (std::is_same_v<T, bool>) return "boolean";
  if constexpr (std::is_same_v<T, Index>) return "integer";
  if constexpr (std::is_same_v<T, double>) return "number";
  if constexpr (std::is_same_v<T, std::vector<double>>) return "numbers";
  if constexpr (std::is_same_v<T, std::string>) return "text";
  if constexpr (std::is_same_v<T, std::vector<std::string>>) return "texts";
  if constexpr (std::is_same_v<T, Matrix>) return "matrix";
  if constexpr (std::is_same_v<T, Document> || is_options<T>) return "options";
  return "choice";
}

/// Overwrites `out`; of options inside, those that `value` names.
template <class T>
void read_option(std::string_view owner, const OptionInfo& info, const Document& value, T& out) {
  if constexpr (is_options<T>)
    set_options(out, message(owner, ": ", info.name), read_options(owner, info, value));
  else if constexpr (std::is_same_v<T, Document>)
    out = read_options(owner, info, value);
  else if constexpr (std::is_same_v<T, bool>)
    out = read_bool(owner, info, value);
  else if constexpr (std::is_same_v<T, Index>)
    out = read_integer(owner, info, value);
  else if constexpr (std::is_same_v<T, double>)
    out = read_number(owner, info, value);
  else if constexpr (std::is_same_v<T, std::string>)
    out = read_text(owner, info, value);
  else if constexpr (std::is_same_v<T, std::vector<std::string>>)
    out = read_texts(owner, info, value);
  else if constexpr (std::is_same_v<T, std::vector<double>>)
    out = read_numbers(owner, info, value);
  else if constexpr (std::is_same_v<T, Matrix>)
    out = read_matrix(owner, info, value);
  else
    out = static_cast<T>(read_choice(owner, info, value));
}

template <class T>
Document write_option(const T& value) {
  if constexpr (is_options<T>)
    return options_to_document(value);
  else if constexpr (std::is_same_v<T, std::vector<double>>)
    return number_list(value);
  else if constexpr (std::is_enum_v<T>)
    return choice_names<T>[static_cast<std::size_t>(value)];
  else
    return Document(value);
}

/// What is done with the options of one C++ type, wherever such a value stands.
struct OptionType {
  std::string_view name;  ///< as in OptionInfo
  std::span<const std::string_view> choices;
  std::vector<OptionInfo> (*options)();  ///< of a struct of options, else null
  void (*read)(std::string_view owner, const OptionInfo& info, const Document& from, void* to);
  Document (*write)(const void* from);
};

template <class T>
constexpr std::span<const std::string_view> choices_of() {
  if constexpr (std::is_enum_v<T>) return choice_names<T>;
  return {};
}

template <class T>
constexpr auto options_inside() -> std::vector<OptionInfo> (*)() {
  if constexpr (is_options<T>) return &describe_options<T>;
  return nullptr;
}

template <class T>
inline constexpr OptionType option_type = {type_name<T>(), choices_of<T>(), options_inside<T>(),
                                           [](std::string_view owner, const OptionInfo& info, const Document& from,
                                              void* to) { read_option(owner, info, from, *static_cast<T*>(to)); },
                                           [](const void* from) { return write_option(*static_cast<const T*>(from)); }};

/// A field of the table and its value in one struct. The types of both are forgotten, so that what follows is compiled
/// once for all models.
struct PlacedOption {
  std::string_view name;
  const Bounds* bounds;
  std::string_view text;
  const OptionType* type;
  void* value;
};

/// In the order of the table.
template <class Options>
auto placed_options(Options& options) {
  return option_table<Options>.apply([&]<class... T>(const OptionField<Options, T>&... field) {
    return std::array<PlacedOption, sizeof...(T)>{
        PlacedOption{field.name, &field.bounds, field.text, &option_type<T>, &(options.*field.member)}...};
  });
}

std::vector<OptionInfo> describe_options(std::span<const PlacedOption> options);
Document options_to_document(std::span<const PlacedOption> options);
void set_options(std::span<const PlacedOption> options, std::string_view owner, const Document& values);
void validate_options(std::span<const PlacedOption> options, std::string_view owner);

}  // namespace detail

/// Throws std::invalid_argument that lists the options there are, and the nearest, for an unknown name.
const OptionInfo& find_option(std::string_view owner, const std::vector<OptionInfo>& options, std::string_view name);

template <class Options>
std::vector<OptionInfo> describe_options() {
  Options defaults;
  return detail::describe_options(detail::placed_options(defaults));
}

template <class Options>
Document options_to_document(const Options& options) {
  Options copy = options;
  return detail::options_to_document(detail::placed_options(copy));
}

template <class Options>
void set_options(Options& options, std::string_view owner, const Document& values) {
  detail::set_options(detail::placed_options(options), owner, values);
}

/// Checks every field against its bounds; for options set in C++.
template <class Options>
void validate_options(const Options& options, std::string_view owner) {
  Options copy = options;
  detail::validate_options(detail::placed_options(copy), owner);
}

/// Checks values by a table that is known as data only, as set_options does, and nothing else. Throws
/// std::invalid_argument.
void check_options(std::string_view owner, const std::vector<OptionInfo>& options, const Document& values);

/// What a user types for an option: "0.5", "0.1,0.2", "lscde,nw", "true", "kmeans++", and
/// for a matrix rows "1,2;3,4"; options are typed one by one. Throws std::invalid_argument.
Document parse_option(std::string_view owner, const OptionInfo& info, std::string_view text);

}  // namespace condens
