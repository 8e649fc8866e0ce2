#pragma once
// Which figures show a model: chosen by its inputs, targets and the data at hand.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "condens/core/run.hpp"
#include "condens/data/censoring.hpp"
#include "condens/io/model_file.hpp"
#include "condens/plot/figures.hpp"
#include "fitted.hpp"

namespace condens::cli {

struct FigureRequest {
  Model model;
  std::string model_name;
  std::string data_name = {};
  std::optional<Dataset> data = {};
  Censoring censoring = {};  ///< what is known of the target in each row of the data; empty: its value
  std::string test_name = {};
  std::optional<Dataset> test = {};
  std::vector<std::pair<std::string, std::string>> at = {};
  std::optional<Index> input = {};   ///< among the input columns
  std::optional<Index> target = {};  ///< absent: the first; all on a page
  double interval = 0.9;
  std::optional<double> bands = {};  ///< level of the error bars; the model has replicates
};

/// The columns of a model: first those inputs that move the distribution most, last those that it left out.
plot::Names plot_names(const Model& model);

/// Every kind of figure.
std::vector<std::string> figure_names();

/// `kind`: one of them. SVG. Throws std::invalid_argument for another
/// kind, or one that needs test data or a tuning that there is not.
std::string single_figure(const FigureRequest& request, const std::string& kind, const Run& run);

/// All figures with a summary: one HTML page.
std::string figure_page(const FigureRequest& request, const Run& run);

}  // namespace condens::cli
