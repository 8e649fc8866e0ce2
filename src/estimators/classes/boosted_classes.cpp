#include "boosted_classes.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "data/splits.hpp"
#include "estimators/boost/growing.hpp"

namespace condens {

namespace boosting {

namespace {

constexpr std::string_view classes_owner = "BoostedClasses";
constexpr Index most_rounds = 500;
constexpr Index rounds_between_looks = 5;
constexpr Index classes_patience = 30;
constexpr Index most_rows_of_tree = 250'000;
constexpr double class_learning_rate = 0.1;
constexpr double longest_class_step = 4;
constexpr std::uint64_t stream_of_class_models = 2'000;

/// The trees of a model that leaves a fold out, and F of all rows.
class ClassBooster {
 public:
  ClassBooster(const std::vector<trees::BinnedInput>& inputs, const ClassRows& data, Index number, std::uint64_t seed)
      : inputs_(inputs),
        data_(data),
        random_(seed, stream_of_class_models + static_cast<std::uint64_t>(number)),
        grower_(inputs, {.max_depth = 5, .min_samples_leaf = 20, .l2 = 3, .max_features = 1}),
        own_(data.rows_of(number)),
        score_(data.start.replicate(1, data.rows.size())) {}

  void round() {
    std::vector<Index> drawn = own_.train;
    if (std::ssize(drawn) > most_rows_of_tree) drawn = random_rows(drawn, most_rows_of_tree, RandomStream(random_()));
    const Index n_scores = score_.rows();
    Matrix probability(n_scores + 1, std::ssize(drawn));
    for (Index k = 0; k < probability.cols(); ++k) {
      class_log_probabilities(score_.col(drawn[static_cast<std::size_t>(k)]).data(), n_scores,
                              probability.col(k).data());
    }
    probability = probability.array().exp();
    for (Index c = 0; c < n_scores; ++c) {
      std::vector<Derivatives> own(drawn.size());
      std::vector<std::int32_t> narrow(drawn.size());
      for (std::size_t k = 0; k < drawn.size(); ++k) {
        const Index i = drawn[k];
        const double p = probability(c + 1, static_cast<Index>(k));
        const double hit = data_.class_of(i) == c + 1 ? 1.0 : 0.0;
        const double weight = data_.rows.weights[i];
        own[k] = {weight, weight * (hit - p), weight * std::max(p * (1.0 - p), 1e-12), 0.0};
        narrow[k] = static_cast<std::int32_t>(i);
      }
      GrownTree tree = grower_.grow(std::move(narrow), std::move(own), 1.0, random_, 1);
      for (std::array<double, 2>& step : tree.steps) {
        step = {class_learning_rate * std::clamp(step[0], -longest_class_step, longest_class_step), 0.0};
      }
      const LeafFinder leaf(tree, inputs_);
      for (Index i = 0; i < score_.cols(); ++i) score_(c, i) += tree.steps[leaf(i)][0];
      trees_.push_back(std::move(tree));
    }
  }

  /// log p of the class of every row that was left out.
  void tell(Vector& log_score) const {
    Vector log_p(score_.rows() + 1);
    for (const Index i : own_.test) {
      class_log_probabilities(score_.col(i).data(), score_.rows(), log_p.data());
      log_score[i] = log_p[data_.class_of(i)];
    }
  }

  std::vector<GrownTree> take_trees(Index rounds) {
    trees_.resize(static_cast<std::size_t>(rounds * score_.rows()));
    return std::move(trees_);
  }

 private:
  const std::vector<trees::BinnedInput>& inputs_;
  const ClassRows& data_;
  RandomStream random_;
  Grower grower_;
  RowsOfFold own_;
  Matrix score_;  // F_k, k > 0, of every row
  std::vector<GrownTree> trees_;
};

}  // namespace

}  // namespace boosting

using namespace boosting;

FittedClasses BoostedClasses::fit(const ClassRows& data, std::uint64_t seed, const Run& run) {
  const std::vector<trees::BinnedInput> inputs = trees::bin_inputs(data.rows, 256, resolve_threads(run.threads));
  const Index n_scores = data.start.size();
  std::vector<ClassBooster> models;
  models.reserve(static_cast<std::size_t>(data.n_folds));
  for (Index m = 0; m < data.n_folds; ++m) models.emplace_back(inputs, data, m, seed);
  Task task(run, "fitting the probabilities of the classes", static_cast<double>(most_rounds));
  Boosted boosted;
  const auto tell = [&] {
    Vector log_score = Vector::Zero(data.rows.size());
    for (const ClassBooster& model : models) model.tell(log_score);
    return log_score;
  };
  FittedClasses out{{}, tell()};
  const bool is_judged = !data.fold.empty() && !inputs.empty();  // or rounds make no difference
  for (Index done = 0; is_judged && done < most_rounds && done - boosted.rounds < classes_patience;) {
    parallel_for(
        data.n_folds, task.threads(),
        [&](Index m) {
          for (Index k = 0; k < rounds_between_looks; ++k) models[static_cast<std::size_t>(m)].round();
        },
        [&] { task.poll(); });
    done += rounds_between_looks;
    task.advance(static_cast<double>(rounds_between_looks));
    Vector now = tell();
    if (data.rows.weights.dot(now) > data.rows.weights.dot(out.log_score)) {
      out.log_score = std::move(now);
      boosted.rounds = done;
    }
  }
  if (data.fold.empty()) out.log_score.resize(0);
  for (Index k = 0; k < boosted.rounds * n_scores; ++k) boosted.targets.push_back(k % n_scores);
  for (ClassBooster& model : models) boosted.trees.push_back(model.take_trees(boosted.rounds));
  BoostState state;
  write_trees(inputs, boosted, data.rows.x.rows(), state);
  out.model = std::shared_ptr<const BoostedClasses>(
      new BoostedClasses(data.rows.x.rows(), data.start, data.n_folds, std::move(state)));
  return out;
}

BoostedClasses::BoostedClasses(Index n_inputs, Vector start, Index n_models, BoostState trees)
    : n_inputs_(n_inputs), start_(std::move(start)), n_models_(n_models), state_(std::move(trees)) {
  trees_ = std::make_unique<const trees::SavedTrees>(
      classes_owner, trees::Parts{state_.groups, state_.positions, state_.nodes, state_.roots}, state_.steps.cols(),
      Standardizer::identity(n_inputs));
  if (state_.steps.rows() != 2) trees::refuse_file(classes_owner, "steps have not two parts");
  if (state_.targets.size() != state_.roots.size()) trees::refuse_file(classes_owner, "not every tree has a class");
  for (const double target : state_.targets) trees::whole_part(classes_owner, target, 0, start_.size(), "a class");
}

Matrix BoostedClasses::log_probabilities(const MatrixView& x, const Run& run) const {
  Matrix out(start_.size() + 1, x.cols());
  constexpr Index rows_together = 1024;
  Task task(run, "predicting", static_cast<double>(x.cols()));
  parallel_for(
      block_count(x.cols(), rows_together), task.threads(),
      [&](Index block) {
        const Range range = block_range(x.cols(), rows_together, block);
        const Matrix steps = sum_steps(state_, *trees_, {0, trees_->size()}, n_models_, start_.size(),
                                       x.middleCols(range.begin, range.size()));
        for (Index i = 0; i < range.size(); ++i) {
          Vector score = start_;
          for (Index k = 0; k < score.size(); ++k) score[k] += steps(2 * k, i);
          class_log_probabilities(score.data(), score.size(), out.col(range.begin + i).data());
        }
      },
      [&] { task.poll(); });
  return out;
}

Document BoostedClasses::to_document() const {
  Document out;
  out.set("model", "trees")
      .set("n_inputs", std::int64_t{n_inputs_})
      .set("start", start_)
      .set("n_models", std::int64_t{n_models_});
  out.set("groups", state_.groups).set("positions", state_.positions).set("nodes", state_.nodes);
  return out.set("roots", state_.roots).set("targets", state_.targets).set("steps", state_.steps);
}

std::shared_ptr<const BoostedClasses> BoostedClasses::from_document(const Document& document) {
  BoostState state;
  state.groups = document.at("groups").as_vector();
  state.positions = document.at("positions").as_matrix();
  state.nodes = document.at("nodes").as_matrix();
  state.roots = document.at("roots").as_vector();
  state.targets = document.at("targets").as_vector();
  state.steps = document.at("steps").as_matrix();
  if (state.roots.size() == 0) {  // no trees: files do not tell the rows of nothing
    state.nodes.resize(3, 0);
    state.steps.resize(2, 0);
  }
  const Index n_inputs = document.at("n_inputs").as_integer();
  const Index n_models = document.at("n_models").as_integer();
  Vector start = document.at("start").as_vector();
  if (n_inputs < 0 || n_models < 1 || start.size() < 1 || !start.allFinite() || state.groups.size() != n_inputs ||
      !state.steps.allFinite()) {
    trees::refuse_file(classes_owner, "its parts do not fit together");
  }
  return std::shared_ptr<const BoostedClasses>(
      new BoostedClasses(n_inputs, std::move(start), n_models, std::move(state)));
}

}  // namespace condens
