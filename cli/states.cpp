#include "states.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "condens/core/errors.hpp"
#include "condens/plot/state_figures.hpp"
#include "console.hpp"
#include "fitted.hpp"
#include "sensitivity.hpp"

namespace condens::cli {

namespace {

constexpr Index most_states = 8;

/// What a row of the core's x is: "mean of age", or "share of sex=M".
std::vector<std::string> input_labels(const Encoder& encoder) {
  std::vector<std::string> out = encoder.encoded_names();
  const auto groups = encoder.groups();
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const char* what = encoder.input_columns()[i].is_categorical() ? "share of " : "mean of ";
    for (const Index row : groups[i]) out[static_cast<std::size_t>(row)].insert(0, what);
  }
  return out;
}

/// Rows of the core's x, those whose coefficients differ most between the states first.
std::vector<Index> by_effect(const Press& model) {
  std::vector<Index> out(static_cast<std::size_t>(model.n_inputs()));
  std::iota(out.begin(), out.end(), Index{0});
  if (model.coefficients().size() == 0) return out;  // hidden layers
  const Matrix effects = model.coefficients().bottomRows(model.n_inputs());
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
std::string profile_text(const Model& model, const Press& press, Index shown) {
  TextRows rows = state_header("", shown);
  const Vector& sizes = press.state_sizes();
  add_row(rows, "share of the rows", shown, [&](Index j) { return percent(sizes[j] / sizes.sum()); });
  const GaussianMixtures all = press.state_densities();
  const std::vector<std::string> targets = names_of(model.encoder.targets());
  for (std::size_t t = 0; t < targets.size(); ++t) {
    const auto target = static_cast<Index>(t);
    const GaussianMixtures laws = press.n_targets() == 1 ? all : all.marginal(target);
    const Matrix std = laws.variance().cwiseSqrt();
    const Matrix quantiles = laws.quantile(Vector{{0.05, 0.5, 0.95}});
    add_row(rows, targets[t] + ": mean", shown, [&](Index j) { return brief(press.state_means()(target, j)); });
    add_row(rows, "  standard deviation", shown, [&](Index j) { return brief(std(0, j)); });
    add_row(rows, "  5 % quantile", shown, [&](Index j) { return brief(quantiles(0, j)); });
    add_row(rows, "  median", shown, [&](Index j) { return brief(quantiles(1, j)); });
    add_row(rows, "  95 % quantile", shown, [&](Index j) { return brief(quantiles(2, j)); });
  }
  const std::vector<std::string> labels = input_labels(model.encoder);
  const std::vector<Index> order = by_effect(press);
  for (std::size_t i = 0; i < std::min(order.size(), most_inputs); ++i) {
    const Index k = order[i];
    add_row(rows, labels[static_cast<std::size_t>(k)], shown,
            [&](Index j) { return brief(press.state_inputs()(k, j)); });
  }
  return headed("States, by rising mean of " + targets.front() +
                    ": the distribution of a row is the mixture of theirs, with weights that follow its inputs",
                rows, rest_text(order.size(), most_inputs, "inputs"));
}

/// Coefficients of the scores with their standard errors.
std::string coefficients_text(const Model& model, const Press& press, Index shown) {
  const Matrix& coefficients = press.coefficients();
  if (coefficients.size() == 0 || press.n_inputs() == 0 || press.n_states() == 1) return "";
  const Matrix& errors = press.standard_errors();
  const auto cell = [&](Index k, Index j) {
    std::array<char, 64> text{};
    if (errors.size() == 0)
      std::snprintf(text.data(), text.size(), "%.2f", coefficients(k, j));
    else
      std::snprintf(text.data(), text.size(), "%.2f ± %.2f", coefficients(k, j), errors(k, j));
    return std::string(text.data());
  };
  TextRows rows = state_header("input", shown);
  add_row(rows, "(all inputs at their means)", shown, [&](Index j) { return cell(0, j); });
  const std::vector<std::string> names = model.encoder.encoded_names();
  const std::vector<Index> order = by_effect(press);
  for (std::size_t i = 0; i < std::min(order.size(), most_inputs); ++i) {
    add_row(rows, names[static_cast<std::size_t>(order[i])], shown, [&](Index j) { return cell(order[i] + 1, j); });
  }
  const std::string scale = press.options().at("standardize").as_bool() ? "by one standard deviation" : "by one unit";
  return headed("What leads to each state: the change of its log weight as an input rises " + scale +
                    (errors.size() == 0 ? "" : " ± standard error"),
                rows, rest_text(order.size(), most_inputs, "inputs"));
}

const Press& states_of(const Model& model, const std::string& kind) {
  const Press* press = of_states(model);
  require(press != nullptr, "--figure ", kind, ": ", model.density->model_name(),
          " has no states, expected a model of predictive states (press)");
  return *press;
}

}  // namespace

const Press* of_states(const Model& model) { return dynamic_cast<const Press*>(model.density.get()); }

std::string states_text(const Model& model) {
  const Press* press = of_states(model);
  if (press == nullptr) return "";
  const Index states = press->n_states();
  const Index shown = std::min(states, most_states);
  std::string out = profile_text(model, *press, shown) + coefficients_text(model, *press, shown);
  out += rest_text(static_cast<std::size_t>(states), static_cast<std::size_t>(shown), "states");
  if (states == 1) return out;
  const double bits = std::log2(static_cast<double>(states));
  return out + "\nHow certain the rows are of their states\n" +
         align({{"degrees of freedom", brief(press->degrees_of_freedom()),
                 "between 1 (all rows alike) and " + std::to_string(states) + " (every row in one state)"},
                {"mean entropy, in bits", brief(press->mean_entropy()),
                 "between 0 (certain) and " + brief(bits) + " (undecided)"}},
               3);
}

Document states_document(const Model& model) {
  const Press& press = *of_states(model);
  const auto list = [](const auto& column) { return Document(std::vector<double>(column.begin(), column.end())); };
  Document::Array out;
  for (Index j = 0; j < press.n_states(); ++j) {
    Document state = Document::Object{{"state", j + 1},
                                      {"share", press.state_sizes()[j] / press.state_sizes().sum()},
                                      {"mean", list(press.state_means().col(j))},
                                      {"level", list(press.state_levels().col(j))},
                                      {"inputs", list(press.state_inputs().col(j))}};
    if (press.coefficients().size() > 0) state.set("coefficients", list(press.coefficients().col(j)));
    if (press.standard_errors().size() > 0) state.set("standard_errors", list(press.standard_errors().col(j)));
    out.push_back(std::move(state));
  }
  return Document(std::move(out));
}

std::string states_figure(const FigureRequest& request, const std::string& kind, Index target, const Run& run) {
  const Model& model = request.model;
  const Press& press = states_of(model, kind);
  const plot::Names names = plot_names(model);
  if (kind == "states") {
    const EncodedColumn& column = model.encoder.targets()[static_cast<std::size_t>(target)];
    return plot::state_densities(press, names, target, run, plot::Extent{column.low, column.high});
  }
  if (kind == "weights") {
    const std::vector<EncodedColumn>& columns = model.encoder.input_columns();
    require(!columns.empty(), "--figure weights: the model has no inputs");
    std::size_t input = static_cast<std::size_t>(request.input.value_or(0));
    if (!request.input) {  // the most influential input of numbers
      for (const Influence& influence : influences(model)) {
        const auto found = std::find_if(columns.begin(), columns.end(),
                                        [&](const EncodedColumn& column) { return column.name == influence.input; });
        if (found->is_categorical()) continue;
        input = static_cast<std::size_t>(std::distance(columns.begin(), found));
        break;
      }
    }
    const EncodedColumn& column = columns[input];
    require(!column.is_categorical(), "--figure weights: ", column.name,
            " is categorical, expected an input of numbers; give one by --x");
    const bool constant = column.low == column.high;
    return plot::state_weights(press,
                               {.input = model.encoder.groups()[input].front(),
                                .range = {column.low - (constant ? 0.5 : 0.0), column.high + (constant ? 0.5 : 0.0)},
                                .at = inputs_at(model.encoder, request.at)},
                               names);
  }
  require(request.data.has_value(), "--figure ", kind, " draws the rows of the data: give DATA.csv");
  if (kind == "simplex") return plot::state_simplex(press, *request.data, names, {.target = target});
  return plot::smoothing_matrix(press, *request.data, names, {.target = target, .max_points = 400}, run);
}

}  // namespace condens::cli
