#include "condens/model/input_imputer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "condens/core/random.hpp"
#include "data/splits.hpp"
#include "linalg/log_sum_exp.hpp"
#include "linalg/normal_quantile.hpp"

namespace condens {

namespace {

constexpr Index most_quantiles = 512;
constexpr Index drawn_of_an_input = 1024;
constexpr Index most_rows_of_mixture = 20'000;
constexpr Index most_mixture_components = 5;
constexpr Index turns_of_one_component = 5;
constexpr Index turns_of_all = 5;
constexpr std::uint64_t stream_of_rows = 4'000;
constexpr std::uint64_t stream_of_turns = 1'000'000;
constexpr std::uint64_t stream_of_tables = 999'000;
constexpr std::uint64_t stream_of_constants = 998'000;

/// Sorted values that are there; of many, as many at even levels.
Vector quantiles_of(const VectorView& values) {
  std::vector<double> there;
  for (const double value : values) {
    if (!std::isnan(value)) there.push_back(value);
  }
  std::sort(there.begin(), there.end());
  const auto n = std::ssize(there);
  Vector out(std::min<Index>(n, most_quantiles));
  for (Index i = 0; i < out.size(); ++i) {
    out[i] = there[static_cast<std::size_t>((2 * i + 1) * n / (2 * out.size()))];
  }
  return out;
}

/// The score of a value: that of the middle of its ranks, or of its place between two, and at the ends that of half a
/// rank.
double score_of(const Vector& quantiles, double value) {
  const auto [first, last] = std::equal_range(quantiles.begin(), quantiles.end(), value);
  const auto rank = 0.5 * static_cast<double>((first - quantiles.begin()) + (last - quantiles.begin()));
  const auto n = static_cast<double>(quantiles.size());
  return normal_quantile(std::clamp(rank, 0.5, n - 0.5) / n);
}

double value_at(const Vector& quantiles, const Vector& drawn, double score) {
  const auto rank = static_cast<double>(std::upper_bound(drawn.begin(), drawn.end(), score) - drawn.begin());
  const double level = rank / (static_cast<double>(drawn.size()) + 1.0);
  const auto place = static_cast<Index>(level * static_cast<double>(quantiles.size()));
  return quantiles[std::min(place, quantiles.size() - 1)];
}

/// Even levels in a random order for every coordinate (Latin hypercube; McKay, Beckman and Conover 1979).
Matrix even_points(Index coordinates, Index n) {
  Matrix out(coordinates, n);
  for (Index j = 0; j < coordinates; ++j) {
    const std::vector<Index> order = RandomStream(0, static_cast<std::uint64_t>(j)).permutation(n);
    for (Index i = 0; i < n; ++i) {
      out(j, i) = (static_cast<double>(order[static_cast<std::size_t>(i)]) + 0.5) / static_cast<double>(n);
    }
  }
  return out;
}

bool same_group(const std::vector<Index>& groups, Index a, Index b) {
  return !groups.empty() && groups[static_cast<std::size_t>(a)] == groups[static_cast<std::size_t>(b)];
}

bool has_missing(const MatrixView& column) { return column.array().isNaN().any(); }

}  // namespace

// Components of z in the order observed, missing, with factor D (L_oo 0; L_mo L_mm) of each covariance: for
// t = L_oo^-1 D_o^-1 (z_o - v_o) the component has weight w exp(-|t|^2 / 2) / det(D_o L_oo), and its missing scores are
// v_m + D_m (L_mo t + L_mm e), e standard normal.
class InputImputer::Sampler {
 public:
  explicit Sampler(const GaussianMixture& mixture) : mixture_(mixture) {}

  /// Fills what is NaN among the scores: `level` chooses the component, `noise` (of every coordinate) is standard
  /// normal.
  template <class Noise>
  void complete(Vector& scores, double level, const Noise& noise) {
    const Pattern& pattern = pattern_of(scores);
    const Index known = pattern.known;
    const std::vector<Index>& order = pattern.order;
    const Index missing = std::ssize(order) - known;
    const Index m = mixture_.n_components();
    Matrix t(known, m);
    Vector log_weights = mixture_.log_weights();
    for (Index l = 0; l < m; ++l) {
      const auto k = static_cast<std::size_t>(l);
      for (Index i = 0; i < known; ++i) {
        t(i, l) = (scores[order[static_cast<std::size_t>(i)]] - pattern.components.means(i, l)) /
                  pattern.components.scales(i, l);
      }
      auto own = t.col(l);
      pattern.factors[k].topLeftCorner(known, known).triangularView<Eigen::Lower>().solveInPlace(own);
      log_weights[l] -= 0.5 * t.col(l).squaredNorm() + pattern.log_factors[k];
    }
    const double total = log_sum_exp(log_weights);
    Index chosen = 0;
    for (double sum = std::exp(log_weights[0] - total); sum <= level && chosen + 1 < m;) {
      sum += std::exp(log_weights[++chosen] - total);
    }
    const Matrix& factor = pattern.factors[static_cast<std::size_t>(chosen)];
    Vector whole(std::ssize(order));
    whole.head(known) = t.col(chosen);
    for (Index i = known; i < whole.size(); ++i) whole[i] = noise(order[static_cast<std::size_t>(i)]);
    const Vector moved = factor.bottomRows(missing) * whole;
    for (Index i = 0; i < missing; ++i) {
      scores[order[static_cast<std::size_t>(known + i)]] =
          pattern.components.means(known + i, chosen) + pattern.components.scales(known + i, chosen) * moved[i];
    }
  }

 private:
  struct Pattern {
    std::vector<Index> order;  // observed coordinates, then missing ones
    Index known;
    GaussianComponents components;  // of the coordinates in that order
    std::vector<Matrix> factors;    // of their correlations
    std::vector<double> log_factors;
  };

  const Pattern& pattern_of(const Vector& scores) {
    std::vector<bool> missing;
    for (const double score : scores) missing.push_back(std::isnan(score));
    const auto found = patterns_.find(missing);
    if (found != patterns_.end()) return found->second;
    Pattern out;
    for (Index j = 0; j < scores.size(); ++j) {
      if (!std::isnan(scores[j])) out.order.push_back(j);
    }
    out.known = std::ssize(out.order);
    for (Index j = 0; j < scores.size(); ++j) {
      if (std::isnan(scores[j])) out.order.push_back(j);
    }
    out.components = mixture_.components().coordinates(out.order);
    for (Index l = 0; l < mixture_.n_components(); ++l) {
      out.factors.push_back(out.components.correlation_factor(l));
      out.log_factors.push_back(out.factors.back().diagonal().head(out.known).array().log().sum() +
                                out.components.scales.col(l).head(out.known).array().log().sum());
    }
    return patterns_.emplace(std::move(missing), std::move(out)).first->second;
  }

  const GaussianMixture& mixture_;
  std::map<std::vector<bool>, Pattern> patterns_;
};

namespace {

/// Whether these inputs are the indicators of one category: each is 0 or 1.
bool are_indicators(const std::vector<Vector>& quantiles, Index begin, Index end) {
  for (Index j = begin; j < end; ++j) {
    const Vector& own = quantiles[static_cast<std::size_t>(j)];
    if (!((own.array() == 0.0) || (own.array() == 1.0)).all()) return false;
  }
  return end > begin + 1;
}

/// The indicator that goes farthest beyond the score above which it is one.
Index farthest_indicator(const std::vector<Vector>& quantiles, const std::vector<Vector>& drawn, Index begin, Index end,
                         const VectorView& scores) {
  Index chosen = begin;
  double farthest = -infinity;
  for (Index j = begin; j < end; ++j) {
    const Vector& own = drawn[static_cast<std::size_t>(j)];
    const double zeros = 1.0 - quantiles[static_cast<std::size_t>(j)].mean();
    const auto place = static_cast<Index>(zeros * static_cast<double>(own.size()));
    const double beyond = scores[j] - own[std::min(place, own.size() - 1)];
    if (beyond <= farthest) continue;
    farthest = beyond;
    chosen = j;
  }
  return chosen;
}

/// Values at the scores of inputs that are missing; of a category, one level.
void put_values(const std::vector<Vector>& quantiles, const std::vector<Vector>& drawn,
                const std::vector<Index>& groups, const VectorView& scores, Eigen::Ref<Vector> x) {
  const auto n = static_cast<Index>(quantiles.size());
  for (Index begin = 0; begin < n;) {
    Index end = begin + 1;
    while (end < n && same_group(groups, begin, end)) ++end;
    if (std::isnan(x[begin]) && are_indicators(quantiles, begin, end)) {
      x.segment(begin, end - begin).setZero();
      x[farthest_indicator(quantiles, drawn, begin, end, scores)] = 1.0;
    }
    for (Index j = begin; j < end; ++j) {
      const auto k = static_cast<std::size_t>(j);
      if (std::isnan(x[j])) x[j] = value_at(quantiles[k], drawn[k], scores[j]);
    }
    begin = end;
  }
}

Matrix scores_of(const std::vector<Vector>& quantiles, const MatrixView& values) {
  Matrix out(values.rows(), values.cols());
  for (Index i = 0; i < values.cols(); ++i) {
    for (Index j = 0; j < values.rows(); ++j) {
      const double value = values(j, i);
      out(j, i) = std::isnan(value) ? value : score_of(quantiles[static_cast<std::size_t>(j)], value);
    }
  }
  return out;
}

/// A coordinate that is one number in all these rows, as the mark of a rare level, has no spread that a mixture could
/// be fitted to, and tells nothing of the others: noise takes its place.
void put_noise_for_constants(const std::vector<Index>& rows, std::uint64_t seed, Matrix& known, Matrix& scores) {
  for (Index j = 0; j < scores.rows(); ++j) {
    const double first = scores(j, rows.front());
    if (!(scores(j, rows).array() == first).all()) continue;
    RandomStream random(seed + stream_of_constants, static_cast<std::uint64_t>(j));
    for (Index i = 0; i < scores.cols(); ++i) {
      if (known(j, i) == first) scores(j, i) = known(j, i) = random.normal();
    }
  }
}

std::vector<Vector> quantiles_of_rows(const MatrixView& values) {
  std::vector<Vector> out;
  for (Index j = 0; j < values.rows(); ++j) out.push_back(quantiles_of(values.row(j).transpose()));
  return out;
}

}  // namespace

InputImputer::InputImputer(Tables quantiles, Tables drawn, std::vector<Index> groups, GaussianMixture mixture)
    : quantiles_(std::move(quantiles)),
      drawn_(std::move(drawn)),
      groups_(std::move(groups)),
      mixture_(std::move(mixture)),
      points_(even_points(n_inputs() + 1, n_draws)) {}

/// For each of the first d coordinates, scores drawn given all others for rows where it is known, sorted.
InputImputer::Tables InputImputer::drawn_scores(const GaussianMixture& mixture, const MatrixView& known,
                                                const MatrixView& scores, const std::vector<Index>& groups, Index d,
                                                std::uint64_t seed, int threads) {
  const Index coordinates = mixture.dimension();
  Tables out(static_cast<std::size_t>(d));
  parallel_for(d, threads, [&](Index j) {
    std::vector<Index> rows;
    for (Index i = 0; i < known.cols(); ++i) {
      if (!std::isnan(known(j, i))) rows.push_back(i);
    }
    RandomStream random(seed + stream_of_tables, static_cast<std::uint64_t>(j));
    Sampler sampler(mixture);
    Vector& drawn = out[static_cast<std::size_t>(j)];
    drawn.resize(drawn_of_an_input);
    for (Index k = 0; k < drawn.size(); ++k) {
      Vector own = scores.col(rows[static_cast<std::size_t>(random.below(std::ssize(rows)))]).head(coordinates);
      for (Index other = 0; other < d; ++other) {  // what stands for one input is missing together
        if (other == j || same_group(groups, other, j)) own[other] = std::numeric_limits<double>::quiet_NaN();
      }
      const double level = random.uniform();
      sampler.complete(own, level, [&](Index) { return random.normal(); });
      drawn[k] = own[j];
    }
    std::sort(drawn.begin(), drawn.end());
  });
  return out;
}

InputImputer::Fit InputImputer::fit(const Dataset& data, std::uint64_t seed, const FitMixture& fit_mixture,
                                    const Run& run) {
  const Index d = data.x.rows();
  const Index n = data.size();
  std::vector<Vector> quantiles = quantiles_of_rows(data.x);
  for (Index j = 0; j < d; ++j) {
    require(quantiles[static_cast<std::size_t>(j)].size() > 0, "input ", j + 1,
            " is missing in every row, expected a value in some; leave it out");
  }
  Matrix known(d + data.y.rows(), n);
  known.topRows(d) = scores_of(quantiles, data.x);
  known.bottomRows(data.y.rows()) = scores_of(quantiles_of_rows(data.y), data.y);
  Matrix scores = known;
  for (Index i = 0; i < n; ++i) {  // to begin with, without regard to other inputs
    RandomStream random(seed, stream_of_rows + static_cast<std::uint64_t>(i));
    for (double& score : scores.col(i)) {
      if (std::isnan(score)) score = random.normal();
    }
  }

  const std::vector<Index> rows = random_rows(n, most_rows_of_mixture, RandomStream(seed));
  put_noise_for_constants(rows, seed, known, scores);
  const Index turns_of_one = known.array().isNaN().any() ? turns_of_one_component : 0;
  const Index turns = turns_of_one > 0 ? turns_of_one + turns_of_all : 1;
  Task task(run, "imputing missing inputs", static_cast<double>(turns));
  const Run here{.threads = task.threads(), .observer = {}};
  GaussianMixture joint(Vector::Ones(1), Matrix::Zero(1, 1), Matrix::Ones(1, 1));
  for (Index turn = 0; turn < turns; ++turn) {
    task.poll();
    Dataset columns{.x = Matrix(0, std::ssize(rows)), .y = Matrix(scores(Eigen::all, rows))};
    if (data.weights.size() > 0) columns.weights = data.weights(rows);
    joint = fit_mixture(columns, turn < turns_of_one ? 1 : most_mixture_components, here);
    parallel_for(
        block_count(n, 256), task.threads(),
        [&](Index block) {
          Sampler sampler(joint);
          const Range range = block_range(n, 256, block);
          for (Index i = range.begin; i < range.end; ++i) {
            if (!has_missing(known.col(i))) continue;
            RandomStream random(seed + static_cast<std::uint64_t>(turn + 1) * stream_of_turns,
                                stream_of_rows + static_cast<std::uint64_t>(i));
            Vector own = known.col(i);
            const double level = random.uniform();
            sampler.complete(own, level, [&](Index) { return random.normal(); });
            scores.col(i) = own;
          }
        },
        [&] { task.poll(); });
    task.advance(1);
  }

  const Tables given_targets = drawn_scores(joint, known, scores, data.groups, d, seed, task.threads());
  Matrix x = data.x;
  for (Index i = 0; i < n; ++i) {
    if (has_missing(x.col(i))) put_values(quantiles, given_targets, data.groups, scores.col(i), x.col(i));
  }
  std::vector<Index> inputs(static_cast<std::size_t>(d));
  std::iota(inputs.begin(), inputs.end(), 0);
  GaussianMixture mixture = joint.marginal(inputs);
  Tables drawn = drawn_scores(mixture, known, scores, data.groups, d, seed, task.threads());
  return {std::shared_ptr<const InputImputer>(
              new InputImputer(std::move(quantiles), std::move(drawn), data.groups, std::move(mixture))),
          std::move(x)};
}

InputImputer::Draws InputImputer::draws(const MatrixView& x) const {
  Draws out;
  out.begin.push_back(0);
  for (Index i = 0; i < x.cols(); ++i) out.begin.push_back(out.begin.back() + (has_missing(x.col(i)) ? n_draws : 1));
  out.x.resize(x.rows(), out.begin.back());
  Sampler sampler(mixture_);
  for (Index i = 0; i < x.cols(); ++i) {
    const Index begin = out.begin[static_cast<std::size_t>(i)];
    const Index end = out.begin[static_cast<std::size_t>(i + 1)];
    out.x.middleCols(begin, end - begin).colwise() = x.col(i);
    if (end == begin + 1) continue;
    const Vector known = scores_of(quantiles_, x.col(i));
    for (Index k = 0; k < n_draws; ++k) {
      Vector own = known;
      sampler.complete(own, points_(n_inputs(), k), [&](Index j) { return normal_quantile(points_(j, k)); });
      put_values(quantiles_, drawn_, groups_, own, out.x.col(begin + k));
    }
  }
  return out;
}

Matrix log_mean_of_draws(const MatrixView& logs, const std::vector<Index>& begin) {
  const auto n = static_cast<Index>(begin.size()) - 1;
  Matrix out(logs.rows(), n);
  for (Index i = 0; i < n; ++i) {
    const Index first = begin[static_cast<std::size_t>(i)];
    const Index count = begin[static_cast<std::size_t>(i + 1)] - first;
    if (count == 1) {
      out.col(i) = logs.col(first);
      continue;
    }
    for (Index l = 0; l < logs.rows(); ++l) {
      const Vector own = logs.row(l).segment(first, count);
      out(l, i) = log_sum_exp(own) - std::log(static_cast<double>(count));
    }
  }
  return out;
}

namespace {

std::vector<Vector> tables_of(const Document& document, std::string_view name) {
  std::vector<Vector> out;
  for (const Document& own : document.at(name).as_array()) {
    out.push_back(own.as_vector());
    if (out.back().size() == 0 || !std::is_sorted(out.back().begin(), out.back().end())) {
      throw FormatError(message("missing_inputs: ", name, " of input ", out.size(), " do not rise"));
    }
  }
  return out;
}

}  // namespace

Document InputImputer::to_document() const {
  Document::Array quantiles;
  Document::Array drawn;
  for (const Vector& own : quantiles_) quantiles.emplace_back(own);
  for (const Vector& own : drawn_) drawn.emplace_back(own);
  Document::Array groups;
  for (const Index group : groups_) groups.emplace_back(static_cast<std::int64_t>(group));
  Document out;
  out.set("quantiles", std::move(quantiles)).set("drawn", std::move(drawn)).set("groups", std::move(groups));
  out.set("log_weights", mixture_.log_weights()).set("means", mixture_.means()).set("scales", mixture_.scales());
  if (mixture_.components().correlated()) out.set("correlations", mixture_.components().correlations);
  return out;
}

std::shared_ptr<const InputImputer> InputImputer::from_document(const Document& document) {
  Tables quantiles = tables_of(document, "quantiles");
  Tables drawn = tables_of(document, "drawn");
  std::vector<Index> groups;
  for (const Document& own : document.at("groups").as_array()) groups.push_back(own.as_integer());
  GaussianComponents components{document.at("means").as_matrix(), document.at("scales").as_matrix()};
  if (const Document* correlations = document.find("correlations")) components.correlations = correlations->as_matrix();
  const bool fits = components.means.rows() == std::ssize(quantiles);
  const bool grouped = groups.empty() || groups.size() == quantiles.size();
  if (!fits || !grouped || quantiles.empty() || drawn.size() != quantiles.size()) {
    throw FormatError(message("missing_inputs: ", quantiles.size(), " inputs with quantiles, ", groups.size(),
                              " with groups and ", components.means.rows(), " in the mixture"));
  }
  return std::shared_ptr<const InputImputer>(new InputImputer(
      std::move(quantiles), std::move(drawn), std::move(groups),
      GaussianMixture::from_log_weights(document.at("log_weights").as_vector(), std::move(components))));
}

}  // namespace condens
