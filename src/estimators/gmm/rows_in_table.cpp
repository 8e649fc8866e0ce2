#include "rows_in_table.hpp"

#include <utility>

#include "model/kernel_rows.hpp"

namespace condens {

namespace {

Matrix one_number(double value) { return Matrix::Constant(1, 1, value); }

Document em_pass(const table_passes::Scale& scale, std::string_view step, const Matrix& means, bool full) {
  return Document::Object{
      {"pass", "gmm"}, {"step", step}, {"scale", scale.to_document()}, {"means", means}, {"full", full}};
}

}  // namespace

EmRowsInTable::EmRowsInTable(RowSums& table, const table_passes::Scale& scale, Index rows)
    : EmRows(table.n_inputs() + table.n_targets(), rows, static_cast<double>(rows), static_cast<double>(rows)),
      table_(table),
      scale_(scale) {}

EmSums EmRowsInTable::weighed(const EmState& state, bool full, Task& task) const {
  Document pass = em_pass(scale_, "weigh", state.means, full);
  pass.set("weights", state.weights).set("covariances", state.covariances);
  return total(pass, state.means.cols(), full, task);
}

EmSums EmRowsInTable::assigned(const Matrix& means, bool full, Task& task) const {
  return total(em_pass(scale_, "assign", means, full), means.cols(), full, task);
}

EmSums EmRowsInTable::total(const Document& pass, Index k, bool full, Task& task) const {
  task.poll();
  const Document state = table_.total(pass);
  const Document& sums = state.at("sum");
  EmSums out(dimension(), k, full);
  out.mass = sums.at("mass").as_vector();
  out.first = sums.at("first").as_matrix();
  out.second = sums.at("second").as_matrix();
  out.score = table_passes::number_of(state, "score");
  out.square = table_passes::number_of(state, "square");
  out.cross = table_passes::number_of(state, "cross");
  const Document& least = state.at("smallest");
  out.least = least.at("keys").as_matrix()(0, 0);
  out.worst = least.at("columns").as_matrix().col(0);
  return out;
}

Document em_accumulate(const Document& pass, const Dataset& block, const Run& run) {
  const Dataset data = table_passes::Scale::from_document(pass.at("scale")).standardized(block);
  const Matrix z = stacked(data);
  const EmRowsInMemory rows(z, data.weights);
  const bool full = pass.at("full").as_bool();
  Task task(run, "a block", 1);
  EmSums sums = [&] {
    if (pass.at("step").as_string() == "assign") {
      EmSums out = rows.assigned(pass.at("means").as_matrix(), full, task);
      out.least = 0;
      out.worst = z.col(0);
      return out;
    }
    EmState state;
    state.weights = pass.at("weights").as_vector();
    state.means = pass.at("means").as_matrix();
    state.covariances = pass.at("covariances").as_matrix();
    return rows.weighed(state, full, task);
  }();
  return Document::Object{
      {"sum", Document::Object{{"mass", std::move(sums.mass)},
                               {"first", std::move(sums.first)},
                               {"second", std::move(sums.second)},
                               {"score", one_number(sums.score)},
                               {"square", one_number(sums.square)},
                               {"cross", one_number(sums.cross)}}},
      {"smallest",
       Document::Object{{"limit", Index{1}}, {"keys", one_number(sums.least)}, {"columns", Matrix(sums.worst)}}}};
}

}  // namespace condens
