#include "statements.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <vector>

#include "common/markdown.hpp"
#include "example_data.hpp"
#include "fits.hpp"

namespace condens::reproduce {

namespace {

constexpr Index planned = 5;
constexpr Index n_test = 2000;

/// Lemma 4.3: as the coefficients grow, rows get certain of their states, and V of (42) an orthogonal matrix.
void print_lemma(std::ostream& out) {
  const Dataset data = draw(examples[2], 200, 0);
  Method method = minimum_method();
  method.options.standardize = false;
  const Press model = fit(method, data, 3, 0);
  const PressMap map(1, model.n_states());
  out << "### Lemma 4.3\n\nThe linear example, n = " << data.size() << ", J = " << model.n_states()
      << ": the coefficients of the fit, multiplied by a factor. V and Λ are those of (42); certain is a row with a "
         "weight above 1 - 1e-12.\n\n";
  MarkdownTable table({"factor", "rows that are certain", "ν", "largest \\|v_j'v_k\\|, j ≠ k",
                       "largest \\|S v_j - λ_j v_j\\|", "entries of V farther than 1e-6 from 0 and 1/√N_j"});
  for (const double factor : {1.0, 3.0, 10.0, 30.0, 100.0, 1000.0}) {
    const Matrix w = map.weights(factor * model.state().theta, data.x).transpose();
    const Vector sizes = w.colwise().sum().transpose();
    const Matrix v = w.colwise().normalized();
    const Vector lambda = w.colwise().squaredNorm().transpose().cwiseQuotient(sizes);
    const Matrix smoother = w * sizes.cwiseInverse().asDiagonal() * w.transpose();
    Matrix products = v.transpose() * v;
    products.diagonal().setZero();
    const Matrix residual = smoother * v - v * lambda.asDiagonal();
    Index between = 0;
    for (Index j = 0; j < v.cols(); ++j) {
      const double level = 1 / std::sqrt(sizes[j]);
      between += (v.col(j).array().min((v.col(j).array() - level).abs()) > 1e-6).count();
    }
    table.add({fixed(factor, 0), std::to_string((w.rowwise().maxCoeff().array() > 1 - 1e-12).count()),
               fixed(lambda.sum(), 4), significant(products.maxCoeff()),
               significant(residual.colwise().norm().maxCoeff()), std::to_string(between)});
  }
  table.print(out);
}

/// y is -1 or 1 with equal chances, whatever the inputs.
Dataset coin(Index rows, Index inputs, Index seed) {
  RandomStream random(static_cast<std::uint64_t>(seed), static_cast<std::uint64_t>(rows));
  Matrix x(inputs, rows);
  Matrix y(1, rows);
  for (Index i = 0; i < rows; ++i) {
    for (double& value : x.col(i)) value = random.normal();
    y(0, i) = random.uniform() < 0.5 ? -1 : 1;
  }
  return {.x = std::move(x), .y = std::move(y)};
}

/// Clusters of y, here its two values, and then a classifier: the logistic regression that says which, by Newton steps.
Vector chances_by_classifier(const Dataset& train, const Matrix& x_test) {
  const auto design = [](const Matrix& x) {
    Matrix out = Matrix::Ones(x.cols(), x.rows() + 1);
    out.rightCols(x.rows()) = x.transpose();
    return out;
  };
  const auto chances = [](const Matrix& rows, const Vector& beta) -> Vector {
    return (1 + (-(rows * beta)).array().exp()).inverse();
  };
  const Matrix rows = design(train.x);
  const Vector is_one = 0.5 * (1 + train.y.row(0).transpose().array());
  Vector beta = Vector::Zero(rows.cols());
  for (int step = 0; step < 20; ++step) {
    const Vector p = chances(rows, beta);
    const Matrix hessian = rows.transpose() * (p.array() * (1 - p.array())).matrix().asDiagonal() * rows;
    beta += hessian.llt().solve(rows.transpose() * (is_one - p));
  }
  return chances(design(x_test), beta);
}

/// Minus the mean log chance of what came, above log 2: the loss over knowing that the inputs say nothing.
double excess_loss(const Vector& chance_of_one, const Dataset& test) {
  double out = -std::log(2);
  for (Index i = 0; i < test.size(); ++i) {
    const double chance = test.y(0, i) > 0 ? chance_of_one[i] : 1 - chance_of_one[i];
    out -= std::log(std::max(chance, 1e-300)) / static_cast<double>(test.size());
  }
  return out;
}

/// What the repetitions gave, a row each: the J that each chose, and the mean of every other column.
std::vector<std::string> cells_of(const std::vector<std::vector<double>>& rows, Index repetitions,
                                  const std::vector<int>& digits) {
  std::vector<Index> states;
  for (const std::vector<double>& row : rows) states.push_back(static_cast<Index>(row.front()));
  std::vector<std::string> out = {tally(states)};
  for (std::size_t k = 1; k <= digits.size(); ++k) {
    std::vector<double> column;
    for (const std::vector<double>& row : rows) column.push_back(row[k]);
    out.push_back(mean_cell(column, repetitions, digits[k - 1]));
  }
  return out;
}

void print_sufficiency(bool quick, std::ostream& out) {
  constexpr Index inputs = 5;
  const Index repetitions = quick ? 2 : 20;
  out << "### Sufficient and minimal\n\ny is -1 or 1, independent of " << inputs << " inputs; " << repetitions
      << " samples, J from 1 to 5 by AIC. Beside it the two-step method: clusters of y, which are two, then a logistic "
         "regression that says which. Excess loss is -log P(y\\|x) of "
      << n_test << " test rows above log 2; that of PRESS is of P(y = 1) = (1 + ŷ) / 2.\n\n";
  MarkdownTable table(
      {"n", "J of PRESS (times)", "ν", "excess loss", "mean \\|w - 1/2\\|, two steps", "excess loss, two steps"});
  Method method = paper_method();
  method.options.n_states = {1, 2, 3, 4, 5};
  for (const Index n : {Index{50}, Index{200}, Index{1000}}) {
    std::vector<std::vector<double>> rows;
    for (Index seed = 0; seed < repetitions; ++seed) {
      const Dataset train = coin(n, inputs, 2 * seed);
      const Dataset test = coin(n_test, inputs, 2 * seed + 1);
      const Press model = fit(method, train, 0, seed);
      const Vector chance = chances_by_classifier(train, test.x);
      rows.push_back({static_cast<double>(model.n_states()), model.degrees_of_freedom(),
                      excess_loss(0.5 * (1 + fitted_means(model, test.x).array()), test),
                      (chance.array() - 0.5).abs().mean(), excess_loss(chance, test)});
    }
    std::vector<std::string> cells = cells_of(rows, repetitions, {2, 4, 3, 4});
    cells.insert(cells.begin(), std::to_string(n));
    table.add(cells);
  }
  table.print(out);
}

/// One sample of an example, with a test sample whose y is the true mean.
Sample sample_of(const Example& example, Index n, Index seed) {
  Dataset test = draw(example, n_test, 2 * seed + 1);
  test.y = Matrix(means_at(example, test.x).transpose());
  return {std::string(example.name) + " sample " + std::to_string(seed), draw(example, n, 2 * seed), std::move(test)};
}

void print_log_n(const Command& command, bool quick, std::ostream& out) {
  const Index repetitions = quick ? 1 : planned;
  RecordBook book(std::filesystem::path(command.records) / (quick ? "quick-statements.csv" : "statements.csv"),
                  number_names());
  out << "### J near log N\n\nThe examples of Figure 1, " << repetitions
      << " samples, preset `paper`: J from 1 to 15 by AIC, and J = log N, rounded, where the text says to start. The "
         "error is the root mean squared error of the mean at "
      << n_test << " places.\n\n";
  MarkdownTable table(
      {"example", "N", "log N", "J by AIC (times)", "ν of these", "error", "ν at J = log N", "error at J = log N"});
  for (const Example& example : examples)
    for (const Index n : quick ? std::vector<Index>{50} : std::vector<Index>{50, 200, 800}) {
      const double log_n = std::log(static_cast<double>(n));
      const auto start = static_cast<Index>(std::lround(log_n));
      std::vector<std::vector<double>> rows;
      for (Index seed = 0; seed < repetitions; ++seed) {
        Sample sample = sample_of(example, n, seed);
        sample.name += " of " + std::to_string(n);
        const Study study{sample, {paper_method()}, one_to(quick ? 5 : 15), 1};
        run_study(study, book, command.minutes);
        const std::string& label = study.methods.front().label;
        const std::vector<Index> chosen = chosen_states(book, study, label);
        if (chosen.empty()) continue;
        const auto number = [&](Index at, Number which) {
          return numbers_of(book, study, label, at, which).values.at(0);
        };
        rows.push_back({static_cast<double>(chosen.front()), number(chosen.front(), Number::freedom),
                        std::sqrt(number(chosen.front(), Number::test_mse)), number(start, Number::freedom),
                        std::sqrt(number(start, Number::test_mse))});
      }
      std::vector<std::string> cells = cells_of(rows, repetitions, {2, 3, 2, 3});
      cells.insert(cells.begin(), {example.name, std::to_string(n), fixed(log_n, 1)});
      table.add(cells);
    }
  table.print(out);
  book.print_older(out);
}

}  // namespace

void run_statements(const Command& command, std::ostream& out) {
  const bool quick = command.scale == Scale::quick;
  print_lemma(out);
  print_sufficiency(quick, out);
  print_log_n(command, quick, out);
}

}  // namespace condens::reproduce
