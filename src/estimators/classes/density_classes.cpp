#include "density_classes.hpp"

#include <utility>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "condens/distributions/target_distributions.hpp"
#include "model/target_codes.hpp"

namespace condens {

namespace {

constexpr Index most_classes = 1000;  // an atom has a hundredth of the rows; a damaged file may ask for any memory

TargetSupport support_of_classes(Index n_classes) {
  std::vector<double> numbers;
  for (Index k = 0; k < n_classes; ++k) numbers.push_back(static_cast<double>(k));
  return {.values = TargetValues::listed(std::move(numbers))};
}

}  // namespace

DensityClasses::DensityClasses(std::shared_ptr<const ConditionalDensity> density, Index n_classes)
    : density_(std::move(density)) {
  if (density_->n_targets() != 1 || n_classes < 2 || n_classes > most_classes) {
    throw FormatError("DensityClasses: its parts do not fit together; the file is damaged");
  }
  support_ = support_of_classes(n_classes);
}

std::shared_ptr<const DensityClasses> DensityClasses::fit(const ClassRows& data, const std::vector<Index>& rows,
                                                          std::uint64_t seed, const Fit& density, const Run& run) {
  const Index n_classes = data.start.size() + 1;
  const TargetSupport support = support_of_classes(n_classes);
  Dataset own = data.rows.subset(rows);
  if ((own.weights.array() == own.weights[0]).all()) own.weights.resize(0);
  Matrix codes(1, own.size());
  for (Index i = 0; i < own.size(); ++i) {
    codes(0, i) = code_of_value(support, own.y(0, i), seed, rows[static_cast<std::size_t>(i)]);
  }
  own.y = std::move(codes);
  return std::make_shared<const DensityClasses>(density(own, run), n_classes);
}

Matrix DensityClasses::log_probabilities(const MatrixView& x, const Run& run) const {
  constexpr Index rows_together = 1024;
  constexpr double least = -700.0;  // of a probability that is no more than rounding
  Matrix out(std::ssize(support_.values.list()), x.cols());
  Task task(run, "predicting", static_cast<double>(x.cols()));
  const Run here{.threads = run.threads, .observer = {}};
  for (Index block = 0; block < block_count(x.cols(), rows_together); ++block) {
    const Range range = block_range(x.cols(), rows_together, block);
    const TargetDistributions laws(density_->predict(x.middleCols(range.begin, range.size()), here), support_);
    for (Index k = 0; k < out.rows(); ++k) {
      const Vector log_p = laws.log_pdf(Matrix::Constant(1, range.size(), static_cast<double>(k)), here);
      out.row(k).segment(range.begin, range.size()) = log_p.cwiseMax(least).transpose();
    }
    task.advance(static_cast<double>(range.size()));
    task.poll();
  }
  return out;
}

Document DensityClasses::to_document() const {
  Document out;
  return out.set("model", "density")
      .set("density", inner_document(*density_))
      .set("n_classes", static_cast<Index>(support_.values.list().size()));
}

std::shared_ptr<const DensityClasses> DensityClasses::from_document(const Document& document, const InnerLoader& load) {
  return std::make_shared<const DensityClasses>(load(document.at("density")), document.at("n_classes").as_integer());
}

}  // namespace condens
