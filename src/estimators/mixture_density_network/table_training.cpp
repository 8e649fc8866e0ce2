#include "table_training.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "condens/core/errors.hpp"
#include "condens/data/folds.hpp"
#include "optim/owlqn.hpp"

namespace condens::mdn {

namespace {

using table_passes::count_of;
using table_passes::matrix_of;
using table_passes::vector_of;

constexpr Index most_size = 10'000;  // of a network, as in the options: no product of these overflows

Document shape_to_document(const Shape& shape) {
  return Document::Object{{"hidden", shape.hidden},
                          {"layers", shape.layers},
                          {"n_components", shape.n_components},
                          {"skip", shape.skip},
                          {"isotropic", shape.isotropic},
                          {"residual", shape.residual},
                          {"scale_floor", shape.scale_floor},
                          {"most_scale", shape.most_scale}};
}

Shape shape_from_document(const Document& document, Index n_inputs, Index n_targets) {
  return {.n_inputs = n_inputs,
          .n_targets = n_targets,
          .hidden = count_of(document, "hidden", 1, most_size),
          .layers = count_of(document, "layers", 1, 10),
          .n_components = count_of(document, "n_components", 1, most_size),
          .skip = document.at("skip").as_bool(),
          .isotropic = document.at("isotropic").as_bool(),
          .residual = document.at("residual").as_bool(),
          .scale_floor = table_passes::width_of(document, "scale_floor"),
          .most_scale = table_passes::width_of(document, "most_scale")};
}

InputScores scores_from_document(const Document& document, Index n_inputs) {
  const Index count = document.at("inputs").as_matrix().size();
  if (count == 0) return {};
  InputScores out{vector_of(document, "inputs", count), {}, {}};
  out.knots = matrix_of(document, "knots", table_passes::any_size, count);
  out.values = matrix_of(document, "values", out.knots.rows(), count);
  for (const double input : out.inputs) {
    const bool fits = input >= 0 && input < static_cast<double>(n_inputs) && input == std::floor(input);
    if (!fits) throw FormatError(message("a pass over the rows: a score is of input ", input, " of ", n_inputs));
  }
  return out;
}

Matrix row_of(const Vector& values) { return values.transpose(); }

}  // namespace

HeldOutFolds HeldOutFolds::of(double fraction, Index n, std::uint64_t seed) {
  if (fraction <= 0) return {};
  const auto count = static_cast<Index>(std::lround(std::min(1 / fraction, 1.0 * table_passes::most_folds)));
  return {std::min(std::max<Index>(2, count), n), seed};
}

std::vector<Index> HeldOutFolds::at(const std::vector<Index>& places) const {
  return count < 2 ? std::vector<Index>{} : folds_at_places(places, count, seed);
}

std::vector<Index> HeldOutFolds::from(Index first, Index count_of_rows) const {
  return count < 2 ? std::vector<Index>{} : folds_of_places(first, count_of_rows, count, seed);
}

Dataset with_scores(const Dataset& standardized, const InputScores& scores) {
  return {.x = scores.append(standardized.x), .y = standardized.y, .weights = standardized.weights};
}

Document NetworkSums::to_state() const {
  return Document::Object{{"sum", Document::Object{{"weight", row_of(weight)},
                                                   {"loss", row_of(loss)},
                                                   {"gradient", gradient},
                                                   {"held_out_weight", row_of(held_out_weight)},
                                                   {"held_out_loss", row_of(held_out_loss)}}}};
}

NetworkSums NetworkSums::from_state(const Document& state, const Shape& shape, Index networks) {
  const Document& sums = state.at("sum");
  const auto row = [&](std::string_view name) -> Vector { return matrix_of(sums, name, 1, networks).row(0); };
  return {row("weight"), row("loss"), matrix_of(sums, "gradient", shape.n_parameters(), networks),
          row("held_out_weight"), row("held_out_loss")};
}

NetworkSums network_sums(const Shape& shape, const Dataset& rows, const std::vector<Index>& fold, Index folds,
                         const Matrix& parameters, int threads) {
  const Index networks = parameters.cols();
  NetworkSums out{Vector::Zero(networks), Vector::Zero(networks), Matrix::Zero(parameters.rows(), networks),
                  Vector::Zero(networks), Vector::Zero(networks)};
  for (Index m = 0; m < networks; ++m) {
    const RowsOfFold own = fold.empty() ? RowsOfFold{} : rows_of_fold(fold, m % folds);
    const Dataset train = fold.empty() ? rows : rows.subset(own.train);
    if (train.size() > 0) {
      NetworkLoss loss(shape, train.x, train.y, train.weights, 0.0);
      Vector gradient;
      out.weight[m] = train.weights.sum();
      out.loss[m] = out.weight[m] * loss(parameters.col(m), gradient, threads);
      out.gradient.col(m) = out.weight[m] * gradient;
    }
    if (own.test.empty()) continue;
    const Dataset test = rows.subset(own.test);
    out.held_out_weight[m] = test.weights.sum();
    NetworkLoss held_out(shape, test.x, test.y, test.weights, 0.0);
    out.held_out_loss[m] = out.held_out_weight[m] * held_out.mean_loss(parameters.col(m), threads);
  }
  return out;
}

Document network_pass(const table_passes::Scale& scale, const InputScores& scores, const Shape& shape,
                      const HeldOutFolds& folds) {
  return Document::Object{
      {"pass", "mdn"},
      {"scale", scale.to_document()},
      {"scores", Document::Object{{"inputs", scores.inputs}, {"knots", scores.knots}, {"values", scores.values}}},
      {"shape", shape_to_document(shape)},
      {"folds", folds.count},
      {"seed", static_cast<Index>(folds.seed)}};
}

Document network_state(const Document& pass, const Dataset& block, Index first_row, int threads) {
  const auto scale = table_passes::Scale::from_document(pass.at("scale"), block.x.rows(), block.y.rows());
  const InputScores scores = scores_from_document(pass.at("scores"), block.x.rows());
  const Shape shape = shape_from_document(pass.at("shape"), block.x.rows() + scores.inputs.size(), block.y.rows());
  const Matrix& parameters = matrix_of(pass, "parameters", shape.n_parameters(), table_passes::any_size);
  const HeldOutFolds folds{count_of(pass, "folds", 0, table_passes::most_folds),
                           static_cast<std::uint64_t>(pass.at("seed").as_integer())};
  const Dataset rows = with_scores(scale.standardized(block), scores);
  return network_sums(shape, rows, folds.from(first_row, block.size()), folds.count, parameters, threads).to_state();
}

TableTrained train_on_table(const Training& how, const Matrix& start, Index steps,
                            const std::function<NetworkSums(const Matrix&)>& total, const std::function<void()>& poll) {
  const Index size = start.rows();
  const Index networks = start.cols();
  NetworkSums sums;  // at `place`, as value and slope are
  Vector place;
  double value = 0;
  Vector slope(start.size());
  const auto objective = [&](const Vector& at, Vector& gradient) {
    if (at.size() == place.size() && at == place) {
      gradient = slope;
      return value;
    }
    sums = total(at.reshaped(size, networks));
    place = at;
    value = 0;
    for (Index m = 0; m < networks; ++m) {
      Vector own = sums.gradient.col(m) / sums.weight[m];
      value += sums.loss[m] / sums.weight[m] + add_penalty(how.shape, how.decay, at.segment(m * size, size), own);
      slope.segment(m * size, size) = own;
    }
    gradient = slope;
    return value;
  };

  Vector ignored;
  objective(start.reshaped(), ignored);
  const bool held_out = (sums.held_out_weight.array() > 0).all();
  TableTrained out{.parameters = start,
                   .train_loss = Vector(networks),
                   .held_out_loss = Vector::Constant(held_out ? networks : 0, infinity),
                   .held_out_losses = Matrix()};
  Index age = 0;
  std::vector<Vector> trace;
  const auto keep_better = [&] {
    bool better = !held_out;
    for (Index m = 0; m < networks; ++m) {
      const double loss = held_out ? sums.held_out_loss[m] / sums.held_out_weight[m] : 0.0;
      if (held_out && !(loss < out.held_out_loss[m])) continue;
      better = true;
      if (held_out) out.held_out_loss[m] = loss;
      out.train_loss[m] = sums.loss[m] / sums.weight[m];
      out.parameters.col(m) = place.segment(m * size, size);
    }
    if (held_out) trace.emplace_back(sums.held_out_loss.cwiseQuotient(sums.held_out_weight));
    age = better ? 0 : age + 1;
    return age < how.patience;
  };
  keep_better();
  const LbfgsSettings settings{.max_iterations = steps,
                               .unit = 1,
                               .gradient_tolerance = 1e-6,
                               .value_tolerance = 1e-8,
                               .first_step = 0.01,
                               .after_step = [&](const Vector& at) {
                                 objective(at, ignored);
                                 return keep_better();
                               }};
  const LbfgsResult found = minimize_l1(objective, start.reshaped(), Vector::Zero(start.size()), settings, poll);
  out.steps = found.iterations;
  out.held_out_losses.resize(networks, std::ssize(trace));
  for (Index k = 0; k < std::ssize(trace); ++k) out.held_out_losses.col(k) = trace[static_cast<std::size_t>(k)];
  return out;
}

}  // namespace condens::mdn
