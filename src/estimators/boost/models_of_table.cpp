#include "models_of_table.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <random>
#include <utility>

#include "condens/core/errors.hpp"
#include "table_rows.hpp"

namespace condens::boosting {

namespace {

/// Differs from that of any other fit, here and elsewhere. No result depends on it.
Index number_of_fit() {
  static std::atomic<std::uint64_t> count{0};
  const auto now = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  const std::uint64_t mixed = RandomStream(now ^ (std::uint64_t{std::random_device()()} << 32), ++count)();
  return static_cast<Index>(mixed >> 11);  // which every number format holds
}

Derivatives scaled(const double* sums, double factor) { return {sums[0], factor * sums[1], factor * sums[2], sums[3]}; }

}  // namespace

ModelsOfTable::ModelsOfTable(RowSums& table, const TableSetup& setup, const BoostOptions& options, Index n_rows,
                             Task& task)
    : table_(table),
      setup_(setup),
      options_(options),
      task_(task),
      setup_document_(setup.to_document()),
      fit_(number_of_fit()),
      share_(share_drawn(options, n_rows, setup.folds)),
      trees_(static_cast<std::size_t>(setup.folds)) {
  for (Index k = 0; k < setup.folds; ++k) {
    random_.emplace_back(static_cast<std::uint64_t>(options.seed), stream_of_models + static_cast<std::uint64_t>(k));
    growing_.emplace_back(setup.inputs, GrowingSettings{.max_depth = options.max_depth,
                                                        .min_samples_leaf = options.min_samples_leaf,
                                                        .l2 = options.l2,
                                                        .max_features = options.max_features});
  }
  const table_passes::Sample sample = table_passes::sample_of(table, rows_of_mixture, options.seed);
  some_ = setup.scale.standardized(sample.rows);
  some_.weights /= setup.weight_unit;
  places_.resize(some_.size());
  std::transform(sample.places.begin(), sample.places.end(), places_.begin(),
                 [](Index place) { return static_cast<double>(place); });
}

ModelsOfTable::~ModelsOfTable() { forget_rows(fit_); }

/// With the last events, and all of them where that is not enough somewhere.
Document ModelsOfTable::ask(Document pass, std::size_t events) {
  pass.set("pass", "boost").set("fit", fit_).set("setup", setup_document_);
  std::size_t base = events - std::min(events, told_);
  for (;;) {
    task_.poll();
    const auto begin = events_.begin();
    pass.set("base", static_cast<Index>(base))
        .set("events",
             Document::Array(begin + static_cast<std::ptrdiff_t>(base), begin + static_cast<std::ptrdiff_t>(events)));
    Document state = table_.total(pass);
    const double unknown = table_passes::number_of(state, "unknown");
    if (unknown == 0) return state;
    if (base == 0) {
      throw FormatError(message("a pass of boosted trees: 'unknown' is ", unknown, ", expected 0 after all events"));
    }
    base = 0;
    told_ *= 4;
  }
}

void ModelsOfTable::rounds(Index first, Index count, const Residuals& residuals,
                           const std::vector<Information>& information) {
  for (Index round = first; round < first + count; ++round) {
    for (Index t = 0; t < n_targets(); ++t) grow(residuals, information, round, t);
  }
}

/// A tree of every model, level by level.
void ModelsOfTable::grow(const Residuals& residuals, const std::vector<Information>& information, Index round,
                         Index target) {
  const Information& own = information[static_cast<std::size_t>(target)];
  const auto bins = static_cast<Index>(growing_.front().bins());
  const Index n_models = std::ssize(growing_);
  Document pass(Document::Object{{"what", "histograms"}, {"residuals", document_of(residuals)}});
  pass.set("target", target).set("round", round).set("share", share_).set("information", own.location);

  // Nodes whose sums are asked for, by number; those of a model come one after the other.
  struct Slots {
    Index first;
    std::vector<std::size_t> open;
  };
  std::vector<Slots> slots(growing_.size());
  std::vector<double> factor(growing_.size(), 1.0);  // s_0^(-2 beta), of Model::grow
  for (bool root = true;; root = false) {
    Index count = 0;
    for (std::size_t m = 0; m < growing_.size(); ++m) {
      slots[m] = {count, root ? std::vector<std::size_t>{0} : growing_[m].wanted()};
      count += std::ssize(slots[m].open);
    }
    if (count == 0) break;
    Document::Array trees;
    for (std::size_t m = 0; m < growing_.size(); ++m) {
      GrownTree tree =
          root ? GrownTree::root(setup_.inputs) : GrownTree{growing_[m].tree().nodes, {}, growing_[m].tree().places};
      for (GrownTree::Node& node : tree.nodes) {
        if (node.input < 0) node.next = count;  // a leaf, or a node whose sums follow from others
      }
      for (std::size_t k = 0; k < slots[m].open.size(); ++k) {
        const Index node = root ? 0 : growing_[m].node(slots[m].open[k]);
        tree.nodes[static_cast<std::size_t>(node)].next = slots[m].first + static_cast<Index>(k);
      }
      trees.push_back(document_of(tree));
    }
    pass.set("slots", count).set("trees", std::move(trees));
    const Document state = ask(pass, events_.size());
    const Document& sum = state.at("sum");
    const Matrix& sums = sum.at("sums").as_matrix();
    if (sums.rows() != 4 || sums.cols() != count * bins) throw FormatError("a pass of boosted trees: 'sums' differs");
    if (root) {
      const Matrix& all = table_passes::matrix_of(sum, "all", 5, n_models);
      for (std::size_t m = 0; m < growing_.size(); ++m) {
        const double* own_sums = all.col(static_cast<Index>(m)).data();
        if (own_sums[0] > 0) factor[m] = std::exp(-2 * beta * own_sums[4] / own_sums[0]);
        growing_[m].begin(scaled(own_sums, factor[m]), own.scale, random_[m]);
      }
    }
    parallel_for(n_models, task_.threads(), [&](Index k) {
      const auto m = static_cast<std::size_t>(k);
      TreeGrowth& growth = growing_[m];
      if (growth.done()) return;
      for (std::size_t input = 0; input < growth.tried().size(); ++input) {
        growth.search(input, [&](std::size_t open, std::size_t g, Derivatives* out) {
          const auto at = std::find(slots[m].open.begin(), slots[m].open.end(), open) - slots[m].open.begin();
          const Index first = (slots[m].first + at) * bins + static_cast<Index>(growth.first_bin(g));
          for (Index code = 0; code < setup_.inputs[g].n_codes; ++code) {
            out[code] = scaled(sums.data() + 4 * (first + code), factor[m]);
          }
        });
      }
      growth.advance([](std::size_t, const Split&) {});
    });
  }
  std::vector<GrownTree> grown;
  for (std::size_t m = 0; m < growing_.size(); ++m) {
    grown.push_back(growing_[m].take());
    shrink(grown.back(), options_.learning_rate);
    trees_[m].push_back(grown.back());
  }
  events_.push_back(event_of(grown, target));
  known_ = false;
}

void ModelsOfTable::add_to_log_scale(const Vector& offset) {
  events_.push_back(event_of(offset));
  log_scale_.colwise() += offset;
}

Matrix ModelsOfTable::some_left_over() {
  const Index d_y = n_targets();
  if (!known_) {
    const Document state = ask(Document::Object{{"what", "rows"}, {"places", places_}}, events_.size());
    const Matrix& rows = table_passes::matrix_of(state.at("columns"), "rows", 1 + 2 * d_y, places_.size());
    if (rows.row(0).transpose() != places_)
      throw FormatError("a pass of boosted trees: 'rows' are not those asked for");
    location_ = rows.middleRows(1, d_y);
    log_scale_ = rows.bottomRows(d_y);
    known_ = true;
  }
  Matrix out(d_y, places_.size());
  for (Index i = 0; i < out.cols(); ++i) {
    for (Index t = 0; t < d_y; ++t) {
      const double log_scale =
          std::clamp(log_scale_(t, i), setup_.start.least_log_scale[t], setup_.start.greatest_log_scale[t]);
      out(t, i) = (some_.y(t, i) - location_(t, i)) * std::exp(-log_scale);
    }
  }
  return out;
}

Checkpoint ModelsOfTable::look(Index done, const Residuals& residuals) {
  const Document state = ask(Document::Object{{"what", "look"}, {"residuals", document_of(residuals)}}, events_.size());
  return Checkpoint::of(done, table_passes::vector_of(state.at("sum"), "losses", 5));
}

Vector ModelsOfTable::score(const Residuals& residuals, const Defensive& defensive) {
  const Document state = ask(Document::Object{{"what", "score"},
                                              {"residuals", document_of(residuals)},
                                              {"defensive", table_passes::document_of(defensive)}},
                             kept_events_);
  return table_passes::vector_of(state.at("sum"), "losses", 5);
}

}  // namespace condens::boosting
