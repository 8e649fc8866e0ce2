// Fits of every registered model to small tables of any shape and scale, with weights, kinds of targets, censoring,
// missing inputs, calibration and replicates: a model with distributions, or a refusal in words, in bounded work.

#include "small_fits.hpp"

namespace condens::fuzz {
namespace {

constexpr double most_seconds = 60;

std::string place_of(Index row) { return "row " + std::to_string(row + 1); }

/// What is asked beside the model; most inputs ask for nothing.
TargetRequest request_of(Input& input, const Dataset& data) {
  TargetRequest out;
  out.worth_of_inputs = input.below(8) == 7;
  constexpr TargetName kinds[] = {TargetName::real,  TargetName::automatic, TargetName::positive,  TargetName::bounded,
                                  TargetName::count, TargetName::ordinal,   TargetName::with_atoms};
  out.kind.name = kinds[input.below(7)];
  if (out.kind.name == TargetName::bounded) {
    out.kind.lower = data.y.row(0).minCoeff() - (input.flag() ? 1 : 0);
    out.kind.upper = data.y.row(0).maxCoeff() + (input.flag() ? 1 : 0);
  }
  switch (input.below(16)) {
    case 10:
      out.replicates = 2;
      out.replicate_method = input.flag() ? ReplicateMethod::delta : ReplicateMethod::refit;
      break;
    case 11:
      out.calibration_share = 0.3;
      break;
    case 12:
      out.cross = CrossConformal::cv_plus;
      out.cross_folds = 2;
      break;
    case 13:
      out.pit_share = 0.6;
      break;
    case 14: {
      const Index n = data.size();
      out.censoring.low = data.y.row(0).transpose();
      out.censoring.high = out.censoring.low;
      for (Index i = 0; i < n; ++i) {
        const Index kind = input.below(8);
        if (kind == 5) out.censoring.high[i] = infinity;
        if (kind == 6) out.censoring.low[i] = -infinity;
        if (kind == 7) out.censoring.high[i] += std::abs(input.number());
      }
      break;
    }
    default:
      break;
  }
  return out;
}

void predict_elsewhere(Input& input, const TargetModel& model, const Run& run) {
  Matrix x(model.density->n_inputs(), 3);
  for (Index k = 0; k < x.rows(); ++k) x.row(k) = column(input, x.cols()).transpose();
  refused([&] {
    const GaussianMixtures laws = expect_distributions(*model.density, x, run);
    if (laws.dimension() > 1) return;
    expect(!laws.quantile(Vector{{0.01, 0.5, 0.99}}, run).hasNaN(), "a quantile that is NaN");
    if (!model.target) return;
    const TargetDistributions targets = model.target->predict(*model.density, x, run);
    expect(!targets.quantile(Vector{{0.01, 0.5, 0.99}}, run).hasNaN(), "a quantile of the target that is NaN");
    expect(!targets.mean(run).hasNaN(), "a mean of the target that is NaN");
  });
}

void run(Input& input) {
  const ModelInfo& info = models()[static_cast<std::size_t>(input.below(std::ssize(models())))];
  const std::string& preset = info.presets[static_cast<std::size_t>(input.below(std::ssize(info.presets)))];
  Document options = registered::quick_options({info.name, preset});
  const bool asks = input.below(4) == 3;
  const Index n = 1 + input.below(asks ? 60 : 30);
  const bool missing = input.below(16) == 15;
  Input of_request = input;  // the same bytes say what is asked and what the first numbers are
  Dataset data = small_table(input, n, 4, info.can("takes_one_target") ? 1 : 3);
  const WorkBound bound(most_seconds);
  const Run run = bound.run();
  TargetModel model;
  const bool no = refused([&] {
    if (!asks && !missing) {
      model.density = info.fit(data, preset, options, run);
      return;
    }
    TargetRequest request = asks ? request_of(of_request, data) : TargetRequest{.worth_of_inputs = false};
    if (missing && data.x.rows() > 0) {
      request.impute_inputs = true;
      Matrix x = data.x;
      for (Index i = 0; i < n; i += 3) x(i % x.rows(), i) = std::numeric_limits<double>::quiet_NaN();
      data.x = x;
    }
    model = fit_target(info, request, data, preset, options, place_of, run);
  });
  bound.check();
  if (no) return;
  if (!asks && !missing) expect_sound(info, *model.density, data, run);
  if (asks && model.target) {
    const Vector scores = model.target->log_density(*model.density, data.x, data.y, run);
    expect(!scores.hasNaN(), info.name, ": a log density of the target that is NaN");
  }
  predict_elsewhere(input, model, run);
}

}  // namespace
}  // namespace condens::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  condens::fuzz::Input input(data, size);
  condens::fuzz::run(input);
  return 0;
}
