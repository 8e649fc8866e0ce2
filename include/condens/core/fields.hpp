#pragma once
// A few values of different types in a row, as a std::tuple, which takes three times as long to compile: the tables of
// options and results.

#include <cstddef>
#include <utility>

namespace condens {

namespace detail {

template <std::size_t, class T>
struct Leaf {
  T value;
};

template <class Places, class... T>
struct Leaves;

template <std::size_t... I, class... T>
struct Leaves<std::index_sequence<I...>, T...> : Leaf<I, T>... {
  constexpr explicit Leaves(T... values) : Leaf<I, T>{std::move(values)}... {}

  /// f(first, second, ...)
  template <class F>
  constexpr decltype(auto) apply(F&& f) const {
    return f(static_cast<const Leaf<I, T>&>(*this).value...);
  }
};

}  // namespace detail

template <class... T>
struct Fields : detail::Leaves<std::index_sequence_for<T...>, T...> {
  constexpr explicit Fields(T... values) : detail::Leaves<std::index_sequence_for<T...>, T...>(std::move(values)...) {}

  static constexpr std::size_t size = sizeof...(T);
};

}  // namespace condens
