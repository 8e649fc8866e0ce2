#include "mnist.hpp"

#include <algorithm>
#include <array>
#include <boost/math/special_functions/lambert_w.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <numeric>
#include <optional>

#include "common/data_files.hpp"
#include "common/markdown.hpp"
#include "common/test_score.hpp"
#include "condens/io/model_file.hpp"
#include "fits.hpp"
#include "idx.hpp"
#include "pictures.hpp"

namespace condens::reproduce {

namespace {

constexpr Index side = 28;
constexpr Index digits = 10;
constexpr Index quick_rows = 3000;
constexpr Index most_steps = 200;
// Of (36) and (38), not printed: "a small mu > 0".
constexpr double smoothness_weight = 0.01;

/// Columns are images with values from 0 to 1. Nothing where a file is missing.
std::optional<Dataset> read_digits(const std::filesystem::path& folder, const std::string& name, Index most) {
  const auto read = [&](const std::string& file) -> std::optional<Bytes> {
    std::ifstream in(folder / file, std::ios::binary);
    if (!in) return std::nullopt;
    return read_idx(in, (folder / file).string());
  };
  const std::optional<Bytes> images = read(name + "-images-idx3-ubyte");
  const std::optional<Bytes> labels = read(name + "-labels-idx1-ubyte");
  if (!images || !labels) return std::nullopt;
  const Index n = std::min(most, images->cols());
  return Dataset{.x = images->leftCols(n).cast<double>() / 255, .y = labels->leftCols(n).cast<double>()};
}

/// The preset `paper`, but for fewer steps: a lasso (0: none), a random start or one from classes of the digits.
Method digits_method(const std::string& label, double lasso, PressStart start) {
  Method out{label, PressOptions::paper()};
  out.options.n_states = {static_cast<double>(digits)};
  out.options.smoothness = static_cast<double>(digits);
  out.options.smoothness_weight = smoothness_weight;
  if (lasso > 0) out.options.lasso = {lasso};
  out.options.standardize = false;
  out.options.start = start;
  out.options.max_iterations = most_steps;
  return out;
}

std::vector<Method> methods() {
  return {digits_method("informed start and lasso 1e-4", 1e-4, PressStart::informed),
          digits_method("random start and lasso 1e-4", 1e-4, PressStart::random),
          digits_method("informed start without lasso", 0, PressStart::informed),
          digits_method("random start without lasso", 0, PressStart::random)};
}

Index used_pixels(const Press& model) {
  return (model.coefficients().bottomRows(model.n_inputs()).array() != 0).rowwise().any().count();
}

/// What a record holds: these, and the mean, size and shares of the digits of every state, in their order.
enum class Score { mse, test_mse, test_error, mad, right, nll, freedom, pixels, coefficients, iterations, seconds };
constexpr std::size_t n_scores = 11;
constexpr Index n_state_numbers = 2 + digits;

std::vector<std::string> score_names() {
  std::vector<std::string> out = {"mse",     "test_mse", "test_error",   "mad",        "right",  "nll",
                                  "freedom", "pixels",   "coefficients", "iterations", "seconds"};
  for (Index state = 0; state < digits; ++state) {
    const std::string name = " of state " + std::to_string(state);
    out.insert(out.end(), {"mean" + name, "size" + name});
    for (Index digit = 0; digit < digits; ++digit) out.push_back("share of " + std::to_string(digit) + name);
  }
  return out;
}

double score(const TrialRecord& record, Score which) { return record[static_cast<std::size_t>(which)]; }

double state_number(const TrialRecord& record, Index state, Index number) {
  return record[n_scores + static_cast<std::size_t>(state * n_state_numbers + number)];
}

/// P(digit | state), a row for each state.
Matrix digits_of_states(const Press& model, const Dataset& data) {
  const Matrix w = model.state_weights(data.x);
  Matrix out = Matrix::Zero(w.rows(), digits);
  for (Index i = 0; i < data.size(); ++i) out.col(static_cast<Index>(data.y(0, i))) += w.col(i);
  return w.rowwise().sum().cwiseInverse().asDiagonal() * out;
}

TrialRecord record_of(const Press& model, const Dataset& train, const Dataset& test, double seconds) {
  const Vector residuals = test.y.row(0).transpose() - fitted_means(model, test.x);
  const Vector squares = residuals.cwiseAbs2();
  const auto n = static_cast<double>(test.size());
  TrialRecord out = {mean_square(model, train),
                     squares.mean(),
                     std::sqrt((squares.array() - squares.mean()).square().sum() / (n * (n - 1))),
                     residuals.cwiseAbs().mean(),
                     static_cast<double>((residuals.array().abs() < 0.5).count()) / n,
                     -model.log_density(test.x, test.y, {.threads = 1, .observer = {}}).mean(),
                     model.degrees_of_freedom(),
                     static_cast<double>(used_pixels(model)),
                     static_cast<double>((model.coefficients().bottomRows(model.n_inputs()).array() != 0).count()),
                     model.report().details.at("iterations").as_number(),
                     seconds};
  const Matrix shares = digits_of_states(model, train);
  const double all = model.state_sizes().sum();
  out.resize(score_names().size(), 0);  // states that hold no rows are no longer in the model
  for (Index state = 0; state < model.n_states(); ++state) {
    const auto first = out.begin() + static_cast<Index>(n_scores) + state * n_state_numbers;
    first[0] = model.state_means()(0, state);
    first[1] = model.state_sizes()[state] / all;
    for (Index digit = 0; digit < digits; ++digit) first[2 + digit] = shares(state, digit);
  }
  return out;
}

/// Fits, and puts the model into `file` (empty: nowhere).
TrialRecord run_trial(const Method& method, const Dataset& train, const Dataset& test,
                      const std::filesystem::path& file) {
  const double begin = thread_seconds();
  const auto model = std::make_shared<const Press>(fit(method, train, 0, 0));
  const double seconds = thread_seconds() - begin;
  if (!file.empty()) save_model({Encoder::generic(train.x.rows(), 1), model}, file.string());
  return record_of(*model, train, test, seconds);
}

void add_row(MarkdownTable& table, const Method& method, const TrialRecord& record) {
  const auto cell = [&](Score which, int places) { return fixed(score(record, which), places); };
  table.add({method.label, cell(Score::mse, 3),
             plus_minus(score(record, Score::test_mse), score(record, Score::test_error), 3), cell(Score::mad, 3),
             fixed(100 * score(record, Score::right), 1) + " %", cell(Score::nll, 3), cell(Score::freedom, 2),
             cell(Score::pixels, 0), cell(Score::coefficients, 0),
             cell(Score::iterations, 0) + (score(record, Score::iterations) < most_steps ? "" : " (the limit)"),
             cell(Score::seconds, 0)});
}

void print_states(const TrialRecord& record, std::ostream& out) {
  std::vector<std::string> header = {"state", "mean", "size"};
  for (Index digit = 0; digit < digits; ++digit) header.push_back("P(" + std::to_string(digit) + "\\|s)");
  MarkdownTable table(header);
  for (Index state = 0; state < digits; ++state) {
    std::vector<std::string> cells = {std::to_string(state)};
    for (Index k = 0; k < n_state_numbers; ++k) cells.push_back(fixed(state_number(record, state, k), k == 1 ? 3 : 2));
    table.add(cells);
  }
  table.print(out);
}

/// An image of a file, row by row.
Matrix image_of(const VectorView& pixels) { return pixels.reshaped<Eigen::RowMajor>(side, side); }

/// Inverse Lambert W x Gaussian transformation (Goerg 2015), with the delta that gives all values together a kurtosis
/// of 3: keeps signs and order.
Matrix without_heavy_tails(const Matrix& values) {
  const double scale = std::sqrt((values.array() - values.mean()).square().mean());
  if (!(scale > 0)) return values;
  const Eigen::ArrayXXd z = (values.array() - values.mean()) / scale;
  const auto transformed = [&](double delta) -> Eigen::ArrayXXd {
    return z.unaryExpr(
        [delta](double v) { return std::copysign(std::sqrt(boost::math::lambert_w0(delta * v * v) / delta), v); });
  };
  const auto kurtosis = [](const Eigen::ArrayXXd& v) {
    const Eigen::ArrayXXd centred = v - v.mean();
    return centred.pow(4).mean() / std::pow(centred.square().mean(), 2);
  };
  double low = 1e-6;
  double high = 10;
  if (kurtosis(z) <= 3) return values;
  for (int step = 0; step < 40; ++step) {
    const double middle = std::sqrt(low * high);
    (kurtosis(transformed(middle)) > 3 ? low : high) = middle;
  }
  return (values.mean() + scale * transformed(high)).matrix();
}

std::vector<Tile> state_tiles(const Matrix& images) {
  std::vector<Tile> out;
  for (Index j = 0; j < images.cols(); ++j) out.push_back({"state " + std::to_string(j), image_of(images.col(j))});
  return out;
}

/// The five rows of most, and the five of least entropy (18).
std::vector<Tile> certain_and_uncertain(const Press& model, const Dataset& data) {
  const Vector entropy = model.entropy(data.x);
  const Vector predicted = fitted_means(model, data.x);
  std::vector<Index> order(static_cast<std::size_t>(data.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return entropy[a] > entropy[b]; });
  std::vector<Tile> out;
  for (std::size_t k = 0; k < 10; ++k) {
    const Index i = order[k < 5 ? k : order.size() - 1 - (k - 5)];
    out.push_back({fixed(data.y(0, i), 0) + ": " + fixed(predicted[i], 1) + ", " + fixed(entropy[i], 2) + " bit",
                   image_of(data.x.col(i))});
  }
  return out;
}

/// p(y | s_j), and p(y) with its parts sigma_j / N p(y | s_j).
std::string draw_densities(const Press& model) {
  const Vector grid = Vector::LinSpaced(600, -1.5, 10.5);
  const GaussianMixtures laws = model.state_densities();
  const Vector shares = model.state_sizes() / model.state_sizes().sum();
  Panel states{.title = "p(y | state)", .x_label = "digit", .y_label = "density"};
  Panel parts{.title = "p(y) and its parts", .x_label = "digit", .y_label = "density"};
  Vector marginal = Vector::Zero(grid.size());
  for (Index j = 0; j < laws.size(); ++j) {
    const GaussianMixture law = laws[j];
    const Vector density = grid.unaryExpr([&](double y) { return law.pdf(y); });
    const std::size_t color = static_cast<std::size_t>(j) % 6;
    states.curves.push_back({"", grid, density, color});
    parts.curves.push_back({"", grid, shares[j] * density, color});
    marginal += shares[j] * density;
  }
  parts.curves.push_back({"p(y)", grid, marginal, 6, true});
  return draw_panels({states, parts}, 2);
}

void draw(const Press& model, const Dataset& test, const Matrix& shares, const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  const Matrix coefficients = model.coefficients().bottomRows(model.n_inputs());
  write_text(folder / "figure-6a.svg",
             draw_tiles("Mean image of every state", state_tiles(model.state_inputs()), 5, false));
  write_text(folder / "figure-6b.svg", draw_tiles("Coefficients", state_tiles(coefficients), 5, true));
  write_text(folder / "figure-6c.svg",
             draw_tiles("Coefficients without heavy tails", state_tiles(without_heavy_tails(coefficients)), 5, true));
  write_text(folder / "figure-7a.svg", draw_densities(model));
  write_text(folder / "figure-7a-digits.svg", draw_matrices({{"P(digit | state), states from top", shares}}, 260));
  write_text(folder / "figure-7b.svg",
             draw_tiles("Least certain (above) and most certain state", certain_and_uncertain(model, test), 5, false));
}

}  // namespace

void run_mnist(const Command& command, std::ostream& out) {
  const bool quick = command.scale == Scale::quick;
  const std::filesystem::path records(command.records);
  const Index most = quick ? quick_rows : 1000000;
  const std::optional<Dataset> train = read_digits(records / "mnist", "train", most);
  const std::optional<Dataset> test = read_digits(records / "mnist", "t10k", most);
  if (!train || !test) {
    std::cerr << "reproduce_press: " << (records / "mnist").string() << " does not hold the four files of MNIST, which "
              << "is left out\n";
    return;
  }
  RecordBook book(records / (quick ? "quick-mnist.csv" : "mnist.csv"), score_names());
  const auto key = [&](const Method& method) { return TrialKey{"digits", train->size(), method.label, 0}; };
  const auto file = [&](const Method& method) {
    return records / ((quick ? "quick-mnist " : "mnist ") + method.label + ".cbor");
  };
  const std::vector<Method> all = methods();
  std::vector<Trial> trials;
  for (const Method& method : all)
    trials.push_back({key(method), [&] { return run_trial(method, *train, *test, file(method)); },
                      [&] { return run_trial(method, first_rows(*train), first_rows(*test), {}); }});
  run_trials(std::move(trials), book, command.minutes);

  MarkdownTable table({"method", "training MSE", "test MSE", "test MAD", "rounded right", "test NLL", "ν",
                       "pixels used", "coefficients used", "iterations", "seconds"});
  const Method* best = nullptr;
  for (const Method& method : all) {
    const TrialRecord* record = book.find(key(method));
    if (record == nullptr) continue;
    add_row(table, method, *record);
    if (best == nullptr || score(*record, Score::mse) < score(*book.find(key(*best)), Score::mse)) best = &method;
  }
  if (best == nullptr) return;
  out << train->size() << " rows, " << (train->x.array() != 0).rowwise().any().count() << " of " << train->x.rows()
      << " pixels are not blank in all of them. The lowest MSE of a constant is "
      << fixed((train->y.array() - train->y.mean()).square().mean(), 3) << ".\n\n";
  table.print(out);
  out << "The states of the fit of lowest training MSE, and the digits of the training rows in them:\n\n";
  print_states(*book.find(key(*best)), out);
  if (std::filesystem::exists(file(*best))) {  // the records do not keep models
    const auto model = std::dynamic_pointer_cast<const Press>(load_model_file(file(*best).string()).density);
    draw(*model, *test, digits_of_states(*model, *train), command.pictures);
  }
  out << "[Mean images](pictures/figure-6a.svg), [coefficients](pictures/figure-6b.svg), [without heavy "
         "tails](pictures/figure-6c.svg), [p(y | state) and p(y)](pictures/figure-7a.svg), [digits of the "
         "states](pictures/figure-7a-digits.svg), [least and most certain test "
         "images](pictures/figure-7b.svg), each with its digit, prediction and entropy.\n\n";
  book.print_older(out);
}

}  // namespace condens::reproduce
