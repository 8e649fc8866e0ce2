#include "table_documents.hpp"

#include <cmath>

#include "condens/core/errors.hpp"

namespace condens::boosting {

using table_passes::count_of;
using table_passes::matrix_of;
using table_passes::vector_of;
using trees::BinnedInput;
using trees::Code;

namespace {

constexpr Index most_codes = 65'000;

/// Whole numbers below a bound.
Index whole_of(double value, Index most, std::string_view part) {
  const bool fits = value >= 0 && value < static_cast<double>(most) && value == std::floor(value);
  if (!fits) {
    refuse_pass(part, message("a whole number below ", most));
  }
  return static_cast<Index>(value);
}

BinnedInput input_of(const Document& document, Index n_inputs) {
  BinnedInput out{table_passes::inputs_of(document.at("rows"), n_inputs), {}, 0, {}};
  if (out.rows.empty() || std::ssize(out.rows) > most_codes) refuse_pass("rows", "at least one of an input");
  const Vector edges = document.at("edges").as_vector();
  if (edges.size() > most_codes) refuse_pass("edges", message(most_codes, " at most"));
  out.edges.assign(edges.begin(), edges.end());
  out.n_codes = (out.categorical() ? std::ssize(out.rows) : std::ssize(out.edges)) + 1;
  return out;
}

}  // namespace

void refuse_pass(std::string_view part, std::string_view expected) {
  throw FormatError(message("a pass of boosted trees: '", part, "', expected ", expected));
}

GrownTree tree_of(const Document& document, const std::vector<BinnedInput>& inputs, Index n_leaves) {
  const Matrix& nodes = matrix_of(document, "nodes", 3, table_passes::any_size);
  GrownTree out;
  for (Index k = 0; k < nodes.cols(); ++k) {
    GrownTree::Node node;
    if (nodes(0, k) < 0) {
      node.next = whole_of(nodes(2, k), n_leaves, "nodes");
    } else {
      node.input = whole_of(nodes(0, k), std::ssize(inputs), "nodes");
      node.code =
          static_cast<Code>(whole_of(nodes(1, k), inputs[static_cast<std::size_t>(node.input)].n_codes, "nodes"));
      node.next = whole_of(nodes(2, k), nodes.cols() - 1, "nodes");
      if (node.next <= k) refuse_pass("nodes", "children behind their parent");
    }
    out.nodes.push_back(node);
  }
  const Document::Array& places = document.at("places").as_array();
  auto next = places.begin();
  for (const BinnedInput& input : inputs) {
    out.places.emplace_back();
    if (!input.categorical()) continue;
    if (next == places.end()) refuse_pass("places", "those of every category");
    const Vector own = (next++)->as_vector();
    if (own.size() != input.n_codes) refuse_pass("places", "a place for every level");
    for (const double place : own) {
      out.places.back().push_back(static_cast<Code>(whole_of(place, input.n_codes, "places")));
    }
  }
  return out;
}

GrownTree added_tree(const Document& document, const std::vector<BinnedInput>& inputs) {
  const Matrix& steps = matrix_of(document, "steps", 2, table_passes::any_size);
  GrownTree out = tree_of(document, inputs, steps.cols());
  for (Index k = 0; k < steps.cols(); ++k) out.steps.push_back({steps(0, k), steps(1, k)});
  return out;
}

Residuals residuals_of(const Document& document, Index n_targets) {
  const Matrix& means = matrix_of(document, "means", n_targets, table_passes::any_size);
  Residuals out{table_passes::widths_of(document, "weights", means.cols()), means,
                matrix_of(document, "scales", n_targets, means.cols())};
  if (!(out.scales.array() > 0).all()) refuse_pass("scales", "numbers > 0");
  return out;
}

const Document::Array& trees_of(const Document& document, Index n_models) {
  const Document::Array& out = document.at("trees").as_array();
  if (std::ssize(out) != n_models) refuse_pass("trees", "one of every model");
  return out;
}

std::size_t bins_of(const std::vector<BinnedInput>& inputs) {
  Index out = 0;
  for (const BinnedInput& input : inputs) out += input.n_codes;
  return static_cast<std::size_t>(out);
}

Document document_of(const GrownTree& tree) {
  Matrix nodes(3, std::ssize(tree.nodes));
  for (Index k = 0; k < nodes.cols(); ++k) {
    const GrownTree::Node& node = tree.nodes[static_cast<std::size_t>(k)];
    nodes.col(k) << static_cast<double>(node.input), static_cast<double>(node.code), static_cast<double>(node.next);
  }
  Document::Array places;
  for (const std::vector<Code>& own : tree.places) {
    if (!own.empty())
      places.emplace_back(
          Vector(Eigen::Map<const Eigen::Matrix<Code, Eigen::Dynamic, 1>>(own.data(), std::ssize(own)).cast<double>()));
  }
  Document out(Document::Object{{"nodes", std::move(nodes)}, {"places", std::move(places)}});
  if (tree.steps.empty()) return out;
  Matrix steps(2, std::ssize(tree.steps));
  for (Index k = 0; k < steps.cols(); ++k) {
    steps.col(k) << tree.steps[static_cast<std::size_t>(k)][0], tree.steps[static_cast<std::size_t>(k)][1];
  }
  out.set("steps", std::move(steps));
  return out;
}

Document document_of(const Residuals& residuals) {
  return Document::Object{{"weights", residuals.weights}, {"means", residuals.means}, {"scales", residuals.scales}};
}

Document event_of(const std::vector<GrownTree>& trees, Index target) {
  Document::Array all;
  for (const GrownTree& tree : trees) all.push_back(document_of(tree));
  return Document::Object{{"target", target}, {"trees", std::move(all)}};
}

Document event_of(const Vector& offset) { return Document::Object{{"offset", offset}}; }

Document TableSetup::to_document() const {
  Document::Array all;
  for (const BinnedInput& input : inputs) {
    all.emplace_back(
        Document::Object{{"rows", table_passes::document_of(input.rows)},
                         {"edges", Vector(Eigen::Map<const Vector>(input.edges.data(), std::ssize(input.edges)))}});
  }
  return Document::Object{{"scale", scale.to_document()},
                          {"inputs", std::move(all)},
                          {"folds", folds},
                          {"seed", seed},
                          {"weight_unit", weight_unit},
                          {"location", start.location},
                          {"log_scale", start.log_scale},
                          {"least_log_scale", start.least_log_scale},
                          {"greatest_log_scale", start.greatest_log_scale}};
}

TableSetup TableSetup::from_document(const Document& document, Index n_inputs, Index n_targets) {
  const auto of = [&](std::string_view name) { return vector_of(document, name, n_targets); };
  TableSetup out{table_passes::Scale::from_document(document.at("scale"), n_inputs, n_targets),
                 {},
                 count_of(document, "folds", 1, 100),
                 document.at("seed").as_integer(),
                 table_passes::width_of(document, "weight_unit"),
                 {of("location"), of("log_scale"), of("least_log_scale"), of("greatest_log_scale")}};
  if (!(out.start.least_log_scale.array() <= out.start.greatest_log_scale.array()).all()) {
    refuse_pass("least_log_scale", "numbers that are not above the greatest");
  }
  for (const Document& own : document.at("inputs").as_array()) out.inputs.push_back(input_of(own, n_inputs));
  return out;
}

}  // namespace condens::boosting
