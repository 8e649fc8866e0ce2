#include "conformal.hpp"
#include "completion.hpp"

#include <algorithm>

#include "arguments.hpp"
#include "condens/core/errors.hpp"
#include "condens/data/table.hpp"
#include "console.hpp"
#include "core/names.hpp"

namespace condens::cli {

namespace {

const std::vector<std::string> methods = names_of_choices<CrossConformal>();

CrossConformal cross_of(const std::string& method) {
  return method.empty() ? CrossConformal::none : choice_of<CrossConformal>("--conformal", method);
}

bool is_method(const std::string& name) {
  return name.empty() || std::find(methods.begin(), methods.end(), name) != methods.end();
}

std::string rows_text(Index count) { return message(count, count == 1 ? " row" : " rows"); }

}  // namespace

void ConformalFlags::add_to(CLI::App& verb, const std::string& group) {
  option = add_option(verb, "--conformal", method, "[NAME]",
                      "Intervals with a guarantee: predict --interval p holds y with probability p or more. split "
                      "(default): some rows are left out of the fit; cv+: none, but a model more is fitted without "
                      "each fold; jackknife+: without each row",
                      group)
               ->expected(0, 1);
  add_option(verb, "--conformal-share", share, "p", "Of split: the share of the rows left out (default: 0.25)", group)
      ->needs(option);
  add_option(verb, "--conformal-folds", folds, "K", "Of cv+: the number of folds (default: 10)", group)->needs(option);
  add_option(verb, "--conformal-groups", groups, "COLUMN",
             message("Keep the promise within every group, by a category among the inputs or a number of ",
                     most_group_values, " values or fewer"),
             group)
      ->needs(option);
  offer(verb, "--conformal", methods);
  offer(verb, "--conformal-groups", columns_before);
}

void ConformalFlags::give_back_table(std::string& table) {
  if (table.empty() && !is_method(method)) table.swap(method);
}

void ConformalFlags::check() const {
  if (!given()) return;
  require(is_method(method), "--conformal = '", method, "', expected ", list_names(methods), " or nothing",
          did_you_mean(method, methods));
  const bool split = cross_of(method) == CrossConformal::none;
  require(split || !share, "--conformal-share with --conformal ", method, ", which leaves no rows out; expected ",
          "--conformal split");
  require(method == "cv+" || !folds, "--conformal-folds with --conformal ", method.empty() ? "split" : method,
          ", expected --conformal cv+");
}

void ConformalFlags::set(const Encoder& encoder, const MatrixView& x, TargetRequest& request) const {
  if (!given()) return;
  request.cross = cross_of(method);
  if (request.cross == CrossConformal::none) request.calibration_share = share.value_or(0.25);
  request.cross_folds = folds.value_or(request.cross_folds);
  require(request.cross != CrossConformal::none || request.calibration_share != 0.0,
          "--conformal-share = 0, expected a number in (0, 1)");
  if (!groups.empty()) request.groups = RowGroups::of("--conformal-groups", encoder, groups, x);
}

std::vector<std::string> conformal_lines(const Conformal& conformal) {
  std::vector<std::string> out;
  const std::string how = conformal.is_split()
                              ? message("left out ", conformal.n_rows(), " rows")
                              : message("fitted ", conformal.models().size(), " models more, each without a fold,");
  if (!conformal.groups()) {
    const std::string mass = brief(conformal.mass(RegionKind::central, 0.9));
    out.push_back(how + " for intervals with a guarantee: those of 90 % take a mass of " +
                  (conformal.is_split() ? "" : "about ") + mass);
    return out;
  }
  const RowGroups& groups = *conformal.groups();
  out.push_back(how + " for intervals with a guarantee within each of the groups by '" + groups.column() + "'");
  std::string sizes;
  for (Index g = 0; g < groups.size(); ++g) {
    sizes += (sizes.empty() ? "" : ", ") + groups.name(g) + " " + std::to_string(conformal.n_rows_of_group(g));
  }
  out.push_back("calibration rows of each group: " + sizes);
  return out;
}

std::string conformal_text(const Conformal& conformal) {
  std::string out = message("\nIntervals with a guarantee, by ", conformal.n_rows(), " rows ");
  out += conformal.is_split() ? "that the fit has not seen: the mass that each takes\n"
                              : message("each scored by one of ", conformal.models().size(),
                                        " models that has not seen it: about the mass that each takes\n");
  const auto row = [&](const std::string& name, Index group, double level) {
    std::vector<std::string> cells = {format_number(level), brief(conformal.mass(RegionKind::central, level, group)),
                                      brief(conformal.mass(RegionKind::highest, level, group))};
    if (!name.empty()) cells.insert(cells.begin(), name);
    return cells;
  };
  TextRows rows{{"probability", "central interval", "highest-density region"}};
  if (!conformal.groups()) {
    for (const double level : {0.5, 0.8, 0.9, 0.95}) rows.push_back(row("", 0, level));
    return out + align(rows);
  }
  rows.front().insert(rows.front().begin(), "group by '" + conformal.groups()->column() + "'");
  for (Index g = 0; g < conformal.groups()->size(); ++g) {
    const std::string name = conformal.groups()->name(g) + ", " + rows_text(conformal.n_rows_of_group(g));
    for (const double level : {0.8, 0.9}) rows.push_back(row(name, g, level));
  }
  return out + align(rows, 1);
}

}  // namespace condens::cli
