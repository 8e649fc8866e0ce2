#pragma once
// The components of a law that count for a question: most of a law from many samples do not.

#include <vector>

#include "mixture_view.hpp"

namespace condens::detail {

/// Some components, one after the other in memory, with the weights that they have in the whole; of all components
/// nothing is copied.
class MixtureSubset {
 public:
  MixtureSubset(const MixtureView& p, std::vector<Index> places);
  MixtureSubset(const MixtureSubset&) = delete;  // the view points into it
  MixtureSubset& operator=(const MixtureSubset&) = delete;

  const MixtureView& view() const { return view_; }
  bool is_whole() const { return whole_; }
  /// Of a component of the subset its place in the whole.
  Index place(Index l) const { return places_[static_cast<std::size_t>(l)]; }

 private:
  std::vector<Index> places_;
  bool whole_;
  Matrix log_weights_;
  Matrix weights_;
  Matrix means_;
  Matrix scales_;
  Matrix correlations_;
  MixtureView view_;
};

/// The components of weights above `least`.
std::vector<Index> heavier_than(const MixtureView& p, double least);

/// Univariate: without components that together are less than 2^-56 of any density of at least exp(floor).
std::vector<Index> seen_above(const MixtureView& p, double floor);

}  // namespace condens::detail
