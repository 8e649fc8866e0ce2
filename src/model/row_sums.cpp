#include "condens/model/row_sums.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "cells.hpp"
#include "condens/core/errors.hpp"

namespace condens {

namespace {

Matrix side_by_side(const Matrix& a, const Matrix& b) {
  Matrix out(a.rows(), a.cols() + b.cols());
  out << a, b;
  return out;
}

Matrix merged(std::string_view how, const Matrix& a, const Matrix& b) {
  if (how == "sum") return a + b;
  if (how == "low") return a.cwiseMin(b);
  if (how == "high") return a.cwiseMax(b);
  return side_by_side(a, b);
}

[[noreturn]] void refuse(std::string_view part) {
  throw FormatError(message("merge_states: '", part,
                            "' differs in shape or is in one of them only, expected states of ",
                            "one pass over one table"));
}

/// The columns of the smallest keys, those of `a` before those of `b` where keys are equal.
Document smallest_of(const Document& a, const Document& b) {
  const Index limit = a.at("limit").as_integer();
  const auto fits = [&](const Document& part) {
    const Matrix& keys = part.at("keys").as_matrix();
    return part.at("limit").as_integer() == limit && keys.rows() == 1 &&
           keys.cols() == part.at("columns").as_matrix().cols();
  };
  if (limit < 1 || !fits(a) || !fits(b)) refuse("smallest");
  const Matrix keys = side_by_side(a.at("keys").as_matrix(), b.at("keys").as_matrix());
  const Matrix columns = side_by_side(a.at("columns").as_matrix(), b.at("columns").as_matrix());
  std::vector<Index> order(static_cast<std::size_t>(keys.cols()));
  std::iota(order.begin(), order.end(), Index{0});
  if (keys.cols() > limit) {
    std::stable_sort(order.begin(), order.end(), [&](Index i, Index j) { return keys(0, i) < keys(0, j); });
    order.resize(static_cast<std::size_t>(limit));
    std::sort(order.begin(), order.end());
  }
  return Document::Object{
      {"limit", limit}, {"keys", Matrix(keys(Eigen::all, order))}, {"columns", Matrix(columns(Eigen::all, order))}};
}

Document cells_together(const Document& a, const Document& b) {
  const Cells left = Cells::from_document(a);
  const Cells right = Cells::from_document(b);
  if (left.limit != right.limit || left.keys.rows() != right.keys.rows()) refuse("cells");
  return Cells::merged(left, right).to_document();
}

/// Chan, Golub and LeVeque (1983), eq. 2.1, which leaves means that are equal as they are; a mean that is infinite
/// stays so.
Document moments_together(const Document& a, const Document& b) {
  const auto weight_of = [](const Document& part) {
    const Matrix& out = part.at("weight").as_matrix();
    if (out.size() != 1 || !(out(0, 0) > 0)) refuse("weight");
    return out(0, 0);
  };
  const double weight = weight_of(a) + weight_of(b);
  const double share = weight_of(b) / weight;
  Document out(Document::Object{{"weight", Matrix(Matrix::Constant(1, 1, weight))}});
  for (const auto& [name, value] : a.as_object()) {
    if (name == "weight") continue;
    const Document* other = b.find(name);
    if (other == nullptr) refuse(name);
    Matrix merged_moments = value.as_matrix();
    const Matrix& added = other->as_matrix();
    if (merged_moments.rows() != 2 || added.rows() != 2 || merged_moments.cols() != added.cols()) refuse(name);
    for (Index k = 0; k < added.cols(); ++k) {
      const double step = added(0, k) - merged_moments(0, k);
      merged_moments(1, k) += added(1, k) + step * step * (weight_of(a) * share);
      if (std::isfinite(step))
        merged_moments(0, k) += step * share;
      else
        merged_moments(0, k) = (1 - share) * merged_moments(0, k) + share * added(0, k);
    }
    out.set(name, std::move(merged_moments));
  }
  return out;
}

Document::Array each_merged(const Document::Array& a, const Document::Array& b) {
  if (a.size() != b.size()) refuse("each");
  Document::Array out;
  for (std::size_t i = 0; i < a.size(); ++i) out.push_back(merge_states(a[i], b[i]));
  return out;
}

}  // namespace

RowSums::RowSums(Index n_inputs, Index n_targets, std::vector<Index> groups)
    : n_inputs_(n_inputs), n_targets_(n_targets), groups_(std::move(groups)) {}

Document RowSums::total_once(const Document& pass) {
  for (const auto& [asked, state] : known_) {
    if (asked == pass) return state;
  }
  known_.emplace_back(pass, total(pass));
  return known_.back().second;
}

Document merge_states(const Document& a, const Document& b) {
  if (a.as_object().empty()) return b;
  if (b.as_object().empty()) return a;
  Document out(Document::Object{});
  if (a.as_object().size() != b.as_object().size()) refuse("state");
  for (const auto& [how, part] : a.as_object()) {
    const Document* other = b.find(how);
    if (how == "each" && other != nullptr) {
      out.set(how, each_merged(part.as_array(), other->as_array()));
      continue;
    }
    if (other == nullptr || other->as_object().size() != part.as_object().size()) refuse(how);
    if (how == "smallest") {
      if (part.at("columns").as_matrix().rows() != other->at("columns").as_matrix().rows()) refuse(how);
      out.set(how, smallest_of(part, *other));
      continue;
    }
    if (how == "cells") {
      out.set(how, cells_together(part, *other));
      continue;
    }
    if (how == "moments") {
      out.set(how, moments_together(part, *other));
      continue;
    }
    Document merged_part(Document::Object{});
    for (const auto& [name, value] : part.as_object()) {
      const Document* value_of_b = other->find(name);
      if (value_of_b == nullptr) refuse(name);
      const Matrix& left = value.as_matrix();
      const Matrix& right = value_of_b->as_matrix();
      if (left.rows() != right.rows() || (how != "columns" && left.cols() != right.cols())) refuse(name);
      merged_part.set(name, merged(how, left, right));
    }
    out.set(how, std::move(merged_part));
  }
  return out;
}

Document scaled_state(const Document& state, double factor) {
  Document sums(Document::Object{});
  for (const auto& [how, part] : state.as_object()) {
    if (how != "sum") throw FormatError(message("scaled_state: a state with '", how, "' has no multiples"));
    for (const auto& [name, value] : part.as_object()) sums.set(name, Matrix(value.as_matrix() * factor));
  }
  return Document::Object{{"sum", std::move(sums)}};
}

}  // namespace condens
