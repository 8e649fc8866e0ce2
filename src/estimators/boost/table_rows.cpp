#include "table_rows.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>

#include "condens/core/errors.hpp"
#include "condens/data/folds.hpp"
#include "core/flush_subnormals.hpp"
#include "ensemble.hpp"
#include "growing.hpp"
#include "table_documents.hpp"

namespace condens::boosting {

using table_passes::count_of;
using trees::BinnedInput;
using trees::Code;

namespace {

constexpr Index most_events = 100'000'000;
constexpr Index rows_of_block = 4096;  // by one thread

// --- what is kept ----------------------------------------------------------------------------------------------------

/// Rows of a block with all that follows from the events so far.
class Rows {
 public:
  std::mutex mutex;  // of who works on them

  void begin(const TableSetup& setup, const Dataset& block, Index first_row, int threads) {
    const Dataset standardized = setup.scale.standardized(block);
    inputs_ = setup.inputs;
    trees::code_rows(inputs_, block, threads);
    y_ = standardized.y;
    weights_ = standardized.weights / setup.weight_unit;
    start_ = setup.start;
    fold_.assign(static_cast<std::size_t>(block.size()), 0);
    if (setup.folds > 1) {
      fold_ = folds_of_places(first_row, block.size(), setup.folds, static_cast<std::uint64_t>(setup.seed));
    }
    n_models_ = setup.folds;
    of_model_.resize(static_cast<std::size_t>(n_models_));
    rewind();
  }

  void rewind() {
    const auto models = static_cast<std::size_t>(n_models_);
    location_.assign(models, start_.location.replicate(1, y_.cols()));
    log_scale_.assign(models, start_.log_scale.replicate(1, y_.cols()));
    events_ = 0;
    asked_at_ = -1;
  }

  bool ready() const { return n_models_ > 0; }
  Index events() const { return events_; }
  Index size() const { return y_.cols(); }
  Index n_models() const { return n_models_; }
  Index n_targets() const { return y_.rows(); }
  const std::vector<BinnedInput>& inputs() const { return inputs_; }

  std::size_t bytes() const {
    const auto numbers = static_cast<std::size_t>(n_targets() * (1 + 2 * n_models_) + 3);
    const std::size_t of_round = static_cast<std::size_t>(n_models_) * (sizeof(Derivatives) + sizeof(std::int32_t));
    return static_cast<std::size_t>(size()) * (numbers * sizeof(double) + inputs_.size() * sizeof(Code) + of_round);
  }

  bool is_of(const TableSetup& setup, const Dataset& block) const {
    return n_models_ == setup.folds && n_targets() == block.y.rows() && inputs_.size() == setup.inputs.size() &&
           bins_of(inputs_) == bins_of(setup.inputs);
  }

  void happen(const Document& event, int threads) {
    if (const Document* offset = event.find("offset")) {
      const Vector own = offset->as_vector();
      if (own.size() != n_targets()) refuse_pass("offset", "a number for every target");
      for (Matrix& log_scale : log_scale_) log_scale.colwise() += own;
    } else {
      add_trees(event, threads);
    }
    ++events_;
  }

  Document histograms(const Document& pass, Index first_row, Index seed, int threads);
  Document at_places(const Vector& places, Index first_row) const;
  Vector losses(const Residuals& residuals, int threads) const;

  /// m and bounded log s of every row by the model that left it out.
  Moments left_out() const {
    Moments out{Matrix(n_targets(), size()), Matrix(n_targets(), size())};
    for (Index i = 0; i < size(); ++i) {
      const auto model = static_cast<std::size_t>(fold_[static_cast<std::size_t>(i)]);
      out.location.col(i) = location_[model].col(i);
      for (Index t = 0; t < n_targets(); ++t) out.log_scale(t, i) = bounded(model, t, i);
    }
    return out;
  }

  const Matrix& y() const { return y_; }
  const Vector& weights() const { return weights_; }

 private:
  double bounded(std::size_t model, Index target, Index row) const {
    return std::clamp(log_scale_[model](target, row), start_.least_log_scale[target],
                      start_.greatest_log_scale[target]);
  }

  void add_trees(const Document& event, int threads) {
    const Index target = count_of(event, "target", 0, n_targets() - 1);
    const Document::Array& all = trees_of(event, n_models_);
    std::vector<GrownTree> added;
    for (const Document& own : all) added.push_back(added_tree(own, inputs_));
    std::vector<LeafFinder> leaf;
    for (const GrownTree& tree : added) leaf.emplace_back(tree, inputs_);
    const Index blocks = block_count(size(), rows_of_block);
    parallel_for(blocks * n_models_, threads, [&](Index k) {
      const auto model = static_cast<std::size_t>(k / blocks);
      const Range range = block_range(size(), rows_of_block, k % blocks);
      for (Index i = range.begin; i < range.end; ++i) {
        const std::array<double, 2>& own = added[model].steps[leaf[model](i)];
        location_[model](target, i) += own[0];
        log_scale_[model](target, i) = std::clamp(log_scale_[model](target, i) + own[1], start_.least_log_scale[target],
                                                  start_.greatest_log_scale[target]);
      }
    });
  }

  /// What a model's tree is made of, the same at every level.
  struct OfModel {
    RowsByNode rows;
    Eigen::Matrix<double, 5, 1> sums;  // of what they ask for, and of log s by weight
    GrownTree tree;
    std::vector<Range> of_node;
  };

  OfModel begin_tree(std::size_t model, const std::vector<double>& keys, double share, const Residuals& residuals,
                     double information, Index target) const;
  void part_rows(OfModel& model, GrownTree tree) const;
  void add_up(const OfModel& model, Range inputs, Index slots, Matrix& sums) const;

  std::vector<BinnedInput> inputs_;
  Matrix y_;
  Vector weights_;
  std::vector<Index> fold_;
  StartingPoint start_;
  Index n_models_ = 0;
  std::vector<Matrix> location_;  // of every model
  std::vector<Matrix> log_scale_;
  Index events_ = 0;
  std::vector<OfModel> of_model_;
  Document question_;    // to which that is the answer
  Index asked_at_ = -1;  // event
};

/// As Model::grow has them, but for the factor exp(-2 beta mean log s) of location.
/// `keys` say which rows are drawn, where only a share of them is.
Rows::OfModel Rows::begin_tree(std::size_t model, const std::vector<double>& keys, double share,
                               const Residuals& residuals, double information, Index target) const {
  std::vector<std::int32_t> rows;
  for (Index i = 0; i < size(); ++i) {
    const auto place = static_cast<std::size_t>(i);
    if (n_models_ > 1 && fold_[place] == static_cast<Index>(model)) continue;
    if (share < 1 && !is_drawn(keys[place], share, static_cast<Index>(model), n_models_)) continue;
    rows.push_back(static_cast<std::int32_t>(i));
  }
  std::vector<Derivatives> asked;
  asked.reserve(rows.size());
  double log_scales = 0;
  Derivatives sum;
  for (Index block = 0; block < block_count(std::ssize(rows), rows_of_block); ++block) {
    const Range range = block_range(std::ssize(rows), rows_of_block, block);
    Matrix e(n_targets(), range.size());
    for (Index k = 0; k < e.cols(); ++k) {
      const Index i = rows[static_cast<std::size_t>(range.begin + k)];
      for (Index t = 0; t < n_targets(); ++t) {
        e(t, k) = (y_(t, i) - location_[model](t, i)) * std::exp(-bounded(model, t, i));
      }
    }
    const Vector psi = residuals.score(e, target);
    for (Index k = 0; k < e.cols(); ++k) {
      const Index i = rows[static_cast<std::size_t>(range.begin + k)];
      const double log_scale = bounded(model, target, i);
      const double inverse = std::exp(-log_scale);
      const double weight = weights_[i];
      const double of_location = weight * std::exp(2 * beta * log_scale);
      asked.push_back({weight, of_location * psi[k] * inverse, of_location * information * inverse * inverse,
                       weight * (psi[k] * e(target, k) - 1)});
      sum += asked.back();
      log_scales += weight * log_scale;
    }
  }
  OfModel out;
  out.sums << sum.weight, sum.first, sum.information, sum.second, log_scales;
  out.of_node = {{0, std::ssize(rows)}};
  out.rows = {std::move(rows), std::move(asked)};
  return out;
}

/// By the splits of a tree that goes on from the one before.
void Rows::part_rows(OfModel& model, GrownTree tree) const {
  model.of_node.resize(tree.nodes.size(), {0, 0});
  for (std::size_t n = 0; n < tree.nodes.size(); ++n) {
    const GrownTree::Node& node = tree.nodes[n];
    const bool parted = n < model.tree.nodes.size() && model.tree.nodes[n].input >= 0;
    if (node.input < 0 || parted) continue;
    const auto input = static_cast<std::size_t>(node.input);
    const auto begin = static_cast<std::size_t>(model.of_node[n].begin);
    const auto end = static_cast<std::size_t>(model.of_node[n].end);
    const auto middle =
        static_cast<Index>(model.rows.part(begin, end, inputs_[input].codes, tree.places[input], node.code));
    const auto next = static_cast<std::size_t>(node.next);
    model.of_node[next] = {model.of_node[n].begin, middle};
    model.of_node[next + 1] = {middle, model.of_node[n].end};
  }
  model.tree = std::move(tree);
}

/// To the columns of some inputs, of few rows at a time, which stay near the processor.
void Rows::add_up(const OfModel& model, Range inputs, Index slots, Matrix& sums) const {
  constexpr Index few = 1024;
  const auto bins = static_cast<Index>(bins_of(inputs_));
  Index before = 0;
  for (Index g = 0; g < inputs.begin; ++g) before += inputs_[static_cast<std::size_t>(g)].n_codes;
  for (std::size_t n = 0; n < model.of_node.size(); ++n) {
    const GrownTree::Node& node = model.tree.nodes[n];
    if (node.input >= 0 || node.next >= slots) continue;
    const Range& rows = model.of_node[n];
    for (Index begin = rows.begin; begin < rows.end; begin += few) {
      const auto end = static_cast<std::size_t>(std::min(begin + few, rows.end));
      double* of_input = sums.data() + 4 * (node.next * bins + before);
      for (auto g = static_cast<std::size_t>(inputs.begin); g < static_cast<std::size_t>(inputs.end); ++g) {
        const std::vector<Code>& codes = inputs_[g].codes;
        const std::vector<Code>& places = model.tree.places[g];
        for (auto k = static_cast<std::size_t>(begin); k < end; ++k) {
          Code code = codes[static_cast<std::size_t>(model.rows.rows()[k])];
          if (!places.empty()) code = places[code];
          double* out = of_input + 4 * static_cast<Index>(code);
          const Derivatives& own = model.rows.own()[k];
          out[0] += own.weight;
          out[1] += own.first;
          out[2] += own.information;
          out[3] += own.second;
        }
        of_input += 4 * inputs_[g].n_codes;
      }
    }
  }
}

/// Columns of `sums`: the bins of all inputs for every slot.
Document Rows::histograms(const Document& pass, Index first_row, Index seed, int threads) {
  const Index target = count_of(pass, "target", 0, n_targets() - 1);
  const Residuals residuals = residuals_of(pass.at("residuals"), n_targets());
  const double information = table_passes::width_of(pass, "information");
  const double share = table_passes::width_of(pass, "share");
  const Index round = count_of(pass, "round", 0, most_events);
  const auto bins = static_cast<Index>(bins_of(inputs_));
  const Index slots =
      count_of(pass, "slots", 1, static_cast<Index>(most_sums) / (4 * std::max<Index>(1, bins)) + n_models_);
  const Document::Array& trees = trees_of(pass, n_models_);
  std::vector<GrownTree> growing;
  for (const Document& own : trees) growing.push_back(tree_of(own, inputs_, slots + 1));

  Document question(Document::Object{});
  for (const char* part : {"target", "residuals", "information", "share", "round"}) question.set(part, pass.at(part));
  const bool anew = asked_at_ != events_ || question_ != question;
  const auto begins = [&](std::size_t model) { return anew || !of_model_[model].tree.grows_into(growing[model]); };
  bool some_begin = false;
  for (std::size_t m = 0; m < growing.size(); ++m) some_begin = some_begin || begins(m);
  std::vector<double> keys;
  if (some_begin && share < 1) keys = keys_of_round(seed, round, first_row, size());
  parallel_for(n_models_, threads, [&](Index m) {
    const auto model = static_cast<std::size_t>(m);
    OfModel& own = of_model_[model];
    if (begins(model)) own = begin_tree(model, keys, share, residuals, information, target);
    part_rows(own, std::move(growing[model]));
  });
  question_ = std::move(question);
  asked_at_ = events_;

  // Models have nodes of their own, and so have columns.
  Matrix sums = Matrix::Zero(4, slots * bins);
  const Index n_inputs = std::ssize(inputs_);
  const Index parts = std::clamp<Index>(threads, 1, std::max<Index>(1, n_inputs));
  parallel_for(n_models_ * parts, threads, [&](Index k) {
    const auto model = static_cast<std::size_t>(k / parts);
    const Range inputs{n_inputs * (k % parts) / parts, n_inputs * (k % parts + 1) / parts};
    add_up(of_model_[model], inputs, slots, sums);
  });
  Matrix all(5, n_models_);
  for (Index m = 0; m < n_models_; ++m) all.col(m) = of_model_[static_cast<std::size_t>(m)].sums;
  Document out(Document::Object{});
  out.set("all", std::move(all));
  out.set("sums", std::move(sums));  // large: moved, which a list of parts would not do
  return out;
}

/// Columns of place, m and log s, this one without bounds.
Document Rows::at_places(const Vector& places, Index first_row) const {
  std::vector<Index> found;
  for (const double place : places) {
    const double own = place - static_cast<double>(first_row);
    if (own >= 0 && own < static_cast<double>(size())) found.push_back(static_cast<Index>(own));
  }
  Matrix out(1 + 2 * n_targets(), std::ssize(found));
  for (Index k = 0; k < out.cols(); ++k) {
    const Index i = found[static_cast<std::size_t>(k)];
    const auto model = static_cast<std::size_t>(fold_[static_cast<std::size_t>(i)]);
    out.col(k) << static_cast<double>(first_row + i), location_[model].col(i), log_scale_[model].col(i);
  }
  return Document::Object{{"rows", std::move(out)}};
}

/// -log g(e) + log s of the rows left out.
Vector Rows::losses(const Residuals& residuals, int threads) const {
  const Moments at = left_out();
  Vector out(size());
  parallel_for(block_count(size(), rows_of_block), threads, [&](Index block) {
    const Range range = block_range(size(), rows_of_block, block);
    const auto part = [&](const Matrix& of) { return of.middleCols(range.begin, range.size()); };
    const Matrix e = (part(y_) - part(at.location)).array() * (-part(at.log_scale)).array().exp();
    out.segment(range.begin, range.size()) = part(at.log_scale).colwise().sum().transpose() - residuals.log_density(e);
  });
  return out;
}

/// By fit, place of the first row and number of rows; the least recently used ones go where there are too many.
class KeptRows {
 public:
  using Key = std::tuple<Index, Index, Index>;

  std::shared_ptr<Rows> get(const Key& key) {
    const std::scoped_lock lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    std::erase_if(kept_, [&](const auto& own) { return now - own.second.used > std::chrono::hours(1); });
    Entry& out = kept_[key];
    if (out.rows == nullptr) out.rows = std::make_shared<Rows>();
    out.used = now;
    return out.rows;
  }

  /// Of rows that were made just now.
  void weigh(const Key& key, std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    const auto own = kept_.find(key);
    if (own != kept_.end()) own->second.bytes = bytes;
    std::size_t total = 0;
    for (const auto& [_, entry] : kept_) total += entry.bytes;
    while (total > most_kept && kept_.size() > 1) {
      auto oldest = kept_.end();
      for (auto it = kept_.begin(); it != kept_.end(); ++it) {
        if (it->first != key && (oldest == kept_.end() || it->second.used < oldest->second.used)) oldest = it;
      }
      total -= oldest->second.bytes;
      kept_.erase(oldest);
    }
  }

  void drop(Index fit) {
    const std::scoped_lock lock(mutex_);
    std::erase_if(kept_, [&](const auto& own) { return std::get<0>(own.first) == fit; });
  }
  void drop(const Key& key) {
    const std::scoped_lock lock(mutex_);
    kept_.erase(key);
  }

 private:
  static constexpr std::size_t most_kept = std::size_t{1} << 33;
  struct Entry {
    std::shared_ptr<Rows> rows = nullptr;
    std::size_t bytes = 0;
    std::chrono::steady_clock::time_point used = {};
  };
  std::mutex mutex_;
  std::map<Key, Entry> kept_;
};

KeptRows& kept_rows() {
  static KeptRows out;
  return out;
}

/// Whether the rows have seen all events; not where the pass does not tell them those that they have missed.
bool bring_up_to_date(Rows& rows, const Document& pass, int threads) {
  const Document::Array& events = pass.at("events").as_array();
  const Index base = count_of(pass, "base", 0, most_events);
  const Index now = base + std::ssize(events);
  if (rows.events() > now) rows.rewind();
  if (rows.events() < base) return false;
  for (Index k = rows.events(); k < now; ++k) rows.happen(events[static_cast<std::size_t>(k - base)], threads);
  return true;
}

/// What is to be summed up.
Document sum_of(Rows& rows, const Document& pass, Index first_row, Index seed, int threads) {
  const std::string& what = pass.at("what").as_string();
  if (what == "rows") return Document::Object{};
  if (what == "histograms") return rows.histograms(pass, first_row, seed, threads);
  Vector losses;
  const Residuals residuals = residuals_of(pass.at("residuals"), rows.n_targets());
  if (what == "look") {
    losses = rows.losses(residuals, threads);
  } else if (what == "score") {
    BoostState state;
    state.weights = residuals.weights;
    state.means = residuals.means;
    state.scales = residuals.scales;
    state.defensive = table_passes::defensive_of(pass, rows.n_targets());
    losses = -log_densities(state, rows.left_out(), rows.y());
  } else {
    refuse_pass("what", "histograms, rows, look or score");
  }
  return Document::Object{{"losses", sums_of_losses(rows.weights(), losses)}};
}

}  // namespace

Document accumulate(const Document& pass, const Dataset& block, Index first_row, int threads) {
  const FlushSubnormals guard;
  const TableSetup setup = TableSetup::from_document(pass.at("setup"), block.x.rows(), block.y.rows());
  const KeptRows::Key key{pass.at("fit").as_integer(), first_row, block.size()};
  const std::shared_ptr<Rows> rows = kept_rows().get(key);
  const std::scoped_lock lock(rows->mutex);
  try {
    if (!rows->ready()) {
      rows->begin(setup, block, first_row, threads);
      kept_rows().weigh(key, rows->bytes());
    }
    if (!rows->is_of(setup, block)) refuse_pass("fit", "the number of one fit");
    const bool known = bring_up_to_date(*rows, pass, threads);
    // Where that could not be the answer has the right shape, and is asked for once more.
    Document sum = sum_of(*rows, pass, first_row, setup.seed, threads);
    sum.set("unknown", Matrix(Matrix::Constant(1, 1, known ? 0.0 : 1.0)));
    Document out(Document::Object{});
    const std::string& what = pass.at("what").as_string();
    if (what == "rows") out.set("columns", rows->at_places(pass.at("places").as_vector(), first_row));
    out.set("sum", std::move(sum));
    if (known && what == "score") kept_rows().drop(key);
    return out;
  } catch (...) {
    kept_rows().drop(key);  // what was interrupted may be half done
    throw;
  }
}

void forget_rows(Index fit) { kept_rows().drop(fit); }

}  // namespace condens::boosting
