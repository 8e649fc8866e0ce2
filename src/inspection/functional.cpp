#include "condens/inspection/functional.hpp"

#include <cmath>

#include "condens/core/errors.hpp"
#include "condens/data/table.hpp"
#include "numbers.hpp"

namespace condens {

namespace {

constexpr std::string_view functional_names = "mean, std, median, quantile:p, width:p, asymmetry, above:v, log-score";

Vector asymmetry_of(const TargetDistributions& laws, const Run& run) {
  const Matrix q = laws.quantile(Vector{{0.1, 0.5, 0.9}}, run);
  Vector out(laws.size());
  for (Index i = 0; i < out.size(); ++i) {
    const double range = q(2, i) - q(0, i);
    out[i] = range > 0 ? ((q(2, i) - q(1, i)) - (q(1, i) - q(0, i))) / range : 0.0;
  }
  return out;
}

}  // namespace

Functional Functional::parse(std::string_view text) {
  const std::string name(text.substr(0, text.find(':')));
  const bool has_number = name.size() < text.size();
  const std::optional<double> number =
      has_number ? parse_number(text.substr(name.size() + 1)) : std::optional<double>();
  const auto plain = [&](Kind kind, std::string_view known) {
    require(!has_number, "of = '", text, "', expected '", known, "' without a number");
    return Functional(kind, 0.0, std::string(known));
  };
  if (name == "mean") return plain(Kind::mean, "mean");
  if (name == "std" || name == "sd") return plain(Kind::std, "std");
  if (name == "median") return plain(Kind::median, "median");
  if (name == "asymmetry") return plain(Kind::asymmetry, "asymmetry");
  if (name == "log-score") return plain(Kind::log_score, "log-score");
  if (name == "quantile" || name == "width") {
    require(number && *number > 0 && *number < 1, "of = '", text, "', expected ", name,
            ":p with a probability p between 0 and 1, as ", name, ":0.9");
    return {name == "width" ? Kind::width : Kind::quantile, *number, name + ":" + format_number(*number)};
  }
  if (name == "above") {
    require(number && std::isfinite(*number), "of = '", text, "', expected above:v with a number v, as above:10");
    return {Kind::above, *number, name + ":" + format_number(*number)};
  }
  throw std::invalid_argument(message("of = '", text, "', expected one of ", functional_names));
}

Functional Functional::quantile(double p) { return parse("quantile:" + format_number(p)); }

std::vector<Functional> parse_functionals(std::string_view text) {
  std::vector<Functional> out;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    out.push_back(Functional::parse(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return out;
}

Vector Functional::of(const TargetDistributions& laws, const VectorView& y, const Run& run) const {
  switch (kind_) {
    case Kind::mean:
      return laws.mean(run).row(0).transpose();
    case Kind::std:
      return laws.variance(run).row(0).transpose().cwiseSqrt();
    case Kind::median:
      return laws.median(run);
    case Kind::quantile:
      return laws.quantile(Vector::Constant(1, number_), run).row(0).transpose();
    case Kind::width: {
      const Matrix ends = laws.interval(number_, run);
      return (ends.row(1) - ends.row(0)).transpose();
    }
    case Kind::asymmetry:
      return asymmetry_of(laws, run);
    case Kind::above:
      return laws.sf(Vector::Constant(laws.size(), number_), run);
    case Kind::log_score:
      break;
  }
  return laws.log_pdf(y.transpose(), run);
}

TargetDistributions Inspected::predict(const MatrixView& x, const Run& run) const {
  if (kind != nullptr) return kind->predict(density, x, run);
  GaussianMixtures laws = density.predict(x, run);
  return {density.n_targets() == 1 ? std::move(laws) : laws.marginal(target), {}};
}

void Inspected::check(std::string_view owner, const MatrixView& x) const {
  require(x.rows() == density.n_inputs(), owner, ": the rows have ", x.rows(), " inputs, expected ", density.n_inputs(),
          " as in the fit");
  require(density.n_inputs() > 0, owner, ": the model has no inputs, expected at least one that could move it");
  require(x.cols() > 0, owner, ": there are no rows, expected at least one");
  require(target >= 0 && target < density.n_targets(), owner, ": target ", target, ", expected 0 to ",
          density.n_targets() - 1);
}

Measure measure_of(const std::vector<Functional>& of) {
  return [of](const TargetDistributions& laws, const VectorView& y, const Run& run) {
    Matrix out(std::ssize(of), laws.size());
    for (std::size_t k = 0; k < of.size(); ++k) out.row(static_cast<Index>(k)) = of[k].of(laws, y, run).transpose();
    return out;
  };
}

Matrix ask(const Inspected& model, Index count, const MakeColumns& make, Index n_measures, const Measure& measure,
           const std::string& task_name, const Run& run) {
  constexpr Index columns_together = 256;
  Matrix out(n_measures, count);
  Task task(run, task_name, static_cast<double>(count));
  parallel_for(
      block_count(count, columns_together), task.threads(),
      [&](Index block) {
        const Run here{.threads = 1, .observer = {}};
        const Range range = block_range(count, columns_together, block);
        const Asked columns = make(range);
        out.middleCols(range.begin, range.size()) = measure(model.predict(columns.x, here), columns.y, here);
        task.advance(static_cast<double>(range.size()));
      },
      [&] { task.poll(); });
  return out;
}

void check_targets(const char* owner, const std::vector<Functional>& of, Index n_targets, Index n_rows) {
  require(!of.empty(), owner, ": of is empty, expected at least one functional");
  for (const Functional& own : of) {
    require(!own.needs_target() || n_targets == n_rows, owner, ": of = '", own.text(),
            "' needs the target of every row, ", "there are ", n_targets, " of ", n_rows);
  }
}

}  // namespace condens
