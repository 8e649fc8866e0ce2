#pragma once
// How the distribution goes with one input, over rows x_1, ..., x_n:
//
//   partial dependence   PD(v) = (1/n) sum_i f(v, x_i without the input)
//   accumulated          ALE(z_k) = sum_{l <= k} (1/n_l) sum_{i in bin l} (f(z_l, ...) - f(z_{l-1}, ...)) + constant
//   local effects        with edges z_0 < z_1 < ... at quantiles of the input, the constant such that the mean over
//                        the rows is zero
//
// f is a functional of the distribution. Partial dependence asks the model at rows that no one has seen where inputs go
// together; accumulated effects move a row to the ends of its bin only. Averages are by the weights of the rows.
//
// Sources: J. H. Friedman, Greedy function approximation, Ann. Statist. 29, 2001, section 8.2; D. W. Apley and J. Zhu,
// Visualizing the effects of predictor variables in black box supervised learning models, J. Roy. Statist. Soc. B 82,
// 2020, eqs. 15 and 16.

#include <array>
#include <string_view>

#include "condens/core/options.hpp"
#include "condens/inspection/functional.hpp"
#include "condens/inspection/inputs.hpp"

namespace condens {

enum class EffectKind { local, dependence };
template <>
inline constexpr auto choice_names<EffectKind> = std::array<std::string_view, 2>{"local", "dependence"};

struct EffectOptions {
  EffectKind kind = EffectKind::local;  ///< of a category always dependence
  Index points = 20;                    ///< values of the input, or bins, at most
  Index max_rows = 1000;                ///< of more rows so many, drawn at random, take part; 0: all
  Index seed = 0;                       ///< of the draw
};

struct Effect {
  std::string input;
  EffectKind kind;
  std::vector<std::string> levels;  ///< of a category
  Vector grid;                      ///< of a number: its values
  std::vector<Functional> of;
  Vector base;             ///< of each functional its mean over the rows as they are
  Matrix values;           ///< functionals x grid: less the base
  Matrix standard_errors;  ///< of the values; of dependence, of the difference to the mean of the curve
  Index n_rows;
};

/// `y` of the rows, or empty where no functional needs it. Throws std::invalid_argument for shapes that do not fit,
/// options out of range and an input that has one value. Cost: (1 + points) predictions of every row for dependence,
/// three for local effects.
Effect effect(const Inspected& model, const std::vector<Functional>& of, const InspectedInput& input,
              const Dataset& data, const EffectOptions& options = {}, const Run& run = {});

}  // namespace condens
