#include "blow_up.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>

#include "common/markdown.hpp"
#include "common/repetitions.hpp"
#include "condens/data/folds.hpp"
#include "condens/estimators/lscde.hpp"
#include "condens/model/projected_density.hpp"
#include "condens/registry.hpp"

namespace condens::reproduce {

namespace {

const Run one_thread{.threads = 1, .observer = {}};
constexpr Index n_folds = 5;
constexpr double little_mass = 0.1;
constexpr const char* subspaces[] = {"LSCE", "LSMI", "all inputs"};

/// How width and penalty are chosen on a given subspace. LSCE with as many components as there are inputs has nothing
/// to search, and is LSCDE whose candidates are scored by the fit; LSCDE scores the density.
struct Choice {
  const char* name;
  const char* model;  ///< "": as the method of the tables has chosen them
  bool masked;
  bool own_width_y;
};
constexpr std::array<Choice, 6> choices = {{{"as in Table 1", "", false, false},
                                            {"by the fit", "lsce", false, false},
                                            {"by the fit; masked", "lsce", true, false},
                                            {"by the fit; own width of y", "lsce", false, true},
                                            {"by the density", "lscde", false, false},
                                            {"by the density; masked", "lscde", true, false}}};

/// What a record holds of each choice, in its order. Errors are of y divided by its range, as in Table 1.
enum class Part {
  width,         ///< of z, in standard deviations
  width_y,       ///< of y
  penalty,       ///< lambda
  kernel,        ///< error of one kernel of y alone, away from it
  held_fit,      ///< error of the fit, five folds
  held_density,  ///< and of the density
  fit,           ///< on the test rows
  density,
  median,     ///< over the test rows, of the density's error
  lone_rows,  ///< share of test rows where the fit has less than `little_mass`
  lone_error  ///< what they add to the error of the density
};
constexpr std::size_t n_parts = 11;

std::size_t place_of(std::size_t choice, Part part) { return 1 + n_parts * choice + static_cast<std::size_t>(part); }

/// Of every row: the mass of the fit, and the errors of the density and of the fit.
struct Errors {
  Vector mass;
  Vector density;
  Vector fit;
};

const Lscde& density_of(const ConditionalDensity& model) {
  const auto* projected = dynamic_cast<const ProjectedDensity*>(&model);
  return dynamic_cast<const Lscde&>(projected == nullptr ? model : projected->inner());
}

/// The integral over y of a'(phi(z) o psi(y)), with a clipped at zero.
Vector masses(const Lscde& density, const MatrixView& z) {
  const LscdeState& state = density.state();
  const Matrix at = density.input_scale().transform(z);
  const double kernel = std::pow(std::sqrt(2 * std::numbers::pi) * state.bandwidth_y, state.centers_y.rows());
  Vector out(at.cols());
  for (Index i = 0; i < at.cols(); ++i) {
    const Vector squares = (state.centers_x.colwise() - at.col(i)).colwise().squaredNorm();
    const Vector phi = (squares * (-0.5 / (state.bandwidth * state.bandwidth))).array().exp();
    out[i] = kernel * state.coefficients.dot(phi);
  }
  return out;
}

/// `unit`: the range of y in the units of the rows.
Errors errors_of(const Lscde& density, const Dataset& rows, const Vector& unit) {
  const GaussianMixtures laws = density.predict(rows.x, one_thread);
  const double factor = unit.prod();
  const Vector loss = factor * laws.squared_loss(rows.y, one_thread);
  const Vector at_y = factor * laws.log_pdf(rows.y, one_thread).array().exp().matrix();
  Errors out{masses(density, rows.x), loss, {}};
  out.fit = out.mass.array().square() * (loss + at_y).array() - out.mass.array() * at_y.array();
  return out;
}

/// With the width and penalty of `chosen`, on the rows of five folds that were not fitted; every row is a centre.
Errors held_out(const Lscde& chosen, bool masked, const Dataset& data, const Vector& unit, Index seed) {
  const std::vector<Index> fold = assign_folds(data.size(), n_folds, static_cast<std::uint64_t>(seed));
  LscdeOptions options = LscdeOptions::paper();
  options.bandwidth = {chosen.state().bandwidth};
  options.bandwidth_y = {chosen.state().bandwidth_y};
  options.regularization = {chosen.state().regularization};
  options.standardize = false;
  options.n_centers = data.size();
  if (!masked) {
    options.centers.resize(data.x.rows() + data.y.rows(), data.size());
    options.centers << data.x, data.y;
  }
  Errors out{Vector(data.size()), Vector(data.size()), Vector(data.size())};
  for (Index k = 0; k < n_folds; ++k) {
    const auto [train, test] = rows_of_fold(fold, k);
    const Errors own = errors_of(Lscde::fit(data.subset(train), options, one_thread), data.subset(test), unit);
    out.mass(test) = own.mass;
    out.density(test) = own.density;
    out.fit(test) = own.fit;
  }
  return out;
}

std::unique_ptr<ConditionalDensity> choose(const Choice& choice, const Dataset& data, Index seed) {
  Document options(Document::Object{});
  options.set("standardize", false).set("scoring", "squared").set("mask_centers", choice.masked).set("seed", seed);
  if (std::string_view(choice.model) == "lsce")
    options.set("n_components", Document(std::vector<double>{static_cast<double>(data.x.rows())}));
  if (choice.own_width_y) options.set("bandwidth_y", Document(LscdeOptions::paper().bandwidth));
  return find_model(choice.model).fit(data, "paper", options, one_thread);
}

Method method_of(std::string_view subspace) {
  const std::string label = subspace == "all inputs" ? "None/LSCDE" : std::string(subspace) + "/LSCDE";
  for (const Method& method : paper_methods())
    if (method.label == label) return method;
  throw std::invalid_argument("no method '" + label + "'");
}

/// x as the subspace has it, and y, both of them in standard deviations of the training rows.
Problem reduced(const Problem& problem, const Matrix& components) {
  const Standardizer scale_x = Standardizer::fit(problem.train.x, Vector());
  const Standardizer scale_y = Standardizer::fit(problem.train.y, Vector());
  const auto of = [&](const Dataset& rows) {
    return Dataset{.x = components * scale_x.transform(rows.x), .y = scale_y.transform(rows.y)};
  };
  return {.train = of(problem.train),
          .test = of(problem.test),
          .target_range = problem.target_range.cwiseQuotient(scale_y.scale())};
}

/// `unit` as of y in standard deviations.
void write(const Lscde& density, const Errors& test, const Vector& unit, TrialRecord& out, std::size_t choice) {
  const auto number = [&](Part part) -> double& { return out[place_of(choice, part)]; };
  number(Part::width) = density.state().bandwidth;
  number(Part::width_y) = density.state().bandwidth_y;
  number(Part::penalty) = density.state().regularization;
  number(Part::kernel) = 0.5 * (unit / (2 * std::sqrt(std::numbers::pi) * density.state().bandwidth_y)).prod();
  number(Part::fit) = test.fit.mean();
  number(Part::density) = test.density.mean();
  number(Part::median) = median({test.density.begin(), test.density.end()});
  const Vector lone = (test.mass.array() < little_mass).cast<double>();
  number(Part::lone_rows) = lone.mean();
  number(Part::lone_error) = lone.dot(test.density) / static_cast<double>(lone.size());
}

TrialRecord run_trial(std::string_view subspace, const Problem& problem, Index repetition) {
  TrialRecord out(blow_up_numbers().size(), std::numeric_limits<double>::quiet_NaN());
  const Fitted fitted = fit(method_of(subspace), problem.train, {}, repetition);
  const bool whole = fitted.components.rows() == 0;
  const Index n_inputs = problem.train.x.rows();
  const Problem z = reduced(problem, whole ? Matrix(Matrix::Identity(n_inputs, n_inputs)) : fitted.components);
  out[0] = static_cast<double>(fitted.n_components);
  const auto* projected = dynamic_cast<const ProjectedDensity*>(fitted.model.get());
  const Dataset seen{.x = projected == nullptr ? Matrix(problem.test.x) : projected->transform(problem.test.x),
                     .y = problem.test.y};
  write(density_of(*fitted.model), errors_of(density_of(*fitted.model), seen, problem.target_range), z.target_range,
        out, 0);
  for (std::size_t c = 1; c < choices.size(); ++c) {
    const auto model = choose(choices[c], z.train, repetition);
    const Lscde& density = density_of(*model);
    write(density, errors_of(density, z.test, z.target_range), z.target_range, out, c);
    const Errors held = held_out(density, choices[c].masked, z.train, z.target_range, repetition);
    out[place_of(c, Part::held_fit)] = held.fit.mean();
    out[place_of(c, Part::held_density)] = held.density.mean();
  }
  return out;
}

}  // namespace

const std::vector<std::string>& blow_up_numbers() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out = {"components"};
    for (std::size_t c = 0; c < choices.size(); ++c)
      for (const char* part : {"width", "width_y", "penalty", "kernel", "held_fit", "held_density", "fit", "density",
                               "median", "lone_rows", "lone_error"})
        out.push_back(std::string(part) + "_" + std::to_string(c));
    return out;
  }();
  return names;
}

void explain_blow_up(Scale scale, RecordBook& book, double minutes, std::ostream& out) {
  const Study study = robot_study(scale);
  const Case& joints = study.cases[0];
  const Index level = joints.levels[0];
  std::vector<Trial> trials;
  for (Index r = 0; r < study.repetitions; ++r)
    for (const char* subspace : subspaces)
      trials.push_back(
          {{joints.name, level, subspace, r},
           [&joints, level, subspace, r] { return run_trial(subspace, joints.problem(level, r), r); },
           [&joints, level, subspace] { return run_trial(subspace, small_part(joints.problem(level, 0)), 0); }});
  run_trials(std::move(trials), book, minutes);

  out << joints.name << ", n = " << level << ", " << study.repetitions
      << " runs; errors of y divided by its range, as in Table 1. The fit is a'(phi o psi) as it stands, the density "
         "is "
         "the\nfit divided by its mass, the integral over y. Chosen: the one width and the penalty, by five folds, "
         "from "
         "the grid of Table 1,\non the subspace that the method of Table 1 found. Lone rows: test rows where the mass "
         "is "
         "below "
      << fixed(little_mass, 1)
      << "; their part: what they\nadd to the mean error of the density. One kernel: the error of a normal density "
         "of that width alone, where y is far from it.\n\n";
  const auto values = [&](const char* subspace, std::size_t place) {
    return repetitions_of(book, joints.name, level, subspace, study.repetitions, place).values;
  };
  MarkdownTable table({"subspace", "chosen", "width", "of y", "penalty", "fit, held out", "density, held out",
                       "fit, test", "density, test", "its median over rows", "one kernel", "lone rows, %",
                       "their part"});
  for (const char* subspace : subspaces)
    for (std::size_t c = 0; c < choices.size(); ++c) {
      const auto cell = [&](Part part) { return mean_cell(values(subspace, place_of(c, part)), study.repetitions, 2); };
      std::vector<double> share = values(subspace, place_of(c, Part::lone_rows));
      for (double& each : share) each *= 100;
      table.add({subspace, choices[c].name, cell(Part::width), cell(Part::width_y), cell(Part::penalty),
                 cell(Part::held_fit), cell(Part::held_density), cell(Part::fit), cell(Part::density),
                 cell(Part::median), cell(Part::kernel), mean_cell(share, study.repetitions, 1),
                 cell(Part::lone_error)});
    }
  table.print(out);
  book.print_older(out);
}

}  // namespace condens::reproduce
