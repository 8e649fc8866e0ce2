#include "censored_fit.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "censored_laws.hpp"
#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "condens/core/random.hpp"
#include "condens/data/folds.hpp"

namespace condens {

namespace {

constexpr Index n_rounds_of_censored = 10;
constexpr Index n_rounds_of_truncated = 25;  // ghosts come by and by, from what was seen alone
constexpr Index round_of_second_tuning = 3;
constexpr Index n_rounds_of_start = 5;
constexpr Index n_parts = 3;
constexpr Index fewest_in_parts = 20;  // rows
constexpr Index most_in_parts = 1'000;
constexpr std::uint64_t stream_of_draws = 5'000;
constexpr Index most_ghosts = 20;     // of a row: more would let a few rows, hardly possible to the model, outweigh all
constexpr double most_capped = 0.01;  // a share of the truncated rows; more are told
constexpr Index rows_together = 1024;

/// A value of every row, and ghosts.
struct Completion {
  Vector y;
  std::vector<Index> ghost_of;
  std::vector<double> ghosts;
  double log_likelihood = 0;  ///< of what is known, a weighted mean over rows, of the models that drew
  Index n_capped = 0;         ///< rows of which more ghosts are expected than are kept
};

/// Numbers in (0, 1), evenly one in each of n parts, in random order.
Vector stratified(Index n, RandomStream& random) {
  Vector out(n);
  const std::vector<Index> order = random.permutation(n);
  for (Index i = 0; i < n; ++i) {
    out[i] = (static_cast<double>(order[static_cast<std::size_t>(i)]) + random.uniform()) / static_cast<double>(n);
  }
  return out.cwiseMax(1e-15).cwiseMin(1.0 - 1e-15);
}

class CensoredRounds {
 public:
  /// `start` and `rows` on the scale of the fit.
  /// `whole`: rows of the whole table, of which `start` may be some.
  CensoredRounds(const Dataset& start, const Censoring& rows, const CensoredFits& fits, Index whole, std::uint64_t seed,
                 const Run& run)
      : start_(start),
        rows_(rows),
        fits_(fits),
        seed_(seed),
        run_(run),
        n_rounds_(rows.n_truncated() > 0 ? n_rounds_of_truncated : n_rounds_of_censored),
        in_parts_(start.x.rows() > 0 && rows.size() >= fewest_in_parts && whole <= most_in_parts) {}

  std::unique_ptr<ConditionalDensity> fit() const;
  std::unique_ptr<ConditionalDensity> fit_again(const ConditionalDensity& whole) const;

 private:
  Completion draw(const ConditionalDensity& model, Index round) const;
  Completion draw_in_parts(const Completion& before, const ConditionalDensity& tuned, Index round) const;
  void draw_rows(const ConditionalDensity& model, const std::vector<Index>& rows, RandomStream& random, Completion& out,
                 Vector& likelihood) const;
  void add_ghosts(const GaussianMixtures& laws, const std::vector<Index>& rows, RandomStream& random,
                  Completion& out) const;
  double mean_over_rows(const Vector& likelihood) const;
  CompletedRows completed(const Completion& drawn) const;
  void tell(const std::vector<double>& trace, const Completion& last, ConditionalDensity& model,
            const FitReport& tuned) const;

  const Dataset& start_;
  const Censoring& rows_;
  const CensoredFits& fits_;
  std::uint64_t seed_;
  const Run& run_;
  Index n_rounds_;
  bool in_parts_;
};

Censoring part_of(const Censoring& rows, const std::vector<Index>& of) {
  return {rows.low(of), rows.high(of), rows.entry.size() > 0 ? Vector(rows.entry(of)) : Vector()};
}

void CensoredRounds::add_ghosts(const GaussianMixtures& laws, const std::vector<Index>& rows, RandomStream& random,
                                Completion& out) const {
  const Censoring here = part_of(rows_, rows);
  const Vector lost = laws.log_cdf(here.entry.array().isFinite().select(here.entry, 0.0), run_);
  std::vector<Index> of;
  for (Index i = 0; i < here.size(); ++i) {
    const double even = random.uniform();
    if (!here.is_truncated(i) || !(lost[i] > -infinity)) continue;
    // P(G >= k) = (1 - S)^k
    const double count = std::floor(std::log1p(-even) / lost[i]);
    if (-std::expm1(lost[i]) < 1.0 / static_cast<double>(most_ghosts)) ++out.n_capped;
    of.insert(of.end(), static_cast<std::size_t>(std::min(static_cast<double>(most_ghosts), count)), i);
  }
  if (of.empty()) return;
  const Vector u = stratified(std::ssize(of), random);
  const Vector entry = here.entry(of);
  // Without inputs there is one law, of which all are points.
  const Vector y = quantile_between(laws.size() == 1 ? laws : laws.select(of), Vector::Constant(u.size(), -infinity),
                                    entry, u, run_);
  for (std::size_t k = 0; k < of.size(); ++k) {
    out.ghost_of.push_back(rows[static_cast<std::size_t>(of[k])]);
    out.ghosts.push_back(y[static_cast<Index>(k)]);
  }
}

void CensoredRounds::draw_rows(const ConditionalDensity& model, const std::vector<Index>& rows, RandomStream& random,
                               Completion& out, Vector& likelihood) const {
  std::vector<Index> censored;
  for (const Index i : rows) {
    if (!rows_.is_exact(i)) censored.push_back(i);
  }
  Vector u(rows_.size());
  if (!censored.empty()) u(censored) = stratified(std::ssize(censored), random);
  Task task(run_, "drawing what is censored", static_cast<double>(rows.size()));
  const Run here{.threads = run_.threads, .observer = {}};
  for (Index block = 0; block < block_count(std::ssize(rows), rows_together); ++block) {
    const Range range = block_range(std::ssize(rows), rows_together, block);
    const std::vector<Index> own(rows.begin() + range.begin, rows.begin() + range.end);
    const Matrix x = model.n_inputs() == 0 ? Matrix(0, 1) : Matrix(start_.x(Eigen::all, own));
    const GaussianMixtures laws = model.predict(x, here);
    likelihood(own) = log_likelihood(laws, part_of(rows_, own), here);
    std::vector<Index> drawn;  // among the rows of this block
    std::vector<Index> all;
    for (std::size_t k = 0; k < own.size(); ++k) {
      if (rows_.is_exact(own[k])) continue;
      drawn.push_back(static_cast<Index>(k));
      all.push_back(own[k]);
    }
    if (!drawn.empty()) {
      Vector low(std::ssize(all));
      for (Index k = 0; k < low.size(); ++k) low[k] = rows_.known_low(all[static_cast<std::size_t>(k)]);
      out.y(all) = quantile_between(laws.size() == 1 ? laws : laws.select(drawn), low, rows_.high(all), u(all), here);
    }
    if (rows_.entry.size() > 0) add_ghosts(laws, own, random, out);
    task.advance(static_cast<double>(range.size()));
    task.poll();
  }
}

double CensoredRounds::mean_over_rows(const Vector& likelihood) const {
  const Vector weights = start_.weights.size() > 0 ? counted_weights(start_.weights) : Vector::Ones(rows_.size());
  return (weights.array() > 0.0).select(likelihood, 0.0).dot(weights) / weights.sum();
}

Completion CensoredRounds::draw(const ConditionalDensity& model, Index round) const {
  RandomStream random(seed_, stream_of_draws + static_cast<std::uint64_t>(round));
  std::vector<Index> all(static_cast<std::size_t>(rows_.size()));
  std::iota(all.begin(), all.end(), Index{0});
  Completion out;
  out.y = start_.y.row(0).transpose();
  Vector likelihood(rows_.size());
  draw_rows(model, all, random, out, likelihood);
  out.log_likelihood = mean_over_rows(likelihood);
  return out;
}

Completion CensoredRounds::draw_in_parts(const Completion& before, const ConditionalDensity& tuned, Index round) const {
  RandomStream random(seed_, stream_of_draws + static_cast<std::uint64_t>(round));
  const std::vector<Index> part = assign_folds(rows_.size(), n_parts, random());
  const CompletedRows all = completed(before);
  Completion out;
  out.y = start_.y.row(0).transpose();
  Vector likelihood(rows_.size());
  for (Index k = 0; k < n_parts; ++k) {
    std::vector<Index> kept;
    CompletedRows others;
    for (std::size_t j = 0; j < all.origin.size(); ++j) {
      if (part[static_cast<std::size_t>(all.origin[j])] == k) continue;
      kept.push_back(static_cast<Index>(j));
      others.origin.push_back(all.origin[j]);
    }
    others.data = all.data.subset(kept);
    const std::unique_ptr<ConditionalDensity> model = fits_.again(others, tuned, run_);
    draw_rows(*model, rows_of_fold(part, k).test, random, out, likelihood);
  }
  out.log_likelihood = mean_over_rows(likelihood);
  return out;
}

CompletedRows CensoredRounds::completed(const Completion& drawn) const {
  CompletedRows out;
  for (Index i = 0; i < rows_.size(); ++i) out.origin.push_back(i);
  out.origin.insert(out.origin.end(), drawn.ghost_of.begin(), drawn.ghost_of.end());
  out.data = drawn.ghosts.empty() ? start_ : start_.subset(out.origin);
  Matrix y(1, std::ssize(out.origin));
  y << drawn.y.transpose(), Eigen::Map<const Vector>(drawn.ghosts.data(), std::ssize(drawn.ghosts)).transpose();
  out.data.y = std::move(y);
  return out;
}

void CensoredRounds::tell(const std::vector<double>& trace, const Completion& last, ConditionalDensity& model,
                          const FitReport& tuned) const {
  FitReport report = model.report();
  for (const char* name : {"candidates", "fold_scores", "score", "score_standard_error", "score_note"}) {
    const Document* found = tuned.details.find(name);
    if (found != nullptr && report.details.find(name) == nullptr) report.details.set(name, *found);
  }
  Document account(Document::Object{});
  account.set("n_rows", rows_.size()).set("n_exact", rows_.n_exact()).set("n_right", rows_.n_right());
  account.set("n_left", rows_.n_left()).set("n_interval", rows_.n_interval());
  account.set("n_truncated", rows_.n_truncated()).set("rounds", n_rounds_);
  account.set("log_likelihood", Vector(Eigen::Map<const Vector>(trace.data(), std::ssize(trace))));
  account.set("change", trace[trace.size() - 2] - trace[trace.size() - 3]);  // the last is of the model itself
  if (rows_.n_truncated() > 0) {
    account.set("n_ghosts", std::ssize(last.ghosts));
    if (static_cast<double>(last.n_capped) > most_capped * static_cast<double>(rows_.n_truncated())) {
      report.warnings.push_back(message("of ", last.n_capped, " rows the model says that fewer than one in ",
                                        most_ghosts, " like them is seen, above their entry; they count as one in ",
                                        most_ghosts, ": where most is truncated the data say little of what is below"));
    }
  }
  report.details.set("n_rows", rows_.size()).set("censoring", std::move(account));
  model.set_report(std::move(report));
}

std::unique_ptr<ConditionalDensity> CensoredRounds::fit() const {
  Completion drawn;
  drawn.y = start_.y.row(0).transpose();
  for (Index round = 0; start_.x.rows() > 0 && round < n_rounds_of_start; ++round) {
    drawn = draw(*fits_.start(completed(drawn).data, run_), round);
  }
  std::unique_ptr<ConditionalDensity> tuned = fits_.tune(completed(drawn), run_);
  std::vector<double> trace;
  for (Index round = 0; round < n_rounds_; ++round) {
    if (in_parts_ && round > 0) {
      drawn = draw_in_parts(drawn, *tuned, round);
    } else if (round == 0 || round == round_of_second_tuning) {
      drawn = draw(*tuned, round);  // the fit to what was drawn last
    } else {
      drawn = draw(*fits_.again(completed(drawn), *tuned, run_), round);
    }
    trace.push_back(drawn.log_likelihood);
    if (round + 1 == round_of_second_tuning) tuned = fits_.tune(completed(drawn), run_);
  }
  std::unique_ptr<ConditionalDensity> out = fits_.last(completed(drawn), *tuned, run_);
  trace.push_back(draw(*out, n_rounds_).log_likelihood);
  tell(trace, drawn, *out, tuned->report());
  return out;
}

std::unique_ptr<ConditionalDensity> CensoredRounds::fit_again(const ConditionalDensity& whole) const {
  Completion drawn = draw(whole, 0);
  for (Index round = 1; round < n_rounds_; ++round) {
    drawn = in_parts_ ? draw_in_parts(drawn, whole, round) : draw(*fits_.again(completed(drawn), whole, run_), round);
  }
  return fits_.again(completed(drawn), whole, run_);
}

}  // namespace

TargetKind kind_of_censored(const TargetKind& kind, const Censoring& rows, const PlaceOfRow& place) {
  TargetKind out = kind;
  if (kind.name == TargetName::automatic) {
    std::vector<double> exact;
    for (Index i = 0; i < rows.size(); ++i) {
      if (rows.is_exact(i)) exact.push_back(rows.low[i]);
    }
    const Vector values = Eigen::Map<const Vector>(exact.data(), std::ssize(exact));
    out = TargetKind::of(values);
    if (out.name != TargetName::real) out = {values.minCoeff() > 0.0 ? TargetName::positive : TargetName::real};
  }
  require(out.name == TargetName::real || out.name == TargetName::positive || out.name == TargetName::bounded,
          "target_kind = '", out.text(),
          "': a value that is known by its limits is a draw between them, and has no probability of its own; expected "
          "real, positive or bounded");
  const double lower = out.name == TargetName::positive ? 0.0 : out.lower;
  for (Index i = 0; i < rows.size(); ++i) {
    const bool inside = rows.is_exact(i) ? rows.low[i] > lower && rows.low[i] < out.upper
                                         : rows.high[i] > lower && rows.known_low(i) < out.upper;
    require(inside, "target_kind = '", out.text(), "': ", place(i), ": the target ",
            rows.is_exact(i) ? message("is ", rows.low[i])
                             : message("lies between ", rows.known_low(i), " and ", rows.high[i]),
            ", expected values between ", lower, " and ", out.upper, ", the ends left out");
  }
  return out;
}

CensoredModel fit_censored(const TargetKind& kind, const Dataset& data, const Censoring& rows, const CensoredFits& fits,
                           std::uint64_t seed, const PlaceOfRow& place, const Run& run) {
  CensoredModel out{.density = {}, .target = {}, .start = data, .rows = rows};
  std::optional<TargetEncoder> encoder;
  if (kind.name != TargetName::real) {
    encoder.emplace(data, kind, seed, place);
    const TargetMap& map = encoder->support().map;
    encoder->choose_map(fits.simple, run);
    for (Index i = 0; i < rows.size(); ++i) {
      out.rows.low[i] = map.forward(rows.low[i]);
      out.rows.high[i] = rows.is_exact(i) ? out.rows.low[i] : map.forward(rows.high[i]);
      if (rows.entry.size() > 0) out.rows.entry[i] = map.forward(rows.entry[i]);
    }
    out.start = encoder->coded();
  }
  out.density = CensoredRounds(out.start, out.rows, fits, rows.size(), seed, run).fit();
  if (encoder) out.target = encoder->decoder(nullptr);
  return out;
}

std::unique_ptr<ConditionalDensity> refit_censored(const CensoredModel& whole, const std::vector<Index>& places,
                                                   const Dataset& start, const CensoredFits& fits, std::uint64_t seed,
                                                   const Run& run) {
  const Censoring rows = part_of(whole.rows, places);
  return CensoredRounds(start, rows, fits, whole.rows.size(), seed, run).fit_again(*whole.density);
}

}  // namespace condens
