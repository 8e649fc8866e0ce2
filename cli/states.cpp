#include "states.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "condens/core/errors.hpp"
#include "condens/model/capabilities.hpp"
#include "condens/model/states.hpp"
#include "condens/plot/state_figures.hpp"
#include "console.hpp"
#include "fitted.hpp"
#include "sensitivity.hpp"

namespace condens::cli {

namespace {

constexpr Index most_states = 8;
constexpr std::string_view mean_of = "mean of ";
constexpr std::string_view share_of = "share of ";

/// What a row of the core's x is: "mean of age", or "share of sex=M".
std::vector<std::string> input_labels(const Encoder& encoder) {
  std::vector<std::string> out = encoder.encoded_names();
  const auto groups = encoder.groups();
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const bool levels = encoder.input_columns()[i].is_categorical() && !encoder.input_columns()[i].has_statistics();
    for (const Index row : groups[i]) out[static_cast<std::size_t>(row)].insert(0, levels ? share_of : mean_of);
  }
  return out;
}

/// Rows of the core's x, those whose coefficients differ most between the states first.
std::vector<Index> by_effect(const HasStates& states) {
  const Index d_x = states.state_inputs().rows();
  std::vector<Index> out(static_cast<std::size_t>(d_x));
  std::iota(out.begin(), out.end(), Index{0});
  if (states.coefficients().size() == 0) return out;  // no linear map
  const Matrix effects = states.coefficients().bottomRows(d_x);
  const Vector size = effects.rowwise().maxCoeff() - effects.rowwise().minCoeff();
  std::stable_sort(out.begin(), out.end(), [&](Index a, Index b) { return size[a] > size[b]; });
  return out;
}

/// A row of a table whose columns are the states.
template <class Values>
void add_row(TextRows& rows, const std::string& name, Index shown, const Values& value) {
  rows.push_back({name});
  for (Index j = 0; j < shown; ++j) rows.back().push_back(value(j));
}

std::string headed(const std::string& title, const TextRows& rows, const std::string& rest) {
  return "\n" + title + "\n" + align(rows) + rest;
}

TextRows state_header(const std::string& corner, Index shown) {
  TextRows rows;
  add_row(rows, corner, shown, [](Index j) { return "state " + std::to_string(j + 1); });
  return rows;
}

/// Sizes, and what y and the inputs do in each state.
std::string profile_text(const Model& model, const HasStates& states, Index shown) {
  TextRows rows = state_header("", shown);
  const Vector& sizes = states.state_sizes();
  add_row(rows, "share of the rows", shown, [&](Index j) { return percent(sizes[j] / sizes.sum()); });
  const GaussianMixtures all = states.state_densities();
  const std::vector<std::string> targets = names_of(model.encoder.targets());
  for (std::size_t t = 0; t < targets.size(); ++t) {
    const auto target = static_cast<Index>(t);
    const GaussianMixtures laws = model.density->n_targets() == 1 ? all : all.marginal(target);
    const Matrix std = laws.variance().cwiseSqrt();
    const Matrix quantiles = laws.quantile(Vector{{0.05, 0.5, 0.95}});
    add_row(rows, targets[t] + ": mean", shown, [&](Index j) { return brief(states.state_means()(target, j)); });
    add_row(rows, "  standard deviation", shown, [&](Index j) { return brief(std(0, j)); });
    add_row(rows, "  5 % quantile", shown, [&](Index j) { return brief(quantiles(0, j)); });
    add_row(rows, "  median", shown, [&](Index j) { return brief(quantiles(1, j)); });
    add_row(rows, "  95 % quantile", shown, [&](Index j) { return brief(quantiles(2, j)); });
  }
  const std::vector<std::string> labels = input_labels(model.encoder);
  const std::vector<Index> order = by_effect(states);
  for (std::size_t i = 0; i < std::min(order.size(), most_inputs); ++i) {
    const Index k = order[i];
    add_row(rows, labels[static_cast<std::size_t>(k)], shown,
            [&](Index j) { return brief(states.state_inputs()(k, j)); });
    if (states.state_input_variances().size() == 0 || labels[static_cast<std::size_t>(k)].starts_with(share_of))
      continue;
    add_row(rows, "  standard deviation", shown,
            [&](Index j) { return brief(std::sqrt(states.state_input_variances()(k, j))); });
  }
  return headed("States, by rising mean of " + targets.front() +
                    ": the distribution of a row is the mixture of theirs, with weights that follow its inputs",
                rows, rest_text(order.size(), most_inputs, "inputs"));
}

/// The training row that each state has most of.
std::string representatives_text(const Model& model, const HasStates& states, Index shown) {
  const Matrix& examples = states.state_representatives();
  if (examples.size() == 0 || states.n_states() == 1) return "";
  const Matrix weights = states.state_weights(examples);
  TextRows rows = state_header("", shown);
  add_row(rows, "weight of the state", shown, [&](Index j) { return percent(weights(j, j)); });
  const std::vector<std::string> names = model.encoder.encoded_names();
  const std::vector<Index> order = by_effect(states);
  for (std::size_t i = 0; i < std::min(order.size(), most_inputs); ++i) {
    add_row(rows, names[static_cast<std::size_t>(order[i])], shown,
            [&](Index j) { return brief(examples(order[i], j)); });
  }
  return headed("The training row with the largest weight of each state", rows,
                rest_text(order.size(), most_inputs, "inputs"));
}

/// cell(k, j) of the constant, k = 0, and of the inputs of the largest effects, by state.
template <class Cell>
TextRows rows_of_scores(const Model& model, const HasStates& states, Index shown, const Cell& cell) {
  TextRows rows = state_header("input", shown);
  add_row(rows, "(all inputs at their means)", shown, [&](Index j) { return cell(0, j); });
  const std::vector<std::string> names = model.encoder.encoded_names();
  const std::vector<Index> order = by_effect(states);
  for (std::size_t i = 0; i < std::min(order.size(), most_inputs); ++i) {
    add_row(rows, names[static_cast<std::size_t>(order[i])], shown, [&](Index j) { return cell(order[i] + 1, j); });
  }
  return rows;
}

std::string rest_of_inputs(const HasStates& states) {
  return rest_text(states.state_inputs().rows(), most_inputs, "inputs");
}

constexpr double level_of_intervals = 0.95;

/// From the replicates of a bootstrap; nothing where there are too few of as many states.
std::optional<BootstrapCoefficients> bootstrapped(const Model& model) {
  if (!model.replicates || capability<HasStates>(*model.density)->coefficients().size() == 0) return std::nullopt;
  try {
    return coefficient_intervals(*model.density, *model.replicates, level_of_intervals);
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

/// Intervals of the coefficients by the bootstrap.
std::string bootstrap_text(const Model& model, const HasStates& states, Index shown) {
  if (states.n_states() == 1) return "";
  const std::optional<BootstrapCoefficients> found = bootstrapped(model);
  if (!found) return "";
  const auto cell = [&](Index k, Index j) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.2f to %.2f", found->intervals.lower(k, j), found->intervals.upper(k, j));
    return std::string(text.data());
  };
  const TextRows rows = rows_of_scores(model, states, shown, cell);
  return headed(message("95 % intervals of these, from ", found->matched.size(), " bootstrap replicates"), rows,
                rest_of_inputs(states));
}

/// Coefficients of the scores with their standard errors.
std::string coefficients_text(const Model& model, const HasStates& states, Index shown) {
  const Matrix& coefficients = states.coefficients();
  if (coefficients.size() == 0 || model.density->n_inputs() == 0 || states.n_states() == 1) return "";
  const bool robust = states.robust_standard_errors().size() > 0;
  const Matrix& errors = robust ? states.robust_standard_errors() : states.standard_errors();
  const auto cell = [&](Index k, Index j) {
    std::array<char, 64> text{};
    if (errors.size() == 0)
      std::snprintf(text.data(), text.size(), "%.2f", coefficients(k, j));
    else
      std::snprintf(text.data(), text.size(), "%.2f ± %.2f", coefficients(k, j), errors(k, j));
    return std::string(text.data());
  };
  const TextRows rows = rows_of_scores(model, states, shown, cell);
  const std::string scale =
      model.density->options().at("standardize").as_bool() ? "by one standard deviation" : "by one unit";
  return headed("What leads to each state: the change of its log weight as an input rises " + scale +
                    (errors.size() == 0 ? ""
                     : robust           ? " ± robust standard error"
                                        : " ± standard error"),
                rows, rest_of_inputs(states));
}

}  // namespace

std::string states_text(const Model& model) {
  const auto* states = capability<HasStates>(*model.density);
  if (states == nullptr) return "";
  const Index count = states->n_states();
  const Index shown = std::min(count, most_states);
  std::string out = profile_text(model, *states, shown) + representatives_text(model, *states, shown) +
                    coefficients_text(model, *states, shown) + bootstrap_text(model, *states, shown);
  out += rest_text(static_cast<std::size_t>(count), static_cast<std::size_t>(shown), "states");
  if (count == 1) return out;
  const double bits = std::log2(static_cast<double>(count));
  return out + "\nHow certain the rows are of their states\n" +
         align({{"degrees of freedom", brief(states->degrees_of_freedom()),
                 "between 1 (all rows alike) and " + std::to_string(count) + " (every row in one state)"},
                {"mean entropy, in bits", brief(states->mean_entropy()),
                 "between 0 (certain) and " + brief(bits) + " (undecided)"}},
               3);
}

Document states_document(const Model& model) {
  const auto* states = capability<HasStates>(*model.density);
  if (states == nullptr) return {};
  const auto list = [](const auto& column) { return Document(std::vector<double>(column.begin(), column.end())); };
  const std::optional<BootstrapCoefficients> found = bootstrapped(model);
  Document::Array out;
  for (Index j = 0; j < states->n_states(); ++j) {
    Document state = Document::Object{{"state", j + 1},
                                      {"share", states->state_sizes()[j] / states->state_sizes().sum()},
                                      {"mean", list(states->state_means().col(j))},
                                      {"level", list(states->state_levels().col(j))},
                                      {"inputs", list(states->state_inputs().col(j))}};
    const auto set_if_any = [&](const char* name, const Matrix& numbers) {
      if (numbers.size() > 0) state.set(name, list(numbers.col(j)));
    };
    set_if_any("input_variances", states->state_input_variances());
    set_if_any("representative", states->state_representatives());
    set_if_any("coefficients", states->coefficients());
    set_if_any("standard_errors", states->standard_errors());
    set_if_any("robust_standard_errors", states->robust_standard_errors());
    if (found) {
      set_if_any("bootstrap_standard_errors", found->standard_errors);
      set_if_any("bootstrap_lower", found->intervals.lower);
      set_if_any("bootstrap_upper", found->intervals.upper);
    }
    out.push_back(std::move(state));
  }
  return Document(std::move(out));
}

std::string states_figure(const FigureRequest& request, Index target, const Run& run) {
  const EncodedColumn& column = request.model.encoder.targets()[static_cast<std::size_t>(target)];
  return plot::state_densities(*request.model.density, plot_names(request.model), target, run,
                               plot::Extent{column.low, column.high});
}

std::string weights_figure(const FigureRequest& request) {
  const Model& model = request.model;
  const std::vector<EncodedColumn>& columns = model.encoder.input_columns();
  require(!columns.empty(), "--figure weights: the model has no inputs");
  std::size_t input = static_cast<std::size_t>(request.input.value_or(0));
  if (!request.input) {  // the most influential input of numbers
    for (const Influence& influence : influences(model)) {
      const auto found = std::find_if(columns.begin(), columns.end(),
                                      [&](const EncodedColumn& column) { return column.name == influence.input; });
      if (!found->is_number()) continue;
      input = static_cast<std::size_t>(std::distance(columns.begin(), found));
      break;
    }
  }
  const EncodedColumn& column = columns[input];
  require(column.is_number(), "--figure weights: ", column.name,
          " is categorical, expected an input of numbers; give one by --x");
  const bool constant = column.low == column.high;
  return plot::state_weights(*model.density,
                             {.input = model.encoder.groups()[input].front(),
                              .range = {column.low - (constant ? 0.5 : 0.0), column.high + (constant ? 0.5 : 0.0)},
                              .at = inputs_at(model.encoder, request.at)},
                             plot_names(model));
}

std::string simplex_figure(const FigureRequest& request, Index target) {
  return plot::state_simplex(*request.model.density, *request.data, plot_names(request.model), {.target = target});
}

std::string transitions_figure(const FigureRequest& request) {
  return plot::state_transitions(*request.model.density, *request.data);
}

std::string smoothing_figure(const FigureRequest& request, Index target, const Run& run) {
  return plot::smoothing_matrix(*request.model.density, *request.data, plot_names(request.model),
                                {.target = target, .max_points = 400}, run);
}

}  // namespace condens::cli
