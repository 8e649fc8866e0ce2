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
    rewind();
  }

  void rewind() {
    const auto models = static_cast<std::size_t>(n_models_);
    location_.assign(models, start_.location.replicate(1, y_.cols()));
    log_scale_.assign(models, start_.log_scale.replicate(1, y_.cols()));
    events_ = 0;
  }

  bool ready() const { return n_models_ > 0; }
  Index events() const { return events_; }
  Index size() const { return y_.cols(); }
  Index n_models() const { return n_models_; }
  Index n_targets() const { return y_.rows(); }
  const std::vector<BinnedInput>& inputs() const { return inputs_; }

  std::size_t bytes() const {
    const auto numbers = static_cast<std::size_t>(n_targets() * (1 + 2 * n_models_) + 3);
    return static_cast<std::size_t>(size()) * (numbers * sizeof(double) + inputs_.size() * sizeof(Code));
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
    const Index blocks = block_count(size(), rows_of_block);
    parallel_for(blocks * n_models_, threads, [&](Index k) {
      const auto model = static_cast<std::size_t>(k / blocks);
      const Range range = block_range(size(), rows_of_block, k % blocks);
      for (Index i = range.begin; i < range.end; ++i) {
        const std::array<double, 2>& own = added[model].steps[added[model].leaf(inputs_, i)];
        location_[model](target, i) += own[0];
        log_scale_[model](target, i) = std::clamp(log_scale_[model](target, i) + own[1], start_.least_log_scale[target],
                                                  start_.greatest_log_scale[target]);
      }
    });
  }

  /// Rows in the nodes of a tree that are asked for, and what they ask for.
  struct Asked {
    std::vector<Index> rows;
    std::vector<std::size_t> slots;
    std::vector<Derivatives> own;
    double log_scales = 0;  // sum by weight
  };
  Asked asked(std::size_t model, const GrownTree& tree, Index slots, const Residuals& residuals, double information,
              Index target, double share) const;

  std::vector<BinnedInput> inputs_;
  Matrix y_;
  Vector weights_;
  std::vector<Index> fold_;
  StartingPoint start_;
  Index n_models_ = 0;
  std::vector<Matrix> location_;  // of every model
  std::vector<Matrix> log_scale_;
  Index events_ = 0;
  Index round_ = -1;          // whose keys these are
  std::vector<double> keys_;  // of rows that are drawn
};

/// The rows that a tree is made of, as Model::grow has them, but for the factor exp(-2 beta mean log s) of location.
Rows::Asked Rows::asked(std::size_t model, const GrownTree& tree, Index slots, const Residuals& residuals,
                        double information, Index target, double share) const {
  Asked out;
  for (Index i = 0; i < size(); ++i) {
    const auto place = static_cast<std::size_t>(i);
    if (n_models_ > 1 && fold_[place] == static_cast<Index>(model)) continue;
    if (share < 1 && !is_drawn(keys_[place], share, static_cast<Index>(model), n_models_)) continue;
    const std::size_t slot = tree.leaf(inputs_, i);
    if (slot >= static_cast<std::size_t>(slots)) continue;
    out.rows.push_back(i);
    out.slots.push_back(slot);
  }
  out.own.reserve(out.rows.size());
  for (Index block = 0; block < block_count(std::ssize(out.rows), rows_of_block); ++block) {
    const Range range = block_range(std::ssize(out.rows), rows_of_block, block);
    Matrix e(n_targets(), range.size());
    for (Index k = 0; k < e.cols(); ++k) {
      const Index i = out.rows[static_cast<std::size_t>(range.begin + k)];
      for (Index t = 0; t < n_targets(); ++t) {
        e(t, k) = (y_(t, i) - location_[model](t, i)) * std::exp(-bounded(model, t, i));
      }
    }
    const Vector psi = residuals.score(e, target);
    for (Index k = 0; k < e.cols(); ++k) {
      const Index i = out.rows[static_cast<std::size_t>(range.begin + k)];
      const double log_scale = bounded(model, target, i);
      const double inverse = std::exp(-log_scale);
      const double weight = weights_[i];
      const double of_location = weight * std::exp(2 * beta * log_scale);
      out.own.push_back({weight, of_location * psi[k] * inverse, of_location * information * inverse * inverse,
                         weight * (psi[k] * e(target, k) - 1)});
      out.log_scales += weight * log_scale;
    }
  }
  return out;
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
  if (share < 1 && round_ != round) {
    keys_ = keys_of_round(seed, round, first_row, size());
    round_ = round;
  }
  const Document::Array& trees = trees_of(pass, n_models_);
  std::vector<GrownTree> growing;
  for (const Document& own : trees) growing.push_back(tree_of(own, inputs_, slots + 1));

  std::vector<Asked> of_model(growing.size());
  parallel_for(n_models_, threads, [&](Index m) {
    const auto model = static_cast<std::size_t>(m);
    of_model[model] = asked(model, growing[model], slots, residuals, information, target, share);
  });
  Matrix sums = Matrix::Zero(4, slots * bins);
  const Index n_inputs = std::ssize(inputs_);
  std::vector<Index> first_bin(1, 0);
  for (const BinnedInput& input : inputs_) first_bin.push_back(first_bin.back() + input.n_codes);
  // Models have nodes of their own, and so have columns.
  parallel_for(n_models_ * n_inputs, threads, [&](Index k) {
    const auto model = static_cast<std::size_t>(k / n_inputs);
    const auto g = static_cast<std::size_t>(k % n_inputs);
    const Asked& rows = of_model[model];
    const std::vector<Code>& codes = inputs_[g].codes;
    const std::vector<Code>& places = growing[model].places[g];
    for (std::size_t r = 0; r < rows.rows.size(); ++r) {
      Code code = codes[static_cast<std::size_t>(rows.rows[r])];
      if (!places.empty()) code = places[code];
      double* out = sums.data() + 4 * (static_cast<Index>(rows.slots[r]) * bins + first_bin[g] + code);
      const Derivatives& own = rows.own[r];
      out[0] += own.weight;
      out[1] += own.first;
      out[2] += own.information;
      out[3] += own.second;
    }
  });
  Matrix all(5, n_models_);
  for (Index m = 0; m < n_models_; ++m) {
    const Asked& rows = of_model[static_cast<std::size_t>(m)];
    Derivatives sum;
    for (const Derivatives& own : rows.own) sum += own;
    all.col(m) << sum.weight, sum.first, sum.information, sum.second, rows.log_scales;
  }
  return Document::Object{{"all", std::move(all)}, {"sums", std::move(sums)}};
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

Document answer(Rows& rows, const Document& pass, Index first_row, Index seed, int threads) {
  const std::string& what = pass.at("what").as_string();
  if (what == "histograms") return Document::Object{{"sum", rows.histograms(pass, first_row, seed, threads)}};
  if (what == "rows") {
    return Document::Object{{"columns", rows.at_places(pass.at("places").as_vector(), first_row)}};
  }
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
  return Document::Object{{"sum", Document::Object{{"losses", sums_of_losses(rows.weights(), losses)}}}};
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
    Document out = answer(*rows, pass, first_row, setup.seed, threads);
    Document sum = out.find("sum") == nullptr ? Document(Document::Object{}) : out.at("sum");
    out.set("sum", std::move(sum.set("unknown", Matrix(Matrix::Constant(1, 1, known ? 0.0 : 1.0)))));
    if (known && pass.at("what").as_string() == "score") kept_rows().drop(key);
    return out;
  } catch (...) {
    kept_rows().drop(key);  // what was interrupted may be half done
    throw;
  }
}

void forget_rows(Index fit) { kept_rows().drop(fit); }

}  // namespace condens::boosting
