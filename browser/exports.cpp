// What the page asks the core: the inputs of a model, and the distribution at some values of them. Questions and
// answers are JSON; what goes wrong is an answer of its own, {"error": sentence}. A curve is read where it lies.

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "condens/core/errors.hpp"
#include "condens/io/document_format.hpp"
#include "condens/io/model_file.hpp"
#include "condens/registry.hpp"

namespace condens {

namespace {

constexpr Index points_of_curve = 401;
constexpr double most_bars = 400;
const Run run{.threads = 1, .observer = {}};

std::optional<Model> opened;
Matrix curve;  // 2 x points: y, density

/// The answer lives until the next one.
const char* answer(const std::function<Document()>& body) {
  static std::string text;
  try {
    text = document_to_json(body());
  } catch (const std::exception& error) {
    text = document_to_json(Document::Object{{"error", error.what()}});
  } catch (...) {
    text = document_to_json(Document::Object{{"error", "something went wrong that has no name"}});
  }
  return text.c_str();
}

/// JSON has no infinity.
Document number(double value) { return std::isfinite(value) ? Document(value) : Document(); }

Document numbers(const VectorView& values) {
  Document::Array out;
  for (const double value : values) out.push_back(number(value));
  return out;
}

Vector vector_of(const Document& values) {
  const std::vector<double> list = values.as_numbers();
  return Eigen::Map<const Vector>(list.data(), std::ssize(list));
}

bool is_asked(const EncodedColumn& input) { return input.missing_of.empty(); }

/// A range to move in: that of the training rows or, where the file does not say, two standard deviations of them.
Document input_document(const EncodedColumn& input, Index row) {
  Document out;
  out.set("name", input.name);
  if (input.is_categorical()) {
    return out.set("kind", "levels").set("levels", Document(input.levels)).set("typical", input.typical_level);
  }
  double low = input.low;
  double typical = input.typical;
  double high = input.high;
  if (input.is_number() && low == 0 && high == 0) {
    const Standardizer& scale = opened->density->x_scale();
    typical = scale.mean()[row];
    low = typical - 2 * scale.scale()[row];
    high = typical + 2 * scale.scale()[row];
  }
  out.set("kind", input.is_date() ? "date" : "number");
  return out.set("low", low).set("typical", typical).set("high", high);
}

Document model_document() {
  const Encoder& encoder = opened->encoder;
  const std::vector<std::vector<Index>> groups = encoder.groups();
  Document::Array inputs;
  for (std::size_t i = 0; i < encoder.input_columns().size(); ++i) {
    const EncodedColumn& input = encoder.input_columns()[i];
    if (is_asked(input)) inputs.push_back(input_document(input, groups[i].front()));
  }
  const ModelInfo& info = find_model(opened->density->model_name());
  Document out;
  out.set("name", info.class_name).set("title", info.title).set("rows", opened->density->report().n_rows_with_atoms());
  out.set("inputs", std::move(inputs)).set("targets", Document(names_of(encoder.targets())));
  out.set("may_be_missing", encoder.missing() != MissingInputs::error);
  out.set("target_kind", opened->target ? opened->target->kind().text() : "real");
  return out.set("guaranteed", opened->conformal.has_value());
}

/// One row, of what the page says of the inputs; what is null is missing.
Matrix inputs_of(const Document& values) {
  const Encoder& encoder = opened->encoder;
  Table row;
  for (const EncodedColumn& input : encoder.input_columns()) {
    if (!is_asked(input)) continue;
    const Document& value = values.at(input.name);
    if (input.is_number())
      row.add({input.name, std::vector<double>{value.is_null() ? std::nan("") : value.as_number()}});
    else
      row.add({input.name, std::vector<std::string>{value.is_null() ? "" : value.as_string()}});
  }
  return row.columns().empty() ? Matrix(0, 1) : encoder.encode_inputs(row);
}

struct Question {
  Matrix x;  // one column
  Index target;
  Vector levels;    // of quantiles
  double interval;  // its probability
  Vector at;        // values of y to tell density and distribution function of
  Vector range;     // of y that was shown before, or empty
};

Question question_of(const Document& asked) {
  Question out{.x = inputs_of(asked.at("inputs")),
               .target = asked.at("target").as_integer(),
               .levels = vector_of(asked.at("levels")),
               .interval = asked.at("interval").as_number(),
               .at = vector_of(asked.at("at")),
               .range = vector_of(asked.at("range"))};
  require(out.target >= 0 && out.target < opened->density->n_targets(), "target = ", out.target, ", expected one of ",
          opened->density->n_targets());
  require(out.range.size() == 0 || out.range.size() == 2, "range, expected two numbers or none");
  return out;
}

/// What is shown of y: where training rows were and nearly all of the probability is, and what was shown before.
template <class Laws>
Vector range_of(const Laws& laws, const Question& asked) {
  const EncodedColumn& target = opened->encoder.targets()[static_cast<std::size_t>(asked.target)];
  const Matrix ends = laws.quantile(Vector{{0.0005, 0.9995}}, run);
  const double margin = 0.05 * (target.high - target.low);
  Vector out{{ends(0, 0), ends(1, 0)}};
  if (target.low < target.high) {
    out[0] = std::min(out[0], target.low == 0 ? 0 : target.low - margin);
    out[1] = std::max(out[1], target.high + margin);
  }
  if (asked.range.size() == 2) {
    out[0] = std::min(out[0], asked.range[0]);
    out[1] = std::max(out[1], asked.range[1]);
  }
  if (!(out[0] < out[1])) out += Vector{{-1, 1}};
  return out;
}

void draw(const auto& laws, const Vector& range) {
  const Vector y = Vector::LinSpaced(points_of_curve, range[0], range[1]);
  curve.resize(2, points_of_curve);
  curve.row(0) = y;
  curve.row(1) = laws.log_pdf_grid(y.transpose(), run).col(0).array().exp();
}

/// Values with a probability of their own: those that can be counted in the range, unless they are too many, or atoms.
Document masses(const TargetDistributions& laws, const Vector& range) {
  const TargetSupport& support = laws.support();
  std::vector<double> values = support.atoms;
  if (support.is_discrete()) {
    const double first = std::max(0.0, support.values.place_at(range[0]));
    const double last = std::min(support.values.place_at(range[1]), support.values.last_place());
    for (double place = first; place <= last && last - first < most_bars; ++place)
      values.push_back(support.values.value(place));
  }
  Document::Array out;
  for (const double value : values) {
    out.push_back(Document::Object{{"y", value}, {"p", laws.mass_at(Vector::Constant(1, value), run)[0]}});
  }
  return out;
}
Document masses(const GaussianMixtures&, const Vector&) { return Document::Array{}; }

bool is_discrete(const TargetDistributions& laws) { return laws.support().is_discrete(); }
bool is_discrete(const GaussianMixtures&) { return false; }

template <class Laws>
Document distribution_of(const Laws& laws, const Question& asked) {
  const Vector range = range_of(laws, asked);
  draw(laws, range);
  const Matrix interval =
      opened->conformal ? conformal_intervals(*opened->conformal, laws, asked.interval, asked.x, std::nullopt, run)
                        : laws.interval(asked.interval, run);
  Document out;
  out.set("mean", number(laws.mean(run)(0, 0))).set("std", number(std::sqrt(laws.variance(run)(0, 0))));
  out.set("mode", number(laws.mode(run)(0, 0))).set("quantiles", numbers(laws.quantile(asked.levels, run).col(0)));
  out.set("interval", numbers(interval.col(0))).set("range", numbers(range));
  out.set("masses", masses(laws, range)).set("is_discrete", is_discrete(laws));
  Document::Array at;
  for (const double y : asked.at) {
    const Vector one = Vector::Constant(1, y);
    at.push_back(Document::Object{
        {"y", y}, {"log_density", number(laws.log_pdf(one.transpose(), run)[0])}, {"cdf", laws.cdf(one, run)[0]}});
  }
  return out.set("at", std::move(at));
}

Document distribution_of(const Question& asked) {
  if (opened->target) return distribution_of(opened->target->predict(*opened->density, asked.x, run), asked);
  const GaussianMixtures laws = opened->density->predict(asked.x, run);
  return distribution_of(laws.dimension() == 1 ? laws : laws.marginal(asked.target), asked);
}

}  // namespace

}  // namespace condens

extern "C" {

// What Emscripten's C library declares and does not have: on how many processors threads may run.
int sched_getaffinity(pid_t, std::size_t, cpu_set_t*) { return -1; }
int __sched_cpucount(std::size_t, const cpu_set_t*) { return 1; }

/// Opens a model file's bytes, and tells its inputs and targets.
const char* open_model(const char* bytes, std::size_t size) {
  return condens::answer([&] {
    condens::opened.reset();
    condens::opened = condens::parse_model({bytes, size}, "the model");
    return condens::model_document();
  });
}

/// {"inputs": {name: value}, "target": 0, "levels": [...], "interval": 0.9, "at": [...], "range": [...]}
const char* distribution(const char* question, std::size_t size) {
  return condens::answer([&] {
    condens::require(condens::opened.has_value(), "no model is open");
    return condens::distribution_of(condens::question_of(condens::document_from_json({question, size}, "question")));
  });
}

/// Of the last distribution: y and density, one pair after the other.
const double* curve_data() { return condens::curve.data(); }
int curve_points() { return static_cast<int>(condens::curve.cols()); }

}  // extern "C"
