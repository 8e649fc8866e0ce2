#pragma once
// What the figures of this folder share: one layout, the checks of their arguments,
// and grids of values.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "caption.hpp"
#include "condens/core/errors.hpp"
#include "condens/plot/axes.hpp"
#include "condens/plot/figures.hpp"

namespace condens::plot {

constexpr double figure_width = 640.0;
constexpr double left_margin = 72.0;
constexpr double right_margin = 22.0;
constexpr double bottom_margin = 50.0;
constexpr double color_bar_margin = 94.0;

inline const std::string accent = "#D55E00";  // the one colour that stands out of the density map
inline const std::string point_color = "#1a1a1a";

struct FrameSpec {
  std::string title;
  std::vector<LegendEntry> legend = {};
  double width = figure_width;
  double height = 430.0;
  double right = right_margin;
  Caption caption = {};
  double turned = 0.0;  ///< room for names that stand upright below the axis
};

/// A canvas with its title and legend written, and the space that is left inside the margins.
struct Frame {
  Canvas canvas;
  Point corner;
  double inner_width;
  double inner_height;

  Panel panel(const Extent& x, const Extent& y, std::string x_label, std::string y_label, Ticks x_ticks = {},
              Ticks y_ticks = {}) {
    return {canvas,
            {corner, inner_width, inner_height, x, y, std::move(x_label), std::move(y_label), std::move(x_ticks),
             std::move(y_ticks)}};
  }
};

/// Names that stand upright and the caption make the picture higher, not its panels lower.
inline Frame make_frame(const FrameSpec& spec) {
  const double inner_width = spec.width - left_margin - spec.right;
  const double foot = spec.height + std::max(0.0, spec.turned - 10.0);
  const double caption_width = spec.width - left_margin - right_margin;
  const double spare = beside_share * spec.height - legend_height(inner_width, spec.legend);
  const std::vector<std::string> lines =
      caption_lines(spec.caption, caption_width, std::max(1, static_cast<int>(spare / caption_pitch)));
  const double height = foot + caption_pitch * static_cast<double>(lines.size());
  Frame frame{Canvas(spec.width, height, spec.title), {left_margin, 0.0}, inner_width, 0.0};
  for (std::size_t i = 0; i < lines.size(); ++i)
    frame.canvas.text({left_margin, foot - 1.0 + caption_pitch * static_cast<double>(i)}, lines[i],
                      {.size = caption_size, .fill = "#555555"});
  frame.canvas.text({left_margin, 24.0}, fit_text(spec.title, 14.5, inner_width),
                    {.size = 14.0, .fill = "#111111", .bold = true});
  frame.corner.y = 38.0 + draw_legend(frame.canvas, {left_margin, 34.0}, inner_width, spec.legend);
  frame.inner_height = spec.height - frame.corner.y - bottom_margin;
  return frame;
}

inline std::string name_of(const std::vector<std::string>& names, Index i, const char* stem) {
  const std::size_t k = static_cast<std::size_t>(i);
  return k < names.size() && !names[k].empty() ? names[k] : stem + std::to_string(i + 1);
}

inline void check_figure(const char* owner, const ConditionalDensity& model, const Dataset& data, Index target) {
  data.check(owner);
  require(data.x.rows() == model.n_inputs() && data.y.rows() == model.n_targets(), owner, ": the data have ",
          data.x.rows(), " inputs and ", data.y.rows(), " targets, expected ", model.n_inputs(), " and ",
          model.n_targets(), " as in the fit");
  require(target >= 0 && target < model.n_targets(), owner, ": target ", target, ", expected 0 to ",
          model.n_targets() - 1);
}

/// `at`, or the medians where it is empty.
inline Vector reference_inputs(const char* owner, const Vector& at, const Dataset& data) {
  require(at.size() == 0 || (at.size() == data.x.rows() && at.allFinite()), owner, ": at holds ", at.size(),
          " values, expected one finite value for each of the ", data.x.rows(), " inputs, or none for their medians");
  return at.size() == 0 ? median_inputs(data) : at;
}

/// The laws of one target, of the kind that `kind` says, where it is given.
inline TargetDistributions target_laws(const ConditionalDensity& model, const MatrixView& x, Index target,
                                       const TargetDecoder* kind, const Run& run) {
  if (kind != nullptr) return kind->predict(model, x, run);
  GaussianMixtures laws = model.predict(x, run);
  return {model.n_targets() == 1 ? std::move(laws) : laws.marginal(target), {}};
}

/// n points at the centres of equal cells of the extent.
inline Vector cell_centres(const Extent& extent, Index n) {
  const double half = 0.5 * extent.size() / static_cast<double>(n);
  return Vector::LinSpaced(n, extent.low + half, extent.high - half);
}

/// The q-quantile of finite values (linear interpolation, Hyndman and Fan 1996, type 7).
inline double sample_quantile(const VectorView& values, double q) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const double position = q * static_cast<double>(sorted.size() - 1);
  const std::size_t below = std::min(static_cast<std::size_t>(position), sorted.size() - 1);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double share = position - static_cast<double>(below);
  return (1.0 - share) * sorted[below] + share * sorted[above];
}

/// A histogram with total area one: the heights of equal bars over `extent`.
inline Vector histogram(const VectorView& values, const VectorView& weights, const Extent& extent, Index bars) {
  Vector out = Vector::Zero(bars);
  const double bar = extent.size() / static_cast<double>(bars);
  const double total = weights.size() == 0 ? static_cast<double>(values.size()) : weights.sum();
  for (Index i = 0; i < values.size(); ++i) {
    const Index place = std::clamp<Index>(static_cast<Index>((values[i] - extent.low) / bar), 0, bars - 1);
    out[place] += (weights.size() == 0 ? 1.0 : weights[i]) / (total * bar);
  }
  return out;
}

}  // namespace condens::plot
