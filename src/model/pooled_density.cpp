#include "condens/model/pooled_density.hpp"
#include <limits>

#include <algorithm>
#include <cmath>

#include "condens/core/errors.hpp"
#include "linalg/log_sum_exp.hpp"

namespace condens {

namespace {

/// The rows of x that a member sees: all, or none where it is a marginal law.
Matrix inputs_of(const ConditionalDensity& member, const MatrixView& x) { return x.topRows(member.n_inputs()); }

/// The broad Gaussian as n laws.
GaussianMixtures broad_laws(const Defensive& defensive, Index n) {
  auto component = std::make_shared<const GaussianComponents>(GaussianComponents{defensive.mean, defensive.scale});
  return GaussianMixtures::shared_normalized(std::move(component), Matrix::Zero(1, n));
}

Index components_of(const std::vector<GaussianMixtures>& parts) {
  Index out = 0;
  for (const GaussianMixtures& part : parts) out += part.n_components();
  return out;
}

/// The components of all parts side by side: once, or once for each of `copies` laws.
GaussianComponents joined(const std::vector<GaussianMixtures>& parts, Index copies) {
  const Index m = components_of(parts);
  const bool correlated =
      std::any_of(parts.begin(), parts.end(), [](const auto& part) { return part.components().correlated(); });
  GaussianComponents out = GaussianComponents::standard(parts.front().dimension(), m * copies, correlated);
  Index to = 0;
  for (const GaussianMixtures& part : parts) {
    const Index own = part.n_components();
    for (Index i = 0; i < copies; ++i) {
      out.set_columns(i * m + to, part.components().columns(part.has_shared_components() ? 0 : i * own, own));
    }
    to += own;
  }
  return out;
}

Vector column(const std::vector<PooledDensity::Account>& accounts, double PooledDensity::Account::*number) {
  Vector out(std::ssize(accounts));
  std::transform(accounts.begin(), accounts.end(), out.begin(), [&](const auto& own) { return own.*number; });
  return out;
}

}  // namespace

PooledDensity::PooledDensity(PoolParts parts, FitReport report)
    : ConditionalDensity(Standardizer::identity(parts.n_inputs()), Standardizer::identity(parts.n_targets()),
                         std::move(report)),
      parts_(std::move(parts)) {
  const auto& [d_x, members, broad] = parts_;
  double total = broad.weight;
  bool sound = broad.weight >= 0 && (broad.weight == 0 || broad.mean.size() == n_targets());
  bool shared = true;
  std::vector<double> weights;
  std::vector<GaussianMixtures> none;
  for (const auto& [model, weight] : members) {
    sound &= weight > 0 && (model->n_inputs() == d_x || model->n_inputs() == 0);
    sound &= model->n_targets() == n_targets();
    total += weight;
    weights.push_back(std::log(weight));
    if (sound) none.push_back(model->predict(Matrix(model->n_inputs(), 0)));
    shared &= sound && none.back().has_shared_components();
  }
  if (!sound || !(std::abs(total - 1) < 1e-9) || members.size() + (broad.weight > 0 ? 1 : 0) == 0) {
    throw FormatError("the members of a pool and their weights do not fit together");
  }
  if (broad.weight > 0) {
    weights.push_back(std::log(broad.weight));
    none.push_back(broad_laws(broad, 0));
  }
  log_weights_ = Eigen::Map<const Vector>(weights.data(), std::ssize(weights));
  accounts();  // throws where a file lacks what is read later
  if (shared) shared_components_ = std::make_shared<const GaussianComponents>(joined(none, 1));
}

GaussianMixtures PooledDensity::laws(const MatrixView& x) const {
  std::vector<GaussianMixtures> parts;
  for (const PoolMember& member : parts_.members) parts.push_back(laws_of(*member.model, inputs_of(*member.model, x)));
  return mixed(std::move(parts), x.cols());
}

GaussianMixtures PooledDensity::laws_of_incomplete(const MatrixView& x, const InputImputer& imputer) const {
  std::vector<GaussianMixtures> parts;
  for (const PoolMember& member : parts_.members) {
    const ConditionalDensity& model = *member.model;
    parts.push_back(model.n_inputs() == 0 ? laws_of(model, inputs_of(model, x))
                                          : ConditionalDensity::laws_of_incomplete(model, x, imputer));
  }
  return mixed(std::move(parts), x.cols());
}

// `parts`: the distributions of every member, each on its own scale of y.
GaussianMixtures PooledDensity::mixed(std::vector<GaussianMixtures> parts, Index n) const {
  for (std::size_t m = 0; m < parts.size() && shared_components_ == nullptr; ++m) {
    const Standardizer& scale = y_scale_of(*parts_.members[m].model);
    parts[m] = std::move(parts[m]).affine(scale.mean(), scale.scale());
  }
  if (parts_.defensive.weight > 0) parts.push_back(broad_laws(parts_.defensive, n));
  Matrix log_weights(components_of(parts), n);
  Index to = 0;
  for (std::size_t m = 0; m < parts.size(); ++m) {
    const Index own = parts[m].n_components();
    log_weights.middleRows(to, own) = parts[m].log_weights().array() + log_weights_[static_cast<Index>(m)];
    to += own;
  }
  if (shared_components_ != nullptr) {
    return GaussianMixtures::shared_normalized(shared_components_, std::move(log_weights));
  }
  return GaussianMixtures::separate(joined(parts, n), std::move(log_weights));
}

Vector PooledDensity::log_densities(const MatrixView& x, const MatrixView& y) const {
  Matrix terms(log_weights_.size(), y.cols());
  for (std::size_t m = 0; m < parts_.members.size(); ++m) {
    const ConditionalDensity& model = *parts_.members[m].model;
    terms.row(static_cast<Index>(m)) =
        model.log_density(inputs_of(model, x), y, {.threads = 1, .observer = {}}).transpose();
  }
  if (parts_.defensive.weight > 0) terms.bottomRows(1) = parts_.defensive.log_density(y).transpose();
  Vector out(y.cols());
  for (Index i = 0; i < y.cols(); ++i) out[i] = log_sum_exp(terms.col(i) + log_weights_);
  return out;
}

std::vector<PooledDensity::Account> PooledDensity::accounts() const {
  std::vector<Account> out;
  for (const Document& row : report().details.at("members").as_array()) {
    const double score = row.at("score").as_number();
    out.push_back({row.at("name").as_string(), row.at("weight").as_number(), score,
                   row.at("standard_error").as_number(), score == std::numeric_limits<double>::max()});
  }
  return out;
}

std::vector<std::string> PooledDensity::member_names() const {
  std::vector<std::string> out;
  for (const Account& own : accounts()) out.push_back(own.name);
  return out;
}

Vector PooledDensity::member_weights() const { return column(accounts(), &Account::weight); }

Vector PooledDensity::member_scores() const { return column(accounts(), &Account::score); }

void PooledDensity::write(Document& document) const {
  Document::Array members;
  Vector weights(std::ssize(parts_.members));
  for (std::size_t m = 0; m < parts_.members.size(); ++m) {
    members.push_back(inner_document(*parts_.members[m].model));
    weights[static_cast<Index>(m)] = parts_.members[m].weight;
  }
  document.set("n_inputs", n_inputs()).set("members", std::move(members)).set("weights", weights);
  document.set("defensive_weight", parts_.defensive.weight);
  if (parts_.defensive.weight > 0) parts_.defensive.write(document);
}

PoolParts PooledDensity::read(const Document& document, const InnerLoader& load) {
  PoolParts out{.dimension = document.at("n_inputs").as_integer(), .members = {}, .defensive = {}};
  const Document::Array& members = document.at("members").as_array();
  const Vector weights = document.at("weights").as_vector();
  if (weights.size() != std::ssize(members) || out.dimension < 0) {
    throw FormatError("a pool needs a weight for every member");
  }
  for (const Document& member : members) {
    out.members.push_back({load(member), weights[std::ssize(out.members)]});
  }
  constexpr Index most_unseen = 1'000'000;  // inputs that no member sees: nothing else in the file has their number
  Index seen = 0;
  for (const PoolMember& member : out.members) seen = std::max(seen, member.model->n_inputs());
  if (seen > 0 ? out.dimension != seen : out.dimension > most_unseen) {
    throw FormatError(
        message("the members of a pool, of ", seen, " inputs, and its ", out.dimension, " do not fit together"));
  }
  const double weight = document.at("defensive_weight").as_number();
  if (weight > 0) {
    const Index d_y =
        out.members.empty() ? document.at("defensive_mean").as_vector().size() : out.members.front().model->n_targets();
    out.defensive = Defensive::read(document, weight, d_y);
  }
  return out;
}

}  // namespace condens
