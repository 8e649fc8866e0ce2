#include "condens/optim/mixing_weights.hpp"

#include "condens/optim/mnqp.hpp"
#include "condens/optim/simplex_qp.hpp"

namespace condens {

namespace {

Document certificate(double objective, double gap, Index iterations) {
  return Document::Object{{"objective", objective}, {"gap", gap}, {"iterations", iterations}};
}

}  // namespace

MixingWeights mixing_weights(const Matrix& b, const VectorView& v, WeightSolver solver, Index iterations,
                             double pruning, const std::function<void()>& poll) {
  if (solver == WeightSolver::exact) {
    const SimplexQp found = solve_simplex_qp(b, v, {.poll = poll});
    return {found.solution, certificate(found.objective, found.gap, found.iterations)};
  }
  const Mnqp found = mnqp(b, v, iterations, MnqpStep::repaired, poll);
  const Index steps = found.objective.size() - 1;
  const double least = pruning * found.solution.maxCoeff();
  Vector weights = (found.solution.array() < least).select(0.0, found.solution);
  weights /= weights.sum();
  return {std::move(weights), certificate(found.objective[steps], found.gap, steps)};
}

}  // namespace condens
