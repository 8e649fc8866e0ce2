#include "motorcycle.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <limits>
#include <numeric>

#include "common/data_files.hpp"
#include "common/markdown.hpp"
#include "fits.hpp"
#include "pictures.hpp"
#include "printed.hpp"

namespace condens::reproduce {

namespace {

constexpr Index planned = 20;
constexpr Index most_states = 15;
constexpr Index random_starts = 20;

/// One row for every distinct time (errata P12): the mean of its rows, or the first of them.
Dataset distinct_times(const Dataset& data, bool mean) {
  std::vector<double> times;
  std::vector<double> sums;
  std::vector<double> counts;
  for (Index i = 0; i < data.size(); ++i) {  // times ascend
    if (times.empty() || times.back() != data.x(0, i)) {
      times.push_back(data.x(0, i));
      sums.push_back(0);
      counts.push_back(0);
    }
    if (mean || counts.back() == 0) {
      sums.back() += data.y(0, i);
      ++counts.back();
    }
  }
  const Index n = std::ssize(times);
  const Vector y =
      Eigen::Map<const Vector>(sums.data(), n).array() / Eigen::Map<const Vector>(counts.data(), n).array();
  return {.x = Eigen::Map<const Vector>(times.data(), n).transpose(), .y = y.transpose()};
}

Method many_starts() {
  Method out = minimum_method();
  out.label = "best of " + std::to_string(random_starts) + " starts";
  out.options.n_starts = random_starts;
  return out;
}

Method hidden_units() {
  Method out = many_starts();
  out.label = "ten hidden units " + out.label;
  out.options.hidden = {10};
  return out;
}

/// Where the searches of J = 4 end, those of nearly the same degrees of freedom together.
void print_ends(const RecordBook& book, const Study& study, const std::string& method, std::ostream& out) {
  const std::vector<double> freedom = numbers_of(book, study, method, 4, Number::freedom).values;
  const std::vector<double> aic = numbers_of(book, study, method, 4, Number::aic).values;
  std::vector<std::pair<double, double>> ends;
  for (std::size_t k = 0; k < freedom.size(); ++k) ends.emplace_back(freedom[k], aic[k]);
  std::sort(ends.begin(), ends.end());
  MarkdownTable table({"ν of the end", "AIC", "seeds"});
  for (std::size_t begin = 0, end = 0; begin < ends.size(); begin = end) {
    while (end < ends.size() && (end == begin || ends[end].first < ends[end - 1].first + 0.1)) ++end;
    double low = ends[begin].second;
    double high = low;
    for (std::size_t k = begin; k < end; ++k) {
      low = std::min(low, ends[k].second);
      high = std::max(high, ends[k].second);
    }
    const auto range = [](double a, double b, int digits) {
      return fixed(a, digits) == fixed(b, digits) ? fixed(a, digits) : fixed(a, digits) + " to " + fixed(b, digits);
    };
    table.add({range(ends[begin].first, ends[end - 1].first, 2), range(low, high, 0), std::to_string(end - begin)});
  }
  table.print(out);
}

void print_path(const RecordBook& book, const std::vector<Study>& studies, std::ostream& out) {
  std::vector<std::string> header = {"J"};
  for (const Study& study : studies)
    for (const Method& method : study.methods) header.insert(header.end(), {"AIC, " + method.label, "ν"});
  MarkdownTable table(header);
  for (const Index states : studies.front().states) {
    std::vector<std::string> cells = {std::to_string(states)};
    for (const Study& study : studies)
      for (const Method& method : study.methods)
        for (const auto& [number, digits] : {std::pair{Number::aic, 1}, {Number::freedom, 2}})
          cells.push_back(
              mean_cell(numbers_of(book, study, method.label, states, number).values, study.repetitions, digits));
    table.add(cells);
  }
  table.print(out);
}

void print_choices(const RecordBook& book, const std::vector<std::vector<Study>>& readings, std::ostream& out) {
  MarkdownTable table({"data, method", "J by AIC (times)", "ν of these", "ν at J = 4"});
  const PrintedMotorcycle printed;
  table.add({"paper, N = 94", fixed(printed.states, 0), fixed(printed.freedom, 3), fixed(printed.freedom, 3)});
  for (const auto& studies : readings)
    for (const Study& study : studies)
      for (const Method& method : study.methods) {
        const std::vector<Index> chosen = chosen_states(book, study, method.label);
        std::vector<double> freedom;
        for (std::size_t seed = 0; seed < chosen.size(); ++seed) {
          const Repetitions own = numbers_of(book, study, method.label, chosen[seed], Number::freedom);
          if (seed < own.values.size()) freedom.push_back(own.values[seed]);
        }
        table.add({study.sample.name + ", " + method.label, tally(chosen), mean_cell(freedom, study.repetitions, 3),
                   mean_cell(numbers_of(book, study, method.label, 4, Number::freedom).values, study.repetitions, 3)});
      }
  table.print(out);
}

/// (32).
double loocv(const Matrix& s, const Vector& y) {
  return ((y - s * y).array() / (1 - s.diagonal().array())).square().mean();
}

/// The Gaussian kernel smoother whose width has the least leave-one-out error.
Matrix kernel_smoother(const Dataset& data) {
  const Vector x = data.x.row(0).transpose();
  const Vector y = data.y.row(0).transpose();
  const Matrix distance = (x.replicate(1, x.size()) - x.transpose().replicate(x.size(), 1)).cwiseAbs2();
  Matrix best;
  double least = std::numeric_limits<double>::infinity();
  for (double width = 0.5; width < 10; width *= 1.1) {
    Matrix s = (-distance.array() / (2 * width * width)).exp();
    const Vector sums = s.rowwise().sum();
    s = sums.cwiseInverse().asDiagonal() * s;
    const double error = loocv(s, y);
    if (!(error < least)) continue;
    least = error;
    best = s;
  }
  return best;
}

/// Local parabolas through the `span` of the rows that are nearest, with tricube weights (Cleveland 1979): R's loess
/// with surface = "direct".
Matrix loess_smoother(const Dataset& data, double span) {
  const Vector x = data.x.row(0).transpose();
  const Index n = x.size();
  const auto near = static_cast<Index>(static_cast<double>(n) * span + 1e-5);
  Matrix out(n, n);
  for (Index i = 0; i < n; ++i) {
    const Vector distance = (x.array() - x[i]).abs();
    std::vector<double> sorted(distance.begin(), distance.end());
    std::nth_element(sorted.begin(), sorted.begin() + near - 1, sorted.end());
    const Vector z = distance / sorted[static_cast<std::size_t>(near - 1)];
    const Vector weight = (1 - z.array().min(1.0).cube()).cube();
    Matrix design = Matrix::Ones(n, 3);
    design.col(1) = x.array() - x[i];
    design.col(2) = design.col(1).cwiseAbs2();
    const Matrix weighted = weight.asDiagonal() * design;
    out.row(i) = Vector::Unit(3, 0).transpose() * (weighted.transpose() * design).llt().solve(weighted.transpose());
  }
  return out;
}

/// The span whose leave-one-out error is least.
double best_span(const Dataset& data) {
  const Vector y = data.y.row(0).transpose();
  double best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (double span = 0.15; span < 0.99; span += 0.05) {
    const double error = loocv(loess_smoother(data, span), y);
    if (error < least) best = span;
    least = std::min(least, error);
  }
  return best;
}

void draw(const Dataset& data, const std::filesystem::path& folder, std::ostream& out) {
  const Vector x = data.x.row(0).transpose();
  const Vector y = data.y.row(0).transpose();
  const Press model = fit(many_starts(), data, 4, 0);
  const Press own = fit(recommended_method(), data, 0, 0);
  const Matrix kernel = kernel_smoother(data);
  const double span = best_span(data);
  const Matrix loess = loess_smoother(data, span);
  const Matrix w = model.state_weights(data.x).transpose();
  const Press deep = fit(hidden_units(), data, 4, 0);
  Panel fits{.title = "Fits", .x_label = "time (ms)", .y_label = "acceleration (g)"};
  fits.clouds.push_back({"data", x, y, "#999999"});
  fits.curves = {{"PRESS, J = 4", x, fitted_means(model, data.x), 0},
                 {"ten hidden units", x, fitted_means(deep, data.x), 3, true},
                 {"our PRESS", x, fitted_means(own, data.x), 1},
                 {"Gaussian kernel", x, kernel * y, 2, true},
                 {"loess", x, loess * y, 4, true}};
  Panel weights{.title = "Weights of the states, J = 4", .x_label = "time (ms)", .y_label = "weight"};
  for (Index j = 0; j < w.cols(); ++j)
    weights.curves.push_back({"state " + std::to_string(j + 1), x, w.col(j), 3 + static_cast<std::size_t>(j)});
  write_text(folder / "figure-2.svg", draw_panels({fits, weights}, 2));
  const auto smoothing = [&](const Press& own_model) -> Matrix {
    const Matrix weights_of = own_model.state_weights(data.x);
    return weights_of.transpose() * own_model.state_sizes().cwiseInverse().asDiagonal() * weights_of;
  };
  out << "Leave-one-out MSE (32): Gaussian kernel " << fixed(loocv(kernel, y), 0)
      << ", loess with its default span 0.75 " << fixed(loocv(loess_smoother(data, 0.75), y), 0)
      << " and with the span " << fixed(span, 2) << ", which leaving out chooses, " << fixed(loocv(loess, y), 0)
      << ", PRESS with J = 4 " << fixed(loocv(smoothing(model), y), 0) << ", with ten hidden units "
      << fixed(loocv(smoothing(deep), y), 0) << ".\n\n";
  write_text(folder / "figure-2-matrices.svg", draw_matrices({{"Gaussian kernel", kernel, 0.995},
                                                              {"PRESS, J = 4", smoothing(model), 0.995},
                                                              {"ten hidden units", smoothing(deep), 0.995}},
                                                             260));
}

}  // namespace

void run_motorcycle(const Command& command, std::ostream& out) {
  const std::optional<Dataset> data = load(command.data, "mcycle");
  if (!data) {
    std::cerr << "reproduce_press: no mcycle.csv, which is left out\n";
    return;
  }
  const bool quick = command.scale == Scale::quick;
  const std::vector<Sample> samples = {{"means of 94 times", distinct_times(*data, true)},
                                       {"first rows of 94 times", distinct_times(*data, false)},
                                       {"all 133 rows", *data}};
  RecordBook book(std::filesystem::path(command.records) / (quick ? "quick-motorcycle.csv" : "motorcycle.csv"),
                  number_names());
  std::vector<std::vector<Study>> readings;
  for (const Sample& sample : samples) {
    const std::vector<Index> states = one_to(quick ? 5 : most_states);
    readings.push_back({{sample, {paper_method(), minimum_method(), informed_method()}, states, quick ? 2 : planned},
                        {sample, {many_starts()}, states, 2}});
    if (readings.size() == 1) readings.back().push_back({sample, {hidden_units()}, one_to(quick ? 3 : 6), 1});
    for (const Study& study : readings.back()) run_study(study, book, command.minutes);
  }
  print_choices(book, readings, out);
  out << "The path of the " << samples.front().name << ":\n\n";
  print_path(book, {readings.front().begin(), readings.front().begin() + 2}, out);
  out << "Where the searches of J = 4 end, preset `paper`:\n\n";
  print_ends(book, readings.front().front(), paper_method().label, out);
  out << "The same from informed starts, which are ours (seeds differ in the rows held out):\n\n";
  print_ends(book, readings.front().front(), informed_method().label, out);
  std::filesystem::create_directories(command.pictures);
  draw(samples.front().train, command.pictures, out);
  out << "[Fits and weights](pictures/figure-2.svg), [smoothing matrices](pictures/figure-2-matrices.svg).\n\n";
  book.print_older(out);
}

}  // namespace condens::reproduce
