#include "rows_in_table.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "model/kernel_rows.hpp"

namespace condens {

namespace {

constexpr Index kPiece = 2048;
constexpr Index kMostPieces = 64;

Matrix one_number(double value) { return Matrix::Constant(1, 1, value); }

Document em_pass(const table_passes::Scale& scale, std::string_view step, const Matrix& means, bool full) {
  return Document::Object{
      {"pass", "gmm"}, {"step", step}, {"scale", scale.to_document()}, {"means", means}, {"full", full}};
}

Document weighing_pass(const table_passes::Scale& scale, std::string_view step, const EmState& state, bool full) {
  return em_pass(scale, step, state.means, full).set("weights", state.weights).set("covariances", state.covariances);
}

/// Moments of a state's part "sum".
EmSums moments_of(const Document& state, Index d, Index k, bool full) {
  const Document& sums = state.at("sum");
  EmSums out(d, k, full);
  out.mass = table_passes::vector_of(sums, "mass", k);
  out.first = table_passes::matrix_of(sums, "first", d, k);
  out.second = table_passes::matrix_of(sums, "second", full ? d * d : d, k);
  out.score = table_passes::number_of(state, "score");
  return out;
}

}  // namespace

EmRowsInTable::EmRowsInTable(RowSums& table, const table_passes::Scale& scale, const table_passes::Extent& extent)
    : EmRows(table.n_inputs() + table.n_targets(), extent.rows, scale.weight_factor() * extent.weight,
             scale.weight_factor() * scale.weight_factor() * extent.squares),
      table_(table),
      scale_(scale) {}

std::vector<EmSums> EmRowsInTable::weighed(const std::vector<EmState>& states, bool full, Task& task) const {
  std::vector<Document> passes;
  for (const EmState& state : states) passes.push_back(weighing_pass(scale_, "weigh", state, full));
  return totals(passes, full, task);
}

std::vector<EmSums> EmRowsInTable::assigned(const std::vector<Matrix>& means, bool full, Task& task) const {
  std::vector<Document> passes;
  for (const Matrix& own : means) passes.push_back(em_pass(scale_, "assign", own, full));
  return totals(passes, full, task);
}

std::vector<EmSums> EmRowsInTable::totals(const std::vector<Document>& passes, bool full, Task& task) const {
  task.poll();
  std::vector<EmSums> all;
  const Index d = dimension();
  for (const Document& state : table_passes::totals_of(table_, passes)) {
    const Index k = passes[all.size()].at("means").as_matrix().cols();
    EmSums& out = all.emplace_back(moments_of(state, d, k, full));
    out.square = table_passes::number_of(state, "square");
    out.cross = table_passes::number_of(state, "cross");
    const Document& least = state.at("smallest");
    out.least = table_passes::matrix_of(least, "keys", 1, table_passes::any_size)(0, 0);
    out.worst = table_passes::matrix_of(least, "columns", d, table_passes::any_size).col(0);
  }
  return all;
}

Document em_learning_pass(const table_passes::Scale& scale, const EmState& state, bool full) {
  return weighing_pass(scale, "learn", state, full);
}

double em_learn(const Document& learned, const EmSettings& settings, EmState& state) {
  constexpr double least_weight = 1e-12;  // of a component: it stays, though it holds nothing
  EmSums sums = moments_of(learned, state.means.rows(), state.means.cols(), settings.full);
  const double total = sums.mass.sum();
  if (total <= 0 || !std::isfinite(total)) {
    throw NumericalError(message("GMM: the rows have the weight ", total, " together, expected some that count"));
  }
  sums.move(state.means);
  em_maximise(sums, settings, state);
  state.weights = state.weights.cwiseMax(least_weight);
  state.weights /= state.weights.sum();
  state.score = sums.score / total;
  return total;
}

Document em_accumulate(const Document& pass, const Dataset& block, const Run& run) {
  const Index d = block.x.rows() + block.y.rows();
  const auto scale = table_passes::Scale::from_document(pass.at("scale"), block.x.rows(), block.y.rows());
  const bool full = pass.at("full").as_bool();
  const bool assign = pass.at("step").as_string() == "assign";
  const bool learn = pass.at("step").as_string() == "learn";
  EmState state;
  state.means = table_passes::matrix_of(pass, "means", d, table_passes::any_size);
  if (!assign) {
    state.weights = table_passes::vector_of(pass, "weights", state.means.cols());
    state.covariances = table_passes::matrix_of(pass, "covariances", full ? d * d : d, state.means.cols());
  }
  // Pieces stay in the cache from the user's scale to the sums.
  const Index pieces = block_count(block.size(), kPiece);
  const Index parts = std::min(pieces, kMostPieces);
  const EmSums nothing(d, state.means.cols(), full);
  std::vector<EmSums> sums(static_cast<std::size_t>(parts), nothing);
  Task task(run, "a block", 1);
  parallel_for(
      parts, task.threads(),
      [&](Index part) {
        const Run alone{.threads = 1, .observer = {}};
        Task own(alone, "a piece", 1);
        for (Index i = part * pieces / parts; i < (part + 1) * pieces / parts; ++i) {
          const Dataset rows =
              scale.standardized(table_passes::neighbours(block, block_range(block.size(), kPiece, i)));
          const EmRowsInMemory em_rows(stacked(rows), rows.weights);
          sums[static_cast<std::size_t>(part)].add(
              (assign ? em_rows.assigned({state.means}, full, own) : em_rows.weighed({state}, full, own)).front());
        }
      },
      [&] { task.poll(); });
  EmSums total = nothing;
  for (const EmSums& part : sums) total.add(part);
  if (learn) {
    total.move(-state.means);
    return Document::Object{{"sum", Document::Object{{"mass", std::move(total.mass)},
                                                     {"first", std::move(total.first)},
                                                     {"second", std::move(total.second)},
                                                     {"score", one_number(total.score)}}}};
  }
  if (assign) {  // no density, and so none that is least
    total.least = 0;
    total.worst = Vector::Zero(state.means.rows());
  }
  return Document::Object{
      {"sum", Document::Object{{"mass", std::move(total.mass)},
                               {"first", std::move(total.first)},
                               {"second", std::move(total.second)},
                               {"score", one_number(total.score)},
                               {"square", one_number(total.square)},
                               {"cross", one_number(total.cross)}}},
      {"smallest",
       Document::Object{{"limit", Index{1}}, {"keys", one_number(total.least)}, {"columns", Matrix(total.worst)}}}};
}

}  // namespace condens
