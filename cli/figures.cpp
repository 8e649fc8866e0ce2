#include "figures.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "components.hpp"
#include "condens/core/errors.hpp"
#include "condens/estimators/sacde.hpp"
#include "condens/metrics/scores.hpp"
#include "condens/plot/figures.hpp"
#include "condens/plot/line_chart.hpp"
#include "condens/plot/page.hpp"
#include "condens/plot/relevance_figures.hpp"
#include "condens/registry.hpp"
#include "console.hpp"
#include "relevance.hpp"
#include "sensitivity.hpp"
#include "states.hpp"

namespace condens::cli {

namespace {

/// The inputs that move the distribution most come first; those that the model left out, last.
std::vector<std::size_t> by_influence(const Model& model) {
  const std::vector<EncodedColumn>& columns = model.encoder.input_columns();
  std::vector<std::size_t> out;
  for (const Influence& influence : influences(model)) {
    const auto found = std::find_if(columns.begin(), columns.end(),
                                    [&](const EncodedColumn& column) { return column.name == influence.input; });
    out.push_back(static_cast<std::size_t>(std::distance(columns.begin(), found)));
  }
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (std::find(out.begin(), out.end(), i) == out.end()) out.push_back(i);
  return out;
}

/// The given data, or columns that span the ranges of the training data.
Dataset ranges(const FigureRequest& request) {
  if (request.data) return *request.data;
  const Encoder& encoder = request.model.encoder;
  require(!encoder.input_columns().empty(), "a density without inputs is drawn over its data: give DATA.csv");
  const auto width = static_cast<Index>(encoder.encoded_names().size());
  const auto targets = static_cast<Index>(encoder.targets().size());
  Matrix x = Matrix::Zero(width, 3);
  Matrix y(targets, 3);
  const auto groups = encoder.groups();
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const EncodedColumn& column = encoder.input_columns()[i];
    for (const Index row : groups[i]) {
      x.row(row) << (column.is_categorical() ? 0.0 : column.low), (column.is_categorical() ? 0.0 : column.typical),
          (column.is_categorical() ? 1.0 : column.high);
    }
  }
  for (Index j = 0; j < targets; ++j) {
    const EncodedColumn& column = encoder.targets()[static_cast<std::size_t>(j)];
    y.row(j) << column.low, column.typical, column.high;
  }
  return {.x = std::move(x), .y = std::move(y)};
}

/// Of many inputs, those that move the distribution most get a panel; nobody is left out without a word.
plot::SliceOptions panels_of(const Model& model, const plot::Names& names) {
  constexpr std::size_t most = 12;
  const std::vector<Relevance> relevance = relevances(model);
  std::vector<std::string> left_out;
  std::vector<std::string> not_drawn;
  plot::SliceOptions out;
  for (std::size_t i = 0; i < names.columns.size(); ++i) {
    const std::string& name = names.columns[i].name;
    const bool selected = std::none_of(relevance.begin(), relevance.end(),
                                       [&](const Relevance& r) { return r.input == name && !r.selected; });
    if (!selected)
      left_out.push_back(name);
    else if (out.inputs.size() < most)
      out.inputs.push_back(static_cast<Index>(i));
    else
      not_drawn.push_back(name);
  }
  if (out.inputs.empty()) out.inputs.push_back(0);  // nothing was selected: any input shows that it does not matter
  if (!not_drawn.empty())
    out.remark = "Not drawn, since they move the distribution least: " + list_text(not_drawn) + ". ";
  if (!left_out.empty()) out.remark += "Left out by the model: " + list_text(left_out) + ".";
  return out;
}

std::string density_figure(const FigureRequest& request, Index target, const Run& run) {
  const Model& model = request.model;
  const Dataset data = ranges(request);
  const plot::Names names = plot_names(model);
  if (model.density->n_inputs() == 0) return plot::density_curve(*model.density, data, names, target, run);
  const Vector at = inputs_at(model.encoder, request.at);
  if (request.input || names.columns.size() == 1) {
    const std::string& moving = model.encoder.input_columns()[static_cast<std::size_t>(request.input.value_or(0))].name;
    const auto found = std::find_if(names.columns.begin(), names.columns.end(),
                                    [&](const plot::InputColumn& column) { return column.name == moving; });
    plot::MapOptions options{
        .input = std::distance(names.columns.begin(), found), .target = target, .at = at, .interval = request.interval};
    if (!request.data) options.max_points = 0;
    return plot::density_map(*model.density, data, names, options, run);
  }
  plot::SliceOptions options = panels_of(model, names);
  options.target = target;
  options.at = at;
  return plot::slices(*model.density, data, names, options, run);
}

/// The best score for every pair of the first two options that varied; with one, a row.
plot::TuningTable tuning_table(const Tuning& tuning) {
  std::vector<std::set<double>> values(tuning.names.size());
  for (const Candidate& candidate : tuning.candidates) {
    for (std::size_t j = 0; j < values.size(); ++j) values[j].insert(candidate.values[j]);
  }
  std::vector<std::size_t> varied;
  for (std::size_t j = 0; j < values.size(); ++j) {
    // An option that follows another one (bandwidth_y, where it is not given) is no choice of its own.
    const bool follows = std::any_of(varied.begin(), varied.end(), [&](std::size_t k) {
      return std::all_of(tuning.candidates.begin(), tuning.candidates.end(),
                         [&](const Candidate& c) { return c.values[j] == c.values[k]; });
    });
    if (values[j].size() > 1 && !follows) varied.push_back(j);
  }
  if (varied.empty()) varied.push_back(0);
  const auto column_of = [](const std::set<double>& set) {
    Vector out(static_cast<Index>(set.size()));
    std::copy(set.begin(), set.end(), out.begin());
    return out;
  };
  const auto place = [](const std::set<double>& set, double value) {
    return static_cast<Index>(std::distance(set.begin(), set.find(value)));
  };
  const bool one = varied.size() == 1;
  plot::TuningTable out{.score_name = "cross-validated score",
                        .row_name = one ? "" : tuning.names[varied[1]],
                        .column_name = tuning.names[varied[0]],
                        .rows = one ? Vector(Vector::Zero(1)) : column_of(values[varied[1]]),
                        .columns = column_of(values[varied[0]]),
                        .score = {}};
  out.score = Matrix::Constant(out.rows.size(), out.columns.size(), std::numeric_limits<double>::quiet_NaN());
  out.standard_error = out.score;
  for (const Candidate& candidate : tuning.candidates) {  // best first
    const Index i = one ? 0 : place(values[varied[1]], candidate.values[varied[1]]);
    const Index j = place(values[varied[0]], candidate.values[varied[0]]);
    if (std::isfinite(out.score(i, j))) continue;
    out.score(i, j) = candidate.failed ? std::numeric_limits<double>::infinity() : candidate.score;
    if (!candidate.failed) out.standard_error(i, j) = candidate.standard_error;
  }
  return out;
}

/// Bars of the inputs, the most important first.
std::string importance_figure(const Model& model) {
  constexpr std::size_t most = 30;
  std::vector<Relevance> all = relevances(model);
  std::stable_sort(all.begin(), all.end(), [](const Relevance& a, const Relevance& b) {
    return std::pair(a.selected, a.importance.value_or(0)) > std::pair(b.selected, b.importance.value_or(0));
  });
  std::vector<plot::ImportanceBar> bars;
  for (std::size_t i = 0; i < std::min(all.size(), most); ++i) {
    const double share = all[i].importance.value_or(all[i].selected ? 1.0 : 0.0);
    bars.push_back({all[i].input, share, all[i].selected, all[i].stability});
  }
  return plot::importance_bars(bars);
}

/// A path along which some input was selected.
bool has_path(const Model& model) {
  const Document* path = model.density->report().details.find("path");
  const Document* inputs = path == nullptr ? nullptr : path->find("inputs");  // PRESS has another path
  return inputs != nullptr && inputs->as_matrix().size() > 0;
}

/// The norms of the coefficients along the penalties that a model tried (Shiga et al. 2015, figure 4).
std::string path_figure(const Model& model) {
  constexpr std::size_t most = 7;  // as many as there are colours
  const Document& path = model.density->report().details.at("path");
  const Vector penalty = path.at("regularization").as_vector();
  const Vector inputs = path.at("inputs").as_vector();
  const Matrix& norms = path.at("norms").as_matrix();
  const std::vector<std::string> names = names_of(model.encoder.input_columns());
  const double chosen = path.at("chosen").as_number();
  const auto is_input = [&](double i) { return i >= 0 && i < static_cast<double>(names.size()); };
  if (penalty.size() == 0 || norms.rows() != inputs.size() || norms.cols() != penalty.size() ||
      !std::all_of(inputs.begin(), inputs.end(), is_input)) {
    throw FormatError("the path of the penalties does not fit the inputs");
  }
  Index at_chosen = 0;
  (penalty.array() - chosen).abs().minCoeff(&at_chosen);
  std::vector<Index> order(static_cast<std::size_t>(inputs.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return std::pair(norms(a, at_chosen), norms.row(a).maxCoeff()) >
           std::pair(norms(b, at_chosen), norms.row(b).maxCoeff());
  });
  order.resize(std::min(order.size(), most));
  plot::LineChart chart{.title = "Inputs along the path",
                        .x_label = "regularization",
                        .y_label = "norm of the coefficients",
                        .log_x = true,
                        .x_rule = plot::Rule{chosen, "chosen: " + brief(chosen)}};
  for (const Index i : order) {
    const auto input = static_cast<std::size_t>(inputs[i]);
    chart.series.push_back({.name = names[input], .x = penalty, .y = norms.row(i).transpose(), .markers = false});
  }
  require(!chart.series.empty(), "--figure path: no input was selected at any penalty");
  return plot::line_chart(chart);
}

/// What each selected input of numbers adds to the density, over its range and that of the target.
std::string contributions_figure(const FigureRequest& request) {
  constexpr std::size_t most = 6;
  const Model& model = request.model;
  const auto* additive = dynamic_cast<const Sacde*>(model.density.get());
  require(additive != nullptr && model.density->n_targets() == 1,
          "--figure contributions: ", model.density->model_name(), " with ", model.density->n_targets(),
          " targets, expected an additive model (sacde) of one target");
  const EncodedColumn& target = model.encoder.targets().front();
  const std::vector<EncodedColumn>& columns = model.encoder.input_columns();
  const Matrix y = Vector::LinSpaced(120, target.low, target.high).transpose();
  std::vector<plot::Surface> surfaces;
  for (const Influence& influence : influences(model)) {
    const auto found = std::find_if(columns.begin(), columns.end(),
                                    [&](const EncodedColumn& column) { return column.name == influence.input; });
    if (found->is_categorical() || found->low == found->high || surfaces.size() == most) continue;
    const Matrix x = Vector::LinSpaced(120, found->low, found->high).transpose();
    const Matrix r = additive->contribution(std::distance(columns.begin(), found), x, y);
    surfaces.push_back({found->name, {found->low, found->high}, r.transpose()});
  }
  require(!surfaces.empty(), "--figure contributions: no input of numbers was selected");
  return plot::contribution_maps(surfaces, target.name, {target.low, target.high});
}

/// The members of a pool with their scores, the heaviest first.
std::string members_figure(const Model& model) {
  const Document* members = model.density->report().details.find("members");
  require(members != nullptr, "--figure members: ", model.density->model_name(), " is no mixture of models (auto is)");
  std::vector<plot::MemberBar> bars;
  for (const Document& row : members->as_array()) {
    const double score = row.at("score").as_number();
    const bool failed = score == std::numeric_limits<double>::max();
    bars.push_back({row.at("name").as_string(), row.at("weight").as_number(),
                    failed ? "no density"
                           : brief(row.at("weight").as_number()) + ", nll " + brief(score) + " ± " +
                                 brief(row.at("standard_error").as_number())});
  }
  std::stable_sort(bars.begin(), bars.end(),
                   [](const plot::MemberBar& a, const plot::MemberBar& b) { return a.weight > b.weight; });
  return plot::member_bars(bars);
}

bool has_members(const Model& model) { return model.density->report().details.find("members") != nullptr; }

/// What a page shows of predictive states.
void add_state_figures(const FigureRequest& request, const Press& model, std::vector<plot::PageFigure>& figures,
                       const Run& run) {
  const Index target = request.target.value_or(0);
  figures.push_back({"States", states_figure(request, "states", target, run),
                     "What y does where a state is certain; the distribution at x mixes these."});
  const std::vector<EncodedColumn>& columns = request.model.encoder.input_columns();
  if (std::any_of(columns.begin(), columns.end(), [](const EncodedColumn& c) { return !c.is_categorical(); })) {
    FigureRequest numeric = request;
    if (numeric.input && columns[static_cast<std::size_t>(*numeric.input)].is_categorical()) numeric.input.reset();
    figures.push_back({"Weights of the states", states_figure(numeric, "weights", target, run),
                       "One input moves, the others stay at their medians or as given."});
  }
  if (!request.data) return;
  if (model.n_states() == 3) {
    figures.push_back({"Rows among the states", states_figure(request, "simplex", target, run),
                       "Each row where the weights of its three states put it: at a corner, it is certain of one."});
  }
  if (request.data->size() <= 1000) {
    figures.push_back({"Smoothing matrix", states_figure(request, "smoothing", target, run),
                       "What each row weighs in the mean at another, when the data are those of the fit."});
  }
}

Scores test_scores(const FigureRequest& request, const Run& run) {
  return score(*request.model.density, *request.test, {}, run);
}

std::vector<std::pair<std::string, std::string>> summary(const FigureRequest& request,
                                                         const std::optional<Scores>& scores) {
  const Model& model = request.model;
  const ModelInfo& info = find_model(model.density->model_name());
  std::vector<std::pair<std::string, std::string>> out{
      {"model", info.name + ": " + info.title},
      {"target", list_text(names_of(model.encoder.targets()))},
      {"inputs", model.encoder.input_columns().empty() ? "none" : list_text(names_of(model.encoder.input_columns()))}};
  if (fitted_rows(*model.density) > 0) out.emplace_back("rows of the fit", std::to_string(fitted_rows(*model.density)));
  if (const auto tuning = tuning_of(*model.density)) {
    const Candidate& best = tuning->candidates.front();
    for (std::size_t i = 0; i < best.values.size(); ++i) {
      out.emplace_back(tuning->names[i], brief(best.values[i]) + ", by " + chosen_by(model.density->options()));
    }
  }
  if (scores) {
    out.emplace_back("test data", message(request.test_name, ", ", scores->rows, " rows"));
    out.emplace_back("nll", brief(scores->nll.value) + " ± " + brief(scores->nll.standard_error));
    out.emplace_back("squared loss",
                     brief(scores->squared_loss.value) + " ± " + brief(scores->squared_loss.standard_error));
  }
  for (const std::string& warning : warnings_of(model)) out.emplace_back("warning", warning);
  return out;
}

}  // namespace

plot::Names plot_names(const Model& model) {
  const Encoder& encoder = model.encoder;
  plot::Names out{encoder.encoded_names(), names_of(encoder.targets())};
  const auto groups = encoder.groups();
  for (const std::size_t i : by_influence(model)) {
    const EncodedColumn& column = encoder.input_columns()[i];
    out.columns.push_back({column.name, groups[i].front(), column.width(), column.levels});
  }
  return out;
}

std::string single_figure(const FigureRequest& request, const std::string& kind, const Run& run) {
  const Index target = request.target.value_or(0);
  const Model& model = request.model;
  if (kind == "density") {
    const Index targets = model.density->n_targets();
    const bool joint = targets > 1 && !request.target && !request.input && model.density->n_inputs() == 0;
    if (!joint) return density_figure(request, target, run);
    const plot::Names names = plot_names(model);
    return targets == 2 ? plot::joint_map(*model.density, ranges(request), names, Vector(0), run)
                        : plot::pair_map(*model.density, ranges(request), names, run);
  }
  if (kind == "pit" || kind == "coverage") {
    require(request.test.has_value(), "--figure ", kind, " needs --test TEST.csv");
    const Scores scores = test_scores(request, run);
    const TargetScores& own = scores.targets[static_cast<std::size_t>(target)];
    const std::string& name = model.encoder.targets()[static_cast<std::size_t>(target)].name;
    return kind == "pit" ? plot::pit_histogram(own.pit, scores.weights, name)
                         : plot::coverage_plot(own, scores.weights, name);
  }
  if (kind == "importance") {
    require(!relevances(model).empty(), "--figure importance: ", model.density->model_name(),
            " does not say which inputs matter; condens describe moves one input after the other");
    return importance_figure(model);
  }
  if (kind == "path") {
    require(has_path(model), "--figure path: ", model.density->model_name(), " has no path of penalties");
    return path_figure(model);
  }
  if (kind == "members") return members_figure(model);
  if (kind == "contributions") return contributions_figure(request);
  if (kind == "summary") return summary_figure(request, target, run);
  if (kind == "dimensions") return dimensions_figure(model);
  if (kind == "states" || kind == "weights" || kind == "simplex" || kind == "smoothing") {
    return states_figure(request, kind, target, run);
  }
  require(
      kind == "tuning", "--figure = '", kind,
      "', expected density, importance, path, contributions, members, summary, dimensions, states, weights, simplex, "
      "smoothing, pit, coverage or tuning");
  const std::optional<Tuning> tuning = tuning_of(*model.density);
  require(tuning.has_value(), "--figure tuning: nothing was chosen by cross-validation");
  return plot::tuning_surface(tuning_table(*tuning));
}

std::string figure_page(const FigureRequest& request, const Run& run) {
  const Model& model = request.model;
  const std::vector<std::string> targets = names_of(model.encoder.targets());
  const std::string given = list_text(names_of(model.encoder.input_columns()));
  std::vector<plot::PageFigure> figures;
  for (std::size_t j = 0; j < targets.size(); ++j) {
    if (request.target && *request.target != static_cast<Index>(j)) continue;
    const std::string about = given.empty()
                                  ? "The model's density over a histogram of the data."
                                  : "The model's density of " + targets[j] + "; inputs that do not move are at their " +
                                        (request.at.empty() ? "medians." : "medians, or as given.");
    figures.push_back({"Density of " + targets[j], density_figure(request, static_cast<Index>(j), run), about});
  }
  if (targets.size() == 2) {
    figures.push_back(
        {"Both targets",
         plot::joint_map(*model.density, ranges(request), plot_names(model), inputs_at(model.encoder, request.at), run),
         "The joint density at one value of the inputs."});
  }
  if (targets.size() > 2 && given.empty()) {
    figures.push_back({"Targets two by two", plot::pair_map(*model.density, ranges(request), plot_names(model), run),
                       "Each target, and each pair of them, over the data."});
  }
  std::optional<Scores> scores;
  if (request.test) scores = test_scores(request, run);
  for (std::size_t j = 0; scores && j < targets.size(); ++j) {
    const TargetScores& own = scores->targets[j];
    figures.push_back({"PIT values of " + targets[j], plot::pit_histogram(own.pit, scores->weights, targets[j]),
                       "P(Y <= y | x) on the test data: uniform when the model is right."});
    figures.push_back({"Coverage of " + targets[j], plot::coverage_plot(own, scores->weights, targets[j]),
                       "Share of test rows inside intervals of a given probability."});
  }
  if (has_members(model)) {
    figures.push_back({"Members", members_figure(model),
                       "The density is the mixture of theirs with these weights; nll on rows left out, on the "
                       "standardised scale: less is better."});
  }
  if (!relevances(model).empty()) {
    figures.push_back({"Importance of the inputs", importance_figure(model), "As the model weighs them."});
  }
  if (has_path(model)) {
    figures.push_back({"Path", path_figure(model), "Inputs enter as the penalty falls; the dashed line was chosen."});
  }
  if (const ProjectedDensity* density = projected(model); density != nullptr && density->n_components() > 0) {
    for (std::size_t j = 0; request.data && j < targets.size(); ++j) {
      figures.push_back({"Summary of " + targets[j], summary_figure(request, static_cast<Index>(j), run),
                         "The data over the directions that the model found, and what it says of them."});
    }
  }
  if (dimensions_of(model) != nullptr) {
    figures.push_back({"Number of components", dimensions_figure(model),
                       "On rows that neither directions nor model have seen; bars are one standard error."});
  }
  if (const Press* press = of_states(model)) add_state_figures(request, *press, figures, run);
  if (const auto tuning = tuning_of(*model.density)) {
    figures.push_back({"Tuning", plot::tuning_surface(tuning_table(*tuning)),
                       "Cross-validated score of the candidates, on the standardised scale; less is better."});
  }
  const std::string title = "Density of " + list_text(targets) + (given.empty() ? "" : " given " + given);
  return plot::page(title, summary(request, scores), figures);
}

}  // namespace condens::cli
