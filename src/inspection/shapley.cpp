#include "condens/inspection/shapley.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "data/splits.hpp"
#include "numbers.hpp"

namespace condens {

namespace {

/// One game: who plays, and what is asked.
struct Game {
  const Inspected& model;
  const std::vector<InspectedInput>& inputs;
  Vector row;
  Vector y;
  Matrix background;
  std::vector<std::size_t> players;  ///< inputs that differ somewhere
  Index n_measures;
  Measure measure;
  const ShapleyOptions& options;
  const Run& run;

  Index n_players() const { return std::ssize(players); }

  void take(Index player, Eigen::Ref<Vector> x) const {
    for (const Index k : inputs[players[static_cast<std::size_t>(player)]].rows) x[k] = row[k];
  }

  /// `count` columns; `fill(i, x)` makes the i-th one.
  template <class Fill>
  Matrix values(Index count, const Fill& fill) const {
    return ask(
        model, count,
        [&](Range range) {
          Asked out{Matrix(row.size(), range.size()), y.replicate(range.size(), 1)};
          for (Index i = 0; i < range.size(); ++i) fill(range.begin + i, out.x.col(i));
          return out;
        },
        n_measures, measure, "Shapley values", run);
  }
};

std::vector<std::size_t> players_of(const std::vector<InspectedInput>& inputs, const Vector& row,
                                    const Matrix& background) {
  std::vector<std::size_t> out;
  for (std::size_t j = 0; j < inputs.size(); ++j) {
    const auto differs = [&](Index k) { return (background.row(k).array() != row[k]).any(); };
    if (std::any_of(inputs[j].rows.begin(), inputs[j].rows.end(), differs)) out.push_back(j);
  }
  return out;
}

/// Whether all subsets of the players, with every row of the background, are at most so many predictions.
bool are_few(Index players, Index background, Index most) {
  return players < 30 && (Index{1} << players) <= most / std::max<Index>(1, background);
}

/// Measures x players; fills base and prediction.
Matrix exact_values(const Game& game, Attribution& out) {
  const Index a = game.n_players();
  const Index m = game.background.cols();
  const Index subsets = Index{1} << a;
  const Matrix each = game.values(subsets * m, [&](Index i, Eigen::Ref<Vector> x) {
    x = game.background.col(i % m);
    for (Index p = 0; p < a; ++p)
      if (((i / m) >> p & 1) != 0) game.take(p, x);
  });
  Matrix of_subset(game.n_measures, subsets);
  for (Index s = 0; s < subsets; ++s) of_subset.col(s) = each.middleCols(s * m, m).rowwise().mean();
  out.base = of_subset.col(0);
  out.prediction = of_subset.col(subsets - 1);
  // |S|! (a - |S| - 1)! / a! = 1 / (a choose(a - 1, |S|)).
  std::vector<double> share{1.0 / static_cast<double>(std::max<Index>(1, a))};
  for (Index k = 1; k < a; ++k) share.push_back(share.back() * static_cast<double>(k) / static_cast<double>(a - k));
  Matrix values = Matrix::Zero(game.n_measures, a);
  for (Index s = 0; s < subsets; ++s) {
    const auto size = static_cast<std::size_t>(std::popcount(static_cast<std::uint64_t>(s)));
    for (Index p = 0; p < a; ++p) {
      if ((s >> p & 1) != 0) continue;
      values.col(p) += share[size] * (of_subset.col(s | (Index{1} << p)) - of_subset.col(s));
    }
  }
  return values;
}

/// The same from orders; `errors` are measures x players, too.
Matrix sampled_values(const Game& game, Matrix& errors, Attribution& out) {
  const Index a = game.n_players();
  const Index m = game.background.cols();
  const Index per_row = std::max<Index>(2, (game.options.n_orders + m - 1) / m);
  const auto seed = static_cast<std::uint64_t>(game.options.seed);
  std::vector<std::vector<Index>> orders;
  for (Index o = 0; o < m * per_row; ++o) {
    orders.push_back(RandomStream(seed, static_cast<std::uint64_t>(o + 1)).permutation(a));
  }
  // Step s of an order: the first s players of it are those of the row.
  const Index steps = a + 1;
  const Matrix each = game.values(m * per_row * steps, [&](Index i, Eigen::Ref<Vector> x) {
    const Index o = i / steps;
    x = game.background.col(o / per_row);
    for (Index s = 0; s < i % steps; ++s)
      game.take(orders[static_cast<std::size_t>(o)][static_cast<std::size_t>(s)], x);
  });
  Matrix values = Matrix::Zero(game.n_measures, a);
  Matrix variance = Matrix::Zero(game.n_measures, a);
  out.base = out.prediction = Vector::Zero(game.n_measures);
  const auto rows = static_cast<double>(m);
  const auto repeats = static_cast<double>(per_row);
  for (Index b = 0; b < m; ++b) {
    std::vector<Matrix> found(static_cast<std::size_t>(per_row), Matrix(game.n_measures, a));
    Matrix mean = Matrix::Zero(game.n_measures, a);
    for (Index r = 0; r < per_row; ++r) {
      const Index o = b * per_row + r;
      for (Index s = 0; s < a; ++s) {
        const Index player = orders[static_cast<std::size_t>(o)][static_cast<std::size_t>(s)];
        found[static_cast<std::size_t>(r)].col(player) = each.col(o * steps + s + 1) - each.col(o * steps + s);
      }
      mean += found[static_cast<std::size_t>(r)] / repeats;
    }
    for (const Matrix& own : found) variance += (own - mean).cwiseAbs2() / ((repeats - 1) * repeats * rows * rows);
    values += mean / rows;
    out.base += each.col(b * per_row * steps) / rows;
    out.prediction += each.col(b * per_row * steps + a) / rows;
  }
  errors = variance.cwiseSqrt();
  return values;
}

Attribution play(const Game& game, std::vector<std::string> of) {
  Attribution out{.of = std::move(of),
                  .inputs = {},
                  .values = {},
                  .standard_errors = {},
                  .base = {},
                  .prediction = {},
                  .exact = are_few(game.n_players(), game.background.cols(), game.options.most_exact),
                  .n_background = game.background.cols()};
  for (const InspectedInput& input : game.inputs) out.inputs.push_back(input.name);
  out.values = out.standard_errors = Matrix::Zero(std::ssize(game.inputs), game.n_measures);
  Matrix errors = Matrix::Zero(game.n_measures, game.n_players());
  const Matrix values = out.exact ? exact_values(game, out) : sampled_values(game, errors, out);
  for (Index p = 0; p < game.n_players(); ++p) {
    const auto input = static_cast<Index>(game.players[static_cast<std::size_t>(p)]);
    out.values.row(input) = values.col(p).transpose();
    out.standard_errors.row(input) = errors.col(p).transpose();
  }
  return out;
}

void check_options(const char* owner, const ShapleyOptions& options) {
  require(options.most_exact >= 0, owner, ": most_exact = ", options.most_exact, ", expected a number >= 0");
  require(options.n_orders >= 2, owner, ": n_orders = ", options.n_orders, ", expected at least 2");
  require(options.max_background >= 0, owner, ": max_background = ", options.max_background,
          ", expected a number >= 0");
}

}  // namespace

Attribution shapley_values(const Inspected& model, const std::vector<Functional>& of,
                           const std::vector<InspectedInput>& inputs, const VectorView& row, const VectorView& y,
                           const MatrixView& background, const ShapleyOptions& options, const Run& run) {
  constexpr const char* owner = "shapley_values";
  model.check(owner, row);
  model.check(owner, background);
  check_targets(owner, of, y.size(), 1);
  check_options(owner, options);
  Matrix others = background;
  if (options.max_background > 0 && background.cols() > options.max_background) {
    const RandomStream random(static_cast<std::uint64_t>(options.seed));
    others = background(Eigen::all, random_rows(background.cols(), options.max_background, random));
  }
  std::vector<std::string> names;
  for (const Functional& own : of) names.push_back(own.text());
  const std::vector<std::size_t> players = players_of(inputs, row, others);
  return play({model, inputs, row, y, std::move(others), players, std::ssize(of), measure_of(of), options, run},
              std::move(names));
}

Attribution compare_rows(const Inspected& model, const std::vector<Functional>& of,
                         const std::vector<InspectedInput>& inputs, const VectorView& row, const VectorView& other,
                         const ShapleyOptions& options, const Run& run) {
  constexpr const char* owner = "compare_rows";
  model.check(owner, row);
  model.check(owner, other);
  check_options(owner, options);
  std::vector<std::string> names;
  for (const Functional& own : of) {
    require(!own.needs_target(), owner, ": of = '", own.text(), "' needs the target of one row, and there are two; ",
            "expected another functional");
    names.push_back(own.text());
  }
  names.insert(names.end(), {"crps", "kolmogorov"});
  const TargetDistributions start = model.predict(Matrix(other), {.threads = 1, .observer = {}});
  const auto n_measures = std::ssize(of);
  const Measure functionals = measure_of(of);
  const Measure measure = [&](const TargetDistributions& laws, const VectorView& y, const Run& inside) {
    Matrix out(n_measures + 2, laws.size());
    if (n_measures > 0) out.topRows(n_measures) = functionals(laws, y, inside);
    out.bottomRows(2) = distances_to(laws, start, inside);
    return out;
  };
  const std::vector<std::size_t> players = players_of(inputs, row, Matrix(other));
  return play({model, inputs, row, Vector(), Matrix(other), players, n_measures + 2, measure, options, run},
              std::move(names));
}

}  // namespace condens
