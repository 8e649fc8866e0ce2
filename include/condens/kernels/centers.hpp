#pragma once
// Which samples carry a kernel.

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "condens/core/options.hpp"
#include "condens/core/types.hpp"

namespace condens {

enum class CenterSelection { random, kmeans };
template <>
inline constexpr auto choice_names<CenterSelection> = std::array<std::string_view, 2>{"random", "kmeans"};

/// The columns of `points` in lexicographic order of their numbers.
std::vector<Index> sorted_columns(const MatrixView& points);

/// For every column of `points` the first one that equals it in every number.
std::vector<Index> first_equal_columns(const MatrixView& points);

/// `count` columns of `points`, no two of them equal (fewer where there are fewer), drawn at
/// random with the chances that `weights` gives (Efraimidis and Spirakis 2006: the largest
/// log(u) / w).
std::vector<Index> random_centers(const MatrixView& points, const VectorView& weights, Index count, std::uint64_t seed);

/// `count` columns that cover `points`, no two of them equal (fewer where there are fewer): k-means++ (Arthur and
/// Vassilvitskii 2007), so many steps of Lloyd's iteration, and each mean replaced by the nearest sample of its
/// cluster; without a step the seeds. Of more than 50 `count` samples, a random subset of that size is covered. Cost:
/// (steps + 1) * 50 * count^2 distances at most.
std::vector<Index> kmeans_centers(const MatrixView& points, const VectorView& weights, Index count, std::uint64_t seed,
                                  int threads, Index steps = 5);

}  // namespace condens
