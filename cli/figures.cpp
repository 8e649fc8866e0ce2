#include "figures.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <numeric>
#include <set>

#include "components.hpp"
#include "condens/core/errors.hpp"
#include "condens/metrics/scores.hpp"
#include "condens/model/capabilities.hpp"
#include "condens/model/pooled_density.hpp"
#include "condens/model/projected_density.hpp"
#include "condens/plot/figures.hpp"
#include "condens/plot/line_chart.hpp"
#include "condens/plot/page.hpp"
#include "condens/plot/relevance_figures.hpp"
#include "condens/plot/survival_figure.hpp"
#include "condens/registry.hpp"
#include "console.hpp"
#include "core/names.hpp"
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
    const Matrix values = column.values();
    for (const Index row : groups[i]) {
      const auto own = values.row(row - groups[i].front());
      if (column.is_number()) {
        x.row(row) = own;
      } else if (column.is_date() || column.has_statistics()) {
        x.row(row) << own.minCoeff(), 0.5 * (own.minCoeff() + own.maxCoeff()), own.maxCoeff();
      } else {
        x.row(row) << 0.0, 0.0, 1.0;
      }
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

/// Of an input a model file knows the ends and the median of its training rows, and no quantiles.
void stand_half_way(const Encoder& encoder, plot::SliceOptions& options) {
  const std::vector<EncodedColumn>& columns = encoder.input_columns();
  const bool only_levels = std::none_of(columns.begin(), columns.end(), [](const EncodedColumn& column) {
    return column.is_number() || column.is_date() || column.has_statistics();
  });
  if (only_levels) return;
  options.levels = {0.25, 0.5, 0.75};  // of these three values
  options.level_names = {"low", "middle", "high"};
  const std::string panels = options.remark;
  options.remark =
      "Middle is the median of the training rows, of dates and of statistics of levels the middle of their range; low "
      "and high are half way from it to the ends. With DATA.csv they are quantiles of its rows.";
  if (!panels.empty()) options.remark += ' ' + panels;
}

plot::BandOptions bands_of(const FigureRequest& request) {
  if (!request.bands) return {};
  return {&*request.model.replicates, *request.bands};
}

std::string density_figure(const FigureRequest& request, Index target, const Run& run) {
  const Model& model = request.model;
  const Dataset data = ranges(request);
  const plot::Names names = plot_names(model);
  const TargetDecoder* kind = model.target ? &*model.target : nullptr;
  if (model.density->n_inputs() == 0)
    return plot::density_curve(*model.density, data, names, target, run, kind, bands_of(request));
  const Vector at = inputs_at(model.encoder, request.at);
  if (request.input || names.columns.size() == 1) {
    const Index first = model.encoder.groups()[static_cast<std::size_t>(request.input.value_or(0))].front();
    const auto found = std::find_if(names.columns.begin(), names.columns.end(),
                                    [&](const plot::InputColumn& column) { return column.row == first; });
    plot::MapOptions options{
        .input = std::distance(names.columns.begin(), found), .target = target, .at = at, .interval = request.interval};
    if (!request.data) options.max_points = 0;
    options.kind = kind;
    options.bands = bands_of(request);
    return plot::density_map(*model.density, data, names, options, run);
  }
  plot::SliceOptions options = panels_of(model, names);
  if (!request.data) stand_half_way(model.encoder, options);
  options.target = target;
  options.at = at;
  options.kind = kind;
  options.bands = bands_of(request);
  return plot::slices(*model.density, data, names, options, run);
}

/// The best score for every pair of the first two options that varied; with one, a row.
plot::TuningTable tuning_table(const Tuning& tuning) {
  std::vector<std::set<double>> values(tuning.names.size());
  for (const Tuning::Candidate& candidate : tuning.candidates) {
    for (std::size_t j = 0; j < values.size(); ++j) values[j].insert(candidate.values[j]);
  }
  std::vector<std::size_t> varied;
  for (std::size_t j = 0; j < values.size(); ++j) {
    // An option that follows another one (bandwidth_y, where it is not given) is no choice of its own.
    const bool follows = std::any_of(varied.begin(), varied.end(), [&](std::size_t k) {
      return std::all_of(tuning.candidates.begin(), tuning.candidates.end(),
                         [&](const Tuning::Candidate& c) { return c.values[j] == c.values[k]; });
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
  for (const Tuning::Candidate& candidate : tuning.candidates) {  // best first
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

/// The norms of the coefficients along the penalties that a model tried.
std::string path_figure(const Model& model) {
  constexpr std::size_t most = 7;  // as many as there are colours
  const HasPath::Path path = capability<HasPath>(*model.density)->path();
  const std::vector<std::string> names = names_of(model.encoder.input_columns());
  Index at_chosen = 0;
  (path.penalty.array() - path.chosen).abs().minCoeff(&at_chosen);
  std::vector<Index> order(path.inputs.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return std::pair(path.norms(a, at_chosen), path.norms.row(a).maxCoeff()) >
           std::pair(path.norms(b, at_chosen), path.norms.row(b).maxCoeff());
  });
  order.resize(std::min(order.size(), most));
  plot::LineChart chart{.title = "Inputs along the path",
                        .x_label = "regularization",
                        .y_label = "norm of the coefficients",
                        .log_x = true,
                        .x_rule = plot::Rule{path.chosen, "chosen: " + brief(path.chosen)}};
  for (const Index i : order) {
    const auto input = static_cast<std::size_t>(path.inputs[static_cast<std::size_t>(i)]);
    if (input >= names.size()) throw FormatError("the path of the penalties names an input that there is not");
    chart.series.push_back(
        {.name = names[input], .x = path.penalty, .y = path.norms.row(i).transpose(), .markers = false});
  }
  return plot::line_chart(chart);
}

/// Selected inputs of numbers that vary and have a term of their own, the most influential first; at most six, by their
/// place.
std::vector<std::size_t> movable_inputs(const Model& model) {
  constexpr std::size_t most = 6;
  const auto* additive = capability<HasContributions>(*model.density);
  const std::vector<EncodedColumn>& columns = model.encoder.input_columns();
  std::vector<std::size_t> out;
  for (const Influence& influence : influences(model)) {
    const auto found = std::find_if(columns.begin(), columns.end(),
                                    [&](const EncodedColumn& column) { return column.name == influence.input; });
    if (!found->is_number() || found->low == found->high || out.size() == most) continue;
    const auto place = std::distance(columns.begin(), found);
    if (additive->rows_of_term(place).size() == 1) out.push_back(static_cast<std::size_t>(place));
  }
  return out;
}

/// What each selected input of numbers adds to the density, over its range and that of the target.
std::string contributions_figure(const Model& model) {
  const auto* additive = capability<HasContributions>(*model.density);
  const EncodedColumn& target = model.encoder.targets().front();
  const Matrix y = Vector::LinSpaced(120, target.low, target.high).transpose();
  std::vector<plot::Surface> surfaces;
  for (const std::size_t input : movable_inputs(model)) {
    const EncodedColumn& column = model.encoder.input_columns()[input];
    const Matrix x = Vector::LinSpaced(120, column.low, column.high).transpose();
    const Matrix r = additive->contribution(static_cast<Index>(input), x, y);
    surfaces.push_back({column.name, {column.low, column.high}, r.transpose()});
  }
  return plot::contribution_maps(surfaces, target.name, {target.low, target.high});
}

/// The members of a pool with their scores, the heaviest first.
std::string members_figure(const Model& model) {
  std::vector<plot::MemberBar> bars;
  for (const PooledDensity::Account& own : capability<PooledDensity>(*model.density)->accounts()) {
    const std::string score = brief(own.weight) + ", nll " + brief(own.score) + " ± " + brief(own.standard_error);
    bars.push_back({own.name, own.weight, own.failed ? "no density" : score});
  }
  std::stable_sort(bars.begin(), bars.end(),
                   [](const plot::MemberBar& a, const plot::MemberBar& b) { return a.weight > b.weight; });
  return plot::member_bars(bars);
}

/// The scores of a race by the number of rows, a curve for every model.
std::string race_figure(const Model& model) {
  plot::LineChart chart{.title = "Scores by the number of rows fitted to",
                        .x_label = "rows",
                        .y_label = "nll on rows left out",
                        .log_x = true};
  for (const Contender& own : model.density->report().race()) {
    if (own.laps.empty()) continue;
    Vector none(std::ssize(own.laps));
    plot::LineSeries series{.name = own.name, .x = none, .y = none, .error = none};
    for (Index i = 0; i < none.size(); ++i) {
      const Contender::Lap& lap = own.laps[static_cast<std::size_t>(i)];
      series.x[i] = static_cast<double>(lap.n_rows);
      series.y[i] = lap.score;
      series.error[i] = lap.standard_error;
    }
    chart.series.push_back(std::move(series));
  }
  return plot::line_chart(chart);
}

/// What figures are drawn from; scores of test data are computed once.
class Sheet {
 public:
  Sheet(const FigureRequest& asked, const Run& how) : request(asked), model(asked.model), run(how) {}

  const Scores& scores() const {
    if (!scores_) scores_ = score(*model.density, model.target, *request.test, {}, run);
    return *scores_;
  }
  const std::string& target_name(Index target) const {
    return model.encoder.targets()[static_cast<std::size_t>(target)].name;
  }
  const TargetScores& scores_of(Index target) const { return scores().targets[static_cast<std::size_t>(target)]; }
  bool has_inputs() const { return model.density->n_inputs() > 0; }
  Index n_targets() const { return model.density->n_targets(); }

  const FigureRequest& request;
  const Model& model;
  const Run& run;

 private:
  mutable std::optional<Scores> scores_;
};

/// Why a figure cannot be drawn; empty where it can.
using Problem = std::string;

template <class Capability>
bool can(const Sheet& sheet) {
  return capability<Capability>(*sheet.model.density) != nullptr;
}

/// "lscde has no states, expected one of press".
Problem expected(const Sheet& sheet, const std::string& lack, std::string_view capability_name) {
  return message(sheet.model.density->model_name(), " ", lack, ", expected one of ",
                 list_names(models_that(capability_name)));
}

Problem needs_test(const Sheet& sheet) { return sheet.request.test ? "" : "needs --test TEST.csv"; }

Problem needs_data(const Sheet& sheet) { return sheet.request.data ? "" : "draws the rows of the data: give DATA.csv"; }

Problem needs_states(const Sheet& sheet) {
  return can<HasStates>(sheet) ? "" : expected(sheet, "has no states", "has_states");
}

Problem first_of(std::initializer_list<Problem> problems) {
  for (const Problem& problem : problems) {
    if (!problem.empty()) return problem;
  }
  return "";
}

std::string joint_figure(const Sheet& sheet) {
  const plot::Names names = plot_names(sheet.model);
  if (sheet.n_targets() > 2) return plot::pair_map(*sheet.model.density, ranges(sheet.request), names, sheet.run);
  return plot::joint_map(*sheet.model.density, ranges(sheet.request), names,
                         inputs_at(sheet.model.encoder, sheet.request.at), sheet.run);
}

std::string survival_figure(const FigureRequest& request, const Run& run) {
  const Model& model = request.model;
  plot::SurvivalOptions options{.target = model.encoder.targets().front().name,
                                .kind = model.target ? &*model.target : nullptr,
                                .bands = bands_of(request)};
  for (const auto& [name, value] : request.at) {
    options.at = inputs_at(model.encoder, request.at);
    options.at_name += message(options.at_name.empty() ? "" : ", ", name, " = ", value);
  }
  return plot::survival_curves(*model.density, *request.data, request.censoring, options, run);
}

struct Figure {
  std::string_view name;   ///< of --figure
  std::string_view title;  ///< on a page
  std::string_view about;  ///< below it
  bool each_target;        ///< a page has one for every target, whose name ends the title
  Problem (*problem)(const Sheet&);
  std::string (*draw)(const Sheet&, Index target);
  Problem (*problem_on_page)(const Sheet&) = nullptr;  ///< beside those above, where no one asked for it by name
};

/// Every figure, in the order of a page.
constexpr std::array all_figures = {
    Figure{"density", "Density of", "The model's density; inputs that do not move are at their medians, or as given.",
           true, [](const Sheet&) { return Problem(); },
           [](const Sheet& sheet, Index target) { return density_figure(sheet.request, target, sheet.run); }},
    Figure{"joint", "Targets together", "Targets two by two, at one value of the inputs.", false,
           [](const Sheet& sheet) {
             const bool fits = sheet.n_targets() == 2 || (sheet.n_targets() > 2 && !sheet.has_inputs());
             return fits ? Problem() : "draws two targets, or several without inputs";
           },
           [](const Sheet& sheet, Index) { return joint_figure(sheet); }},
    Figure{"survival", "Survival of",
           "The mean over the rows of P(Y > t | x) beside the estimate without a model, and three rows.", true,
           [](const Sheet& sheet) {
             if (sheet.n_targets() > 1) return message("of ", sheet.n_targets(), " targets, expected one");
             return needs_data(sheet);
           },
           [](const Sheet& sheet, Index) { return survival_figure(sheet.request, sheet.run); },
           [](const Sheet& sheet) { return sheet.request.censoring.empty() ? "nothing is censored" : Problem(); }},
    Figure{"pit", "PIT values of", "P(Y <= y | x) on the test data: uniform when the model is right.", true, needs_test,
           [](const Sheet& sheet, Index target) {
             return plot::pit_histogram(sheet.scores_of(target).pit, sheet.scores().weights, sheet.target_name(target));
           }},
    Figure{"coverage", "Coverage of", "Share of test rows inside intervals of a given probability.", true, needs_test,
           [](const Sheet& sheet, Index target) {
             return plot::coverage_plot(sheet.scores_of(target), sheet.scores().weights, sheet.target_name(target));
           }},
    Figure{"members", "Members",
           "The density is the mixture of theirs with these weights; nll on rows left out, on the standardised scale: "
           "less is better.",
           false,
           [](const Sheet& sheet) {
             return can<PooledDensity>(sheet) ? Problem() : expected(sheet, "is no mixture of models", "has_members");
           },
           [](const Sheet& sheet, Index) { return members_figure(sheet.model); }},
    Figure{
        "race", "Race",
        "The models were fitted to ever more rows, those that promised something to the end; nll on the same rows left "
        "out, on the standardised scale: less is better.",
        false,
        [](const Sheet& sheet) {
          const bool raced = !sheet.model.density->report().race().empty();
          return raced ? Problem() : message("there was no race: auto holds one where there are more than 2,000 rows");
        },
        [](const Sheet& sheet, Index) { return race_figure(sheet.model); }},
    Figure{"importance", "Importance of the inputs", "As the model weighs them.", false,
           [](const Sheet& sheet) {
             return relevances(sheet.model).empty()
                        ? message(sheet.model.density->model_name(),
                                  " does not say which inputs matter; condens describe moves one input after the other")
                        : Problem();
           },
           [](const Sheet& sheet, Index) { return importance_figure(sheet.model); }},
    Figure{"path", "Path", "Inputs enter as the penalty falls; the dashed line was chosen.", false,
           [](const Sheet& sheet) {
             const auto* path = capability<HasPath>(*sheet.model.density);
             if (path == nullptr) return expected(sheet, "has no path of penalties", "has_path");
             return path->path().inputs.empty() ? "no input was selected at any penalty" : Problem();
           },
           [](const Sheet& sheet, Index) { return path_figure(sheet.model); }},
    Figure{"contributions", "What each input adds",
           "The term of each selected input of numbers: the density is made of their sum.", false,
           [](const Sheet& sheet) {
             if (!can<HasContributions>(sheet)) return expected(sheet, "is no sum over inputs", "has_contributions");
             if (sheet.n_targets() > 1) return message("of ", sheet.n_targets(), " targets, expected one");
             return movable_inputs(sheet.model).empty() ? "no input of numbers with a term of its own was selected"
                                                        : Problem();
           },
           [](const Sheet& sheet, Index) { return contributions_figure(sheet.model); }},
    Figure{"summary", "Summary of", "The data over the directions that the model found, and what it says of them.",
           true,
           [](const Sheet& sheet) {
             const auto* density = capability<ProjectedDensity>(*sheet.model.density);
             const bool has_any = density != nullptr && density->n_components() > 0;
             return first_of(
                 {has_any ? Problem() : expected(sheet, "has no components", "reduces_inputs"), needs_data(sheet)});
           },
           [](const Sheet& sheet, Index target) { return summary_figure(sheet.request, target, sheet.run); }},
    Figure{"dimensions", "Number of components",
           "On rows that neither directions nor model have seen; bars are one standard error.", false,
           [](const Sheet& sheet) {
             return has_dimensions(sheet.model)
                        ? Problem()
                        : message(sheet.model.density->model_name(), " compared no numbers of components");
           },
           [](const Sheet& sheet, Index) { return dimensions_figure(sheet.model); }},
    Figure{"states", "States", "What y does where a state is certain; the distribution at x mixes these.", false,
           needs_states,
           [](const Sheet& sheet, Index target) { return states_figure(sheet.request, target, sheet.run); }},
    Figure{"weights", "Weights of the states", "One input moves, the others stay at their medians or as given.", false,
           needs_states, [](const Sheet& sheet, Index) { return weights_figure(sheet.request); },
           [](const Sheet& sheet) {
             const auto& columns = sheet.model.encoder.input_columns();
             const auto is_of_levels = [](const EncodedColumn& column) { return !column.is_number(); };
             const bool fits = sheet.request.input
                                   ? !is_of_levels(columns[static_cast<std::size_t>(*sheet.request.input)])
                                   : !std::all_of(columns.begin(), columns.end(), is_of_levels);
             return fits ? Problem() : "no input of numbers";
           }},
    Figure{"simplex", "Rows among the states",
           "Each row where the weights of its three states put it: at a corner, it is certain of one.", false,
           [](const Sheet& sheet) {
             return first_of({needs_states(sheet), needs_data(sheet)});
           },
           [](const Sheet& sheet, Index target) { return simplex_figure(sheet.request, target); },
           [](const Sheet& sheet) {
             return capability<HasStates>(*sheet.model.density)->n_states() == 3 ? Problem() : "not three states";
           }},
    Figure{"transitions", "States in time",
           "The chance of each state on the row after one of each state, when the data are in the order of time.",
           false,
           [](const Sheet& sheet) {
             return first_of({needs_states(sheet), needs_data(sheet)});
           },
           [](const Sheet& sheet, Index) { return transitions_figure(sheet.request); },
           [](const Sheet&) { return Problem("rows in the order of time"); }},
    Figure{"smoothing", "Smoothing matrix",
           "What each row weighs in the mean at another, when the data are those of the fit.", false,
           [](const Sheet& sheet) {
             return first_of({needs_states(sheet), needs_data(sheet)});
           },
           [](const Sheet& sheet, Index target) { return smoothing_figure(sheet.request, target, sheet.run); },
           [](const Sheet& sheet) { return sheet.request.data->size() <= 1000 ? Problem() : "many rows"; }},
    Figure{"tuning", "Tuning", "Cross-validated score of the candidates, on the standardised scale; less is better.",
           false,
           [](const Sheet& sheet) {
             return sheet.model.density->report().tuning() ? Problem() : "nothing was chosen by cross-validation";
           },
           [](const Sheet& sheet, Index) {
             return plot::tuning_surface(tuning_table(*sheet.model.density->report().tuning()));
           }},
};

std::vector<std::pair<std::string, std::string>> summary(const Sheet& sheet) {
  const Model& model = sheet.model;
  const FitReport& report = model.density->report();
  const ModelInfo& info = find_model(model.density->model_name());
  std::vector<std::pair<std::string, std::string>> out{
      {"model", info.name + ": " + info.title},
      {"target", list_text(names_of(model.encoder.targets()))},
      {"inputs", model.encoder.input_columns().empty() ? "none" : list_text(names_of(model.encoder.input_columns()))}};
  if (report.n_rows() > 0) out.emplace_back("rows of the fit", std::to_string(report.n_rows_with_atoms()));
  if (const auto tuning = report.tuning()) {
    const Tuning::Candidate& best = tuning->candidates.front();
    for (std::size_t i = 0; i < best.values.size(); ++i) {
      out.emplace_back(tuning->names[i], brief(best.values[i]) + ", by " + chosen_by(model.density->options()));
    }
  }
  if (sheet.request.test) {
    const Scores& scores = sheet.scores();
    out.emplace_back("test data", message(sheet.request.test_name, ", ", scores.rows, " rows"));
    out.emplace_back("nll", brief(scores.nll.value) + " ± " + brief(scores.nll.standard_error));
    if (scores.squared_loss) {
      out.emplace_back("squared loss",
                       brief(scores.squared_loss->value) + " ± " + brief(scores.squared_loss->standard_error));
    }
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
    if (column.is_number() || (column.is_categorical() && !column.has_statistics())) {
      out.columns.push_back({column.name, groups[i].front(), column.width(), column.levels});
      continue;
    }
    for (const Index row : groups[i]) out.columns.push_back({out.inputs[static_cast<std::size_t>(row)], row});
  }
  return out;
}

std::vector<std::string> figure_names() {
  std::vector<std::string> out;
  for (const Figure& figure : all_figures) out.emplace_back(figure.name);
  return out;
}

std::string single_figure(const FigureRequest& request, const std::string& kind, const Run& run) {
  const Sheet sheet(request, run);
  const bool together = kind == "density" && !request.target && !request.input && !sheet.has_inputs();
  const std::string name = together && sheet.n_targets() > 1 ? "joint" : kind;
  const auto* found =
      std::find_if(all_figures.begin(), all_figures.end(), [&](const Figure& own) { return own.name == name; });
  require(found != all_figures.end(), "--figure = '", kind, "', expected one of ", list_names(figure_names()));
  const Problem problem = found->problem(sheet);
  require(problem.empty(), "--figure ", kind, ": ", problem);
  return found->draw(sheet, request.target.value_or(0));
}

std::string figure_page(const FigureRequest& request, const Run& run) {
  const Sheet sheet(request, run);
  std::vector<plot::PageFigure> drawn;
  for (const Figure& figure : all_figures) {
    if (!figure.problem(sheet).empty()) continue;
    if (figure.problem_on_page != nullptr && !figure.problem_on_page(sheet).empty()) continue;
    for (Index j = 0; j < (figure.each_target ? sheet.n_targets() : 1); ++j) {
      if (figure.each_target && request.target && *request.target != j) continue;
      const Index target = figure.each_target ? j : request.target.value_or(0);
      const std::string title =
          figure.each_target ? message(figure.title, " ", sheet.target_name(j)) : std::string(figure.title);
      drawn.push_back({title, figure.draw(sheet, target), std::string(figure.about)});
    }
  }
  const std::string targets = list_text(names_of(request.model.encoder.targets()));
  const std::string given = list_text(names_of(request.model.encoder.input_columns()));
  return plot::page("Density of " + targets + (given.empty() ? "" : " given " + given), summary(sheet), drawn);
}

}  // namespace condens::cli
