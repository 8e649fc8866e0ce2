#include "input_gain.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>
#include <vector>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "condens/core/random.hpp"
#include "condens/model/subset_density.hpp"
#include "preparation.hpp"
#include "target_cells.hpp"

namespace condens {

namespace {

constexpr std::string_view key = "gain_of_inputs";
constexpr Index most_averaged = 256;
constexpr Index most_halved = 4000;  // rows of which half are fitted again; of more, a quarter
constexpr Index most_fitted = 5000;
constexpr Index most_scored = 1000;
constexpr Index least_to_split = 200;  // different rows: of fewer, too few are left to tell a gain from chance

Vector shares_of(const Dataset& rows) {
  const Vector weights = rows.weights.size() > 0 ? rows.weights : Vector::Ones(rows.size());
  return weights / weights.sum();
}

/// At most `most` rows, in the order of a permutation that depends on their number only.
std::vector<Index> shuffled(Index n, Index most) {
  std::vector<Index> rows = RandomStream(0, 17).permutation(n);
  rows.resize(static_cast<std::size_t>(std::min(n, most)));
  return rows;
}

Dataset some_rows(const Dataset& data, Index most) {
  return data.size() <= most ? data : data.subset(shuffled(data.size(), most));
}

/// Different rows, with the weights of their copies, and how many of them are to be fitted again.
struct Sample {
  Dataset rows;
  Index fitted;
  bool half;  ///< that is half of all rows
};

Sample sample_of(const Dataset& data) {
  Dataset storage;
  const Dataset& counted = rows_that_count(data, storage);
  const Index n = counted.size();
  const Index part = n <= most_halved ? n : std::clamp(n / 4, most_halved / 2, most_fitted);
  Dataset rows = preparation::merge_copies(some_rows(counted, n <= most_halved ? n : part + most_scored));
  rows.x_unlabeled = Matrix(rows.x.rows(), 0);
  const Index half = rows.size() / 2;
  const Index fitted = n <= most_halved ? half : std::min(part, rows.size() - std::min(most_scored, half));
  return {std::move(rows), fitted, n <= most_halved};
}

/// Laws with components of their own: all of them side by side.
class SeparateAverage {
 public:
  void add(const GaussianMixtures& laws, const Vector& log_shares) {
    parts_.push_back(laws.components());
    log_weights_.emplace_back((laws.log_weights().rowwise() + log_shares.transpose()).reshaped());
  }

  GaussianMixture law() const {
    Index m = 0;
    for (const Vector& part : log_weights_) m += part.size();
    GaussianComponents all = GaussianComponents::standard(parts_.front().means.rows(), m, parts_.front().correlated());
    Vector log_weights(m);
    Index to = 0;
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      all.set_columns(to, parts_[k]);
      log_weights.segment(to, log_weights_[k].size()) = log_weights_[k];
      to += log_weights_[k].size();
    }
    return GaussianMixture::from_log_weights(log_weights, std::move(all));
  }

 private:
  std::vector<GaussianComponents> parts_;
  std::vector<Vector> log_weights_;
};

InputGain gain_on(const ConditionalDensity& model, const Dataset& averaged, const Dataset& scored, const Run& run) {
  const GaussianMixture average = average_of_some(model, averaged, run);
  const TargetCells none;
  const Vector gains = none.log_density(model, scored, run) - none.log_density(average, scored.y, run);
  return input_gain(gains, scored.weights);
}

/// A fit of its own to some of the rows, scored on the others; nothing where it fails.
std::optional<InputGain> held_out_gain(const Sample& sample, const Refit& refit, const Run& run) {
  const std::vector<Index> rows = shuffled(sample.rows.size(), sample.rows.size());
  const auto middle = rows.begin() + sample.fitted;
  const auto end = middle + std::min(std::ssize(rows) - sample.fitted, most_scored);
  const Dataset train = sample.rows.subset({rows.begin(), middle});
  const Dataset test = sample.rows.subset({middle, end});
  try {
    const auto model = refit(train, run);
    const InputGain found = gain_on(*model, train, test, run);
    if (!std::isfinite(found.mean) || !std::isfinite(found.standard_error)) return std::nullopt;
    return found;
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  } catch (const NumericalError&) {
    return std::nullopt;
  }
}

std::string text_of(const InputGain& gain) {
  std::ostringstream out;
  out.precision(2);
  out << "gain " << gain.mean << " ± " << gain.standard_error << " nats a row, on " << gain.rows << " rows";
  return out.str();
}

}  // namespace

GaussianMixture average_law(const ConditionalDensity& model, const Dataset& rows, const Run& run) {
  constexpr Index rows_at_once = 64;
  const Vector shares = shares_of(rows);
  std::shared_ptr<const GaussianComponents> shared;
  Vector weights;
  SeparateAverage separate;
  for (Index block = 0; block < block_count(rows.size(), rows_at_once); ++block) {
    const Range range = block_range(rows.size(), rows_at_once, block);
    const Vector own = shares.segment(range.begin, range.size());
    const GaussianMixtures laws = model.predict(rows.x.middleCols(range.begin, range.size()), run);
    if (!laws.has_shared_components()) {
      separate.add(laws, own.array().log());
      continue;
    }
    if (shared == nullptr) {
      shared = laws.components_pointer();
      weights = Vector::Zero(laws.n_components());
    }
    weights += laws.weights() * own;
  }
  return shared == nullptr ? separate.law() : GaussianMixture(weights / weights.sum(), *shared);
}

GaussianMixture average_of_some(const ConditionalDensity& model, const Dataset& rows, const Run& run) {
  return average_law(model, some_rows(rows, most_averaged), run);
}

Document InputGain::to_document() const {
  return Document::Object{{"mean", mean}, {"standard_error", standard_error}, {"n_rows", rows}};
}

InputGain input_gain(const Vector& gains, const Vector& weights) {
  const Vector shares = weights.size() > 0 ? Vector(weights / weights.sum())
                                           : Vector::Constant(gains.size(), 1.0 / static_cast<double>(gains.size()));
  const double mean = shares.dot(gains);
  return {mean, std::sqrt((shares.array() * (gains.array() - mean)).square().sum()), gains.size()};
}

void check_inputs(const Dataset& data, const ConditionalDensity& model, const Refit& refit, FitReport& report,
                  const Run& run) {
  if (varying_inputs(data).empty()) return;
  const Sample sample = sample_of(data);
  const Document* told = report.details.find(key);
  Document out = told != nullptr ? *told : Document(Document::Object{});
  const InputGain fitted = gain_on(model, sample.rows, some_rows(sample.rows, most_scored), run);
  if (!std::isfinite(fitted.mean) || !std::isfinite(fitted.standard_error)) return;
  out.set("fitted", fitted.to_document());
  std::optional<InputGain> held_out;
  bool comparable = sample.half;
  if (const Document* own = out.find("held_out")) {
    held_out =
        InputGain{own->at("mean").as_number(), own->at("standard_error").as_number(), own->at("n_rows").as_integer()};
    comparable = true;
  } else if (sample.rows.size() >= least_to_split) {
    held_out = held_out_gain(sample, refit, run);
    if (held_out) out.set("held_out", held_out->to_document().set("n_rows_fitted", sample.fitted));
  }
  report.details.set(key, std::move(out));
  if (!fitted.is_worth_it()) {
    report.warnings.push_back(message("the distribution hardly depends on the inputs (", text_of(fitted),
                                      " of the fit): they tell nothing of the target, or this model does not find "
                                      "it; compare it with others"));
  } else if (comparable && held_out && held_out->rows >= least_to_split / 2 && !held_out->is_worth_it()) {
    // What a small part of many rows does not find, all of them may.
    report.warnings.push_back(message("on rows left out, knowing the inputs is no better than chance (",
                                      text_of(*held_out),
                                      " left out): the dependence that the model shows may be that of the rows of "
                                      "the fit only"));
  }
}

}  // namespace condens
