#pragma once
// The methods that are compared, as rows of one table: a label, and the model of the
// registry, the preset and the options that stand for it.

#include <string>
#include <vector>

#include "condens/core/document.hpp"
#include "condens/data/dataset.hpp"
#include "condens/model/conditional_density.hpp"
#include "condens/plot/line_chart.hpp"

namespace condens::reproduce {

struct Method {
  std::string label;  ///< without commas
  std::string model;
  std::string preset;
  Document options;
  std::size_t color;    ///< of plot::line_color: the family
  plot::LineKind line;  ///< solid: selects inputs; dashed: does not; dotted: ours, not in the paper
};

/// Whether the method is not in the paper.
bool is_ours(const Method& method);

/// SA-CDE stopped after 50 steps, as its authors' program does (errata S4).
Method truncated_method();

/// The eight of section 3.1.
std::vector<Method> paper_methods();

/// What the library recommends in place of SA-CDE, SA-LSCDE and NW-CDE, for comparison.
std::vector<Method> recommended_methods();

/// SA-CDE and SA-LSCDE with `candidates` widths and regularisers (section 3.4). With 20 their labels
/// and options are those of paper_methods().
std::vector<Method> selection_methods(Index candidates);

/// SA-LSCDE with other readings of what SA-CDE selects (errata S4, S9): the largest penalty within one standard error,
/// the inputs with norms above a share of the largest, the truncated solver.
std::vector<Method> selection_readings();

/// `count` values between 0.01 and 2 at equal steps of the logarithm (section 3).
std::vector<double> paper_grid(Index count = 20);

/// The eight with one width, penalty and radius each, in the place of what cross-validation chooses; eKDE has no
/// centres.
std::vector<Method> given_methods(Index n_centers);

/// The seven of section 3.7, whose penalties are twenty values between 0.001 and 0.1. GP-CDE is a process of 1,000
/// random rows, since all 5,000 would take hours (errata S17: the paper gives no details).
std::vector<Method> humanoid_methods();

/// "" where the registry has the model, and the model inside of it if there is one; else the name it lacks.
std::string missing_model(const Method& method);

/// Those of `methods` that can be fitted.
std::vector<Method> available(const std::vector<Method>& methods);

/// One thread; `seed` rules all that is random.
std::unique_ptr<ConditionalDensity> fit(const Method& method, const Dataset& data, Index seed);

}  // namespace condens::reproduce
