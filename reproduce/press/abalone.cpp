#include "abalone.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <numbers>
#include <numeric>
#include <optional>

#include "common/data_files.hpp"
#include "common/markdown.hpp"
#include "condens/model/states.hpp"
#include "fits.hpp"
#include "pictures.hpp"
#include "printed.hpp"

namespace condens::reproduce {

namespace {

constexpr Index planned = 10;
constexpr Index most_states = 15;

struct Data {
  Sample split;  ///< TensorFlow's
  Dataset all;   ///< UCI's, the first input is the sex
};

std::optional<Data> load_data(const std::string& directory) {
  const auto train = load(directory, "Abalone train");
  const auto test = load(directory, "Abalone test");
  const auto all = load(directory, "Abalone");
  if (!train || !test || !all) return std::nullopt;
  return Data{{"abalone", *train, *test}, *all};
}

/// Least squares, or the mean alone: fitted to the training rows, at the test rows.
Vector linear_predictions(const Sample& sample, bool with_inputs) {
  const auto design = [&](const Dataset& data) {
    Matrix out = Matrix::Ones(data.size(), with_inputs ? 1 + data.x.rows() : 1);
    if (with_inputs) out.rightCols(data.x.rows()) = data.x.transpose();
    return out;
  };
  const Vector coefficients = design(sample.train).colPivHouseholderQr().solve(sample.train.y.row(0).transpose());
  return design(sample.test) * coefficients;
}

const PrintedScore& printed_row(const std::string& method) {
  return *std::find_if(printed_table_1.begin(), printed_table_1.end(),
                       [&](const PrintedScore& row) { return row.method == method; });
}

/// Mean of the square of a test row's error, with its standard error over the rows.
std::string over_rows(const Vector& residuals) {
  const Vector squares = residuals.cwiseAbs2();
  const auto n = static_cast<double>(squares.size());
  const double mean = squares.mean();
  return plus_minus(mean, std::sqrt((squares.array() - mean).square().sum() / (n * (n - 1))), 3);
}

std::string printed_cell(const std::string& method, double PrintedScore::*field) {
  if (method.empty()) return "-";
  const double value = printed_row(method).*field;
  return std::isfinite(value) ? fixed(value, 3) : "-";
}

void add_row(MarkdownTable& table, const std::string& label, const std::string& printed, const RecordBook& book,
             const Study& study, const std::string& method, Index states) {
  const auto cell = [&](Number number, int digits) {
    return mean_cell(numbers_of(book, study, method, states, number).values, study.repetitions, digits);
  };
  if (cell(Number::test_mse, 3) == "-") return;
  table.add({label, printed_cell(printed, &PrintedScore::mse), cell(Number::test_mse, 3),
             printed_cell(printed, &PrintedScore::mad), cell(Number::test_mad, 3), cell(Number::mse, 3),
             cell(Number::freedom, 2), cell(Number::test_nll, 3), cell(Number::seconds, 1)});
}

void print_table_1(const RecordBook& book, const Study& path, const Study& readings, const Study& own,
                   std::ostream& out) {
  out << "### Table 1\n\n";
  MarkdownTable table({"method", "test MSE, paper", "ours", "test MAD, paper", "ours", "training MSE", "ν", "test NLL",
                       "seconds of a fit"});
  for (const Index states : {10, 4, 3}) {
    const std::string name = "PRESS(" + std::to_string(states) + ")";
    add_row(table, name, name, book, path, paper_method().label, states);
    for (const Method& method : readings.methods)
      add_row(table, name + ", " + method.label, name, book, readings, method.label, states);
  }
  for (const Method& method : own.methods) add_row(table, method.label, "", book, own, method.label, 0);
  for (const bool with_inputs : {true, false}) {
    const std::string name = with_inputs ? "lm" : "mean";
    const Vector residuals = path.sample.test.y.row(0).transpose() - linear_predictions(path.sample, with_inputs);
    table.add({name, printed_cell(name, &PrintedScore::mse), fixed(residuals.cwiseAbs2().mean(), 3),
               printed_cell(name, &PrintedScore::mad), fixed(residuals.cwiseAbs().mean(), 3), "-", "-", "-", "-"});
  }
  table.print(out);
}

/// How far a number is known from these test rows.
void print_precision(const Sample& sample, const Press& model, std::ostream& out) {
  const Vector y = sample.test.y.row(0).transpose();
  const Vector linear = y - linear_predictions(sample, true);
  const Vector press = y - fitted_means(model, sample.test.x);
  const Vector difference = press.cwiseAbs2() - linear.cwiseAbs2();
  const auto n = static_cast<double>(y.size());
  const double deviation = std::sqrt((difference.array() - difference.mean()).square().sum() / (n - 1));
  out << "Over the " << y.size() << " test rows, the MSE of lm is " << over_rows(linear) << ", that of PRESS("
      << model.n_states() << ") of one seed " << over_rows(press) << ", and their difference "
      << plus_minus(difference.mean(), deviation / std::sqrt(n), 3) << ".\n\n";
}

/// -log P(y - 1/2 < ring < y + 1/2), in the mean over the rows: rings are whole numbers, and a density of vanishing
/// widths at these has any log score.
double nll_of_rings(const Vector& cdf_above, const Vector& cdf_below, const Vector& sf_below, const Vector& sf_above) {
  const Vector mass = (cdf_above - cdf_below).cwiseMax(sf_below - sf_above);  // one of them has no cancellation
  return -mass.cwiseMax(1e-300).array().log().mean();
}

void print_rings(const Sample& sample, const std::vector<std::pair<std::string, const Press*>>& models,
                 std::ostream& out) {
  const Vector y = sample.test.y.row(0).transpose();
  const Vector above = y.array() + 0.5;
  const Vector below = y.array() - 0.5;
  MarkdownTable table({"distribution of the rings", "J", "test NLL of whole rings"});
  for (const auto& [label, model] : models) {
    const GaussianMixtures laws = model->predict(sample.test.x);
    table.add({label, std::to_string(model->n_states()),
               fixed(nll_of_rings(laws.cdf(above), laws.cdf(below), laws.sf(below), laws.sf(above)), 4)});
  }
  const Vector residuals = y - linear_predictions(sample, true);
  const Vector own = sample.train.y.row(0).transpose() - linear_predictions({"", sample.train, sample.train}, true);
  const double deviation = std::sqrt(own.squaredNorm() / static_cast<double>(own.size() - sample.train.x.rows() - 1));
  const auto cdf = [&](const Vector& z) -> Vector {
    return z.unaryExpr([&](double v) { return 0.5 * std::erfc(-v / deviation / std::sqrt(2.0)); });
  };
  const Vector up = residuals.array() + 0.5;
  const Vector down = residuals.array() - 0.5;
  table.add({"lm with normal errors", "-", fixed(nll_of_rings(cdf(up), cdf(down), cdf(-down), cdf(-up)), 4)});
  table.print(out);
}

void print_path(const RecordBook& book, const Study& study, std::ostream& out) {
  const std::string label = paper_method().label;
  out << "### Number of states\n\nBy AIC over J = 1, ..., " << study.states.back() << ": "
      << tally(chosen_states(book, study, label)) << " (times); the paper chose " << fixed(printed_abalone_states, 0)
      << ".\n\n";
  MarkdownTable table({"J", "AIC", "ν", "training MSE", "test MSE", "test NLL", "iterations"});
  for (const Index states : study.states) {
    const auto cell = [&](Number number, int digits) {
      return mean_cell(numbers_of(book, study, label, states, number).values, study.repetitions, digits);
    };
    table.add({std::to_string(states), cell(Number::aic, 1), cell(Number::freedom, 2), cell(Number::mse, 3),
               cell(Number::test_mse, 3), cell(Number::test_nll, 3), cell(Number::iterations, 0)});
  }
  table.print(out);
}

void print_table_2(const Sample& sample, const Press& model, std::ostream& out) {
  out << "### Table 2\n\nThe minimum of GCV on all training rows. Each pair is the paper's number and ours, "
         "coefficients "
         "± standard error.\n\n";
  MarkdownTable table(
      {"input", "E(X)", "", "E(X \\| s1)", "", "E(X \\| s2)", "", "E(X \\| s3)", "", "β1", "", "β2", "", "β3", ""});
  const Matrix& errors = model.standard_errors();
  double farthest = 0;
  for (std::size_t k = 0; k < printed_table_2.size(); ++k) {
    const PrintedCoefficients& printed = printed_table_2[k];
    const auto row = static_cast<Index>(k);
    std::vector<std::string> cells = {printed.input};
    const auto pair = [&](double paper, double ours) {
      cells.push_back(k == 0 ? "" : fixed(paper, 2));
      cells.push_back(k == 0 ? "" : fixed(ours, 2));
    };
    pair(printed.mean, k == 0 ? 0 : sample.train.x.row(row - 1).mean());
    for (Index j = 0; j < 3; ++j)
      pair(printed.state_means[static_cast<std::size_t>(j)], k == 0 ? 0 : model.state_inputs()(row - 1, j));
    for (Index j = 0; j < 3; ++j) {
      const double paper = printed.coefficients[static_cast<std::size_t>(j)];
      const double ours = model.coefficients()(row, j);
      cells.push_back(fixed(paper, 2));
      cells.push_back(errors.size() > 0 ? plus_minus(ours, errors(row, j)) : fixed(ours, 2));
      if (errors.size() > 0) farthest = std::max(farthest, std::abs(ours - paper) / errors(row, j));
    }
    table.add(cells);
  }
  table.print(out);
  out << "The largest distance of a coefficient from the printed one is " << fixed(farthest, 2)
      << " standard errors. ν is " << fixed(model.degrees_of_freedom(), 3) << ".\n\n";
  const Matrix& robust = model.robust_standard_errors();
  if (robust.size() == 0) return;
  const Matrix ratio = robust.cwiseQuotient(errors);
  const CoefficientIntervals intervals = coefficient_intervals(model, 0.95);
  MarkdownTable bounds({"input", "β1, 95 %", "β2, 95 %", "β3, 95 %"});
  Index outside = 0;
  for (std::size_t k = 0; k < printed_table_2.size(); ++k) {
    const auto row = static_cast<Index>(k);
    std::vector<std::string> cells = {printed_table_2[k].input};
    for (Index j = 0; j < 3; ++j) {
      const double paper = printed_table_2[k].coefficients[static_cast<std::size_t>(j)];
      cells.push_back(fixed(intervals.lower(row, j)) + " to " + fixed(intervals.upper(row, j)));
      outside += paper < intervals.lower(row, j) || paper > intervals.upper(row, j);
    }
    bounds.add(cells);
  }
  out << "Those standard errors read the squared errors as normal ones of equal variance. The robust ones (sandwich) "
         "are "
      << fixed(ratio.minCoeff()) << " to " << fixed(ratio.maxCoeff())
      << " times as large; the intervals by them, of which " << outside << " do not hold the printed coefficient:\n\n";
  bounds.print(out);
}

/// Twice R's default width (nrd0): rings are whole numbers, and a curve that follows them is hard to read.
double reference_width(const Vector& y) {
  std::vector<double> sorted(y.begin(), y.end());
  std::sort(sorted.begin(), sorted.end());
  const double range = sorted[3 * sorted.size() / 4] - sorted[sorted.size() / 4];
  const double deviation = std::sqrt((y.array() - y.mean()).square().sum() / static_cast<double>(y.size() - 1));
  return 1.8 * std::min(deviation, range / 1.34) * std::pow(static_cast<double>(y.size()), -0.2);
}

Vector weighted_density(const Vector& y, const Vector& weights, double width, const Vector& grid) {
  Vector out(grid.size());
  for (Index k = 0; k < grid.size(); ++k)
    out[k] = weights.dot(((y.array() - grid[k]) / width).square().matrix().unaryExpr([](double z) {
      return std::exp(-z / 2);
    })) / (width * std::sqrt(2 * std::numbers::pi));
  return out;
}

/// p(y) and its parts sigma_j / N p(y | s_j).
Panel decomposition(const Press& model, const Dataset& data) {
  Panel out{.title = "J = " + std::to_string(model.n_states()) + ": p(y) and its parts",
            .x_label = "rings",
            .y_label = "density"};
  const Vector y = data.y.row(0).transpose();
  const Vector grid = Vector::LinSpaced(300, 0, 30);
  const double width = reference_width(y);
  const auto n = static_cast<double>(data.size());
  const Matrix w = model.state_weights(data.x);
  out.curves.push_back({"p(y)", grid, weighted_density(y, Vector::Constant(data.size(), 1 / n), width, grid), 6, true});
  for (Index j = 0; j < w.rows(); ++j)
    out.curves.push_back(
        {"", grid, weighted_density(y, w.row(j).transpose() / n, width, grid), static_cast<std::size_t>(j % 6)});
  return out;
}

void draw_figure_3(const RecordBook& book, const Study& study, const Press& three, const Press& ten,
                   const std::filesystem::path& folder) {
  Panel errors{.title = "Mean squared error", .x_label = "states J", .y_label = "MSE", .y_range = {{4, 7}}};
  Panel criteria{
      .title = "AIC above its lowest", .x_label = "states J", .y_label = "difference", .y_range = {{-20, 600}}};
  const auto curve = [&](Number number) {
    Vector out(std::ssize(study.states));
    for (Index k = 0; k < out.size(); ++k) {
      const std::vector<double> own =
          numbers_of(book, study, paper_method().label, study.states[static_cast<std::size_t>(k)], number).values;
      out[k] = own.empty() ? std::nan("") : mean(own);
    }
    return out;
  };
  const Vector states = Vector::LinSpaced(std::ssize(study.states), 1, static_cast<double>(std::ssize(study.states)));
  errors.curves = {{"training rows", states, curve(Number::mse), 0}, {"test rows", states, curve(Number::test_mse), 1}};
  const Vector aic = curve(Number::aic);
  criteria.curves = {{"AIC", states, aic.array() - aic.minCoeff<Eigen::PropagateNumbers>(), 2}};
  write_text(folder / "figure-3.svg", draw_panels({errors, criteria, decomposition(three, study.sample.train),
                                                   decomposition(ten, study.sample.train)},
                                                  2));
}

/// Blocks of rows in the order of the three-state predictions; means over blocks of S are exact.
Matrix smoothing_blocks(const Press& model, const Dataset& data, const std::vector<Index>& order, Index blocks) {
  const Matrix w = model.state_weights(data.x);
  Matrix means(w.rows(), blocks);
  for (Index b = 0; b < blocks; ++b) {
    const Index begin = b * std::ssize(order) / blocks;
    const Index end = (b + 1) * std::ssize(order) / blocks;
    means.col(b) = w(Eigen::all, std::vector<Index>(order.begin() + begin, order.begin() + end)).rowwise().mean();
  }
  return means.transpose() * model.state_sizes().cwiseInverse().asDiagonal() * means;
}

void draw_figure_4(const Dataset& train, const Press& three, const Press& ten, const std::filesystem::path& folder) {
  const Vector predicted = fitted_means(three, train.x);
  std::vector<Index> order(static_cast<std::size_t>(train.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return predicted[a] < predicted[b]; });
  write_text(folder / "figure-4.svg", draw_matrices({{"J = 3", smoothing_blocks(three, train, order, 250), 0.99},
                                                     {"J = 10", smoothing_blocks(ten, train, order, 250), 0.99}},
                                                    300));
}

void sexes(const Dataset& all, const Index seed, const std::filesystem::path& folder, std::ostream& out) {
  const Dataset data{.x = all.x.bottomRows(all.x.rows() - 1), .y = all.y};
  const Press model = fit(minimum_method(), data, 3, seed);
  const Matrix w = model.state_weights(data.x);
  constexpr std::array<const char*, 3> names = {"male", "female", "infant"};
  constexpr std::array<const char*, 3> colors = {"#0072B2", "#E69F00", "#009E73"};
  MarkdownTable table({"P(sex \\| state)", "state 1", "state 2", "state 3"});
  Panel simplex{.title = "Weights of the states", .x_label = "w1", .y_label = "w3"};
  for (std::size_t sex = 0; sex < names.size(); ++sex) {
    const Vector is = (all.x.row(0).array() == static_cast<double>(sex)).cast<double>().transpose();
    std::vector<std::string> cells = {names[sex]};
    for (Index j = 0; j < 3; ++j) cells.push_back(fixed(w.row(j).dot(is) / model.state_sizes()[j], 3));
    table.add(cells);
    std::vector<Index> rows;
    for (Index i = 0; i < is.size(); ++i)
      if (is[i] == 1) rows.push_back(i);
    simplex.clouds.push_back({names[sex], w.row(0)(rows).transpose(), w.row(2)(rows).transpose(), colors[sex], 1.3});
  }
  out << "### Figure 5\n\nThe 4,177 rows of UCI, fitted without the sex: ν = " << fixed(model.degrees_of_freedom(), 3)
      << " (printed " << fixed(printed_simplex_freedom, 2) << "), states of mean "
      << fixed(model.state_means()(0, 0), 1) << ", " << fixed(model.state_means()(0, 1), 1) << " and "
      << fixed(model.state_means()(0, 2), 1) << " rings.\n\n";
  table.print(out);
  write_text(folder / "figure-5.svg", draw_panels({simplex}, 1));
}

/// The paper's procedure but for one thing each.
std::vector<Method> reading_methods() {
  Method unscaled = paper_method();
  unscaled.label = "not standardised";
  unscaled.options.standardize = false;
  Method deep = paper_method();
  deep.label = "ten hidden units";
  deep.options.hidden = {10};
  Method stochastic = paper_method();
  stochastic.label = "stochastic gradients";
  stochastic.options.optimizer = PressOptimizer::adam;
  stochastic.options.adam_passes = 300;
  stochastic.options.minibatch = 64;
  return {minimum_method(), informed_method(), unscaled, deep, stochastic};
}

}  // namespace

void run_abalone(const Command& command, std::ostream& out) {
  const std::optional<Data> data = load_data(command.data);
  if (!data) {
    std::cerr << "reproduce_press: no abalone.csv, abalone_tf_train.csv and abalone_tf_test.csv, which are left out\n";
    return;
  }
  const bool quick = command.scale == Scale::quick;
  RecordBook book(std::filesystem::path(command.records) / (quick ? "quick-abalone.csv" : "abalone.csv"),
                  number_names());
  Sample sample = data->split;
  if (quick) {
    std::vector<Index> rows(300);
    std::iota(rows.begin(), rows.end(), Index{0});
    sample.train = sample.train.subset(rows);
  }
  const Study path{sample, {paper_method()}, one_to(quick ? 4 : most_states), quick ? 2 : planned};
  const Study readings{sample, reading_methods(), {3, 4, 10}, quick ? 1 : 5};
  const Study own{sample, {recommended_method()}, {0}, 1};
  for (const Study* study : {&path, &readings, &own}) run_study(*study, book, command.minutes);
  const Press three = fit(minimum_method(), sample.train, 3, 0);
  const Press four = fit(paper_method(), sample.train, 4, 0);
  const Press ten = fit(paper_method(), sample.train, 10, 0);
  const std::filesystem::path folder(command.pictures);
  std::filesystem::create_directories(folder);
  print_table_1(book, path, readings, own, out);
  print_precision(sample, ten, out);
  const Press recommended = fit(recommended_method(), sample.train, 0, 0);
  print_rings(sample,
              {{"paper", &ten}, {"paper", &four}, {"all rows to the minimum", &three}, {"our PRESS", &recommended}},
              out);
  print_path(book, path, out);
  print_table_2(sample, three, out);
  draw_figure_3(book, path, three, ten, folder);
  draw_figure_4(sample.train, three, ten, folder);
  sexes(data->all, 0, folder, out);
  out << "[Errors, AIC and p(y)](pictures/figure-3.svg), [smoothing matrices](pictures/figure-4.svg), "
         "[weights and sex](pictures/figure-5.svg).\n\n";
  book.print_older(out);
}

}  // namespace condens::reproduce
