#include "table_sums.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "condens/core/errors.hpp"
#include "state_sums.hpp"

namespace condens::press {

namespace {

using table_passes::count_of;
using table_passes::matrix_of;
using table_passes::number_of;
using table_passes::vector_of;

constexpr double undefined = 1e300;  // of a value that is infinite: documents hold finite numbers, and so do their sums

Vector joined(const std::vector<Vector>& parts) {
  Index size = 0;
  for (const Vector& part : parts) size += part.size();
  Vector out(size);
  Index at = 0;
  for (const Vector& part : parts) {
    out.segment(at, part.size()) = part;
    at += part.size();
  }
  return out;
}

/// Numbers of every state: one for each of its nodes, or of the targets.
std::vector<Index> sizes_of(const TableCriterion& criterion, Index n_targets) {
  std::vector<Index> out(static_cast<std::size_t>(criterion.n_states), n_targets);
  if (criterion.criterion != PressCriterion::likelihood) return out;
  for (std::size_t j = 0; j < out.size(); ++j) out[j] = criterion.ticks[criterion.ticks.size() == 1 ? 0 : j].size();
  return out;
}

std::vector<Vector> parted(const Document& document, std::string_view name, const std::vector<Index>& sizes) {
  Index size = 0;
  for (const Index own : sizes) size += own;
  const Vector all = vector_of(document, name, size);
  std::vector<Vector> out;
  Index at = 0;
  for (const Index own : sizes) {
    out.emplace_back(all.segment(at, own));
    at += own;
  }
  return out;
}

Document sum_of(Document::Object parts) { return Document::Object{{"sum", Document(std::move(parts))}}; }

Matrix one_by_one(double value) { return Matrix::Constant(1, 1, value); }

/// The same parts in a pass and in a state.
void add_states(Document& out, const PressStateSums& states) {
  out.set("sizes", states.sizes).set("squares", states.squares).set("sums", joined(states.sums));
}

PressStateSums states_from(const Document& document, const std::vector<Index>& sizes) {
  const Index states = std::ssize(sizes);
  return {vector_of(document, "sizes", states), vector_of(document, "squares", states),
          parted(document, "sums", sizes)};
}

PressKernelSums kernels_from(const Document& pass, const TableCriterion& own, const std::vector<Index>& sizes) {
  if (own.criterion != PressCriterion::likelihood) return {};
  return {parted(pass, "totals", sizes), parted(pass, "slopes", sizes)};
}

Document state_of(const PressTermSums& terms, bool likelihood) {
  const bool fine = std::isfinite(terms.value) && terms.by_sizes.allFinite() && terms.by_means.allFinite();
  const auto kept = [&](const Vector& values) -> Vector { return fine ? values : Vector::Zero(values.size()); };
  Document::Object out{{"value", one_by_one(fine ? terms.value : undefined)},
                       {"mse", one_by_one(fine ? terms.mse : 0.0)},
                       {"by_sizes", kept(terms.by_sizes)}};
  if (likelihood) {
    out.emplace_back("by_totals", kept(joined(terms.by_totals)));
    out.emplace_back("by_log_width", kept(terms.by_log_width));
  } else {
    out.emplace_back("by_means", fine ? terms.by_means : Matrix::Zero(terms.by_means.rows(), terms.by_means.cols()));
  }
  return sum_of(std::move(out));
}

PressTermSums terms_from(const Document& state, const TableCriterion& own, const std::vector<Index>& sizes,
                         Index n_targets) {
  const Document& sum = state.at("sum");
  PressTermSums out{.value = number_of(state, "value"),
                    .mse = number_of(state, "mse"),
                    .by_sizes = vector_of(sum, "by_sizes", own.n_states),
                    .by_means = Matrix(),
                    .by_totals = {},
                    .by_log_width = Vector()};
  if (out.value >= undefined) out.value = infinity;
  if (own.criterion == PressCriterion::likelihood) {
    out.by_totals = parted(sum, "by_totals", sizes);
    out.by_log_width = vector_of(sum, "by_log_width", own.n_states);
  } else {
    out.by_means = matrix_of(sum, "by_means", n_targets, own.n_states);
  }
  return out;
}

Document moment_sums(const Document& pass, const Dataset& rows, const Matrix& w) {
  const Matrix weighted = w * rows.weights.asDiagonal();
  const Matrix x = rows.x.colwise() - vector_of(pass, "centre_x", rows.x.rows());
  const Matrix y = rows.y.colwise() - vector_of(pass, "centre_y", rows.y.rows());
  return sum_of({{"gram", Matrix(weighted * w.transpose())},
                 {"sizes", Vector(weighted.rowwise().sum())},
                 {"y", Matrix(y * weighted.transpose())},
                 {"y_square", Vector(y.cwiseAbs2() * rows.weights)},
                 {"x", Matrix(x * weighted.transpose())},
                 {"x_square", Matrix(x.cwiseAbs2() * weighted.transpose())},
                 {"entropy", one_by_one(entropy_of_weights(w).dot(rows.weights))}});
}

Document example(const Document& pass, const Dataset& block, const Matrix& w) {
  const Index state = count_of(pass, "state", 0, w.rows() - 1);
  Index at = 0;
  const double most = w.row(state).maxCoeff(&at);
  return Document::Object{
      {"smallest",
       Document::Object{{"limit", Index{1}}, {"keys", one_by_one(-most)}, {"columns", Matrix(block.x.col(at))}}}};
}

}  // namespace

PressMap TableCriterion::map(Index n_inputs) const {
  std::vector<Index> layers;
  for (const double width : hidden) layers.push_back(static_cast<Index>(width));
  return {n_inputs, n_states, layers, activation};
}

PressObjective TableCriterion::objective(const Dataset& standardized, const PressPenalties& penalties) const {
  const auto make = [&]() -> PressObjective {
    if (criterion != PressCriterion::likelihood)
      return {standardized, map(standardized.x.rows()), criterion, penalties};
    std::vector<PressNodes> nodes;
    for (const Vector& own : ticks) nodes.push_back(nodes_at(own, standardized.y));
    return {standardized, map(standardized.x.rows()), std::move(nodes), defensive, penalties};
  };
  PressObjective out = make();
  out.become_part_of(total);
  return out;
}

Document TableCriterion::pass(std::string_view part) const {
  Vector sizes(std::ssize(ticks));
  for (Index k = 0; k < sizes.size(); ++k) sizes[k] = static_cast<double>(ticks[static_cast<std::size_t>(k)].size());
  return Document::Object{{"pass", "press"},
                          {"part", std::string(part)},
                          {"scale", scale.to_document()},
                          {"hidden", Vector(Eigen::Map<const Vector>(hidden.data(), std::ssize(hidden)))},
                          {"activation", static_cast<Index>(activation)},
                          {"n_states", n_states},
                          {"criterion", static_cast<Index>(criterion)},
                          {"total", total},
                          {"tick_counts", std::move(sizes)},
                          {"ticks", joined(ticks)},
                          {"defensive", table_passes::document_of(defensive)}};
}

TableCriterion TableCriterion::from_pass(const Document& pass, Index n_inputs, Index n_targets) {
  TableCriterion out{.scale = table_passes::Scale::from_document(pass.at("scale"), n_inputs, n_targets),
                     .hidden = {},
                     .activation = static_cast<PressActivation>(count_of(pass, "activation", 0, 1)),
                     .n_states = count_of(pass, "n_states", 1, static_cast<Index>(most_components)),
                     .criterion = static_cast<PressCriterion>(count_of(pass, "criterion", 0, 4)),
                     .total = table_passes::width_of(pass, "total"),
                     .ticks = {},
                     .defensive = table_passes::defensive_of(pass, n_targets)};
  for (const double width : pass.at("hidden").as_vector()) {
    const bool fits = width >= 1 && width <= most_units && width == std::floor(width);
    if (!fits) throw FormatError(message("a pass over the rows: a hidden layer of ", width, " units"));
    out.hidden.push_back(width);
  }
  std::vector<Index> sizes;
  Index all = pass.at("ticks").as_matrix().size();
  for (const double size : pass.at("tick_counts").as_vector()) {
    const bool fits = size >= 2 && size <= static_cast<double>(all) && size == std::floor(size);
    if (!fits) throw FormatError(message("a pass over the rows: ", size, " ticks of a state, expected 2 to ", all));
    sizes.push_back(static_cast<Index>(size));
    all -= sizes.back();
  }
  out.ticks = parted(pass, "ticks", sizes);
  const bool likelihood = out.criterion == PressCriterion::likelihood;
  const bool fits = !likelihood ? out.ticks.empty()
                                : n_targets == 1 && (out.ticks.size() == 1 || std::ssize(out.ticks) == out.n_states);
  if (!fits) {
    throw FormatError(message("a pass over the rows: ", out.ticks.size(), " sets of ticks for ", out.n_states,
                              " states of ", n_targets, " targets"));
  }
  for (const Vector& own : out.ticks) {
    if ((own.tail(own.size() - 1) - own.head(own.size() - 1)).minCoeff() <= 0) {
      throw FormatError("a pass over the rows: 'ticks' do not rise");
    }
  }
  return out;
}

struct TableObjective::Value {
  PressEvaluation found;
  PressKernelSums kernels;
  PressSlopes slopes;
};

TableObjective::TableObjective(RowSums& table, TableCriterion criterion, const PressPenalties& penalties,
                               const Dataset& few, int threads)
    : table_(table), criterion_(std::move(criterion)), here_(criterion_.objective(few, penalties)), threads_(threads) {}

PressStateSums TableObjective::states(const Vector& theta) const {
  Document pass = criterion_.pass("states");
  pass.set("theta", theta);
  return states_from(table_.total(pass).at("sum"), sizes_of(criterion_, table_.n_targets()));
}

Document TableObjective::with_states(std::string_view part, const Vector& theta, const Vector& widths,
                                     const PressStateSums& states, const PressKernelSums& kernels) const {
  Document out = criterion_.pass(part);
  out.set("theta", theta).set("widths", widths);
  add_states(out, states);
  out.set("totals", joined(kernels.totals)).set("slopes", joined(kernels.slopes));
  return out;
}

TableObjective::Value TableObjective::value_and_slopes(const Vector& theta, const Vector& widths,
                                                       const PressStateSums& states) const {
  Value out{{}, here_.sum_kernels(widths, states, threads_), {}};
  const Document state = table_.total(with_states("terms", theta, widths, states, out.kernels));
  const PressTermSums terms =
      terms_from(state, criterion_, sizes_of(criterion_, table_.n_targets()), table_.n_targets());
  out.found = here_.value_of(theta, widths, states, terms, out.slopes, threads_);
  return out;
}

PressEvaluation TableObjective::value(const Vector& theta, const Vector& widths, const PressStateSums& states) const {
  return value_and_slopes(theta, widths, states).found;
}

PressEvaluation TableObjective::evaluate(const Vector& theta, const Vector& widths) const {
  const PressStateSums own = states(theta);
  Value at = value_and_slopes(theta, widths, own);
  if (!std::isfinite(at.found.value)) return std::move(at.found);
  Document pass = with_states("gradient", theta, widths, own, at.kernels);
  pass.set("by_freedom", at.slopes.by_freedom)
      .set("by_sizes", at.slopes.by_sizes)
      .set("by_sums", joined(at.slopes.by_sums));
  at.found.gradient = vector_of(table_.total(pass).at("sum"), "gradient", theta.size()) + here_.ridge_gradient(theta);
  return std::move(at.found);
}

StateMoments moments_of(RowSums& table, const TableCriterion& criterion, const Vector& theta, const Vector& centre_x,
                        const Vector& centre_y) {
  Document pass = criterion.pass("moments");
  pass.set("theta", theta).set("centre_x", centre_x).set("centre_y", centre_y);
  const Document state = table.total(pass);
  const Document& sum = state.at("sum");
  const Index states = criterion.n_states;
  return {.gram = matrix_of(sum, "gram", states, states),
          .sizes = vector_of(sum, "sizes", states),
          .y = matrix_of(sum, "y", table.n_targets(), states),
          .y_square = vector_of(sum, "y_square", table.n_targets()),
          .x = matrix_of(sum, "x", table.n_inputs(), states),
          .x_square = matrix_of(sum, "x_square", table.n_inputs(), states),
          .entropy = number_of(state, "entropy")};
}

Matrix examples_of(RowSums& table, const TableCriterion& criterion, const Vector& theta) {
  std::vector<Document> passes;
  for (Index j = 0; j < criterion.n_states; ++j) {
    Document pass = criterion.pass("example");
    pass.set("theta", theta).set("state", j);
    passes.push_back(std::move(pass));
  }
  const std::vector<Document> states = table_passes::totals_of(table, passes);
  Matrix out(table.n_inputs(), criterion.n_states);
  for (Index j = 0; j < out.cols(); ++j) {
    out.col(j) = matrix_of(states[static_cast<std::size_t>(j)].at("smallest"), "columns", table.n_inputs(), 1);
  }
  return out;
}

Document table_state(const Document& pass, const Dataset& block, Index first_row, int threads) {
  static_cast<void>(first_row);
  const TableCriterion own = TableCriterion::from_pass(pass, block.x.rows(), block.y.rows());
  const PressMap map = own.map(block.x.rows());
  const Vector theta = vector_of(pass, "theta", map.n_parameters());
  const Dataset rows = own.scale.standardized(block);
  const std::string& part = pass.at("part").as_string();
  if (part == "moments") return moment_sums(pass, rows, map.weights(theta, rows.x));
  if (part == "example") return example(pass, block, map.weights(theta, rows.x));
  const PressObjective objective = own.objective(rows);
  if (part == "states") {
    Document sums(Document::Object{});
    add_states(sums, objective.sum_states(theta, threads));
    return Document::Object{{"sum", std::move(sums)}};
  }
  if (part != "terms" && part != "gradient") {
    throw FormatError(message("a pass over the rows: '", part, "' is no part of PRESS"));
  }
  const bool likelihood = own.criterion == PressCriterion::likelihood;
  const Vector widths = likelihood ? table_passes::widths_of(pass, "widths", own.n_states) : Vector();
  const std::vector<Index> sizes = sizes_of(own, block.y.rows());
  const PressStateSums states = states_from(pass, sizes);
  const PressKernelSums kernels = kernels_from(pass, own, sizes);
  if (part == "terms") return state_of(objective.sum_terms(theta, widths, states, kernels, threads), likelihood);
  const PressSlopes slopes{pass.at("by_freedom").as_number(), vector_of(pass, "by_sizes", own.n_states),
                           parted(pass, "by_sums", sizes)};
  return sum_of({{"gradient", objective.sum_gradients(theta, widths, states, kernels, slopes, threads)}});
}

}  // namespace condens::press
