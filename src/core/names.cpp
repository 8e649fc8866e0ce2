#include "names.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>

#include "condens/core/errors.hpp"
#include "text.hpp"

namespace condens {

namespace {

constexpr std::size_t longest_compared = 200;  // the time is the product of two lengths

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

/// Levenshtein's distance: insertions, deletions and substitutions.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

std::string list_names(const std::vector<std::string>& names) {
  constexpr std::size_t most = 40;
  const std::size_t listed = names.size() > most + 1 ? most : names.size();
  std::string out;
  for (std::size_t i = 0; i < listed; ++i) out += (i == 0 ? "" : ", ") + shown(names[i]);
  if (listed < names.size()) out += " and " + std::to_string(names.size() - listed) + " others";
  return out;
}

std::string nearest_name(std::string_view name, const std::vector<std::string>& names) {
  std::string nearest;
  std::size_t shortest = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const std::string& candidate : names) {
    const auto [shorter, longer] = std::minmax({name.size(), candidate.size()});
    if (longer > longest_compared || longer - shorter >= shortest) continue;
    const std::size_t distance = edit_distance(lower(name), lower(candidate));
    if (distance < shortest && distance < std::max(name.size(), candidate.size())) {
      shortest = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& names) {
  const std::string nearest = nearest_name(name, names);
  return nearest.empty() ? "" : "; did you mean '" + shown(nearest) + "'?";
}

std::string share_of_percentage(double value) {
  return value > 1 && value < 100 ? message("; for ", value, " % give ", value / 100) : "";
}

}  // namespace condens
