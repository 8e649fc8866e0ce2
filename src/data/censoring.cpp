#include "condens/data/censoring.hpp"

#include <algorithm>
#include <cmath>

#include "condens/core/errors.hpp"

namespace condens {

double Censoring::known_low(Index i) const {
  return is_truncated(i) && !is_exact(i) ? std::max(low[i], entry[i]) : low[i];
}

Index Censoring::n_exact() const { return (low.array() == high.array()).count(); }

Index Censoring::n_right() const { return (high.array() == infinity).count(); }

Index Censoring::n_left() const { return (low.array() == -infinity).count(); }

Index Censoring::n_interval() const { return size() - n_exact() - n_right() - n_left(); }

Index Censoring::n_truncated() const { return (entry.array() > -infinity).count(); }

Vector Censoring::representatives() const { return (low.array() == -infinity).select(high, low); }

Censoring Censoring::subset(const std::vector<Index>& rows) const {
  if (empty()) return {};
  return {low(rows), high(rows), entry.size() > 0 ? Vector(entry(rows)) : Vector()};
}

void Censoring::check(std::string_view owner, Index n, const PlaceOfRow& place) const {
  require(low.size() == n && high.size() == n, owner, ": ", low.size(), " lower and ", high.size(), " upper ends for ",
          n, " rows, expected one of each for every row");
  require(entry.size() == 0 || entry.size() == n, owner, ": ", entry.size(), " entries for ", n,
          " rows, expected none or one for every row");
  for (Index i = 0; i < n; ++i) {
    const auto refuse = [&](bool ok, const std::string& trouble) { require(ok, place(i), ": ", trouble); };
    refuse(!std::isnan(low[i]) && !std::isnan(high[i]),
           "an end of the interval is NaN, expected a number, or infinity "
           "where it is open");
    refuse(low[i] <= high[i],
           message("the interval of the target goes from ", low[i], " to ", high[i], ", expected the lower end first"));
    refuse(low[i] < infinity && high[i] > -infinity, message("the target is ", low[i], ", expected a finite number"));
    refuse(low[i] > -infinity || high[i] < infinity,
           "nothing is known of the target: both of its ends are open; expected one at least, or leave out the row");
    if (entry.size() == 0) continue;
    refuse(!std::isnan(entry[i]) && entry[i] < infinity,
           message("the entry is ", entry[i], ", expected a number, or -infinity where there was none"));
    refuse(high[i] > entry[i], message("the target is at most ", high[i], " and the entry ", entry[i],
                                       ": the row could not have been seen; expected an entry below the target"));
  }
  require(n_exact() > 0, owner, ": every one of the ", n,
          " rows is censored, expected some with an exact value, from which the distribution can be told");
}

}  // namespace condens
