#pragma once
// A fitted model that is data: its options, its state and what follows from them. The state is an aggregate, and the
// model's table of results names every part of it once; saving, loading with its checks, and the attributes of other
// languages read that table.
//
//   struct LscdeState {
//     double bandwidth;   // in x, standardised scale
//     Matrix centers_x;   // d_x x b, standardised
//     ...
//   };
//   class Lscde final : public FittedModel<Lscde, LscdeOptions, LscdeState> { ... };
//   template <>
//   inline constexpr auto result_table<Lscde> = Fields{
//       StateField{"bandwidth", &LscdeState::bandwidth, "Gaussian width in x that was used."}.positive(),
//       StateField{"centers_x", &LscdeState::centers_x, "Inputs of the centres.", items("n_centers", "n_inputs")}
//           .on(Scale::x), ...};

#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "condens/core/document.hpp"
#include "condens/core/options.hpp"
#include "condens/model/conditional_density.hpp"
#include "condens/model/inner_model.hpp"
#include "condens/model/kernel_mixture.hpp"
#include "condens/model/results.hpp"

namespace condens {

/// What the numbers of a part of the state must be.
enum class Values { finite, positive, not_negative };

/// The scale on which a user sees a part of the state: as it is, or that of the data.
enum class Scale { as_it_is, x, y };

/// A part of the state. T is double, Index, Vector, Matrix, a type with `to_document` and
/// `from_document(document, n_inputs)`, or a std::vector of such.
template <class State, class T>
struct StateField {
  std::string_view name;  ///< in model files
  T State::*member;
  std::string_view text = "";  ///< one sentence for the user; empty: the part is no result
  ResultShape shape = {};      ///< axes of one name have one length
  Values values = Values::finite;
  Scale scale = Scale::as_it_is;
  bool may_be_empty = false;
  std::string_view result = "";  ///< its name as a result, where it has another one there

  constexpr StateField positive() const {
    return with([](StateField& own) { own.values = Values::positive; });
  }
  constexpr StateField not_negative() const {
    return with([](StateField& own) { own.values = Values::not_negative; });
  }
  constexpr StateField on(Scale of_data) const {
    return with([&](StateField& own) { own.scale = of_data; });
  }
  constexpr StateField or_empty() const {
    return with([](StateField& own) { own.may_be_empty = true; });
  }
  /// Users know it by another name than files.
  constexpr StateField as(std::string_view name_of_result) const {
    return with([&](StateField& own) { own.result = name_of_result; });
  }

 private:
  template <class Change>
  constexpr StateField with(const Change& change) const {
    StateField out = *this;
    change(out);
    return out;
  }
};
template <class State, class T>
StateField(const char*, T State::*) -> StateField<State, T>;
template <class State, class T>
StateField(const char*, T State::*, const char*) -> StateField<State, T>;
template <class State, class T>
StateField(const char*, T State::*, const char*, ResultShape) -> StateField<State, T>;

namespace detail {

/// Checks the parts of a state as they are read: axes of one name have one length, at least 1 but for n_inputs.
class StateChecks {
 public:
  StateChecks(std::string_view owner, Index n_inputs, Index n_targets);

  // Throw FormatError that names the part, what it is and what was expected.
  void check(std::string_view name, const ResultShape& shape, Values values, bool may_be_empty, const MatrixView& part);
  void check(std::string_view name, Values values, double number) const;
  /// A part that is the length of the axes of its name.
  void count(std::string_view name, Values values, Index number);

 private:
  void check_axis(std::string_view name, std::string_view axis, Index length);
  std::string_view owner_;
  std::vector<std::pair<std::string_view, Index>> axes_;
};

template <class T>
inline constexpr bool is_list = false;
template <class T>
inline constexpr bool is_list<std::vector<T>> = true;

template <class T>
T read_part(const Document& document, Index n_inputs) {
  if constexpr (is_list<T>) {
    T out;
    for (const Document& own : document.as_array()) out.push_back(read_part<typename T::value_type>(own, n_inputs));
    return out;
  } else if constexpr (std::is_same_v<T, double>)
    return document.as_number();
  else if constexpr (std::is_same_v<T, Index>)
    return document.as_integer();
  else if constexpr (std::is_same_v<T, Vector>)
    return document.as_vector();
  else if constexpr (std::is_same_v<T, Matrix>)
    return document.as_matrix();
  else
    return T::from_document(document, n_inputs);
}

template <class T>
Document write_part(const T& part) {
  if constexpr (is_list<T>) {
    Document::Array out;
    for (const auto& own : part) out.push_back(write_part(own));
    return out;
  } else if constexpr (requires { part.to_document(); })
    return part.to_document();
  else
    return Document(part);
}

template <class Model, class State>
void write_state(const State& state, Document& out) {
  const auto write = [&](const auto& own) {
    if constexpr (requires { state.*own.member; }) out.set(own.name, write_part(state.*own.member));
  };
  result_table<Model>.apply([&](const auto&... field) { (write(field), ...); });
}

template <class Model, class State, class Options>
State read_state(const Document& document, const Options& options, Index n_inputs, Index n_targets) {
  State state;
  StateChecks checks(Model::class_name, n_inputs, n_targets);
  const auto read = [&](const auto& own) {
    if constexpr (requires { state.*own.member; }) {
      if (own.may_be_empty && document.find(own.name) == nullptr) return;  // a part that older files lack
      auto& part = state.*own.member;
      using Part = std::remove_cvref_t<decltype(part)>;
      part = read_part<Part>(document.at(own.name), n_inputs);
      if constexpr (std::is_same_v<Part, Vector> || std::is_same_v<Part, Matrix>)
        checks.check(own.name, own.shape, own.values, own.may_be_empty, part);
      else if constexpr (std::is_same_v<Part, double>)
        checks.check(own.name, own.values, part);
      else if constexpr (std::is_same_v<Part, Index>)
        checks.count(own.name, own.values, part);
    }
  };
  result_table<Model>.apply([&](const auto&... field) { (read(field), ...); });
  if constexpr (requires { state.defensive; })
    state.defensive = Defensive::read(document, options.defensive_weight, n_targets);
  return state;
}

}  // namespace detail

/// `Model` has a private constructor from (options, state, x_scale, y_scale, report), of which this is a friend;
/// `class_name`, with which messages begin; and, where shapes and values of the parts are not all that must hold,
/// `static void check(const Options&, const State&)`, which throws FormatError.
template <class Model, class Options, class State>
class FittedModel : public ConditionalDensity {
 public:
  /// What the fit found, on the standardised scale.
  const State& state() const { return state_; }

  Document options() const override { return options_to_document(options_); }
  Document to_document() const override;

  /// Throws FormatError where the parts do not fit together.
  static Model from_document(const Document& document);

 protected:
  FittedModel(Options options, State state, Standardizer x_scale, Standardizer y_scale, FitReport report)
      : ConditionalDensity(std::move(x_scale), std::move(y_scale), std::move(report)),
        options_(std::move(options)),
        state_(std::move(state)) {}

  Options options_;
  State state_;
};

template <class Model, class Options, class State>
Document FittedModel<Model, Options, State>::to_document() const {
  Document out = Document::Object{
      {"options", options()}, {"x_scale", x_scale().to_document()}, {"y_scale", y_scale().to_document()}};
  detail::write_state<Model>(state_, out);
  out.set("report", report().to_document());
  if constexpr (requires { state_.defensive; }) state_.defensive.write(out);
  return out;
}

template <class Model, class Options, class State>
Model FittedModel<Model, Options, State>::from_document(const Document& document) {
  Options options;
  set_options(options, Model::class_name, document.at("options"));
  Standardizer x_scale = Standardizer::from_document(document.at("x_scale"));
  Standardizer y_scale = Standardizer::from_document(document.at("y_scale"));
  State state = detail::read_state<Model, State>(document, options, x_scale.dimension(), y_scale.dimension());
  if constexpr (requires { Model::check(options, state); }) Model::check(options, state);
  return Model(std::move(options), std::move(state), std::move(x_scale), std::move(y_scale),
               FitReport::from_document(document.at("report")));
}

/// The same for a method around other models. `Base` is what holds them (ProjectedDensity, SubsetDensity,
/// PooledDensity, ResidualDensity): it has `Parts` with `n_inputs()` and `n_targets()`, a constructor from parts and
/// report, `write(document)` and `read(document, load)`. `Model` has a private constructor from (options, state, parts,
/// report).
template <class Model, class Options, class State, class Base>
class FittedWrapper : public Base {
 public:
  /// What the fit found beside the models inside.
  const State& state() const { return state_; }

  Document options() const override { return options_to_document(options_); }
  Document to_document() const override;

  /// `load` makes the models inside. Throws FormatError where the parts do not fit together.
  static Model from_document(const Document& document, const InnerLoader& load);

 protected:
  FittedWrapper(Options options, State state, typename Base::Parts parts, FitReport report)
      : Base(std::move(parts), std::move(report)), options_(std::move(options)), state_(std::move(state)) {}

  Options options_;
  State state_;
};

/// Of a method that found nothing beside the models inside.
struct NoState {};

template <class Model, class Options, class State, class Base>
Document FittedWrapper<Model, Options, State, Base>::to_document() const {
  Document out;
  out.set("options", options());
  detail::write_state<Model>(state_, out);
  this->write(out);
  if constexpr (requires { state_.defensive; }) state_.defensive.write(out);
  return out.set("report", this->report().to_document());
}

template <class Model, class Options, class State, class Base>
Model FittedWrapper<Model, Options, State, Base>::from_document(const Document& document, const InnerLoader& load) {
  Options options;
  set_options(options, Model::class_name, document.at("options"));
  typename Base::Parts parts = Base::read(document, load);
  State state = detail::read_state<Model, State>(document, options, parts.n_inputs(), parts.n_targets());
  return Model(std::move(options), std::move(state), std::move(parts), FitReport::from_document(document.at("report")));
}

}  // namespace condens
