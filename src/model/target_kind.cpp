#include "condens/model/target_kind.hpp"

#include <algorithm>
#include <cmath>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "condens/data/table.hpp"
#include "data/column_unit.hpp"
#include "distributions/target_map.hpp"
#include "model/target_codes.hpp"

namespace condens {

namespace {

const std::vector<std::string> kind_names = {"auto",  "real",    "positive",  "bounded:LOW,HIGH",
                                             "count", "ordinal", "with-atoms"};

// What makes a value an atom: so many rows, such a share of them, and so many times the rows of other values.
constexpr double least_rows_of_atom = 10;
constexpr double least_share_of_atom = 0.01;
constexpr double least_excess_of_atom = 10;
constexpr std::size_t most_atoms = 20;

constexpr double most_grades = 12;
constexpr double widest_counts = 2000;

struct ValueCount {
  double value;
  double rows;
};

std::vector<ValueCount> count_values(const VectorView& y) {
  std::vector<double> sorted(y.begin(), y.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<ValueCount> out;
  for (const double value : sorted) {
    if (out.empty() || out.back().value != value) out.push_back({value, 0.0});
    out.back().rows += 1.0;
  }
  return out;
}

/// The values that come again far more often than others do.
std::vector<double> find_atoms(const std::vector<ValueCount>& counts, double n) {
  const double least = std::max(least_rows_of_atom, least_share_of_atom * n);
  std::vector<double> others;  // rows of the value of each other row, ascending
  for (const ValueCount& own : counts) {
    if (own.rows < least) others.push_back(own.rows);
  }
  if (others.size() < 2) return {};
  std::sort(others.begin(), others.end());
  double rows = 0.0;
  for (const double own : others) rows += own;
  double typical = 0.0;
  for (double seen = 0.0; const double own : others) {
    typical = own;
    if ((seen += own) >= 0.5 * rows) break;
  }
  std::vector<double> out;
  for (const ValueCount& own : counts) {
    if (own.rows >= std::max(least, least_excess_of_atom * typical)) out.push_back(own.value);
  }
  return out.size() <= most_atoms ? out : std::vector<double>{};
}

bool all_whole(const std::vector<ValueCount>& counts) {
  return std::all_of(counts.begin(), counts.end(),
                     [](const ValueCount& own) { return own.value == std::floor(own.value); });
}

/// Whole numbers of which the middle nine tenths leave out less than half, in no wider range than people count, and
/// that come near to zero: minutes from 43 to 108 are rounded, not counted.
bool look_counted(const std::vector<ValueCount>& counts, double n) {
  if (counts.front().value < 0.0 || !all_whole(counts) || static_cast<double>(counts.size()) > 0.5 * n) return false;
  double seen = 0.0;
  double inside = 0.0;
  double median = infinity;
  double first = infinity;
  double last = 0.0;
  for (const ValueCount& own : counts) {
    if (seen + own.rows > 0.05 * n && seen < 0.95 * n) {
      inside += 1.0;
      first = std::min(first, own.value);
      last = own.value;
    }
    seen += own.rows;
    if (seen >= 0.5 * n) median = std::min(median, own.value);
  }
  return counts.front().value <= 0.25 * median && last - first <= widest_counts && inside >= 0.5 * (last - first + 1.0);
}

/// Positive values near enough to zero that a distribution around them would reach beyond it.
bool reach_zero(const VectorView& y) {
  if (!(y.minCoeff() > 0.0)) return false;
  const double mean = y.mean();
  return mean * mean < 25.0 * (y.array() - mean).square().mean();
}

/// The ends of what is no atom.
TargetMap map_beside(const std::vector<double>& atoms, const VectorView& rest) {
  TargetMap out;
  const double least = rest.minCoeff();
  const bool positive = least > 0.0;
  if (atoms.front() < least)
    out.lower = positive && atoms.front() < 0.0 ? 0.0 : atoms.front();
  else if (reach_zero(rest))
    out.lower = 0.0;
  if (atoms.back() > rest.maxCoeff()) out.upper = atoms.back();
  return out;
}

double middle_of(Vector values) {
  const Index half = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + half, values.end());
  return values[half];
}

/// The distance from the ends that is typical of the values.
double unit_of(const TargetMap& map, const Vector& y) {
  if (map.lower > -infinity && map.upper < infinity) return map.upper - map.lower;
  return map.lower > -infinity ? middle_of((y.array() - map.lower).matrix())
                               : middle_of((map.upper - y.array()).matrix());
}

}  // namespace

TargetKind TargetKind::parse(std::string_view text) {
  const std::string_view bounded = "bounded:";
  if (text == "auto") return {TargetName::automatic};
  if (text == "real") return {TargetName::real};
  if (text == "positive") return {TargetName::positive};
  if (text == "count") return {TargetName::count};
  if (text == "ordinal") return {TargetName::ordinal};
  if (text == "with-atoms") return {TargetName::with_atoms};
  std::string names;
  for (const std::string& name : kind_names) names += (names.empty() ? "" : ", ") + name;
  require(text.starts_with(bounded), "target_kind = '", text, "', expected one of ", names);
  const std::string_view ends = text.substr(bounded.size());
  const std::size_t comma = ends.find(',');
  const auto low = comma == std::string_view::npos ? std::nullopt : parse_number(ends.substr(0, comma));
  const auto high = comma == std::string_view::npos ? std::nullopt : parse_number(ends.substr(comma + 1));
  require(low && high && *low < *high && std::isfinite(*low) && std::isfinite(*high), "target_kind = '", text,
          "', expected two numbers, the lower one first, as in bounded:0,1");
  require(std::max(-*low, *high) <= largest_value, "target_kind = '", text, "', expected ends of at most ",
          largest_value, " in absolute value: change the unit");
  return {TargetName::bounded, *low, *high};
}

std::string TargetKind::text() const {
  switch (name) {
    case TargetName::automatic:
      return "auto";
    case TargetName::real:
      return "real";
    case TargetName::positive:
      return "positive";
    case TargetName::bounded:
      return "bounded:" + format_number(lower) + "," + format_number(upper);
    case TargetName::count:
      return "count";
    case TargetName::ordinal:
      return "ordinal";
    case TargetName::with_atoms:
      break;
  }
  return "with-atoms";
}

TargetKind TargetKind::of(const VectorView& y) {
  const auto n = static_cast<double>(y.size());
  const std::vector<ValueCount> counts = count_values(y);
  const bool few =
      (counts.size() == 2 && n >= 4.0) || static_cast<double>(counts.size()) <= std::min(most_grades, 0.1 * n);
  const bool from_zero = all_whole(counts) && counts.front().value == 0.0;
  if (few && (counts.size() == 2 || (counts.size() > 2 && !from_zero))) return {TargetName::ordinal};
  if (counts.size() >= 2 && look_counted(counts, n)) return {TargetName::count};
  if (!find_atoms(counts, n).empty()) return {TargetName::with_atoms};
  if (counts.front().value >= 0.0 && counts.back().value <= 1.0) return {TargetName::bounded, 0.0, 1.0};
  return {reach_zero(y) ? TargetName::positive : TargetName::real};
}

TargetKind TargetKind::of_targets(const MatrixView& y) const {
  if (name != TargetName::automatic) return *this;
  return y.rows() == 1 ? of(y.row(0).transpose()) : TargetKind{};
}

std::string reason_for(const TargetKind& kind, const VectorView& y) {
  const std::vector<ValueCount> counts = count_values(y);
  const double low = counts.front().value;
  const double high = counts.back().value;
  switch (kind.name) {
    case TargetName::automatic:
    case TargetName::real:
      return message("numbers from ", low, " to ", high);
    case TargetName::positive:
      return message("all values are above zero, from ", low, " to ", high);
    case TargetName::bounded:
      return message("all values lie between ", kind.lower, " and ", kind.upper);
    case TargetName::count:
      return message("whole numbers from ", low, " to ", high);
    case TargetName::ordinal:
      return message("only ", counts.size(), " different values");
    case TargetName::with_atoms:
      break;
  }
  std::string out;
  for (const double atom : find_atoms(counts, static_cast<double>(y.size()))) {
    const auto found = std::find_if(counts.begin(), counts.end(), [&](const auto& own) { return own.value == atom; });
    out += message(out.empty() ? "" : ", ", atom, " in ", std::llround(found->rows), " of ", y.size(), " rows");
  }
  return out;
}

void require_possible(const TargetSupport& support, const VectorView& y, const PlaceOfRow& place) {
  const TargetMap& map = support.map;
  for (Index i = 0; i < y.size(); ++i) {
    if (support.atom_at(y[i]) >= 0) continue;
    const auto refuse = [&](const std::string& expected) {
      require(false, place(i), ": the target is ", y[i], ", expected ", expected);
    };
    if (support.values.are_counts() && !support.values.contain(y[i])) refuse("a whole number >= 0");
    if (support.is_discrete()) {
      std::string values;
      for (const double value : support.values.list()) values += (values.empty() ? "" : ", ") + format_number(value);
      if (!support.values.contain(y[i])) refuse("one of the values of the fit: " + values);
      continue;
    }
    if (!(y[i] > map.lower)) refuse(message("a number > ", map.lower));
    if (!(y[i] < map.upper)) refuse(message("a number < ", map.upper));
  }
}

TargetDistributions TargetDecoder::predict(const ConditionalDensity& coded, const MatrixView& x, const Run& run) const {
  GaussianMixtures base = coded.predict(x, run);
  if (!atom_model_) return {std::move(base), support_};
  return {std::move(base), support_, atom_log_probabilities(coded.imputer().get(), x, run)};
}

// Where inputs are missing, the mean over what is drawn for them.
Matrix TargetDecoder::atom_log_probabilities(const InputImputer* imputer, const MatrixView& x, const Run& run) const {
  if (imputer == nullptr || !x.array().isNaN().any()) return atom_model_->log_probabilities(x, run);
  constexpr Index rows_together = 256;
  Matrix out(std::ssize(support_.atoms) + 1, x.cols());
  for (Index block = 0; block < block_count(x.cols(), rows_together); ++block) {
    const Range range = block_range(x.cols(), rows_together, block);
    const InputImputer::Draws draws = imputer->draws(x.middleCols(range.begin, range.size()));
    out.middleCols(range.begin, range.size()) =
        log_mean_of_draws(atom_model_->log_probabilities(draws.x, run), draws.begin);
  }
  return out;
}

Vector TargetDecoder::log_density(const ConditionalDensity& coded, const MatrixView& x, const MatrixView& y,
                                  const Run& run) const {
  require(x.cols() == y.cols() && y.rows() == 1, "log_density: x has ", x.cols(), " columns, y is ", y.rows(), " x ",
          y.cols(), "; expected one target for each");
  constexpr Index rows_together = 4096;
  Vector out(y.cols());
  Task task(run, "log density", static_cast<double>(y.cols()));
  for (Index block = 0; block < block_count(y.cols(), rows_together); ++block) {
    const Range range = block_range(y.cols(), rows_together, block);
    const Run here{.threads = run.threads, .observer = {}};
    const TargetDistributions laws = predict(coded, x.middleCols(range.begin, range.size()), here);
    out.segment(range.begin, range.size()) = laws.log_pdf(y.middleCols(range.begin, range.size()), here);
    task.advance(static_cast<double>(range.size()));
    task.poll();
  }
  return out;
}

Document TargetDecoder::to_document() const {
  Document out(Document::Object{});
  out.set("kind", kind_.text()).set("support", support_.to_document());
  Document::Array trials;
  for (const Trial& own : trials_) {
    const Document reach = std::isfinite(own.reach) ? Document(own.reach) : Document();
    trials.emplace_back(Document::Object{{"reach", reach}, {"score", own.score}});
  }
  return out.set("trials", std::move(trials)).set("atoms", atom_model_ ? atom_model_->to_document() : Document());
}

TargetDecoder TargetDecoder::from_document(const Document& document, Index n_inputs, const LoadClasses& load) {
  TargetDecoder out(TargetKind::parse(document.at("kind").as_string()),
                    TargetSupport::from_document(document.at("support")));
  for (const Document& own : document.at("trials").as_array()) {
    const Document& reach = own.at("reach");
    out.trials_.push_back({reach.is_null() ? infinity : reach.as_number(), own.at("score").as_number()});
  }
  const Document& atoms = document.at("atoms");
  return out.with_atom_model(atoms.is_null() ? nullptr : load(atoms), n_inputs);
}

TargetDecoder TargetDecoder::with_atom_model(std::shared_ptr<const ClassModel> atom_model, Index n_inputs) const {
  if (atom_model && atom_model->n_inputs() != n_inputs) {
    throw FormatError(
        message("the probabilities of atoms have ", atom_model->n_inputs(), " inputs, the density has ", n_inputs));
  }
  const Index classes = atom_model ? atom_model->log_probabilities(Matrix::Zero(n_inputs, 1), {}).rows() : 1;
  if (classes != std::ssize(support_.atoms) + 1) {
    throw FormatError(message("the target has ", support_.atoms.size(), " atoms and probabilities of ", classes - 1));
  }
  TargetDecoder out = *this;
  out.atom_model_ = std::move(atom_model);
  return out;
}

TargetEncoder::TargetEncoder(const Dataset& data, TargetKind kind, std::uint64_t seed, const PlaceOfRow& place)
    : data_(data), kind_(kind), seed_(seed) {
  require(data.y.rows() == 1, "target_kind = '", kind.text(), "', expected 'real': there are ", data.y.rows(),
          " targets, and only a single one can be of another kind");
  const Vector y = data.y.row(0).transpose();
  if (kind_.name == TargetName::automatic) kind_ = TargetKind::of(y);
  const std::vector<ValueCount> counts = count_values(y);
  if (kind_.name == TargetName::positive) support_.map.lower = 0.0;
  if (kind_.name == TargetName::bounded) {
    support_.map = {kind_.lower, kind_.upper};
    for (const double end : {kind_.lower, kind_.upper}) {
      if (counts.front().value == end || counts.back().value == end) support_.atoms.push_back(end);
    }
  }
  if (kind_.name == TargetName::count) support_.values = TargetValues::counts();
  if (kind_.name == TargetName::ordinal) {
    require(counts.size() >= 2 && 2 * std::ssize(counts) <= std::max<Index>(y.size(), 4),
            "target_kind = 'ordinal': the ", "target has ", counts.size(), " different values in ", y.size(),
            " rows, expected at least 2 that come ", "again; for other numbers use 'real', 'positive' or 'count'");
    std::vector<double> values;
    for (const ValueCount& own : counts) values.push_back(own.value);
    support_.values = TargetValues::listed(std::move(values));
  }
  if (kind_.name == TargetName::with_atoms) {
    support_.atoms = find_atoms(counts, static_cast<double>(y.size()));
    require(!support_.atoms.empty(), "target_kind = 'with-atoms': no value of the target comes again in ",
            std::llround(std::max(least_rows_of_atom, least_share_of_atom * static_cast<double>(y.size()))),
            " rows and ten times as often as others do; expected one that does, or another kind, such as 'real'");
  }
  for (Index i = 0; i < y.size(); ++i) {
    if (support_.atom_at(y[i]) < 0) rest_.push_back(i);
  }
  require(!rest_.empty(), "target_kind = '", kind_.text(), "': every value of the target is an atom; use 'ordinal'");
  if (kind_.name == TargetName::with_atoms) support_.map = map_beside(support_.atoms, y(rest_));
  try {
    require_possible(support_, y, place);
  } catch (const std::invalid_argument& error) {
    const bool zero = kind_.name == TargetName::positive && counts.front().value == 0.0;
    throw std::invalid_argument(message("target_kind = '", kind_.text(), "': ", error.what(),
                                        zero ? "; 'with-atoms' gives zero a probability of its own" : ""));
  }
  double first = y[rest_.front()];
  require(std::any_of(rest_.begin(), rest_.end(), [&](Index i) { return y[i] != first; }), "target_kind = '",
          kind_.text(), "': beside its atoms the target is always ", first, "; use 'ordinal'");
  const std::string problem = detail::support_problem(support_);
  require(problem.empty(), "target_kind = '", kind_.text(), "': ", problem);
}

double code_of_value(const TargetSupport& support, double value, std::uint64_t seed, Index row) {
  if (!support.is_discrete()) return support.map.forward(value);
  // An even draw from the interval of x that stands for the value; a first or last one is as long as its neighbour.
  const double place = support.values.place_at(value);
  double low = support.map.forward(support.values.lower_end(place));
  double high = support.map.forward(support.values.upper_end(place));
  const auto end = [&](double of) { return support.map.forward(support.values.upper_end(of)); };
  const double last = support.values.last_place();
  if (place == 0.0)
    low = last >= 2.0 ? 2.0 * high - end(1.0) : high - support.values.value(1.0) + support.values.value(0.0);
  if (place == last)
    high = last >= 2.0 ? 2.0 * low - end(last - 2.0) : low + support.values.value(1.0) - support.values.value(0.0);
  RandomStream random(seed, static_cast<std::uint64_t>(row));
  return low + (high - low) * random.uniform();
}

Dataset TargetEncoder::coded(const std::vector<Index>& rows, const TargetSupport& support) const {
  Dataset out = std::ssize(rows) == data_.size() ? data_ : data_.subset(rows);
  Matrix y(1, out.size());
  for (Index i = 0; i < y.size(); ++i) {
    const Index row = rows[static_cast<std::size_t>(i)];
    y(0, i) = code_of_value(support, data_.y(0, row), seed_, row);
  }
  out.y = std::move(y);
  return out;
}

Dataset TargetEncoder::coded() const { return coded(rest_, support_); }

Dataset TargetEncoder::atom_numbers() const {
  Dataset out = data_;
  Matrix y(1, data_.size());
  for (Index i = 0; i < y.size(); ++i) y(0, i) = static_cast<double>(support_.atom_at(data_.y(0, i)) + 1);
  out.y = std::move(y);
  return out;
}

void TargetEncoder::choose_map(const Fit& fit, const Run& run) {
  constexpr std::size_t most_rows = 2000;
  constexpr std::size_t fewest_rows = 30;
  std::vector<TargetMap> maps;
  const bool counts = support_.values.are_counts();
  if (counts) maps.push_back({});
  TargetMap bent = support_.map;
  if (counts) bent.lower = -0.5;
  if (bent.is_identity()) return;
  const Vector y = data_.y.row(0).transpose()(rest_);
  const double unit = unit_of(bent, y);
  for (const double share : {infinity, 1.0, 0.2, 0.04}) {
    bent.reach = share == infinity ? infinity : share * unit;
    maps.push_back(bent);
  }
  support_.map = maps[counts ? 1 : 0];
  if (rest_.size() < fewest_rows) return;

  RandomStream random(seed_);
  std::vector<Index> rows;
  for (const Index i : random.permutation(std::ssize(rest_))) {
    rows.push_back(rest_[static_cast<std::size_t>(i)]);
    if (rows.size() == most_rows + most_rows / 2) break;
  }
  const auto split = rows.begin() + static_cast<std::ptrdiff_t>(rows.size() * 2 / 3);
  const std::vector<Index> train(rows.begin(), split);
  const std::vector<Index> test(split, rows.end());
  const Dataset held_out = data_.subset(test);
  const Vector weights = held_out.weights.size() > 0 ? held_out.weights : Vector::Ones(held_out.size());
  double best = infinity;
  for (const TargetMap& map : maps) {
    TargetSupport tried = support_;
    tried.map = map;
    tried.atoms.clear();
    double score = infinity;
    try {
      const auto model = fit(coded(train, tried), run);
      const TargetDistributions laws(model->predict(held_out.x, run), tried);
      score = -laws.log_pdf(held_out.y, run).dot(weights) / weights.sum();
    } catch (const NumericalError&) {  // no model of these: another map
    } catch (const std::invalid_argument&) {
    }
    if (!std::isfinite(score)) continue;
    trials_.push_back({map.is_identity() ? 0.0 : map.reach, score});
    if (score < best) {
      best = score;
      support_.map = map;
    }
  }
}

TargetDecoder TargetEncoder::decoder(std::shared_ptr<const ClassModel> atom_model) const {
  TargetDecoder out(kind_, support_);
  out.trials_ = trials_;
  out.atom_model_ = std::move(atom_model);
  return out;
}

}  // namespace condens
