#include "condens/metrics/censored_scores.hpp"

#include <algorithm>
#include <vector>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "model/censored_laws.hpp"

namespace condens {

namespace {

constexpr Index censored_rows_together = 1024;

/// What one block of rows says, by the laws of Y or, of another kind of target, by those of its code.
struct RowScores {
  Vector log_likelihood;
  Vector median;
  Vector crps;
};

Censoring coded(const Censoring& rows, const TargetMap& map) {
  Censoring out = rows;
  const auto forward = [&](double y) { return map.forward(y); };
  out.low = rows.low.unaryExpr(forward);
  out.high = rows.high.unaryExpr(forward);
  out.entry = rows.entry.unaryExpr(forward);
  return out;
}

RowScores scores_of(const ConditionalDensity& model, const std::optional<TargetDecoder>& target, const MatrixView& x,
                    const Censoring& rows, const Run& run) {
  const Index n = rows.size();
  // The CRPS of others is not used: a number stands for them.
  const Vector y = rows.representatives();
  const auto each = [&](const Vector& medians) { return Vector(medians.replicate(n / medians.size(), 1)); };
  if (!target) {
    const GaussianMixtures laws = model.predict(x, run);
    return {log_likelihood(laws, rows, run), each(laws.median(run)), laws.crps(y, run)};
  }
  const TargetDistributions laws = target->predict(model, x, run);
  const TargetMap& map = target->support().map;
  RowScores out{log_likelihood(laws.base(), coded(rows, map), run), each(laws.median(run)), Vector::Zero(n)};
  const Vector crps = laws.crps(y, run);
  for (Index i = 0; i < n; ++i) {
    if (!rows.is_exact(i)) continue;
    out.log_likelihood[i] += map.log_slope(rows.low[i]);
    out.crps[i] = crps[i];
  }
  return out;
}

}  // namespace

CensoredScores score_censored(const ConditionalDensity& model, const std::optional<TargetDecoder>& target,
                              const Dataset& data, const Censoring& rows, const PlaceOfRow& place, const Run& run) {
  const Index n = rows.size();
  require(n > 0, "score: no rows, expected at least one");
  require(data.x.rows() == model.n_inputs() && (data.x.rows() == 0 || data.x.cols() == n) && model.n_targets() == 1,
          "score: the data have ", data.x.rows(), " inputs in ", data.x.cols(), " rows, the limits ", n,
          " rows; expected ", model.n_inputs(), " inputs, as many rows, and a model of one target, which has ",
          model.n_targets());
  Censoring checked = rows;
  if (rows.n_exact() == 0) {  // a score needs none
    checked.low[0] = checked.high[0] = rows.representatives()[0];
    if (checked.entry.size() > 0) checked.entry[0] = -infinity;
  }
  checked.check("score", n, place);
  if (target) {
    const TargetSupport& support = target->support();
    require(!support.is_discrete() && support.atoms.empty(), "score: the target is of kind ", target->kind().text(),
            ", and limits are scored of real, positive and bounded ones");
    for (Index i = 0; i < n; ++i) {
      const bool inside = rows.is_exact(i) ? rows.low[i] > support.map.lower && rows.low[i] < support.map.upper
                                           : rows.high[i] > support.map.lower && rows.low[i] < support.map.upper;
      require(inside, place(i), ": the target lies between ", rows.low[i], " and ", rows.high[i],
              ", expected values between ", support.map.lower, " and ", support.map.upper, ", the ends left out");
    }
  }
  RowScores all{Vector(n), Vector(n), Vector(n)};
  Task task(run, "score", static_cast<double>(n));
  const Index together = model.n_inputs() == 0 ? n : censored_rows_together;  // without inputs there is one law
  for (Index block = 0; block < block_count(n, together); ++block) {
    const Range range = block_range(n, together, block);
    std::vector<Index> here(static_cast<std::size_t>(range.size()));
    for (Index i = 0; i < range.size(); ++i) here[static_cast<std::size_t>(i)] = range.begin + i;
    const Run inside{.threads = run.threads, .observer = {}};
    const auto x = data.x.middleCols(range.begin, model.n_inputs() == 0 ? 1 : range.size());
    const RowScores own = scores_of(model, target, x, rows.subset(here), inside);
    all.log_likelihood.segment(range.begin, range.size()) = own.log_likelihood;
    all.median.segment(range.begin, range.size()) = own.median;
    all.crps.segment(range.begin, range.size()) = own.crps;
    task.advance(static_cast<double>(range.size()));
    task.poll();
  }
  CensoredScores out{n, rows.n_exact(), rows.n_truncated(), mean_score(-all.log_likelihood, data.weights), {}, {}};
  std::vector<Index> exact;
  for (Index i = 0; i < n; ++i) {
    if (rows.is_exact(i)) exact.push_back(i);
  }
  if (!exact.empty())
    out.crps = mean_score(all.crps(exact), data.weights.size() > 0 ? Vector(data.weights(exact)) : Vector());
  if (rows.n_left() + rows.n_interval() == 0) out.concordance = concordance(rows, all.median);
  return out;
}

Document to_document(const CensoredScores& scores) {
  const auto score = [](const Score& own) {
    return Document::Object{{"value", own.value}, {"standard_error", own.standard_error}};
  };
  Document out(Document::Object{});
  out.set("rows", scores.rows).set("n_exact", scores.n_exact).set("n_truncated", scores.n_truncated);
  out.set("nll", score(scores.nll));
  if (scores.crps) out.set("crps_of_exact", score(*scores.crps));
  if (scores.concordance) {
    out.set("concordance", scores.concordance->value).set("n_pairs", scores.concordance->n_pairs);
  }
  return out;
}

}  // namespace condens
