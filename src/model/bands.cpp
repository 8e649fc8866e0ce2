#include "condens/model/bands.hpp"

#include <algorithm>
#include <cmath>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"

namespace condens {

namespace {

/// The rank-th of the sorted numbers, counted from 1, and between whole ranks by a straight line.
double at_rank(const Vector& sorted, double rank) {
  const double last = static_cast<double>(sorted.size());
  const double place = std::clamp(rank, 1.0, last) - 1.0;
  const double whole = std::floor(place);
  const double part = place - whole;
  const double low = sorted[static_cast<Index>(whole)];
  if (part == 0.0) return low;
  const double high = sorted[static_cast<Index>(whole) + 1];
  if (!std::isfinite(low) || !std::isfinite(high)) return part < 0.5 ? low : high;
  return low + part * (high - low);
}

template <class Laws>
Bands bands_by(const Replicates& replicates, const std::function<Laws(Index)>& laws_of, const Laws& laws,
               const std::function<Vector(const Laws&)>& functional, double level, BandMethod method, const Run& run) {
  check_bands(replicates.size(), level, method);
  const Vector estimates = functional(laws);
  Matrix values(estimates.size(), replicates.size());
  Task task(run, "predicting replicates", static_cast<double>(replicates.size()));
  for (Index r = 0; r < replicates.size(); ++r) {
    const Vector own = functional(laws_of(r));
    require(own.size() == estimates.size(), "bands: the functional has ", own.size(), " numbers of replicate ", r + 1,
            " and ", estimates.size(), " of the model, expected as many");
    values.col(r) = own;
    task.advance(1.0);
    task.poll();
  }
  return bands(estimates, values, level, method);
}

}  // namespace

void check_bands(Index replicates, double level, BandMethod method) {
  require(level > 0.0 && level < 1.0, "bands: level = ", level, ", expected a probability in (0, 1)");
  const double rounding = 1e-9;
  const auto least =
      method == BandMethod::normal ? Index{2} : static_cast<Index>(std::ceil(2.0 / (1.0 - level) - 1.0 - rounding));
  require(replicates >= least, "bands: level = ", level, " of ", replicates, " replicates, expected at least ", least,
          " of them: fit with bootstrap = ", least, " or more, or take a lower level");
}

Bands bands(const VectorView& estimates, const MatrixView& replicates, double level, BandMethod method) {
  const Index n = estimates.size();
  const Index count = replicates.cols();
  require(replicates.rows() == n, "bands: ", n, " estimates and replicates of ", replicates.rows(),
          ", expected as many");
  check_bands(count, level, method);
  const double tail = 0.5 * (1.0 - level);
  const double ranks = static_cast<double>(count + 1);
  const double z = GaussianMixture(Vector{{1.0}}, Matrix::Zero(1, 1), Matrix::Ones(1, 1)).upper_quantile(tail);
  Bands out{Vector(n), Vector(n), Vector(n)};
  for (Index i = 0; i < n; ++i) {
    Vector sorted = replicates.row(i).transpose();
    std::sort(sorted.begin(), sorted.end());
    const double mean = sorted.mean();
    const double spread = std::sqrt((sorted.array() - mean).square().sum() / static_cast<double>(count - 1));
    out.standard_error[i] = spread;
    const double low = at_rank(sorted, tail * ranks);
    const double high = at_rank(sorted, (1.0 - tail) * ranks);
    switch (method) {
      case BandMethod::percentile:
        out.low[i] = low;
        out.high[i] = high;
        break;
      case BandMethod::basic:
        out.low[i] = 2.0 * estimates[i] - high;
        out.high[i] = 2.0 * estimates[i] - low;
        break;
      case BandMethod::normal:
        out.low[i] = estimates[i] - z * spread;
        out.high[i] = estimates[i] + z * spread;
        break;
    }
  }
  return out;
}

Bands bands(const ConditionalDensity& model, const Replicates& replicates, const MatrixView& x,
            const NumberOf& functional, double level, BandMethod method, const Run& run) {
  const Run here{.threads = run.threads, .observer = {}};
  return bands_by<GaussianMixtures>(
      replicates, [&](Index r) { return replicates.density(model, r)->predict(x, here); }, model.predict(x, here),
      functional, level, method, run);
}

Bands bands(const ConditionalDensity& model, const std::optional<TargetDecoder>& target, const Replicates& replicates,
            const MatrixView& x, const NumberOfTarget& functional, double level, BandMethod method, const Run& run) {
  require(target.has_value(), "bands: the target is any real number, expected a functional of Gaussian mixtures");
  const Run here{.threads = run.threads, .observer = {}};
  return bands_by<TargetDistributions>(
      replicates,
      [&](Index r) { return replicates.target(target, r)->predict(*replicates.density(model, r), x, here); },
      target->predict(model, x, here), functional, level, method, run);
}

}  // namespace condens
