// log p(y|x) of 1,000,000 rows by an LSCDE of b = 100 centres in d_x = 5, per core, held
// against the exp limit: two exponentials per row and centre, one for the weight of the
// centre at x and one for its density at y.

#include "condens/estimators/lscde.hpp"
#include "measure.hpp"
#include "simulated.hpp"

using namespace condens;
using namespace condens::benchmarks;

int main() {
  LscdeOptions options = LscdeOptions::paper();
  options.n_centers = 100;
  options.standardize = false;
  options.bandwidth = {1.0};
  options.regularization = {0.01};
  const Lscde model = Lscde::fit(two_branches(2000, 5, 1), options);
  const double active = static_cast<double>((model.state().coefficients.array() > 0).count());
  const Index rows = 1'000'000;
  const Dataset test = two_branches(rows, 5, 2);

  std::printf("log density of 1,000,000 rows, b = 100 (%.0f with a positive coefficient), d_x = 5\n", active);
  const int cores = resolve_threads(0);
  Vector first;
  for (const int threads : {1, cores}) {
    const Limits limits = print_limits(threads);
    Vector result;
    const double seconds =
        best_seconds(3, [&] { result = model.log_density(test.x, test.y, {.threads = threads, .observer = {}}); });
    const double limit = 2 * active * static_cast<double>(rows) / limits.exp;
    std::printf("%d thread(s): %.2f s, %.2f million rows per second and core; exp limit %.2f s (%.0f %% reached)\n",
                threads, seconds, 1e-6 * static_cast<double>(rows) / seconds / threads, limit, 100 * limit / seconds);
    if (first.size() == 0) first = result;
    if (result != first) return 1;
  }

  // The obvious way: one row at a time with std::exp.
  const Matrix u = model.x_scale().inverse_transform(model.state().centers_x);
  const Matrix v = model.y_scale().inverse_transform(model.state().centers_y);
  const Vector& alpha = model.state().coefficients;
  double checksum = 0.0;
  const double obvious = best_seconds(1, [&] {
    for (Index i = 0; i < 20000; ++i) {
      double above = 0;
      double below = 0;
      for (Index l = 0; l < alpha.size(); ++l) {
        const double weight = alpha[l] * std::exp(-0.5 * (test.x.col(i) - u.col(l)).squaredNorm());
        below += weight;
        above += weight * std::exp(-0.5 * (test.y.col(i) - v.col(l)).squaredNorm());
      }
      checksum += std::log(above / below);
    }
  });
  const double one = best_seconds(
      3, [&] { model.log_density(test.x.leftCols(20000), test.y.leftCols(20000), {.threads = 1, .observer = {}}); });
  std::printf("one row at a time with std::exp: %.1f times slower (checksum %.3g)\n", obvious / one, checksum);
}
