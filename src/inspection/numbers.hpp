#pragma once
// Many predictions made block by block, so that neither inputs nor distributions are in memory together.

#include <functional>
#include <string>
#include <vector>

#include "condens/core/parallel.hpp"
#include "condens/inspection/functional.hpp"

namespace condens {

/// The columns of a range: inputs, and targets where they are needed.
struct Asked {
  Matrix x;
  Vector y;
};
using MakeColumns = std::function<Asked(Range)>;
using Measure = std::function<Matrix(const TargetDistributions&, const VectorView& y, const Run&)>;

/// What the functionals say, one a row.
Measure measure_of(const std::vector<Functional>& of);

/// `measure` of `count` columns, measures x count. The same bits for any number of threads.
Matrix ask(const Inspected& model, Index count, const MakeColumns& make, Index n_measures, const Measure& measure,
           const std::string& task, const Run& run);

/// Where a functional needs targets, that there is one for every row.
void check_targets(const char* owner, const std::vector<Functional>& of, Index n_targets, Index n_rows);

}  // namespace condens
